package tuner

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/internal/synthetic"
	"github.com/assay-chess/assay/tuner/rows"
)

// TestGroupGains compares the predicted gains with fits in which the group is
// frozen: near the optimum the quadratic is good.
func TestGroupGains(t *testing.T) {
	syn := synthetic.Games{Games: 2000, Rows: 10, Terms: 8, PerRow: 4, K: 0.006, Seed: 31}
	s := syn.Store(t)
	start := syn.Truth()
	terms := syn.List(objective.NewTapered(8))
	for i := range terms {
		// Near the truth, so that a quadratic holds; the last group is right already.
		terms[i].MG, terms[i].EG = math.Round(start.MG[i])-8, math.Round(start.EG[i])+6
		terms[i].Group = "near"
		if i >= 6 {
			terms[i].MG, terms[i].EG, terms[i].Group = math.Round(start.MG[i]), math.Round(start.EG[i]), "right"
		}
	}
	c := NewConfig()
	c.K, c.KeepScale, c.Design = syn.K, true, 1
	c.Prior = map[string]float64{"near": math.Inf(1), "right": math.Inf(1)}
	full := setup.Must(Fit(context.Background(), s, terms, c))
	if len(full.Groups) != 2 {
		t.Fatalf("groups %+v", full.Groups)
	}
	for _, g := range full.Groups {
		c.Freeze = []string{g.Name}
		held := setup.Must(Fit(context.Background(), s, terms, c))
		want := float64(held.Fit.Train - full.Fit.Train)
		if math.Abs(g.Gain-want) > 0.05*want+1e-9 {
			t.Errorf("%s: gain %v, freezing it costs %v", g.Name, g.Gain, want)
		}
		if g.Name == "near" && g.Net < 0.5*g.Gain || g.Name == "right" && g.Net > g.Gain/2 {
			t.Errorf("%s: net gain %v of %v", g.Name, g.Net, g.Gain)
		}
	}
}

// TestCollinearNames: a term that is the sum of two others, and one that all but
// repeats another, are found, each with the names of the others.
func TestCollinearNames(t *testing.T) {
	syn := synthetic.Games{Games: 500, Rows: 10, Terms: 6, PerRow: 3, K: 0.006, Seed: 32}
	s := syn.Store(t)
	terms := append(syn.List(objective.NewTapered(6)), rows.Term{Name: "sum", Group: "pieces", Tapered: true, Mirror: 6},
		rows.Term{Name: "almost", Group: "pieces", Tapered: true, Mirror: 7})
	b := rows.NewBuilder(8)
	n := 0
	err := s.EachRow(context.Background(), func(chunk, row int, entries []rows.Entry) {
		c := s.Chunks[chunk]
		r := rows.Row{Phase: c.Phase, Scale: 1, Weight: 1, Score: rows.NoScore, Result: c.Result[row],
			Game: uint64(c.Game[row]) + 1}
		sum, almost := float32(0), float32(0)
		for _, e := range entries {
			r.Entries = append(r.Entries, e)
			if e.Term == 0 || e.Term == 1 {
				sum += e.Count
			}
			if e.Term == 2 {
				almost = e.Count
			}
		}
		if n++; n%400 == 0 {
			almost++
		}
		for i, v := range []float32{sum, almost} {
			if v != 0 {
				r.Entries = append(r.Entries, rows.Entry{Term: uint16(6 + i), Count: v})
			}
		}
		setup.Check(t, b.Add(&r))
	})
	if err != nil {
		t.Fatal(err)
	}
	c := NewConfig()
	c.K, c.KeepScale = syn.K, true
	r := setup.Must(Fit(context.Background(), synthetic.Finish(t, b), terms, c))
	if len(r.Collinear) != 4 {
		t.Fatalf("%d collinear coefficients, want the two halves of two sets: %+v", len(r.Collinear), r.Collinear)
	}
	for i, x := range r.Collinear {
		all := x.Coefficient + " " + strings.Join(x.Others, " ")
		half := all[strings.LastIndexByte(x.Coefficient, ' ')+1:][:2]
		want := []string{"t0 " + half, "t1 " + half, "sum " + half}
		if i >= 2 {
			want = []string{"t2 " + half, "almost " + half}
		}
		for _, name := range want {
			if !strings.Contains(all, name) {
				t.Errorf("%q does not name %s", all, name)
			}
		}
		if x.Exact != (i < 2) || len(x.Others) != len(want)-1 {
			t.Errorf("%d: %+v", i, x)
		}
	}
}

// TestCalibration: predictions of a fit to data that follow the model are right
// in every bin, within their errors; the start's loss is the larger.
func TestCalibration(t *testing.T) {
	syn := synthetic.Games{Games: 3000, Rows: 20, Terms: 6, PerRow: 3, K: 0.006, Seed: 33}
	c := NewConfig()
	c.K, c.KeepScale, c.Valid = syn.K, true, 0.3
	c.Prior = map[string]float64{"pieces": math.Inf(1)}
	r := setup.Must(Fit(context.Background(), syn.Store(t), syn.List(objective.NewTapered(6)), c))
	x := r.Calibration
	if !x.HeldOut || x.Rows != int64(r.RowsValid) || len(x.ByScore) != 10 || len(x.ByPhase) != 5 {
		t.Fatalf("%+v", x)
	}
	chi, n, loss := 0.0, 0, 0.0
	for i, b := range append(x.ByScore, x.ByPhase...) {
		if b.Rows == 0 {
			continue
		}
		d := (b.Actual - b.Predicted) / b.SE
		chi += d * d
		n++
		if math.Abs(d) > 4.5 || i < 10 && (b.Predicted < b.Lo || b.Predicted > b.Hi) {
			t.Errorf("bin %+v", b)
		}
		if i >= 10 {
			loss += b.Loss * float64(b.Rows) / float64(x.Rows)
			if b.Loss >= b.Start {
				t.Errorf("phase %v to %v: loss %v -> %v", b.Lo, b.Hi, b.Start, b.Loss)
			}
		}
	}
	if math.Abs(loss-float64(r.Fit.Valid)) > 1e-12 {
		t.Errorf("losses of the phases come to %v, validation loss is %v", loss, r.Fit.Valid)
	}
	if chi < float64(n)/5 || chi > 3*float64(n) {
		t.Errorf("chi-square %.1f of %d bins", chi, n)
	}
}
