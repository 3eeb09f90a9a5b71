package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// Why a worker leaves a run and waits for another.
var (
	errRunOver = errors.New("the run is over")
	errResting = errors.New("the working hours are over")
)

// service is a worker's part in one run. One goroutine, serve, takes the units; one for each core plays them; and one
// for each answer waits until it is stored.
type service struct {
	*Worker
	run   string
	lease time.Duration // of a unit

	units    chan *task    // waiting for a core; closed when no more come
	played   chan struct{} // a core is free
	ended    chan *task    // answered or given back
	fatal    chan error    // why the worker ends
	gone     chan struct{} // asks for a hello: the consumer is gone
	back     chan struct{} // the connection is back
	held     map[string]*task
	active   atomic.Int32  // held units that wait for a core or are played
	slow     atomic.Bool   // games are long
	failures atomic.Int32  // units in a row that could not be played
	giveUp   chan struct{} // closed when answers that are not stored are given up

	// The open request for units. There is one at a time.
	asked   int // units that it may still bring; 0: there is none
	expires time.Time
	request int // its number
}

// task is a unit that the worker has.
type task struct {
	id   string
	key  string // of it among those that are held
	unit *wire.Unit

	mu      sync.Mutex
	message *nats.Msg // as it was last delivered
}

// do acknowledges, extends or gives back the unit. If that is lost, another worker gets the unit a lease later.
func (t *task) do(what func(*nats.Msg) error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	_ = what(t.message)
}

func newService(w *Worker, welcome *wire.Welcome) *service {
	s := &service{Worker: w, run: welcome.Run, lease: max(welcome.Lease, 100*time.Millisecond), held: map[string]*task{}}
	s.units, s.ended, s.fatal = make(chan *task, s.most()), make(chan *task), make(chan error)
	s.played, s.gone, s.back = make(chan struct{}, 1), make(chan struct{}, 1), make(chan struct{}, 1)
	s.giveUp = make(chan struct{})
	return s
}

// most is how many units a worker has at most: for each core one that is played and two that wait, and those whose
// answers are not stored yet.
func (s *service) most() int { return 5*s.Cores + 16 }

// wake has the receiver of a channel run once more.
func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// serve plays units of the run until ctx ends or the run is over. It finishes what is under way.
func (s *service) serve(ctx context.Context) error {
	inbox := s.nc.NewInbox()
	messages := make(chan *nats.Msg, 2*s.most()+64)
	subscription, err := s.nc.ChanSubscribe(inbox+".*", messages)
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	s.nc.SetReconnectHandler(func(*nats.Conn) { wake(s.back) })
	serving, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var players, greeter sync.WaitGroup
	for range s.Cores {
		players.Go(func() { s.playUnits(serving) })
	}
	greeter.Go(func() { stop(s.greet(serving)) })
	extend := time.NewTicker(max(s.lease/3, 10*time.Millisecond))
	defer extend.Stop()
	for serving.Err() == nil {
		s.ask(inbox)
		select {
		case m := <-messages:
			s.receive(m, inbox)
		case <-s.played:
		case <-s.back:
			s.asked = 0 // the request may be lost
		case t := <-s.ended:
			delete(s.held, t.key)
			s.lastWork = time.Now()
		case <-extend.C:
			s.extend()
			switch {
			case s.Resting != nil && s.Resting():
				stop(errResting)
			case len(s.held) == 0 && s.idle():
				stop(ErrIdle)
			}
		case err := <-s.fatal:
			stop(err)
		case <-serving.Done():
		}
	}
	patience := 2 * publishTimeout // for answers that are on their way
	if errors.Is(context.Cause(serving), errRunOver) {
		patience = time.Second
	}
	// The request for units ends with the subscription: without that, what is given back would come again.
	_ = errors.Join(subscription.Drain(), s.nc.FlushTimeout(wire.ReplyTimeout)) // what is lost goes to others a lease later
	for len(messages) > 0 {
		if m := <-messages; m.Header.Get("Status") == "" {
			_ = giveBackNow(m)
		}
	}
	s.leave(&players, patience)
	greeter.Wait()
	return context.Cause(serving)
}

// longGame is how long a game takes from which on a worker asks for a unit when a core is free. Before that it has two
// more for each core, so that none waits for the network.
const longGame = 2 * time.Second

// ask asks for units if cores may soon be free: several at once, to save requests.
func (s *service) ask(inbox string) {
	most, least := 3*s.Cores, s.Cores
	if s.slow.Load() {
		most, least = s.Cores, 1
	}
	room := min(most-int(s.active.Load()), s.most()-len(s.held))
	if s.asked > 0 && time.Now().Before(s.expires) || room < least {
		return
	}
	s.request++
	s.asked, s.expires = room, time.Now().Add(s.requestTime()+wire.ReplyTimeout)
	reply := fmt.Sprintf("%s.%d", inbox, s.request)
	_ = wire.Pull(s.nc, s.run, reply, room, s.requestTime()) // one that is lost expires
}

