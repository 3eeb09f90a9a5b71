package ladder

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset/pgn"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/internal/toy"
	"github.com/assay-chess/assay/selfplay/runtest"
)

func config(t *testing.T, schedule Schedule, games uint64) Config {
	c := Config{Schedule: schedule, Games: games, Anchor: -1, Setup: runtest.WildSetup(filepath.Join(t.TempDir(),
		"ladder"))}
	for _, name := range []string{"8", "0", "4", "6", "2"} {
		c.Players = append(c.Players, selfplay.Player{Spec: toy.Spec(name), ID: "wild " + name})
	}
	return c
}

// of returns a ladder that is not played yet.
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
	s := runtest.Suite{Files: runtest.Promised, Reports: 6, Journal: true, Fails: "4", Name: "wild 4: ",
		Reason: "wild 4 forfeited ",
		New:    func(t *testing.T) runtest.Run { return of(config(t, RoundRobin, 120)) },
		Hasty: func(t *testing.T) runtest.Run {
			c := config(t, RoundRobin, 20)
			c.Open, c.Players[0] = toy.Open, selfplay.Player{Spec: engine.Spec{}.WithProgram("./hasty"), ID: "hasty"}
			return of(c)
		}}
	s.Test(t)
	t.Run("widest", func(t *testing.T) { // what is played depends on what was
		s.New = func(t *testing.T) runtest.Run { return of(config(t, Widest, 120)) }
		s.TestBytes(t)
	})
}

func run(t *testing.T, c Config) *Result {
	t.Helper()
	return setup.Must(Run(t.Context(), c))
}

func names(r *Result) (list []string) {
	for _, x := range r.Ratings {
		list = append(list, strings.TrimPrefix(x.Name, "wild "))
	}
	return list
}

// Every schedule finds the order of players whose order is known.
func TestOrderIsFound(t *testing.T) {
	for _, s := range []Schedule{Widest, RoundRobin, Gauntlet, chain} {
		c := config(t, s, 480)
		c.Out = ""
		r := run(t, c)
		got, want := names(r), []string{"0", "2", "4", "6", "8"}
		if s == Gauntlet { // where all beat the first, not much is known of their order
			got, want = got[4:], want[4:]
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: order %v", s, got)
		}
		games := int64(0)
		for i, x := range r.Ratings {
			games += x.Games
			// of equal scores it is half, but for rounding
			if x.Rank != i+1 || !(x.EloLo < x.Elo && x.Elo < x.EloHi) || i < 4 && x.LOS < 0.499999 {
				t.Errorf("%s: %+v", s, x)
			}
			for j := range r.Ratings {
				a, b := r.Scores[i][j], r.Scores[j][i]
				if a.Wins != b.Losses || a.Draws != b.Draws ||
					r.LOS[i][j]+r.LOS[j][i] < 0.999999 || r.LOS[i][j]+r.LOS[j][i] > 1.000001 {
					t.Errorf("%s: %d against %d: %+v and %+v, LOS %v and %v", s, i, j, a, b, r.LOS[i][j], r.LOS[j][i])
				}
			}
		}
		if games != 960 || r.Games != 480 {
			t.Errorf("%s: %d games, %d of players", s, r.Games, games)
		}
	}
}

// Everybody meets everybody equally often, in a round from the same opening, and in a
// gauntlet only the first meets the rest.
func TestRoundsAreFair(t *testing.T) {
	c := config(t, RoundRobin, 60)
	r := run(t, c)
	for i := range r.Scores {
		for j := range r.Scores {
			if n := r.Scores[i][j].Games(); i != j && n != 6 {
				t.Errorf("%d games between %d and %d", n, i, j)
			}
		}
	}
	openings := map[uint64]int{}
	err := runtest.Read(filepath.Join(c.Out, gamelog.JournalName), func(g *selfplay.Result) error {
		_, key, err := g.Replay()
		openings[key]++
		return err
	})
	if err != nil || len(openings) != 3 {
		t.Errorf("%d openings, %v", len(openings), err)
	}
	c = config(t, Gauntlet, 48)
	c.Out = ""
	r = run(t, c)
	for _, x := range r.Ratings {
		if want := map[bool]int64{true: 48, false: 12}[x.Name == "wild 8"]; x.Games != want {
			t.Errorf("%s has %d games, want %d", x.Name, x.Games, want)
		}
	}
}

