package match

import (
	"testing"

	"github.com/assay-chess/assay/selfplay/sprt"
)

// TestFollow checks the last point of a curve against the statistics of all pairs at once.
func TestFollow(t *testing.T) {
	var pairs [][2]int
	for i := range 1000 {
		pairs = append(pairs, [2]int{i%3 - 1, i/3%3 - 1})
	}
	test := &sprt.Test{Elo0: -5, Elo1: 6, Model: sprt.Logistic, Alpha: 0.05, Beta: 0.05}
	c, err := Follow(pairs, test, false, 100)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Points) != 100 || c.Points[0].Games != 20 || c.Points[99].Games != 2000 {
		t.Fatalf("%d points: %+v", len(c.Points), c.Points)
	}
	last := c.Points[99]
	llr, err := test.LLR(c.Pentanomial)
	lower, upper := test.Bounds()
	if err != nil || last.LLR != llr || *c.LLR != llr || last.Lower != lower || last.Upper != upper {
		t.Errorf("LLR %v (%v, %v), want %v (%v, %v), %v", last.LLR, last.Lower, last.Upper, llr, lower, upper, err)
	}
	if s := sprt.Summarize(c.Pentanomial); last.Strength != c.Strength || last.Strength != s.StrengthAfter(test,
		c.Pentanomial) || c.Standing != s || c.Pentanomial.Samples() != 1000 {
		t.Errorf("%+v, want %+v", last, s)
	}
	if c, err = Follow(pairs[:1], nil, false, 100); err != nil || len(c.Points) != 1 || c.LLR != nil {
		t.Errorf("without a test: %+v, %v", c, err)
	}
	if c, err = Follow(nil, test, false, 100); err != nil || len(c.Points) != 0 || c.LLR == nil || *c.LLR != 0 {
		t.Errorf("without pairs: %+v, %v", c, err)
	}
}
