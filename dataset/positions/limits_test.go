package positions

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

// quietFEN has ten pieces, and nothing to capture.
const quietFEN = "4k3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 9"

// rowOf returns a position of no game, with its label.
func rowOf(t testing.TB, fen string, score int16) dataset.PositionRow {
	t.Helper()
	p := setup.Must(board.ParseFEN(fen))
	return dataset.PositionRow{Board: p, Ply: uint16(p.Ply()), Score: score, Result: 1, Weight: 1}
}

// A limit of the filter is the last value that it keeps. Of one position, exactly one count says why
// it was dropped.
func TestFilterAtItsLimits(t *testing.T) {
	const check, ply = "4k3/8/8/8/8/8/4R3/4K3 b - - 0 9", 16 // of quietFEN
	for _, c := range []struct {
		name  string
		f     Filter
		fen   string
		score int16
		want  Counts
	}{
		{"no limit", Filter{}, quietFEN, 0, Counts{Kept: 1}},
		{"largest score", Filter{MaxScore: 300}, quietFEN, 300, Counts{Kept: 1}},
		{"largest score of Black", Filter{MaxScore: 300}, quietFEN, -300, Counts{Kept: 1}},
		{"too large", Filter{MaxScore: 300}, quietFEN, 301, Counts{LargeScore: 1}},
		{"too large for Black", Filter{MaxScore: 300}, quietFEN, -301, Counts{LargeScore: 1}},
		{"one centipawn", Filter{MaxScore: 1}, quietFEN, 2, Counts{LargeScore: 1}},
		{"no score is not large", Filter{MaxScore: 1}, quietFEN, dataset.NoScore, Counts{Kept: 1}},
		{"no mate", Filter{}, quietFEN, dataset.MaxScore, Counts{Kept: 1}},
		{"no mate of Black", Filter{}, quietFEN, -dataset.MaxScore, Counts{Kept: 1}},
		{"mate", Filter{MaxScore: 300}, quietFEN, dataset.MaxScore + 1, Counts{MateScore: 1}},
		{"mate of Black", Filter{}, quietFEN, -dataset.MaxScore - 1, Counts{MateScore: 1}},
		{"score needed", Filter{NeedScore: true}, quietFEN, 0, Counts{Kept: 1}},
		{"no score", Filter{NeedScore: true}, quietFEN, dataset.NoScore, Counts{Unscored: 1}},
		{"no score yet", Filter{NeedScore: true, Relabel: "x"}, quietFEN, dataset.NoScore, Counts{Kept: 1}},
		{"enough pieces", Filter{FewestPieces: 10}, quietFEN, 0, Counts{Kept: 1}},
		{"few pieces", Filter{FewestPieces: 11}, quietFEN, 0, Counts{FewPieces: 1}},
		{"late enough", Filter{SkipPlies: ply, MinPly: ply}, quietFEN, 0, Counts{Kept: 1}},
		{"skipped", Filter{SkipPlies: ply + 1}, quietFEN, 0, Counts{Early: 1}},
		{"early", Filter{MinPly: ply + 1}, quietFEN, 0, Counts{Early: 1}},
		{"check", Filter{}, check, 0, Counts{InCheck: 1}},
		{"all", Filter{All: true, MinPly: 99, NeedScore: true, FewestPieces: 9}, check, dataset.NoScore,
			Counts{Kept: 1}},
		{"all mates", Filter{All: true, MaxScore: 5}, quietFEN, dataset.MateScore, Counts{Kept: 1}},
		{"early before check", Filter{MinPly: 99}, check, 0, Counts{Early: 1}},
	} {
		c.f.Resolve = ResolveKeep
		for _, game := range []uint64{0, 5} {
			got := Counts{}
			row := rowOf(t, c.fen, c.score)
			row.Game = game
			rows := c.f.refine(nil, []dataset.PositionRow{row}, nil, &got)
			got.Kept = int64(len(rows))
			if c.want.Positions = 1; game != 0 {
				c.want.Games = 1
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("%s, game %d: %+v\nwant %+v", c.name, game, got, c.want)
			}
			if len(rows) == 1 && (rows[0].PositionRow != row || rows[0].replaced) {
				t.Errorf("%s: the row becomes %+v", c.name, rows[0])
			}
		}
	}
}

