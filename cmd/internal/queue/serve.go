package queue

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/internal/cli"
	"github.com/assay-chess/assay/cmd/internal/engines"
	"github.com/assay-chess/assay/cmd/internal/report"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/broker"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/assay-chess/assay/selfplay/queue"
)

// Hooks are what the queue needs of other commands.
type Hooks struct {
	Parse func(words []string, allow Allow) (queue.Job, error) // reads a command line
	Check func(queue.Job) error                                // reports values that its command would refuse
	Run   func(context.Context, queue.Job, Place) error        // plays a test to its end

	ServerTLS func() (*tls.Config, error) // nil: connections are not encrypted
	ClientTLS func() (*tls.Config, error)
	Token     func() string // of workers that share one
	Connect   func(url string, log func(string)) (func() (*nats.Conn, error), error)
	Advice    func(error) error
}

// Allow reports a player whose files may not be opened, or a file that may not be read; empty is none.
type Allow func(player, file string) error

// Place is where a test is played.
type Place struct {
	Dir    string // of the run
	Log    io.Writer
	Runner RunnerOf
	Play   selfplay.PlayFunc // plays single games on this machine, in another process
}

// RunnerOf makes the runner of a run in the folder out. Done is called at its end.
type RunnerOf func(out string, replayShare float64, log func(string)) (r selfplay.Runner, done func(), err error)

// serveFlags are the flags of assay queue serve.
type serveFlags struct {
	store, listen, nats, http, trust string
	active                           int
	lease                            time.Duration
	speed                            float64
}

func newServe(h *Hooks) *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve --store DIR",
		Short: "Hold tests, and have workers play them",
		Long: `Hold the tests of a queue in a folder, and hand their games to workers (assay work URL).
A server that was killed goes on where it was.

Each active test is a run folder in DIR/tests, as its own command writes it, to the byte;
what the command prints is in DIR/logs.

Tests share the workers by the seconds that their games take: each step of priority doubles a
test's share, and every test gets some. Of more tests than --active, those with
the highest priority are next.

The server shows a page and takes tests over HTTP at --http. Without keys (assay queue key)
everyone on this machine may do everything, and the server listens to this machine only.
With keys, and a certificate (ASSAY_TLS_CERT, ASSAY_TLS_KEY), it listens to others too.

The server starts the engines of a test itself, to see that they work, and plays what
workers cannot settle. It takes engines only if a key on the list --trust signed them, and runs
them with its rights. The owners of workers decide for their own machines (assay work --trust).`,
		Example: `  assay queue serve --store queue
  assay queue serve --store queue --listen 0.0.0.0:4222 --http 0.0.0.0:8348 --trust signers`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return h.Advice(f.serve(cmd, h)) },
	}
	fs := cmd.Flags()
	fs.StringVar(&f.store, "store", "", "folder of the queue (required)")
	fs.StringVar(&f.listen, "listen", "127.0.0.1:4222", "address for workers; port 0 is any free port")
	fs.StringVar(&f.nats, "nats", "", "use running NATS servers for the workers, nats://HOST:PORT,...")
	fs.StringVar(&f.http, "http", defaultHTTP, "address of the page and of HTTP; port 0 is any free port")
	fs.StringVar(&f.trust, "trust", "", "list of those whose engines the server runs: lines NAME PUBLICKEY, as assay "+
		"sign --new-key prints them")
	fs.IntVar(&f.active, "active", 16, "tests at once")
	fs.DurationVar(&f.lease, "lease", coordinator.DefaultLease,
		"how long a worker may be silent before its games go to others, 1s or more")
	fs.Float64Var(&f.speed, "reference-speed", 0,
		"for games by the clock: nodes/s of a core (assay bench) for which the clocks are meant (default: this machine's)")
	cli.Often(fs, "store", "listen", "http", "trust", "active", "nats")
	return cmd
}

// check reports flags that make no sense.
func (f *serveFlags) check(cmd *cobra.Command) error {
	switch {
	case f.store == "":
		return cli.Usagef("no folder for the queue: give --store DIR")
	case f.nats != "" && cmd.Flags().Changed("listen"):
		return cli.Usagef("--listen starts a server for workers and --nats uses a running one: give only one of them")
	case f.active < 1 || f.lease < time.Second:
		return cli.Usagef("--active %d, --lease %v: want 1 or more, and 1s or more", f.active, f.lease)
	}
	return nil
}

