package report

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"time"

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
)

// readWorkers reads the workers of the run in dir, as its coordinator last wrote them. It
// returns nil if the run never had a coordinator. If no process has the run open, its
// workers are gone.
func readWorkers(dir string, state durable.State) (*coordinator.Snapshot, error) {
	path := filepath.Join(dir, coordinator.DirName, coordinator.WorkersName)
	r := new(coordinator.Snapshot)
	if ok, err := readJSON(r, path); err != nil || !ok {
		return nil, err
	}
	if r.Format != coordinator.SnapshotFormat {
		return nil, fmt.Errorf("%s: format %q, want %s", path, r.Format, coordinator.SnapshotFormat)
	}
	if state == durable.Running {
		return r, nil
	}
	for i := range r.Workers {
		w := &r.Workers[i]
		w.GamesASecond = 0
		if w.State == coordinator.Working {
			w.State = coordinator.Gone
		}
	}
	return r, nil
}

// workersView is the workers of a run, those at work first.
type workersView struct {
	*coordinator.Snapshot
	Running  bool
	Present  int // workers at work
	Cores    int // of these workers
	Pace     float64
	Compared []comparedWorker // empty if nothing goes beyond what replays show
	Err      error            // why the list cannot be read
}

// comparedWorker is a worker beside all of them, from the games of the run.
type comparedWorker struct {
	Name                      string
	Speed                     float64 // of one core, in nodes/s; 0: no game had a clock
	Games                     float64
	Residual, ForfeitResidual float64 // of scores and forfeits, in standard errors
	Forfeits                  float64
}

// workers adds the section about the workers, if the run has any. A list that cannot be
// read is shown as such, and is no error: no result depends on it.
func (b *builder) workers() {
	state := b.report.Status.State
	roster, err := readWorkers(b.dir, state)
	if roster == nil && err == nil {
		return
	}
	v := workersView{Snapshot: roster, Running: state == durable.Running, Err: err}
	if roster != nil {
		v.sum()
		v.compare(readResiduals(b.dir))
	}
	b.add("workers", "Workers", "workers", v)
}

func (v *workersView) sum() {
	for _, w := range v.Workers {
		if w.State == coordinator.Working {
			v.Present++
			v.Cores += w.Cores
		}
		v.Pace += w.GamesASecond
	}
	order := []coordinator.State{coordinator.Working, coordinator.Refused, coordinator.Gone}
	slices.SortStableFunc(v.Workers, func(a, b coordinator.WorkerStatus) int {
		return cmp.Or(slices.Index(order, a.State)-slices.Index(order, b.State), cmp.Compare(a.Name, b.Name))
	})
}

// compare compares the workers, if clocks, forfeits or residuals say anything beyond what replays show.
func (v *workersView) compare(r *residuals) {
	says := false
	var all []comparedWorker
	for _, w := range v.Workers {
		c := comparedWorker{Name: w.Name, Speed: w.Speed}
		for _, own := range r.workers[w.Name] {
			c.Games += own.games
		}
		if c.Games == 0 {
			continue
		}
		c.Residual, c.ForfeitResidual, c.Forfeits = r.of(w.Name)
		says = says || c.Speed > 0 || c.Forfeits > 0 || math.Abs(c.Residual) > 3
		all = append(all, c)
	}
	if says {
		v.Compared = all
	}
}

// Share is a worker's share of all units.
func (v workersView) Share(w coordinator.WorkerStatus) float64 {
	return float64(w.Units) / float64(max(1, v.Units))
}

// Ago is how long before the list was written the worker was last seen.
func (v workersView) Ago(w coordinator.WorkerStatus) string {
	return v.Updated.Sub(w.Seen).Round(time.Second).String()
}