// The schedule that looks at intervals makes the widest narrower than playing all
// pairings equally often does, where players are far apart.
func TestWidestIsNarrower(t *testing.T) {
	width := func(s Schedule) (widest float64) {
		c := config(t, s, 400)
		c.Out = ""
		for _, x := range run(t, c).Ratings {
			widest = max(widest, float64(x.EloHi-x.EloLo))
		}
		return widest
	}
	a, b := width(Widest), width(RoundRobin)
	t.Logf("widest interval: %.0f Elo, round robin %.0f", a, b)
	if a > 1.05*b {
		t.Errorf("%v by intervals, %v by rounds", a, b)
	}
}

func TestRefusals(t *testing.T) {
	for says, change := range map[string]func(*Config){
		"1 players":            func(c *Config) { c.Players = c.Players[:1] },
		"takes part twice":     func(c *Config) { c.Players[0] = c.Players[1] },
		"even number":          func(c *Config) { c.Games = 7 },
		"cannot be the anchor": func(c *Config) { c.Anchor = 5 },
		"no limit of":          func(c *Config) { c.Limits = selfplay.Limits{} },
		"within -1":            func(c *Config) { c.Within = -1 },
	} {
		c := config(t, RoundRobin, 20)
		change(&c)
		if _, err := Run(t.Context(), c); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("want %q: %v", says, err)
		}
	}
}

// A ladder in which a player loses most of its games by its faults rates no one.
func TestNoVerdict(t *testing.T) {
	c := config(t, RoundRobin, 200)
	c.Players[2].Spec = toy.Spec("4:illegal=8:error=9")
	r, err := Run(t.Context(), c)
	if !errors.Is(err, selfplay.ErrNoVerdict) || r == nil || r.Verdict != "none" ||
		len(r.Ratings) != 0 || len(r.Unrated) != 5 {
		t.Fatalf("result %+v, error %v; want no verdict", r, err)
	}
	if !strings.HasPrefix(r.Reason, "wild 4 forfeited ") || r.Games > 100 ||
		r.Unrated[2].Name != "wild 4" || r.Unrated[2].Forfeits < 2 {
		t.Errorf("%d games, %s, %+v", r.Games, r.Reason, r.Unrated)
	}
	c.Players[2].Name = "moved" // the files of the run keep its name
	if again, err := Run(t.Context(), c); again == nil || again.Reason != r.Reason {
		t.Errorf("resumed: %+v, %v; want %s", again, err, r.Reason)
	}
}

// TestResults: the result of a ladder of each schedule, and what the progress said, stand in testdata.
func TestResults(t *testing.T) {
	for _, x := range []struct {
		schedule Schedule
		within   float64
	}{{Widest, 0}, {RoundRobin, 0}, {RoundRobin, 400}, {Gauntlet, 0}} { // the one within 400 ends early
		c := config(t, x.schedule, 80)
		c.Within, c.Anchor, c.AnchorElo = x.within, 1, 1500
		var notes bytes.Buffer
		c.Progress = func(done, total int64, note string) { fmt.Fprintf(&notes, "%d of %d: %s\n", done, total, note) }
		r := run(t, c)
		text := setup.Must(json.MarshalIndent(r, "", "  "))
		name := fmt.Sprintf("%s-%.0f", x.schedule, x.within)
		runtest.Golden(t, name+".json", string(text), 8)
		runtest.Golden(t, name+".txt", notes.String(), 8)
	}
}

// TestWithin: a ladder that ended because its intervals are narrow is complete; one that is given more games is not.
func TestWithin(t *testing.T) {
	c := config(t, RoundRobin, 20)
	c.Within = 400
	run(t, c)
	c.Games = 120
	if r := run(t, c); r.Already || r.Games <= 20 || r.Games >= 120 {
		t.Errorf("%+v", r)
	}
	if r := run(t, c); !r.Already {
		t.Error("it was played again")
	}
}

// TestFitNumbers: strengths, errors and differences of a table of made-up pairs, from one pair on.
func TestFitNumbers(t *testing.T) {
	var text bytes.Buffer
	table := newCrosstable(4)
	for n, pair := range [][4]int{{0, 1, 1, -1}, {0, 1, 0, 0}, {1, 2, 1, 0}, {0, 2, 0, -1}, {2, 3, 1, 1}, {0, 3, -1, 0},
		{1, 3, 1, -1}, {0, 1, 1, -1}, {2, 0, 1, -1}} {
		table.add(pair[0], pair[1], pair[2], pair[3])
		for _, reference := range []int{-1, 2} {
			f := setup.Must(table.fit(reference, 100))
			white, se := f.white()
			fmt.Fprintf(&text, "%d pairs, from %d: White %.6f ± %.6f, draws %.6f\n", n+1, reference, white, se, f.draws())
			for i := range 4 {
				elo, of := f.difference(i, (i+1)%4)
				fmt.Fprintf(&text, "  %d: %.6f ± %.6f, over the next %.6f ± %.6f, %.6f; %+v of %+v\n",
					i, f.rating(i), f.se(i), elo, of, f.los(i, (i+1)%4), table.against(i, (i+1)%4), table.total(i))
			}
		}
	}
	runtest.Golden(t, "fit.txt", text.String(), 8)
}

