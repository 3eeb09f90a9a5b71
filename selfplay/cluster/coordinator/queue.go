package coordinator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// unitQueue is the queue of a coordinator's units in JetStream.
type unitQueue struct {
	run      string
	nc       *nats.Conn
	js       jetstream.JetStream
	lease    time.Duration
	replicas int

	lost   chan string // ids of units that could not be published
	stream jetstream.Stream
}

// maxUnpublished bounds the units on their way to the queue.
const maxUnpublished = 4096

// newUnitQueue sets up JetStream on the coordinator's connection.
func newUnitQueue(ctx context.Context, nc *nats.Conn, run string, lease time.Duration) (*unitQueue, error) {
	r := &unitQueue{run: run, nc: nc, lease: lease, replicas: 1, lost: make(chan string, 2*maxUnpublished)}
	if nc.ConnectedClusterName() != "" {
		r.replicas = 3
	}
	var err error
	r.js, err = jetstream.New(nc, jetstream.WithPublishAsyncMaxPending(maxUnpublished), jetstream.WithPublishAsyncTimeout(wire.PollTimeout),
		jetstream.WithPublishAsyncErrHandler(func(_ jetstream.JetStream, m *nats.Msg, _ error) { r.noteLost(m) }))
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	return r, r.ensureStreams(ctx)
}

// noteLost notes that a message was not stored. If the channel is full, checkQueue finds the
// loss by counting.
func (q *unitQueue) noteLost(m *nats.Msg) {
	select {
	case q.lost <- m.Header.Get(wire.UnitHeader):
	default:
	}
}

// ensureStreams creates the streams that do not exist. It gives servers a minute to come up:
// they drop requests while they choose a leader, so the first attempts are short.
func (q *unitQueue) ensureStreams(ctx context.Context) error {
	within := wire.PollTimeout / 2
	for started := time.Now(); ; within = min(2*within, wire.RequestTimeout) {
		err := q.tryEnsureStreams(ctx, within)
		if err == nil || ctx.Err() != nil {
			return err
		}
		if why := q.nc.LastError(); errors.Is(why, nats.ErrPermissionViolation) {
			return fmt.Errorf("%w: they are a worker's, and a run needs the key named coordinator: %w", wire.ErrCredentials, why)
		}
		if time.Since(started) > time.Minute {
			if errors.Is(err, nats.ErrNoResponders) {
				err = fmt.Errorf("%w: no server has JetStream enabled (in nats-server.conf: jetstream {store_dir: DIR}), or too few servers are up to choose a leader", err)
			}
			return fmt.Errorf("cluster: setting up JetStream: %w", err)
		}
		time.Sleep(200 * time.Millisecond)
	}
}

func (q *unitQueue) tryEnsureStreams(ctx context.Context, within time.Duration) (err error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	q.stream, err = q.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{Name: wire.UnitStream, Subjects: []string{wire.UnitSubject("*")},
		Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage, Replicas: q.replicas})
	if err != nil {
		return err
	}
	_, err = q.stream.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{Durable: q.run, FilterSubject: wire.UnitSubject(q.run),
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: q.lease, MaxAckPending: -1, MaxDeliver: -1, MaxWaiting: 1 << 16,
		Replicas: q.replicas, InactiveThreshold: 30 * 24 * time.Hour})
	return err
}

// clear empties the queue: its units are left from an earlier process, or no longer needed.
func (q *unitQueue) clear(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, wire.RequestTimeout)
	defer cancel()
	if err := q.stream.Purge(ctx, jetstream.WithPurgeSubject(wire.UnitSubject(q.run))); err != nil {
		return fmt.Errorf("cluster: emptying the queue: %w", err)
	}
	return nil
}

// publish puts a unit into the queue. If that fails, the unit is noted as lost.
func (q *unitQueue) publish(u *wire.Unit) error {
	data, err := json.Marshal(u)
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	m := nats.NewMsg(wire.UnitSubject(q.run))
	m.Header.Set(wire.UnitHeader, u.ID)
	m.Data = data
	if _, err := q.js.PublishMsgAsync(m); err != nil {
		q.noteLost(m)
	}
	return nil
}

// sendReplay sends a unit to one worker for a replay, past the queue. The message may be lost.
func (q *unitQueue) sendReplay(worker string, u *wire.Unit) error {
	check := *u
	check.Replay = true
	data, err := json.Marshal(&check)
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	_ = q.nc.Publish(wire.ReplaySubject(q.run, worker), data)
	return nil
}

// queueLoad is how many units the queue holds.
type queueLoad struct{ free, leased int }

// load asks the queue how many units it holds. If the queue does not exist, because the
// server lost its files, load creates it.
func (q *unitQueue) load(ctx context.Context) (queueLoad, error) {
	ctx, cancel := context.WithTimeout(ctx, wire.PollTimeout)
	defer cancel()
	c, err := q.js.Consumer(ctx, wire.UnitStream, q.run)
	if errors.Is(err, jetstream.ErrConsumerNotFound) || errors.Is(err, jetstream.ErrStreamNotFound) {
		return queueLoad{}, q.tryEnsureStreams(ctx, wire.PollTimeout)
	}
	if err != nil {
		return queueLoad{}, err
	}
	info := c.CachedInfo()
	if cutOff(info.Cluster) {
		return queueLoad{}, errCutOff
	}
	return queueLoad{int(info.NumPending), info.NumAckPending}, nil
}

// errCutOff means that a server that thinks it leads cannot reach the others.
var errCutOff = errors.New("cluster: the server is cut off from the others")

// maxSilence is how long another server may be silent before it counts as out of reach.
// Servers send something every second.
const maxSilence = 4 * time.Second

// cutOff reports whether a leader hears too few of the others to lead. The server itself
// notices that much later.
func cutOff(c *jetstream.ClusterInfo) bool {
	if c == nil || len(c.Replicas) == 0 {
		return false
	}
	heard := 1 // itself
	for _, r := range c.Replicas {
		if r.Active < maxSilence {
			heard++
		}
	}
	return 2*heard <= len(c.Replicas)+1
}
