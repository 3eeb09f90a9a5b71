package ladder

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset/pgn"
	"github.com/assay-chess/assay/internal/setup"
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
	setup.Check(t, os.WriteFile(path, []byte(b.String()), 0o666))
	return path
}

// Ratings of games lie around the strengths that made them, as their errors say, with anchors too.
func TestGamesFindTheTruth(t *testing.T) {
	elo := make([]float64, 60)
	for i := range elo {
		elo[i] = 3000 + 8*float64(i)
	}
	var g Games
	setup.Check(t, g.Read(t.Context(), played(t, elo, 12000)))
	if g.Finished != 12000 || len(g.Names) != 60 {
		t.Fatalf("%d games of %d players", g.Finished, len(g.Names))
	}
	r := setup.Must(g.Rate([]Anchor{{"P10", elo[10], 0}, {"P50", elo[50] + 5, 10}}))
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
	add := func(white, black, result string) {
		t.Helper()
		text := fmt.Sprintf("[White %q]\n[Black %q]\n[Result %q]\n", white, black, result)
		for game, err := range (pgn.Reading{TagsOnly: true}).Games(strings.NewReader(text)) {
			if err = errors.Join(err, g.add(game)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 30 {
		add("a", "b", "1-0")
		add("c", "d", "1/2-1/2")
		add("e", "c", "0-1")
	}
	add("a", "b", "*")
	add("a", "a", "1-0")
	r, err := g.Rate(nil)
	if err != nil || g.Unfinished != 1 || g.Alone != 1 {
		t.Fatal(err, g.Unfinished, g.Alone)
	}
	if got := fmt.Sprint(r.Groups); got != "[[c d e] [a b]]" {
		t.Errorf("groups %s", got)
	}
	for _, x := range r.Ratings {
		if perfect := x.Name != "c" && x.Name != "d"; !x.Known() || math.IsInf(float64(x.Elo), 0) != perfect {
			t.Errorf("%s: %v", x.Name, x.Strength)
		}
	}
}

// A file with a game that cannot be counted, or with none that can, is an error that says why.
func TestGamesThatCannotBeCounted(t *testing.T) {
	const game = "[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n"
	for name, c := range map[string]struct{ text, want string }{
		"no game":        {"", "has no finished game between two players"},
		"unfinished":     {strings.Replace(game, "1-0", "*", 1), "has no finished game between two players"},
		"alone":          {strings.Replace(game, `"b"`, `"a"`, 1), "has no finished game between two players"},
		"no player":      {game + "\n" + strings.Replace(game, "[Black \"b\"]\n", "", 1), ": line 5: a game needs the tags White"},
		"unknown result": {game + strings.Replace(game, "1-0", "won", 1), `: line 4: the result "won" is not known`},
		"UTF-16":         {"\xff\xfe[\x00W\x00", "UTF-16"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "g.pgn")
			setup.Check(t, os.WriteFile(path, []byte(c.text), 0o666))
			err := new(Games).Read(t.Context(), path)
			if err == nil || !strings.HasPrefix(err.Error(), path) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}