func (f *serveFlags) serve(cmd *cobra.Command, h *Hooks) (err error) {
	if err := f.check(cmd); err != nil {
		return err
	}
	cli.Quiet(cmd.ErrOrStderr())
	say := func(text string) { fmt.Fprintf(cmd.ErrOrStderr(), "queue: %s\n", text) }
	s := &server{hooks: h, most: f.active, log: say, started: time.Now(), room: newRoom(),
		active: map[string]*activeTest{}}
	if err := f.trustEngines(s); err != nil {
		return err
	}
	if s.store, err = queue.Open(f.store); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.store.Close()) }()
	paused, err := s.store.Serve()
	if err != nil {
		return err
	}
	for _, name := range paused {
		say(fmt.Sprintf("test %s is paused: it was active in three crashes of the server", name))
	}
	s.pages = &report.Server{Dir: s.store.RunsDir()}
	listener, secure, err := f.listenHTTP(h)
	if err != nil {
		return err
	}
	defer listener.Close()
	b, err := f.openHub(s, h)
	if err != nil {
		return err
	}
	if b != nil {
		defer b.Close()
	}
	defer s.hub.Close()
	scheme := "http"
	if secure {
		scheme = "https"
	}
	say(fmt.Sprintf("%d tests; page and tests at %s://%s/ (press Ctrl-C to stop)", len(s.store.Tests()), scheme,
		listener.Addr()))
	ctx, stop := context.WithCancelCause(cmd.Context())
	defer stop(nil)
	a := &api{server: s, nonces: nonces{started: s.started, used: map[string]time.Time{}},
		reading: sessions{secrets: map[string]session{}}, tls: secure}
	web := cli.HTTPServer(ctx, a.handler())
	context.AfterFunc(ctx, func() { web.Close() })
	go func() {
		if err := web.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			stop(err)
		}
	}()
	go s.watchKeys(ctx, b)
	err = s.run(ctx)
	if cause := context.Cause(ctx); err == nil && !errors.Is(cause, context.Canceled) {
		err = cause
	}
	return err
}

// trustEngines reads whose engines the server runs.
func (f *serveFlags) trustEngines(s *server) (err error) {
	if f.trust != "" {
		s.trusted, err = wire.ReadTrusted(f.trust)
	}
	return err
}

// listenHTTP listens for browsers and scripts. Others than this machine need keys and a
// certificate.
func (f *serveFlags) listenHTTP(h *Hooks) (net.Listener, bool, error) {
	keys, err := queue.Keys(f.store)
	if err != nil {
		return nil, false, err
	}
	config, err := h.ServerTLS()
	if err != nil {
		return nil, false, err
	}
	host, _, err := net.SplitHostPort(f.http)
	if err != nil {
		return nil, false, cli.Usagef("--http %s: want HOST:PORT, such as %s", f.http, defaultHTTP)
	}
	if !loopbackHost(host) {
		if !queue.Guarded(keys) {
			return nil, false, cli.Usagef("--http %s: without keys everyone who reaches it could add tests; make keys with "+
				"assay queue key", f.http)
		}
		if config == nil {
			return nil, false, cli.Usagef("--http %s: without a certificate others on the network could read the keys; set "+
				"ASSAY_TLS_CERT and ASSAY_TLS_KEY, or listen on 127.0.0.1 behind a proxy that encrypts", f.http)
		}
	}
	l, err := net.Listen("tcp", f.http)
	if err != nil {
		return nil, false, fmt.Errorf("%w; choose another address with --http", err)
	}
	l = cli.LimitConnections(l)
	if config != nil {
		l = tls.NewListener(l, config)
	}
	return l, config != nil, nil
}

func loopbackHost(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// openHub connects the workers. The broker is nil with --nats.
func (f *serveFlags) openHub(s *server, h *Hooks) (b *broker.Broker, err error) {
	c := coordinator.Config{Dir: filepath.Join(f.store, coordinator.DirName), Program: cli.Version(), Lease: f.lease,
		Measure: engines.MeasureSpeed, ReferenceSpeed: f.speed, Log: s.log}
	c.Ban = func(worker string) {
		why := "its answers were wrong"
		if s.hub != nil && s.hub.Banned()[worker] != "" {
			why = s.hub.Banned()[worker]
		}
		if err := s.store.Note(queue.Server, "ban", worker, why); err != nil {
			s.log(err.Error())
		}
	}
	if f.nats != "" {
		if c.Connect, err = h.Connect(f.nats, s.log); err != nil {
			return nil, err
		}
	} else {
		keys, err := workerKeys(f.store)
		if err != nil {
			return nil, err
		}
		config := broker.Config{Addr: f.listen, Token: h.Token(), Keys: keys, Log: s.log}
		if config.TLS, err = h.ServerTLS(); err != nil {
			return nil, err
		}
		if b, err = broker.Start(config); err != nil {
			return nil, err
		}
		s.log("start workers with: assay work " + b.URL())
		c.Connect = b.Connect
	}
	if s.hub, err = coordinator.OpenHub(c, s.store.Bans()); err != nil && b != nil {
		b.Close()
	}
	return b, err
}

// workerKeys returns the keys of those who may connect workers.
func workerKeys(dir string) (list []wire.Key, err error) {
	keys, err := queue.Keys(dir)
	for _, k := range keys {
		if k.May(queue.Work) && k.Public != "" {
			list = append(list, wire.Key{Name: k.Name, Public: k.Public})
		}
	}
	return list, err
}

// watchKeys notices when the list of keys changes.
func (s *server) watchKeys(ctx context.Context, b *broker.Broker) {
	before, _ := queue.Keys(s.store.Dir)
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(sampleEvery):
		}
		now, err := queue.Keys(s.store.Dir)
		if err != nil || reflect.DeepEqual(now, before) {
			continue
		}
		before = now
		if err := s.store.Note(queue.Server, "keys", "", fmt.Sprintf("there are %d keys now", len(now))); err != nil {
			s.log(err.Error())
		}
		if b == nil {
			continue // the owner of the NATS servers gives the rights: assay work --rights
		}
		if keys, err := workerKeys(s.store.Dir); err == nil {
			banned := s.hub.Banned()
			keys = slices.DeleteFunc(keys, func(k wire.Key) bool { return banned[k.Name] != "" })
			if err := b.SetKeys(keys); err != nil {
				s.log(err.Error())
			}
		}
	}
}