// What the quiescence search finds decides at exact limits too; a leaf is as many plies later as it
// is on the board.
func TestLeavesAtTheirLimits(t *testing.T) {
	const start = "4k3/8/8/3q4/8/2N5/P7/4K3 w - - 0 9"
	const leaf = "4k3/8/8/3N4/8/8/P7/4K3 b - - 0 9"
	found := func(fen string, score, noise int) resolved {
		return resolved{Leaf: rowOf(t, fen, 0).Board, Score: score, Noise: noise, Changed: fen != start}
	}
	for _, c := range []struct {
		name string
		f    Filter
		r    resolved
		want Counts
		ply  int // of the row that is kept
	}{
		{"quiet", Filter{Resolve: ResolveLeaf}, found(start, 0, 0), Counts{Kept: 1}, 16},
		{"quiet, dropped if not", Filter{Resolve: ResolveDrop}, found(start, 0, 0), Counts{Kept: 1}, 16},
		{"dropped", Filter{Resolve: ResolveDrop}, found(leaf, 0, 1), Counts{Noisy: 1}, 0},
		{"leaf", Filter{Resolve: ResolveLeaf}, found(leaf, 0, 900), Counts{Kept: 1, Replaced: 1}, 17},
		{"leaf, noise allowed", Filter{Resolve: ResolveLeaf, MaxNoise: 900}, found(leaf, 0, 900),
			Counts{Kept: 1, Replaced: 1}, 17},
		{"leaf, too noisy", Filter{Resolve: ResolveLeaf, MaxNoise: 899}, found(leaf, 0, 900), Counts{Noisy: 1}, 0},
		{"kept, noise allowed", Filter{Resolve: ResolveKeep, MaxNoise: 1}, found(leaf, 0, 1), Counts{Kept: 1}, 16},
		{"kept, too noisy", Filter{Resolve: ResolveKeep, MaxNoise: 1}, found(leaf, 0, 2), Counts{Noisy: 1}, 0},
		{"kept, not searched", Filter{Resolve: ResolveKeep}, found(leaf, 0, 9999), Counts{Kept: 1}, 16},
		{"no mate", Filter{Resolve: ResolveLeaf}, found(leaf, dataset.MaxScore, 0), Counts{Kept: 1, Replaced: 1}, 17},
		{"mate", Filter{Resolve: ResolveLeaf}, found(leaf, dataset.MaxScore+1, 0), Counts{BadLeaf: 1}, 0},
		{"no mate of Black", Filter{Resolve: ResolveLeaf}, found(leaf, -dataset.MaxScore, 0),
			Counts{Kept: 1, Replaced: 1}, 17},
		{"mate of Black", Filter{Resolve: ResolveLeaf}, found(leaf, -dataset.MaxScore-1, 0), Counts{BadLeaf: 1}, 0},
		{"leaf in check", Filter{Resolve: ResolveLeaf}, found("4k3/8/8/8/8/8/P3R3/4K3 b - - 0 9", 0, 0),
			Counts{BadLeaf: 1}, 0},
		{"four plies later", Filter{Resolve: ResolveLeaf}, found("3k4/8/8/8/8/8/P3R3/4K1N1 w - - 0 11", 0, 0),
			Counts{Kept: 1, Replaced: 1}, 20},
		{"move number lost", Filter{Resolve: ResolveLeaf}, found("3k4/8/8/8/8/8/P3R3/4K1N1 w - - 0 1", 0, 0),
			Counts{Kept: 1, Replaced: 1}, 16},
		{"leaf without its score", Filter{Resolve: ResolveLeaf, DropLeafScore: true, NeedScore: true},
			found(leaf, 0, 0), Counts{Unscored: 1}, 0},
		{"leaf, its score dropped", Filter{Resolve: ResolveLeaf, DropLeafScore: true}, found(leaf, 0, 0),
			Counts{Kept: 1, Replaced: 1}, 17},
		{"leaf, its score to come", Filter{Resolve: ResolveLeaf, DropLeafScore: true, NeedScore: true, Relabel: "x"},
			found(leaf, 0, 0), Counts{Kept: 1, Replaced: 1}, 17},
		{"kept with its score", Filter{Resolve: ResolveKeep, MaxNoise: 1, DropLeafScore: true}, found(leaf, 0, 1),
			Counts{Kept: 1}, 16},
	} {
		var got Counts
		searches := 0
		resolve := func(*board.Position) resolved { searches++; return c.r }
		d := deduplicator{filter: &c.f, counts: &got}
		rows := c.f.refine(nil, []dataset.PositionRow{rowOf(t, start, 0)}, resolve, &got)
		for i := range rows {
			setup.Check(t, d.add(&rows[i], func(r *dataset.PositionRow) error {
				dropped := c.f.DropLeafScore && c.want.Replaced > 0
				if int(r.Ply) != c.ply || (r.Score == dataset.NoScore) != dropped {
					t.Errorf("%s: ply %d, score %d; want ply %d", c.name, r.Ply, r.Score, c.ply)
				}
				return nil
			}))
		}
		if c.want.Positions = 1; !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v\nwant %+v", c.name, got, c.want)
		}
		if c.name == "kept, not searched" && searches > 0 {
			t.Error("a search that no setting needs")
		}
	}
}

