package selfplay

import (
	"context"
	"reflect"
	"strconv"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/selfplay/internal/toy"
)

// optioned is a player with one option: a margin added to its scores.
type optioned struct {
	engine.Player
	margin int
}

func openOptioned(spec engine.Spec) (engine.Player, error) {
	p, err := toy.Open(spec)
	return &optioned{Player: p}, err
}

func (o *optioned) SetOption(name, value string) (err error) {
	if name != "margin" {
		return o.Player.SetOption(name, value)
	}
	o.margin, err = strconv.Atoi(value)
	return err
}

func (o *optioned) Search(ctx context.Context, game *board.Game, lim engine.Limits) (engine.Result, error) {
	r, err := o.Player.Search(ctx, game, lim)
	r.Score += engine.Score(o.margin % 1000)
	return r, err
}

// Games that need the results of earlier ones get them, the same for any number of
// workers: a player's margin is the score of the steps before.
func TestHeldOpeningsSeeWhatWasDelivered(t *testing.T) {
	const step = 3 // openings that are played at once
	play := func(workers int) (games []Result) {
		s := testSeries(workers, 2, shortOpenings{plies: 4}, 40)
		delivered, points, known := uint64(0), 0, 0
		s.Hold = func(opening uint64) bool { return opening/step > delivered/step }
		s.Job = func(game uint64) Job {
			if game/2/step > delivered/step {
				t.Errorf("game %d begins with %d openings delivered", game, delivered)
			}
			margin := engine.Option{Name: "margin", Value: strconv.Itoa(known)}
			return Job{Players: toy.Specs("a", "b"), Limits: anyLimits, Plies: 20, Seed: game,
				Options: [2][]engine.Option{{margin}}}
		}
		s.Runner.(*Local).Open = openOptioned
		s.Deliver = func(_ uint64, pair []Result) error {
			for _, g := range pair {
				g.Time = [2]time.Duration{}
				points += int(g.Scores[len(g.Scores)-1])
				games = append(games, g)
			}
			if delivered++; delivered%step == 0 {
				known = points
			}
			return nil
		}
		if _, err := s.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		return games
	}
	want := play(1)
	if len(want) != 80 {
		t.Fatalf("%d games", len(want))
	}
	for _, workers := range []int{2, 7} {
		if got := play(workers); !reflect.DeepEqual(got, want) {
			t.Errorf("%d workers play other games than one", workers)
		}
	}
}

// Repeats makes do with fewer openings than there are games.
func TestOpeningsMayRepeat(t *testing.T) {
	s := testSeries(2, 1, sameOpening{}, 10)
	s.Repeats = true
	if got := run(t, s); len(got) != 10 {
		t.Errorf("%d games, want 10", len(got))
	}
}

type sameOpening struct{}

func (sameOpening) Propose(uint64, int) (*board.Game, error) {
	return shortOpenings{plies: 4}.Propose(1, 1)
}

// An option that a player does not take costs it the game, not the match.
func TestOptionThatIsRefused(t *testing.T) {
	job := Job{Players: toy.Specs("a", "b"), Limits: anyLimits,
		Options: [2][]engine.Option{1: {{Name: "Foo", Value: "1"}}}}
	a, err := toy.Open(toy.Spec("a"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := toy.Open(toy.Spec("b"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Play(t.Context(), &job, [2]engine.Player{a, b})
	if err != nil {
		t.Fatal(err)
	}
	if loser, yes := r.Forfeited(); !yes || loser != 1 || r.Termination != PlayerFailed {
		t.Errorf("%+v", r)
	}
}
