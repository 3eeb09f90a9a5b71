package coordinator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// streams are a run's streams at the servers: its units, its answers and its files.
type streams struct {
	run   string
	lease time.Duration
	log   func(string)
	nc    *nats.Conn

	js       jetstream.JetStream
	replicas int
	answers  chan answer
	reading  jetstream.ConsumeContext // of the answers
	back     chan struct{}            // the connection is back

	mu      sync.Mutex
	files   jetstream.ObjectStore
	offered map[string]func() (io.ReadCloser, error) // what is in files, by SHA-256
}

// answer is a message in the stream of answers.
type answer struct {
	sequence uint64
	worker   string // empty: it is not from a worker
	data     []byte
}

// What a run needs of the servers.
const (
	minPayload = 256 << 10 // bytes: a game of 400 plies has 5 kB, the longest that the rules allow 200 kB
	maxPayload = 1 << 20   // of our own server
	// maxAnswers bounds the stream of answers, in bytes. A worker can fill it; then the oldest go, and if the
	// coordinator still waits for them, their units are published again.
	maxAnswers = 1 << 30
	// apiTimeout bounds a request to the servers.
	apiTimeout = 10 * time.Second
	// openTries is how often the streams are opened while the servers are not ready.
	openTries = 5
	// maxUnstored bounds the units that wait for the server to store them.
	maxUnstored = 4096
)

// ErrServers means that the NATS servers cannot serve a run; the error says what is missing.
var ErrServers = errors.New("cluster: the NATS servers cannot serve a run")

// open creates the streams, or finds those of an earlier process.
func (s *streams) open(ctx context.Context) (err error) {
	if most := s.nc.MaxPayload(); most < minPayload {
		return fmt.Errorf("%w: they accept messages of %d bytes, and games need %d: set max_payload to 1MB", ErrServers, most,
			minPayload)
	}
	s.js, err = jetstream.New(s.nc, jetstream.WithPublishAsyncMaxPending(maxUnstored),
		jetstream.WithPublishAsyncTimeout(apiTimeout), jetstream.WithDefaultTimeout(apiTimeout))
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	s.replicas = 1
	if s.nc.ConnectedClusterName() != "" {
		s.replicas = 3
	}
	s.nc.SetReconnectHandler(func(*nats.Conn) {
		select {
		case s.back <- struct{}{}:
		default:
		}
	})
	// The servers do not reply to what is not permitted: it is an error of the connection, before the flush ends.
	_ = errors.Join(s.nc.Publish("$JS.API.STREAM.INFO."+wire.Units(s.run), nil), s.nc.FlushTimeout(apiTimeout))
	if err := s.nc.LastError(); errors.Is(err, nats.ErrPermissionViolation) {
		return fmt.Errorf("%w: they are a worker's, and a run needs the key named %s: %w", wire.ErrCredentials, user, err)
	}
	for try := 1; ; try++ { // servers that have just started find each other and choose a leader first
		err := s.create(ctx)
		var api *jetstream.APIError
		alone := errors.As(err, &api) && (api.ErrorCode == codeNoPeers || api.ErrorCode == codeOneServer)
		switch {
		case alone && s.replicas > 1 && (try >= openTries || api.ErrorCode == codeOneServer):
			s.log("the NATS servers that are up are not three: the run's units are kept by one of them")
			s.replicas = 1
		case !alone && !errors.Is(err, context.DeadlineExceeded) && (api == nil || api.Code != 503) || try > openTries:
			return err
		default:
			time.Sleep(time.Second)
		}
	}
}

// create creates what does not exist, and says what is missing if it cannot.
func (s *streams) create(ctx context.Context) error {
	err := s.tryCreate(ctx)
	var api *jetstream.APIError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount),
		errors.Is(err, nats.ErrNoResponders), errors.Is(err, jetstream.ErrNoStreamResponse):
		return fmt.Errorf("%w: JetStream is not enabled: add jetstream {store_dir: FOLDER} to nats-server.conf: %w",
			ErrServers, err)
	case errors.As(err, &api):
		return fmt.Errorf("%w: they need %d MB of storage, 3 streams and 2 consumers for it: %w", ErrServers,
			maxAnswers>>20, err)
	}
	return fmt.Errorf("%w: %w", ErrServers, err)
}

// Codes of the API's errors: no server for a copy, and no cluster.
const codeNoPeers, codeOneServer = 10005, 10074

func (s *streams) tryCreate(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 3*apiTimeout)
	defer cancel()
	for _, c := range []jetstream.StreamConfig{
		{Name: wire.Units(s.run), Subjects: []string{wire.UnitSubject(s.run, "*"), wire.ReplaySubject(s.run, "*")},
			Retention: jetstream.WorkQueuePolicy},
		{Name: wire.Answers(s.run), Subjects: []string{wire.AnswerSubject(s.run, "*")}, MaxBytes: maxAnswers},
	} {
		c.Replicas, c.Storage = s.replicas, jetstream.FileStorage
		if _, err := s.info(ctx, c.Name); err == nil {
			continue
		}
		if _, err := s.js.CreateStream(ctx, c); err != nil {
			return err
		}
	}
	_, err := s.js.CreateOrUpdateConsumer(ctx, wire.Units(s.run), jetstream.ConsumerConfig{Durable: wire.Consumer,
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: s.lease, MaxAckPending: -1, MaxWaiting: 1 << 14,
		Replicas: s.replicas})
	if err != nil {
		return err
	}
	return s.openFiles(ctx)
}

