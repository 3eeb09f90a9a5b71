package match

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/internal/toy"
	"github.com/assay-chess/assay/selfplay/runtest"
	"github.com/assay-chess/assay/selfplay/sprt"
)

// voiding returns a change that makes games void, as a machine does that was paused, by their number and how often
// they were played before.
func voiding(void func(number uint64, before int) bool) func(*selfplay.Result) {
	played := map[uint64]int{}
	return func(g *selfplay.Result) {
		if g.Try > 0 {
			return
		}
		if void(g.Number, played[g.Number]) {
			g.Result, g.Termination, g.Void = board.Draw, selfplay.VoidGame, "paused"
		}
		played[g.Number]++
	}
}

// A void game is played again with its pair, from the same opening: files and results are
// the same as without void games, but for the journal and the count.
func TestVoidPairsArePlayedAgain(t *testing.T) {
	whole := config(t, 160)
	want := run(t, whole)
	c := config(t, 160)
	c.Runner = &slots{&runtest.Changing{Runner: &selfplay.Local{Open: toy.Open, Workers: 3},
		Change: voiding(func(number uint64, before int) bool {
			return number == 7 && before < 2 || number == 120 && before == 0
		})}, 5}
	r := run(t, c)
	if r.VoidPairs != 3 || r.Games != 160 || r.Pentanomial != want.Pentanomial || r.Elo != want.Elo {
		t.Errorf("%d void pairs, %d games, %v; want 3, %d, %v", r.VoidPairs, r.Games, r.Pentanomial, want.Games,
			want.Pentanomial)
	}
	runtest.SameFiles(t, c.Out, whole.Out, "games.pgn", "games/games-00000.arrow")
	lines, voids := map[uint64]int{}, 0
	err := runtest.Read(filepath.Join(c.Out, gamelog.JournalName), func(g *selfplay.Result) error {
		lines[g.Number]++
		if g.Void != "" {
			voids++
		}
		return nil
	})
	if err != nil || voids != 3 || lines[6] != 3 || lines[7] != 3 || lines[120] != 2 || lines[121] != 2 || lines[8] != 1 {
		t.Errorf("%d void games in the journal, lines %d %d %d %d %d, %v", voids, lines[6], lines[7], lines[120], lines[121],
			lines[8], err)
	}
	// Read again from the journal, it is the same.
	setup.Check(t, errors.Join(os.Remove(filepath.Join(c.Out, "result.json")),
		os.RemoveAll(filepath.Join(c.Out, gamelog.GamesName))))
	again := run(t, c)
	a, _ := json.Marshal(r)
	b, _ := json.Marshal(again)
	if !bytes.Equal(a, b) || again.Played != 0 {
		t.Errorf("from the journal %s, %d games played; want %s", b, again.Played, a)
	}
	// So is the time, where games of void pairs do not count.
	if complete := run(t, c); !complete.Already || complete.Time != r.Time || r.Time[0] == 0 {
		t.Errorf("read again it took %v; want %v", complete.Time, r.Time)
	}
}

// slots is a runner with another number of games at once.
type slots struct {
	selfplay.Runner
	n int
}

func (s *slots) Parallel() int { return s.n }

func TestTooManyVoidPairs(t *testing.T) {
	c := config(t, 64)
	c.Runner = &runtest.Changing{Runner: &selfplay.Local{Open: toy.Open, Workers: 2},
		Change: voiding(func(number uint64, before int) bool { return number%8 == 3 && before == 0 })}
	r, err := Run(t.Context(), c)
	if !errors.Is(err, selfplay.ErrNoVerdict) || r.VoidPairs < 3 || !strings.Contains(r.Reason,
		"pairs of games were void") {
		t.Errorf("result %+v, error %v", r, err)
	}
	// A game that is void in all attempts ends the match.
	c = config(t, 64)
	c.Test = &sprt.Test{Elo0: 0, Elo1: 50, Alpha: 0.05, Beta: 0.05}
	c.Runner = &runtest.Changing{Runner: &selfplay.Local{Open: toy.Open, Workers: 2},
		Change: voiding(func(number uint64, _ int) bool { return number == 5 })}
	r, err = Run(t.Context(), c)
	if !errors.Is(err, selfplay.ErrNoVerdict) || r.Verdict != NoVerdict || r.Games > 4 || !strings.Contains(r.Reason,
		"game 5: a game was void in all attempts: paused") {
		t.Errorf("result %+v, error %v", r, err)
	}
}

