// Package worker lends a machine to a run elsewhere: it takes units from the stream of the run, plays them, and
// publishes the results. It runs no program that its owner did not allow, and reads no credentials but those it is
// given.
//
// No promise of stability. Start reading at Worker.Run, then service.
package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/nats-io/nats.go"
)

// errRefused means that a worker gets or plays no units of a run, and ends; the error says why, also to the
// coordinator.
var errRefused = errors.New("cluster: refused")

// ErrIdle means that the worker had no work for as long as Worker.Wait.
var ErrIdle = errors.New("cluster: no work")

// Worker plays units of a run elsewhere.
type Worker struct {
	Access  wire.Access // its Name is the worker's, which wire.CheckName accepts
	Open    selfplay.Opener
	Program string // version and bench signature
	Cores   int    // units at once; 0: one for each core
	// Measure returns how many nodes a second one core of this machine searches while that many cores do. Games with
	// clocks need it.
	Measure func(ctx context.Context, cores int) (nodesPerSecond float64, err error)
	Library string            // folder for weights and fetched engines
	Engines *Engines          // external engines
	Wait    time.Duration     // time without work after which Run returns ErrIdle; 0: never
	Log     func(line string) // receives a line for each event; may be nil

	// What it played so far; a unit is a game or the check of an opening.
	Units, Games, Nodes atomic.Int64

	nc        *nats.Conn
	measuring sync.Mutex
	measured  time.Time    // when speed was measured
	speed     atomic.Int64 // nodes/s of a core; 0: not measured
	verifying sync.Mutex
	verified  map[string]engine.Spec // local specifications, by specification and fingerprint
	lastWork  time.Time              // when it last had a unit, by the monotonic clock
	fail      context.CancelCauseFunc
	logged    atomic.Bool
}

// Run plays units until ctx ends; then it finishes and answers the units under way, and returns nil. It waits for a
// server and a run as long as necessary. An error that wraps errRefused, ErrCredentials or ErrEncryption says why
// trying again is no use.
func (w *Worker) Run(ctx context.Context) error {
	if w.Log == nil {
		w.Log = func(string) {}
	}
	if w.Cores <= 0 {
		w.Cores = runtime.GOMAXPROCS(0)
	}
	ctx, w.fail = context.WithCancelCause(ctx)
	defer w.fail(nil)
	w.Access.Log = w.serverError
	dialing, give := ctx, context.CancelFunc(func() {})
	if w.Wait > 0 {
		dialing, give = context.WithTimeoutCause(ctx, w.Wait, ErrIdle)
	}
	defer give()
	var err error
	if w.nc, err = w.Access.Dial(dialing); err != nil {
		if ctx.Err() != nil && !errors.Is(err, wire.ErrCredentials) && !errors.Is(err, wire.ErrEncryption) {
			return nil
		}
		return err
	}
	defer w.nc.Close()
	w.lastWork, w.verified = time.Now(), map[string]engine.Spec{}
	err = w.serveRuns(ctx)
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		err = cause
	}
	if errors.Is(err, context.Canceled) {
		err = nil
	}
	w.sayGoodbye(err)
	return err
}

func (w *Worker) serveRuns(ctx context.Context) error {
	for {
		welcome, err := w.awaitRun(ctx)
		if err != nil {
			return err
		}
		w.Log(fmt.Sprintf("playing for run %s", welcome.Run))
		switch err := newService(w, welcome).serve(ctx); {
		case ctx.Err() != nil:
			return ctx.Err()
		case !errors.Is(err, errRunOver):
			return err
		}
	}
}

// serverError handles an error of the connection. It logs the first one. A worker that may not say hello under its
// name, or receive the reply, has the key of another name, and ends.
func (w *Worker) serverError(err error) {
	if said := err.Error(); errors.Is(err, nats.ErrPermissionViolation) &&
		(strings.Contains(said, wire.HelloSubject(w.Access.Name)) || strings.Contains(said, "_INBOX."+w.Access.Name+".")) {
		w.fail(fmt.Errorf("%w: they belong to another worker than %s; use the name that the coordinator's list has "+
			"for this key", wire.ErrCredentials, w.Access.Name))
		return
	}
	if !w.logged.Swap(true) {
		w.Log(fmt.Sprintf("%s: %v", w.Access.URL, err))
	}
}

