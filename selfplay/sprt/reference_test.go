package sprt

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
)

// vector is one reference value: what another program computes.
type vector struct {
	ID, Kind string
	Input    struct {
		Results []int64 `json:"results_LtoW"`
		WLD     []int64 `json:"W_L_D"`
		Penta6  []int64 `json:"penta_LL_LD_WL_DD_WD_WW"`

		Elo0, Elo1, NElo0, NElo1 float64
		Alpha, Beta              float64
		Model                    string
		EloModel                 string `json:"elo_model"`
		Pairs                    string `json:"pair_index_seq"`
		R                        struct {
			Wins, Losses, Draws int64
			Pentanomial         []int64
		}
	}
	Expected json.RawMessage
}

// counts of whichever way the vector spells them.
func (v *vector) counts(t *testing.T) Counts {
	t.Helper()
	in := v.Input
	p := in.R.Pentanomial
	switch {
	case len(in.Results) == 3:
		return Trinomial(in.Results)
	case len(in.Results) == 5:
		return Pentanomial(in.Results)
	case len(in.WLD) == 3:
		return WDL(in.WLD[0], in.WLD[2], in.WLD[1])
	case len(in.Penta6) == 6:
		q := in.Penta6
		return Pentanomial{q[0], q[1], q[2] + q[3], q[4], q[5]}
	case len(p) == 5:
		return Pentanomial(p)
	}
	return WDL(in.R.Wins, in.R.Draws, in.R.Losses)
}

// expect reads the expected value; false where it is none that JSON has (nan, inf).
func expect[T any](v *vector) (x T, ok bool) {
	return x, json.Unmarshal(v.Expected, &x) == nil
}

// near says whether got is want within 1e-6 max(1, |want|).
func near(got, want float64) bool { return within(got, want, 1e-6) }

func within(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance*math.Max(1, math.Abs(want))
}

func loadVectors(t *testing.T) []vector {
	t.Helper()
	data := setup.Must(os.ReadFile(reference))
	var file struct{ Vectors []vector }
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatalf("%s: %v", reference, err)
	}
	return file.Vectors
}

// reference holds the vectors: numbers computed by running fishtest, fastchess, OpenBench
// and others, each with its source.
const reference = "testdata/reference.json"

// checks compares one vector of each kind.
var checks = map[string]func(*testing.T, *vector){
	"llr_logistic": func(t *testing.T, v *vector) {
		checkNumber(t, v, Test{Elo0: v.Input.Elo0, Elo1: v.Input.Elo1, Model: Logistic}.llrOf(v.counts(t)))
	},
	"llr_normalized": func(t *testing.T, v *vector) {
		checkNumber(t, v, Test{Elo0: v.Input.NElo0, Elo1: v.Input.NElo1, Model: Normalized}.llrOf(v.counts(t)))
	},
	"elo_fixed_games":       checkFixedGames,
	"sprt_bounds":           checkBounds,
	"sprt_update":           checkUpdate,
	"sprt_elo_estimate":     checkEstimate,
	"sprt_overshoot_stream": checkStream,
	"fastchess_elo":         checkFastchessElo,
	"fastchess_sprt_llr":    checkFastchessLLR,
}

// TestReference compares with what other programs compute.
func TestReference(t *testing.T) {
	seen := map[string]int{}
	for _, v := range loadVectors(t) {
		seen[v.Kind]++
		if check := checks[v.Kind]; check != nil {
			check(t, &v)
		} else {
			t.Errorf("%s: nothing checks vectors of the kind %s", v.ID, v.Kind)
		}
	}
	if len(seen) != len(checks) {
		t.Errorf("%d kinds of vectors, want %d: %v", len(seen), len(checks), seen)
	}
}

func checkNumber(t *testing.T, v *vector, got float64) {
	t.Helper()
	want, ok := expect[float64](v)
	if !ok || !near(got, want) {
		t.Errorf("%s %s: got %.12g, want %s", v.ID, v.Kind, got, v.Expected)
	}
}

func checkFixedGames(t *testing.T, v *vector) {
	want, _ := expect[struct{ Elo, Elo95, LOS float64 }](v)
	s := Summarize(v.counts(t))
	if !near(s.Elo, want.Elo) || !near((s.EloHi-s.EloLo)/2, want.Elo95) || !near(s.LOS, want.LOS) {
		t.Errorf("%s: got %v +- %v, LOS %v, want %v", v.ID, s.Elo, (s.EloHi-s.EloLo)/2, s.LOS, want)
	}
}

func checkBounds(t *testing.T, v *vector) {
	want, _ := expect[struct{ Lower, Upper float64 }](v)
	lower, upper := Test{Alpha: v.Input.Alpha, Beta: v.Input.Beta}.Bounds()
	if !near(lower, want.Lower) || !near(upper, want.Upper) {
		t.Errorf("%s: got %v %v, want %v", v.ID, lower, upper, want)
	}
}

