package match

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/internal/toy"
	"github.com/assay-chess/assay/selfplay/opening"
	"github.com/assay-chess/assay/selfplay/runtest"
	"github.com/assay-chess/assay/selfplay/sprt"
)

// config is a quick match of two toys.
func config(t *testing.T, games uint64) Config {
	return Config{
		Setup: selfplay.Setup{
			Rules: selfplay.Rules{Limits: selfplay.Limits{Nodes: 100}, Rule: selfplay.Adjudication{WinScore: 500,
				WinPlies: 4}, MaxPlies: 60, Opening: opening.Spec{Plies: 4}, Seed: 5, Program: "test 1"},
			Place: selfplay.Place{Out: filepath.Join(t.TempDir(), "match"), Open: toy.Open, Concurrency: 2},
		},
		A:       selfplay.Player{Spec: toy.Spec("a"), ID: "toy a"},
		B:       selfplay.Player{Spec: toy.Spec("b"), ID: "toy b"},
		LimitsB: selfplay.Limits{Nodes: 200},
		Games:   games,
	}
}

// decisive is config with a test that stops somewhere in the middle: the players are
// equal, and it asks for far more.
func decisive(t *testing.T) Config {
	c := config(t, 2000)
	c.Test = &sprt.Test{Elo0: 0, Elo1: 120, Model: sprt.Normalized, Alpha: 0.05, Beta: 0.05}
	return c
}

func run(t *testing.T, c Config) *Result {
	t.Helper()
	return setup.Must(Run(t.Context(), c))
}

// journalOf returns the games of the journal by number.
func journalOf(t *testing.T, dir string) map[uint64]selfplay.Result {
	t.Helper()
	games := map[uint64]selfplay.Result{}
	setup.Check(t, runtest.Read(filepath.Join(dir, gamelog.JournalName), func(g *selfplay.Result) error {
		if _, twice := games[g.Number]; twice {
			t.Errorf("game %d is in the journal twice", g.Number)
		}
		games[g.Number] = *g
		return nil
	}))
	return games
}

// The result follows from the journal's games, counted by hand in order of number.
func TestCounting(t *testing.T) {
	c := decisive(t)
	c.Concurrency = 6
	r := run(t, c)
	games := journalOf(t, c.Out)
	if len(games) <= int(r.Games) {
		t.Logf("%d games played, %d counted: no game finished after the stop", len(games), r.Games)
	}
	var penta sprt.Pentanomial
	var wins, draws, losses int64
	lower, upper := c.Test.Bounds()
	for pair := uint64(0); ; pair++ {
		points := 0
		for i := range uint64(2) {
			g, ok := games[2*pair+i]
			if !ok {
				t.Fatalf("game %d is not in the journal", 2*pair+i)
			}
			white, result := g.Players[0], int(g.Result)
			if (white == "a") != (i == 0) {
				t.Fatalf("game %d: White is %s", g.Number, white)
			}
			if white != "a" {
				result = -result
			}
			points += result
			switch result {
			case 1:
				wins++
			case 0:
				draws++
			case -1:
				losses++
			}
		}
		first, second := games[2*pair], games[2*pair+1]
		a, errA := first.OpeningGame()
		b, errB := second.OpeningGame()
		if errA != nil || errB != nil || a.Position().FEN() != b.Position().FEN() {
			t.Fatalf("pair %d: the openings differ", pair)
		}
		penta[points+2]++
		llr := setup.Must(c.Test.LLR(penta))
		if llr > lower && llr < upper {
			continue
		}
		if *r.LLR != llr || *r.Lower != lower || *r.Upper != upper {
			t.Errorf("LLR %v (%v, %v), want %v (%v, %v)", *r.LLR, *r.Lower, *r.Upper, llr, lower, upper)
		}
		break
	}
	if r.Pentanomial != penta || r.Wins != wins || r.Draws != draws || r.Losses != losses {
		t.Errorf("+%d =%d -%d %v, by hand +%d =%d -%d %v", r.Wins, r.Draws, r.Losses, r.Pentanomial, wins, draws, losses,
			penta)
	}
	if r.Games != wins+draws+losses || r.Verdict != AcceptH0 {
		t.Errorf("%d games, %s; want %d, %s", r.Games, r.Verdict, wins+draws+losses, AcceptH0)
	}
	pgn, err := os.ReadFile(filepath.Join(c.Out, gamelog.PGNName))
	if n := strings.Count(string(pgn), "[Event "); err != nil || n != int(r.Games) {
		t.Errorf("%d games in the PGN, %d counted, %v", n, r.Games, err)
	}
	checkData(t, c.Out, r)
}

