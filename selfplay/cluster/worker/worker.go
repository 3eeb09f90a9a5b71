// Package worker lends a machine to a run elsewhere: it plays the units that the coordinator
// sends, and sends the results. It runs no program that its owner did not allow,
// and reads no credentials but those it is given.
//
// No promise of stability. Start reading at Worker.Run.
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

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// errRefused means that a coordinator gives the worker no units; the error says why.
var errRefused = errors.New("cluster: refused")

// ErrIdle means that the worker had no work for as long as Worker.Wait.
var ErrIdle = errors.New("cluster: no work")

// Worker plays units of a run elsewhere.
type Worker struct {
	Access  wire.Access // its Name is the worker's
	Open    selfplay.Opener
	Program string // version and bench signature
	Cores   int    // units at once; 0: one for each core
	// Measure returns how many nodes a second one core of this machine searches while that
	// many cores do. Games with clocks need it.
	Measure func(ctx context.Context, cores int) (nodesPerSecond float64, err error)
	Library string            // folder for weights
	Engines *AllowedEngines   // foreign engines; nil: none
	Wait    time.Duration     // time without work after which Run returns ErrIdle; 0: never
	Resting func() bool       // reports whether the worker should rest now; nil: never
	Log     func(line string) // receives a line for each event; may be nil

	nc         *nats.Conn
	wakeup     wakeup
	speed      speedometer
	earlyHello chan struct{} // asks for a hello before it is due
	slots      chan *slot
	verifying  sync.Mutex
	verified   map[string]engine.Spec    // local specifications, by specification and fingerprint
	lastWork   atomic.Pointer[time.Time] // when it last had a unit, by the monotonic clock
	playing    atomic.Int64              // units that are played or wait for a slot
	units      atomic.Int64
	games      atomic.Int64
	nodes      atomic.Int64
	fail       context.CancelCauseFunc
	logged     atomic.Bool
}

// Tally counts what a worker did so far.
type Tally struct {
	Units int64 // answered: games and checks of openings
	Games int64
	Nodes int64
}

// Tally returns what the worker did so far.
func (w *Worker) Tally() Tally {
	return Tally{Units: w.units.Load(), Games: w.games.Load(), Nodes: w.nodes.Load()}
}

// Run plays units until ctx ends; then it finishes and answers the units under way, and
// returns nil. It waits for a server and a coordinator as long as necessary. An error that
// wraps errRefused, ErrCredentials or ErrEncryption says why trying again is no use.
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
	w.earlyHello = make(chan struct{}, 1)
	w.wakeup.wait()
	if _, err := w.nc.Subscribe(wire.WakeupSubject, func(*nats.Msg) { w.wakeup.fire() }); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	w.slots = make(chan *slot, w.Cores)
	for range w.Cores {
		w.slots <- newSlot(w.Open)
	}
	w.lastWork.Store(new(time.Now()))
	err = w.serveRuns(ctx)
	for range w.Cores {
		(<-w.slots).close()
	}
	return err
}

// serverError handles an error of the connection. It logs the first one. A worker that may
// not say hello under its name, or receive the reply, has the key of another name, and ends.
func (w *Worker) serverError(err error) {
	if said := err.Error(); errors.Is(err, nats.ErrPermissionViolation) &&
		(strings.Contains(said, wire.HelloSubject(w.Access.Name)) ||
			strings.Contains(said, wire.InboxPrefix(w.Access.Name)+".")) {
		w.fail(fmt.Errorf("%w: they belong to another worker than %s; use the name that the coordinator's list has "+
			"for this key", wire.ErrCredentials, w.Access.Name))
		return
	}
	if !w.logged.Swap(true) {
		w.Log(fmt.Sprintf("%s: %v", w.Access.URL, err))
	}
}

// serveRuns serves one run after the other.
func (w *Worker) serveRuns(ctx context.Context) error {
	for {
		welcome, err := w.awaitRun(ctx)
		if err != nil {
			return w.finish(ctx, err)
		}
		w.Log(fmt.Sprintf("playing for run %s", welcome.Run))
		if err := w.serveRun(ctx, welcome); err != nil || ctx.Err() != nil {
			return w.finish(ctx, err)
		}
	}
}

// finish says goodbye, and returns why the worker ends: nil if ctx ended.
func (w *Worker) finish(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		err = cause
	}
	if errors.Is(err, context.Canceled) {
		err = nil
	}
	w.sayGoodbye(err)
	return err
}

// fatalError is an error that ends the worker, and that its coordinator gets to see.
type fatalError struct{ error }

func (e *fatalError) Unwrap() error { return e.error }

func (w *Worker) hello() wire.Hello {
	speed, _ := w.speed.latest()
	return wire.Hello{Protocol: wire.Protocol, Program: w.Program, System: runtime.GOOS + "/" + durable.BuildTarget(),
		Cores: w.Cores, Speed: speed}
}

// sayHello sends h and returns the coordinator's answer.
func (w *Worker) sayHello(ctx context.Context, h wire.Hello) (*wire.Welcome, error) {
	ctx, cancel := context.WithTimeout(ctx, wire.PollTimeout)
	defer cancel()
	var welcome wire.Welcome
	if err := w.request(ctx, wire.HelloSubject(w.Access.Name), &h, &welcome); err != nil {
		return nil, err
	}
	if welcome.Refused != "" {
		return nil, fmt.Errorf("%w: %s", errRefused, welcome.Refused)
	}
	return &welcome, nil
}

