package worker

import (
	"sync"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// contained collects what engines tried and their sandboxes refused, for the owner's log and
// the next answer.
type contained struct {
	mu    sync.Mutex
	seen  map[string]bool
	fresh []string
}

// maxSeen bounds the acts that are logged while a worker runs.
const maxSeen = 1000

// note notes an act, and reports whether it is the first of its kind.
func (c *contained) note(act string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen[act] || len(c.seen) >= maxSeen {
		return false
	}
	if c.seen == nil {
		c.seen = map[string]bool{}
	}
	c.seen[act] = true
	if len(c.fresh) < wire.MaxContained {
		c.fresh = append(c.fresh, act)
	}
	return true
}

// take returns the acts since the last call.
func (c *contained) take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	acts := c.fresh
	c.fresh = nil
	return acts
}

// open opens a player, and has what its sandbox refuses noted.
func (w *Worker) open(spec engine.Spec) (engine.Player, error) {
	p, err := w.Open(spec)
	if err == nil {
		roster.OnContained(p, func(act string) {
			if w.contained.note(act) {
				w.Log(act)
			}
		})
	}
	return p, err
}