// checkData compares the data set with the result.
func checkData(t *testing.T, dir string, r *Result) {
	t.Helper()
	data := setup.Must(dataset.OpenGames(filepath.Join(dir, gamelog.GamesName)))
	n, score := 0, 0.0
	openings := map[uint64]int{}
	for g, err := range data.All() {
		setup.Check(t, err)
		result := float64(g.Result)
		nodes := uint32(100)
		if n%2 == 1 {
			result, nodes = -result, 200
		}
		if white := [2]string{"toy a", "toy b"}[n%2]; g.White != white || g.Nodes != nodes {
			t.Errorf("game %d: White is %s at %d nodes", n, g.White, g.Nodes)
		}
		score += (1 + result) / 2
		openings[g.Opening]++
		n++
	}
	if n != int(r.Games) || math.Abs(score/float64(n)-r.Score) > 1e-12 {
		t.Errorf("data set: %d games, score %v; result: %d, %v", n, score/float64(n), r.Games, r.Score)
	}
	for key, times := range openings {
		if times != 2 {
			t.Errorf("opening %x was played %d times, want 2", key, times)
		}
	}
}

func TestWithoutAFolder(t *testing.T) {
	c := config(t, 20)
	kept := run(t, c)
	c.Out = ""
	r := run(t, c)
	a, errA := json.Marshal(r)
	b, errB := json.Marshal(kept)
	if errA != nil || errB != nil || !bytes.Equal(a, b) {
		t.Errorf("without a folder %s, with one %s", a, b)
	}
}

const book = `rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2
rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 2
rnbqkbnr/pp1ppppp/8/2p5/2P5/8/PP1PPPPP/RNBQKBNR w KQkq - 0 2
`

func TestBookRunsOut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "three.epd")
	setup.Check(t, os.WriteFile(path, []byte(book), 0o666))
	c := config(t, 8)
	c.Opening = opening.Spec{Book: path}
	_, err := Run(t.Context(), c)
	if !errors.Is(err, selfplay.ErrConfig) || !errors.Is(err, opening.ErrExhausted) || !strings.Contains(err.Error(),
		path) {
		t.Errorf("error %v, want a refusal that names the book", err)
	}
	c.Games = 6
	if r := run(t, c); r.Games != 6 {
		t.Errorf("%d games, want 6", r.Games)
	}
	c = config(t, 0)
	c.Opening = opening.Spec{Book: path}
	c.Test = &sprt.Test{Elo0: 0, Elo1: 1, Alpha: 0.05, Beta: 0.05}
	for range 2 { // and the same again, from the journal
		r, err := Run(t.Context(), c)
		if !errors.Is(err, opening.ErrExhausted) || r == nil || r.Games != 6 || r.Verdict != Undecided {
			t.Errorf("result %+v, error %v; want six games and ErrExhausted", r, err)
		}
	}
}

func TestImpossibleConfigurations(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"odd games":    func(c *Config) { c.Games = 7 },
		"no end":       func(c *Config) { c.Games = 0 },
		"one player":   func(c *Config) { c.B = selfplay.Player{} },
		"no limits":    func(c *Config) { c.Limits = selfplay.Limits{} },
		"a wrong test": func(c *Config) { c.Test = &sprt.Test{Elo0: 5, Elo1: 0, Alpha: 0.05, Beta: 0.05} },
	} {
		c := config(t, 10)
		change(&c)
		if _, err := Run(t.Context(), c); !errors.Is(err, selfplay.ErrConfig) {
			t.Errorf("%s: error %v, want ErrConfig", name, err)
		}
	}
}