// requestTime is how long a request for units is open at the server.
func (s *service) requestTime() time.Duration { return min(max(s.lease, time.Second), 30*time.Second) }

// receive takes a unit, or learns that the request for units is over.
func (s *service) receive(m *nats.Msg, inbox string) {
	if status := m.Header.Get("Status"); status != "" {
		if m.Subject != fmt.Sprintf("%s.%d", inbox, s.request) {
			return // of an earlier request
		}
		if s.asked = 0; status != "408" { // it did not just expire
			s.asked, s.expires = 1, time.Now().Add(min(time.Second, s.lease)) // and ask again after a pause
			wake(s.gone)
		}
		return
	}
	s.asked-- // units have the subject of their stream: all count for the last request
	u, err := wire.ReadUnit(m, s.run)
	if err != nil { // somebody had a server send it there
		_ = wire.Done(m)
		return
	}
	by := m.Header.Get(wire.PlayedBy)
	if by == s.Access.Name {
		_ = wire.GiveBack(m, s.lease/4)
		return
	}
	t := &task{id: wire.Last(m.Subject), message: m, unit: u}
	t.key = t.id + by                         // the worker may play the unit itself, and for another worker
	if known := s.held[t.key]; known != nil { // it was delivered again: it had not been extended in time
		known.mu.Lock()
		known.message = m
		known.mu.Unlock()
		return
	}
	if len(s.held) >= s.most() { // a request was not lost when the connection was
		_ = giveBackNow(m)
		return
	}
	s.held[t.key] = t
	s.active.Add(1)
	s.units <- t // has room for all that are held
}

// extend says of all units that they are being played, or wait for it.
func (s *service) extend() {
	for _, t := range s.held {
		t.do(wire.Extend)
	}
}

// leave gives back the units that wait, and finishes the others.
func (s *service) leave(players *sync.WaitGroup, wait time.Duration) {
	close(s.units)
	for t := range s.units {
		t.do(giveBackNow)
		delete(s.held, t.key)
	}
	finished := make(chan struct{})
	go func() { players.Wait(); close(finished) }()
	tick := time.NewTicker(s.lease / 3)
	defer tick.Stop()
	var patience <-chan time.Time
	for len(s.held) > 0 || finished != nil {
		select {
		case <-finished:
			finished, patience = nil, time.After(wait)
		case t := <-s.ended:
			delete(s.held, t.key)
		case <-tick.C:
			s.extend()
		case <-s.fatal: // it ends already
		case <-patience:
			close(s.giveUp)
			patience = nil
		}
	}
	_ = s.nc.FlushTimeout(time.Second) // others get what was given back a lease later
}

// giveBackNow gives a unit to whoever comes first.
func giveBackNow(unit *nats.Msg) error { return wire.GiveBack(unit, 0) }

// giveBackLater gives a unit to whoever comes first after a pause.
func (s *service) giveBackLater(unit *nats.Msg) error { return wire.GiveBack(unit, s.lease/10) }

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
			if silent++; silent%3 == 0 { // the coordinator is away, and its units still there; or this server is cut off
				_ = s.nc.ForceReconnect()
			}
		default:
			silent = 0
		}
	}
}

// playUnits plays one unit after the other.
func (s *service) playUnits(ctx context.Context) {
	slot := selfplay.NewSlot(s.Open)
	defer func() { _ = slot.Close() }() // the games are over
	for t := range s.units {
		started := time.Now()
		a, err := s.play(ctx, slot, t)
		s.slow.Store(time.Since(started) > longGame)
		s.active.Add(-1)
		wake(s.played)
		if err == nil {
			go s.answer(t, a)
			if err = s.countFailures(a.Failed); err != nil {
				s.fatal <- err
			}
			continue
		}
		t.do(s.giveBackLater)
		var f *fatalError
		if errors.As(err, &f) {
			s.fatal <- err
		} else if ctx.Err() == nil && !s.logged.Swap(true) {
			s.Log(fmt.Sprintf("a unit goes back: %v", err))
		}
		s.ended <- t
	}
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
	return &fatalError{fmt.Errorf("%w: %d units in a row could not be played; the last one: %s", errRefused, maxFailures, why)}
}

// answer publishes an answer until it is stored, and then acknowledges the unit. One that failed goes to another
// worker.
func (s *service) answer(t *task, a *wire.Answer) {
	defer func() { s.ended <- t }()
	data, err := json.Marshal(a)
	if err != nil {
		s.fatal <- &fatalError{fmt.Errorf("cluster: %w", err)}
		return
	}
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		stored, err := s.js.PublishAsync(wire.AnswerSubject(s.run, s.Access.Name), data)
		if err == nil {
			select {
			case <-stored.Ok():
				if a.Failed != "" {
					t.do(s.giveBackLater)
				} else {
					t.do(wire.Done)
				}
				return
			case <-stored.Err(): // no server, or the answer is too long for it
			case <-s.giveUp:
				return
			}
		}
		select {
		case <-time.After(pause):
		case <-s.giveUp:
			return
		}
	}
}
