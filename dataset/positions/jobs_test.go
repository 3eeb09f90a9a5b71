package positions

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/internal/datatest"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/setup"
)

// A run says how many times in a row a game comes.
type run struct {
	game uint64
	rows int
}

// positionsOf writes positions as a data set, and opens it.
func positionsOf(t *testing.T, runs ...run) *dataset.Reader[dataset.PositionRow] {
	t.Helper()
	var rows []dataset.PositionRow
	for _, r := range runs {
		for range r.rows {
			rows = append(rows, dataset.PositionRow{Board: board.StartPosition(), Score: 5, Weight: 1, Game: r.game})
		}
	}
	dir := t.TempDir()
	w, err := dataset.NewPositionWriter(dir, dataset.WriterConfig{})
	datatest.Write(t, w, err, rows)
	return setup.Must(dataset.OpenPositions(dir))
}

// Games go to the workers 64 at a time, in their order; the last job has the rest.
func TestJobsOfGames(t *testing.T) {
	games := datatest.Games[dataset.GameRow](40, 130)
	games[100].Start, games[100].Variant, games[100].Moves = games[3].Start, games[3].Variant, games[3].Moves
	games[100].Scores, games[100].OpeningPlies = games[3].Scores, games[3].OpeningPlies
	type readers = []*dataset.Reader[dataset.GameRow]
	for _, c := range []struct {
		name    string
		sources readers
		sizes   []int
		same    []int64 // games with the moves of an earlier one, by job
	}{
		{"none", nil, []int{0}, []int64{0}},
		{"one less", readers{gamesIn(t, games[:63])}, []int{63}, []int64{0}},
		{"exactly", readers{gamesIn(t, games[:64])}, []int{64, 0}, []int64{0, 0}},
		{"one more", readers{gamesIn(t, games[:65])}, []int{64, 1}, []int64{0, 0}},
		{"two sources", readers{gamesIn(t, games[:70]), gamesIn(t, games[70:])}, []int{64, 64, 2}, []int64{0, 1, 0}},
	} {
		var sizes []int
		var same []int64
		var ids []uint64
		send := func(job *extractJob) error {
			sizes, same = append(sizes, len(job.games)), append(same, job.counts.SameMoves)
			for _, g := range job.games {
				ids = append(ids, g.Game)
			}
			if job.size != int64(len(job.games)) {
				t.Errorf("%s: size %d of %d games", c.name, job.size, len(job.games))
			}
			return nil
		}
		if err := readGames(nil, c.sources, send); err != nil || !slices.Equal(sizes, c.sizes) ||
			!slices.Equal(same, c.same) {
			t.Errorf("%s: jobs of %v, same moves %v, %v; want %v, %v", c.name, sizes, same, err, c.sizes, c.same)
		}
		for i, id := range ids {
			if id != games[i].Game {
				t.Fatalf("%s: game %d has another place", c.name, i)
			}
		}
	}
}

// Positions go to the workers by whole games, at least 4,096 at a time; without games, exactly so many.
func TestJobsOfPositions(t *testing.T) {
	for _, c := range []struct {
		name string
		runs []run
		want string // rows of the groups of each job
	}{
		{"none", nil, "[]"},
		{"a row", []run{{1, 1}}, "[1]"},
		{"games", []run{{1, 3}, {2, 1}, {3, 5}}, "[3 1 5]"},
		{"a game twice", []run{{1, 3}, {2, 1}, {1, 5}}, "[3 1 5]"},
		{"no games between", []run{{0, 2}, {1, 3}, {0, 4}}, "[2 3 4]"},
		{"one short of a job", []run{{1, 4095}, {2, 1}, {3, 1}}, "[4095 1] [1]"},
		{"a job", []run{{1, 4096}, {2, 1}}, "[4096] [1]"},
		{"exactly a job", []run{{1, 4096}}, "[4096] []"},
		{"a long game", []run{{1, 5000}, {2, 1}}, "[5000] [1]"},
		{"not a job", []run{{1, 4095}}, "[4095]"},
		{"no games", []run{{0, 4096 + 4096 + 7}}, "[4096] [4096] [7]"},
		{"no games, one short", []run{{0, 4095}}, "[4095]"},
	} {
		var jobs []string
		err := readGroups(&Filter{}, []*dataset.Reader[dataset.PositionRow]{positionsOf(t, c.runs...)},
			func(job *extractJob) error {
				sizes, sum := []int{}, 0
				for _, g := range job.groups {
					sizes, sum = append(sizes, len(g)), sum+len(g)
					for _, r := range g {
						if r.Game != g[0].Game {
							t.Fatalf("%s: a group of several games", c.name)
						}
					}
				}
				if job.size != int64(sum) {
					t.Errorf("%s: size %d of %d rows", c.name, job.size, sum)
				}
				jobs = append(jobs, fmt.Sprint(sizes))
				return nil
			})
		if got := strings.Join(jobs, " "); err != nil || got != c.want {
			t.Errorf("%s: jobs %s, %v; want %s", c.name, got, err, c.want)
		}
	}
}

