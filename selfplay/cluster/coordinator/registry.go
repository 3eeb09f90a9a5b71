package coordinator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Snapshot is the content of the file WorkersName: the state of a run's workers.
type Snapshot struct {
	Format  string         `json:"format"` // SnapshotFormat
	Run     string         `json:"run"`
	Updated time.Time      `json:"updated"`
	Workers []WorkerStatus `json:"workers"`
}

// SnapshotFormat names the format of a Snapshot.
const SnapshotFormat = "assay.workers/3"

// WorkerStatus is the state of one worker, with counts since the coordinator started.
type WorkerStatus struct {
	Name    string `json:"name"`
	Program string `json:"program"`
	System  string `json:"system"`
	Cores   int    `json:"cores"`
	// of one core, as the worker measured it; 0: no game had a clock
	Speed  float64 `json:"nodes_per_second,omitempty"`
	State  State   `json:"state"`
	Reason string  `json:"why,omitempty"` // why it is refused

	Units    int64     `json:"units"`    // answered: games, and checks of openings
	Replays  int64     `json:"replays"`  // its games that another worker played, too, and equally
	Failures int64     `json:"failures"` // units that it could not play
	Seen     time.Time `json:"last_seen"`
}

// State is the state of a worker.
type State string

// The states of a worker.
const (
	Working State = "working"
	Gone    State = "gone"    // it left, or is silent
	Refused State = "refused" // it cannot play for this run: another version or build, or an engine that it lacks
)

// registry knows the workers that said hello. It is safe for concurrent use.
type registry struct {
	*Config
	run    string
	hellos *nats.Subscription

	mu      sync.Mutex
	members map[string]*WorkerStatus

	noting sync.Mutex
	noted  map[string]time.Time // when something was last logged about a worker, or another subject
}

// maxMembers bounds the workers that are remembered.
const maxMembers = 1 << 14

// listen replies to workers from now on.
func (r *registry) listen(nc *nats.Conn, run string) (err error) {
	r.run = run
	r.hellos, err = nc.Subscribe(wire.HelloSubject("*"), func(m *nats.Msg) {
		worker := wire.Last(m.Subject)
		var h wire.Hello
		if wire.CheckName(worker) != nil || json.Unmarshal(m.Data, &h) != nil || h.Run != "" && h.Run != run {
			return
		}
		if data, err := json.Marshal(r.hello(worker, &h)); err == nil {
			_ = m.Respond(data) // a worker without a reply asks again
		}
	})
	return err
}

func (r *registry) hello(worker string, h *wire.Hello) *wire.Welcome {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := &wire.Welcome{Run: r.run, Lease: r.Lease}
	p := r.members[worker]
	if p == nil {
		if h.Leaving && h.Trouble == "" || len(r.members) >= maxMembers {
			return w
		}
		p = &WorkerStatus{Name: worker}
		r.members[worker] = p
	}
	p.Seen, p.Program, p.System = time.Now(), printable(h.Program), printable(h.System)
	p.Cores, p.Speed = min(max(h.Cores, 1), 4096), h.Speed
	switch {
	case h.Protocol != wire.Protocol || h.Program != r.Program:
		w.Refused = fmt.Sprintf("it is %s, and the run needs %s", p.Program, r.Program)
		r.enter(p, Refused, w.Refused)
	case h.Trouble != "":
		r.enter(p, Refused, printable(h.Trouble))
	case h.Leaving:
		r.enter(p, Gone, "")
	default:
		r.enter(p, Working, "")
	}
	return w
}

// enter sets the state of a worker, and logs a change.
func (r *registry) enter(p *WorkerStatus, state State, reason string) {
	before := p.State
	p.State, p.Reason = state, reason
	if before == state {
		return
	}
	says := map[State]string{Gone: "is gone", Refused: "does not play: " + reason,
		Working: fmt.Sprintf("is here (cores: %d)", p.Cores)}
	r.note(p.Name+string(state), "worker "+p.Name+" "+says[state])
}

// note logs something about a subject, but not again within a minute.
func (r *registry) note(subject, text string) {
	r.noting.Lock()
	defer r.noting.Unlock()
	if time.Since(r.noted[subject]) < time.Minute || len(r.noted) > 4*maxMembers {
		return
	}
	r.noted[subject] = time.Now()
	r.Log(text)
}

