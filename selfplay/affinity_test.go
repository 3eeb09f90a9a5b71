//go:build linux

package selfplay

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/machine"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay/internal/toy"
)

// pinned is a player that notes where it is pinned to, and the cores that its thread may use.
type pinned struct {
	engine.Player
	note func(pinned, allowed int)
	core int
}

func (p *pinned) Pin(core int) { p.core = core }

func (p *pinned) Search(ctx context.Context, g *board.Game, lim engine.Limits) (engine.Result, error) {
	allowed, err := machine.AllowedCores()
	if len(allowed) != 1 {
		allowed = []int{-2}
	}
	p.note(p.core, allowed[0])
	r, errSearch := p.Player.Search(ctx, g, lim)
	return r, errors.Join(err, errSearch)
}

// Each worker of a Local has one core of the list: the programs of its players run there, and the worker
// itself if a player that has no program, b, searches in it.
func TestLocalPins(t *testing.T) {
	allowed := setup.Must(machine.AllowedCores())
	var mu sync.Mutex
	var seen []int
	inside := true // some player has no program
	open := func(spec engine.Spec) (engine.Player, error) {
		p := &pinned{Player: slowPlayer(t, 0), core: -1, note: func(pinned, thread int) {
			mu.Lock()
			defer mu.Unlock()
			switch {
			case spec.Name == "b":
				pinned = thread
			case inside && pinned != thread, !inside && thread >= 0 && len(allowed) > 1:
				t.Errorf("the program is pinned to %d, its thread to %d", pinned, thread)
			}
			seen = append(seen, pinned)
		}}
		if spec.Name == "b" {
			return struct{ engine.Player }{p}, nil
		}
		return limiting{p}, nil
	}
	for _, names := range [][2]string{{"w", "b"}, {"w", "c"}} {
		seen, inside = nil, names[1] == "b"
		l := &Local{Open: open, Workers: len(allowed), Cores: allowed}
		jobs, results := make(chan Task, 20), make(chan Result, 20)
		for n := range uint64(cap(jobs)) {
			jobs <- &Job{Number: n, Players: toy.Specs(names[0], names[1]), Limits: anyLimits, Plies: 4}
		}
		close(jobs)
		setup.Check(t, l.Run(t.Context(), jobs, results))
		if len(seen) != 80 || slices.ContainsFunc(seen, func(core int) bool { return !slices.Contains(allowed, core) }) {
			t.Errorf("%v: %d searches on cores %v, want 80 on some of %v", names, len(seen), seen, allowed)
		}
		if now, err := machine.AllowedCores(); err != nil || !slices.Equal(now, allowed) {
			t.Errorf("%v: afterwards %v, %v", names, now, err)
		}
	}
	l := &Local{Open: open, Workers: 2, Cores: allowed[:1]}
	if err := l.Run(t.Context(), nil, nil); !errors.Is(err, ErrConfig) {
		t.Errorf("one core for two workers: %v", err)
	}
}
