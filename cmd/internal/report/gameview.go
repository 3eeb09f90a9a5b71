package report

import (
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/sprt"
	"github.com/assay-chess/assay/tuner"
	"github.com/assay-chess/assay/tuner/gameloop"
	"github.com/assay-chess/assay/tuner/learn"
)

// gameView is a run that learns another game than chess, as far as it got.
type gameView struct {
	Config gameloop.RunConfig
	Result *gameloop.Result // nil while the run is in progress
	learnView
}

// gameMatch reads a match of another game; nil if it has not ended.
func (b *builder) gameMatch(elem ...string) *matchView {
	r := read[match.Result](&b.reader, elem...)
	if r == nil {
		return nil
	}
	return &matchView{Result: r, Standing: sprt.Summarize(r.Pentanomial), Penta: r.Pentanomial}
}

// learnGame makes the sections of a run of assay learn --game.
func (b *builder) learnGame() {
	v := &gameView{Result: read[gameloop.Result](&b.reader, b.dir, durable.RunResultName)}
	b.read(&v.Config, b.dir, durable.RunConfigName)
	var terms []tuner.TermFit
	for n, folder := range b.started(v.Config.Plan.Generations) {
		g := generation{Number: n, Gate: b.gameMatch(folder, "gate", gameloop.MatchName)}
		if fit := read[tuner.Result](&b.reader, folder, learn.FitName); fit != nil {
			g.Fit, terms = &learn.Fit{Result: *fit}, fit.Terms
		}
		v.Generations = append(v.Generations, g)
	}
	v.FromStart = b.gameMatch(b.dir, "final", gameloop.MatchName)
	b.headline("game-headline", v)
	if v.Result != nil {
		terms = v.Result.Terms
		if v.Result.Shown != nil {
			b.add("shown", "A game", "game-shown", v.Result.Shown)
		}
	}
	if len(v.Generations) > 0 {
		b.add("generations", "Generations", "game-generations", map[string]any{"View": v, "Figures": v.curves()})
	}
	if len(terms) > 0 {
		list := make([]estimate, len(terms))
		for i, t := range terms {
			list[i] = estimate{name: t.Name, value: t.FitMG, lo: t.FitMG, hi: t.FitMG, start: t.StartMG, hasStart: true}
			if t.IntervalMG != (tuner.Interval{}) {
				list[i].lo, list[i].hi = t.IntervalMG[0], t.IntervalMG[1]
			}
		}
		f := figure{Title: "Coefficients, with 95 % intervals",
			Note: "In hundredths of the game's unit. Errors are clustered by game."}
		b.add("coefficients", "Coefficients", "figures", []figure{forest(f, "weight", list)})
	}
	b.gamePairs("final", "Match against the start weights", v.FromStart)
}

// gamePairs adds the pairs of a match of another game.
func (b *builder) gamePairs(id, title string, v *matchView) {
	if v != nil {
		b.add(id, title, "figures", []figure{pairsFigure("", ", in which each player moves first once", v.Penta)})
	}
}

// matchGame makes the sections of a run of assay match --game.
func (b *builder) matchGame() {
	v := b.gameMatch(b.dir, durable.RunResultName)
	headline := v
	if v == nil {
		headline = new(matchView)
		b.read(&headline.Config, b.dir, durable.RunConfigName)
	}
	b.headline("match-headline", headline)
	b.gamePairs("match", "The match", v)
}
