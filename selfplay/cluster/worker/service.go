package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/assay-chess/assay/selfplay/roster"
	"github.com/nats-io/nats.go"
)

// errRunOver means that a worker leaves a run and waits for another.
var errRunOver = errors.New("the run is over")

const (
	// maxAhead is how many units may wait for each core, and aheadFor how long they should last: no core waits for the
	// network, and a long game does not wait here while another worker has nothing to do.
	maxAhead, aheadFor = 4, time.Second
	// leavePause is when others get the units of a worker that leaves: its request for units must have ended at the
	// server.
	leavePause = 300 * time.Millisecond
	// arrivePause is how long the units of a request take that has just reached the server.
	arrivePause = leavePause / 3
	// requestFor is how long a request for units is open at the server.
	requestFor = 30 * time.Second
)

// service is a worker's part in one run. One goroutine for each core plays units, and one says hello.
type service struct {
	*Worker
	run   string
	lease time.Duration // of a unit
	inbox string
	units chan *nats.Msg // waiting for a core; closed when no more come
	stop  context.CancelCauseFunc
	gone  chan struct{} // asks for a hello: the consumer is gone

	failures atomic.Int32 // units in a row that could not be played

	mu      sync.Mutex
	held    map[*nats.Msg]bool // units that wait for a core or are played
	took    time.Duration      // the longest of the last units
	away    bool               // the coordinator does not reply and takes no answers
	over    bool               // units are given back
	leaving bool               // nothing more is asked for
	// The open request for units. There is one at a time.
	asked   int // units that it may still bring; 0: there is none
	expires time.Time
	request int // its number
}

func newService(w *Worker, welcome *wire.Welcome) *service {
	return &service{Worker: w, run: welcome.Run, lease: max(welcome.Lease, 100*time.Millisecond), inbox: w.nc.NewInbox(),
		units: make(chan *nats.Msg, 2*(maxAhead+1)*w.Cores), gone: make(chan struct{}, 1), held: map[*nats.Msg]bool{},
		took: 2 * aheadFor}
}

// serve plays units of the run until ctx ends or the run is over. It finishes the units it has begun.
func (s *service) serve(ctx context.Context) error {
	subscription, err := s.nc.Subscribe(s.inbox+".*", s.receive)
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	ctx, s.stop = context.WithCancelCause(ctx)
	defer s.stop(nil)
	drained := make(chan struct{})
	subscription.SetClosedHandler(func(string) { close(drained) })
	s.nc.SetReconnectHandler(func(*nats.Conn) { s.ask(true) }) // the request may be lost
	var all sync.WaitGroup
	for range s.Cores {
		all.Go(func() { s.playUnits(ctx) })
	}
	all.Go(func() { s.stop(s.greet(ctx)) })
	ended := make(chan struct{})
	go func() {
		<-ctx.Done()
		// A unit that finds no subscription waits for a lease: what was asked for arrives first. The request ends with the
		// subscription: without that, returned units would come again.
		s.mu.Lock()
		s.leaving = true
		s.mu.Unlock()
		s.flush()
		time.Sleep(arrivePause)
		_ = subscription.Drain()
		select {
		case <-drained:
		case <-time.After(wire.ReplyTimeout): // lost units go to others a lease later
		}
		s.mu.Lock()
		s.over = true
		close(s.units)
		s.mu.Unlock()
		for m := range s.units {
			_ = s.take(ctx, nil, m)
		}
		all.Wait()
		close(ended)
	}()
	tick := time.NewTicker(max(s.lease/3, 10*time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			idle := s.extend()
			s.ask(false) // if the last request was lost
			if idle {
				s.stop(ErrIdle)
			}
		case <-ended:
			s.flush()
			return context.Cause(ctx)
		}
	}
}

// flush waits until the server has all that was sent.
func (s *service) flush() {
	if s.nc.IsConnected() {
		_ = s.nc.FlushTimeout(wire.ReplyTimeout)
	}
}

// ask asks for units if cores may soon be free: several at once, to save requests. A forgotten request may still bring
// some.
func (s *service) ask(forget bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if forget {
		s.asked = 0
	}
	ahead := min(maxAhead, int(aheadFor/max(s.took, 1))) * s.Cores
	room := s.Cores + ahead - len(s.held)
	if s.leaving || s.away || s.asked > 0 && time.Now().Before(s.expires) || room < max(1, ahead/2) {
		return
	}
	s.request++
	open := min(max(s.lease, time.Second), requestFor)
	s.asked, s.expires = room, time.Now().Add(open+wire.ReplyTimeout)
	_ = wire.Pull(s.nc, s.run, fmt.Sprintf("%s.%d", s.inbox, s.request), room, open) // one that is lost expires
}

