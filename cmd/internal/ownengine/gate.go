package ownengine

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"

	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/tuner/learn"
)

// Step is a size of a generation's step, and its match against the champion.
type Step struct {
	Name    string           `json:"name"`
	Share   float64          `json:"share"` // of the fit's step
	Weights learn.WeightsRef `json:"weights"`
	Gate    *match.Result    `json:"gate"`
}

// sizes are the steps that a gate compares.
var sizes = []Step{{Name: "whole", Share: 1}, {Name: "half", Share: 0.5}, {Name: "quarter", Share: 0.25}}

// Sizes are the names of the steps that a gate compares, and the folders of their matches.
func Sizes() (names []string) {
	for _, s := range sizes {
		names = append(names, s.Name)
	}
	return names
}

// GateName is the folder of a generation's gate, with a match for each size of its step.
const GateName = "gate"

// race is a gate in progress. All steps play the champion from the same openings, each tested at its share of one error
// probability. In each round those that are left play on, and the worst one falls out; so most games are of the best
// one. Waiting until one is clearly worse proves less: TestGate has the figures. It is kept after each round.
type race struct {
	Left   int   `json:"games_left"` // of all steps together
	Played int   `json:"games_each"` // of those that are left
	Live   []int `json:"live"`       // indices of Steps
	Passed []int `json:"passed"`
	Steps  []Step
}

const raceName = "race.json"

// newRace begins a gate with a budget of games for all steps: at least one pair each.
func newRace(steps []Step, games int) *race {
	r := &race{Left: max(games, 2*len(steps)), Steps: steps}
	for i := range steps {
		r.Live = append(r.Live, i)
	}
	return r
}

// over reports whether a step has passed, or no further round can be played.
func (r *race) over() bool { return len(r.Live) == 0 || len(r.Passed) > 0 || r.Left < 2*len(r.Live) }

// Gate lets steps of three sizes meet the champion until one of them passes.
func (l *loop) Gate(_ context.Context, g int, proposed, champion learn.WeightsRef) (*match.Result, learn.WeightsRef,
	error) {
	if proposed.ID == champion.ID {
		return nil, proposed, nil
	}
	file := l.path(learn.Folder(g), GateName, raceName)
	r, err := l.race(file)
	if err != nil {
		return nil, proposed, err
	}
	for !r.over() {
		if err := r.round(func(s *Step, games int) (*match.Result, error) { return l.meet(g, s, champion, games) }); err != nil {
			return nil, proposed, err
		}
		if err := durable.WriteJSON(file, r); err != nil {
			return nil, proposed, err
		}
	}
	best := r.best()
	l.now.Steps, l.now.Step = r.Steps, best.Share
	return best.Gate, best.Weights, nil
}

// race returns the gate that is kept in a file. A new one is kept before its first game.
func (l *loop) race(file string) (*race, error) {
	return kept(file, func() (*race, error) { return newRace(l.now.Steps, l.paced(l.plan.Gate)), nil })
}

// round lets the remaining steps play on: with two of them half of the remaining games each, with three a third. Games
// that a step did not need, because its test has decided, are left for others.
func (r *race) round(meet func(s *Step, games int) (*match.Result, error)) error {
	each := even(float64(r.Left) / float64(len(r.Live)*len(r.Live)))
	r.Played += each
	before := len(r.Live)
	for _, i := range slices.Clone(r.Live) {
		step, had := &r.Steps[i], int64(r.Played-each)
		played, err := meet(step, r.Played)
		if err != nil {
			return err
		}
		r.Left -= int(min(int64(each), max(0, played.Games-had)))
		step.Gate = played
		switch {
		case played.Passed():
			r.Passed = append(r.Passed, i)
		case played.Verdict == match.AcceptH0:
			r.drop(i)
		}
	}
	if len(r.Passed) == 0 && len(r.Live) == before && before > 1 {
		r.drop(slices.MinFunc(r.Live, r.compare))
	}
	return nil
}

func (r *race) drop(i int) { r.Live = slices.DeleteFunc(r.Live, func(j int) bool { return i == j }) }

// compare compares the scores of two steps.
func (r *race) compare(a, b int) int {
	return cmp.Compare(r.Steps[a].Gate.Score, r.Steps[b].Gate.Score)
}

// best returns the step that passed, the better one of two. Else the one that is left, or which scored best.
func (r *race) best() *Step {
	among := r.Passed
	if len(among) == 0 {
		among = r.Live
	}
	if len(among) == 0 {
		for i := range r.Steps {
			among = append(among, i)
		}
	}
	return &r.Steps[slices.MaxFunc(among, r.compare)]
}

// meet plays a step against the champion, up to a number of games.
func (l *loop) meet(g int, s *Step, champion learn.WeightsRef, games int) (*match.Result, error) {
	new, err := l.with(s.Name, s.Weights)
	if err != nil {
		return nil, err
	}
	old, err := l.with("champion", champion)
	if err != nil {
		return nil, err
	}
	return l.match(path.Join(learn.Folder(g), GateName, s.Name), new, old, games, g, gateStage, l.plan.limits(),
		l.plan.test())
}

// propose keeps the sizes of a step from the champion's numbers to a fit's. Sizes with equal numbers are one.
func (l *loop) propose(g int, champion learn.WeightsRef, was, found []float64) error {
	ids := []string{champion.ID, idOf(l.set, was)}
	for _, s := range sizes {
		values := l.between(was, found, s.Share)
		id := idOf(l.set, values)
		if slices.Contains(ids, id) {
			continue
		}
		ids = append(ids, id)
		s.Weights = learn.WeightsRef{ID: id, File: path.Join(learn.Folder(g), s.Name+".txt"), Generation: g}
		if err := l.keepValues(s.Weights, values); err != nil {
			return err
		}
		l.now.Steps = append(l.now.Steps, s)
	}
	return nil
}

// proposed returns the whole step; the champion if that is no step.
func (l *loop) proposed(champion learn.WeightsRef) learn.WeightsRef {
	if len(l.now.Steps) == 0 {
		return champion
	}
	return l.now.Steps[0].Weights
}

// keepValues writes values as a file for the engine, and as a commit of the clone.
func (k *workshop) keepValues(w learn.WeightsRef, values []float64) error {
	file := k.path(filepath.FromSlash(w.File))
	if err := k.set.WriteFile(file, values); err != nil {
		return err
	}
	return k.keep(Tag(w), fmt.Sprintf("assay: %s of the step of generation %d", path.Base(w.File), w.Generation),
		func() error {
			_, err := k.set.WriteBack(k.clone.Dir, values)
			return err
		})
}
