package ui

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// Time-outs and limits of the HTTP servers.
const (
	requestTime = 30 * time.Second // to read a request, and to write its answer
	idleTime    = time.Minute      // between the requests of a connection
	maxHeaders  = 64 << 10         // bytes

	// A process may have 256 files open on some systems, and runs have files too.
	maxConnections  = 128
	maxFromAddress  = 32
	maxFromThisHost = 96 // a proxy on this machine speaks for many
)

// HTTPServer returns a server that gives up slow and idle connections. Its requests end with ctx.
func HTTPServer(ctx context.Context, h http.Handler) *http.Server {
	return &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: requestTime,
		WriteTimeout: requestTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeaders,
		BaseContext: func(net.Listener) context.Context { return ctx }}
}

// LimitConnections returns a listener that closes connections beyond 128 in all, 32 from another address, and
// 96 from this machine.
func LimitConnections(l net.Listener) net.Listener {
	return &limited{Listener: l, from: map[string]int{}}
}

type limited struct {
	net.Listener

	mu   sync.Mutex
	all  int
	from map[string]int // open connections, by address
}

// Accept implements net.Listener.
func (l *limited) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		host, _, _ := net.SplitHostPort(c.RemoteAddr().String())
		if l.add(host) {
			return &limitedConn{Conn: c, leave: sync.OnceFunc(func() { l.remove(host) })}, nil
		}
		_ = c.Close()
	}
}

func (l *limited) add(host string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	most := maxFromAddress
	if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() {
		most = maxFromThisHost
	}
	if l.all >= maxConnections || l.from[host] >= most {
		return false
	}
	l.all++
	l.from[host]++
	return true
}

func (l *limited) remove(host string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all--
	if l.from[host]--; l.from[host] == 0 {
		delete(l.from, host)
	}
}

type limitedConn struct {
	net.Conn
	leave func()
}

// Close implements net.Conn.
func (c *limitedConn) Close() error {
	c.leave()
	return c.Conn.Close()
}
