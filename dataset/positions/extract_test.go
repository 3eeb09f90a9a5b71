package positions

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/internal/datatest"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/syzygy"
	"github.com/assay-chess/assay/eval"
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
	setup.Check(t, err)
	p := setup.Must(dataset.OpenPositions(dir))
	rows, err := datatest.ReadAll(p)
	if err != nil || int64(len(rows)) != counts.Kept || m.Rows != counts.Kept {
		t.Fatalf("%d rows, %d kept, manifest %d, %v", len(rows), counts.Kept, m.Rows, err)
	}
	return counts, rows
}

// Every position of the games is accounted for, and every row obeys the filter. A sample has the wanted number of rows,
// of each phase in its share.
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
		{Resolve: ResolveKeep, PhaseShares: even, Seed: 1},
		{Resolve: ResolveKeep, PhaseShares: Bands{4, 3, 2, 1, 0}, Sample: 1001, Seed: 2},
		{Resolve: ResolveKeep, Sample: 3001, Seed: 2},
		{Resolve: ResolveKeep, Sample: 1 << 40},
	} {
		c, rows := extract(t, r, t.TempDir(), f, 2)
		sum := c.Opening + c.Early + c.InCheck + c.Unscored + c.MateScore + c.LargeScore + c.FewPieces + c.NotSampled +
			c.Noisy + c.NoisyMove + c.Forfeit + c.RuleDraw + c.BadLeaf + c.Duplicate + c.NotChosen + c.Kept
		if c.Games != 150 || c.Positions != plies || sum != plies {
			t.Errorf("%+v: %+v sums to %d of %d", f, c, sum, plies)
		}
		keys := map[uint64]bool{}
		perGame := map[uint64]int{}
		var phases Bands
		for i := range rows {
			p := &rows[i]
			keys[p.Board.Key()] = true
			phases[eval.PhaseBand(eval.Phase(&p.Board))]++
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
		if f.PhaseShares != (Bands{}) && phases != c.Taken || f.Sample > 0 && f.Sample < 1<<40 && c.Kept != f.Sample {
			t.Errorf("%+v: %d of the phases, want %d; %d rows", f, phases, c.Taken, c.Kept)
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

func TestExtractIsTheSameForAnyWorkersAndResumes(t *testing.T) {
	games := datatest.Games[dataset.GameRow](22, 300)
	r := gamesIn(t, games)
	f := Filter{Resolve: ResolveLeaf, MaxScore: 25000, MaxPerGame: 30, Seed: 5}
	one, three, cut := t.TempDir(), t.TempDir(), t.TempDir()
	c1, _ := extract(t, r, one, f, 1)
	c3, _ := extract(t, r, three, f, 3)
	if !reflect.DeepEqual(c1, c3) || !reflect.DeepEqual(datatest.Files(t, one), datatest.Files(t, three)) {
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
	if !errors.Is(err, dataset.ErrComplete) || !reflect.DeepEqual(counts, c1) || m == nil {
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

// Games that ended by a forfeit are no labels, unless they are wanted. Without any, the
// manifest is the same as before there was this filter.
func TestForfeitedGames(t *testing.T) {
	games := datatest.Games[dataset.GameRow](30, 40)
	none, _ := json.Marshal(Counts{Games: 3})
	if filter, _ := json.Marshal(DefaultFilter()); strings.Contains(string(filter)+string(none), "forfeit") {
		t.Errorf("the default adds to the identity: %s, %s", filter, none)
	}
	lost, plies := map[uint64]bool{}, int64(0)
	for i, why := range []string{"Time forfeit", "abandoned", "illegal-move", "time-forfeit", "Normal"} {
		g := &games[7*i]
		if g.Termination = why; why != "Normal" {
			lost[g.Game] = true
			plies += int64(len(g.Moves))
		}
	}
	f := Filter{Resolve: ResolveKeep, KeepDuplicates: true}
	c, rows := extract(t, gamesIn(t, games), t.TempDir(), f, 2)
	if text, _ := json.Marshal(c.Forfeits); c.Forfeit != plies ||
		string(text) != `{"abandoned":1,"illegal-move":1,"time-forfeit":2}` {
		t.Errorf("%d positions of %d dropped; %s", c.Forfeit, plies, text)
	}
	for i := range rows {
		if lost[rows[i].Game] {
			t.Fatalf("row %d is of a game that ended by a forfeit", i)
		}
	}
	f.KeepForfeits = true
	kept, all := extract(t, gamesIn(t, games), t.TempDir(), f, 2)
	if kept.Forfeit != 0 || !maps.Equal(kept.Forfeits, c.Forfeits) || kept.Kept <= c.Kept ||
		len(all) != int(kept.Kept) {
		t.Errorf("with KeepForfeits %+v", kept)
	}
}

// A position that the rules make a draw is dropped from won games, also as a leaf.
func TestDrawsByRuleAreDropped(t *testing.T) {
	group := func(result float32) (rows []dataset.PositionRow) {
		for _, fen := range []string{
			"4k3/8/8/8/8/8/8/4K3 w - - 0 60",
			"3k4/8/8/8/8/8/4R3/3K4 w - - 100 90",
			"4k3/8/8/3q4/8/2N5/8/4K3 w - - 0 9", // the leaf is king and knight against king
			"4k3/8/8/8/8/8/4P3/4K3 w - - 4 60",
		} {
			p := setup.Must(board.ParseFEN(fen))
			rows = append(rows, dataset.PositionRow{Board: p, Game: 1, Result: result, Weight: 1})
		}
		return rows
	}
	for _, result := range []float32{0, 0.5, 1} {
		var c Counts
		f := Filter{Resolve: ResolveLeaf}
		rows := f.refine(nil, group(result), toyResolve(), &c)
		want := int64(3)
		if result == 0.5 {
			want = 0
		}
		if c.RuleDraw != want || int64(len(rows)) != 4-want {
			t.Errorf("result %g: %d rows, %+v", result, len(rows), c)
		}
	}
}

var update = flag.Bool("update", false, "rewrite testdata")

// TestGoldenRows: the rows that filters keep of the same games, and what they count, are what testdata
// has. A seed chooses the same rows in every version.
func TestGoldenRows(t *testing.T) {
	games := datatest.Games[dataset.GameRow](90, 60)
	for i, why := range []string{"time forfeit", "abandoned"} {
		games[20*i].Termination = why
	}
	for _, g := range datatest.Games[dataset.GameRow](90, 10) { // the same games under other names
		g.Game++
		games = append(games, g)
	}
	r := gamesIn(t, games)
	var text strings.Builder
	for _, f := range []Filter{
		DefaultFilter(),
		{Resolve: ResolveKeep},
		{Resolve: ResolveKeep, KeepDuplicates: true, KeepForfeits: true},
		{Resolve: ResolveKeep, SkipPlies: 8, MinPly: 12, MaxScore: 9000, FewestPieces: 24, NeedScore: true},
		{Resolve: ResolveKeep, QuietMove: true, MaxPerGame: 6, Seed: 11},
		{Resolve: ResolveKeep, MaxPerGame: 6, Seed: 12},
		{Resolve: ResolveDrop, Sample: 40, Seed: 3},
		{Resolve: ResolveKeep, PhaseShares: even, Seed: 3},
		{Resolve: ResolveKeep, PhaseShares: Bands{3, 2, 0, 1, 4}, Sample: 77, Seed: 4},
		{Resolve: ResolveLeaf, DropLeafScore: true, NeedScore: true},
	} {
		c, rows := extract(t, r, t.TempDir(), f, 2)
		filter := setup.Must(json.Marshal(f))
		counts := setup.Must(json.Marshal(c))
		fmt.Fprintf(&text, "%s\n%s\n", filter, counts)
		sum := sha256.New()
		for i, p := range rows {
			line := fmt.Sprintf("%s, ply %d, score %d, result %g, game %016x\n",
				p.Board.FEN(), p.Ply, p.Score, p.Result, p.Game)
			sum.Write([]byte(line))
			if i < 3 {
				text.WriteString(line)
			}
		}
		fmt.Fprintf(&text, "%d rows, %.8x\n\n", len(rows), sum.Sum(nil))
	}
	path := filepath.Join("testdata", "rows.txt")
	if *update {
		setup.Check(t, os.MkdirAll("testdata", 0o777))
		setup.Check(t, os.WriteFile(path, []byte(text.String()), 0o666))
	}
	want := setup.Must(os.ReadFile(path))
	if got := text.String(); got != string(want) {
		had, have := strings.Split(string(want), "\n"), strings.Split(got, "\n")
		for i, line := range have {
			if i >= len(had) || line != had[i] {
				t.Fatalf("%s, line %d is now\n%s\n(if that is wanted: go test -update)", path, i+1, line)
			}
		}
		t.Fatalf("%s is now shorter", path)
	}
}

// gamesIn writes games as a data set with many shards and opens it.
func gamesIn(t testing.TB, games []dataset.GameRow) *dataset.Reader[dataset.GameRow] {
	t.Helper()
	dir := t.TempDir()
	w, err := dataset.NewGameWriter(dir, dataset.WriterConfig{Seed: 7}, dataset.ShardRows(5, 10))
	datatest.Write(t, w, err, games)
	return setup.Must(dataset.OpenGames(dir))
}
