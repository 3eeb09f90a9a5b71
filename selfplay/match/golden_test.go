package match

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay/runtest"
	"github.com/assay-chess/assay/selfplay/sprt"
)

// TestResultsOfMatches: what a match of each kind leaves in its result stands in testdata.
func TestResultsOfMatches(t *testing.T) {
	for name, test := range map[string]*sprt.Test{
		"fixed": nil, "passed": {Elo0: -400, Elo1: -300}, "failed": {Elo0: 300, Elo1: 400}, "undecided": {Elo0: 0, Elo1: 1},
		"logistic": {Elo0: -400, Elo1: -300, Model: sprt.Logistic},
	} {
		c := config(t, 80)
		if test != nil {
			test.Alpha, test.Beta = 0.05, 0.1
			c.Test = test
		}
		r := run(t, c)
		text := setup.Must(json.MarshalIndent(r, "", "  "))
		runtest.Golden(t, "result-"+name+".json", string(text), 8)
	}
}

// TestNote: the LLR stands beside the bound that it is nearing; the numbers are those of the pairs so far.
func TestNote(t *testing.T) {
	for llr, want := range map[int]string{1: "LLR 0.0", -1: "LLR -"} {
		walk := setup.Must(sprt.NewWalk(sprt.Test{Elo0: 0, Elo1: 50, Alpha: 0.05, Beta: 0.1}, false))
		n := counter{walk: walk, countedPair: 30, config: &Config{}}
		for i := range 30 {
			points := llr
			if i%3 > 0 {
				points = 0
			}
			n.penta.AddPair(points, 0)
			n.games[1]++
			n.games[points+1]++
			if _, err := walk.Observe(n.penta); err != nil {
				t.Fatal(err)
			}
		}
		lower, upper := walk.Bounds()
		bound := map[int]float64{1: upper, -1: lower}[llr]
		if text := n.note(); !strings.Contains(text, fmt.Sprintf("LLR %.2f/%.2f  Elo ", walk.LLR(), bound)) ||
			llr*int(100*walk.LLR()) < 0 {
			t.Errorf("%s, want the bound %.2f (%s)", text, bound, want)
		}
	}
}

// TestCountPGN: games of others, without a partner and without a result are left out and counted; players are taken
// from the first game unless they are named.
func TestCountPGN(t *testing.T) {
	const e4, d4 = "1. e4 e5", "1. d4 d5"
	text := pgnText("1", "", "A", "B", "1-0", e4) + pgnText("1", "", "B", "A", "1/2-1/2", e4) +
		pgnText("2", "", "A", "C", "1-0", e4) + pgnText("3", "", "A", "B", "*", d4) + pgnText("4", "", "B", "A", "0-1", d4)
	path := filepath.Join(t.TempDir(), "games.pgn")
	setup.Check(t, os.WriteFile(path, []byte(text), 0o666))
	for _, tt := range []struct{ player, opponent, want string }{
		{"A", "B", "A against B: 1 pairs; 1 games without a partner left out; 1 games without a result left out; " +
			"1 games of other players left out; [0 0 0 1 0] [0 1 2]"},
		{"B", "A", "B against A: 1 pairs; 1 games without a partner left out; 1 games without a result left out; " +
			"1 games of other players left out; [0 1 0 0 0] [2 1 0]"},
		{"C", "A", "C against A: 1 games without a pair among them, counted as independent; 4 games of other players left " +
			"out; " +
			"[0 0 0 0 0] [1 0 0]"},
		{"", "", `line 17: ` + ErrPlayers.Error() + `: "A" against "C", after "A" against "B"`},
		{"A", "X", `no finished game between "A" and "X"`},
	} {
		c, err := CountPGN(t.Context(), path, tt.player, tt.opponent)
		got := ""
		if err != nil {
			got = strings.TrimPrefix(err.Error(), path+": ")
		} else {
			got = fmt.Sprintf("%v; %v %v", c, c.Pairs, c.Games)
		}
		if got != tt.want {
			t.Errorf("%q against %q:\ngot  %s\nwant %s", tt.player, tt.opponent, got, tt.want)
		}
	}
}

// TestCurvePoints: a curve has the points that were asked for, the last one at the end.
func TestCurvePoints(t *testing.T) {
	var pairs [][2]int
	for i := range 25 {
		pairs = append(pairs, [2]int{i % 2, -(i % 3 / 2)})
	}
	for most, want := range map[int][]int64{1: {50}, 5: {10, 20, 30, 40, 50}, 4: {12, 24, 36, 48, 50}, 100: nil} {
		c := setup.Must(Follow(pairs, &sprt.Test{Elo0: 0, Elo1: 5, Alpha: 0.05, Beta: 0.05}, false, most))
		var got []int64
		for _, p := range c.Points {
			got = append(got, p.Games)
		}
		if want == nil && len(got) != 25 || want != nil && fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("at most %d: points at %v, want %v", most, got, want)
		}
	}
}