// receive takes a unit, or the end of a request for units.
func (s *service) receive(m *nats.Msg) {
	s.mu.Lock()
	defer s.mu.Unlock()
	status := m.Header.Get("Status")
	switch {
	case status == "" && s.over:
		s.giveBack(m, leavePause)
	case status == "":
		s.asked-- // all units count for the last request
		select {
		case s.units <- m:
			s.held[m] = true
		default: // a forgotten request brought some, too
			s.giveBack(m, leavePause)
		}
	case m.Subject != fmt.Sprintf("%s.%d", s.inbox, s.request): // an earlier one
	case status == "408": // it expired
		s.asked = 0
	default:
		s.asked, s.expires = 1, time.Now().Add(min(time.Second, s.lease)) // and ask again after a pause
		select {
		case s.gone <- struct{}{}:
		default:
		}
	}
}

// extend says of all units that they are held, and reports whether there was none for too long.
func (s *service) extend() (idle bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for m := range s.held {
		_ = m.Respond(wire.Extend)
	}
	return len(s.held) == 0 && s.idle()
}

// giveBack returns a unit to the queue after a pause. If that is lost, the unit is delivered again a lease later.
func (s *service) giveBack(m *nats.Msg, pause time.Duration) { _ = m.Respond(wire.GiveBack(pause)) }

// greet says hello at intervals, and when the consumer is gone. It returns when the worker should no longer serve
// this run.
func (s *service) greet(ctx context.Context) error {
	for silent := 0; ; {
		pause, gone := min(wire.HelloEvery, 3*s.lease), false
		if silent > 0 {
			pause = min(pause, time.Second)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.gone:
			gone = true
		case <-time.After(pause):
		}
		h := wire.Hello{Run: s.run}
		if gone || silent >= 3 {
			h.Run = "" // other coordinators reply, too
		}
		welcome, err := s.sayHello(ctx, &h)
		switch {
		case s.nc.IsClosed():
			return wire.ErrCredentials // the server closed the connection for good
		case errors.Is(err, errRefused):
			return err
		case err == nil && welcome.Run != s.run, err != nil && gone && ctx.Err() == nil:
			return errRunOver
		case err != nil:
			if silent++; silent%3 == 0 { // the coordinator is away, or this server is cut off from it
				_ = s.nc.ForceReconnect()
			}
		default:
			silent = 0
		}
		s.mu.Lock()
		s.away = silent > 0
		s.mu.Unlock()
	}
}

func (s *service) playUnits(ctx context.Context) {
	slot := selfplay.NewSlot(s.Open)
	defer func() { _ = slot.Close() }() // the games are over
	for s.ask(false); ctx.Err() == nil; s.ask(false) {
		select {
		case <-ctx.Done():
		case m, ok := <-s.units:
			if !ok { // the worker has left
				return
			}
			if err := s.take(ctx, slot, m); err != nil {
				s.stop(err)
			}
		}
	}
}

// take plays a unit and answers, or gives it back, unplayed if ctx has ended. An error ends the worker.
func (s *service) take(ctx context.Context, slot *selfplay.Slot, m *nats.Msg) error {
	started := time.Now()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.held, m)
		s.took = max(time.Since(started), s.took*9/10)
		s.lastWork = time.Now()
	}()
	u, err := wire.ReadUnit(m.Data)
	switch {
	case err != nil: // not a unit: another client named our inbox as its reply
		return nil
	case ctx.Err() != nil:
		s.giveBack(m, leavePause)
		return nil
	case m.Header.Get(wire.PlayedBy) == s.Access.Name:
		s.giveBack(m, s.lease/4)
		return nil
	}
	a, err := s.play(ctx, slot, u)
	if err != nil {
		s.giveBack(m, s.lease/10)
		if errors.Is(err, errRefused) {
			return err
		}
		if ctx.Err() == nil && !s.logged.Swap(true) {
			s.Log(fmt.Sprintf("a unit goes back: %v", err))
		}
		return nil
	}
	a.Unit, a.Ack = wire.Digest(m.Data), m.Reply
	data, err := json.Marshal(a)
	if err == nil {
		err = s.nc.Publish(wire.AnswerSubject(s.run, s.Access.Name), data)
	}
	if err != nil && !s.logged.Swap(true) { // the unit goes to others a lease later, as if the answer were lost on the way
		s.Log(fmt.Sprintf("an answer is lost: %v", err))
	}
	return s.countFailures(a.Failed)
}

// maxFailures is how many units in a row a worker may fail to play. It is then at fault, and would fail others' units.
const maxFailures = 3

func (s *service) countFailures(why string) error {
	if why == "" {
		s.failures.Store(0)
		return nil
	}
	if s.failures.Add(1) < maxFailures {
		return nil
	}
	return fmt.Errorf("%w: %d units in a row could not be played; the last one: %s", errRefused, maxFailures, why)
}

