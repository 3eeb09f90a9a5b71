package match

import (
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/sprt"
)

// Tally counts pairs of games that were played elsewhere, of chess or of another game, as Run
// counts its own.
type Tally struct{ n *counter }

// NewTally counts the pairs of a match between a and b: games of them, or until the test, if it
// is not nil, has decided.
func NewTally(a, b selfplay.Entrant, games uint64, test *sprt.Test) (*Tally, error) {
	n, err := newCounter(&Config{A: a, B: b, Games: games, Test: test})
	return &Tally{n}, err
}

// Add counts the next pair: A's results, 1, 0 or -1, in its first game, in which A moved first, and in
// the other one.
func (t *Tally) Add(first, second int) error {
	at := 2 * t.n.countedPair
	return t.n.add([]selfplay.Result{
		{Number: at, Result: board.GameResult(first), Termination: "played"},
		{Number: at + 1, Result: board.GameResult(-second), Termination: "played"},
	})
}

// Over reports whether enough pairs are counted.
func (t *Tally) Over() bool { return t.n.over() }

// Note says how the match stands, in a few words.
func (t *Tally) Note() string { return t.n.note() }

// Result returns the result of the counted pairs.
func (t *Tally) Result() *Result { return t.n.conclude() }