// gameOf plays moves from a position, with the score 10 times the number of the move.
func gameOf(t *testing.T, start string, opening int, moves string) dataset.GameRow {
	t.Helper()
	g := dataset.GameRow{Game: 7, Variant: dataset.Standard, Start: start, OpeningPlies: uint16(opening),
		Result: -1, Opening: 3}
	p := board.StartPosition()
	if start != "" {
		p = rowOf(t, start, 0).Board
	}
	for i, san := range strings.Fields(moves) {
		m := setup.Must(p.ParseSAN(san))
		p.Make(m)
		g.Moves, g.Scores = append(g.Moves, m), append(g.Scores, int16(10*i))
	}
	return g
}

// Of a game, the positions of the opening go first, plies are counted from its end, and moves that
// capture or promote are not quiet.
func TestPositionsOfAGame(t *testing.T) {
	const promotion = "8/P6k/8/8/8/7p/7K/8 w - - 0 30"
	for _, c := range []struct {
		name  string
		f     Filter
		game  dataset.GameRow
		want  Counts
		plies []uint16
	}{
		{"all", Filter{}, gameOf(t, "", 0, "e4 d5 exd5 Qxd5 Nc3"), Counts{}, []uint16{0, 1, 2, 3, 4}},
		{"opening", Filter{}, gameOf(t, "", 2, "e4 d5 exd5 Qxd5 Nc3"), Counts{Opening: 2}, []uint16{2, 3, 4}},
		{"only the opening", Filter{}, gameOf(t, "", 2, "e4 d5"), Counts{Opening: 2}, nil},
		{"skip", Filter{SkipPlies: 1}, gameOf(t, "", 2, "e4 d5 exd5 Qxd5 Nc3"), Counts{Opening: 2, Early: 1},
			[]uint16{3, 4}},
		{"ply", Filter{MinPly: 3}, gameOf(t, "", 1, "e4 d5 exd5 Qxd5 Nc3"), Counts{Opening: 1, Early: 2},
			[]uint16{3, 4}},
		{"quiet", Filter{QuietMove: true}, gameOf(t, "", 0, "e4 d5 exd5 Qxd5 Nc3"), Counts{NoisyMove: 2},
			[]uint16{0, 1, 4}},
		{"promotion", Filter{}, gameOf(t, promotion, 0, "a8=Q Kg7"), Counts{}, []uint16{58, 59}},
		{"quiet, promotion", Filter{QuietMove: true}, gameOf(t, promotion, 0, "a8=Q Kg7"), Counts{NoisyMove: 1},
			[]uint16{59}},
		{"quiet, capture by the king", Filter{QuietMove: true}, gameOf(t, promotion, 0, "Kxh3 Kg7"),
			Counts{NoisyMove: 1}, []uint16{59}},
		{"quiet and refused", Filter{QuietMove: true, MaxScore: 15}, gameOf(t, "", 0, "e4 d5 exd5 Qxd5 Nc3"),
			Counts{LargeScore: 3}, []uint16{0, 1}},
		{"as many as there are", Filter{MaxPerGame: 5}, gameOf(t, "", 0, "e4 d5 exd5 Qxd5 Nc3"), Counts{},
			[]uint16{0, 1, 2, 3, 4}},
	} {
		c.f.Resolve = ResolveKeep
		var got Counts
		var plies []uint16
		for _, r := range c.f.candidates(nil, &c.game, nil, &got) {
			plies = append(plies, r.Ply)
			score := 10 * int16(r.Ply) // of the move before which it stands
			if c.game.Start != "" {
				score -= 580
			}
			if r.Score != score || r.Result != 0 || r.Game != 7 || r.Opening != 3 || r.Weight != 1 {
				t.Errorf("%s: %+v", c.name, r)
			}
		}
		c.want.Games, c.want.Positions = 1, int64(len(c.game.Moves))
		if !reflect.DeepEqual(got, c.want) || !slices.Equal(plies, c.plies) {
			t.Errorf("%s: plies %v, %+v\nwant %v, %+v", c.name, plies, got, c.plies, c.want)
		}
	}
}

