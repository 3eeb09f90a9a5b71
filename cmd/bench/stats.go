package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

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
	n := float64(len(d))
	half := sd / math.Sqrt(n) * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975)
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
func (r *row) measure(rounds int) {
	for round := range rounds {
		for i := range r.sides {
			if round%2 == 1 {
				i = len(r.sides) - 1 - i
			}
			s := &r.sides[i]
			if s.missing != "" {
				continue
			}
			work, cpu, err := s.run()
			if err != nil {
				s.missing, s.rates = err.Error(), nil
				continue
			}
			s.rates = append(s.rates, work/cpu/r.scale)
		}
	}
}

// print writes a line for each side, separated by tabs.
func (r *row) print(w io.Writer) {
	for i, s := range r.sides {
		text := "-"
		if i > 0 && s.missing == "" && r.sides[0].missing == "" {
			text = paired(r.sides[0].rates, s.rates).String()
		}
		rate := "not measured: " + s.missing
		if s.missing == "" {
			rate = fmt.Sprintf("%.4g %s", median(s.rates), r.unit)
		}
		fmt.Fprintf(w, "%s, %s\t%s\t%s\n", r.name, s.name, rate, text)
	}
}

// log writes a line for each round of each side, as a Go benchmark prints it.
func (r *row) log(w io.Writer) {
	word := func(s string) string { return strings.ReplaceAll(s, " ", "_") }
	for _, s := range r.sides {
		for _, rate := range s.rates {
			fmt.Fprintf(w, "Benchmark%s/%s 1 %g %s/s\n", word(strings.ToUpper(r.name[:1])+r.name[1:]), word(s.name), rate,
				word(r.unit))
		}
	}
}
