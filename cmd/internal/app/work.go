package app

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/internal/engines"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/assay-chess/assay/selfplay/cluster/worker"
	"github.com/assay-chess/assay/selfplay/roster"
)

type workFlags struct {
	cores, nice                                int
	name, credentials, library, newKey, rights string
	engines                                    []string
	runEngines                                 bool
	wait                                       time.Duration
}

const workHelp = `Play games on this machine for a run of assay selfplay, match, ladder, screen, spsa or learn that
was started elsewhere with --serve or --nats. The games are the same, to the byte. Ctrl-C finishes
and sends the games under way. The worker waits for a run, and after it for the next one.

A worker needs the version of assay that the run has. It plays an external engine only if its owner
allows the program: --engine PATH a file with its current content, --run-engines whatever the run
sends. Engines run with your rights.

Credentials, for workers and coordinators, come from ASSAY_CREDENTIALS (the file of --new-key, or a
NATS .creds file) or ASSAY_TOKEN (a secret that all share); with --serve from ASSAY_WORKER_KEYS,
ASSAY_TLS_CERT and ASSAY_TLS_KEY; ASSAY_TLS_CA is the certificate to trust. See assay guide
share-machines.`

func newWorkCommand() *cobra.Command {
	var f workFlags
	cmd := &cobra.Command{
		Use:   "work URL",
		Short: "Be a worker: play games for a run on another machine",
		Long:  workHelp,
		Example: `  assay selfplay --out games --games 100000 --serve 127.0.0.1:4222 # here,
  assay work nats://127.0.0.1:4222        # in as many terminals as you like

  assay work --new-key bob.key --name bob # once; the coordinator needs its line
  assay work tls://big.example.org:4222 --credentials bob.key`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && (f.newKey != "" || f.rights != "") {
				return ui.Usagef("--new-key and --rights do not take a URL: leave it out")
			}
			if f.newKey != "" {
				return writeKey(cmd, f.newKey, f.name)
			}
			if f.rights != "" {
				return writeRights(cmd.OutOrStdout(), f.rights)
			}
			if len(args) != 1 {
				return ui.Usagef("want the URL of a coordinator's server, for example nats://HOST:4222")
			}
			return f.work(cmd, args[0])
		},
	}
	fs := cmd.Flags()
	fs.IntVar(&f.cores, "concurrency", 0, "games at once (default: one per core)")
	fs.IntVar(&f.nice, "nice", 10, "niceness, 0 to 19: a higher one gives way to other programs")
	fs.StringVar(&f.name, "name", "", "name of this worker (default: the name of its key, or the machine and the process "+
		"id)")
	fs.StringVar(&f.credentials, "credentials", "", "file with this worker's key (default: "+credentialsEnv+")")
	fs.StringArrayVar(&f.engines, "engine", nil, "path of an external engine that may be played here; may be repeated")
	fs.BoolVar(&f.runEngines, "run-engines", false, "play all external engines that a run sends: they run with your "+
		"rights, so trust who starts runs")
	fs.StringVar(&f.library, "library", "", "folder for weights and fetched engines (default: in the user's cache)")
	fs.DurationVar(&f.wait, "wait", 0, "leave after this long without work (default: never)")
	fs.StringVar(&f.newKey, "new-key", "", "make a key for --name, write it to this file, print the line for the "+
		"coordinator's list, and exit")
	fs.StringVar(&f.rights, "rights", "", "print the part of nats-server.conf that gives the keys of this list their "+
		"rights, and exit")
	ui.ShortHelp(fs, "concurrency", "nice", "credentials", "engine", "run-engines", "new-key", "name")
	return cmd
}

// writeKey writes a new key of the name to a file, and its line for a list to standard output.
func writeKey(cmd *cobra.Command, path, name string) error {
	if name == "" {
		return ui.Usagef("--new-key needs the name of the key's owner: add --name NAME")
	}
	private, line, err := wire.NewKey(name)
	if err != nil {
		return ui.Usage(err)
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%w: keys are never overwritten; choose another file", err)
	}
	if err != nil {
		return err
	}
	_, err = file.Write(private)
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(path)) // no part of a key is left
	}
	fmt.Fprintf(cmd.ErrOrStderr(),
		"%s: %s is secret: keep it on its owner's machine. Add this line to the coordinator's list (%s):\n",
		cmd.Name(), path, keysEnv)
	_, err = fmt.Fprintln(cmd.OutOrStdout(), line)
	return err
}

// writeRights writes the part of nats-server.conf for the keys in a list.
func writeRights(to io.Writer, list string) error {
	keys, err := wire.ReadKeys(list)
	if err != nil {
		return err
	}
	text, err := coordinator.Conf(keys)
	if err != nil {
		return fmt.Errorf("%s: %w", list, err)
	}
	_, err = io.WriteString(to, text)
	return err
}