// play plays a unit. An error gives the unit back, and ends the worker if it wraps errRefused; a unit that cannot be
// played is an answer. A game that started is finished.
func (s *service) play(ctx context.Context, slot *selfplay.Slot, u *wire.Unit) (*wire.Answer, error) {
	job := u.Job.Job
	job.Number = u.Job.Number
	for side, spec := range u.Job.Players {
		if spec.Name == "" {
			continue
		}
		local, err := s.localSpec(ctx, spec, u, side)
		switch {
		case errors.Is(err, errRefused), errors.Is(err, wire.ErrNoFile), err != nil && ctx.Err() != nil:
			return nil, err
		case err != nil:
			return &wire.Answer{Failed: err.Error()}, nil
		}
		job.Players[side] = local
	}
	ctx = context.WithoutCancel(ctx)
	f, err := s.clockScale(ctx, u)
	if err != nil {
		return nil, err
	}
	for side := range job.Limits {
		job.Limits[side] = job.Limits[side].Scaled(f)
	}
	r, err := slot.Play(ctx, &job)
	if err != nil {
		return &wire.Answer{Failed: err.Error()}, nil
	}
	r.Rescale(1 / f)
	r.Try, r.Players = u.Job.Try, u.Job.Specs()
	s.Units.Add(1)
	s.Nodes.Add(int64(r.Nodes[0] + r.Nodes[1]))
	if r.Try == 0 {
		s.Games.Add(1)
	}
	return &wire.Answer{Result: &r}, nil
}

// localSpec returns the specification of a player on this machine, after it verified that the player's fingerprint is
// the coordinator's, or that an external engine plays.
func (s *service) localSpec(ctx context.Context, spec engine.Spec, u *wire.Unit, side int) (engine.Spec, error) {
	if spec.External() {
		local, err := s.foreignSpec(ctx, spec, u, side)
		if err == nil {
			err = s.preflight(ctx, local, spec.Shown(), u.Job.Limits[side])
		}
		return local, err
	}
	s.verifying.Lock()
	defer s.verifying.Unlock()
	want := u.Fingerprints[side]
	key := spec.String() + want
	if known, ok := s.verified[key]; ok {
		return known, nil
	}
	local, err := s.withWeights(ctx, spec)
	if err != nil {
		return spec, err
	}
	if want != "" {
		own, err := wire.Fingerprint(ctx, s.Open, local)
		if err != nil {
			return spec, err
		}
		if own != want {
			return spec, fmt.Errorf("%w: this build plays %s differently from the coordinator's, though both are %s: build "+
				"both from the same source", errRefused, spec, s.Program)
		}
	}
	s.verified[key] = local
	return local, nil
}

// preflight has an external engine play a move, once. One that does not run here would lose each game at once, and so
// get most of the run's games.
func (s *service) preflight(ctx context.Context, local engine.Spec, name string, limits selfplay.Limits) error {
	s.verifying.Lock()
	defer s.verifying.Unlock()
	key := local.String()
	if _, ok := s.verified[key]; ok {
		return nil
	}
	err := (&selfplay.Place{Open: s.Open}).Preflight(ctx, func(int) selfplay.Limits { return limits },
		selfplay.Player{Spec: local, Name: name})
	switch {
	case err == nil:
		s.verified[key] = local
	case ctx.Err() == nil:
		err = fmt.Errorf("%w: %w; the engine must run on every worker: use a build for the oldest of their processors, or "+
			"leave this worker out", errRefused, err)
	}
	return err
}

// withWeights returns the specification with the path of the worker's own copy of the weights, which it fetches if
// there is none.
func (s *service) withWeights(ctx context.Context, spec engine.Spec) (engine.Spec, error) {
	name := roster.WeightsName(spec)
	if name == "" {
		return spec, nil
	}
	want, ok := strings.CutPrefix(name, wire.WeightsPrefix)
	if !ok || !wire.IsSHA256(want) {
		return spec, fmt.Errorf("cluster: player %q: want weights named %s and the SHA-256 of their file", spec,
			wire.WeightsPrefix)
	}
	path := filepath.Join(s.Library, name+".json")
	spec.Weights = path
	if sum, err := durable.SumFile(path); err == nil && sum == want {
		return spec, nil
	}
	data, err := wire.FetchFile(ctx, s.nc, s.Access.Name, s.run, want)
	if err != nil {
		return spec, err
	}
	if err := os.MkdirAll(s.Library, 0o777); err != nil {
		return spec, err
	}
	return spec, durable.WriteFile(path, data)
}

// foreignSpec returns the specification of an engine that the worker's owner allowed. The run chooses the engine's
// options, except those that name files.
func (s *service) foreignSpec(ctx context.Context, spec engine.Spec, u *wire.Unit, side int) (engine.Spec, error) {
	program := u.Programs[side]
	if err := roster.CheckPortable(spec, u.Job.Options[side]...); err != nil {
		return spec, fmt.Errorf("%w: %w", errRefused, err)
	}
	path, err := s.Engines.path(program, func() ([]byte, error) {
		s.Log(fmt.Sprintf("fetching engine %s, SHA-256 %.12s", program.Name, program.SHA256))
		return wire.FetchFile(ctx, s.nc, s.Access.Name, s.run, program.SHA256) // ErrNoFile: others may have it
	})
	if err != nil && !errors.Is(err, wire.ErrNoFile) && !errors.Is(err, errRefused) && ctx.Err() == nil {
		err = fmt.Errorf("%w: its owner does not allow the engine %q with SHA-256 %.64s: %w", errRefused, program.Name,
			program.SHA256, err)
	}
	return spec.WithProgram(path), err
}
