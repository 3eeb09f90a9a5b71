package coordinator

import (
	"time"

	"github.com/assay-chess/assay/selfplay"
)

// meanGameTime is the mean time of a game, as workers report it. The longest time would not
// do: one worker that lies would make the coordinator wait forever.
type meanGameTime struct {
	games int64
	total time.Duration
}

// add adds a game whose answer came that long after its unit was published.
func (t *meanGameTime) add(r *selfplay.Result, within time.Duration) {
	if r.Try > 0 {
		return // the check of an opening takes no time
	}
	t.games++
	t.total += max(0, min(r.Time[0], within)) + max(0, min(r.Time[1], within))
}

// fewGamesExceed returns a time that few games exceed; 0 if there were no games.
func (t *meanGameTime) fewGamesExceed() time.Duration {
	if t.games == 0 {
		return 0
	}
	return 4 * t.total / time.Duration(t.games)
}
