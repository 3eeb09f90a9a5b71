package sprt

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"testing"
)

var usual = Test{Elo0: 0, Elo1: 5, Model: Normalized, Alpha: 0.05, Beta: 0.05}

func TestTestAsJSON(t *testing.T) {
	data, err := json.Marshal(usual)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"elo0":0,"elo1":5,"model":"normalized","alpha":0.05,"beta":0.05}`; string(data) != want {
		t.Errorf("got %s, want %s", data, want)
	}
	var back Test
	if err := json.Unmarshal(data, &back); err != nil || back != usual {
		t.Errorf("got %+v back (%v)", back, err)
	}
	if err := json.Unmarshal([]byte(`{"model":"pentanomial"}`), &back); !errors.Is(err, ErrTest) {
		t.Errorf("an unknown model: %v", err)
	}
}

// TestWalkStopsOnce lets a walk cross both bounds: the first one counts.
func TestWalkStopsOnce(t *testing.T) {
	x := Test{Elo0: 0, Elo1: 100, Model: Logistic, Alpha: 0.05, Beta: 0.05}
	w, err := NewWalk(x, false)
	if err != nil {
		t.Fatal(err)
	}
	var c Pentanomial
	stoppedAt := int64(0)
	for i := range 400 {
		if i < 60 {
			c[3]++
			c[4]++ // two at a time: the walk must follow all the same
		} else {
			c[0]++
		}
		status, err := w.Observe(c)
		if err != nil {
			t.Fatal(err)
		}
		if status != Continue && stoppedAt == 0 {
			stoppedAt = c.Samples()
			if llr, _ := x.LLR(c); llr != w.LLR() || x.Status(llr) != status {
				t.Errorf("stopped at LLR %v, test says %v", w.LLR(), llr)
			}
		}
	}
	if w.Status() != AcceptH1 || w.Samples() != stoppedAt || stoppedAt == 0 || stoppedAt >= 120 {
		t.Errorf("got %v after %d samples, first stop after %d", w.Status(), w.Samples(), stoppedAt)
	}
	if _, err := NewWalk(x, true); err != nil {
		t.Fatal(err)
	}
}

func TestWalkRefusesFewer(t *testing.T) {
	w, err := NewWalk(usual, true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Observe(Pentanomial{0, 1, 1, 0, 0}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Observe(Pentanomial{0, 1, 0, 0, 0}); !errors.Is(err, ErrCounts) {
		t.Errorf("counts that shrank: %v", err)
	}
}

// TestCorrectionDrawsIn follows a random match with and without correction.
func TestCorrectionDrawsIn(t *testing.T) {
	x := Test{Elo0: 0, Elo1: 50, Model: Normalized, Alpha: 0.05, Beta: 0.05}
	w, err := NewWalk(x, true)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(9, 1))
	var c Pentanomial
	for w.Status() == Continue && c.Samples() < 100_000 {
		c[r.IntN(5)]++
		if _, err := w.Observe(c); err != nil {
			t.Fatal(err)
		}
	}
	lower, upper := w.Bounds()
	l, u := x.Bounds()
	below, above := w.Overshoot()
	if lower != l+below || upper != u-above || below <= 0 || above <= 0 || below > 0.5 || above > 0.5 {
		t.Errorf("bounds %v %v of %v %v, overshoot %v %v", lower, upper, l, u, below, above)
	}
	if w.Status() == Continue {
		t.Errorf("no end after %d pairs", c.Samples())
	}
}
