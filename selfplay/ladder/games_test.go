package ladder

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// played writes a PGN file of games between players of known strengths, White ahead by 30 Elo.
func played(t testing.TB, elo []float64, games int) string {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 4))
	var b strings.Builder
	for range games {
		i, j := random.IntN(len(elo)), random.IntN(len(elo)-1)
		if j >= i {
			j++
		}
		// Davidson's model, in which equal players draw a third, so that an Elo is ln 10/400 * 3/2 nats.
		x := (elo[i] - elo[j] + 30) * math.Ln10 / 400 * 1.5
		w, l := math.Exp(x/2), math.Exp(-x/2)
		result := "1/2-1/2"
		switch u := random.Float64() * (w + l + 1); {
		case u < w:
			result = "1-0"
		case u < w+l:
			result = "0-1"
		}
		fmt.Fprintf(&b, "[Event \"e\"]\n[White \"P%d\"]\n[Black \"P%d\"]\n[Result \"%s\"]\n\n1. e4 {\n[White \"no tag"+
			"\n} e5 %[3]s\n\n", i, j,
			result)
	}
	path := filepath.Join(t.TempDir(), "games.pgn")
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// Ratings of games lie around the strengths that made them, as their errors say, with anchors too.
func TestGamesFindTheTruth(t *testing.T) {
	elo := make([]float64, 60)
	for i := range elo {
		elo[i] = 3000 + 8*float64(i)
	}
	var g Games
	if err := g.Read(t.Context(), played(t, elo, 12000)); err != nil {
		t.Fatal(err)
	}
	if g.Finished != 12000 || len(g.Names) != 60 {
		t.Fatalf("%d games of %d players", g.Finished, len(g.Names))
	}
	r, err := g.Rate([]Anchor{{"P10", elo[10], 0}, {"P50", elo[50] + 5, 10}})
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, x := range r.Ratings {
		var n int
		fmt.Sscanf(x.Name, "P%d", &n)
		se := float64(x.EloHi-x.EloLo) / 2 / z95
		if n == 10 {
			if math.Abs(float64(x.Elo)-elo[10]) > 0.01 || se > 0.01 {
				t.Errorf("the anchor is %v ± %v", x.Elo, se)
			}
			continue
		}
		z := (float64(x.Elo) - elo[n]) / se
		if sum += z * z; math.Abs(z) > 4.5 || se > 40 {
			t.Errorf("%s: %.0f ± %.0f, want %.0f", x.Name, x.Elo, se, elo[n])
		}
	}
	if mean := sum / 59; mean > 1.8 || mean < 0.4 { // they share the error of the anchor
		t.Errorf("mean square of errors %.2f standard errors", mean)
	}
	if math.Abs(float64(r.WhiteElo)-30) > 12 || math.Abs(r.Draws-1./3) > 0.03 {
		t.Errorf("White ahead by %v, %v draws", r.WhiteElo, r.Draws)
	}
}

// Groups that never met are named, and a player that lost all has a rating.
func TestGamesInGroups(t *testing.T) {
	var g Games
	for range 30 {
		g.add(map[string]string{"White": "a", "Black": "b", "Result": "1-0"})
		g.add(map[string]string{"White": "c", "Black": "d", "Result": "1/2-1/2"})
		g.add(map[string]string{"White": "e", "Black": "c", "Result": "0-1"})
	}
	g.add(map[string]string{"White": "a", "Black": "b", "Result": "*"})
	r, err := g.Rate(nil)
	if err != nil || g.Unfinished != 1 {
		t.Fatal(err, g.Unfinished)
	}
	if got := fmt.Sprint(r.Groups); got != "[[c d e] [a b]]" {
		t.Errorf("groups %s", got)
	}
	for _, x := range r.Ratings {
		if !x.Known() || math.IsInf(float64(x.Elo), 0) {
			t.Errorf("%s: %v", x.Name, x.Strength)
		}
	}
}
