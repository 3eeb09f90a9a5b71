package broker

import (
	"fmt"
	"strings"
	"sync"

	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/nats-io/nats-server/v2/server"
)

// watchman is the server's log, of which it tells what concerns its owner: who was not
// let in, and who tried what it may not.
type watchman struct {
	tell func(string)
	keys []wire.Key // whose names it uses

	mu    sync.Mutex
	told  int
	fatal []string
}

var _ server.Logger = (*watchman)(nil)

// maxTold bounds what is told in a server's life: whoever knocks for ever is told of
// often enough.
const maxTold = 50

// Errorf implements server.Logger.
func (w *watchman) Errorf(format string, v ...any) {
	text := fmt.Sprintf(format, v...)
	if lower := strings.ToLower(text); !strings.Contains(lower, "violation") && !strings.Contains(lower, "authentication") {
		return
	}
	for _, k := range w.keys {
		text = strings.ReplaceAll(text, k.Public, k.Name)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.told++; w.told <= maxTold && w.tell != nil {
		w.tell("the server refused: " + text)
	}
}

// Fatalf implements server.Logger: why there is no server.
func (w *watchman) Fatalf(format string, v ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fatal = append(w.fatal, fmt.Sprintf(format, v...))
}

// dead returns why there is no server, if it said so.
func (w *watchman) dead() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.fatal
}

func (*watchman) Noticef(string, ...any) {}
func (*watchman) Warnf(string, ...any)   {}
func (*watchman) Debugf(string, ...any)  {}
func (*watchman) Tracef(string, ...any)  {}
