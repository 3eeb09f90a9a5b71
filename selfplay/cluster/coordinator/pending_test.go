package coordinator

import (
	"slices"
	"testing"
)

// answers adds n units of a worker, and returns them and those that have to be checked.
func answers(e *pendingBatches, worker string, n int) (units, checks []*unit) {
	for range n {
		u := &unit{worker: worker}
		units = append(units, u)
		if e.add(worker, u) {
			checks = append(checks, u)
		}
	}
	return units, checks
}

// Each batch has one check, which may be any of its units; it counts when it is full and
// its check passed, and not before.
func TestEscrowOfBatches(t *testing.T) {
	picked := map[int]bool{}
	for range 200 {
		e := newPendingBatches(0.2)
		units, checks := answers(e, "anna", 5)
		others, _ := answers(e, "bert", 3)
		if e.size != 5 || len(checks) != 1 {
			t.Fatalf("batches of %d, %d checks", e.size, len(checks))
		}
		b := units[0].batch
		if e.release(b) != nil {
			t.Fatal("it counts without a check")
		}
		for _, u := range units {
			if u != checks[0] {
				e.pass(u) // of another unit than was asked for
			}
		}
		if e.release(b) != nil {
			t.Fatal("it counts by another unit's check")
		}
		e.pass(checks[0])
		if got := e.release(b); !slices.Equal(got, units) {
			t.Fatalf("%d units of %d count", len(got), len(units))
		}
		if e.release(others[0].batch) != nil {
			t.Fatal("another worker's batch counts")
		}
		picked[slices.Index(units, checks[0])] = true
	}
	if len(picked) != 5 {
		t.Errorf("in 200 batches of 5, %d places were checked", len(picked))
	}
}

// A batch that is not full waits, even if its check passed, until it is closed; closing
// asks for the check that it did not come to.
func TestEscrowIsClosed(t *testing.T) {
	asked := 0
	for range 100 {
		e := newPendingBatches(0.25)
		units, checks := answers(e, "anna", 2)
		for _, u := range checks {
			e.pass(u)
		}
		if e.release(units[0].batch) != nil {
			t.Fatal("an open batch counts")
		}
		late := e.closeAll()
		if len(checks)+len(late) != 1 || len(e.open) != 0 {
			t.Fatalf("%d and %d checks", len(checks), len(late))
		}
		for _, u := range late {
			asked++
			e.pass(u)
		}
		if got := e.release(units[0].batch); len(got) != 2 || len(e.batches) != 0 {
			t.Fatalf("%d units count, %d batches are left", len(got), len(e.batches))
		}
		if more, _ := answers(e, "anna", 1); more[0].batch == units[0].batch {
			t.Fatal("a closed batch takes more")
		}
	}
	if asked == 0 || asked == 100 {
		t.Errorf("%d of 100 checks were made at the end", asked)
	}
}

// Who is not believed loses all that is not yet passed, and nobody else anything.
func TestEscrowIsSeized(t *testing.T) {
	e := newPendingBatches(0.5)
	mallory, _ := answers(e, "mallory", 5)
	anna, checks := answers(e, "anna", 2)
	if got := e.discard("mallory"); len(got) != 5 {
		t.Errorf("%d of 5 units are seized", len(got))
	}
	for _, u := range mallory {
		e.pass(u)
		if u.batch != nil || e.release(u.batch) != nil {
			t.Error("a seized unit counts")
		}
	}
	e.pass(checks[0])
	if got := e.release(anna[0].batch); len(got) != 2 {
		t.Errorf("%d of anna's units count", len(got))
	}
	if e.discard("nobody") != nil {
		t.Error("nobody had something")
	}
}

func TestEscrowSizes(t *testing.T) {
	for share, want := range map[float64]int{0: 0, 0.02: 50, 0.05: 20, 0.3: 3, 1: 1, 2: 1} {
		if got := newPendingBatches(share).size; got != want {
			t.Errorf("share %v: batches of %d, want %d", share, got, want)
		}
	}
}
