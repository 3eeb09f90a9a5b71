package positions

import "github.com/assay-chess/assay/engine/board"

// NoiseLimit is the noise in centipawns above which a position counts as noisy: the
// quiescence search differs from the evaluation by more.
const NoiseLimit = 50

// Noise counts rows whose static evaluation says little about the result: those in check,
// and those in which a capture or promotion is about to change it.
type Noise struct {
	Rows    int64 `json:"rows"` // looked at
	InCheck int64 `json:"in_check"`
	Noisy   int64 `json:"noisy"` // not in check, and resolved.Noise above NoiseLimit
}

// Add counts a position.
func (n *Noise) Add(p *board.Position, resolve resolver) {
	n.Rows++
	if p.InCheck() {
		n.InCheck++
	} else if resolve(p).Noise > NoiseLimit {
		n.Noisy++
	}
}

// Plus returns the sum of two counts.
func (n Noise) Plus(o Noise) Noise {
	return Noise{n.Rows + o.Rows, n.InCheck + o.InCheck, n.Noisy + o.Noisy}
}

// maxNoisy is the share of rows in check or noisy above which data are unfit for tuning.
const maxNoisy = 0.05

// Unfit reports whether more than maxNoisy of the rows are in check or noisy.
func (n *Noise) Unfit() bool { return float64(n.InCheck+n.Noisy) > maxNoisy*float64(n.Rows) }