// With MaxPerGame the error names the folder and the first row that is not with its game.
func TestUngroupedRows(t *testing.T) {
	for _, c := range []struct {
		runs, more []run
		want       string // row; empty: no error
	}{
		{[]run{{1, 2}, {2, 3}}, []run{{3, 1}}, ""},
		{[]run{{1, 2}}, []run{{1, 2}}, ""},
		{[]run{{1, 2}, {2, 1}, {1, 1}}, nil, ", row 4: "},
		{[]run{{1, 2}, {0, 1}}, nil, ", row 3: "},
		{[]run{{0, 1}}, nil, ", row 1: "},
		{[]run{{1, 2}, {2, 1}}, []run{{3, 2}, {1, 1}}, ", row 3: "},
	} {
		sources := []*dataset.Reader[dataset.PositionRow]{positionsOf(t, c.runs...)}
		if c.more != nil {
			sources = append(sources, positionsOf(t, c.more...))
		}
		send := func(*extractJob) error { return nil }
		if err := readGroups(&Filter{}, sources, send); err != nil {
			t.Errorf("%v: without MaxPerGame: %v", c.runs, err)
		}
		err := readGroups(&Filter{MaxPerGame: 9}, sources, send)
		if c.want == "" {
			if err != nil {
				t.Errorf("%v, %v: %v", c.runs, c.more, err)
			}
			continue
		}
		if !errors.Is(err, dataset.ErrUngrouped) ||
			!strings.Contains(err.Error(), sources[len(sources)-1].Path()+c.want) {
			t.Errorf("%v, %v: %v, want%s", c.runs, c.more, err, c.want)
		}
	}
}

// Reading stops where a job is not taken.
func TestJobsStop(t *testing.T) {
	stop := errors.New("stop")
	games := []*dataset.Reader[dataset.GameRow]{gamesIn(t, datatest.Games[dataset.GameRow](41, 130))}
	rows := []*dataset.Reader[dataset.PositionRow]{positionsOf(t, run{1, 5000}, run{2, 4096}, run{3, 1})}
	for n := 1; n <= 3; n++ {
		for name, read := range map[string]func(func(*extractJob) error) error{
			"games":     func(send func(*extractJob) error) error { return readGames(nil, games, send) },
			"positions": func(send func(*extractJob) error) error { return readGroups(&Filter{}, rows, send) },
		} {
			sent := 0
			err := read(func(*extractJob) error {
				if sent++; sent == n {
					return stop
				}
				return nil
			})
			if !errors.Is(err, stop) || sent != n {
				t.Errorf("%s: %d jobs, %v; want %d", name, sent, err, n)
			}
		}
	}
}

// Progress counts the games of whole jobs, and says how many positions there are, or are compared.
func TestExtractProgress(t *testing.T) {
	r := gamesIn(t, datatest.Games[dataset.GameRow](42, 130))
	for _, f := range []Filter{{Resolve: ResolveKeep}, {Resolve: ResolveKeep, Sample: 100}} {
		var done []int64
		var notes []string
		_, c, err := Extract(t.Context(), []*dataset.Reader[dataset.GameRow]{r}, t.TempDir(),
			Config{Filter: f, Progress: func(n, of int64, note string) {
				if done, notes = append(done, n), append(notes, note); of != 130 {
					t.Errorf("%d of %d %s", n, of, note)
				}
			}})
		rows := c.Kept + c.NotChosen
		if err != nil || rows < 5000 || len(done) < 3 || !slices.Equal(done[:3], []int64{64, 128, 130}) ||
			notes[2] != fmt.Sprintf("%d positions", rows) {
			t.Fatalf("%v, %q, %v", done, notes, err)
		}
		if f.Sample == 0 {
			if len(done) != 3 {
				t.Errorf("%q", notes)
			}
			continue
		}
		if len(done) < 5 || done[4] != 130 || notes[4] != fmt.Sprintf("4096 of %d positions compared", rows) {
			t.Errorf("%v, %q; %d rows", done, notes, rows)
		}
	}
}

