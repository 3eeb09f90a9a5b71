package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/assay/internal/cli"
	"github.com/assay-chess/assay/cmd/assay/internal/engines"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/broker"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// clusterFlags are the flags of commands that can play their games on other machines.
type clusterFlags struct {
	serve       string
	nats        string
	replayShare float64
	lease       time.Duration
	speed       float64
	send        bool
	sign        string
}

func (f *clusterFlags) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.serve, "serve", "", "play on other machines: start a server for workers (see assay work) at HOST:PORT")
	fs.StringVar(&f.nats, "nats", "", "play on other machines: use running NATS servers, nats://HOST:PORT,nats://... (assay work --help says how to set them up)")
	fs.Float64Var(&f.replayShare, "replay-share", coordinator.DefaultReplayShare, "with --serve or --nats: share of the games that a second worker replays, to check that they are the same; 0: none")
	fs.DurationVar(&f.lease, "lease", coordinator.DefaultLease, "with --serve or --nats: how long a worker may be silent before its games go to others, 1s or more")
	fs.Float64Var(&f.speed, "reference-speed", 0, "with --serve or --nats, for games by the clock: nodes/s of a core (assay bench) for which the clocks are meant; slower workers get more time (default: this machine's)")
	fs.BoolVar(&f.send, "send-engines", false, "with --serve or --nats: send foreign engines to workers that trust their signer (see assay sign); ENGINE"+wire.SignatureSuffix+" is beside the engine, or the key is in "+signingKeyEnv)
	fs.StringVar(&f.sign, "sign", "", "with --serve or --nats: file with the secret key with which to sign the engines that are sent; implies --send-engines")
	cli.AliasFlag(cmd, "check", "replay-share")
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

// takeToken returns the token and removes it from the environment, which foreign engines
// inherit.
func takeToken() string {
	token := os.Getenv(tokenEnv)
	os.Unsetenv(tokenEnv)
	return token
}

// connectTimeout is how long a coordinator waits for running servers.
const connectTimeout = time.Minute

// runner returns the runner for the games of the run in the folder out, which may be empty:
// local, unless the flags or a queue ask for other machines. If it sends engines, those among
// the players must have signatures now. Call done at the end.
func (f *clusterFlags) runner(ctx context.Context, local selfplay.Runner, out string, log func(string), players ...selfplay.Entrant) (r selfplay.Runner, done func(), err error) {
	if of := cli.RunnerFrom(ctx); of != nil {
		return of(out, f.replayShare, log)
	}
	switch {
	case f.serve == "" && f.nats == "":
		return local, func() {}, nil
	case f.serve != "" && f.nats != "":
		return nil, nil, cli.Usagef("--serve starts a server and --nats uses a running one: give only one of them")
	case !(f.replayShare >= 0 && f.replayShare <= 1):
		return nil, nil, cli.Usagef("--replay-share %v: want a share between 0 and 1", f.replayShare)
	case f.lease < time.Second:
		return nil, nil, cli.Usagef("--lease %v: want 1s or more", f.lease)
	}
	if !(f.speed >= 0 && f.speed <= 1e12) {
		return nil, nil, cli.Usagef("--reference-speed %v: want nodes per second, as assay bench prints them", f.speed)
	}
	if err := f.checkSignatures(players); err != nil {
		return nil, nil, err
	}
	clean := func() {}
	if out == "" {
		if out, err = os.MkdirTemp("", "assay-cluster-"); err != nil {
			return nil, nil, err
		}
		clean = func() { os.RemoveAll(out) }
	}
	c := coordinator.Config{Dir: filepath.Join(out, coordinator.DirName), Open: roster.Open, Program: cli.Version(), ReplayShare: f.replayShare, Lease: f.lease,
		Measure: engines.MeasureSpeed, ReferenceSpeed: f.speed, Signature: f.signature(), Log: log}
	var b *broker.Broker
	if f.nats != "" {
		c.Connect, err = f.connect(log)
	} else {
		c.Connect, c.Ban, err = f.startServer(&b, log)
	}
	if err != nil {
		clean()
		return nil, nil, err
	}
	k := coordinator.New(c)
	return k, func() {
		if err := k.Close(); err != nil {
			log(err.Error())
		}
		if b != nil {
			b.Close()
		}
		clean()
	}, nil
}