func (p *WorkerStatus) present(now time.Time) bool {
	return p.State == Working && now.Sub(p.Seen) < 3*wire.HelloEvery+wire.ReplyTimeout
}

// present returns how many workers are there, and their cores.
func (r *registry) present() (workers, cores int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	for _, p := range r.members {
		if p.present(now) {
			workers++
			cores += p.Cores
		}
	}
	return workers, cores
}

// of calls a function with a worker that said hello.
func (r *registry) of(worker string, f func(*WorkerStatus)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.members[worker]; p != nil {
		f(p)
	}
}

func (r *registry) save(path string) error {
	r.mu.Lock()
	now := time.Now()
	all := Snapshot{Format: SnapshotFormat, Run: r.run, Updated: now.UTC()}
	for _, name := range slices.Sorted(maps.Keys(r.members)) {
		p := r.members[name]
		if p.State == Working && !p.present(now) {
			r.enter(p, Gone, "")
		}
		all.Workers = append(all.Workers, *p)
	}
	r.mu.Unlock()
	return durable.WriteJSON(path, &all)
}

// queue is the stream of a run's units at the servers, and a subscription to the answers.
type queue struct {
	*Config
	run string
	nc  *nats.Conn

	js       jetstream.JetStream
	replicas int
	answers  chan *nats.Msg
	back     chan struct{} // the connection is back
}

// What a run needs of the servers.
const (
	minPayload = 256 << 10 // bytes: a game of 400 plies has 5 kB, the longest that the rules allow 200 kB
	maxPayload = 1 << 20   // of our own server
	// apiTimeout bounds a request to the servers.
	apiTimeout = 10 * time.Second
	// openTries is how often the stream is opened while the servers are not ready.
	openTries = 5
	// maxUnstored bounds the units that wait for the server to store them.
	maxUnstored = 4096
	// maxQueue bounds the queue, in bytes: a unit has 1 to 2 kB, and its opening.
	maxQueue = 64 << 20
	// maxUnread bounds the answers that wait for the coordinator. More are lost, and their units delivered again.
	maxUnread = 1 << 14
)

// ErrServers means that the NATS servers cannot serve a run; the error says what they lack.
var ErrServers = errors.New("cluster: the NATS servers cannot serve a run")

// openQueue creates the stream of a run, or finds an earlier process's.
func openQueue(ctx context.Context, nc *nats.Conn, run string, c *Config) (*queue, error) {
	q := &queue{Config: c, run: run, nc: nc, replicas: 1, answers: make(chan *nats.Msg, maxUnread),
		back: make(chan struct{}, 1)}
	if most := nc.MaxPayload(); most < minPayload {
		return nil, fmt.Errorf("%w: they accept messages of %d bytes, and games need %d: set max_payload to 1MB", ErrServers,
			most, minPayload)
	}
	var err error
	q.js, err = jetstream.New(nc, jetstream.WithPublishAsyncMaxPending(maxUnstored),
		jetstream.WithPublishAsyncTimeout(apiTimeout), jetstream.WithDefaultTimeout(apiTimeout))
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	if nc.ConnectedClusterName() != "" {
		q.replicas = 3
	}
	nc.SetReconnectHandler(func(*nats.Conn) {
		select {
		case q.back <- struct{}{}:
		default:
		}
	})
	// The servers do not reply to a forbidden request: it is an error of the connection, before the flush ends.
	_, err = nc.ChanSubscribe(wire.AnswerSubject(run, "*"), q.answers)
	if err = errors.Join(err, nc.FlushTimeout(apiTimeout)); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	if err := nc.LastError(); errors.Is(err, nats.ErrPermissionViolation) {
		return nil, fmt.Errorf("%w: they are a worker's, and a run needs the key named %s: %w", wire.ErrCredentials, user,
			err)
	}
	for try := 1; ; try++ { // servers that have just started find each other and choose a leader first
		_, err := q.create(ctx)
		var api *jetstream.APIError
		alone := errors.As(err, &api) && (api.ErrorCode == codeNoPeers || api.ErrorCode == codeOneServer)
		switch {
		case alone && q.replicas > 1 && (try >= openTries || api.ErrorCode == codeOneServer):
			q.Log("the NATS servers that are up are not three: the run's units are kept by one of them")
			q.replicas = 1
		case !alone && !errors.Is(err, context.DeadlineExceeded) && (api == nil || api.Code != 503) || try > openTries:
			return q, err
		default:
			time.Sleep(time.Second)
		}
	}
}

