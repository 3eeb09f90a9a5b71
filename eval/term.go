package eval

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Coef is the coefficient of a term, in centipawns: MG in the middlegame (phase 24), EG in
// the endgame (phase 0), interpolated by phase between them. A term that is not tapered has
// MG == EG.
type Coef struct {
	MG int32 `json:"mg"`
	EG int32 `json:"eg"`
}

// MaxCoef bounds both values of every coefficient: |coefficient| <= MaxCoef.
const MaxCoef = 30000

// The groups of terms. A tuner has one prior and a report one section for each.
const (
	GroupMaterial    = "material"
	groupPieceSquare = "piece-square"
	groupMobility    = "mobility"
	groupPawns       = "pawns"
	groupPassed      = "passed"
	groupPieces      = "pieces"
	groupKing        = "king"
	groupThreats     = "threats"
	groupTempo       = "tempo"
	groupEndgame     = "endgame"
)

// Term is one thing a model counts. Its index in Model.Terms is its number.
type Term struct {
	// Name is unique within the model; weight files use it.
	Name string
	// Group is one of the groups above, or any of an external evaluation.
	Group string
	// Tapered reports whether the term has two coefficients or one.
	Tapered bool
	// Source is the paper and section that the term comes from, or "our own".
	Source string
	// Mirror is the index of the term for the file-mirrored square in a table over
	// squares (a2 for h2), and the term's own index everywhere else.
	Mirror int
	// Channel is the one that the term is summed in, of a model with a formula; empty is the
	// first. A term of a plain channel is not tapered.
	Channel string
	// Rooted reports whether the term depends on the position that a search started from.
	// Then it is 0 in a position alone, and only games can tune its weight.
	Rooted bool
}

// Sources of the terms.
const (
	sourceShannon         = "Shannon 1950, section 3"
	sourceShannonPassed   = "Shannon 1950, appendix 2e"
	sourceShannonRooks    = "Shannon 1950, appendix 3b"
	sourceShannon7th      = "Shannon 1950, appendix 3c"
	sourceShannonRing     = "our own, after Shannon 1950, appendix 4c"
	sourceShannonMoves    = "our own, after Shannon 1950, appendix 5"
	sourceShannonKing     = "our own, after Shannon 1950, appendix 2c"
	sourceShannonKnights  = "our own, after Shannon 1950, appendix 3a"
	sourceShannonPins     = "our own, after Shannon 1950, appendix 4d"
	sourceShannonRestless = "our own, after g(P) of Shannon 1950, section 6"
	sourceOurs            = "our own"
)

// table collects the terms of a model and their start weights, at the index constants of
// the model.
type table struct {
	terms []Term
	start []Coef
}

func newTable(n int) *table {
	return &table{terms: make([]Term, n), start: make([]Coef, n)}
}

// set declares the term at an index. Its start weight is the same in both phases.
func (t *table) set(index int, term Term, start int32) {
	if t.terms[index].Name != "" {
		panic("eval: two terms have the index of " + term.Name)
	}
	term.Mirror = index
	t.terms[index] = term
	t.start[index] = Coef{start, start}
}

// pair declares two terms of a piece-square table to be each other's mirror.
func (t *table) pair(a, b int) {
	t.terms[a].Mirror, t.terms[b].Mirror = b, a
}

// maxName bounds the names of models, terms and groups, in bytes.
const maxName = 128

// CheckName reports what cannot be the name of a model, a term or a group, ours or a
// external evaluation's: names reach terminals, file names and source code, so they are
// 1 to maxName bytes of printable characters, with blanks only inside.
func CheckName(name string) error {
	switch {
	case name == "":
		return fmt.Errorf("an empty name")
	case len(name) > maxName:
		return fmt.Errorf("the name %.40q... has %d bytes, at most %d are allowed", name, len(name), maxName)
	case !utf8.ValidString(name):
		return fmt.Errorf("the name %q is not UTF-8", name)
	case strings.TrimSpace(name) != name:
		return fmt.Errorf("the name %q begins or ends with a blank", name)
	}
	for _, r := range name {
		if !unicode.IsPrint(r) {
			return fmt.Errorf("the name %q has the character %U, which cannot be printed", name, r)
		}
	}
	return nil
}
