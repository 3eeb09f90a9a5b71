package board

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
)

// perftCase is a position with its leaf counts by depth; 0 means unknown.
type perftCase struct {
	name   string
	fen    string
	leaves [16]uint64
}

// run compares the leaf counts up to a depth, and returns their sum. It skips counts
// above maxLeaves.
func (c *perftCase) run(t *testing.T, maxDepth int, maxLeaves uint64) (total uint64) {
	t.Helper()
	p, err := ParseFEN(c.fen)
	if err != nil {
		t.Errorf("%s: %v", c.name, err)
		return 0
	}
	for depth := 1; depth <= min(maxDepth, len(c.leaves)-1); depth++ {
		want := c.leaves[depth]
		if want == 0 || want > maxLeaves {
			continue
		}
		total += want
		if got := Perft(&p, depth); got != want {
			t.Errorf("%s: %s: perft(%d) = %d, want %d", c.name, c.fen, depth, got, want)
			return total
		}
	}
	return total
}

// perftLeaves bounds the leaves of one count. TestPerftDeep has no bound.
const perftLeaves = 2_000_000

// readPerftEPD parses lines of the form "FEN ;D1 20 ;D2 400".
func readPerftEPD(t *testing.T, file string) (cases []perftCase) {
	t.Helper()
	for i, text := range readLines(t, file) {
		if text == "" || text[0] == '#' {
			continue
		}
		fields := strings.Split(text, ";")
		c := perftCase{name: filepath.Base(file) + ":" + strconv.Itoa(i+1), fen: strings.TrimSpace(fields[0])}
		for _, f := range fields[1:] {
			d, count, ok := strings.Cut(strings.TrimSpace(f), " ")
			depth, err1 := strconv.Atoi(strings.TrimPrefix(d, "D"))
			leaves, err2 := strconv.ParseUint(count, 10, 64)
			if !ok || err1 != nil || err2 != nil || depth < 1 || depth >= len(c.leaves) {
				t.Fatalf("%s: cannot parse %q", c.name, f)
			}
			c.leaves[depth] = leaves
		}
		cases = append(cases, c)
	}
	return cases
}

func readLines(t testing.TB, file string) []string {
	t.Helper()
	data := setup.Must(os.ReadFile(file))
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

func TestPerft(t *testing.T) {
	t.Parallel()
	counted, known := uint64(0), uint64(0)
	for _, c := range readPerftEPD(t, "testdata/perft.epd") {
		counted += c.run(t, 16, perftLeaves)
		for _, n := range c.leaves {
			known += n
		}
	}
	if known < 90_000_000 {
		t.Errorf("testdata/perft.epd has only %d leaves: it is incomplete", known)
	}
	if counted < 40_000_000 {
		t.Errorf("counted only %d leaves", counted)
	}
}

// perftSuites are public suites for standard chess and Chess960.
var perftSuites = []struct {
	file  string
	cases int
	depth int // of the normal tests
}{
	{"standard.epd", 128, 4},
	{"fischer.epd", 960, 3},
	{"tricky.epd", 19, 5},
}

func TestPerftSuites(t *testing.T) {
	for _, suite := range perftSuites {
		t.Run(suite.file, func(t *testing.T) {
			t.Parallel()
			cases := readPerftEPD(t, "testdata/"+suite.file)
			if len(cases) < suite.cases {
				t.Errorf("read %d positions, want %d", len(cases), suite.cases)
			}
			for _, c := range cases {
				c.run(t, suite.depth, perftLeaves)
			}
		})
	}
}

func BenchmarkPerft(b *testing.B) {
	for _, c := range []struct {
		name, fen string
		depth     int
	}{
		{"start", StartFEN, 5},
		{"kiwipete", kiwipeteFEN, 4},
		{"endgame", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 5},
		{"promotions", "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", 5},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := mustParse(b, c.fen)
			n := uint64(0)
			for b.Loop() {
				n += Perft(&p, c.depth)
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds()/1e6, "Mnodes/s")
		})
	}
}

