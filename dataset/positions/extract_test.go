package positions

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/internal/datatest"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/syzygy"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/setup"
)

// toyResolve stands in for a quiescence search: it makes captures until there are
// none, always the last one listed.
func toyResolve() resolver {
	return func(p *board.Position) resolved {
		leaf := *p
		for !leaf.InCheck() {
			captures := leaf.LegalCaptures(nil)
			if len(captures) == 0 {
				break
			}
			leaf.Make(captures[len(captures)-1])
		}
		return resolved{Leaf: leaf, Changed: leaf != *p}
	}
}

func extract(t testing.TB, r *dataset.Reader[dataset.GameRow], dir string, f Filter, workers int) (Counts,
	[]dataset.PositionRow) {
	t.Helper()
	m, counts, err := Extract(context.Background(), []*dataset.Reader[dataset.GameRow]{r}, dir, Config{
		Filter: f, NewResolver: toyResolve, Workers: workers, Program: "test"})
	if err != nil {
		t.Fatal(err)
	}
	p := setup.Must(dataset.OpenPositions(dir))
	rows, err := datatest.ReadAll(p)
	if err != nil || int64(len(rows)) != counts.Kept || m.Rows != counts.Kept {
		t.Fatalf("%d rows, %d kept, manifest %d, %v", len(rows), counts.Kept, m.Rows, err)
	}
	return counts, rows
}

// Every position of the games is accounted for, and every row obeys the filter.
func TestExtractAccountsForEveryPosition(t *testing.T) {
	games := datatest.Games[dataset.GameRow](20, 150)
	r := gamesIn(t, games)
	plies := int64(0)
	for _, g := range games {
		plies += int64(len(g.Moves))
	}
	for _, f := range []Filter{
		{Resolve: ResolveLeaf, MaxScore: 20000},
		{Resolve: ResolveDrop},
		{Resolve: ResolveKeep, KeepDuplicates: true},
		{Resolve: ResolveKeep, MaxPerGame: 5, Seed: 3},
		{Resolve: ResolveKeep, MinPly: 16, QuietMove: true, MaxScore: 9999},
		{Resolve: ResolveLeaf, SkipPlies: 10, FewestPieces: 20, NeedScore: true},
	} {
		c, rows := extract(t, r, t.TempDir(), f, 2)
		sum := c.Opening + c.Early + c.InCheck + c.Unscored + c.MateScore + c.LargeScore + c.FewPieces + c.NotSampled +
			c.Noisy + c.NoisyMove + c.Forfeit + c.RuleDraw + c.BadLeaf + c.Duplicate + c.Kept
		if c.Games != 150 || c.Positions != plies || sum != plies {
			t.Errorf("%+v: %+v sums to %d of %d", f, c, sum, plies)
		}
		keys := map[uint64]bool{}
		perGame := map[uint64]int{}
		for i := range rows {
			p := &rows[i]
			keys[p.Board.Key()] = true
			if int(p.Ply) < f.MinPly {
				t.Fatalf("%+v: ply %d", f, p.Ply)
			}
			perGame[p.Game]++
			if p.Board.InCheck() || p.Score > dataset.MaxScore || p.Score < -dataset.MaxScore &&
				p.Score != dataset.NoScore {
				t.Fatalf("%+v: row %d is %+v", f, i, p)
			}
			if f.MaxScore > 0 && (int(p.Score) > f.MaxScore || int(p.Score) < -f.MaxScore) {
				t.Fatalf("%+v: score %d", f, p.Score)
			}
			if f.Resolve != ResolveKeep && len(p.Board.LegalCaptures(nil)) > 0 {
				t.Fatalf("%+v: not quiet: %s", f, p.Board.FEN())
			}
			if f.MaxPerGame > 0 && perGame[p.Game] > f.MaxPerGame {
				t.Fatalf("%d positions of a game", perGame[p.Game])
			}
		}
		if f.QuietMove != (c.NoisyMove > 0) {
			t.Errorf("%+v: %d noisy moves", f, c.NoisyMove)
		}
		if f.KeepDuplicates == (len(keys) == len(rows)) {
			t.Errorf("%+v: %d different of %d", f, len(keys), len(rows))
		}
		if replaced := f.Resolve == ResolveLeaf; replaced != (c.Replaced > 0) {
			t.Errorf("%+v: %d replaced", f, c.Replaced)
		}
	}
}

func TestExtractKeepsLabels(t *testing.T) {
	games := datatest.Games[dataset.GameRow](21, 20)
	_, rows := extract(t, gamesIn(t, games), t.TempDir(), Filter{Resolve: ResolveKeep, KeepDuplicates: true}, 1)
	next := 0
	for _, g := range games {
		for i, game := range g.Replay() {
			p := game.Position()
			if i == len(g.Moves) || i < int(g.OpeningPlies) || p.InCheck() || g.Scores[i] > dataset.MaxScore ||
				g.Scores[i] < -dataset.MaxScore {
				continue
			}
			want := dataset.PositionRow{Board: *p, Ply: uint16(p.Ply()), Score: g.Scores[i],
				Result: dataset.ResultOf(g.Result), Game: g.Game, Opening: g.Opening, Weight: 1}
			if next == len(rows) {
				t.Fatal("too few rows")
			}
			// Only the castling rights show that a position is of Chess960.
			if got := rows[next]; got != want && got.Board.Castling() != 0 {
				t.Fatalf("row %d is\n%+v, want\n%+v", next, got, want)
			}
			next++
		}
	}
	if next != len(rows) {
		t.Errorf("%d rows, want %d", len(rows), next)
	}
}

