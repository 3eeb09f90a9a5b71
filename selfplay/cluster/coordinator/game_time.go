package coordinator

import (
	"time"

	"github.com/assay-chess/assay/selfplay"
)

// tempo is how long games take, as workers say. It is their mean that counts, and not the
// longest: one worker that lies would make the coordinator wait for ever.
type meanGameTime struct {
	games int64
	total time.Duration
}

// add adds a game that was answered so long after it was published.
func (t *meanGameTime) add(r *selfplay.Result, within time.Duration) {
	if r.Try > 0 {
		return // the check of an opening takes no time
	}
	t.games++
	t.total += max(0, min(r.Time[0], within)) + max(0, min(r.Time[1], within))
}

// long is what few games take.
func (t *meanGameTime) fewGamesExceed() time.Duration {
	if t.games == 0 {
		return 0
	}
	return 4 * t.total / time.Duration(t.games)
}