// TestLegalMovesAgainstOracle compares moves, and the positions after them, with the
// plain second implementation.
func TestLegalMovesAgainstOracle(t *testing.T) {
	t.Parallel()
	const games = 120
	castlings, captures, promotions, checks := 0, 0, 0, 0
	check := func(p *Position) {
		o := newOracle(p)
		got := p.LegalMoves(nil)
		slices.Sort(got)
		if want := o.moves(); !slices.Equal(got, want) {
			t.Fatalf("%s: legal moves %v, the oracle has %v", p, got, want)
		}
		if got := p.InCheck(); got != o.inCheck(o.black) {
			t.Errorf("%s: InCheck() = %v", p, got)
		}
		for _, m := range got {
			child := *p
			child.Make(m)
			if !o.make(m).matches(&child) {
				t.Fatalf("%s: after %s: %s, the oracle disagrees", p, m, child.FEN())
			}
			if got, want := p.GivesCheck(m), o.make(m).inCheck(!o.black); got != want {
				t.Errorf("%s: GivesCheck(%s) = %v, want %v", p, m, got, want)
			}
			if got, want := p.IsEnPassant(m), o.isEnPassant(m); got != want {
				t.Errorf("%s: IsEnPassant(%s) = %v, want %v", p, m, got, want)
			}
			castlings += count(p.IsCastling(m))
			captures += count(p.IsEnPassant(m))
			promotions += count(m.Promotion() != NoPieceType)
			checks += count(p.GivesCheck(m))
		}
	}
	for _, fen := range startFENs(t) {
		p := mustParse(t, fen)
		check(&p)
	}
	eachPosition(t, 1, games, check)
	t.Logf("%d castlings, %d captures en passant, %d promotions, %d checks", castlings, captures, promotions, checks)
	if castlings < games || captures < games/10 || promotions < games || checks < 10*games {
		t.Error("the positions have too few of the rare moves to test much")
	}
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestLegalMovesAreWhatIsLegalSays(t *testing.T) {
	t.Parallel()
	// Each position asks about all 65,536 moves.
	eachPosition(t, 2, 8, func(p *Position) {
		var legal [1 << 16]bool
		for _, m := range p.LegalMoves(nil) {
			if legal[m] {
				t.Errorf("%s: LegalMoves has %s twice", p, m)
			}
			legal[m] = true
		}
		if legal[NullMove] {
			t.Errorf("%s: the null move is legal", p)
		}
		for m, want := range legal {
			if got := p.IsLegal(Move(m)); got != want {
				t.Fatalf("%s: IsLegal(%#x, %s) = %v", p, m, Move(m), got)
			}
		}
	})
}

func TestCountLegalCapturesAndQuiets(t *testing.T) {
	t.Parallel()
	eachPosition(t, 3, 1000, func(p *Position) {
		all := p.LegalMoves(nil)
		if got, want := p.CountLegal(), len(all); got != want {
			t.Errorf("%s: CountLegal() = %d, LegalMoves has %d", p, got, want)
		}
		var want, quiet []Move
		for _, m := range all {
			if m.Promotion() == Queen || m.Promotion() == NoPieceType && p.IsCapture(m) {
				want = append(want, m)
			} else {
				quiet = append(quiet, m)
			}
		}
		got := p.LegalCaptures(nil)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: LegalCaptures() = %v, want %v", p, got, want)
		}
		targets := p.Targets()
		got = targets.Quiets(p, nil)
		slices.Sort(got)
		slices.Sort(quiet)
		if !slices.Equal(got, quiet) {
			t.Errorf("%s: Quiets() = %v, want %v", p, got, quiet)
		}
		if mirror := p.Mirror(); mirror.CountLegal() != len(all) {
			t.Errorf("%s: %d moves, mirrored %d", p, len(all), mirror.CountLegal())
		}
	})
}

// TestLegalMovesAppends checks that the moves go behind what the buffer holds, and
// that generating allocates nothing when it is large enough.
func TestLegalMovesAppends(t *testing.T) {
	p := StartPosition()
	moves := p.LegalMoves([]Move{1, 2})
	if len(moves) != 22 || moves[0] != 1 || moves[1] != 2 {
		t.Errorf("LegalMoves after two moves: %v", moves)
	}
	if moves = p.LegalCaptures([]Move{1}); len(moves) != 1 {
		t.Errorf("LegalCaptures of the start position: %v", moves[1:])
	}
	kiwipete := mustParse(t, kiwipeteFEN)
	buf := make([]Move, 0, MaxMoves)
	allocs := testing.AllocsPerRun(100, func() {
		buf = kiwipete.LegalMoves(buf[:0])
		buf = kiwipete.LegalCaptures(buf[:0])
		targets := kiwipete.Targets()
		buf = targets.Quiets(&kiwipete, buf[:0])
		q := kiwipete
		q.Make(buf[0])
	})
	if allocs != 0 {
		t.Errorf("generating and making moves allocates %v times", allocs)
	}
}

const kiwipeteFEN = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"

func mustParse(t testing.TB, fen string) Position {
	t.Helper()
	return setup.Must(ParseFEN(fen))
}
