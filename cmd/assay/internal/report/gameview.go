package report

import (
	"fmt"
	"os"
	"path/filepath"

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
func gameMatch(elem ...string) (*matchView, error) {
	r := new(match.Result)
	ok, err := readJSON(r, elem...)
	if !ok || err != nil {
		return nil, err
	}
	return &matchView{Result: r, Standing: sprt.Summarize(r.Pentanomial), Penta: r.Pentanomial}, nil
}

// learnGame makes the sections of a run of assay learn --game.
func (b *builder) learnGame() error {
	v := &gameView{Result: new(gameloop.Result)}
	if _, err := readJSON(&v.Config, b.dir, durable.RunConfigName); err != nil {
		return err
	}
	if ok, err := readJSON(v.Result, b.dir, durable.RunResultName); err != nil {
		return err
	} else if !ok {
		v.Result = nil
	}
	var terms []tuner.TermFit
	for n := 1; n <= v.Config.Plan.Generations; n++ {
		folder := filepath.Join(b.dir, fmt.Sprintf("gen-%d", n))
		if _, err := os.Stat(folder); err != nil {
			break
		}
		g := generation{Number: n}
		fit := new(tuner.Result)
		ok, err := readJSON(fit, folder, gameloop.FitName)
		if err != nil {
			return err
		}
		if ok {
			g.Fit, terms = &learn.Fit{Result: *fit}, fit.Terms
		}
		if g.Gate, err = gameMatch(folder, "gate", gameloop.MatchName); err != nil {
			return err
		}
		if v.Result != nil && n <= len(v.Result.Generations) {
			r := v.Result.Generations[n-1]
			g.Decided, g.Promoted, g.Reason = true, r.Promoted, r.Reason
		}
		v.Generations = append(v.Generations, g)
	}
	var err error
	if v.FromStart, err = gameMatch(b.dir, "final", gameloop.MatchName); err != nil {
		return err
	}
	if v.Result != nil {
		terms = v.Result.Terms
	}
	if err := b.headline("game-headline", v); err != nil {
		return err
	}
	return b.gameSections(v, terms)
}

func (b *builder) gameSections(v *gameView, terms []tuner.TermFit) error {
	if v.Result != nil && v.Result.Shown != nil {
		if err := b.add("shown", "A game", "game-shown", v.Result.Shown); err != nil {
			return err
		}
	}
	if len(v.Generations) > 0 {
		if err := b.add("generations", "Generations", "game-generations", map[string]any{"View": v, "Figures": b.number(v.curves())}); err != nil {
			return err
		}
	}
	if len(terms) > 0 {
		list := make([]estimate, len(terms))
		for i, t := range terms {
			lo, hi := t.FitMG, t.FitMG
			if t.IntervalMG != (tuner.Interval{}) {
				lo, hi = bounds(t.IntervalMG)
			}
			list[i] = estimate{name: t.Name, value: t.FitMG, lo: lo, hi: hi, start: t.StartMG, hasStart: true}
		}
		figures := []figure{forest(figure{Title: "Coefficients, with 95 % intervals", Note: "In hundredths of the game's unit. Errors are clustered by game."}, "weight", list)}
		if err := b.add("coefficients", "Coefficients", "figures", b.number(figures)); err != nil {
			return err
		}
	}
	if v.FromStart == nil {
		return nil
	}
	return b.add("final", "Match against the start weights", "figures", b.number([]figure{pairsFigure(v.FromStart.Penta)}))
}

// pairsFigure draws the scores of the pairs of a match.
func pairsFigure(p sprt.Pentanomial) figure {
	var values []float64
	for _, n := range p {
		values = append(values, float64(n))
	}
	return bars(figure{Title: "Pairs of games by their score", Note: "A pair is two games from one opening, in which each player moves first once. The score is A's."}, "pairs", []string{"0", "½", "1", "1½", "2"}, values)
}

// matchGame makes the sections of a run of assay match --game.
func (b *builder) matchGame() error {
	v, err := gameMatch(b.dir, durable.RunResultName)
	if err != nil {
		return err
	}
	if v == nil {
		v = new(matchView)
		if _, err := readJSON(&v.Config, b.dir, durable.RunConfigName); err != nil {
			return err
		}
		return b.headline("match-headline", v)
	}
	if err := b.headline("match-headline", v); err != nil {
		return err
	}
	return b.add("match", "The match", "figures", b.number([]figure{pairsFigure(v.Penta)}))
}

// learnGame is the outcome of such a run.
func (o *outcome) learnGame(dir string, _ standing) error {
	var c gameloop.RunConfig
	if _, err := readJSON(&c, dir, durable.RunConfigName); err != nil {
		return err
	}
	o.Total, o.Unit = int64(c.Plan.Generations), "generations"
	r, ok, err := result[gameloop.Result](dir)
	if err != nil {
		return err
	}
	if ok && r.Final != nil {
		o.say(r.Final.Headline())
		o.Done, o.WDL = int64(len(r.Generations)), wdl(r.Final.Wins, r.Final.Draws, r.Final.Losses)
		return nil
	}
	for n := range o.Total {
		if _, err := os.Stat(filepath.Join(dir, fmt.Sprintf("gen-%d", n+1), "gate", gameloop.MatchName)); err == nil {
			o.Done = n + 1
		}
	}
	return nil
}

// matchGame is the outcome of such a match.
func (o *outcome) matchGame(dir string, _ standing) error {
	r, ok, err := result[match.Result](dir)
	if err == nil && ok {
		o.say(r.Headline())
		o.Done, o.Unit, o.WDL = r.Games, "games", wdl(r.Wins, r.Draws, r.Losses)
	}
	return err
}
