package broker

import (
	"fmt"
	"strings"
	"sync"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// serverLog is the server's log. It passes on rejected connections and requests, and keeps
// fatal errors.
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
	if lower := strings.ToLower(text); !strings.Contains(lower, "violation") &&
		!strings.Contains(lower, "authentication") {
		return
	}
	for _, k := range l.keys {
		text = strings.ReplaceAll(text, k.Public, k.Name)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.logged++; l.logged <= maxLogged && l.log != nil {
		l.log("the server rejected a client: " + text)
	}
}

// Fatalf implements server.Logger. It keeps why the server did not start.
func (l *serverLog) Fatalf(format string, v ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fatal = append(l.fatal, fmt.Sprintf(format, v...))
}

// fatalErrors returns the fatal errors.
func (l *serverLog) fatalErrors() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fatal
}

func (*serverLog) Noticef(string, ...any) {}
func (*serverLog) Warnf(string, ...any)   {}
func (*serverLog) Debugf(string, ...any)  {}
func (*serverLog) Tracef(string, ...any)  {}
