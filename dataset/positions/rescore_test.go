package positions

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/setup"
)

// scriptPlayer is a player whose searches a function answers.
type scriptPlayer struct {
	engine.Player
	newGame error
	answer  func(search int) (engine.Score, error)
	asked   int
	closed  bool
}

func (p *scriptPlayer) NewGame(uint64) error { return p.newGame }
func (p *scriptPlayer) Close() error         { p.closed = true; return nil }

func (p *scriptPlayer) Search(context.Context, *board.Game, engine.Limits) (engine.Result, error) {
	p.asked++
	score, err := p.answer(p.asked)
	return engine.Result{Score: score}, err
}

// block is a job of n positions from a row on.
func block(first int64, n int) *rescoreJob {
	job := &rescoreJob{first: first, rows: make([]dataset.PositionRow, n)}
	for i := range job.rows {
		job.rows[i] = dataset.PositionRow{Board: board.StartPosition(), Ply: uint16(i), Score: 1, Weight: 1}
	}
	return job
}

// A player without scores is noticed in the first block and in every whole one; a short last block
// may have none. Blocks whose scores are known are not searched.
func TestPlayerWithoutScores(t *testing.T) {
	none := func(int) (engine.Score, error) { return engine.NoScore, nil }
	last := func(search int) (engine.Score, error) {
		if search == 3 {
			return 40, nil
		}
		return engine.NoScore, nil
	}
	known := block(0, 5)
	known.known = true
	for _, c := range []struct {
		name   string
		answer func(int) (engine.Score, error)
		jobs   []*rescoreJob
		bad    int // rows of the block that the error is about; 0: no error
		asked  int
	}{
		{"short first block", none, []*rescoreJob{block(0, 3)}, 3, 3},
		{"short first block with one", last, []*rescoreJob{block(0, 3)}, 0, 3},
		{"first block with one in the middle", last, []*rescoreJob{block(0, 5)}, 0, 5},
		{"short later block", none, []*rescoreJob{block(scoreBlock, scoreBlock-1)}, 0, scoreBlock - 1},
		{"whole later block", none, []*rescoreJob{block(scoreBlock, scoreBlock)}, scoreBlock, scoreBlock},
		{"first row but one", none, []*rescoreJob{block(1, 3)}, 0, 3},
		{"the second of two", last, []*rescoreJob{block(0, 3), block(3, scoreBlock), block(300, 9)}, scoreBlock,
			3 + scoreBlock},
		{"known", none, []*rescoreJob{known, block(5, 2)}, 0, 2},
	} {
		p := &scriptPlayer{answer: c.answer}
		e := &extraction{Config: Config{NewPlayer: func() (engine.Player, error) { return p, nil }}}
		err := e.search(t.Context(), slices.Values(c.jobs))
		want := fmt.Sprintf("not of any of %d, such as %s", c.bad, board.StartFEN)
		if c.bad == 0 && err != nil ||
			c.bad > 0 && (!errors.Is(err, ErrNoScores) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", c.name, err)
		}
		if p.asked != c.asked || !p.closed {
			t.Errorf("%s: %d searches, want %d; closed: %v", c.name, p.asked, c.asked, p.closed)
		}
	}
	if known.rows[0].Score != 1 {
		t.Error("a known score was changed")
	}
	job := block(0, 4)
	e := &extraction{}
	e.NewPlayer = func() (engine.Player, error) { return &scriptPlayer{answer: last}, nil }
	if err := e.search(t.Context(), slices.Values([]*rescoreJob{job})); err != nil || job.rows[2].Score != 40 ||
		job.rows[1].Score != dataset.NoScore || job.rows[3].Score != dataset.NoScore {
		t.Errorf("%v: %+v", err, job.rows)
	}
}

