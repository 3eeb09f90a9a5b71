package coordinator

import (
	"testing"
	"time"

	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// Workers get units in turn, each as many as it may have, and one that has none is idle.
func TestRooms(t *testing.T) {
	r := newRegistry(&Config{Program: "p", Lease: time.Hour, Log: func(string) {}})
	for _, name := range []string{"a", "b"} {
		hello(t, r, name, wire.Hello{Cores: 1})
		r.members[name].serving = true
	}
	if !r.rooms.idle() {
		t.Error("no worker is idle")
	}
	first, ok := r.rooms.take()
	second, also := r.rooms.take()
	if !ok || !also || first == second {
		t.Fatalf("%q, then %q", first, second)
	}
	if r.rooms.idle() {
		t.Error("a worker with a unit is idle")
	}
	taken := map[string]int{first: 1, second: 1}
	for worker, ok := r.rooms.take(); ok; worker, ok = r.rooms.take() {
		taken[worker]++
	}
	if taken[first] != r.quota(first) || taken[second] != r.quota(second) {
		t.Errorf("%v, want %d and %d", taken, r.quota(first), r.quota(second))
	}
	r.rooms.release(second, taken[second])
	hello(t, r, first, wire.Hello{Cores: 1, Run: r.run})
	hello(t, r, second, wire.Hello{Cores: 1, Run: r.run})
	if got := r.rooms.takeGreeted(); len(got) != 1 || got[0] != first {
		t.Errorf("units are compared with the hellos of %v; only %s has some", got, first)
	}
	if worker, ok := r.rooms.take(); !ok || worker != second {
		t.Errorf("%q has room, want %q", worker, second)
	}
}