// of returns a match that is not played yet.
func of(c Config) runtest.Run {
	return runtest.Run{Setup: &c.Setup, Games: &c.Games, Play: func(ctx context.Context) (runtest.Outcome, error) {
		r, err := Run(ctx, c)
		if r == nil {
			return runtest.Outcome{}, err
		}
		return runtest.Outcome{Process: r.Process, Result: r, Verdict: r.Verdict, Reason: r.Reason,
			Warnings: r.Warnings}, err
	}}
}

func TestRun(t *testing.T) {
	s := runtest.Suite{Files: runtest.Promised, Reports: 6, Journal: true, Fails: "b", Name: "B: toy b: ",
		Reason: "toy b (B) forfeited ",
		New:    func(t *testing.T) runtest.Run { return of(config(t, 120)) },
		Hasty: func(t *testing.T) runtest.Run {
			c := config(t, 20)
			c.A = selfplay.Player{Spec: engine.Spec{}.WithProgram("./hasty"), ID: "hasty"}
			return of(c)
		}}
	s.Test(t)
	t.Run("sprt", func(t *testing.T) {
		s.New, s.Reports = func(t *testing.T) runtest.Run { return of(decisive(t)) }, 4
		s.TestBytes(t)
	})
}

// A test that ended undecided and is given more games ends with the bytes of one that had them from the start; one
// that has decided plays no more.
func TestMoreGamesForATest(t *testing.T) {
	undisturbed, c := decisive(t), decisive(t)
	want := run(t, undisturbed)
	c.Games = 20
	if r := run(t, c); r.Verdict != Undecided || r.Games != 20 {
		t.Fatalf("%+v", r)
	}
	c.Games = 2000
	if r := run(t, c); r.Verdict != want.Verdict || r.Already {
		t.Errorf("%+v, want %+v", r, want)
	}
	runtest.SameFiles(t, c.Out, undisturbed.Out, runtest.Promised...)
	c.Games = 4000
	if r := run(t, c); !r.Already {
		t.Error("a decided test played on")
	}
}

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

// TestNote: the LLR stands beside the bound that it is nearing; the numbers count the pairs so far.
func TestNote(t *testing.T) {
	for _, llr := range []int{1, -1} {
		walk := setup.Must(sprt.NewWalk(sprt.Test{Elo0: 0, Elo1: 50, Alpha: 0.05, Beta: 0.1}, false))
		n := counter{standing: standing{walk: walk}, config: &Config{}}
		for i := range 30 {
			points := llr
			if i%3 > 0 {
				points = 0
			}
			setup.Check(t, n.standing.add(points, 0))
		}
		lower, upper := walk.Bounds()
		bound := map[int]float64{1: upper, -1: lower}[llr]
		if text := n.note(); !strings.Contains(text, fmt.Sprintf("LLR %.2f/%.2f  Elo ", walk.LLR(), bound)) ||
			llr*int(100*walk.LLR()) < 0 {
			t.Errorf("%s, want the bound %.2f", text, bound)
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
			"out; [0 0 0 0 0] [1 0 0]"},
		{"", "", `line 17: ` + ErrPlayers.Error() + `: "A" against "C", after "A" against "B"`},
		{"", "A", `line 17: ` + ErrPlayers.Error() + `: "A" against "C", after "B" against "A"`},
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
		course := setup.Must(Follow(pairs, &sprt.Test{Elo0: 0, Elo1: 5, Alpha: 0.05, Beta: 0.05}, false, most))
		var got []int64
		for _, p := range course {
			got = append(got, p.Games)
		}
		if want == nil && len(got) != 25 || want != nil && fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("at most %d: points at %v, want %v", most, got, want)
		}
	}
}
