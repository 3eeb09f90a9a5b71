package sprt

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestSummarizeByHand(t *testing.T) {
	s := Summarize(Pentanomial{1, 2, 4, 5, 3})
	if s.Samples != 15 || s.Games != 30 || !s.Paired {
		t.Errorf("got %d samples, %d games, paired %v", s.Samples, s.Games, s.Paired)
	}
	// (2*0.25 + 4*0.5 + 5*0.75 + 3)/15
	if want := 9.25 / 15; !near(s.Score, want) {
		t.Errorf("score %v, want %v", s.Score, want)
	}
	if !near(s.DrawRatio, 4.0/15) || !near(s.PairRatio, 8.0/3) {
		t.Errorf("draw ratio %v, pair ratio %v", s.DrawRatio, s.PairRatio)
	}
	if want := -400 * math.Log10(15/9.25-1); !near(s.Elo, want) {
		t.Errorf("Elo %v, want %v", s.Elo, want)
	}
	one := Summarize(WDL(5, 6, 4))
	if one.Games != 15 || one.Paired || !near(one.DrawRatio, 6.0/15) || one.PairRatio != 0 {
		t.Errorf("single games: got %+v", one)
	}
}

// TestNormalizedAgreesWithoutDraws checks the unit of normalized Elo: where no
// game is drawn, small normalized and logistic Elo are the same.
func TestNormalizedAgreesWithoutDraws(t *testing.T) {
	s := Summarize(WDL(50_400, 0, 49_600))
	if math.Abs(s.NElo-s.Elo) > 1e-3*s.Elo {
		t.Errorf("normalized %v, logistic %v", s.NElo, s.Elo)
	}
	// A pair of such games, independent of each other, has the same.
	p := Summarize(Pentanomial{24_602, 0, 49_996, 0, 25_402})
	if math.Abs(p.NElo-s.NElo) > 1e-2*s.NElo {
		t.Errorf("pairs %v, games %v", p.NElo, s.NElo)
	}
}

// TestIntervalsOfOneSidedScores is about what the normal interval cannot say.
func TestIntervalsOfOneSidedScores(t *testing.T) {
	all := Summarize(Pentanomial{0, 0, 0, 0, 10})
	if all.Elo < 1199 || all.Elo > 1200 || all.LikelyHi < all.Elo {
		t.Errorf("10 pairs won: Elo %v, likely up to %v", all.Elo, all.LikelyHi)
	}
	// The score at which ten wins in a row have probability 1/40.
	if want := Elo(math.Pow(1.0/40, 1.0/10)); math.Abs(all.LikelyLo-want) > 0.01 {
		t.Errorf("10 pairs won: likely from %v, want about %v", all.LikelyLo, want)
	}
	none := Summarize(Pentanomial{10, 0, 0, 0, 0})
	if !near(none.Elo, -all.Elo) || math.Abs(none.LikelyHi+all.LikelyLo) > 1e-6 {
		t.Errorf("lost pairs %+v do not mirror won ones %+v", none, all)
	}
	empty := Summarize(Pentanomial{})
	if empty.LikelyLo > -1199 || empty.LikelyHi < 1199 || empty.LOS != 0.5 || empty.Score != 0.5 || empty.DrawRatio != 0 {
		t.Errorf("no games: %+v", empty)
	}
	many := Summarize(Pentanomial{500, 2000, 4000, 2200, 600})
	if math.Abs(many.LikelyLo-many.EloLo) > 0.1 || math.Abs(many.LikelyHi-many.EloHi) > 0.1 {
		t.Errorf("with many pairs the intervals should agree: %+v", many)
	}
}

// TestIntervalsCover draws samples and counts how often intervals hold the truth.
func TestIntervalsCover(t *testing.T) {
	shape, err := IndependentGames(0.5, true)
	if err != nil {
		t.Fatal(err)
	}
	const nelo, pairs = 120, 400
	runs := 500 * moreRuns
	truth, err := shape.at(Normalized, nelo)
	if err != nil {
		t.Fatal(err)
	}
	mean, _ := truth.moments()
	elo := Elo(mean)
	plain, likely, normalized := 0, 0, 0
	for i := range uint64(runs) {
		r := newSampler(&truth, 5, i)
		var c Pentanomial
		for range pairs {
			c[r.next()]++
		}
		s := Summarize(c)
		plain += inside(s.EloLo, elo, s.EloHi)
		likely += inside(s.LikelyLo, elo, s.LikelyHi)
		normalized += inside(s.NEloLo, nelo, s.NEloHi)
	}
	for name, n := range map[string]int{"Elo": plain, "likely": likely, "normalized": normalized} {
		// Five standard deviations of the count around 95 %, and a little for
		// what intervals of 400 pairs miss.
		if rate := float64(n) / float64(runs); rate < 0.93 || rate > 0.968 {
			t.Errorf("%s interval holds the truth in %.4f of samples", name, rate)
		}
	}
}

func inside(lo, x, hi float64) int {
	if lo <= x && x <= hi {
		return 1
	}
	return 0
}

func TestCounts(t *testing.T) {
	var p Pentanomial
	for _, pair := range [][2]int{{-1, -1}, {0, -1}, {1, -1}, {0, 0}, {1, 0}, {1, 1}, {2, 7}} {
		p.AddPair(pair[0], pair[1])
	}
	if want := (Pentanomial{1, 1, 2, 1, 2}); p != want {
		t.Errorf("pairs: got %v, want %v", p, want)
	}
	var g Trinomial
	for _, r := range []int{-1, 0, 0, 1, 1, 1} {
		g.AddGame(r)
	}
	if g != WDL(3, 2, 1) {
		t.Errorf("games: got %v", g)
	}
}

// TestEloIsScoresInverse also checks that Elo ends where it says.
func TestEloIsScoresInverse(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		elo := (r.Float64()*2 - 1) * 1199
		if got := Elo(Score(elo)); math.Abs(got-elo) > 1e-7 {
			t.Fatalf("Elo(Score(%v)) = %v", elo, got)
		}
	}
	if Elo(0) != Elo(0.001) || !near(Elo(1), -Elo(0)) {
		t.Errorf("Elo(0) = %v, Elo(1) = %v", Elo(0), Elo(1))
	}
}