func TestExtractIsTheSameForAnyWorkersAndResumes(t *testing.T) {
	games := datatest.Games[dataset.GameRow](22, 300)
	r := gamesIn(t, games)
	f := Filter{Resolve: ResolveLeaf, MaxScore: 25000, MaxPerGame: 30, Seed: 5}
	one, three, cut := t.TempDir(), t.TempDir(), t.TempDir()
	c1, _ := extract(t, r, one, f, 1)
	c3, _ := extract(t, r, three, f, 3)
	if c1 != c3 || !reflect.DeepEqual(datatest.Files(t, one), datatest.Files(t, three)) {
		t.Errorf("one worker: %+v\nthree: %+v", c1, c3)
	}

	ctx, cancel := context.WithCancel(context.Background())
	_, _, err := Extract(ctx, []*dataset.Reader[dataset.GameRow]{r}, cut,
		Config{Filter: f, NewResolver: toyResolve, Program: "test",
			Progress: func(done, total int64, note string) {
				if total != 300 || note == "" {
					t.Errorf("progress %d of %d %q", done, total, note)
				}
				if done > 100 {
					cancel()
				}
			}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if m, err := durable.LoadManifest(cut); err != nil || m.Complete {
		t.Errorf("after the interruption: %+v, %v", m, err)
	}
	extract(t, r, cut, f, 2)
	if !reflect.DeepEqual(datatest.Files(t, one), datatest.Files(t, cut)) {
		t.Error("the resumed data set differs")
	}
	m, counts, err := Extract(context.Background(), []*dataset.Reader[dataset.GameRow]{r}, cut,
		Config{Filter: f, NewResolver: toyResolve, Program: "test"})
	if !errors.Is(err, dataset.ErrComplete) || counts != c1 || m == nil {
		t.Errorf("again: %+v, %v", counts, err)
	}
	other := f
	other.MaxPerGame = 31
	var diff *durable.ConfigChangedError
	_, _, err = Extract(context.Background(), []*dataset.Reader[dataset.GameRow]{r}, cut,
		Config{Filter: other, NewResolver: toyResolve, Program: "test"})
	if !errors.As(err, &diff) || diff.Field != "config.max_per_game" {
		t.Errorf("another filter: %v", err)
	}
}

// A real resume, after some shards: rows on disk are not written twice.
func TestExtractResumesAfterWholeShards(t *testing.T) {
	r := gamesIn(t, datatest.Games[dataset.GameRow](23, 60))
	f := Filter{Resolve: ResolveKeep}
	dir := t.TempDir()
	_, rows := extract(t, r, t.TempDir(), f, 1)
	id := setup.Must(r.ID())
	config := dataset.WriterConfig{Config: f, Program: "test", Parents: []string{id}}
	w := setup.Must(dataset.NewPositionWriter(dir, config, dataset.ShardRows(64, 256)))
	for i := range rows[:1000] {
		setup.Check(t, w.Append(&rows[i]))
	}
	if w.Rows() != 768 {
		t.Fatalf("%d rows", w.Rows())
	}
	w.Close()
	_, got := extract(t, r, dir, f, 2)
	if !reflect.DeepEqual(got, rows) {
		t.Errorf("%d rows after the resume, %d without", len(got), len(rows))
	}
}

func TestExtractPassesOnDamage(t *testing.T) {
	r := gamesIn(t, datatest.Games[dataset.GameRow](24, 40))
	path := filepath.Join(r.Path(), "games-00002.arrow")
	datatest.FlipBit(t, path, 3000)
	dir := t.TempDir()
	_, _, err := Extract(context.Background(), []*dataset.Reader[dataset.GameRow]{r}, dir,
		Config{Filter: Filter{Resolve: ResolveKeep}})
	if !errors.Is(err, durable.ErrDamaged) || !strings.Contains(err.Error(), path) {
		t.Errorf("err = %v", err)
	}
	if m, err := durable.LoadManifest(dir); err != nil || m.Complete {
		t.Errorf("half a data set is complete: %+v, %v", m, err)
	}
	if l, err := durable.TryLock(filepath.Join(dir, ".data.lock")); err != nil {
		t.Errorf("still locked: %v", err)
	} else {
		l.Unlock()
	}
	for _, bad := range []Filter{{}, {Resolve: "x"}, {Resolve: ResolveKeep, MaxScore: -1}} {
		if _, _, err := Extract(context.Background(), nil, t.TempDir(), Config{Filter: bad}); err == nil {
			t.Errorf("%+v accepted", bad)
		}
	}
}

// TestTablesCorrectResults checks that rows get the result that tablebases know, that only changed ones are counted
// of those that are kept, and that the sample by result sees the right results.
func TestTablesCorrectResults(t *testing.T) {
	tables := setup.Must(syzygy.NewJudge("../../engine/syzygy/testdata", true, nil))
	f := Filter{Resolve: ResolveKeep, All: true, Tables: tables}
	var counts Counts
	var group []dataset.PositionRow
	for _, fen := range []string{"8/8/8/8/8/4k3/8/KQ6 w - - 0 1", "8/8/8/8/3k4/8/4P3/4K3 w - - 0 1",
		"8/8/8/8/8/3k4/8/KR6 b - - 90 100", board.StartFEN} {
		p := setup.Must(board.ParseFEN(fen))
		group = append(group, dataset.PositionRow{Board: p, Result: 0, Game: 1, Weight: 1})
	}
	want := []struct {
		result    float32
		corrected bool
	}{{1, true}, {0.5, true}, {0.5, true}, {0, false}}
	for i, r := range f.refine(nil, group, nil, &counts) {
		if r.Result != want[i].result || r.corrected != want[i].corrected {
			t.Errorf("row %d: result %v, corrected %v; want %+v", i, r.Result, r.corrected, want[i])
		}
	}
}
