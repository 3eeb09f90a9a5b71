package report

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assay-chess/assay/cmd/internal/doc"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/internal/durable"
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
		if w.State == coordinator.Working {
			w.State = coordinator.Gone
		}
	}
	return r, nil
}

// workers adds the section about the workers, if the run has any. A list that cannot be
// read is shown as such, and is no error: no result depends on it.
func (b *builder) workers() {
	running := b.report.Status.State == durable.Running
	list, err := readWorkers(b.dir, b.report.Status.State)
	switch {
	case err != nil:
		b.add("workers", "Workers", []doc.Part{{Text: []string{fmt.Sprintf("The list of workers cannot be read: %v.", err)}}})
	case list != nil:
		b.add("workers", "Workers", append([]doc.Part{describeWorkers(list, running)}, compare(list, readResiduals(b.dir))...))
	}
}

// describeWorkers describes the workers of a run, those at work first.
func describeWorkers(list *coordinator.Snapshot, running bool) doc.Part {
	order := []coordinator.State{coordinator.Working, coordinator.Refused, coordinator.Gone}
	slices.SortStableFunc(list.Workers, func(a, b coordinator.WorkerStatus) int {
		return cmp.Or(slices.Index(order, a.State)-slices.Index(order, b.State), cmp.Compare(a.Name, b.Name))
	})
	t := ui.Table{Head: []string{"worker", "state", ">units", ">share", ">last seen", ">failures", ">replays", ">cores",
		"version"}}
	present, cores, units := 0, 0, int64(0)
	for _, w := range list.Workers {
		units += w.Units
	}
	for _, w := range list.Workers {
		if w.State == coordinator.Working {
			present++
			cores += w.Cores
		}
		program := w.Program
		if w.System != "" {
			program += ", " + w.System
		}
		t.Add("%s\t%s\t%d\t%s\t%s ago\t%d\t%d\t%d\t%s", w.Name, strings.TrimSpace(string(w.State)+" "+w.Reason), w.Units,
			percent(float64(w.Units)/float64(max(1, units)), 1), list.Updated.Sub(w.Seen).Round(time.Second), w.Failures,
			w.Replays, w.Cores, program)
	}
	text := "No worker is at work: the run has stopped"
	if running {
		text = fmt.Sprintf("%d at work with %d cores", present, cores)
	}
	return doc.Part{Tables: []ui.Table{t}, Text: []string{fmt.Sprintf("%s; %d units answered since the coordinator last "+
		"started. As of %s.", text, units, list.Updated.UTC().Format("2006-01-02 15:04:05 UTC"))},
		Notes: []string{"A unit is a game or the check of an opening, and a share that of all units since the coordinator " +
			"started. A failure is a unit that the worker could not play; replays counts its games that a second worker played, " +
			"too, with the same moves."}}
}

// compare compares the workers by the games of the run, if clocks, forfeits or residuals say anything beyond what
// replays show.
func compare(list *coordinator.Snapshot, r *residuals) []doc.Part {
	t := ui.Table{Head: []string{"worker", ">bench, nodes/s", ">games", ">residual of scores", ">forfeits",
		">residual of forfeits"}}
	says := false
	for _, w := range list.Workers {
		games, speed := 0.0, ""
		for _, own := range r.workers[w.Name] {
			games += own.games
		}
		if games == 0 {
			continue
		}
		if w.Speed > 0 {
			speed = fmt.Sprintf("%.0f", w.Speed)
		}
		score, faulty, forfeits := r.of(w.Name)
		says = says || w.Speed > 0 || forfeits > 0 || math.Abs(score) > 3
		t.Add("%s\t%s\t%.0f\t%+.1f\t%.0f\t%+.1f", w.Name, speed, games, score, forfeits, faulty)
	}
	if !says {
		return nil
	}
	return []doc.Part{{Title: "Do the workers play alike?", Tables: []ui.Table{t}, Notes: []string{"Games with clocks cannot " +
		"be checked by replaying them. A slower worker gets longer clocks instead, in proportion to the speed of its cores " +
		"in the bench. A residual says by how many standard errors a worker's games, all of the run, differ from those of " +
		"all workers in the same pairings. Beyond about 3, its machine plays differently."}}}
}