// awaitRun waits for a coordinator that accepts the worker.
func (w *Worker) awaitRun(ctx context.Context) (*wire.Welcome, error) {
	wait := 50 * time.Millisecond
	for logged, try := false, 1; ; wait, try = min(2*wait, 2*time.Second), try+1 {
		if try%8 == 0 && len(w.nc.Servers()) > 1 {
			_ = w.nc.ForceReconnect() // this server may be cut off from the coordinator's
		}
		welcome, err := w.sayHello(ctx, &wire.Hello{})
		if err == nil || errors.Is(err, errRefused) {
			return welcome, err
		}
		if !logged && ctx.Err() == nil {
			logged = true
			w.Log(fmt.Sprintf("%s: there is no run yet; waiting for one", w.Access.URL))
		}
		if w.idle() {
			return nil, ErrIdle
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(wait):
		}
	}
}

func (w *Worker) idle() bool { return w.Wait > 0 && time.Since(w.lastWork) > w.Wait }

// sayHello completes and sends a hello, and returns the coordinator's answer.
func (w *Worker) sayHello(ctx context.Context, h *wire.Hello) (*wire.Welcome, error) {
	h.Protocol, h.Program, h.Cores = wire.Protocol, w.Program, w.Cores
	h.System, h.Speed = runtime.GOOS+"/"+durable.BuildTarget(), float64(w.speed.Load())
	data, err := wire.Request(ctx, w.nc, wire.HelloSubject(w.Access.Name), h)
	var welcome wire.Welcome
	if err == nil {
		err = json.Unmarshal(data, &welcome)
	}
	if err != nil {
		return nil, err
	}
	if welcome.Refused != "" {
		return nil, fmt.Errorf("%w: %s", errRefused, welcome.Refused)
	}
	return &welcome, wire.CheckName(welcome.Run)
}

// sayGoodbye reports to the coordinator that the worker leaves, and why if it refuses to play.
func (w *Worker) sayGoodbye(err error) {
	h := wire.Hello{Leaving: true}
	if errors.Is(err, errRefused) {
		h.Trouble = err.Error()
	}
	if w.nc.IsConnected() {
		short, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_, _ = w.sayHello(short, &h) // the worker leaves even if the message is lost
	}
}

// Games by the clock are not the same on two machines, but they can be alike: a worker multiplies each time by how much
// slower it is than the machine for which the clock is meant. Both measure the same search of the same positions on all
// their cores at once.

// maxClockScale is how much slower or faster than the reference a worker may be. Beyond that its games would not be
// alike, because not everything in a search scales with the speed.
const maxClockScale = 4

// remeasureEvery is how often a worker measures its speed: other programs may use the machine.
const remeasureEvery = 10 * time.Minute

// clockScale returns the factor for the times of a unit.
func (w *Worker) clockScale(ctx context.Context, u *wire.Unit) (float64, error) {
	if u.Speed <= 0 {
		return 1, nil
	}
	speed, err := w.measuredSpeed(ctx)
	if err != nil {
		return 0, err
	}
	f := u.Speed / speed
	if f < 1./maxClockScale || f > maxClockScale {
		return 0, fmt.Errorf("%w: one of its cores searches %.0f nodes/s, and the run's clocks are meant for %.0f: its "+
			"times would be multiplied by %.2f, which must be from %.2f to %d; use a machine of another speed, or another "+
			"reference speed for the run", errRefused, speed, u.Speed, f, 1./maxClockScale, maxClockScale)
	}
	return f, nil
}

// measuredSpeed returns the worker's speed. The first unit with a clock measures it on all cores; later one core
// measures it again, while those wait that need it then.
func (w *Worker) measuredSpeed(ctx context.Context) (float64, error) {
	w.measuring.Lock()
	defer w.measuring.Unlock()
	if time.Since(w.measured) < remeasureEvery {
		return float64(w.speed.Load()), nil
	}
	cores := 1
	if w.measured.IsZero() {
		cores = w.Cores
		w.Log("measuring this machine's speed, for games with clocks")
	}
	speed, err := w.Measure(ctx, cores)
	if err != nil {
		return 0, fmt.Errorf("%w: measuring this machine's speed: %w", errRefused, err)
	}
	w.speed.Store(int64(speed))
	w.measured = time.Now()
	w.Log(fmt.Sprintf("one core searches %.0f nodes/s", speed))
	return speed, nil
}