func (f *workFlags) work(cmd *cobra.Command, url string) error {
	p := ui.NewProgress(cmd.ErrOrStderr(), "work")
	w, err := f.worker(url, p.Say)
	if err != nil {
		return err
	}
	p.Say(fmt.Sprintf("worker %s: %s for %s", w.Access.Name, w.Program, durable.BuildTarget()))
	if err := ui.SetNice(f.nice); err != nil {
		return fmt.Errorf("--nice %d: %w", f.nice, err)
	}
	ctx := cmd.Context()
	logged := make(chan struct{})
	unlogged := context.AfterFunc(ctx, func() {
		defer close(logged)
		p.Say("finishing the games under way; Ctrl-C again leaves at once, and other workers play them")
	})
	reporting, stop := context.WithCancel(ctx)
	defer stop()
	go reportWork(reporting, w, p.Say)
	err = w.Run(ctx)
	if !unlogged() {
		<-logged // before the summary
	}
	if games, units := w.Games.Load(), w.Units.Load(); units == 0 && err != nil {
		p.Finish("nothing was played")
	} else {
		p.Finish(fmt.Sprintf("%d games and %d checks of openings", games, units-games))
	}
	if errors.Is(err, worker.ErrIdle) {
		return nil // --wait is over
	}
	return err
}

// worker makes a worker of the flags, which logs to log.
func (f *workFlags) worker(url string, log func(string)) (*worker.Worker, error) {
	if err := wire.CheckURL(url); err != nil {
		return nil, ui.Usage(err)
	}
	if f.cores < 0 || f.wait < 0 {
		return nil, ui.Usagef("--concurrency %d, --wait %v: want 0 or more", f.cores, f.wait)
	}
	w := &worker.Worker{Open: roster.Open, Program: ui.Version(), Cores: f.cores, Measure: engines.MeasureSpeed,
		Wait: f.wait, Library: f.library, Log: log}
	w.Access = wire.Access{URL: url, Name: f.name, Token: takeToken(), Credentials: f.credentials}
	if w.Access.Credentials == "" {
		w.Access.Credentials = os.Getenv(credentialsEnv)
	}
	var err error
	if w.Access.TLS, err = clientTLS(); err != nil {
		return nil, err
	}
	if w.Access.Name == "" {
		if w.Access.Name, err = wire.KeyName(w.Access.Credentials); err != nil {
			return nil, err
		}
	}
	if w.Access.Name == "" {
		w.Access.Name = machineName()
	}
	if err := wire.CheckName(w.Access.Name); err != nil {
		return nil, ui.Usage(err)
	}
	if w.Library == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("%w; choose a folder with --library", err)
		}
		w.Library = filepath.Join(cache, "assay", "weights")
	}
	cache := ""
	if f.runEngines {
		cache = filepath.Join(w.Library, "engines")
	}
	if w.Engines, err = worker.AllowEngines(f.engines, cache); err != nil { // a wrong flag is named first
		return nil, err
	}
	if err := durable.MakeDir(w.Library); err != nil {
		return nil, fmt.Errorf("%w; the worker keeps weights there: choose another folder with --library", err)
	}
	const oldTemp = 24 * time.Hour // no process is still writing a file of that age
	return w, durable.RemoveOldTemps(w.Library, oldTemp)
}

// machineName returns a name that no other worker on this machine has.
func machineName() string {
	host, err := os.Hostname()
	if err != nil || host == "" {
		host = "worker"
	}
	host = strings.TrimLeft(regexp.MustCompile("[^0-9A-Za-z-]").ReplaceAllString(host, "-"), "-")
	return fmt.Sprintf("%.32s-%d", "w"[:max(0, 1-len(host))]+host, os.Getpid())
}

const reportEvery = time.Minute

func reportWork(ctx context.Context, w *worker.Worker, log func(string)) {
	tick := time.NewTicker(reportEvery)
	defer tick.Stop()
	for games, nodes := int64(0), int64(0); ; games, nodes = w.Games.Load(), w.Nodes.Load() {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		log(fmt.Sprintf("%d games, %.0f nodes/s in the last minute; %d games in all", w.Games.Load()-games,
			float64(w.Nodes.Load()-nodes)/reportEvery.Seconds(), w.Games.Load()))
	}
}

// Secrets come from the environment and never from the command line, where other users of
// the machine could read them. See workHelp.
const (
	tokenEnv       = "ASSAY_TOKEN"
	credentialsEnv = "ASSAY_CREDENTIALS"
	keysEnv        = "ASSAY_WORKER_KEYS"
	tlsCertEnv     = "ASSAY_TLS_CERT"
	tlsKeyEnv      = "ASSAY_TLS_KEY"
	tlsCAEnv       = "ASSAY_TLS_CA"
)

var token string // of the environment

// takeToken returns the token, to each stage of a run, and removes it from the environment, which external engines
// inherit.
func takeToken() string {
	if text, set := os.LookupEnv(tokenEnv); set {
		token = text
		os.Unsetenv(tokenEnv)
	}
	return token
}

// scriptedRunner is the key of a context's runner, with which tests play games that they have written.
type scriptedRunner struct{}

// connectTimeout is how long a coordinator waits for running servers.
const connectTimeout = time.Minute

