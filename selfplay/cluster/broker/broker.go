// Package broker starts a NATS server inside this process for a coordinator and its workers.
// It is the only package that links the server, and knows nothing of units and games but the
// rights of a worker.
//
// No promise of stability. Start reading at Start.
package broker

import (
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"math"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// ErrOpen means that the server would be open to strangers.
var ErrOpen = errors.New("broker: without credentials the server listens on loopback addresses only, because " +
	"others could take units and answer them")

// ErrNoServer means that the server did not start.
var ErrNoServer = errors.New("broker: the server did not start")

// Config says where a server listens and whom it accepts.
type Config struct {
	Addr  string      // HOST:PORT; port 0 for any
	Token string      // of workers that share one; empty: none
	Keys  []wire.Key  // of workers that have their own
	TLS   *tls.Config // nil: connections are not encrypted

	Log func(line string) // receives a line for each rejected connection or request; may be nil
}

// Check reports malformed addresses, and servers that would be open to strangers.
func (c *Config) Check() error {
	host, _, err := split(c.Addr)
	if err == nil && c.Token == "" && len(c.Keys) == 0 && !loopback(host) {
		err = fmt.Errorf("%w (requested: %s)", ErrOpen, c.Addr)
	}
	return err
}

// Bare reports whether workers would send their token unencrypted over a network.
func (c *Config) Bare() bool {
	host, _, err := split(c.Addr)
	return err == nil && c.Token != "" && c.TLS == nil && !loopback(host)
}

// Broker is a running server.
type Broker struct {
	server  *server.Server
	options *server.Options
	stop    chan struct{}
	secret  string // password of the coordinator, which is in this process
}

// ready is how long a server may take to accept connections.
const ready = 20 * time.Second

// maxPayload bounds a message, in bytes; it is the default of NATS servers. A game of 400
// plies has 5 kB, the longest that the rules allow 200 kB.
const maxPayload = 1 << 20

// Limits of one worker: it subscribes to four subjects, and connects again before the server has noticed that an
// earlier connection is dead.
const (
	maxSubs    = 256 // subscriptions of a connection; the coordinator's is one, too
	maxOfKey   = 8   // connections of a key
	countEvery = time.Second
)

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
	b := &Broker{secret: rand.Text(), stop: make(chan struct{})}
	b.options = &server.Options{
		Host: host, Port: port, NoSigs: true, NoLog: true, MaxPayload: maxPayload, MaxSubs: maxSubs,
		TLSConfig: c.TLS, TLS: c.TLS != nil, TLSTimeout: 5, AuthTimeout: 5,
	}
	b.admit(&c)
	if b.server, err = server.NewServer(b.options.Clone()); err != nil {
		return nil, fmt.Errorf("broker: %w", err)
	}
	log := &serverLog{log: c.Log, keys: c.Keys}
	b.server.SetLogger(log, false, false)
	b.server.Start()
	for started := time.Now(); !b.server.ReadyForConnections(ready / 100); {
		if why := log.fatalErrors(); len(why) > 0 || time.Since(started) > ready {
			b.Close()
			return nil, fmt.Errorf("%w at %s: %s", ErrNoServer, c.Addr, strings.Join(why, "; "))
		}
	}
	go b.watchKeys()
	return b, nil
}

// watchKeys closes connections of a key beyond the limit, the last ones first. The server itself has no such limit.
func (b *Broker) watchKeys() {
	tick := time.NewTicker(countEvery)
	defer tick.Stop()
	for {
		select {
		case <-b.stop:
			return
		case <-tick.C:
		}
		all, err := b.server.Connz(&server.ConnzOptions{Username: true, Limit: math.MaxInt32})
		if err != nil {
			continue
		}
		count := map[string]int{}
		for _, c := range all.Conns { // by the time of their connection
			if !nkeys.IsValidPublicUserKey(c.AuthorizedUser) {
				continue
			}
			if count[c.AuthorizedUser]++; count[c.AuthorizedUser] > maxOfKey {
				_ = b.server.DisconnectClientByID(c.Cid) // it may have gone
			}
		}
	}
}

// split returns the host and the port of an address. The default host is loopback, the
// default port that of NATS.
func split(addr string) (host string, port int, err error) {
	h, p, err := net.SplitHostPort(addr)
	if err != nil {
		h, p = addr, strconv.Itoa(server.DEFAULT_PORT)
	}
	if h == "" {
		h = "127.0.0.1"
	}
	if port, err = strconv.Atoi(p); err != nil || port < 0 || port > 65535 || strings.Contains(h, "/") {
		return "", 0, fmt.Errorf("broker: address %q: want HOST:PORT, for example 127.0.0.1:4222; port "+
			"0 chooses a free one", addr)
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

// admit lists the users: the coordinator, and workers with the rights that they need.
func (b *Broker) admit(c *Config) {
	o := b.options
	o.Users = []*server.User{{Username: coordinator, Password: b.secret}}
	shared := &server.User{Username: wire.SharedUser, Password: c.Token, Permissions: permissions("")}
	switch {
	case c.Token != "":
		o.Users = append(o.Users, shared)
	case len(c.Keys) == 0:
		shared.Password = rand.Text() // connections without credentials are this user
		o.Users, o.NoAuthUser = append(o.Users, shared), wire.SharedUser
	}
	for _, k := range c.Keys {
		o.Nkeys = append(o.Nkeys, &server.NkeyUser{Nkey: k.Public, Permissions: permissions(k.Name)})
	}
}

func permissions(worker string) *server.Permissions {
	r := wire.WorkerRights(worker)
	return &server.Permissions{Publish: &server.SubjectPermission{Allow: r.Publish},
		Subscribe: &server.SubjectPermission{Allow: r.Subscribe}}
}

// URL returns the server's address for workers. If the server listens on all addresses, it
// holds the machine's name.
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

// Connect connects the coordinator, inside the process.
func (b *Broker) Connect() (*nats.Conn, error) {
	options := []nats.Option{nats.InProcessServer(b.server), nats.Name(coordinator), nats.MaxReconnects(-1),
		nats.ReconnectWait(100 * time.Millisecond),
		nats.UserInfo(coordinator, b.secret)}
	nc, err := nats.Connect("", options...)
	if err != nil {
		return nil, fmt.Errorf("broker: %w", err)
	}
	return nc, nil
}

// Ban stops accepting a worker's key, and closes its connection. A worker that shares its
// credentials with others cannot be recognized and stays connected; that is an error.
func (b *Broker) Ban(key wire.Key) error {
	o := b.options.Clone()
	n := len(o.Nkeys)
	o.Nkeys = slices.DeleteFunc(o.Nkeys, func(u *server.NkeyUser) bool { return u.Nkey == key.Public })
	if len(o.Nkeys) == n {
		return fmt.Errorf("broker: cannot ban %s at the server: it has no key of its own", key.Name)
	}
	b.options = o
	return b.server.ReloadOptions(o.Clone())
}

// Close stops the server.
func (b *Broker) Close() {
	close(b.stop)
	b.server.Shutdown()
	b.server.WaitForShutdown()
}
