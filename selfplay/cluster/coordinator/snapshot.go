package coordinator

import (
	"time"
)

// Roster is what a coordinator's folder says about its workers (WorkersName).
type Snapshot struct {
	Format  string         `json:"format"` // RosterFormat
	Run     string         `json:"run"`
	Updated time.Time      `json:"updated"`
	Units   int64          `json:"units"` // answered since the coordinator began
	Workers []WorkerStatus `json:"workers"`
}

// RosterFormat names the format of a Roster.
const SnapshotFormat = "assay.workers/1"

// Member is one worker, since the coordinator began.
type WorkerStatus struct {
	Name    string  `json:"name"`
	Program string  `json:"program"`
	System  string  `json:"system"`
	Cores   int     `json:"cores"`
	Speed   float64 `json:"nodes_per_second,omitempty"` // of a core, as it measured; 0: no game had a clock
	Scale   float64 `json:"clock_scale,omitempty"`      // what the times of its games are multiplied by
	State   State   `json:"state"`
	Reason  string  `json:"why,omitempty"` // it is refused or banned

	Units           int64     `json:"units"` // answered: games, and checks of openings
	Games           int64     `json:"games"`
	Share           float64   `json:"share"`                   // of all units
	GamesASecond    float64   `json:"games_per_second"`        // over the last minute
	Played          float64   `json:"played_nodes_per_second"` // in all its games, by the clocks that were meant
	Replays         int64     `json:"checks"`                  // its batches that passed a check
	Late            int64     `json:"late"`                    // answers after somebody else's
	Failures        int64     `json:"failures"`                // units that it could not play
	Failure         string    `json:"last_failure,omitempty"`
	Forfeits        int64     `json:"forfeits"`         // games that ended by a player's fault, or on time
	Residual        float64   `json:"residual"`         // of its scores from all workers', in standard errors
	ForfeitResidual float64   `json:"forfeit_residual"` // likewise, of its share of forfeits
	Joined          time.Time `json:"joined"`
	Seen            time.Time `json:"last_seen"`
}

// State is what a coordinator thinks of a worker.
type State string

// The states of a worker.
const (
	Working State = "working"
	Gone    State = "gone"    // it left, or has not been heard of
	Refused State = "refused" // it is not let in, or cannot go on: another version, another build, nothing that it can play
	Banned  State = "banned"  // its answers were wrong
)
