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

// room is what a coordinator has in JetStream: the queue of its units, and weights.
type unitQueue struct {
	run      string
	nc       *nats.Conn
	js       jetstream.JetStream
	lease    time.Duration
	replicas int

	lost    chan string // ids of units that could not be published
	stream  jetstream.Stream
	objects jetstream.ObjectStore
}

// maxUnpublished bounds the units on their way to the queue.
const maxUnpublished = 4096

// newRoom connects a coordinator's connection with JetStream.
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

// lose notes that a message did not arrive. The channel is large; what does not fit is
// found by looking at the queue.
func (r *unitQueue) noteLost(m *nats.Msg) {
	select {
	case r.lost <- m.Header.Get(wire.UnitHeader):
	default:
	}
}

// furnish makes what is not there yet. Servers that just came up are given a minute: while
// they choose a leader they drop requests, so the first attempts are short ones.
func (r *unitQueue) ensureStreams(ctx context.Context) error {
	within := wire.PollTimeout / 2
	for begun := time.Now(); ; within = min(2*within, wire.RequestTimeout) {
		err := r.tryEnsureStreams(ctx, within)
		if err == nil || ctx.Err() != nil {
			return err
		}
		if why := r.nc.LastError(); errors.Is(why, nats.ErrPermissionViolation) {
			return fmt.Errorf("%w: they are a worker's, not a coordinator's: %w", wire.ErrCredentials, why)
		}
		if time.Since(begun) > time.Minute {
			if errors.Is(err, nats.ErrNoResponders) {
				err = fmt.Errorf("%w: no server there has it, as nats-server.conf says by jetstream {store_dir: DIR}, or too few are up to choose a leader", err)
			}
			return fmt.Errorf("cluster: setting up JetStream: %w", err)
		}
		time.Sleep(200 * time.Millisecond)
	}
}

func (r *unitQueue) tryEnsureStreams(ctx context.Context, within time.Duration) (err error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	r.stream, err = r.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{Name: wire.UnitStream, Subjects: []string{wire.UnitSubject("*")},
		Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage, Replicas: r.replicas})
	if err != nil {
		return err
	}
	_, err = r.stream.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{Durable: r.run, FilterSubject: wire.UnitSubject(r.run),
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: r.lease, MaxAckPending: -1, MaxDeliver: -1, MaxWaiting: 1 << 16,
		Replicas: r.replicas, InactiveThreshold: 30 * 24 * time.Hour})
	if err != nil {
		return err
	}
	r.objects, err = r.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: wire.WeightsBucket, Storage: jetstream.FileStorage, Replicas: r.replicas})
	return err
}

// clear empties the queue: its units are of an earlier life, or not wanted any more.
func (r *unitQueue) clear(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, wire.RequestTimeout)
	defer cancel()
	if err := r.stream.Purge(ctx, jetstream.WithPurgeSubject(wire.UnitSubject(r.run))); err != nil {
		return fmt.Errorf("cluster: emptying the queue: %w", err)
	}
	return nil
}

// publish puts a unit into the queue, or notes that it could not be.
func (r *unitQueue) publish(u *wire.Unit) error {
	data, err := json.Marshal(u)
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	m := nats.NewMsg(wire.UnitSubject(r.run))
	m.Header.Set(wire.UnitHeader, u.ID)
	m.Data = data
	if _, err := r.js.PublishMsgAsync(m); err != nil {
		r.noteLost(m)
	}
	return nil
}

// send sends a worker a unit to check, past the queue. It may be lost.
func (r *unitQueue) sendReplay(worker string, u *wire.Unit) error {
	check := *u
	check.Replay = true
	data, err := json.Marshal(&check)
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	_ = r.nc.Publish(wire.ReplaySubject(r.run, worker), data)
	return nil
}

// load is how many units the queue holds.
type queueLoad struct{ free, leased int }

// load looks into the queue. Where it is gone, with the server's files perhaps, it is made
// anew.
func (r *unitQueue) load(ctx context.Context) (queueLoad, error) {
	ctx, cancel := context.WithTimeout(ctx, wire.PollTimeout)
	defer cancel()
	c, err := r.js.Consumer(ctx, wire.UnitStream, r.run)
	if errors.Is(err, jetstream.ErrConsumerNotFound) || errors.Is(err, jetstream.ErrStreamNotFound) {
		return queueLoad{}, r.tryEnsureStreams(ctx, wire.PollTimeout)
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

// errAlone says that a server thinks that it leads, but cannot reach the others.
var errCutOff = errors.New("cluster: the server is cut off from the others")

// silence is after how long without a word another server, which has one to say every
// second, is taken to be out of reach.
const maxSilence = 4 * time.Second

// alone tells whether a leader does not hear of enough others to lead. It notices that
// itself much later.
func cutOff(c *jetstream.ClusterInfo) bool {
	if c == nil || len(c.Replicas) == 0 {
		return false
	}
	heard := 1 // of itself
	for _, r := range c.Replicas {
		if r.Active < maxSilence {
			heard++
		}
	}
	return 2*heard <= len(c.Replicas)+1
}

// put stores an object under a name that says its content.
func (r *unitQueue) put(ctx context.Context, name string, data []byte) error {
	ctx, cancel := context.WithTimeout(ctx, 3*wire.RequestTimeout)
	defer cancel()
	if _, err := r.objects.GetInfo(ctx, name); err == nil {
		return nil
	}
	_, err := r.objects.PutBytes(ctx, name, data)
	return err
}
