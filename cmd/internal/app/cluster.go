package app

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

	"github.com/assay-chess/assay/cmd/internal/engines"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/assay-chess/assay/selfplay/roster"
)

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

// takeToken returns the token and removes it from the environment, which external engines
// inherit.
func takeToken() string {
	token := os.Getenv(tokenEnv)
	os.Unsetenv(tokenEnv)
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
		if err := k.Close(); err != nil {
			log(err.Error())
		}
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