// Engines are the external engines that a worker's owner lets it run: files by name and content and, if the owner
// allows it, whatever a run sends. A worker runs no other program. It is safe for concurrent use.
type Engines struct {
	mu      sync.Mutex
	allowed map[wire.Program]string      // paths of the engines allowed by name
	cache   string                       // folder of fetched engines; empty: none are fetched
	checked map[wire.Program]fs.FileInfo // when the content of the file was checked
}

// AllowEngines allows the programs at the paths, with the content that they have now, and, if cache is not empty, all
// that a run sends. These are kept in that folder.
func AllowEngines(paths []string, cache string) (*Engines, error) {
	e := &Engines{allowed: map[wire.Program]string{}, checked: map[wire.Program]fs.FileInfo{}}
	for _, path := range paths {
		path, err := filepath.Abs(path)
		if err != nil {
			return nil, fmt.Errorf("cluster: %w", err)
		}
		p, err := programOf(path)
		if err != nil {
			return nil, err
		}
		e.allowed[p] = path
	}
	if cache == "" {
		return e, nil
	}
	if err := durable.MakeDir(cache); err != nil {
		return nil, err
	}
	var err error
	if e.cache, err = filepath.Abs(cache); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	return e, nil
}

// programOf describes the file at path.
func programOf(path string) (wire.Program, error) {
	info, err := os.Stat(path)
	if err != nil {
		return wire.Program{}, fmt.Errorf("cluster: %w; want the path of an engine's program", err)
	}
	if !info.Mode().IsRegular() {
		return wire.Program{}, fmt.Errorf("cluster: %s is not a regular file: want the program of an engine", path)
	}
	sum, err := durable.SumFile(path)
	return wire.Program{Name: filepath.Base(path), SHA256: sum}, err
}

// path returns the path of this machine's copy of a program, which is fetched if there is none and the owner allows it.
// The content is checked again when size or time of the file changed: who can forge these can run programs anyway.
func (e *Engines) path(p wire.Program, fetch func() ([]byte, error)) (path string, err error) {
	if p.Name == "" || p.Name == "." || p.Name == ".." || strings.ContainsAny(p.Name, `/\:`) || !wire.IsSHA256(p.SHA256) {
		return "", errors.New("that is not a program's file name and its SHA-256")
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	path, named := e.allowed[p]
	if !named && e.cache == "" {
		for other := range e.allowed {
			if other.Name == p.Name {
				return "", fmt.Errorf("the allowed engine of that name has SHA-256 %s; the run and the worker need the same file",
					other.SHA256)
			}
		}
		return "", errors.New("assay help work says how to allow it")
	}
	if !named {
		path = filepath.Join(e.cache, p.SHA256, p.Name)
	}
	was, info := e.checked[p], fs.FileInfo(nil)
	if info, err = os.Stat(path); err == nil && was != nil && os.SameFile(info, was) && info.Size() == was.Size() &&
		info.ModTime().Equal(was.ModTime()) {
		return path, nil
	}
	now, err := programOf(path)
	if named && (err != nil || now != p) {
		return "", errors.New("the file changed since its owner allowed it; to allow the new content, start the worker again")
	}
	if err != nil || now != p {
		if err := install(path, fetch); err != nil {
			return "", err
		}
	}
	e.checked[p], err = os.Stat(path)
	return path, err
}

// install fetches a program to its path. Other workers may install it now, too.
func install(path string, fetch func() ([]byte, error)) error {
	data, err := fetch()
	if err != nil {
		return err
	}
	if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
		err = durable.WriteProgram(path, data)
	}
	if err != nil {
		return fmt.Errorf("%w: cannot store a fetched engine: %w", errRefused, err)
	}
	return nil
}
