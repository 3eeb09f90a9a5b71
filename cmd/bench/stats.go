package main

import (
	"fmt"
	"io"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// ratio is a ratio of two rates with its 95 % interval.
type ratio struct{ value, lo, hi float64 }

func (r ratio) String() string { return fmt.Sprintf("%.3f [%.3f, %.3f]", r.value, r.lo, r.hi) }

// paired returns the ratio of a to b, which were measured in turn: the mean of the rounds'
// log ratios, with Student's t.
func paired(a, b []float64) ratio {
	d := logs(a)
	for i, x := range logs(b) {
		d[i] -= x
	}
	mean, sd := stat.MeanStdDev(d, nil)
	return interval(mean, sd/math.Sqrt(float64(len(d))), float64(len(d)-1))
}

// unpaired returns the ratio of the means of two samples of logarithms, after Welch.
func unpaired(a, b []float64) ratio {
	ma, sa := stat.MeanStdDev(a, nil)
	mb, sb := stat.MeanStdDev(b, nil)
	va, vb := sa*sa/float64(len(a)), sb*sb/float64(len(b))
	freedom := float64(len(a) + len(b) - 2)
	if va+vb > 0 {
		freedom = (va + vb) * (va + vb) / (va*va/float64(len(a)-1) + vb*vb/float64(len(b)-1))
	}
	return interval(ma-mb, math.Sqrt(va+vb), freedom)
}

func interval(mean, se, freedom float64) ratio {
	half := se * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Quantile(0.975)
	return ratio{math.Exp(mean), math.Exp(mean - half), math.Exp(mean + half)}
}

func logs(x []float64) []float64 {
	l := make([]float64, len(x))
	for i := range x {
		l[i] = math.Log(x[i])
	}
	return l
}

func median(x []float64) float64 {
	s := slices.Clone(x)
	slices.Sort(s)
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// measure does the job of a row round after round, its sides in turn, and in every other
// round backwards. A side that fails is left out, with its error.
func (r *row) measure(rounds int) savedRow {
	saved := savedRow{Name: r.name, Unit: r.unit, Sides: make([]savedSide, len(r.sides))}
	for i, s := range r.sides {
		saved.Sides[i] = savedSide{Name: s.name, Missing: s.missing}
	}
	for round := range rounds {
		for i := range r.sides {
			if round%2 == 1 {
				i = len(r.sides) - 1 - i
			}
			to := &saved.Sides[i]
			if to.Missing != "" {
				continue
			}
			work, cpu, err := r.sides[i].run()
			if err != nil {
				to.Missing, to.Rates = err.Error(), nil
				continue
			}
			to.Rates = append(to.Rates, work/cpu/r.scale)
		}
	}
	return saved
}

const header = "row\trate a processor second, median\tratio of assay to the peer, 95 %"

// print writes a line for each side, separated by tabs.
func (r *savedRow) print(w io.Writer) {
	for i, s := range r.Sides {
		text := "-"
		if i > 0 && s.Missing == "" && r.Sides[0].Missing == "" {
			text = paired(r.Sides[0].Rates, s.Rates).String()
		}
		rate := "not measured: " + s.Missing
		if s.Missing == "" {
			rate = fmt.Sprintf("%.4g %s", median(s.Rates), r.Unit)
		}
		fmt.Fprintf(w, "%s, %s\t%s\t%s\n", r.Name, s.Name, rate, text)
	}
}

// compare writes what changed from one table to another: assay's own rates, which the
// machine's state shifts, and the ratios to each peer, which it hardly does.
func compare(w io.Writer, before, after savedTable) error {
	fmt.Fprintf(w, "%s %s, %s\n%s %s, %s\n", before.Version, before.Commit, before.Date, after.Version, after.Commit, after.Date)
	fmt.Fprintln(w, "row\tspeed of the second table against the first, 95 %")
	rows := 0
	for _, a := range after.Rows {
		i := slices.IndexFunc(before.Rows, func(b savedRow) bool { return b.Name == a.Name })
		if i < 0 || before.Rows[i].Sides[0].Missing != "" || a.Sides[0].Missing != "" {
			continue
		}
		rows++
		ours, theirs := logs(a.Sides[0].Rates), logs(before.Rows[i].Sides[0].Rates)
		fmt.Fprintf(w, "%s\t%s\n", a.Name, unpaired(ours, theirs))
		for _, s := range a.Sides[1:] {
			old := before.Rows[i].side(s.Name)
			if s.Missing == "" && old.Missing == "" {
				fmt.Fprintf(w, "%s, against %s\t%s\n", a.Name, s.Name, unpaired(minus(ours, logs(s.Rates)), minus(theirs, logs(old.Rates))))
			}
		}
	}
	if rows == 0 {
		return fmt.Errorf("the tables have no measured row in common")
	}
	return nil
}

// side returns the side with the name.
func (r *savedRow) side(name string) savedSide {
	for _, s := range r.Sides {
		if s.Name == name {
			return s
		}
	}
	return savedSide{Missing: "not in the table"}
}

func minus(a, b []float64) []float64 {
	d := make([]float64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	return d
}
