package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/assay-chess/assay/selfplay"
)

// lane leases one unit after the other, has it played and answers it.
type lane struct {
	*Worker
	run   string
	inbox string
	sub   *nats.Subscription
}

func newLane(w *Worker, welcome *Welcome) *lane { return &lane{Worker: w, run: welcome.Run} }

const (
	// pullFor is how long the queue may keep a request for a unit.
	pullFor = 10 * time.Second
	// pulse is how often it says meanwhile that it has the request. One that dies, or is
	// cut off, forgets it: after two pulses without a word the lane asks again.
	pulse = 2 * time.Second
	// pause is how long a lane waits when something is amiss.
	pause = 500 * time.Millisecond
	// answerWithin is how long a coordinator may take to write an answer down.
	answerWithin = 5 * time.Second
)

// serve works until ctx ends, which is no error. A unit that is being played then is
// played to its end; one that is not goes back to the queue.
func (l *lane) serve(ctx context.Context) error {
	defer func() {
		if l.sub != nil {
			_ = l.sub.Unsubscribe() // the connection closes, or it does not matter
		}
	}()
	for ctx.Err() == nil {
		if l.nc.IsClosed() {
			return ErrCredentials // the server closed it for good
		}
		m := l.next(ctx)
		if m == nil {
			continue
		}
		if err := l.work(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

// next leases a unit; nil if there was none for a while.
func (l *lane) next(ctx context.Context) *nats.Msg {
	if l.sub == nil {
		l.inbox = l.nc.NewInbox()
		var err error
		if l.sub, err = l.nc.SubscribeSync(l.inbox); err != nil {
			l.sub = nil
			return nil
		}
	}
	request := fmt.Sprintf(`{"batch":1,"expires":%d,"idle_heartbeat":%d}`, pullFor.Nanoseconds(), pulse.Nanoseconds())
	if err := l.nc.PublishRequest(nextSubject(l.run), l.inbox, []byte(request)); err != nil {
		sleep(ctx, pause)
		return nil
	}
	for {
		m, err := l.hear(ctx)
		if errors.Is(err, context.DeadlineExceeded) {
			return nil
		}
		if err != nil { // nobody is there who has the queue
			sleep(ctx, pause)
			return nil
		}
		switch status := m.Header.Get("Status"); status {
		case "":
			return m
		case "100": // a pulse
		case "404", "408": // there is nothing
			return nil
		default:
			sleep(ctx, pause)
			return nil
		}
	}
}

// hear waits for a unit or a word about the request for one.
func (l *lane) hear(ctx context.Context) (*nats.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*pulse+time.Second)
	defer cancel()
	return l.sub.NextMsgWithContext(ctx)
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// work does what a unit asks for.
func (l *lane) work(ctx context.Context, m *nats.Msg) error {
	l.leases.add(m)
	defer l.leases.remove(m)
	l.worked.Store(time.Now().UnixNano())
	defer func() { l.worked.Store(time.Now().UnixNano()) }()
	var u Unit
	if err := json.Unmarshal(m.Data, &u); err != nil {
		return respond(m, "+TERM") // whatever it is, it is not for us
	}
	if u.Not == l.Access.Name {
		// A check of what this worker did is for others. Were the delay always the same, two
		// checks could go round between two workers, each to the wrong one, for ever.
		return back(m, pause/4+rand.N(pause))
	}
	var s *seat
	select {
	case s = <-l.seats:
	case <-ctx.Done():
		return back(m, 0)
	}
	// What is begun is played to its end, even if no more is wanted from here.
	a, err := l.play(context.WithoutCancel(ctx), s, &u)
	l.seats <- s
	if err != nil {
		_ = back(m, 0) // the reason to end is the error
		return err
	}
	return l.answer(ctx, m, a)
}

// play plays a unit. An error ends the worker; what is wrong with the unit alone is an
// answer.
func (l *lane) play(ctx context.Context, s *seat, u *Unit) (*Answer, error) {
	a := &Answer{Unit: u.ID, Check: u.Not != ""}
	job := u.Job
	for side, spec := range u.Job.Players {
		if spec == "" {
			continue
		}
		local, err := l.player(ctx, spec, u.Proofs[side], u.Programs[side])
		var t *troubled
		if errors.As(err, &t) {
			return nil, err
		}
		if err != nil {
			a.Failed = err.Error()
			return a, nil
		}
		job.Players[side] = local
	}
	r, err := s.play(ctx, job)
	if err != nil {
		a.Failed = err.Error()
		return a, nil
	}
	r.Players = u.Job.Players
	if a.Sum, err = Checksum(&r); err == nil {
		a.Result, err = json.Marshal(&r)
	}
	if err != nil {
		return nil, err
	}
	l.tally(&r)
	return a, nil
}

func (l *lane) tally(r *selfplay.Result) {
	l.units.Add(1)
	l.nodes.Add(int64(r.Nodes[0] + r.Nodes[1]))
	if r.Try == 0 {
		l.games.Add(1)
	}
}

// player returns the specification of a player on this machine, after it has proved that
// it plays here as it does at the coordinator's.
func (l *lane) player(ctx context.Context, spec, proof string, program Program) (string, error) {
	if program != (Program{}) {
		local, err := l.Foreign.local(spec, program)
		if err != nil {
			return "", &troubled{fmt.Errorf("%w: %w", ErrRefused, err)} // others may have it
		}
		return local, nil
	}
	if proof == "" {
		return spec, nil
	}
	l.proving.Lock()
	defer l.proving.Unlock()
	if known, ok := l.proofs.Load(spec + proof); ok {
		return known.(string), nil
	}
	local, err := l.library.local(ctx, spec)
	if err != nil {
		return "", err
	}
	own, err := Audition(ctx, l.Open, local)
	if err != nil {
		return "", err
	}
	if own != proof {
		return "", &troubled{fmt.Errorf("%w: this build plays %s otherwise than the coordinator's, though both call themselves %s: build both from the same source", ErrRefused, spec, l.Program)}
	}
	l.proofs.Store(spec+proof, local)
	return local, nil
}

// answer sends an answer until the coordinator has it on disk, then acknowledges the
// unit. The lease is kept meanwhile, however long the coordinator is away; a worker that
// is told to leave waits for it no longer than a moment.
func (l *lane) answer(ctx context.Context, m *nats.Msg, a *Answer) error {
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	for {
		r, err := l.send(data)
		switch {
		case err == nil && r.Refused != "":
			_ = back(m, 0)
			return fmt.Errorf("%w: %s", ErrRefused, r.Refused)
		case err == nil && r.Kept && a.Failed != "":
			sleep(ctx, pause)
			return back(m, pause)
		case err == nil && r.Kept:
			return respond(m, "+ACK")
		}
		if ctx.Err() != nil {
			return back(m, 0)
		}
		sleep(ctx, pause)
	}
}

func (l *lane) send(data []byte) (*Reply, error) {
	m, err := l.nc.Request(answerSubject(l.run, l.Access.Name), data, answerWithin)
	if err != nil {
		return nil, err
	}
	var r Reply
	return &r, json.Unmarshal(m.Data, &r)
}

// respond tells the queue about a unit. What does not arrive does no harm: the unit is
// leased again, and its second answer compared with the first.
func respond(m *nats.Msg, what string) error {
	_ = m.Respond([]byte(what))
	return nil
}

// back gives a unit back, for others to lease after the delay.
func back(m *nats.Msg, delay time.Duration) error {
	return respond(m, fmt.Sprintf(`-NAK {"delay":%d}`, delay.Nanoseconds()))
}

// leases are the units that a worker holds.
type leases struct {
	mu   sync.Mutex
	held map[*nats.Msg]struct{}
}

func (s *leases) add(m *nats.Msg) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held == nil {
		s.held = map[*nats.Msg]struct{}{}
	}
	s.held[m] = struct{}{}
}

func (s *leases) remove(m *nats.Msg) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.held, m)
}

// keep tells the queue, again and again until ctx ends, that the units are in good hands.
func (s *leases) keep(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		s.mu.Lock()
		for m := range s.held {
			_ = m.Respond([]byte("+WPI")) // the next one may arrive
		}
		s.mu.Unlock()
	}
}