// openFiles opens the object store. A new one gets the files that the old one had.
func (s *streams) openFiles(ctx context.Context) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files, err = s.js.ObjectStore(ctx, wire.Bucket(s.run))
	if !errors.Is(err, jetstream.ErrBucketNotFound) {
		return err
	}
	s.files, err = s.js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: wire.Bucket(s.run),
		Replicas: s.replicas})
	for sum, open := range s.offered {
		if err == nil {
			err = wire.PutFile(ctx, s.files, sum, open)
		}
	}
	return err
}

// offer puts a file into the object store, from which workers fetch it.
func (s *streams) offer(ctx context.Context, sum string, open func() (io.ReadCloser, error)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.offered == nil {
		s.offered = map[string]func() (io.ReadCloser, error){}
	}
	s.offered[sum] = open
	return wire.PutFile(ctx, s.files, sum, open)
}

func (s *streams) info(ctx context.Context, name string, opts ...jetstream.StreamInfoOpt) (*jetstream.StreamInfo, error) {
	stream, err := s.js.Stream(ctx, name)
	if err != nil {
		return nil, err
	}
	return stream.Info(ctx, opts...)
}

// read reads the answers after a sequence into the channel, from now on.
func (s *streams) read(ctx context.Context, after uint64) error {
	if s.reading != nil {
		s.reading.Stop()
	}
	c, err := s.js.OrderedConsumer(ctx, wire.Answers(s.run), jetstream.OrderedConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: after + 1})
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	s.reading, err = c.Consume(func(m jetstream.Msg) {
		meta, err := m.Metadata()
		if err != nil {
			return
		}
		select {
		case s.answers <- answer{meta.Sequence.Stream, wire.Answerer(m.Subject(), s.run), m.Data()}:
		case <-ctx.Done():
		}
	})
	return err
}

// publish publishes a unit. If that is lost, the next comparison notices it.
func (s *streams) publish(subject, id string, body []byte, header nats.Header) {
	m := &nats.Msg{Subject: subject, Data: body, Header: header}
	_, _ = s.js.PublishMsgAsync(m, jetstream.WithMsgID(id))
}

// view is what was at the servers at a time.
type view struct {
	at      time.Time
	units   map[string]bool // ids of those in the queue
	last    uint64          // answer; read after the units, since a worker acknowledges what it has answered
	waitFor uint64          // the same if it is still there
	err     error
}

// look returns what is at the servers. It drops the answers up to a sequence, and creates again what the servers lost.
func (s *streams) look(ctx context.Context, drop uint64) (v view) {
	ctx, cancel := context.WithTimeout(ctx, 3*apiTimeout)
	defer cancel()
	v.at, v.units = time.Now(), map[string]bool{}
	v.err = s.tryLook(ctx, &v, drop)
	return v
}

func (s *streams) tryLook(ctx context.Context, v *view, drop uint64) error {
	if err := s.create(ctx); err != nil {
		return err
	}
	info, err := s.info(ctx, wire.Units(s.run), jetstream.WithSubjectFilter(wire.UnitSubject(s.run, "*")))
	if err != nil {
		return err
	}
	for subject := range info.State.Subjects {
		v.units[wire.Last(subject)] = true
	}
	answers, err := s.js.Stream(ctx, wire.Answers(s.run))
	if err != nil {
		return err
	}
	if drop > 0 && answers.CachedInfo().State.LastSeq >= drop {
		if err := answers.Purge(ctx, jetstream.WithPurgeSequence(drop+1)); err != nil {
			return err
		}
	}
	if info, err = answers.Info(ctx); err != nil {
		return err
	}
	if v.last = info.State.LastSeq; info.State.Msgs > 0 {
		v.waitFor = v.last
	}
	return nil
}

// at returns the answer with a sequence.
func (s *streams) at(ctx context.Context, sequence uint64) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, apiTimeout)
	defer cancel()
	stream, err := s.js.Stream(ctx, wire.Answers(s.run))
	if err != nil {
		return answer{}, err
	}
	m, err := stream.GetMsg(ctx, sequence)
	if err != nil {
		return answer{}, err
	}
	return answer{sequence, wire.Answerer(m.Subject, s.run), m.Data}, nil
}

// purgeUnits empties the queue. If that fails, workers play units for nobody.
func (s *streams) purgeUnits() {
	ctx, cancel := context.WithTimeout(context.Background(), apiTimeout)
	defer cancel()
	if stream, err := s.js.Stream(ctx, wire.Units(s.run)); err == nil {
		_ = stream.Purge(ctx)
	}
}

// delete deletes the run's streams. What stays is of no use to anybody.
func (s *streams) delete() {
	ctx, cancel := context.WithTimeout(context.Background(), apiTimeout)
	defer cancel()
	s.reading.Stop()
	err := errors.Join(s.js.DeleteStream(ctx, wire.Units(s.run)), s.js.DeleteStream(ctx, wire.Answers(s.run)),
		s.js.DeleteObjectStore(ctx, wire.Bucket(s.run)))
	if err != nil {
		s.log(fmt.Sprintf("the streams of run %s stay at the servers: %v", s.run, err))
	}
}
