package coordinator

import (
	"container/heap"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// game is a unit that a worker plays until a time, in seconds.
type game struct {
	until, took, expected float64
	of                    *share
	worker                string
}

type games []*game

func (g games) Len() int           { return len(g) }
func (g games) Less(i, j int) bool { return g[i].until < g[j].until }
func (g games) Swap(i, j int)      { g[i], g[j] = g[j], g[i] }
func (g *games) Push(x any)        { *g = append(*g, x.(*game)) }
func (g *games) Pop() any {
	old := *g
	x := old[len(old)-1]
	*g = old[:len(old)-1]
	return x
}

// simulate has workers play games of the shares, whose mean times are given, for that many
// seconds. All shares have units that wait, from their start on.
func simulate(p *pool, mean map[*share]float64, start map[*share]float64, seconds float64) {
	rng := rand.New(rand.NewPCG(1, 2))
	var playing games
	now := 0.
	for now < seconds {
		for given := true; given; {
			given = false
			for s, m := range mean {
				if now < start[s] {
					continue
				}
				s.wait(1)
				worker, ok := s.take()
				if !ok {
					continue
				}
				took := m * (0.5 + rng.Float64())
				heap.Push(&playing, &game{until: now + took, took: took, expected: s.charge(false),
					of: s, worker: worker})
				given = true
			}
		}
		g := heap.Pop(&playing).(*game)
		now = g.until
		g.end()
	}
	for _, g := range playing {
		g.end()
	}
}

// end has the game's worker answer.
func (g *game) end() {
	g.of.settle(g.expected, false, time.Duration(g.took*float64(time.Second)))
	g.of.release(g.worker, 1)
	g.of.pool.room(g.worker)
}

func testPool(t testing.TB, workers, cores int) *pool {
	t.Helper()
	r := newRegistry(&Config{Program: "p", Lease: time.Hour, Log: func(string) {}})
	p := r.pool
	for i := range workers {
		name := fmt.Sprint("w", i)
		hello(t, r, name, wire.Hello{Cores: cores})
		r.members[name].serving = true
		r.members[name].Seen = time.Now().Add(time.Hour) // the tests do not depend on the machine's load
		p.room(name)
	}
	return p
}

// Each run gets seconds of play in proportion to its weight, however long its games take.
// One that comes later gets its share from then on, and no more.
func TestSharesFollowTheWeights(t *testing.T) {
	p := testPool(t, 10, 2)
	short, long, late := p.join(4, 0), p.join(2, 0), p.join(2, 0)
	simulate(p, map[*share]float64{short: 1, long: 60, late: 5}, map[*share]float64{late: 8_000}, 8_000)
	if ratio := short.played / long.played; math.Abs(ratio-2) > 0.1 {
		t.Errorf("of weights 4 and 2: %.0f and %.0f seconds, ratio %.3f", short.played, long.played, ratio)
	}
	before := [3]float64{short.played, long.played, late.played}
	simulate(p, map[*share]float64{short: 1, long: 60, late: 5}, nil, 16_000)
	all := short.played + long.played + late.played - before[0] - before[1] - before[2]
	for s, want := range map[*share]float64{short: 0.5, long: 0.25, late: 0.25} {
		var was float64
		switch s {
		case short:
			was = before[0]
		case long:
			was = before[1]
		default:
			was = before[2]
		}
		if got := (s.played - was) / all; math.Abs(got-want) > 0.03 {
			t.Errorf("weight %v: %.3f of all seconds, want %.3f", s.weight, got, want)
		}
	}
}

// A run uses no more cores than it may, and leaves the rest to others. A run that workers
// decline does not keep them from others.
func TestSharesAreBounded(t *testing.T) {
	p := testPool(t, 5, 2)
	bounded, other := p.join(100, 3), p.join(1, 0)
	bounded.wait(100)
	other.wait(100)
	n := map[*share]int{}
	for range 40 {
		for _, s := range []*share{bounded, other} {
			if _, ok := s.take(); ok {
				s.charge(false)
				n[s]++
			}
		}
	}
	if n[bounded] != 3 || n[other] != 20-3 {
		t.Errorf("a run that may use 3 of 20 places has %d, the other %d", n[bounded], n[other])
	}
	p = testPool(t, 5, 2)
	picky, other := p.join(100, 0), p.join(1, 0)
	picky.wait(1)
	other.wait(100)
	for i := range 5 {
		picky.exclude(fmt.Sprint("w", i), "it has no such engine")
	}
	if _, ok := picky.take(); ok {
		t.Error("a worker that declined gets a unit")
	}
	if _, ok := other.take(); !ok {
		t.Error("workers that declined the units of one run get none of another")
	}
}

// A run that waits for all games of an iteration before it begins the next has its share too,
// though its games wait behind others that workers already have, and so has one that has no
// games for a fifth of each second. The first games are charged far too much, because no one
// knows how long games take.
func TestSharesOutlastPauses(t *testing.T) {
	const batch = 8
	p := testPool(t, 3, 1)
	line := map[string][]*game{} // what each worker has, the one that it plays first
	double, single, waits := p.join(2, 0), p.join(1, 0), p.join(1, 0)
	left, under, now := batch, 0, 0. // of the iteration: games to send, games under way
	rng := rand.New(rand.NewPCG(3, 4))
	for now < 60 {
		for given := true; given; {
			given = false
			for _, s := range []*share{double, single, waits} {
				n := 1
				if s == waits {
					n = left
				}
				if s == double && math.Mod(now, 1) < 0.2 {
					n = 0
				}
				s.wait(n)
				worker, ok := "", false
				if n > 0 {
					worker, ok = s.take()
				}
				if !ok {
					continue
				}
				if given = true; s == waits {
					left--
					under++
					s.wait(left)
				}
				g := &game{took: 0.02 * (0.5 + rng.Float64()), expected: s.charge(false), of: s, worker: worker}
				if line[worker] = append(line[worker], g); len(line[worker]) == 1 {
					g.until = now + g.took
				}
			}
		}
		var g *game
		for _, l := range line {
			if len(l) > 0 && (g == nil || l[0].until < g.until) {
				g = l[0]
			}
		}
		now = g.until
		line[g.worker] = line[g.worker][1:]
		if l := line[g.worker]; len(l) > 0 {
			l[0].until = now + l[0].took
		}
		g.end()
		if g.of == waits {
			if under--; left == 0 && under == 0 {
				left = batch
			}
		}
	}
	all := double.played + single.played + waits.played
	for s, want := range map[*share]float64{double: 0.5, single: 0.25, waits: 0.25} {
		if got := s.played / all; math.Abs(got/want-1) > 0.05 {
			t.Errorf("%.3f of all seconds, want %.2f", got, want)
		}
	}
}

// A run that is busy, for example with its disk, keeps the room that it was granted, and no
// other waits for it: all others go on with theirs.
func TestSharesOutlastABusyRun(t *testing.T) {
	p := testPool(t, 100, 1)
	busy, other := p.join(1, 0), p.join(1, 0)
	busy.wait(1000)
	other.wait(1000)
	n, playing := 0, []*game{}
	for range 1000 {
		for worker, ok := other.take(); ok; worker, ok = other.take() {
			playing = append(playing, &game{took: 1, expected: other.charge(false), of: other, worker: worker})
			n++
		}
		if len(playing) == 0 {
			break
		}
		playing[0].end()
		playing = playing[1:]
	}
	if n < 1000-maxGrants {
		t.Errorf("%d units beside a run that takes none of its room", n)
	}
	for kept := range maxGrants {
		if _, ok := busy.take(); !ok {
			t.Fatalf("the busy run has room for %d units when it goes on, want %d", kept, maxGrants)
		}
		busy.charge(false)
	}
	busy.wait(0)
	if held := p.seats["w0"].held; held > 2 || len(busy.grants) > 0 || busy.held != maxGrants {
		t.Errorf("a run without units keeps %d grants, and has %d units; a worker has %d",
			len(busy.grants), busy.held, held)
	}
}

// A hello concerns only the runs whose units the worker has, however many there are.
func TestHellosReachTheRunsConcerned(t *testing.T) {
	p := testPool(t, 2, 1)
	shares := []*share{p.join(1, 0), p.join(1, 0), p.join(1, 0)}
	shares[1].wait(1)
	worker, ok := shares[1].take()
	if !ok {
		t.Fatal("no room")
	}
	for _, name := range []string{"w0", "w1"} {
		hello(t, p.registry, name, wire.Hello{Cores: 1})
	}
	for i, s := range shares {
		if got := s.takeGreeted(); len(got) > 0 != (i == 1) || i == 1 && got[0] != worker {
			t.Errorf("run %d compares its units with the hellos of %v; only run 1 has any, at %s", i, got, worker)
		}
	}
}

// BenchmarkShares measures what it costs to find the run and the worker for a unit, with a
// thousand workers and sixteen runs, all of which have units that wait.
func BenchmarkShares(b *testing.B) {
	p := testPool(b, 1000, 1)
	var shares []*share
	for range 16 {
		shares = append(shares, p.join(1, 0))
	}
	var playing []*game
	hand := func(s *share) {
		s.wait(13_500)
		for worker, ok := s.take(); ok; worker, ok = s.take() {
			playing = append(playing, &game{took: 1, expected: s.charge(false), of: s, worker: worker})
		}
		s.wait(13_500)
	}
	for len(playing) < 2000 {
		for _, s := range shares {
			hand(s)
		}
	}
	for b.Loop() {
		g := playing[0]
		playing = playing[1:]
		g.end()
		hand(g.of)
		for len(playing) < 1900 {
			for _, s := range shares {
				hand(s)
			}
		}
	}
}
