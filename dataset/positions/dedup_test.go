package positions

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/internal/datatest"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

// Duplicates are the same ones, and the bytes too, whether keys are compared in memory
// or on disk.
func TestDuplicatesInBoundedMemory(t *testing.T) {
	// Random games have few positions in common but in the beginning; so the same ones
	// come again, under other names.
	games := datatest.Games[dataset.GameRow](70, 60)
	for _, g := range datatest.Games[dataset.GameRow](70, 30) {
		g.Game++
		games = append(games, g)
	}
	r := gamesIn(t, games)
	for _, f := range []Filter{
		{Resolve: ResolveLeaf},
		{Resolve: ResolveKeep, KeepDuplicates: true, Sample: 1000, Seed: 4},
		{Resolve: ResolveKeep, PhaseShares: even, Seed: 4},
	} {
		var files []map[string]string
		var counts []Counts
		for _, limit := range []int{0, 1, 1500} {
			dir := t.TempDir()
			_, c, err := Extract(context.Background(), []*dataset.Reader[dataset.GameRow]{r}, dir,
				Config{Filter: f, NewResolver: toyResolve, Workers: 2, limit: limit})
			setup.Check(t, err)
			if c.SameMoves != 30 {
				t.Errorf("%d games twice", c.SameMoves)
			}
			if _, err := os.Stat(filepath.Join(dir, waitingDir)); !errors.Is(err, os.ErrNotExist) {
				t.Error("temporary files are left behind")
			}
			files, counts = append(files, datatest.Files(t, dir)), append(counts, c)
		}
		if !reflect.DeepEqual(files[0], files[1]) || !reflect.DeepEqual(files[0], files[2]) ||
			!reflect.DeepEqual(counts[0], counts[1]) || !reflect.DeepEqual(counts[0], counts[2]) {
			t.Errorf("%+v: %+v", f, counts)
		}
		if f.KeepDuplicates == (counts[0].Duplicate > 750) {
			t.Errorf("%+v: %d duplicates", f, counts[0].Duplicate)
		}
	}
}

// Every position is as likely to be taken as any other.
func TestSampleIsFair(t *testing.T) {
	const rows, take, times = 50, 20, 4000
	var taken [rows]int
	for seed := range uint64(times) {
		var counts Counts
		c := newSampler(&Filter{Sample: take, Seed: seed}, &counts)
		row := dataset.PositionRow{Board: board.StartPosition()}
		for range rows {
			c.count(&row)
		}
		c.settle()
		n := 0
		for i := range rows {
			if c.take(&row) {
				taken[i]++
				n++
			}
		}
		if n != take || counts.NotChosen != rows-take {
			t.Fatalf("%d taken", n)
		}
	}
	for i, n := range taken { // mean 1,600, standard deviation 31
		if n < 1450 || n > 1750 {
			t.Errorf("row %d was taken %d times of %d", i, n, times)
		}
	}
}

// keyPlayer is a player whose score is made of the position's key.
type keyPlayer struct {
	engine.Player
	asked func(key uint64)
}

func (p *keyPlayer) NewGame(uint64) error { return nil }
func (p *keyPlayer) Close() error         { return nil }

func (p *keyPlayer) Search(_ context.Context, g *board.Game, _ engine.Limits) (engine.Result, error) {
	key := g.Position().Key()
	p.asked(key)
	return engine.Result{Depth: 1, Score: engine.Score(key % 1000)}, nil
}

// keyScore is the score of a keyPlayer, White's view. A mated position is not searched.
func keyScore(p *board.Position) int16 {
	score := int16(p.Key() % 1000)
	if p.SideToMove() == board.Black {
		return -score
	}
	return score
}

// New scores come from the player, and an interrupted run asks for none twice.
func TestRescoreResumes(t *testing.T) {
	r := gamesIn(t, datatest.Games[dataset.GameRow](72, 60))
	asked := make(chan uint64, 1<<20)
	config := func(stop int, cancel func()) Config {
		return Config{Filter: Filter{Resolve: ResolveKeep, Relabel: "test"}, Workers: 2,
			NewPlayer: func() (engine.Player, error) {
				return &keyPlayer{asked: func(key uint64) {
					asked <- key
					if len(asked) == stop {
						cancel()
					}
				}}, nil
			}}
	}
	whole, cut := t.TempDir(), t.TempDir()
	_, counts, err := Extract(context.Background(), []*dataset.Reader[dataset.GameRow]{r}, whole, config(-1, nil))
	setup.Check(t, err)
	p := setup.Must(dataset.OpenPositions(whole))
	for row, err := range p.All() {
		if err != nil || row.Score != keyScore(&row.Board) {
			t.Fatalf("%+v, %v", row, err)
		}
	}
	if int64(len(asked)) != counts.Kept {
		t.Errorf("%d searches for %d rows", len(asked), counts.Kept)
	}
	clear := func() {
		for len(asked) > 0 {
			<-asked
		}
	}
	clear()
	ctx, cancel := context.WithCancel(context.Background())
	if _, _, err := Extract(ctx, []*dataset.Reader[dataset.GameRow]{r}, cut,
		config(3000, cancel)); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	clear()
	other := config(-1, nil)
	other.Filter.Relabel = "another"
	if _, _, err := Extract(context.Background(), []*dataset.Reader[dataset.GameRow]{r}, cut,
		other); !errors.Is(err, ErrOtherScores) || len(asked) > 0 {
		t.Fatalf("scores of another player were replaced: %v, %d searches", err, len(asked))
	}
	if _, _, err := Extract(context.Background(), []*dataset.Reader[dataset.GameRow]{r}, cut,
		config(-1, nil)); err != nil {
		t.Fatal(err)
	}
	if n := int64(len(asked)); n > counts.Kept-3000+8*scoreBlock || n < counts.Kept-3000 {
		t.Errorf("%d searches after 3,000 of %d", n, counts.Kept)
	}
	if !reflect.DeepEqual(datatest.Files(t, cut), datatest.Files(t, whole)) {
		t.Error("the bytes differ from an undisturbed run's")
	}
}