// Rows on disk are not written again. A data set with more rows than the games give was made from others.
func TestRowsOnDisk(t *testing.T) {
	r := gamesIn(t, datatest.Games[dataset.GameRow](43, 5))
	f := Filter{Resolve: ResolveKeep}
	_, rows := extract(t, r, t.TempDir(), f, 1)
	id := setup.Must(r.ID())
	for _, n := range []int{len(rows) / 2, len(rows) - 1, len(rows), len(rows) + 1} {
		dir := t.TempDir()
		config := dataset.WriterConfig{Config: f, Program: "test", Parents: []string{id}}
		w, err := dataset.NewPositionWriter(dir, config, dataset.ShardRows(n, n))
		for i := 0; i < n && err == nil; i++ {
			err = w.Append(&rows[i%len(rows)])
		}
		if err != nil || w.Rows() != int64(n) {
			t.Fatalf("%d rows, %v", n, err)
		}
		w.Close()
		if n <= len(rows) {
			if _, got := extract(t, r, dir, f, 2); !slices.Equal(got, rows) {
				t.Errorf("%d rows behind %d on disk, %d without", len(got), n, len(rows))
			}
			continue
		}
		_, _, err = Extract(t.Context(), []*dataset.Reader[dataset.GameRow]{r}, dir, Config{Filter: f, Program: "test"})
		want := fmt.Sprintf("%s has %d rows, but the games give %d: ", dir, n, len(rows))
		if !errors.Is(err, errGamesChanged) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// The manifest says how many rows of an unfinished parent were used, and names all parents in order.
func TestOriginOfRows(t *testing.T) {
	games := datatest.Games[dataset.GameRow](44, 40)
	half := t.TempDir()
	w, err := dataset.NewGameWriter(half, dataset.WriterConfig{Seed: 1}, dataset.ShardRows(5, 10))
	for i := 0; i < 25 && err == nil; i++ {
		err = w.Append(&games[i])
	}
	setup.Check(t, err)
	w.Close()
	first := setup.Must(dataset.OpenGames(half, dataset.Partial))
	sources := []*dataset.Reader[dataset.GameRow]{first, gamesIn(t, games[30:])}
	var ids []string
	for _, s := range sources {
		id := setup.Must(s.ID())
		ids = append(ids, id)
	}
	dir := t.TempDir()
	m, c, err := Extract(t.Context(), sources, dir, Config{Filter: Filter{Resolve: ResolveKeep, Seed: 8}, Program: "p"})
	if err != nil || c.Games != 30 || !slices.Equal(m.Parents, ids) || m.Seed != 8 || m.Program != "p" {
		t.Fatalf("%+v, %+v, %v", m, c, err)
	}
	config := strings.Join(strings.Fields(string(m.Config)), "")
	if want := fmt.Sprintf(`"unfinished":{"%s":20}`, ids[0]); !strings.Contains(config, want) {
		t.Errorf("%s has no %s", config, want)
	}
	m, _, err = Extract(t.Context(), sources[1:], t.TempDir(), Config{Filter: Filter{Resolve: ResolveKeep}})
	if err != nil || strings.Contains(string(m.Config), "unfinished") {
		t.Errorf("finished parents: %s, %v", m.Config, err)
	}
}

// A complete data set without a report is not taken for one of this run.
func TestCompleteWithoutReport(t *testing.T) {
	r, dir, f := gamesIn(t, datatest.Games[dataset.GameRow](45, 3)), t.TempDir(), Filter{Resolve: ResolveKeep}
	id := setup.Must(r.ID())
	w, err := dataset.NewPositionWriter(dir, dataset.WriterConfig{Config: f, Parents: []string{id}})
	datatest.Write(t, w, err, nil)
	m, _, err := Extract(t.Context(), []*dataset.Reader[dataset.GameRow]{r}, dir, Config{Filter: f})
	if err == nil || m != nil || errors.Is(err, dataset.ErrComplete) ||
		!strings.Contains(err.Error(), "the report in") {
		t.Errorf("%+v, %v", m, err)
	}
}

// Positions do not record moves, so that QuietMove is refused before anything is written.
func TestRefineRefusesQuietMove(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x")
	_, _, err := Refine(t.Context(), nil, dir, Config{Filter: Filter{Resolve: ResolveKeep, QuietMove: true}})
	if _, e := os.Stat(dir); !errors.Is(err, ErrNoMoves) || e == nil {
		t.Errorf("%v, the folder: %v", err, e)
	}
}

// What a killed process left in the folder of waiting rows goes, whether rows wait or not.
func TestWaitingRowsOfAKilledProcess(t *testing.T) {
	r := gamesIn(t, datatest.Games[dataset.GameRow](46, 5))
	for _, f := range []Filter{{Resolve: ResolveKeep}, {Resolve: ResolveKeep, Sample: 50}} {
		dir := t.TempDir()
		left := filepath.Join(dir, waitingDir)
		setup.Check(t, errors.Join(durable.MakeDir(left), durable.WriteFile(filepath.Join(left, "x"), nil)))
		c, _ := extract(t, r, dir, f, 2)
		if f.Sample > 0 && c.Kept != f.Sample {
			t.Errorf("%d rows", c.Kept)
		}
		if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("it is still there: %v", err)
		}
	}
}