// Of a longer game MaxPerGame positions remain, in their order, and the seed and the game choose them.
func TestSampleOfAGame(t *testing.T) {
	choose := func(seed, game uint64, most int) (string, int64) {
		var c Counts
		f := Filter{Seed: seed, MaxPerGame: most}
		rows := make([]dataset.PositionRow, 20)
		for i := range rows {
			rows[i].Ply = uint16(i)
		}
		var list []byte
		for _, r := range f.sample(game, rows, &c) {
			list = append(list, byte('a'+r.Ply))
		}
		return string(list), c.NotSampled
	}
	seen := map[string]bool{}
	for seed := range uint64(5) {
		for game := range uint64(5) {
			got, left := choose(seed, game, 7)
			again, _ := choose(seed, game, 7)
			for i := 1; i < len(got); i++ {
				if got[i] <= got[i-1] {
					t.Fatalf("not in order: %s", got)
				}
			}
			if len(got) != 7 || left != 13 || got != again {
				t.Errorf("seed %d, game %d: %s, then %s, %d left", seed, game, got, again, left)
			}
			seen[got] = true
		}
	}
	if len(seen) != 25 {
		t.Errorf("%d different choices of 25", len(seen))
	}
	for most, want := range map[int]int64{0: 0, 1: 19, 19: 1, 20: 0, 21: 0} {
		if got, left := choose(1, 1, most); left != want || len(got) != 20-int(want) {
			t.Errorf("at most %d: %s, %d left", most, got, left)
		}
	}
}

