package cluster

import (
	"time"

	"github.com/assay-chess/assay/selfplay"
)

// tempo is how long games take, as workers say. It is their mean that counts, and not the
// longest: one worker that lies would make the coordinator wait for ever.
type tempo struct {
	games int64
	took  time.Duration
}

// add adds a game that was answered so long after it was published.
func (t *tempo) add(r *selfplay.Result, within time.Duration) {
	if r.Try > 0 {
		return // the check of an opening takes no time
	}
	t.games++
	t.took += max(0, min(r.Time[0], within)) + max(0, min(r.Time[1], within))
}

// long is what few games take.
func (t *tempo) long() time.Duration {
	if t.games == 0 {
		return 0
	}
	return 4 * t.took / time.Duration(t.games)
}
