package gamelog

import (
	"path/filepath"
	"testing"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/internal/toy"
	"github.com/assay-chess/assay/selfplay/opening"
)

// watched is a journal that knows which games a power cut would leave.
type watched struct {
	journal
	appended, synced map[uint64]bool
}

func (w *watched) Append(v any) error {
	w.appended[v.(*selfplay.Result).Number] = true
	return w.journal.Append(v)
}

func (w *watched) Sync() error {
	for n := range w.appended {
		w.synced[n] = true
	}
	return w.journal.Sync()
}

// A pair counts once its games are on disk, not before; a finished run leaves none that is not.
func TestCountedGamesAreOnDisk(t *testing.T) {
	player := selfplay.Player{Spec: toy.Spec("a")}
	s := selfplay.Setup{
		Rules: selfplay.Rules{Limits: selfplay.Limits{Nodes: 1}, MaxPlies: 10, Opening: opening.Spec{Plies: 4}},
		Place: selfplay.Place{Out: filepath.Join(t.TempDir(), "run"), Open: toy.Open, Concurrency: 3}}
	if err := s.Complete("test", player); err != nil {
		t.Fatal(err)
	}
	openings, err := s.Openings(0)
	if err != nil {
		t.Fatal(err)
	}
	run, err := durable.OpenRun(s.Out, durable.RunInfo{Command: "test"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	disk := &watched{appended: map[uint64]bool{}, synced: map[uint64]bool{}}
	var p Pairs
	p = Pairs{Name: "test", Over: func() bool { return p.Counted() >= 40 },
		Guard: Guard{Names: []string{"a"}, Who: func(uint64, board.Color) int { return 0 }, Slots: 3},
		Count: func(pair []selfplay.Result) error {
			for _, g := range pair {
				if !disk.synced[g.Number] {
					t.Errorf("game %d counts, and is not on disk", g.Number)
				}
			}
			return nil
		}}
	err = p.keep(destination{Run: run, Identity: 1, Header: func(*selfplay.Result) Header {
		return Header{White: player, Black: player}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	disk.journal, p.games.journal = p.games.journal, disk
	series := s.Series(openings)
	series.End, series.Job = 100, func(n uint64) selfplay.Job { return s.Job(n, player, player) }
	if err := p.Play(t.Context(), series); err != nil {
		t.Fatal(err)
	}
	if err := p.games.journalize(&selfplay.Result{Number: 1000}); err != nil { // one that does not count any more
		t.Fatal(err)
	}
	if err := p.Finish(nil); err != nil || len(disk.synced) != len(disk.appended) || len(disk.synced) < 80 {
		t.Errorf("%d of %d games are on disk, %v", len(disk.synced), len(disk.appended), err)
	}
}
