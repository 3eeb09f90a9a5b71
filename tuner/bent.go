package tuner

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/internal/optimize"
	"github.com/assay-chess/assay/tuner/rows"
)

const (
	// jumpReach is the distance from a jump of a formula, in centipawns of what is compared, up
	// to which a row is counted as near.
	jumpReach = 5
	// kinkReach is the distance from a kink, in centipawns, that counts as on it.
	kinkReach = 0.05
	// mostlyRough is the part of a coefficient's information from rows near a jump or on a kink,
	// from which on it is named.
	mostlyRough = 0.5
	// unidentified is the part of a scalar's information that no other coefficient shares,
	// below which the data do not determine it.
	unidentified = 1e-8
	// bentIdle is the decrease of the mean loss that is none: a loss with kinks and jumps has no
	// gradient that vanishes at its minimum.
	bentIdle = 1e-8
)

// Bend is what a fit says of an evaluation that is not linear.
type Bend struct {
	Formula string `json:"formula"`
	// Jumps is the number of places where the formula may jump; NearJumps that of the rows
	// within 5 centipawns of one under the tuned weights. What a fit says of these is rough.
	Jumps     int `json:"jumps"`
	NearJumps int `json:"rows_near_jumps"`
	// OnKinks are the coefficients that the data determine mostly by rows near a jump, or on a
	// kink: where a value is cut off or changes its sign. Their errors are rough.
	OnKinks []string `json:"coefficients_on_kinks,omitempty"`
	// Held are scalars that were held because the data determine them only together with
	// others: a danger twice as large divided by four times as much is the same evaluation.
	Held []string `json:"held,omitempty"`
	// Against is the loss under the tuned weights of another formula minus that under these, of
	// games that neither fit saw.
	Against *Paired `json:"against,omitempty"`
}

// identify holds scalars that the data determine only together with other coefficients, at their start values.
func (f *fitting) identify(ctx context.Context) error {
	bend := f.s.Bend()
	if err := f.checkMemory(); err != nil || bend == nil || len(bend.Scalars) == 0 {
		return err
	}
	info, err := f.train.Gram(ctx, objective.StartOf(f.terms), objective.Curvature)
	if err != nil {
		return err
	}
	for {
		worst, with := f.loosest(bend, f.free.FoldGram(info[0]))
		if worst < 0 {
			return nil
		}
		name := f.terms[worst].Name
		f.warn("%s is held at its start value: the data determine it only together with %s", name, some(with))
		f.held = append(f.held, name)
		f.c.Freeze = append(slices.Clone(f.c.Freeze), name)
		if err := f.parametrize(ctx); err != nil {
			return err
		}
	}
}

// loosest returns the scalar that the data determine least beside the other coefficients, if that is hardly at
// all, and what it goes with; else -1.
func (f *fitting) loosest(bend *rows.Bend, h *mat.SymDense) (term int, with []string) {
	n := f.free.N
	scale := make([]float64, n)
	r := mat.NewSymDense(n, nil)
	for j := range n {
		if v := h.At(j, j); v > 0 {
			scale[j] = 1 / math.Sqrt(v)
		}
	}
	for j := range n {
		for k := j; k < n; k++ {
			r.SetSym(j, k, h.At(j, k)*scale[j]*scale[k])
		}
		r.SetSym(j, j, r.At(j, j)+unidentified/100)
	}
	factor := optimize.Factorize(r)
	if factor == nil {
		return -1, nil
	}
	inverse := factor.Inverse()
	term, least := -1, unidentified
	for _, s := range bend.Scalars {
		j := f.free.MG[s.Term]
		if j == objective.Fixed || scale[j] == 0 {
			continue
		}
		if own := 1 / inverse.At(j, j); own < least {
			term, least = s.Term, own
		}
	}
	if term < 0 {
		return term, nil
	}
	at := f.free.MG[term]
	for t := range f.terms {
		for _, j := range [2]int{f.free.MG[t], f.free.EG[t]} {
			if j == objective.Fixed || j == at {
				continue
			}
			if c := inverse.At(at, j) / inverse.At(at, at); c*c > 1e-4 && !slices.Contains(with, f.terms[t].Name) {
				with = append(with, f.terms[t].Name)
			}
		}
	}
	return term, with
}

// describeBend fills in the report on an evaluation with a formula, at the fitted numbers.
func (f *fitting) describeBend(ctx context.Context, r *Result) error {
	bend := f.s.Bend()
	if bend == nil {
		return nil
	}
	r.Bend = &Bend{Formula: bend.Program.Formula.Text, Jumps: len(bend.Jumps), Held: f.held}
	rough, err := f.train.FindRough(ctx, r.fitted(), jumpReach*f.c.unit(), kinkReach*f.c.unit())
	if err != nil {
		return err
	}
	r.Bend.NearJumps = rough.NearJumps
	for t := range f.terms {
		for half, j := range [2]int{f.free.MG[t], f.free.EG[t]} {
			if j == objective.Fixed || half == 1 && !f.terms[t].Tapered ||
				[2]float64{rough.Share.MG[t], rough.Share.EG[t]}[half] < mostlyRough {
				continue
			}
			name := f.terms[t].Name
			if f.terms[t].Tapered {
				name += [2]string{" mg", " eg"}[half]
			}
			r.Bend.OnKinks = append(r.Bend.OnKinks, name)
		}
	}
	if n := len(r.Bend.OnKinks); n > 0 {
		f.warn("the errors of %d coefficients are rough, most of what the data say of them is from rows "+
			"near a jump or on a kink of the formula: %s", n, some(r.Bend.OnKinks))
	}
	if n := r.Bend.NearJumps; n > 0 {
		f.warn("%d of %d rows are within %d centipawns of where the formula jumps (signs and conditions): "+
			"there the fit is rough", n, r.Rows, jumpReach)
	}
	return nil
}

// CompareBend compares the cross-validated losses of this fit with those of one by another formula, to
// the same rows with the same games held out together: is the bend worth it?
func (r *Result) CompareBend(other *Result) error {
	a, b := r.heldOut, other.heldOut
	if a == nil || b == nil {
		return fmt.Errorf("%w: a comparison of formulas needs cross-validation, and there was none", objective.ErrConfig)
	}
	if r.Bend == nil {
		r.Bend = &Bend{}
	}
	if !slices.Equal(a.weight, b.weight) {
		return fmt.Errorf("%w: the two formulas were not fitted to the same games", objective.ErrConfig)
	}
	d := *a
	d.start = b.tuned
	r.Bend.Against = d.paired()
	return nil
}

// Comparison says the outcome of CompareBend in words.
func (b *Bend) Comparison() string {
	p := b.Against
	word := "no difference shown"
	switch {
	case p.Interval[0] > 0:
		word = "better"
	case p.Interval[1] < 0:
		word = "worse"
	}
	return fmt.Sprintf("%s than the other formula (its loss minus this one's on games held out: %v; %d games)",
		strings.Replace(word, "no difference shown", "no different, as far as these games show,", 1), p, p.Clusters)
}