// test is the vector's test; alpha and beta are 0.05 where it has none.
func (v *vector) test(t *testing.T) Test {
	t.Helper()
	in := v.Input
	s := Test{Elo0: in.Elo0, Elo1: in.Elo1, Alpha: in.Alpha, Beta: in.Beta}
	if s.Alpha == 0 {
		s.Alpha, s.Beta = 0.05, 0.05
	}
	var err error
	if s.Model, err = ParseModel(in.Model + in.EloModel); err != nil {
		t.Fatal(v.ID, err)
	}
	return s
}

func checkUpdate(t *testing.T, v *vector) {
	want, _ := expect[struct {
		LLR   float64
		State string
	}](v)
	s := v.test(t)
	llr, err := s.LLR(v.counts(t))
	if err != nil || !near(llr, want.LLR) || (s.Status(llr) == Continue) != (want.State == "") {
		t.Errorf("%s: got %v (%v), want %v", v.ID, llr, err, want)
	}
}

func checkEstimate(t *testing.T, v *vector) {
	want, _ := expect[struct {
		Elo, LOS, LLR float64
		CI            [2]float64
	}](v)
	s, c := v.test(t), v.counts(t)
	got, err := s.AfterStop(c)
	if err != nil {
		t.Fatal(v.ID, err)
	}
	llr, err := s.LLR(c)
	if err != nil {
		t.Fatal(v.ID, err)
	}
	if !near(got.Elo, want.Elo) || !near(got.Lo, want.CI[0]) || !near(got.Hi, want.CI[1]) ||
		!near(got.LOS, want.LOS) || !near(llr, want.LLR) {
		t.Errorf("%s: got %+v, LLR %v, want %+v", v.ID, got, llr, want)
	}
}

func checkStream(t *testing.T, v *vector) {
	type point struct {
		N         int
		Pent      []int64
		LLR       float64
		Overshoot struct{ M0, SQ0, M1, SQ1, Ref0, Ref1 float64 }
	}
	want, _ := expect[[]point](v)
	w, err := NewWalk(v.test(t), true)
	if err != nil {
		t.Fatal(v.ID, err)
	}
	var c Pentanomial
	for i, r := range v.Input.Pairs {
		c[r-'0']++
		if _, err := w.Observe(c); err != nil {
			t.Fatal(v.ID, err)
		}
		if len(want) == 0 || want[0].N != i+1 {
			continue
		}
		p := want[0]
		want = want[1:]
		o := p.Overshoot
		if !slices.Equal(c[:], p.Pent) || !near(w.LLR(), p.LLR) || w.Samples() != int64(p.N) ||
			!near(-w.below.sum, o.M0) || !near(w.below.squares, o.SQ0) || !near(-w.below.record, o.Ref0) ||
			!near(w.above.sum, o.M1) || !near(w.above.squares, o.SQ1) || !near(w.above.record, o.Ref1) {
			t.Errorf("%s: after %d pairs %v: got %+v, want %+v", v.ID, p.N, c, w, p)
		}
	}
	if len(want) != 0 {
		t.Errorf("%s: %d points were not reached", v.ID, len(want))
	}
}

// checkFastchessElo leaves out what fastchess has no number for, and allows for
// its zeros: it does not replace them.
func checkFastchessElo(t *testing.T, v *vector) {
	type answer struct {
		Elo    float64
		EloErr float64 `json:"elo_err95"`
		NElo   float64
		Score  float64
		Draws  float64 `json:"draw_ratio_penta_pct"`
		Pairs  float64 `json:"pairs_ratio"`
	}
	want, ok := expect[answer](v)
	c := v.counts(t)
	s := Summarize(c)
	d := c.distribution()
	tolerance := 1e-6
	for i := range d.k {
		if d.p[i]*d.n < 1 {
			tolerance = 5e-4
		}
	}
	if !ok {
		return
	}
	if !within(s.Elo, want.Elo, tolerance) || !within((s.EloHi-s.EloLo)/2, want.EloErr, tolerance) ||
		!within(s.NElo, want.NElo, tolerance) || !within(s.Score, want.Score, tolerance) {
		t.Errorf("%s: got %+v, want %+v", v.ID, s, want)
	}
	if s.Paired && (!within(100*s.DrawRatio, want.Draws, 1e-6) || !within(s.PairRatio, want.Pairs, 1e-6)) {
		t.Errorf("%s: got draw ratio %v, pair ratio %v, want %+v", v.ID, s.DrawRatio, s.PairRatio, want)
	}
}

// checkFastchessLLR allows for the tolerance of its solver, which stops at 1e-3. Ours agrees with fishtest's to 1e-6.
func checkFastchessLLR(t *testing.T, v *vector) {
	const solver = 1e-3
	want, ok := expect[struct{ LLR float64 }](v)
	s, c := v.test(t), v.counts(t)
	got, err := s.LLR(c)
	if !ok || err != nil || !within(got, want.LLR, solver) {
		t.Errorf("%s: got %v (%v), want %s", v.ID, got, err, v.Expected)
	}
}
