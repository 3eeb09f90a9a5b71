//go:build experiment

package tuner

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/assay-chess/assay/tuner/internal/synthetic"
	"github.com/assay-chess/assay/tuner/objective"
	"github.com/assay-chess/assay/tuner/rows"
)

// peerK is the slope of the sigmoid per centipawn.
const peerK = 0.005

// peerRows returns the rows that other tuners can read: whole counts, no offset, and no scale but 1.
func peerRows(t *testing.T, n int) (*rows.Store, []rows.Term) {
	s, terms := realStore(t, "assay", n, 2)
	b := rows.NewBuilder(len(terms))
	err := s.EachRow(context.Background(), func(chunk, row int, entries []rows.Entry) {
		c := s.Chunks[chunk]
		if c.ScaleOf(row) != 1 || c.Offset != nil && c.Offset[row] != 0 {
			return
		}
		x := rows.Row{Phase: c.Phase, Scale: 1, Weight: 1, Score: rows.NoScore, Result: c.Result[row],
			Game: uint64(c.Game[row]) + 1, Entries: entries}
		if err := b.Add(&x); err != nil {
			t.Fatal(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return synthetic.Finish(t, b), terms
}

// writePeerRows writes the file that .ci/peers-tune describes.
func writePeerRows(t *testing.T, path string, s *rows.Store, terms []rows.Term) {
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, s.Rows(), len(terms), peerK)
	for _, x := range terms {
		fmt.Fprintln(w, x.MG, x.EG)
	}
	err = s.EachRow(context.Background(), func(chunk, row int, entries []rows.Entry) {
		c := s.Chunks[chunk]
		fmt.Fprint(w, c.Result[row], " ", c.Phase)
		for _, e := range entries {
			fmt.Fprintf(w, " %d:%v", e.Term, e.Count)
		}
		fmt.Fprintln(w)
	})
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestBesidePeers fits free weights for .ci/peers-tune, and compares with 10,000 steps of
// L-BFGS on the terms that have a finite optimum. ASSAY_ROWS is the file to write the rows
// to, ASSAY_POSITIONS how many positions to read.
func TestBesidePeers(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv("ASSAY_POSITIONS"))
	if err != nil {
		n = math.MaxInt
	}
	s, terms := peerRows(t, n)
	if path := os.Getenv("ASSAY_ROWS"); path != "" {
		writePeerRows(t, path, s, terms)
	}
	c := NewConfig()
	c.Loss, c.K, c.KeepScale, c.Valid, c.Tie = objective.MSE, peerK, true, 0, TieOff
	c.Prior = map[string]float64{}
	for _, x := range terms {
		c.Prior[x.Group] = math.Inf(1)
	}
	fit := func(what string, c Config) *Result {
		began := cpuSeconds()
		r, err := (&fitting{s: s, terms: terms, c: c, bare: true}).run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("%s: loss %.12f, %d parameters, %d steps, %.1f s of processor time\n", what, r.Fit.Train, r.Parameters,
			r.Steps, cpuSeconds()-began)
		return r
	}
	fmt.Printf("%d rows, %d terms, %.0f bytes a row\n", s.Rows(), len(terms), float64(s.Bytes())/float64(s.Rows()))
	r := fit("assay", c)
	fmt.Printf("at the start: loss %.12f; no finite optimum: %d\n", r.Start.Train, len(r.Unbounded))

	c.Method, c.Iterations, c.Gap, c.Design = "lbfgs", 10000, 1e-300, r.Design
	for i, x := range r.Terms {
		if math.Abs(x.FitMG) == DefaultLimit || math.Abs(x.FitEG) == DefaultLimit {

			terms[i].MG, terms[i].EG = x.FitMG, x.FitEG
			c.Freeze = append(c.Freeze, x.Name)
		}
	}
	long := fit(fmt.Sprintf("10,000 steps of L-BFGS, %d terms frozen where assay leaves them", len(c.Freeze)), c)
	if r.Fit.Train > long.Fit.Train+1e-9 {
		t.Errorf("loss %.12f, L-BFGS finds %.12f", r.Fit.Train, long.Fit.Train)
	}
}