// TestMeanIsTheOrigin: without an anchor the ratings have the mean that was asked for.
func TestMeanIsTheOrigin(t *testing.T) {
	table := newCrosstable(3)
	for range 20 {
		for _, p := range [][4]int{{0, 1, 1, -1}, {0, 1, 1, 1}, {0, 2, 1, -1}, {1, 2, 0, 0}} {
			table.add(p[0], p[1], p[2], p[3])
		}
	}
	f := setup.Must(table.fit(-1, 250))
	for i := range f.theta[:3] { // strengths have no origin
		f.theta[i] += 7
	}
	if mean := (f.rating(0) + f.rating(1) + f.rating(2)) / 3; math.Abs(mean-250) > 1e-6 {
		t.Errorf("the mean is %v", mean)
	}
}

func TestNeededOpenings(t *testing.T) {
	for pairs, want := range map[uint64]uint64{9: 1, 10: 1, 11: 2, 20: 2} { // five players: ten pairs a round
		if c := (Config{Schedule: RoundRobin, Games: 2 * pairs, Players: make([]selfplay.Player, 5)}); c.need() != want {
			t.Errorf("%d pairs need %d openings, want %d", pairs, c.need(), want)
		}
	}
}

// Without draws, strengths and White's advantage follow from the shares that a player wins with each color, and their
// errors from the counts. An anchor with an error is weighed with them.
func TestGamesByHand(t *testing.T) {
	g := Games{Finished: 4000}
	a, b := g.player("a"), g.player("b")
	g.counts[pairing{a, b}] = &[2][3]int64{{400, 0, 1600}, {1400, 0, 600}} // a wins 80 % with White, 70 % with Black
	white, black := math.Log(0.8/0.2), math.Log(0.7/0.3)
	const nat = 400 / math.Ln10
	want, wantWhite := nat*(white+black)/2, nat*(white-black)/2
	wantError := nat / 2 * math.Sqrt(1/(2000*0.8*0.2)+1/(2000*0.7*0.3))
	near := func(what string, got, want, within float64) {
		t.Helper()
		if !(math.Abs(got-want) <= within) {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	for _, e := range []float64{1e6, 5, 0} { // the error of b's anchor, which is 12 Elo above what the games say
		r := setup.Must(g.Rate([]Anchor{{"a", 3000, 0}, {"b", 3000 - want + 12, e}}))
		first, second := r.Ratings[0], r.Ratings[1]
		near("a", float64(first.Elo), 3000, 1e-6)
		near("a's error", float64(first.EloHi-first.EloLo), 0, 0)
		weight := 1 / (1 + e*e/(wantError*wantError)) // of the anchor
		near("b", float64(second.Elo), 3000-want+12*weight, 0.5)
		near("b's error", float64(second.EloHi-second.EloLo)/2/z95, wantError*math.Sqrt(1-weight), 0.05)
		near("White's advantage", float64(r.WhiteElo), wantWhite, 0.5)
	}
}

// Groups that never met are named, and a player that lost all has a rating.
func TestGamesInGroups(t *testing.T) {
	var g Games
	add := func(white, black, result string) {
		t.Helper()
		text := fmt.Sprintf("[White %q]\n[Black %q]\n[Result %q]\n", white, black, result)
		for game, err := range (pgn.Reading{TagsOnly: true}).Games(strings.NewReader(text)) {
			setup.Check(t, errors.Join(err, g.add(game)))
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
		"no game":    {"", "has no finished game between two players"},
		"unfinished": {strings.Replace(game, "1-0", "*", 1), "has no finished game between two players"},
		"alone":      {strings.Replace(game, `"b"`, `"a"`, 1), "has no finished game between two players"},
		"no player": {game + "\n" + strings.Replace(game, "[Black \"b\"]\n", "", 1),
			": line 5: a game needs the tags White"},
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
