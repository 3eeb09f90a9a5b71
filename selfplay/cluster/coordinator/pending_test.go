package coordinator

import (
	"slices"
	"testing"
)

// answers adds n units of a worker, and returns them and those that have to be replayed.
func answers(e *pendingBatches, worker string, n int) (units, replays []*unit) {
	for range n {
		u := &unit{worker: worker}
		units = append(units, u)
		if e.add(worker, u) {
			replays = append(replays, u)
		}
	}
	return units, replays
}

// Each batch has one replay, which may be of any of its units. The batch counts when it is
// full and its replay has passed, and not before.
func TestBatchNeedsItsReplay(t *testing.T) {
	picked := map[int]bool{}
	for range 200 {
		e := newPendingBatches(0.2)
		units, replays := answers(e, "anna", 5)
		others, _ := answers(e, "bert", 3)
		if e.size != 5 || len(replays) != 1 {
			t.Fatalf("batches of %d, %d replays", e.size, len(replays))
		}
		b := units[0].batch
		if e.release(b) != nil {
			t.Fatal("the batch counts without a replay")
		}
		for _, u := range units {
			if u != replays[0] {
				e.pass(u) // not the unit to replay
			}
		}
		if e.release(b) != nil {
			t.Fatal("the batch counts by another unit's replay")
		}
		e.pass(replays[0])
		if got := e.release(b); !slices.Equal(got, units) {
			t.Fatalf("%d units of %d count", len(got), len(units))
		}
		if e.release(others[0].batch) != nil {
			t.Fatal("another worker's batch counts")
		}
		picked[slices.Index(units, replays[0])] = true
	}
	if len(picked) != 5 {
		t.Errorf("in 200 batches of 5, %d places were replayed", len(picked))
	}
}

// A batch that is not full waits until it is closed, even if its replay has passed. Closing
// it asks for a replay if there was none yet.
func TestClosingBatches(t *testing.T) {
	asked := 0
	for range 100 {
		e := newPendingBatches(0.25)
		units, replays := answers(e, "anna", 2)
		for _, u := range replays {
			e.pass(u)
		}
		if e.release(units[0].batch) != nil {
			t.Fatal("an open batch counts")
		}
		late := e.closeAll()
		if len(replays)+len(late) != 1 || len(e.open) != 0 {
			t.Fatalf("%d and %d replays", len(replays), len(late))
		}
		for _, u := range late {
			asked++
			e.pass(u)
		}
		if got := e.release(units[0].batch); len(got) != 2 || len(e.batches) != 0 {
			t.Fatalf("%d units count, %d batches are left", len(got), len(e.batches))
		}
		if more, _ := answers(e, "anna", 1); more[0].batch == units[0].batch {
			t.Fatal("a closed batch takes another unit")
		}
	}
	if asked == 0 || asked == 100 {
		t.Errorf("%d of 100 replays were asked for at the end", asked)
	}
}

// A banned worker loses all its pending units, other workers none.
func TestDiscardedUnits(t *testing.T) {
	e := newPendingBatches(0.5)
	mallory, _ := answers(e, "mallory", 5)
	anna, replays := answers(e, "anna", 2)
	if got := e.discard("mallory"); len(got) != 5 {
		t.Errorf("%d of 5 units are discarded", len(got))
	}
	for _, u := range mallory {
		e.pass(u)
		if u.batch != nil || e.release(u.batch) != nil {
			t.Error("a discarded unit counts")
		}
	}
	e.pass(replays[0])
	if got := e.release(anna[0].batch); len(got) != 2 {
		t.Errorf("%d of anna's units count", len(got))
	}
	if e.discard("carl") != nil {
		t.Error("units of an unknown worker")
	}
}

func TestBatchSizes(t *testing.T) {
	for share, want := range map[float64]int{0: 0, 0.02: 50, 0.05: 20, 0.3: 3, 1: 1, 2: 1} {
		if got := newPendingBatches(share).size; got != want {
			t.Errorf("share %v: batches of %d, want %d", share, got, want)
		}
	}
}
