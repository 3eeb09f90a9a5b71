package stats

import (
	"math"
	"strconv"
	"strings"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/tuner/objective"
	"github.com/assay-chess/assay/tuner/rows"
)

// Concept is a number that chess players know under a name, with what Shannon guessed it to be: one term, or
// what one more of something is worth on average over a table of terms. It is a linear function of the
// coefficients, blended at the mean phase of the pieces in the sample, in centipawns.
type Concept struct {
	Group   string    `json:"group"`
	Name    string    `json:"name"`
	Shannon num.Float `json:"shannon"` // his coefficient (1950, section 3); null where he gave none
	Start   float64   `json:"start"`
	Value   float64   `json:"value"`
	SE      num.Float `json:"se"` // clustered
}

// concepts are looked for in the terms by name: the term itself, or all tables whose names
// begin so and end with a count.
var concepts = []struct {
	group, name string
	term, table string
	shannon     num.Float
	atZero      bool // the table leaves out the count 0, which is worth 0
}{
	{group: "pawn structure", name: "doubled pawn", term: "doubled", shannon: -50},
	{group: "pawn structure", name: "backward pawn", term: "backward", shannon: -50},
	{group: "pawn structure", name: "isolated pawn", term: "isolated", shannon: -50},
	{group: "mobility", name: "one more square to go to", term: "mobility", table: "mobility.", shannon: 10},
	{group: "king safety", name: "one more attacker of the king", table: "king-ring.attackers.", shannon: num.Unknown,
		atZero: true},
	{group: "king safety", name: "no pawn on the king's file", term: "shelter.own-file.none", shannon: num.Unknown},
}

// Concepts returns the concepts that the terms have, under old and new weights. scale is the
// factor between theta and centipawns.
func (v *Covariance) Concepts(s *rows.Sample, terms []rows.Term, old, fit objective.Tapered, scale float64) []Concept {
	middle := middlegame(s)
	out := []Concept{}
	for _, c := range concepts {
		weights := make([]float64, len(terms))
		if !oneTerm(terms, c.term, weights) && (c.table == "" || !slope(terms, c.table, c.atZero, s.Seen, weights)) {
			continue
		}
		a := objective.NewTapered(len(terms))
		for i, w := range weights {
			a.MG[i], a.EG[i] = w*middle, w*(1-middle)
		}
		x := Concept{Group: c.group, Name: c.name, Shannon: c.shannon}
		mg, eg := a.Dot(old)
		x.Start = mg + eg
		mg, eg = a.Dot(fit)
		x.Value = mg + eg
		linear := make([]float64, v.o.Params.N)
		v.o.Params.Fold(a, linear)
		x.SE = num.Float(scale * v.contrast(linear, x.Value/scale))
		out = append(out, x)
	}
	return out
}

// middlegame returns the mean phase of the sample's pieces, from 0 to 1.
func middlegame(s *rows.Sample) float64 {
	phase, n := int64(0), int64(0)
	for t := range rows.PieceTypes {
		phase += s.Phase[t]
		n += s.Count[t]
	}
	return objective.Ratio(float64(phase), float64(rows.MaxPhase*n))
}

// oneTerm gives the term of that name the weight 1, and reports whether there is one.
func oneTerm(terms []rows.Term, name string, weights []float64) bool {
	for i := range terms {
		if name != "" && terms[i].Name == name {
			weights[i] = 1
			return true
		}
	}
	return false
}

// slope sets the weights that make the slope of the coefficients over the counts at the end of
// the names: by least squares, each count as often as it was seen, each table with a mean of
// its own. With atZero the lines go through the origin. It reports whether there is a slope.
func slope(terms []rows.Term, prefix string, atZero bool, seen []int64, weights []float64) bool {
	type moments struct{ n, sum float64 }
	tables := map[string]*moments{}
	table := make([]string, len(terms))
	count := make([]float64, len(terms))
	for i := range terms {
		dot := strings.LastIndexByte(terms[i].Name, '.')
		if !strings.HasPrefix(terms[i].Name, prefix) || dot < 0 {
			continue
		}
		n, err := strconv.Atoi(terms[i].Name[dot+1:])
		if err != nil {
			continue
		}
		table[i], count[i] = terms[i].Name[:dot], float64(n)
		if tables[table[i]] == nil {
			tables[table[i]] = new(moments)
		}
		m := tables[table[i]]
		m.n += float64(seen[i])
		m.sum += num.Rounded(float64(seen[i]) * count[i])
	}
	squares := 0.0
	for i := range terms {
		m := tables[table[i]]
		if m == nil || m.n == 0 {
			continue
		}
		from := m.sum / m.n
		if atZero {
			from = 0
		}
		weights[i] = float64(seen[i]) * (count[i] - from)
		squares += num.Rounded(weights[i] * (count[i] - from))
	}
	if !(squares > 0) || math.IsInf(squares, 0) {
		return false
	}
	for i := range weights {
		weights[i] /= squares
	}
	return true
}
