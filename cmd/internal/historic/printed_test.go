package historic

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/internal/historic"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay/roster"
)

// How often our programs play the moves of their papers. The counts depend on our reading of
// the papers; change them only on purpose.
func TestCounts(t *testing.T) {
	for _, test := range []struct {
		spec        string
		same, turns []int // by game
	}{
		{"turing", []int{18}, []int{29}},
		{"nss", []int{20}, []int{29}},
		{"nss:goals=4", []int{14}, []int{29}},
		{"strachey", []int{33}, []int{34}},
		{"strachey:strategy=1", []int{24}, []int{34}},
		{"losalamos", []int{10}, []int{23}},
		{"machack:plies=2", []int{22, 16, 10, 25}, []int{54, 33, 21, 50}},
	} {
		t.Run(test.spec, func(t *testing.T) {
			t.Parallel()
			count(t, test.spec, test.same, test.turns)
		})
	}
}

// printedCount is how often Mac Hack at its own depth plays the printed move in the first turns of a game.
type printedCount struct{ game, turns, same int }

// macHack is what the tests replay: the beginning of the shortest game.
var macHack = []printedCount{{2, 6, 3}}

func TestMacHack(t *testing.T) {
	p := setup.Must(openPrinted("machack"))
	defer p.Close()
	for _, want := range macHack {
		ctx, cancel := context.WithCancel(t.Context())
		got := printedCount{game: want.game}
		_, err := p.Replay(ctx, want.game, func(turn replayedTurn) {
			check(t, p, turn)
			if turn.Same {
				got.same++
			}
			if got.turns++; got.turns == want.turns {
				cancel()
			}
		})
		if cancel(); err != nil && !errors.Is(err, context.Canceled) || got != want {
			t.Errorf("%s: %+v, want %+v; error %v", p.Titles[want.game], got, want, err)
		}
	}
}

func count(t *testing.T, spec string, same, turns []int) {
	t.Helper()
	p := setup.Must(openPrinted(spec))
	defer p.Close()
	if len(p.Titles) != len(turns) {
		t.Fatalf("%d games, want %d", len(p.Titles), len(turns))
	}
	for i := range turns {
		called := 0
		g := setup.Must(p.Replay(context.Background(), i, func(replayedTurn) { called++ }))
		if g.Same != same[i] || len(g.Turns) != turns[i] || called != turns[i] || g.Title != p.Titles[i] {
			t.Errorf("%s: the same move in %d of %d turns, want %d of %d; %d reported", g.Title, g.Same, len(g.Turns), same[i],
				turns[i], called)
		}
		for _, turn := range g.Turns {
			check(t, p, turn)
		}
	}
}

// check checks one row of the table, which is 80 columns wide.
func check(t *testing.T, p *printedProgram, turn replayedTurn) {
	t.Helper()
	if turn.Same != (turn.Printed == turn.Chosen) || turn.Why == "" || turn.Same && turn.Against != "" {
		t.Errorf("%+v", turn)
	}
	width := historic.ReasonWidth + 2*7 - 2*p.Width // longer moves leave less space
	for _, text := range []string{turn.Why, turn.Against} {
		if n := utf8.RuneCountInString(text); n > width {
			t.Errorf("%d. %q has %d characters, more than %d", turn.Number, text, n, width)
		}
	}
	for _, move := range []string{turn.Printed, turn.Chosen} {
		if len(move) > p.Width {
			t.Errorf("%d. %s is longer than %d", turn.Number, move, p.Width)
		}
	}
}

func TestErrors(t *testing.T) {
	for spec, want := range map[string]string{
		"bernstein":           `no printed game of "bernstein"; there are games of turing, machack, nss, strachey, losalamos`,
		"turing:full":         `"full" is not a setting: want KEY=VALUE`,
		"turing:full=9":       `"9" is not a number from 1 to 6`,
		"strachey:strategy=3": `"3" is not a number from 1 to 2`,
		"losalamos:plies=3":   "the options are depth",
	} {
		if _, err := openPrinted(spec); !errors.Is(err, errProgram) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", spec, err, want)
		}
	}
}

// A replay ends with its context.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, name := range []string{"turing", "machack", "nss", "losalamos"} {
		p := setup.Must(openPrinted(name))
		if _, err := p.Replay(ctx, 0, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", name, err)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// The list has every player of the papers, by year, and each can explain positions.
func TestHistoricList(t *testing.T) {
	names := roster.Names()
	listed := []string{"assay"}
	for _, p := range historicPrograms {
		if p.Use != asPlayer {
			continue
		}
		listed = append(listed, p.Name)
		player, err := roster.Open(engine.Spec{Name: p.Name})
		if err != nil {
			t.Error(err)
			continue
		}
		if _, ok := player.(historic.Explainer); !ok {
			t.Errorf("%s is no Explainer", p.Name)
		}
		if err := player.Close(); err != nil {
			t.Error(err)
		}
	}
	slices.Sort(names)
	slices.Sort(listed)
	if !slices.Equal(names, listed) {
		t.Errorf("players %v, listed %v", names, listed)
	}
	if !slices.IsSortedFunc(historicPrograms, func(a, b historicProgram) int { return a.Year - b.Year }) {
		t.Error("the list is not sorted by year")
	}
}
