package main

import (
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
	"github.com/spf13/pflag"

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/broker"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// clusterFlags let a command that plays games play them on other machines.
type clusterFlags struct {
	serve string
	nats  string
	check float64
	lease time.Duration
	speed float64
}

func (f *clusterFlags) register(fs *pflag.FlagSet) {
	fs.StringVar(&f.serve, "serve", "", "play on other machines: serve workers (see assay work) at HOST:PORT")
	fs.StringVar(&f.nats, "nats", "", "play on other machines: meet workers at NATS servers that are there, nats://HOST:PORT,nats://... (assay work --help says what they have to know)")
	fs.Float64Var(&f.check, "check", coordinator.DefaultReplayShare, "with --serve or --nats: share of the games that a second worker plays again, to see that they are the same; 0: all workers are believed")
	fs.DurationVar(&f.lease, "lease", coordinator.DefaultLease, "with --serve or --nats: after how long without a word a worker's games go to others, 1s or more")
	fs.Float64Var(&f.speed, "reference-speed", 0, "with --serve or --nats, for games with clocks: nodes/s of a core (assay bench) for which the clocks are meant; slower workers get more time (default: this machine's)")
}

// What is secret, and what goes with it, comes from the environment, and never from a
// command line, where others could read it. See workHelp.
const (
	tokenEnv       = "ASSAY_TOKEN"
	credentialsEnv = "ASSAY_CREDENTIALS"
	keysEnv        = "ASSAY_WORKER_KEYS"
	tlsCertEnv     = "ASSAY_TLS_CERT"
	tlsKeyEnv      = "ASSAY_TLS_KEY"
	tlsCAEnv       = "ASSAY_TLS_CA"
)

// takeToken returns the token, and takes it out of the environment: foreign engines, which
// inherit that, have no use for it.
func takeToken() string {
	token := os.Getenv(tokenEnv)
	os.Unsetenv(tokenEnv)
	return token
}

// linkPatience is how long a coordinator waits for servers that should be there.
const linkPatience = time.Minute

// runner returns what plays the games of the run in the folder out, which may be empty:
// the runner given, unless the flags ask for other machines. Call done at the end.
func (f *clusterFlags) runner(local selfplay.Runner, out string, tell func(string)) (r selfplay.Runner, done func(), err error) {
	switch {
	case f.serve == "" && f.nats == "":
		return local, func() {}, nil
	case f.serve != "" && f.nats != "":
		return nil, nil, usagef("--serve starts a server and --nats uses one that is there: give one of them")
	case !(f.check >= 0 && f.check <= 1):
		return nil, nil, usagef("--check %v: want a share between 0 and 1", f.check)
	case f.lease < time.Second:
		return nil, nil, usagef("--lease %v: want 1s or more", f.lease)
	}
	if !(f.speed >= 0 && f.speed <= 1e12) {
		return nil, nil, usagef("--reference-speed %v: want nodes a second, as assay bench prints them", f.speed)
	}
	clean := func() {}
	if out == "" {
		if out, err = os.MkdirTemp("", "assay-cluster-"); err != nil {
			return nil, nil, err
		}
		clean = func() { os.RemoveAll(out) }
	}
	c := coordinator.Config{Dir: filepath.Join(out, coordinator.DirName), Open: roster.Open, Program: programVersion(), ReplayShare: f.check, Lease: f.lease,
		Measure: measureSpeed, ReferenceSpeed: f.speed, Log: tell}
	var b *broker.Broker
	if f.nats != "" {
		c.Connect, err = f.outside(tell)
	} else {
		c.Connect, c.Ban, err = f.embedded(&b, c.Dir, tell)
	}
	if err != nil {
		clean()
		return nil, nil, err
	}
	k := coordinator.New(c)
	return k, func() {
		if err := k.Close(); err != nil {
			tell(err.Error())
		}
		if b != nil {
			b.Close()
		}
		clean()
	}, nil
}

// outside connects with servers that are there.
func (f *clusterFlags) outside(tell func(string)) (link func() (*nats.Conn, error), err error) {
	if err := wire.CheckURL(f.nats); err != nil {
		return nil, usageError{err}
	}
	access := wire.Access{URL: f.nats, Token: takeToken(), Credentials: os.Getenv(credentialsEnv)}
	if access.TLS, err = clientTLS(); err != nil {
		return nil, err
	}
	var once sync.Once
	access.Log = func(err error) { once.Do(func() { tell(fmt.Sprintf("%s: %v", f.nats, err)) }) }
	return func() (*nats.Conn, error) {
		ctx, cancel := context.WithTimeout(context.Background(), linkPatience)
		defer cancel()
		nc, err := access.Dial(ctx)
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("no NATS server at %s for %v", f.nats, linkPatience)
		}
		return nc, clusterAdvice(err)
	}, nil
}

