package historic

import (
	"context"
	"errors"
	"slices"
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
		{"losalamos", []int{10}, []int{23}},
		{"machack:plies=2", []int{22, 16, 10, 25}, []int{54, 33, 21, 50}},
	} {
		t.Run(test.spec, func(t *testing.T) {
			t.Parallel()
			p := setup.Must(openPrinted(test.spec))
			defer p.close()
			if len(p.titles) != len(test.turns) {
				t.Fatalf("%d games, want %d", len(p.titles), len(test.turns))
			}
			for i := range test.turns {
				got := printedCount{game: i}
				setup.Check(t, p.play(t.Context(), i, func(turn replayedTurn) {
					if got.turns++; turn.same {
						got.same++
					}
					check(t, p, turn)
				}))
				if want := (printedCount{i, test.turns[i], test.same[i]}); got != want {
					t.Errorf("%s: %+v, want %+v", p.titles[i], got, want)
				}
			}
		})
	}
}

// printedCount is how often Mac Hack at its own depth plays the printed move in the first turns of a game.
type printedCount struct{ game, turns, same int }

// macHack is what the tests replay: the beginning of the shortest game.
var macHack = []printedCount{{2, 6, 3}}

func TestMacHack(t *testing.T) {
	p := setup.Must(openPrinted("machack"))
	defer p.close()
	for _, want := range macHack {
		ctx, cancel := context.WithCancel(t.Context())
		got := printedCount{game: want.game}
		err := p.play(ctx, want.game, func(turn replayedTurn) {
			check(t, p, turn)
			if turn.same {
				got.same++
			}
			if got.turns++; got.turns == want.turns {
				cancel()
			}
		})
		if cancel(); err != nil && !errors.Is(err, context.Canceled) || got != want {
			t.Errorf("%s: %+v, want %+v; error %v", p.titles[want.game], got, want, err)
		}
	}
}

// check checks one row of the table, which is 80 columns wide.
func check(t *testing.T, p *printedProgram, turn replayedTurn) {
	t.Helper()
	if turn.same != (turn.printed == turn.chosen) || turn.why == "" || turn.same && turn.against != "" {
		t.Errorf("%+v", turn)
	}
	width := historic.ReasonWidth + 2*7 - 2*p.width // longer moves leave less space
	for _, text := range []string{turn.why, turn.against} {
		if n := utf8.RuneCountInString(text); n > width {
			t.Errorf("%s: %q has %d characters, more than %d", turn.printed, text, n, width)
		}
	}
	for _, move := range []string{turn.printed, turn.chosen} {
		if len(move) > p.width {
			t.Errorf("%s is longer than %d", move, p.width)
		}
	}
}

// A replay ends with its context.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, name := range []string{"turing", "machack", "nss", "losalamos"} {
		p := setup.Must(openPrinted(name))
		if err := p.play(ctx, 0, func(replayedTurn) {}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", name, err)
		}
		if err := p.close(); err != nil {
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