// remote returns the runner for the games of the run in the folder Out, which may be empty: local,
// unless the settings ask for other machines. Call done at the end.
func (s *session) remote(local selfplay.Runner, log func(string), players ...selfplay.Player) (r selfplay.Runner,
	done func(), err error) {
	if r, ok := s.ctx.Value(scriptedRunner{}).(selfplay.Runner); ok {
		return r, func() {}, nil
	}
	switch {
	case s.Serve == "" && s.NATS == "":
		return local, func() {}, nil
	case s.Serve != "" && s.NATS != "":
		return nil, nil, ui.Usagef("--serve starts a server and --nats uses a running one: give only one of them")
	case !(s.ReplayShare >= 0 && s.ReplayShare <= 1):
		return nil, nil, ui.Usagef("--replay-share %v: want a share between 0 and 1", s.ReplayShare)
	case s.Lease < time.Second:
		return nil, nil, ui.Usagef("--lease %v: want 1s or more", s.Lease)
	case !(s.ReferenceSpeed >= 0 && s.ReferenceSpeed <= 1e12):
		return nil, nil, ui.Usagef("--reference-speed %v: want nodes per second, as assay bench prints them",
			s.ReferenceSpeed)
	}
	out, clean := s.Out, func() {}
	if out == "" {
		if out, err = os.MkdirTemp("", "assay-cluster-"); err != nil {
			return nil, nil, err
		}
		clean = func() { os.RemoveAll(out) }
	}
	c := coordinator.Config{Dir: filepath.Join(out, coordinator.DirName), Open: roster.Open, Program: ui.Version(),
		ReplayShare: s.ReplayShare, Lease: s.Lease, Measure: engines.MeasureSpeed, ReferenceSpeed: s.ReferenceSpeed,
		Log: log}
	var b *coordinator.Server
	if s.NATS != "" {
		c.Connect, err = connect(s.NATS, log)
	} else {
		c.Connect, err = startServer(s.Serve, filepath.Join(c.Dir, coordinator.StoreName), &b, log)
	}
	if err != nil {
		clean()
		return nil, nil, err
	}
	k := coordinator.New(c)
	return k, func() {
		k.Close()
		if b != nil {
			b.Close()
		}
		clean()
	}, nil
}

// connect returns a function that connects to the running servers of --nats.
func connect(url string, log func(string)) (link func() (*nats.Conn, error), err error) {
	if err := wire.CheckURL(url); err != nil {
		return nil, ui.Usage(err)
	}
	access := wire.Access{URL: url, Token: takeToken(), Credentials: os.Getenv(credentialsEnv)}
	if access.TLS, err = clientTLS(); err != nil {
		return nil, err
	}
	var once sync.Once
	access.Log = func(err error) { once.Do(func() { log(fmt.Sprintf("%s: %v", url, err)) }) }
	return func() (*nats.Conn, error) {
		ctx, cancel := context.WithTimeout(context.Background(), connectTimeout)
		defer cancel()
		nc, err := access.Dial(ctx)
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("no NATS server answered at %s within %v: start it, or correct the address", url, connectTimeout)
		}
		return nc, err
	}, nil
}

// startServer returns a function that starts a server in this process and connects to it. Its streams are in the
// folder.
func startServer(address, dir string, b **coordinator.Server, log func(string)) (link func() (*nats.Conn, error),
	err error) {
	c := coordinator.ServerConfig{Addr: address, Dir: dir, Token: takeToken(), Log: log}
	if path := os.Getenv(keysEnv); path != "" {
		if c.Keys, err = wire.ReadKeys(path); err != nil {
			return nil, fmt.Errorf("%s: %w", keysEnv, err)
		}
	}
	if c.TLS, err = serverTLS(); err != nil {
		return nil, err
	}
	if err := c.Check(); err != nil {
		return nil, err
	}
	if c.Bare() {
		log(fmt.Sprintf("warning: the connections are not encrypted, so others on the network can read the workers' token: "+
			"give the server a certificate (%s, %s), or each worker a key, which never leaves its machine (%s)", tlsCertEnv,
			tlsKeyEnv, keysEnv))
	}
	return func() (*nats.Conn, error) {
		started, err := coordinator.Serve(c)
		if err != nil {
			return nil, err
		}
		*b = started
		log(fmt.Sprintf("start workers with: assay work %s", started.URL()))
		return started.Connect()
	}, nil
}

// clientTLS returns which servers to trust; nil: those that the system trusts.
func clientTLS() (*tls.Config, error) {
	path := os.Getenv(tlsCAEnv)
	if path == "" {
		return nil, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", tlsCAEnv, err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(data) {
		return nil, fmt.Errorf("%s: %s holds no PEM certificate: want the certificate that signed the server's", tlsCAEnv,
			path)
	}
	return &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, nil
}

// serverTLS returns the server's certificate; nil: connections are not encrypted.
func serverTLS() (*tls.Config, error) {
	cert, key := os.Getenv(tlsCertEnv), os.Getenv(tlsKeyEnv)
	if cert == "" && key == "" {
		return nil, nil
	}
	if cert == "" || key == "" {
		return nil, fmt.Errorf("%s and %s go together, the server's certificate and its key: set both or none", tlsCertEnv,
			tlsKeyEnv)
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("%s and %s: %w", tlsCertEnv, tlsKeyEnv, err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}
