package opening

import (
	"slices"
	"testing"

	"github.com/assay-chess/assay/engine/board"
)

func propose(t *testing.T, r *randomPlies, number uint64, try int) *board.Game {
	t.Helper()
	game, err := r.Propose(number, try)
	if err != nil {
		t.Fatal(err)
	}
	return game
}

// Runs on disk began with these: they must never change.
func TestRandomOpeningsArePinned(t *testing.T) {
	r, err := newRandom(8, 7)
	if err != nil {
		t.Fatal(err)
	}
	for number, want := range []string{
		"r1bqkb1r/1ppppppp/2n4n/pQ6/1P6/4P1P1/P1PP1P1P/RNB1KBNR b KQkq - 1 5",
		"rn1qkbnr/pb1pppp1/8/1pp4p/2P3P1/7P/PP1PPPB1/RNBQK1NR w KQkq - 1 5",
		"1nbqkb1r/rpppp1pp/5p1n/p7/4P3/N2P3N/PPP1QPPP/R1B1KB1R b KQk - 4 5",
	} {
		if got := propose(t, r, uint64(number), 1).Position().FEN(); got != want {
			t.Errorf("opening %d: %s, want %s", number, got, want)
		}
	}
}

func TestRandomOpenings(t *testing.T) {
	r, err := newRandom(8, 1)
	if err != nil {
		t.Fatal(err)
	}
	lengths := map[int]int{}
	keys := map[uint64]bool{}
	for number := range uint64(2000) {
		for try := 1; try <= 2; try++ {
			game := propose(t, r, number, try)
			if again := propose(t, r, number, try); !slices.Equal(game.Moves(), again.Moves()) {
				t.Fatalf("opening %d, try %d: two answers", number, try)
			}
			if _, why, over := game.Outcome(); over {
				t.Errorf("opening %d, try %d is over by %s", number, try, why)
			}
			lengths[len(game.Moves())]++
			keys[game.Position().Key()] = true
		}
	}
	if len(lengths) != 2 || lengths[8] < 1850 || lengths[9] < 1850 { // 2000 expected, standard deviation 32
		t.Errorf("lengths %v, want 8 and 9 equally often", lengths)
	}
	if len(keys) < 3990 {
		t.Errorf("%d different positions of 4,000", len(keys))
	}
}

// After one ply there are 20 positions, and each must come up.
func TestRandomMovesReachEverything(t *testing.T) {
	r := &randomPlies{Start: board.StartPosition(), MinPlies: 1, MaxPlies: 1, Seed: 9}
	count := map[board.Move]int{}
	for number := range uint64(4000) {
		count[propose(t, r, number, 1).Moves()[0]]++
	}
	for m, n := range count {
		if n < 130 || n > 270 { // 200 expected, standard deviation 14
			t.Errorf("%s came %d times in 4,000, want about 200", m, n)
		}
	}
	if len(count) != 20 {
		t.Errorf("%d first moves, want 20", len(count))
	}
}

func TestRandomWithoutAnyMove(t *testing.T) {
	mated, err := board.ParseFEN("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	r := &randomPlies{Start: mated, MinPlies: 2, MaxPlies: 3}
	if _, err := r.Propose(0, 1); err == nil {
		t.Error("no error from a position that is mate")
	}
}

func TestNewRandomRefuses(t *testing.T) {
	for _, plies := range []int{-1, 0, MaxRandomPlies} {
		if _, err := newRandom(plies, 0); err == nil {
			t.Errorf("%d plies: no error", plies)
		}
	}
}