// An interrupted match with void games has the bytes of one that was not interrupted.
func TestInterruptedWithVoidGames(t *testing.T) {
	runner := func(workers int, change func(*selfplay.Result)) selfplay.Runner {
		return &slots{&runtest.Changing{Runner: &selfplay.Local{Open: toy.Open, Workers: workers}, Change: change}, 10}
	}
	void := func(number uint64, before int) bool { return number%50 == 9 && before == 0 }
	whole, c := config(t, 200), config(t, 200)
	whole.Runner = runner(2, voiding(void))
	run(t, whole)
	change := voiding(void)
	runtest.Interrupt(t, c.Out, 40, func(ctx context.Context, a runtest.Attempt) error {
		c.Progress, c.Runner = a.Progress, runner(a.Workers, change)
		_, err := Run(ctx, c)
		return err
	})
	runtest.SameFiles(t, c.Out, whole.Out, "games.pgn", "games/games-00000.arrow")
}

// Stalls of the runner are counted by player, and many of them are a warning.
func TestStallsAreReported(t *testing.T) {
	c := config(t, 20)
	c.Runner = &runtest.Changing{Runner: &selfplay.Local{Open: toy.Open, Workers: 2},
		Change: func(r *selfplay.Result) {
			r.Stalls[playersOf(r.Number)[board.White]] = 2 // A has White in the first game of a pair
			r.Time = [2]time.Duration{1, 1}
		}}
	r := run(t, c)
	if r.Stalls != [2]int64{40, 0} || r.StalledGames != 20 {
		t.Errorf("stalls %v in %d games, want 40 of A in 20 games", r.Stalls, r.StalledGames)
	}
	if len(r.Warnings) != 2 || !strings.Contains(r.Warnings[0], "too busy for clocks") || !strings.Contains(r.Warnings[1],
		"toy a may cause it") {
		t.Errorf("warnings %q", r.Warnings)
	}
}

// Where A passes, the result says what the test says without the pairs in which B forfeited.
func TestWithoutForfeits(t *testing.T) {
	for _, tt := range []struct {
		what   string
		wins   bool // A wins a game of most pairs
		faults int  // pairs whose second game B forfeits are those divisible by it
		want   string
		says   string
	}{
		{"equal players, B forfeits in a quarter of the pairs", false, 4, Undecided,
			"without B's forfeits: not decided (LLR "},
		{"A wins most pairs, B forfeits in one that A does not win", true, 1000, AcceptH1,
			"without B's forfeits: A passes too (LLR "},
		{"A wins most pairs, B does not forfeit", true, 0, "", ""},
	} {
		c := decisive(t)
		c.Test = &sprt.Test{Elo0: 0, Elo1: 10, Model: sprt.Normalized, Alpha: 0.05, Beta: 0.05}
		setup.Check(t, c.complete())
		n := setup.Must(newCounter(&c))
		guard := gamelog.Guard{Tolerance: selfplay.Tolerance{Recover: true}}
		n.tally = &guard.Tally
		for pair := uint64(0); !n.over() && pair < 100_000; pair++ {
			// A has White in the first game, B in the second. Without wins the players
			// score in turn, so that they are equal.
			games := []selfplay.Result{{Number: 2 * pair}, {Number: 2*pair + 1}}
			switch {
			case tt.wins && pair%3 > 0:
				games[0].Result = board.WhiteWins
			case !tt.wins && pair%4 == 1:
				games[0].Result = board.WhiteWins
			case !tt.wins && pair%4 == 3:
				games[0].Result = board.BlackWins
			}
			if tt.faults > 0 && pair%uint64(tt.faults) == 0 {
				games[1].Result, games[1].Termination = board.BlackWins, selfplay.PlayerFailed
				if tt.wins {
					games[0].Result = board.BlackWins
				}
			}
			for i := range games {
				n.tally.Add(&games[i], playersOf(games[i].Number))
				guard.Count(playersOf, games[i])
			}
			setup.Check(t, n.add(games))
		}
		r := n.conclude()
		if tt.want == "" && r.Verdict == AcceptH1 && r.WithoutForfeits == nil {
			continue
		}
		if r.Verdict != AcceptH1 || r.Forfeits[1] == 0 {
			t.Fatalf("%s: %s after %d games with forfeits %v, want %s", tt.what, r.Verdict, r.Games, r.Forfeits, AcceptH1)
		}
		w := r.WithoutForfeits
		if w == nil || w.Verdict != tt.want || w.Pairs != r.Games/2-r.Forfeits[1] ||
			(w.LLR >= *r.Upper) != (w.Verdict == AcceptH1) || !strings.Contains(w.String(), tt.says) {
			t.Errorf("%s: LLR %.2f; %v; want %q", tt.what, *r.LLR, w, tt.want)
		}
		if doc, err := json.Marshal(r); err != nil || !strings.Contains(string(doc),
			`"without_forfeits":{"verdict":"`+tt.want+`","llr":`) {
			t.Errorf("%s: %s, %v", tt.what, doc, err)
		}
	}
}