// signature returns how engines get the signatures with which they are sent; nil: they are not.
func (f *clusterFlags) signature() func(path string) (*wire.Signature, error) {
	key := cmp.Or(f.sign, os.Getenv(signingKeyEnv))
	switch {
	case !f.send && f.sign == "":
		return nil
	case key != "":
		return func(path string) (*wire.Signature, error) { return wire.SignatureWith(path, key) }
	}
	return func(path string) (*wire.Signature, error) {
		s, err := wire.ReadSignature(path)
		if err != nil {
			err = fmt.Errorf("%w; sign it with assay sign, or let this command sign it: --sign KEY", err)
		}
		return s, err
	}
}

// checkSignatures reports engines that cannot be sent. It would be late to notice that when a
// worker has come.
func (f *clusterFlags) checkSignatures(players []selfplay.Entrant) error {
	sign := f.signature()
	for _, p := range players {
		if sign == nil || !roster.Foreign(p.Spec) {
			continue
		}
		path, _, err := roster.Command(p.Spec)
		if err == nil {
			_, err = sign(path)
		}
		if err != nil {
			return fmt.Errorf("player %q cannot be sent to workers: %w", p.Spec, err)
		}
	}
	return nil
}

// connect returns a function that connects to the running servers of --nats.
func (f *clusterFlags) connect(log func(string)) (link func() (*nats.Conn, error), err error) {
	if err := wire.CheckURL(f.nats); err != nil {
		return nil, cli.Usage(err)
	}
	access := wire.Access{URL: f.nats, Token: takeToken(), Credentials: os.Getenv(credentialsEnv)}
	if access.TLS, err = clientTLS(); err != nil {
		return nil, err
	}
	var once sync.Once
	access.Log = func(err error) { once.Do(func() { log(fmt.Sprintf("%s: %v", f.nats, err)) }) }
	return func() (*nats.Conn, error) {
		ctx, cancel := context.WithTimeout(context.Background(), connectTimeout)
		defer cancel()
		nc, err := access.Dial(ctx)
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("no NATS server answered at %s within %v: start it, or correct the address", f.nats, connectTimeout)
		}
		return nc, clusterAdvice(err)
	}, nil
}