// A run that failed before its first score does not bind its folder.
func TestRescoreFailed(t *testing.T) {
	r, dir := gamesIn(t, datatest.Games[dataset.GameRow](72, 4)), t.TempDir()
	failed := errors.New("no such player")
	config := func(name string, open func() (engine.Player, error)) Config {
		return Config{Filter: Filter{Resolve: ResolveKeep, Relabel: name}, Workers: 2, NewPlayer: open}
	}
	_, _, err := Extract(t.Context(), []*dataset.Reader[dataset.GameRow]{r}, dir,
		config("one", func() (engine.Player, error) { return nil, failed }))
	if !errors.Is(err, failed) {
		t.Fatal(err)
	}
	_, counts, err := Extract(t.Context(), []*dataset.Reader[dataset.GameRow]{r}, dir,
		config("two", func() (engine.Player, error) { return &keyPlayer{asked: func(uint64) {}}, nil }))
	if err != nil || counts.Kept == 0 {
		t.Errorf("%v, %+v", err, counts)
	}
}

// Positions are refined as games' are.
func TestRefineIsExtractInTwoSteps(t *testing.T) {
	r := gamesIn(t, datatest.Games[dataset.GameRow](73, 80))
	f := Filter{Resolve: ResolveLeaf, MaxScore: 20000, MaxPerGame: 10, Seed: 9}
	one := t.TempDir()
	want, rows := extract(t, r, one, f, 2)
	all := t.TempDir()
	extract(t, r, all, Filter{Resolve: ResolveKeep, KeepDuplicates: true}, 2)
	p := setup.Must(dataset.OpenPositions(all))
	two := t.TempDir()
	_, got, err := Refine(context.Background(), []*dataset.Reader[dataset.PositionRow]{p}, two,
		Config{Filter: f, NewResolver: toyResolve})
	setup.Check(t, err)
	if got.Kept != want.Kept || got.Duplicate != want.Duplicate || got.NotSampled != want.NotSampled ||
		got.Games != want.Games {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	refined := setup.Must(dataset.OpenPositions(two))
	if again, err := datatest.ReadAll(refined); err != nil || !reflect.DeepEqual(again, rows) {
		t.Errorf("the rows differ; %v", err)
	}

	// Where the rows of a game are not together, they cannot be counted.
	mixed := t.TempDir()
	unsorted := setup.Must(datatest.ReadAll(p))
	datatest.Rand(1).Shuffle(len(unsorted), func(i, j int) { unsorted[i], unsorted[j] = unsorted[j], unsorted[i] })
	w, err := dataset.NewPositionWriter(mixed, dataset.WriterConfig{})
	datatest.Write(t, w, err, unsorted)
	p = setup.Must(dataset.OpenPositions(mixed))
	out := filepath.Join(t.TempDir(), "x")
	_, _, err = Refine(context.Background(), []*dataset.Reader[dataset.PositionRow]{p}, out,
		Config{Filter: f, NewResolver: toyResolve})
	if !errors.Is(err, dataset.ErrUngrouped) || !strings.Contains(err.Error(), mixed) {
		t.Errorf("shuffled: %v", err)
	}
	if _, err := os.Stat(out); !errors.Is(err, os.ErrNotExist) {
		t.Error("it leaves something behind")
	}
}

// The same games given twice are noticed, whatever the folder's name.
func TestGamesGivenTwice(t *testing.T) {
	games := datatest.Games[dataset.GameRow](74, 30)
	a, b := gamesIn(t, games), gamesIn(t, games)
	c := gamesIn(t, games[10:])
	for _, second := range []*dataset.Reader[dataset.GameRow]{a, b, c} {
		out := filepath.Join(t.TempDir(), "x")
		_, _, err := Extract(context.Background(), []*dataset.Reader[dataset.GameRow]{a, second}, out,
			Config{Filter: Filter{Resolve: ResolveKeep}})
		if !errors.Is(err, dataset.ErrDuplicate) || !strings.Contains(err.Error(), second.Path()) {
			t.Errorf("err = %v", err)
		}
		if _, err := os.Stat(out); !errors.Is(err, os.ErrNotExist) {
			t.Error("it leaves something behind")
		}
	}
}

// varied is a block of the positions before each move of a game, with the variations of a search.
func varied(t *testing.T, first int64, score int16, moves string, lines ...string) *rescoreJob {
	job := &rescoreJob{first: first}
	p := board.StartPosition()
	for i, text := range strings.Fields(moves) {
		job.rows = append(job.rows, dataset.PositionRow{Board: p, Ply: uint16(i), Score: score, Game: 7, Weight: 1})
		at := p
		var line []board.Move
		if i < len(lines) {
			for _, text := range strings.Fields(lines[i]) {
				m, err := at.ParseUCI(text)
				if err != nil {
					m = setup.Must(p.ParseUCI("a2a3")) // not legal there
				} else {
					at.Make(m)
				}
				line = append(line, m)
			}
		}
		job.lines = append(job.lines, line)
		p.Make(setup.Must(p.ParseUCI(text)))
	}
	return job
}

// Positions along variations have the labels of their row. Those of other rows, checks, mates and what follows an
// illegal move are left out. A process that was killed anywhere leaves what the next one needs.
func TestVariations(t *testing.T) {
	jobs := func() []*rescoreJob {
		return []*rescoreJob{
			varied(t, 0, 30, "e2e4 e7e5 g1f3", "e2e4 e7e5 d2d4", "e7e5 d2d4", "f1b5 c7c6 b5c4"),
			varied(t, 3, -40, "f2f3 e7e5 g2g4", "", "e7e6 g2g4 d8h4", "b1c3 a2a3 a7a6"),
			varied(t, 6, dataset.MateScore, "d2d4", "d2d4 d7d5"),
			varied(t, 7, -50, "e2e4 d7d5", "d2d4", "d7d6 f1b5 c8d7"),
		}
	}
	want := []string{
		"rnbqkbnr/pppp1ppp/8/4p3/3PP3/8/PPP2PPP/RNBQKBNR b KQkq - 0 2, ply 3, score 30",
		"rnbqkbnr/pppp1ppp/8/1B2p3/4P3/8/PPPP1PPP/RNBQK1NR b KQkq - 1 2, ply 3, score 30",
		"rnbqkbnr/pp1p1ppp/2p5/1B2p3/4P3/8/PPPP1PPP/RNBQK1NR w KQkq - 0 3, ply 4, score 30",
		"rnbqkbnr/pp1p1ppp/2p5/4p3/2B1P3/8/PPPP1PPP/RNBQK1NR b KQkq - 1 3, ply 5, score 30",
		"rnbqkbnr/pppp1ppp/4p3/8/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2, ply 2, score -40",
		"rnbqkbnr/pppp1ppp/4p3/8/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2, ply 3, score -40",
		"rnbqkbnr/pppp1ppp/8/4p3/8/2N2P2/PPPPP1PP/R1BQKBNR b KQkq - 1 2, ply 3, score -40",
		"rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1, ply 1, score -50",
		"rnbqkbnr/ppp1pppp/3p4/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2, ply 2, score -50",
		"rn1qkbnr/pppbpppp/3p4/1B6/4P3/8/PPPP1PPP/RNBQK1NR w KQkq - 2 3, ply 4, score -50",
	}
	for killed := range len(jobs()) + 1 {
		dir := t.TempDir()
		for run, process := range [][]*rescoreJob{jobs()[:killed], jobs()} {
			e := scorer(t, dir, "a", 4)
			e.Filter.PV = 4
			e.variations = setup.Must(dataset.NewPositionWriter(variationsDir(dir), dataset.WriterConfig{},
				dataset.ShardRows(3, 3)))
			e.varied = e.variations.Rows()
			s := setup.Must(e.openScores())
			for i, job := range process {
				again := run == 1 && i < killed
				if setup.Check(t, e.scored(s, s.recall(job))); job.known != again {
					t.Errorf("killed after %d blocks: block %d is known: %v", killed, i, job.known)
				}
			}
			if run == 1 {
				setup.Must(e.writer.Finish(nil))
				setup.Must(e.variations.Finish(nil))
			}
			setup.Check(t, errors.Join(e.variations.Close(), e.writer.Close(), s.journal.Close()))
		}
		var got []string
		for row, err := range setup.Must(dataset.OpenPositions(variationsDir(dir))).All() {
			setup.Check(t, err)
			got = append(got, fmt.Sprintf("%s, ply %d, score %d", row.Board.FEN(), row.Ply, row.Score))
		}
		if !slices.Equal(got, want) {
			t.Errorf("killed after %d blocks:\n%s", killed, strings.Join(got, "\n"))
		}
		if n := setup.Must(dataset.OpenPositions(dir)).Len(); n != 9 {
			t.Errorf("killed after %d blocks: %d rows", killed, n)
		}
	}
}