// Codes of the API's errors: no server for a copy, and no cluster.
const codeNoPeers, codeOneServer = 10005, 10074

// create returns the stream, which it creates if it is missing, or says what the servers lack.
func (q *queue) create(ctx context.Context) (jetstream.Stream, error) {
	ctx, cancel := context.WithTimeout(ctx, 3*apiTimeout)
	defer cancel()
	stream, err := q.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{Name: wire.Units(q.run), Replicas: q.replicas,
		Subjects:  []string{wire.UnitSubject(q.run, "*"), wire.ReplaySubject(q.run, "*")},
		Retention: jetstream.WorkQueuePolicy, MaxBytes: maxQueue})
	if err == nil {
		_, err = q.js.CreateOrUpdateConsumer(ctx, wire.Units(q.run), jetstream.ConsumerConfig{Durable: wire.Consumer,
			AckPolicy: jetstream.AckExplicitPolicy, AckWait: q.Lease, MaxAckPending: -1, MaxWaiting: 1 << 14,
			Replicas: q.replicas})
	}
	var api *jetstream.APIError
	switch {
	case err == nil:
		return stream, nil
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount),
		errors.Is(err, nats.ErrNoResponders), errors.Is(err, jetstream.ErrNoStreamResponse):
		return nil, fmt.Errorf("%w: JetStream is not enabled: add jetstream {store_dir: FOLDER} to nats-server.conf: %w",
			ErrServers, err)
	case errors.As(err, &api):
		return nil, fmt.Errorf("%w: they need %d MB of storage, a stream and a consumer for it: %w", ErrServers,
			maxQueue>>20, err)
	}
	return nil, fmt.Errorf("%w: %w", ErrServers, err)
}

// publish publishes a unit, the second time for another worker than playedBy. If the first is lost, the next comparison
// notices it.
func (q *queue) publish(id string, body []byte, playedBy string) {
	m := &nats.Msg{Subject: wire.UnitSubject(q.run, id), Data: body}
	if playedBy != "" {
		m.Subject, m.Header = wire.ReplaySubject(q.run, id), nats.Header{wire.PlayedBy: []string{playedBy}}
	}
	_, _ = q.js.PublishMsgAsync(m)
}

// settle says something about the unit of an answer. If that is lost, the unit is delivered again.
func (q *queue) settle(a *wire.Answer, how []byte) {
	if wire.IsAck(a.Ack, q.run) {
		_ = q.nc.Publish(a.Ack, how)
	}
}

// look returns the ids of the units in the queue, and creates again what the servers lost.
func (q *queue) look(ctx context.Context) (map[string]bool, error) {
	ctx, cancel := context.WithTimeout(ctx, apiTimeout)
	defer cancel()
	stream, err := q.create(ctx)
	if err != nil {
		return nil, err
	}
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter(wire.UnitSubject(q.run, "*")))
	if err != nil {
		return nil, err
	}
	units := map[string]bool{}
	for subject := range info.State.Subjects {
		units[wire.Last(subject)] = info.State.Msgs > 0 // a damaged stream lists what it does not have
	}
	return units, nil
}

// purge empties the queue. If that fails, workers play units in vain.
func (q *queue) purge() {
	ctx, cancel := context.WithTimeout(context.Background(), apiTimeout)
	defer cancel()
	if stream, err := q.js.Stream(ctx, wire.Units(q.run)); err == nil {
		_ = stream.Purge(ctx)
	}
}

// delete deletes the queue. What stays is of no use to anybody.
func (q *queue) delete() {
	ctx, cancel := context.WithTimeout(context.Background(), apiTimeout)
	defer cancel()
	if err := q.js.DeleteStream(ctx, wire.Units(q.run)); err != nil {
		q.Log(fmt.Sprintf("the stream of run %s stays at the servers: %v", q.run, err))
	}
}