// startServer returns a function that starts a server in this process and connects to it,
// and one that bans a worker from the server.
func (f *clusterFlags) startServer(b **broker.Broker, log func(string)) (link func() (*nats.Conn, error), ban func(string), err error) {
	c := broker.Config{Addr: f.serve, Token: takeToken(), Log: log}
	byName := map[string]wire.Key{}
	if path := os.Getenv(keysEnv); path != "" {
		if c.Keys, err = wire.ReadKeys(path); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", keysEnv, err)
		}
		for _, k := range c.Keys {
			byName[k.Name] = k
		}
	}
	if c.TLS, err = serverTLS(); err != nil {
		return nil, nil, err
	}
	if err := c.Check(); err != nil {
		return nil, nil, clusterAdvice(err)
	}
	if c.Bare() {
		log(fmt.Sprintf("warning: the connections are not encrypted, so others on the network can read the workers' token: give the server a certificate (%s, %s), or each worker a key, which never leaves its machine (%s)", tlsCertEnv, tlsKeyEnv, keysEnv))
	}
	link = func() (*nats.Conn, error) {
		started, err := broker.Start(c)
		if err != nil {
			return nil, clusterAdvice(err)
		}
		*b = started
		log(fmt.Sprintf("start workers with: assay work %s", started.URL()))
		return started.Connect()
	}
	ban = func(worker string) {
		if k, ok := byName[worker]; ok && *b != nil {
			if err := (*b).Ban(k); err != nil {
				log(err.Error())
			}
		}
	}
	return link, ban, nil
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
		return nil, fmt.Errorf("%s: %s holds no PEM certificate: want the certificate that signed the server's", tlsCAEnv, path)
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
		return nil, fmt.Errorf("%s and %s go together, the server's certificate and its key: set both or none", tlsCertEnv, tlsKeyEnv)
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("%s and %s: %w", tlsCertEnv, tlsKeyEnv, err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

// clusterAdvice adds the remedy to errors that end a coordinator or a worker.
func clusterAdvice(err error) error {
	switch {
	case errors.Is(err, broker.ErrOpen):
		return fmt.Errorf("%w; make a key for each worker (assay work --new-key) and set %s to their list, or set %s here and at the workers", err, keysEnv, tokenEnv)
	case errors.Is(err, wire.ErrCredentials):
		return fmt.Errorf("%w; a worker needs the key whose public half is in the coordinator's list (--credentials or %s), or the coordinator's %s", err, credentialsEnv, tokenEnv)
	case errors.Is(err, broker.ErrNoCoordinator):
		return fmt.Errorf("%w; make it with assay work --new-key coordinator.key --name coordinator, and add its line to the list", err)
	case errors.Is(err, broker.ErrNoServer):
		return fmt.Errorf("%w; choose another address with --serve: port 0 chooses a free one", err)
	case errors.Is(err, nats.ErrSecureConnWanted):
		return fmt.Errorf("%w; the server was started without %s and %s. In a network that you trust, connect to nats:// and unset %s", err, tlsCertEnv, tlsKeyEnv, tlsCAEnv)
	case errors.Is(err, wire.ErrEncryption):
		return fmt.Errorf("%w; set %s to a PEM file with the certificate that signed the server's, and use an address with a name that is in the server's certificate", err, tlsCAEnv)
	case errors.Is(err, durable.ErrLocked):
		return fmt.Errorf("%w; wait until it ends, or stop it", err)
	}
	return err
}

// signingKeyEnv names the file with the secret signing key.
const signingKeyEnv = "ASSAY_SIGNING_KEY"

const signHelp = `Sign engines, so that workers whose owners trust your key play them, and the owners need
not approve each build. The signature is written beside the engine, as ENGINE` + wire.SignatureSuffix + `. It is an
Ed25519 signature of the file's name and SHA-256.

  assay sign --new-key dev.key --name dev                  # once; prints a line with the public key
  assay work URL --trust LIST                              # the owner, who has put the line into LIST
  assay match ./new ./base --serve :4222 --sign dev.key    # sends the engines, signed, to the workers

A run with --sign signs as it sends. To keep the key on another machine, sign there, and send
with --send-engines, or copy both files into a folder of the owner's, also while the worker runs:

  assay sign build/engine-0124 --key dev.key               # for each build
  assay work URL --engines DIR --trust LIST                # the owner

To stop trusting a key, the owner deletes its line from LIST and restarts the worker.`

func newSignCommand() *cobra.Command {
	var key, newKey, name string
	cmd := &cobra.Command{
		Use:   "sign ENGINE...",
		Short: "Sign engines, so that workers whose owners trust you play them",
		Long:  signHelp,
		RunE: func(cmd *cobra.Command, args []string) error {
			if newKey != "" {
				if len(args) > 0 {
					return cli.Usagef("--new-key makes a key and does not take an ENGINE: sign with --key afterwards")
				}
				return writeKey(cmd, newKey, name, wire.NewSigningKey, "the machine where you sign. Those who trust it add this line to their list (assay work --trust)")
			}
			if key == "" {
				key = os.Getenv(signingKeyEnv)
			}
			if key == "" {
				return cli.Usagef("want a key to sign with: pass its file with --key or %s, or make one with --new-key", signingKeyEnv)
			}
			if len(args) == 0 {
				return cli.Usagef("want an engine to sign: assay sign ENGINE...")
			}
			for _, engine := range args {
				path, err := wire.Sign(engine, key)
				if err != nil {
					return err
				}
				fmt.Fprintln(cmd.OutOrStdout(), path)
			}
			return nil
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&key, "key", "", "file with the secret key (default: "+signingKeyEnv+")")
	fs.StringVar(&newKey, "new-key", "", "make a key for --name, write it to this file, print the line for the lists of those who trust it, and exit")
	fs.StringVar(&name, "name", "", "with --new-key: name of the signer")
	return cmd
}
