package coordinator

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/assay-chess/assay/dataset/durable"
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
	Name    string `json:"name"`
	Program string `json:"program"`
	System  string `json:"system"`
	Cores   int    `json:"cores"`
	// of one core, as the worker measured it; 0: no game had a clock
	Speed  float64 `json:"nodes_per_second,omitempty"`
	Scale  float64 `json:"clock_scale,omitempty"` // factor for the times of its games
	State  State   `json:"state"`
	Reason string  `json:"why,omitempty"` // why it is refused or banned

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

// save writes a Snapshot.
func (r *registry) save(path string) error {
	r.mu.Lock()
	now := time.Now() // not UTC, which would compare wall clocks
	all := Snapshot{Format: SnapshotFormat, Run: r.run, Updated: now.UTC(), Units: r.units}
	for _, name := range sortedKeys(r.members) {
		p := r.members[name]
		if p.State == Working && !p.present(now) {
			p.State = Gone
			r.announce(p)
		}
		p.updateRates(now)
		r.updateResiduals(p)
		if r.units > 0 {
			p.Share = float64(p.Units) / float64(r.units)
		}
		all.Workers = append(all.Workers, p.WorkerStatus)
	}
	r.mu.Unlock()
	if err := durable.WriteJSON(path, &all); err != nil {
		return err
	}
	return private(path)
}

// updateResiduals compares a worker's scores with those of all workers, and warns once if
// they differ by more than chance explains. Games by the clock cannot be replayed, so this
// is their only check.
func (r *registry) updateResiduals(p *entry) {
	p.Residual, p.ForfeitResidual, p.Forfeits = r.residuals.residual(p.Name)
	if !p.warned && r.residuals.suspicious(p.Name) {
		p.warned = true
		r.logAbout(p, fmt.Sprintf("warning: the games of worker %s differ from the others': scores by %.1f standard "+
			"errors, forfeits (%d) by %.1f; check its machine, or stop the worker",
			p.Name, p.Residual, p.Forfeits, p.ForfeitResidual))
	}
}

// updateRates notes the games so far, and computes their rate since the oldest note.
func (e *entry) updateRates(now time.Time) {
	oldest, since := e.gamesAtSave[e.next], e.saveTimes[e.next]
	if since.IsZero() {
		oldest, since = 0, e.Joined
	}
	if seconds := now.Sub(since).Seconds(); seconds > 0 {
		e.GamesASecond = float64(e.Games-oldest) / seconds
	}
	if e.took > 0 {
		e.Played = float64(e.nodes) / e.took.Seconds()
	}
	e.gamesAtSave[e.next], e.saveTimes[e.next] = e.Games, now
	e.next = (e.next + 1) % len(e.gamesAtSave)
}

func sortedKeys(m map[string]*entry) []string { return slices.Sorted(maps.Keys(m)) }
