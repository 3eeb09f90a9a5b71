package opening

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"github.com/assay-chess/assay/engine/board"
)

// MaxRandomPlies bounds the number of random plies: with more, most games are decided
// before they start.
const MaxRandomPlies = 40

// randomPlies proposes openings of random legal moves.
type randomPlies struct {
	Start    board.Position
	MinPlies int // fewest plies
	MaxPlies int // most plies; each length from MinPlies on is equally likely
	Seed     uint64
}

// newRandom returns openings of plies or plies + 1 random moves from the start
// position of standard chess, so that either side begins half of the games.
func newRandom(plies int, seed uint64) (*randomPlies, error) {
	if plies < 1 || plies >= MaxRandomPlies {
		return nil, fmt.Errorf("%d random plies: want 1 to %d", plies, MaxRandomPlies-1)
	}
	return &randomPlies{Start: board.StartPosition(), MinPlies: plies, MaxPlies: plies + 1, Seed: seed}, nil
}

// deadEnds is how often Propose starts again because random moves ended the game, before
// it gives up on the start position.
const deadEnds = 1000

// Propose implements selfplay.Openings. The game is not over after the opening; the
// opening may be unbalanced, and another number may have the same one.
func (r *randomPlies) Propose(number uint64, try int) (*board.Game, error) {
	rng := r.rng(number, try)
	plies := r.MinPlies + rng.IntN(r.MaxPlies-r.MinPlies+1)
	for range deadEnds {
		if game, ok := walk(r.Start, plies, rng); ok {
			return game, nil
		}
	}
	return nil, fmt.Errorf("%d random plies from %s always end the game", plies, r.Start.FEN())
}

// rng returns the random numbers of one try.
func (r *randomPlies) rng(number uint64, try int) *rand.Rand {
	var doc [24]byte
	binary.LittleEndian.PutUint64(doc[0:], r.Seed)
	binary.LittleEndian.PutUint64(doc[8:], number)
	binary.LittleEndian.PutUint64(doc[16:], uint64(try))
	return rand.New(rand.NewChaCha8(sha256.Sum256(doc[:])))
}

// walk plays random moves. It fails where the rules end the game.
func walk(start board.Position, plies int, rng *rand.Rand) (*board.Game, bool) {
	game := board.NewGame(start)
	var buf [board.MaxMoves]board.Move
	for range plies {
		moves := game.Position().LegalMoves(buf[:0])
		if len(moves) == 0 {
			return nil, false
		}
		game.Push(moves[rng.IntN(len(moves))])
	}
	_, _, over := game.Outcome()
	return game, !over
}
