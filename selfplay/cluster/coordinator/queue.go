package coordinator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

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

// ErrServers means that the NATS servers cannot serve a run; the error says what is missing.
var ErrServers = errors.New("cluster: the NATS servers cannot serve a run")

// openQueue creates the stream of a run, or finds that of an earlier process.
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
	// The servers do not reply to what is not permitted: it is an error of the connection, before the flush ends.
	_, err = nc.ChanSubscribe(wire.AnswerSubject(run, "*"), q.answers)
	if err = errors.Join(err, nc.FlushTimeout(apiTimeout)); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	if err := nc.LastError(); errors.Is(err, nats.ErrPermissionViolation) {
		return nil, fmt.Errorf("%w: they are a worker's, and a run needs the key named %s: %w", wire.ErrCredentials, user, err)
	}
	for try := 1; ; try++ { // servers that have just started find each other and choose a leader first
		err := q.create(ctx)
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

// create creates what does not exist, and says what is missing if it cannot.
func (q *queue) create(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 3*apiTimeout)
	defer cancel()
	err := q.tryCreate(ctx)
	var api *jetstream.APIError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount),
		errors.Is(err, nats.ErrNoResponders), errors.Is(err, jetstream.ErrNoStreamResponse):
		return fmt.Errorf("%w: JetStream is not enabled: add jetstream {store_dir: FOLDER} to nats-server.conf: %w",
			ErrServers, err)
	case errors.As(err, &api):
		return fmt.Errorf("%w: they need %d MB of storage, a stream and a consumer for it: %w", ErrServers,
			maxQueue>>20, err)
	}
	return fmt.Errorf("%w: %w", ErrServers, err)
}

func (q *queue) tryCreate(ctx context.Context) error {
	_, err := q.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{Name: wire.Units(q.run), Replicas: q.replicas,
		Subjects:  []string{wire.UnitSubject(q.run, "*"), wire.ReplaySubject(q.run, "*")},
		Retention: jetstream.WorkQueuePolicy, MaxBytes: maxQueue})
	if err != nil {
		return err
	}
	_, err = q.js.CreateOrUpdateConsumer(ctx, wire.Units(q.run), jetstream.ConsumerConfig{Durable: wire.Consumer,
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: q.Lease, MaxAckPending: -1, MaxWaiting: 1 << 14,
		Replicas: q.replicas})
	return err
}

// publish publishes a unit, the second time for another worker than playedBy. If that is lost, the next comparison
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
	if err := q.create(ctx); err != nil {
		return nil, err
	}
	stream, err := q.js.Stream(ctx, wire.Units(q.run))
	if err != nil {
		return nil, err
	}
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter(wire.UnitSubject(q.run, "*")))
	if err != nil {
		return nil, err
	}
	units := map[string]bool{}
	for subject := range info.State.Subjects {
		units[wire.Last(subject)] = true
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
