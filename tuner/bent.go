package tuner

import (
	"context"

	"github.com/assay-chess/assay/tuner/internal/objective"
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
}

// describeBend fills in the report on an evaluation with a formula, at the fitted numbers.
func (f *fitting) describeBend(ctx context.Context, r *Result) error {
	bend := f.s.Bend()
	if bend == nil {
		return nil
	}
	r.Bend = &Bend{Formula: bend.Formula.Text, Jumps: len(bend.Jumps)}
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