// request sends a message and decodes the reply.
func (w *Worker) request(ctx context.Context, subject string, message, reply any) error {
	data, err := json.Marshal(message)
	if err != nil {
		return err
	}
	m, err := w.nc.RequestWithContext(ctx, subject, data)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(m.Data, reply); err != nil {
		return fmt.Errorf("cluster: the coordinator's reply: %w", err)
	}
	return nil
}

// helloNow has the worker say hello before it is due.
func (w *Worker) helloNow() {
	select {
	case w.earlyHello <- struct{}{}:
	default:
	}
}

// awaitRun waits for a coordinator that accepts the worker.
func (w *Worker) awaitRun(ctx context.Context) (*wire.Welcome, error) {
	wait := 50 * time.Millisecond
	for logged := false; ; wait = min(2*wait, time.Second) {
		called := w.wakeup.wait()
		if w.Resting == nil || !w.Resting() {
			welcome, err := w.sayHello(ctx, w.hello())
			if err == nil || errors.Is(err, errRefused) {
				return welcome, err
			}
			if !logged && ctx.Err() == nil {
				logged = true
				w.Log(fmt.Sprintf("%s: there is no run yet; waiting for one", w.Access.URL))
			}
		}
		if w.idle() {
			return nil, ErrIdle
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-called:
		case <-time.After(wait):
		}
	}
}

func (w *Worker) idle() bool {
	last := w.lastWork.Load()
	return w.Wait > 0 && w.playing.Load() == 0 && (last == nil || time.Since(*last) > w.Wait)
}

// serveRun plays units of one run until ctx ends or the run is over.
func (w *Worker) serveRun(ctx context.Context, welcome *wire.Welcome) error {
	serving, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var all sync.WaitGroup
	serve := func(part func() error) {
		all.Go(func() {
			if err := part(); err != nil {
				stop(err)
			}
		})
	}
	p := newPlayer(w, welcome)
	loops := 2 * w.Cores // units are sent ahead, so that no core waits for the network
	units, replays := newUnitQueue(p, 2*loops), newUnitQueue(p, wire.MaxReplays)
	for subject, q := range map[string]*unitQueue{wire.UnitSubject(p.run, w.Access.Name): units,
		wire.ReplaySubject(p.run, w.Access.Name): replays} {
		subscription, err := w.nc.Subscribe(subject, q.receive)
		if err != nil {
			return fmt.Errorf("cluster: %w", err)
		}
		defer func() { _ = subscription.Unsubscribe() }()
	}
	for range loops {
		serve(func() error { return units.serve(serving) })
	}
	for range w.Cores {
		serve(func() error { return replays.serve(serving) })
	}
	here := &presence{p, units, replays, max(min(welcome.Lease/3, wire.HelloEvery), retryAfter/5)}
	stop(here.stay(serving))
	finished := make(chan struct{})
	go func() { all.Wait(); close(finished) }()
	here.drain(finished)
	switch err := context.Cause(serving); {
	case errors.Is(err, errResting):
		w.sayGoodbye(nil)
	case !errors.Is(err, errRunOver) && !errors.Is(err, context.Canceled):
		return err
	}
	return nil
}

// sayGoodbye reports to the coordinator that the worker leaves, and the error if it is fatal.
func (w *Worker) sayGoodbye(err error) {
	h := w.hello()
	h.Leaving = true
	var t *fatalError
	if errors.As(err, &t) {
		h.Trouble = t.Error()
	}
	short, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_, _ = w.sayHello(short, h) // the worker leaves even if the message is lost
}

// Why a worker leaves a run and waits for another.
var (
	errRunOver = errors.New("the run is over")
	errResting = errors.New("the working hours are over")
)

// presence says hello while the worker serves a run.
type presence struct {
	*player
	units, replays *unitQueue
	every          time.Duration
}

func (p *presence) hello() wire.Hello {
	h := p.Worker.hello()
	h.Run, h.Units, h.Replays = p.run, p.units.ids(), p.replays.ids()
	return h
}

// stay says hello at once, at intervals, and when helloNow asks for it. It returns when the
// worker should no longer serve this run.
func (p *presence) stay(ctx context.Context) error {
	p.helloNow()
	called := p.wakeup.wait()
	for failed := 0; ; {
		pause, early := p.every, p.earlyHello
		if failed > 0 {
			pause, early = wire.RetryPause, nil
		}
		select {
		case <-early:
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-called:
		case <-time.After(pause):
		}
		called = p.wakeup.wait()
		h := p.hello()
		if failed >= wire.MaxSilences {
			h.Run = "" // other coordinators reply too
		}
		welcome, err := p.sayHello(ctx, h)
		if err == nil {
			if failed >= wire.MaxSilences {
				p.helloNow()
			}
			failed = 0
		} else if failed++; failed%wire.MaxSilences == 0 && ctx.Err() == nil {
			_ = p.nc.ForceReconnect() // the coordinator is away, or this server is cut off from it
		}
		switch {
		case p.nc.IsClosed():
			return wire.ErrCredentials // the server closed the connection for good
		case errors.Is(err, errRefused):
			return err
		case err == nil && welcome.Run != p.run:
			return errRunOver
		case p.Resting != nil && p.Resting():
			return errResting
		case p.idle():
			return ErrIdle
		}
	}
}

// drain drops the units that are not being played, and has the coordinator wait for the
// others until they are answered.
func (p *presence) drain(finished <-chan struct{}) {
	for pause := retryAfter / 10; ; pause = p.every {
		p.units.drop()
		p.replays.drop()
		select {
		case <-finished:
			return
		case <-time.After(pause):
		}
		h := p.hello()
		h.Leaving = true
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		_, _ = p.sayHello(ctx, h) // without a coordinator there is no one to wait
		cancel()
	}
}