// No limit may be negative, and the resolver must be one of three.
func TestFilterCheck(t *testing.T) {
	for _, f := range []Filter{
		{MaxScore: -1}, {SkipPlies: -1}, {MaxPerGame: -1}, {FewestPieces: -1}, {MinPly: -1}, {MaxNoise: -1},
		{Sample: -1},
	} {
		f.Resolve = ResolveDrop
		if err := f.Check(); err == nil || !strings.Contains(err.Error(), "negative") {
			t.Errorf("%+v: %v", f, err)
		}
	}
	for _, resolve := range []string{ResolveLeaf, ResolveDrop, ResolveKeep} {
		if err := (&Filter{Resolve: resolve}).Check(); err != nil {
			t.Error(err)
		}
	}
	err := (&Filter{Resolve: "quiet"}).Check()
	if err == nil || err.Error() != `dataset: resolve "quiet" is not qsearch, drop or keep` {
		t.Error(err)
	}
	f := DefaultFilter()
	if err := f.Check(); err != nil || f.samples() {
		t.Errorf("the default: %v, samples: %v", err, f.samples())
	}
	for _, f := range []Filter{{PhaseShares: even}, {Sample: 1}} {
		if !f.samples() {
			t.Errorf("%+v takes no sample", f)
		}
	}
}

// Every count is added, each to itself.
func TestCountsAdd(t *testing.T) {
	var a, b Counts
	for i, n := range b.list() {
		*n = int64(i + 1)
	}
	b.Forfeits = dataset.Forfeits{"illegal-move": 5, "abandoned": 6}
	a.add(&b)
	if !reflect.DeepEqual(a, b) {
		t.Errorf("%+v\nwant %+v", a, b)
	}
	a.add(&b)
	for i, n := range a.list() {
		if *n != int64(2*(i+1)) {
			t.Errorf("count %d is %d", i, *n)
		}
	}
	if a.Forfeits["illegal-move"] != 10 || a.Forfeits["abandoned"] != 12 {
		t.Errorf("%v", a.Forfeits)
	}
}

// Noise is counted above NoiseLimit, and data are unfit above one row in twenty.
func TestNoiseLimits(t *testing.T) {
	quiet, check := rowOf(t, quietFEN, 0), rowOf(t, "4k3/8/8/8/8/8/4R3/4K3 b - - 0 9", 0)
	var n Noise
	for _, noise := range []int{0, NoiseLimit, NoiseLimit + 1, 1000} {
		n.Add(&quiet.Board, func(*board.Position) resolved { return resolved{Noise: noise} })
	}
	n.Add(&check.Board, nil) // not searched
	if n != (Noise{Rows: 5, InCheck: 1, Noisy: 2}) {
		t.Errorf("%+v", n)
	}
	if sum := n.Plus(Noise{100, 20, 3}); sum != (Noise{105, 21, 5}) {
		t.Errorf("%+v", sum)
	}
	for _, c := range []struct {
		n     Noise
		unfit bool
	}{
		{Noise{}, false}, {Noise{Rows: 40}, false},
		{Noise{40, 2, 0}, false}, {Noise{40, 0, 2}, false}, {Noise{40, 1, 1}, false},
		{Noise{40, 3, 0}, true}, {Noise{40, 0, 3}, true}, {Noise{40, 2, 1}, true}, {Noise{39, 1, 1}, true},
	} {
		if c.n.Unfit() != c.unfit {
			t.Errorf("%+v: unfit is %v", c.n, !c.unfit)
		}
	}
}

// Positions are sampled by the band of their phase, or all alike.
func TestBands(t *testing.T) {
	for _, c := range []struct {
		fen  string
		band int
	}{
		{board.StartFEN, 0},
		{"rnbqkbnr/8/8/8/8/8/8/RNBQKB1R w - - 0 1", 1}, // 23
		{"rnb1kbnr/8/8/8/8/8/8/RNBQK2R w - - 0 1", 1},  // 18
		{"rnb1kbnr/8/8/8/8/8/8/RNBQK3 w - - 0 1", 2},   // 16
		{"rnb1kbnr/8/8/8/8/8/8/RN2K1N1 w - - 0 1", 2},  // 13
		{"rn2k2r/8/8/8/8/8/8/R2NK2R w - - 0 1", 3},     // 10
		{"rn2k3/8/8/8/8/8/8/RN2K3 w - - 0 1", 3},       // 6
		{"r3k3/8/8/8/8/8/8/R3K3 w - - 0 1", 4},
	} {
		r := rowOf(t, c.fen, 0)
		one := newSampler(&Filter{Sample: 1}, nil)
		many := newSampler(&Filter{PhaseShares: even}, nil)
		if one.band(&r) != 0 || many.band(&r) != c.band {
			t.Errorf("%s: bands %d and %d, want 0 and %d", c.fen, one.band(&r), many.band(&r), c.band)
		}
	}
}

