package board

import (
	"slices"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
)

// TestLegalMovesAgainstOracle compares moves, and the positions after them, with the
// plain second implementation.
func TestLegalMovesAgainstOracle(t *testing.T) {
	t.Parallel()
	games := 120
	if raceEnabled || testing.Short() {
		games = 60
	}
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
	games := 8 // each position asks about all 65,536 moves
	if raceEnabled {
		games = 3
	}
	eachPosition(t, 2, games, func(p *Position) {
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
	p := setup.Must(ParseFEN(fen))
	return p
}
