package match

import (
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/sprt"
)

// Tally counts pairs of games that were played elsewhere, of chess or of another game, as Run
// counts its own.
type Tally struct {
	n    *counter
	pair []selfplay.Result // of the pair that is next
}

// NewTally counts the pairs of a match between a and b: games of them, or until the test, if it
// is not nil, has decided.
func NewTally(a, b selfplay.Entrant, games uint64, test *sprt.Test) (*Tally, error) {
	n, err := newCounter(&Config{A: a, B: b, Games: games, Test: test})
	return &Tally{n: n}, err
}

// Add counts the next game by its result, 1, 0 or -1 for the player that moved first: A in games of even number. A pair
// counts when both its games are there.
func (t *Tally) Add(result int) error {
	t.pair = append(t.pair, selfplay.Result{Number: 2*t.n.countedPair + uint64(len(t.pair)),
		Result: board.GameResult(result), Termination: "played"})
	if len(t.pair) < 2 {
		return nil
	}
	defer func() { t.pair = nil }()
	return t.n.add(t.pair)
}

// Over reports whether enough pairs are counted.
func (t *Tally) Over() bool { return t.n.over() }

// Note says how the match stands, in a few words.
func (t *Tally) Note() string { return t.n.note() }

// Result returns the result of the counted pairs.
func (t *Tally) Result() *Result { return t.n.conclude() }
