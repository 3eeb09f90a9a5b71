package coordinator

import (
	"cmp"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// ErrOpen means that the server would be open to strangers.
var ErrOpen = errors.New("cluster: without credentials the server listens on loopback addresses only, because " +
	"others could take units and answer them")

// ErrSpeed means that a run began with clocks for another speed.
var ErrSpeed = errors.New("the run's clocks are meant for another speed")

// ErrNoServer means that the server did not start.
var ErrNoServer = errors.New("cluster: the server did not start")

// ErrNoCoordinator means that no key of a list may start a run.
var ErrNoCoordinator = errors.New("cluster: the list has no key named " + user + ", which starting runs needs")

// user is who may do everything.
const user = "coordinator"

// ServerConfig says where a server listens, whom it accepts and where it keeps its streams.
type ServerConfig struct {
	Addr  string      // HOST:PORT; port 0 for any
	Dir   string      // folder of the streams
	Token string      // of workers that share one; empty: none
	Keys  []wire.Key  // of workers that have their own
	TLS   *tls.Config // nil: connections are not encrypted

	Log func(line string) // receives a line for each rejected connection or request; may be nil
}

// Check reports malformed addresses, and servers that would be open to strangers.
func (c *ServerConfig) Check() error {
	host, _, err := split(c.Addr)
	if err == nil && c.Token == "" && len(c.Keys) == 0 && !loopback(host) {
		err = fmt.Errorf("%w (requested: %s)", ErrOpen, c.Addr)
	}
	return err
}

// Bare reports whether workers would send their token unencrypted over a network.
func (c *ServerConfig) Bare() bool {
	host, _, err := split(c.Addr)
	return err == nil && c.Token != "" && c.TLS == nil && !loopback(host)
}

// Server is a running NATS server.
type Server struct {
	server *server.Server
	secret string // password of the coordinator, which is in this process
}

// ready is how long a server may take to accept connections.
const ready = 20 * time.Second

// Serve starts a server with JetStream in this process. Close it when done.
func Serve(c ServerConfig) (*Server, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	host, port, err := split(c.Addr)
	if err != nil {
		return nil, err
	}
	s := &Server{secret: rand.Text()}
	o := &server.Options{}
	if err := o.ProcessConfigString(c.accounts(fmt.Sprintf("{user: %s, password: %q}", user, s.secret))); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	o.Host, o.Port, o.NoSigs, o.NoLog, o.MaxPayload, o.MaxSubs = host, port, true, true, maxPayload, 256
	o.TLSConfig, o.TLS, o.TLSTimeout, o.AuthTimeout = c.TLS, c.TLS != nil, 5, 5
	o.JetStream, o.StoreDir = true, c.Dir
	if s.server, err = server.NewServer(o); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	log := &serverLog{log: c.Log, keys: c.Keys}
	s.server.SetLogger(log, false, false)
	s.server.Start()
	for started := time.Now(); !s.server.ReadyForConnections(ready / 100); {
		if why := log.failure(); why != "" || time.Since(started) > ready {
			s.Close()
			return nil, fmt.Errorf("%w at %s: %s", ErrNoServer, c.Addr, why)
		}
	}
	return s, nil
}

// split returns the host and the port of an address. The default host is loopback.
func split(addr string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(addr)
	if err == nil {
		port, err = strconv.Atoi(text)
	}
	if err != nil || port < 0 || port > 65535 || strings.Contains(host, "/") {
		return "", 0, fmt.Errorf("cluster: address %q: want HOST:PORT, for example 127.0.0.1:4222; port 0 chooses a free one",
			addr)
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	return cmp.Or(host, "127.0.0.1"), port, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// accounts returns the part of a nats-server.conf that says who may do what. Workers have an account of their own: only
// the subjects that a worker needs lead from there to the run, so that they cannot have a server send a reply to any
// other.
func (c *ServerConfig) accounts(coordinator string) string {
	rights := func(worker string) string {
		r := wire.WorkerRights(worker) // quoted, because $ begins the name of a variable
		return fmt.Sprintf("permissions: {\n      publish: {allow: [%s]}\n      subscribe: {allow: [%s]}\n    }",
			quoted("%q", r.Publish, ", "), quoted("%q", r.Subscribe, ", "))
	}
	var workers strings.Builder
	for _, k := range c.Keys {
		fmt.Fprintf(&workers, "    # %s\n    {nkey: %s, %s}\n", k.Name, k.Public, rights(k.Name))
	}
	token, open := c.Token, ""
	if token == "" && len(c.Keys) == 0 { // connections without credentials are this user
		token, open = rand.Text(), "no_auth_user: "+wire.SharedUser+"\n"
	}
	if token != "" {
		fmt.Fprintf(&workers, "    {user: %s, password: %q, %s}\n", wire.SharedUser, token, rights(""))
	}
	services := wire.WorkerRights("").Publish
	return fmt.Sprintf(`%saccounts {
  ASSAY: {
    jetstream: enabled
    users: [%s]
    exports: [
%s    ]
  }
  ASSAY_WORKERS: {
    users: [
%s    ]
    imports: [
%s    ]
  }
}
`, open, coordinator, quoted("      {service: %q, response: stream}\n", services, ""), &workers,
		quoted("      {service: {account: ASSAY, subject: %q}}\n", services, ""))
}

func quoted(format string, list []string, between string) string {
	var all []string
	for _, one := range list {
		all = append(all, fmt.Sprintf(format, one))
	}
	return strings.Join(all, between)
}

// URL returns the server's address for workers. If the server listens on all addresses, it holds the machine's name.
func (s *Server) URL() string {
	u, err := url.Parse(s.server.ClientURL())
	if err != nil {
		return s.server.ClientURL()
	}
	if ip := net.ParseIP(u.Hostname()); ip != nil && ip.IsUnspecified() {
		if host, err := os.Hostname(); err == nil {
			u.Host = net.JoinHostPort(host, u.Port())
		}
	}
	return u.String()
}

// Connect connects the coordinator, inside the process.
func (s *Server) Connect() (*nats.Conn, error) {
	nc, err := nats.Connect("", nats.InProcessServer(s.server), nats.Name(user), nats.MaxReconnects(-1),
		nats.ReconnectWait(100*time.Millisecond), nats.UserInfo(user, s.secret))
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	return nc, nil
}

// Close stops the server.
func (s *Server) Close() {
	s.server.Shutdown()
	s.server.WaitForShutdown()
}

// Conf returns the accounts that the nats-server.conf of another server needs to accept the keys with the rights that
// Serve gives them. The key named coordinator may do everything in the account of the runs.
func Conf(keys []wire.Key) (string, error) {
	at := slices.IndexFunc(keys, func(k wire.Key) bool { return k.Name == user })
	if at < 0 {
		return "", ErrNoCoordinator
	}
	c := ServerConfig{Keys: slices.Concat(keys[:at], keys[at+1:])}
	return c.accounts(fmt.Sprintf("{nkey: %s}", keys[at].Public)), nil
}

// serverLog is the server's log. It passes on rejected connections and requests, and keeps fatal errors.
type serverLog struct {
	log  func(string)
	keys []wire.Key // whose names replace their public keys

	mu     sync.Mutex
	logged int
	fatal  []string
}

var _ server.Logger = (*serverLog)(nil)

// maxLogged bounds the lines of a server: some client may retry forever.
const maxLogged = 50

// Errorf implements server.Logger.
func (l *serverLog) Errorf(format string, v ...any) {
	text := fmt.Sprintf(format, v...)
	lower := strings.ToLower(text)
	if l.log == nil || !strings.Contains(lower, "violation") && !strings.Contains(lower, "authentication") {
		return
	}
	for _, k := range l.keys {
		text = strings.ReplaceAll(text, k.Public, k.Name)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.logged++; l.logged <= maxLogged {
		l.log("the server rejected a client: " + text)
	}
}

// Fatalf implements server.Logger. It keeps why the server did not start.
func (l *serverLog) Fatalf(format string, v ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fatal = append(l.fatal, fmt.Sprintf(format, v...))
}

// failure returns the fatal errors.
func (l *serverLog) failure() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.fatal, "; ")
}

func (*serverLog) Noticef(string, ...any) {}
func (*serverLog) Warnf(string, ...any)   {}
func (*serverLog) Debugf(string, ...any)  {}
func (*serverLog) Tracef(string, ...any)  {}
