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
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// errRefused means that a worker gets or plays no units of a run, and ends; the error says why, also to the
// coordinator.
var errRefused = errors.New("cluster: refused")

// ErrIdle means that the worker had no work for as long as Worker.Wait.
var ErrIdle = errors.New("cluster: no work")

// Worker plays units of a run elsewhere.
type Worker struct {
	Access  wire.Access // its Name is the worker's
	Open    selfplay.Opener
	Program string // version and bench signature
	Cores   int    // units at once; 0: one for each core
	// Measure returns how many nodes a second one core of this machine searches while that many cores do. Games with
	// clocks need it.
	Measure func(ctx context.Context, cores int) (nodesPerSecond float64, err error)
	Library string            // folder for weights and fetched engines
	Engines *Engines          // external engines; nil: none
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
	if err := wire.CheckName(w.Access.Name); err != nil {
		return err
	}
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

// serveRuns serves one run after the other.
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
