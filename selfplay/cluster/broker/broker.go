// Package broker starts a NATS server inside this process, with JetStream's files in a
// folder, for a cluster.Coordinator and its workers. It is the only package that links
// the server; it knows nothing of units and games but the rights of a worker.
//
// Start reading at Start.
package broker

import (
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
	"time"

	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// ErrOpen says that a server would be open to strangers.
var ErrOpen = errors.New("broker: without credentials the server binds to loopback only: whoever reaches it could take units and answer them")

// ErrNoServer says that a server could not be started.
var ErrNoServer = errors.New("broker: no server")

// Config says where a server listens and who may come.
type Config struct {
	Addr  string      // HOST:PORT; port 0 for any
	Dir   string      // for JetStream's files
	Token string      // that workers show; empty: none do
	Keys  []wire.Key  // workers that show a key of their own
	TLS   *tls.Config // nil: connections are not encrypted

	Tell func(text string) // told of those who were not let in, or tried what they may not; may be nil
}

// Check reports addresses that are none, and servers that would be open to strangers:
// what Start would not start.
func (c *Config) Check() error {
	host, _, err := split(c.Addr)
	if err == nil && c.Token == "" && len(c.Keys) == 0 && !loopback(host) {
		err = fmt.Errorf("%w (asked for: %s)", ErrOpen, c.Addr)
	}
	return err
}

// Bare tells whether workers show their token to whoever listens on the way.
func (c *Config) Bare() bool {
	host, _, err := split(c.Addr)
	return err == nil && c.Token != "" && c.TLS == nil && !loopback(host)
}

// Broker is a running server.
type Broker struct {
	server  *server.Server
	options *server.Options
	secret  string // of the coordinator, which is in this process
}

// ready is how long a server may take to accept connections.
const ready = 20 * time.Second

// maxPayload bounds a message, in bytes, as NATS servers do unless they are told otherwise.
// A game of 400 plies is 5 kB, and the longest that the rules allow 200 kB.
const maxPayload = 1 << 20

// coordinator is the user that may do everything.
const coordinator = "coordinator"

// Start starts a server. Close it when done.
func Start(c Config) (*Broker, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	host, port, err := split(c.Addr)
	if err != nil {
		return nil, err
	}
	b := &Broker{secret: rand.Text()}
	b.options = &server.Options{
		Host: host, Port: port, NoSigs: true, NoLog: true, MaxPayload: maxPayload,
		JetStream: true, StoreDir: c.Dir, TLSConfig: c.TLS, TLS: c.TLS != nil, TLSTimeout: 5, AuthTimeout: 5,
	}
	b.admit(&c)
	if b.server, err = server.NewServer(b.options.Clone()); err != nil {
		return nil, fmt.Errorf("broker: %w", err)
	}
	log := &watchman{tell: c.Tell, keys: c.Keys}
	b.server.SetLogger(log, false, false)
	b.server.Start()
	for begun := time.Now(); !b.server.ReadyForConnections(ready / 100); {
		if why := log.dead(); len(why) > 0 || time.Since(begun) > ready {
			b.Close()
			return nil, fmt.Errorf("%w at %s: %s", ErrNoServer, c.Addr, strings.Join(why, "; "))
		}
	}
	return b, nil
}

// split returns the host and the port of an address; no host is loopback, and no port
// that of NATS.
func split(addr string) (host string, port int, err error) {
	h, p, err := net.SplitHostPort(addr)
	if err != nil {
		h, p = addr, strconv.Itoa(server.DEFAULT_PORT)
	}
	if h == "" {
		h = "127.0.0.1"
	}
	if port, err = strconv.Atoi(p); err != nil || port < 0 || port > 65535 || strings.Contains(h, "/") {
		return "", 0, fmt.Errorf("broker: address %q: want HOST:PORT, as 127.0.0.1:4222; port 0 takes a free one", addr)
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	return h, port, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// admit lists the users: the coordinator, and workers with no more rights than they need.
func (b *Broker) admit(c *Config) {
	o := b.options
	o.Users = []*server.User{{Username: coordinator, Password: b.secret}}
	shared := &server.User{Username: wire.SharedUser, Password: c.Token, Permissions: permissions("")}
	switch {
	case c.Token != "":
		o.Users = append(o.Users, shared)
	case len(c.Keys) == 0:
		shared.Password = rand.Text() // nobody shows it: whoever shows nothing is this user
		o.Users, o.NoAuthUser = append(o.Users, shared), wire.SharedUser
	}
	for _, k := range c.Keys {
		o.Nkeys = append(o.Nkeys, &server.NkeyUser{Nkey: k.Public, Permissions: permissions(k.Name)})
	}
}

func permissions(worker string) *server.Permissions {
	r := wire.WorkerRights(worker)
	return &server.Permissions{Publish: &server.SubjectPermission{Allow: r.Publish}, Subscribe: &server.SubjectPermission{Allow: r.Subscribe}}
}

// URL returns the address for workers. A server that listens on all addresses of its
// machine is named as the machine is.
func (b *Broker) URL() string {
	u, err := url.Parse(b.server.ClientURL())
	if err != nil {
		return b.server.ClientURL()
	}
	if ip := net.ParseIP(u.Hostname()); ip != nil && ip.IsUnspecified() {
		if host, err := os.Hostname(); err == nil {
			u.Host = net.JoinHostPort(host, u.Port())
		}
	}
	return u.String()
}

// Connect connects the coordinator, without a detour over the network.
func (b *Broker) Connect() (*nats.Conn, error) {
	options := []nats.Option{nats.InProcessServer(b.server), nats.Name(coordinator), nats.MaxReconnects(-1), nats.ReconnectWait(100 * time.Millisecond),
		nats.UserInfo(coordinator, b.secret)}
	nc, err := nats.Connect("", options...)
	if err != nil {
		return nil, fmt.Errorf("broker: %w", err)
	}
	return nc, nil
}

// Ban closes the server to a worker's key, now and for the server's life. A worker with
// shared credentials cannot be told from others, and stays; that is an error.
func (b *Broker) Ban(key wire.Key) error {
	o := b.options.Clone()
	n := len(o.Nkeys)
	o.Nkeys = slices.DeleteFunc(o.Nkeys, func(u *server.NkeyUser) bool { return u.Nkey == key.Public })
	if len(o.Nkeys) == n {
		return fmt.Errorf("broker: %s has no key of its own", key.Name)
	}
	b.options = o
	return b.server.ReloadOptions(o.Clone())
}

// Close stops the server. What JetStream holds stays in the folder.
func (b *Broker) Close() {
	b.server.Shutdown()
	b.server.WaitForShutdown()
}