var even = Bands{1, 1, 1, 1, 1}

// How many rows of each band are taken: in the wanted proportions, or all of a band that has too few.
func TestShares(t *testing.T) {
	for _, c := range []struct {
		name       string
		f          Filter
		left, want Bands
	}{
		{"smallest", Filter{PhaseShares: even}, Bands{5, 0, 3, 4}, Bands{3, 0, 3, 3}},
		{"one row", Filter{PhaseShares: even}, Bands{0, 1, 9}, Bands{0, 1, 1}},
		{"equal bands", Filter{PhaseShares: even}, Bands{2, 2}, Bands{2, 2}},
		{"no rows", Filter{PhaseShares: even}, Bands{}, Bands{}},
		{"small band whole", Filter{PhaseShares: even, Sample: 10}, Bands{2, 9, 9}, Bands{2, 4, 4}},
		{"the last band takes the rest", Filter{PhaseShares: even, Sample: 11}, Bands{2, 9, 9}, Bands{2, 4, 5}},
		{"in any order", Filter{PhaseShares: even, Sample: 11}, Bands{9, 2, 0, 9}, Bands{4, 2, 0, 5}},
		{"more than there are", Filter{PhaseShares: even, Sample: 99}, Bands{2, 9}, Bands{2, 9}},
		{"exactly all", Filter{PhaseShares: even, Sample: 11}, Bands{2, 9}, Bands{2, 9}},
		{"fewer than bands", Filter{PhaseShares: even, Sample: 1}, Bands{5, 5, 5}, Bands{0, 0, 1}},
		{"one band", Filter{Sample: 4}, Bands{9}, Bands{4}},
		{"one band, all", Filter{Sample: 9}, Bands{9}, Bands{9}},
		{"far apart", Filter{PhaseShares: even, Sample: 6}, Bands{1 << 40, 3, 1 << 50}, Bands{2, 2, 2}},
		{"proportions", Filter{PhaseShares: Bands{3, 2, 1}}, Bands{90, 90, 90, 90}, Bands{90, 60, 30}},
		{"proportions, the scarcest is not the smallest", Filter{PhaseShares: Bands{3, 2, 1}}, Bands{30, 90, 20},
			Bands{30, 20, 10}},
		{"proportions of a sample", Filter{PhaseShares: Bands{3, 2, 0, 0, 5}, Sample: 100}, Bands{99, 99, 99, 99, 99},
			Bands{30, 20, 0, 0, 50}},
		{"what one lacks, others give", Filter{PhaseShares: Bands{3, 2, 0, 0, 5}, Sample: 100}, Bands{99, 99, 9, 9, 10},
			Bands{54, 36, 0, 0, 10}},
		{"only unwanted rows", Filter{PhaseShares: Bands{1}, Sample: 5}, Bands{0, 7}, Bands{}},
	} {
		var counts Counts
		s := newSampler(&c.f, &counts)
		s.left = c.left
		if s.settle(); s.want != c.want || s.left != c.left {
			t.Errorf("%s: %v, want %v", c.name, s.want, c.want)
		}
		if by := s.byPhase(); by != (counts.Found == c.left && counts.Taken == c.want) && c.left.Sum() > 0 {
			t.Errorf("%s: found %v, taken %v", c.name, counts.Found, counts.Taken)
		}
	}
	for _, share := range []int64{-1, maxShare + 1} {
		if err := (&Filter{Resolve: ResolveKeep, PhaseShares: Bands{1, share}}).Check(); err == nil {
			t.Errorf("a share of %d is accepted", share)
		}
	}
}