// An error of a player names the position.
func TestPlayerFails(t *testing.T) {
	failed := errors.New("no answer")
	for _, p := range []*scriptPlayer{
		{newGame: failed},
		{answer: func(n int) (engine.Score, error) {
			if n == 2 {
				return 0, failed
			}
			return 7, nil
		}},
	} {
		e := &extraction{Config: Config{NewPlayer: func() (engine.Player, error) { return p, nil }}}
		err := e.search(t.Context(), slices.Values([]*rescoreJob{block(0, 3)}))
		if !errors.Is(err, failed) || !strings.Contains(err.Error(), board.StartFEN) || p.asked > 2 || !p.closed {
			t.Errorf("%v after %d searches", err, p.asked)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	p := &scriptPlayer{answer: func(int) (engine.Score, error) { cancel(); return 7, nil }}
	row := block(0, 1).rows[0]
	if _, _, err := new(extraction).scoreOf(ctx, p, &row.Board); !errors.Is(err, context.Canceled) {
		t.Errorf("a search that was cut short: %v", err)
	}
}

// journalOf lists the lines of scores in a folder: the first row and the number of each.
func journalOf(t *testing.T, dir string) string {
	t.Helper()
	list := []string{}
	setup.Check(t, durable.ReadJournal(filepath.Join(dir, scoresName), func(line []byte) error {
		text, _, _ := strings.Cut(string(line), `,"crc"`)
		if strings.Contains(text, "config") {
			text = "config"
		} else {
			before, scores, _ := strings.Cut(text, `,"scores":[`)
			text = fmt.Sprintf("%s %d", strings.TrimPrefix(before, `{"first":`), 1+strings.Count(scores, ","))
		}
		list = append(list, text)
		return nil
	}))
	return strings.Join(list, "; ")
}

// scorer returns an extraction that writes shards of a number of rows into dir.
func scorer(t *testing.T, dir, program string, shard int) *extraction {
	t.Helper()
	w := setup.Must(dataset.NewPositionWriter(dir, dataset.WriterConfig{}, dataset.ShardRows(shard, shard)))
	t.Cleanup(func() { w.Close() })
	return &extraction{writer: w, skip: w.Rows(), identity: dataset.WriterConfig{Program: program}}
}

// Scores stay in the journal until their rows are in a shard. Progress counts rows; their number is
// known only if all are kept.
func TestJournalOfScores(t *testing.T) {
	dir := t.TempDir()
	e := scorer(t, dir, "a", 5)
	s := setup.Must(e.openScores())
	defer func() { s.journal.Close() }()
	var progress []string
	e.total = 99
	e.Progress = func(done, total int64, note string) {
		progress = append(progress, fmt.Sprintf("%d of %d %s", done, total, note))
	}
	for _, c := range []struct {
		first int64
		n     int
		all   bool
		lines string
		rows  int64
	}{
		{0, 2, false, "config; 0 2", 0},
		{2, 2, true, "config; 0 2; 2 2", 0},
		{4, 1, false, "config", 5},
		{5, 4, false, "config; 5 4", 5},
		{9, 3, false, "config", 10},
	} {
		e.Filter.All = c.all
		setup.Check(t, e.scored(s, block(c.first, c.n)))
		if got := journalOf(t, dir); got != c.lines || e.writer.Rows() != c.rows || s.shards != c.rows {
			t.Errorf("after row %d: %s, %d rows, want %s, %d", c.first, got, e.writer.Rows(), c.lines, c.rows)
		}
	}
	known := block(12, 1)
	known.known = true
	if err := e.scored(s, known); err != nil || journalOf(t, dir) != "config" {
		t.Errorf("scores from the journal go there again: %s, %v", journalOf(t, dir), err)
	}
	want := []string{"2 of 0 positions searched", "4 of 99 positions searched", "5 of 0 positions searched",
		"9 of 0 positions searched", "12 of 0 positions searched", "13 of 0 positions searched"}
	if !slices.Equal(progress, want) {
		t.Errorf("%q", progress)
	}
	e.Progress = nil
	bad := block(13, 1)
	bad.rows[0].Weight = -1
	if err := e.scored(s, bad); err == nil {
		t.Error("a row that is not valid was written")
	}
	if err := e.scored(s, block(14, 1)); err != nil {
		t.Error(err)
	}
}

// A journal of the same configuration is read again, from the rows on that are in no shard. One of
// another configuration is replaced if it holds no score, and a damaged one always.
func TestOpenScores(t *testing.T) {
	for _, c := range []struct {
		name, config string
		scores       bool // the process ended with scores
		damage       bool
		shard        int
		known        []int64
		lines        string
		other        string // what an error says
	}{
		{"again", "a", true, false, 100, []int64{0, 3, 6}, "config; 0 3; 3 3; 6 2", ""},
		{"none", "a", false, false, 100, nil, "config", ""},
		{"other", "b", true, false, 100, nil, "config; 0 3; 3 3; 6 2", "of 8 positions"},
		{"other, none", "b", false, false, 100, nil, "config", ""},
		{"damaged", "a", true, true, 100, nil, "config", ""},
		{"other, damaged", "b", true, true, 100, nil, "config", ""},
	} {
		dir := t.TempDir()
		e := scorer(t, dir, "a", c.shard)
		s, err := e.openScores()
		setup.Check(t, err)
		if c.scores {
			for _, job := range []*rescoreJob{block(0, 3), block(3, 3), block(6, 2)} {
				setup.Check(t, e.scored(s, job))
			}
		}
		setup.Check(t, errors.Join(s.journal.Close(), e.writer.Close()))
		if c.damage {
			path := filepath.Join(dir, scoresName)
			data := setup.Must(os.ReadFile(path))
			data[len(data)-12] ^= 1
			setup.Check(t, os.WriteFile(path, data, 0o666))
		}
		s, err = scorer(t, dir, c.config, c.shard).openScores()
		if c.other != "" {
			if !errors.Is(err, ErrOtherScores) || !strings.Contains(err.Error(), c.other) ||
				journalOf(t, dir) != c.lines {
				t.Errorf("%s: %v; %s", c.name, err, journalOf(t, dir))
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		var known []int64
		for _, first := range []int64{0, 1, 3, 5, 6, 8} {
			if s.known[first].Scores != nil {
				known = append(known, first)
			}
		}
		if !slices.Equal(known, c.known) || len(s.known) != len(known) || journalOf(t, dir) != c.lines {
			t.Errorf("%s: known %v, %s; want %v, %s", c.name, s.known, journalOf(t, dir), c.known, c.lines)
		}
		s.journal.Close()
	}
}

// Scores of rows that are in a shard are not known again: the process ended before it replaced the
// journal.
func TestScoresOfShards(t *testing.T) {
	dir := t.TempDir()
	e := scorer(t, dir, "a", 4)
	s, err := e.openScores()
	setup.Check(t, err)
	for _, first := range []int64{0, 3, 4, 5} {
		setup.Check(t, s.journal.Append(scoresLine{First: first, Scores: []int16{int16(first), 9}}))
	}
	for _, r := range block(0, 4).rows {
		setup.Check(t, e.writer.Append(&r))
	}
	setup.Check(t, errors.Join(s.journal.Close(), e.writer.Close()))
	s = setup.Must(scorer(t, dir, "a", 4).openScores())
	defer s.journal.Close()
	for _, c := range []struct {
		first int64
		n     int
		known bool
	}{{0, 2, false}, {3, 2, false}, {4, 2, true}, {5, 2, true}, {4, 1, false}, {4, 3, false}, {6, 2, false}} {
		job := s.recall(block(c.first, c.n))
		want := int16(1)
		if c.known {
			want = int16(c.first)
		}
		if job.known != c.known || job.rows[0].Score != want || c.known && job.rows[1].Score != 9 {
			t.Errorf("%d rows from %d: known %v, score %d", c.n, c.first, job.known, job.rows[0].Score)
		}
	}
}

// Rows are searched in blocks from the first one that is in no shard, and the last block is short.
func TestRescoreBlocks(t *testing.T) {
	for _, n := range []int{0, 1, scoreBlock - 1, scoreBlock, scoreBlock + 1, 3 * scoreBlock} {
		var done []int64
		dir := t.TempDir()
		_, c, err := Refine(t.Context(), []*dataset.Reader[dataset.PositionRow]{positionsOf(t, run{1, n})}, dir,
			Config{Filter: Filter{Resolve: ResolveKeep, KeepDuplicates: true, All: true, Relabel: "x"}, Workers: 2,
				NewPlayer: func() (engine.Player, error) {
					return &scriptPlayer{answer: func(int) (engine.Score, error) { return 12, nil }}, nil
				},
				Progress: func(n, of int64, note string) {
					if done = append(done, n); note != "positions searched" {
						t.Errorf("%d of %d %s", n, of, note)
					}
				}})
		var want []int64
		for at := scoreBlock; at < n; at += scoreBlock {
			want = append(want, int64(at))
		}
		if n > 0 {
			want = append(want, int64(n))
		}
		if err != nil || c.Kept != int64(n) || !slices.Equal(done, want) {
			t.Errorf("%d rows: progress %v, want %v; %+v, %v", n, done, want, c, err)
		}
		if _, err := os.Stat(filepath.Join(dir, scoresName)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%d rows: the journal of scores is left: %v", n, err)
		}
	}
}

func TestQuiescence(t *testing.T) {
	m := setup.Must(eval.Lookup("shannon-1950"))
	newResolver := setup.Must(Quiescence(m, m.Start))
	resolve := newResolver()
	for _, c := range []struct{ fen, leaf string }{
		{board.StartFEN, board.StartFEN},
		// A queen hangs.
		{"4k3/8/8/3q4/8/2N5/8/4K3 w - - 0 1", "4k3/8/8/3N4/8/8/8/4K3 b - - 0 1"},
		// The pawn is defended: the rook leaves it alone.
		{"4k3/2p5/3p4/8/8/8/8/3RK3 w - - 3 9", "4k3/2p5/3p4/8/8/8/8/3RK3 w - - 3 9"},
	} {
		p := setup.Must(board.ParseFEN(c.fen))
		r := resolve(&p)
		if r.Leaf.FEN() != c.leaf || r.Changed != (c.leaf != c.fen) || (r.Noise > 800) != r.Changed {
			t.Errorf("%s resolves to %s, %+v; want %s", c.fen, r.Leaf.FEN(), r, c.leaf)
		}
	}
	if _, err := Quiescence(m, nil); err == nil {
		t.Error("no weights are accepted")
	}
}

// The parts fit: games with a hanging piece become rows without one.
func TestExtractWithQuiescence(t *testing.T) {
	games := gamesIn(t, []dataset.GameRow{gameOf(t, "", 0, "e4 d5 Nc3 d4 Nf3 dxc3 dxc3")})
	m := setup.Must(eval.Lookup("shannon-1950"))
	newResolver := setup.Must(Quiescence(m, m.Start))
	_, counts, err := Extract(context.Background(), []*dataset.Reader[dataset.GameRow]{games}, t.TempDir(),
		Config{Filter: DefaultFilter(), NewResolver: newResolver, Workers: 2})
	if err != nil || counts.Positions != 7 || counts.Replaced == 0 || counts.Kept+counts.Duplicate != 7 {
		t.Errorf("%+v, %v", counts, err)
	}
	_, _, err = Extract(context.Background(), []*dataset.Reader[dataset.GameRow]{games}, games.Path(),
		Config{Filter: DefaultFilter(), NewResolver: newResolver})
	if err == nil || errors.Is(err, dataset.ErrComplete) {
		t.Errorf("positions into the folder of the games: %v", err)
	}
}

// A score is White's view, and the same whatever was searched before.
func TestScoreOf(t *testing.T) {
	m := setup.Must(eval.Lookup("shannon-1950"))
	open := Searcher(m, m.Start)
	e := &extraction{Config: Config{Limits: engine.Limits{Nodes: 2000}}}
	fens := []string{
		board.StartFEN,
		"6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1",    // mate in one ply
		"4k3/8/8/3r4/8/2N5/PPP5/4K3 w - - 0 1", // a rook hangs
		"7k/6Q1/6K1/8/8/8/8/8 b - - 0 1",       // mated
		"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",       // stalemate
	}
	score := func(player engine.Player, p board.Position) int16 {
		n, _, err := e.scoreOf(context.Background(), player, &p)
		setup.Check(t, err)
		return n
	}
	first := setup.Must(open())
	second, _ := open()
	var scores []int16
	for _, fen := range fens {
		p := setup.Must(board.ParseFEN(fen))
		n := score(first, p)
		// The order of moves is not the same for both, so the search need not be.
		if mirrored := score(first, p.Mirror()); mirrored+n > 100 || mirrored+n < -100 {
			t.Errorf("%s: %d, with colors changed %d", fen, n, mirrored)
		}
		scores = append(scores, n)
	}
	for i := len(fens) - 1; i >= 0; i-- {
		p, _ := board.ParseFEN(fens[i])
		if n := score(second, p); n != scores[i] {
			t.Errorf("%s: %d, and %d in another order", fens[i], scores[i], n)
		}
	}
	if scores[1] != dataset.MateScore-1 || scores[2] < 300 || scores[3] != dataset.MateScore || scores[4] != 0 {
		t.Errorf("scores %v", scores)
	}
	if _, err := Searcher(m, nil)(); err == nil {
		t.Error("no weights are accepted")
	}
}