// embedded starts a server in this process when there is a first game to play.
func (f *clusterFlags) embedded(b **broker.Broker, dir string, tell func(string)) (link func() (*nats.Conn, error), ban func(string), err error) {
	c := broker.Config{Addr: f.serve, Dir: filepath.Join(dir, "jetstream"), Token: takeToken(), Log: tell}
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
		tell(fmt.Sprintf("warning: the connections are not encrypted, and whoever listens hears the workers' token: give the server a certificate (%s, %s), or each worker a key, which nobody hears (%s)", tlsCertEnv, tlsKeyEnv, keysEnv))
	}
	link = func() (*nats.Conn, error) {
		started, err := broker.Start(c)
		if err != nil {
			return nil, clusterAdvice(err)
		}
		*b = started
		tell(fmt.Sprintf("workers are welcome: assay work %s", started.URL()))
		return started.Connect()
	}
	ban = func(worker string) {
		if k, ok := byName[worker]; ok && *b != nil {
			if err := (*b).Ban(k); err != nil {
				tell(err.Error())
			}
		}
	}
	return link, ban, nil
}

// clientTLS returns how to know the server; nil: as the system does.
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
		return nil, fmt.Errorf("%s: %s holds no certificate in PEM", tlsCAEnv, path)
	}
	return &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, nil
}

// serverTLS returns what the server shows; nil: connections are not encrypted.
func serverTLS() (*tls.Config, error) {
	cert, key := os.Getenv(tlsCertEnv), os.Getenv(tlsKeyEnv)
	if cert == "" && key == "" {
		return nil, nil
	}
	if cert == "" || key == "" {
		return nil, fmt.Errorf("%s and %s go together: the server's certificate and its key, and one of them is not set", tlsCertEnv, tlsKeyEnv)
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("%s and %s: %w", tlsCertEnv, tlsKeyEnv, err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

// clusterAdvice adds the cure to what can end a coordinator or a worker.
func clusterAdvice(err error) error {
	switch {
	case errors.Is(err, broker.ErrOpen):
		return fmt.Errorf("%w; make a key for each worker (assay work --new-key) and name their list in %s, or set %s here and at the workers", err, keysEnv, tokenEnv)
	case errors.Is(err, wire.ErrCredentials):
		return fmt.Errorf("%w; a worker needs the key whose public half the coordinator lists (--credentials or %s), or the same %s", err, credentialsEnv, tokenEnv)
	case errors.Is(err, broker.ErrNoCoordinator):
		return fmt.Errorf("%w; make it with assay work --new-key coordinator.key --name coordinator, and list it too", err)
	case errors.Is(err, broker.ErrNoServer):
		return fmt.Errorf("%w; give another address with --serve: port 0 takes a free one", err)
	case errors.Is(err, nats.ErrSecureConnWanted):
		return fmt.Errorf("%w; it was started without %s and %s. In a network that you trust, connect with nats:// and without %s", err, tlsCertEnv, tlsKeyEnv, tlsCAEnv)
	case errors.Is(err, wire.ErrEncryption):
		return fmt.Errorf("%w; %s names a PEM file with the certificate that signed the server's, and the address names the server as its certificate does", err, tlsCAEnv)
	case errors.Is(err, durable.ErrLocked):
		return fmt.Errorf("%w; wait for it, or stop it", err)
	}
	return err
}
