package coordinator

import (
	"time"
)

// Snapshot is the content of the file WorkersName: the state of a run's workers.
type Snapshot struct {
	Format  string         `json:"format"` // SnapshotFormat
	Run     string         `json:"run"`
	Updated time.Time      `json:"updated"`
	Units   int64          `json:"units"` // answered since the coordinator started
	Workers []WorkerStatus `json:"workers"`
}

// SnapshotFormat names the format of a Snapshot.
const SnapshotFormat = "assay.workers/1"

// WorkerStatus is the state of one worker, with counts since the coordinator started.
type WorkerStatus struct {
	Name    string  `json:"name"`
	Program string  `json:"program"`
	System  string  `json:"system"`
	Cores   int     `json:"cores"`
	Speed   float64 `json:"nodes_per_second,omitempty"` // of one core, as the worker measured it; 0: no game had a clock
	Scale   float64 `json:"clock_scale,omitempty"`      // factor for the times of its games
	State   State   `json:"state"`
	Reason  string  `json:"why,omitempty"` // why it is refused or banned

	Units           int64     `json:"units"` // answered: games, and checks of openings
	Games           int64     `json:"games"`
	Share           float64   `json:"share"`                   // of all units
	GamesASecond    float64   `json:"games_per_second"`        // over the last minute
	Played          float64   `json:"played_nodes_per_second"` // in all its games, by the clocks as meant
	Replays         int64     `json:"checks"`                  // its batches that a replay confirmed
	Late            int64     `json:"late"`                    // answers that came after another worker's
	Failures        int64     `json:"failures"`                // units that it could not play
	Expired         int64     `json:"expired"`                 // units that it had for too long and that went to others
	Failure         string    `json:"last_failure,omitempty"`
	Forfeits        int64     `json:"forfeits"`         // games that ended by a player's fault, or on time
	Residual        float64   `json:"residual"`         // of its scores from all workers', in standard errors
	ForfeitResidual float64   `json:"forfeit_residual"` // the same of its share of forfeits
	Joined          time.Time `json:"joined"`
	Seen            time.Time `json:"last_seen"`
}

// State is the state of a worker.
type State string

// The states of a worker.
const (
	Working State = "working"
	Gone    State = "gone"    // it left, or is silent
	Refused State = "refused" // it cannot play for this run: another version or build, or it fails
	Banned  State = "banned"  // its answers were wrong
)
