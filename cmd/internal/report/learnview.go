package report

import (
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/selfplay/datagen"
	"github.com/assay-chess/assay/selfplay/sprt"
	"github.com/assay-chess/assay/tuner"
	"github.com/assay-chess/assay/tuner/learn"
	"github.com/assay-chess/assay/tuner/spsa/play"
)

// learnView is a learning run, as far as it got.
type learnView struct {
	Plan        learn.Plan
	Result      *learn.Result // nil while the run is in progress
	Generations []generation
	Final       *matchView
	FromStart   *matchView
}

// generation is one generation of the loop. What has not happened yet is nil.
type generation struct {
	Number   int
	Games    *datagen.Summary
	ByGames  bool // they are pairs between perturbed weights, see learn.MethodSPSA
	Fit      *learn.Fit
	Gate     *matchView
	Decided  bool
	Promoted bool
	Reason   string
	Warnings []string
}

// learn makes the sections of a run of assay learn.
func (b *builder) learn() {
	var config struct {
		Plan learn.Plan `json:"plan"`
	}
	b.read(&config, b.dir, durable.RunConfigName)
	v := &learnView{Plan: config.Plan, Result: read[learn.Result](&b.reader, b.dir, durable.RunResultName)}
	if r := v.Result; r != nil {
		name := filepath.Join(b.dir, durable.RunResultName)
		switch {
		case r.Format != learn.Format:
			b.keep(fmt.Errorf("%s: format %q, want %s", name, r.Format, learn.Format))
			return
		case r.Final == nil:
			b.keep(fmt.Errorf("%s: no final match", name))
			return
		}
		v.Plan = r.Plan
	}
	b.maxGames = galleryBytes / (2*len(v.Plan.Generations) + 2)
	// The final matches first: the result is there, and the board begins with their games.
	last := filepath.Join(b.dir, fmt.Sprintf("gen-%d", len(v.Plan.Generations)))
	v.Final = b.readMatch(filepath.Join(last, "final"), "final match")
	v.FromStart = b.readMatch(filepath.Join(last, "from-start"), "match against the start weights")
	b.generations(v)
	b.headline("learn-headline", v)
	b.learnSections(v)
}

// started lists the generations that have a folder.
func (b *builder) started(generations int) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for n := 1; n <= generations; n++ {
			folder := filepath.Join(b.dir, fmt.Sprintf("gen-%d", n))
			if _, err := os.Stat(folder); err != nil || !yield(n, folder) {
				return
			}
		}
	}
}

func (b *builder) generations(v *learnView) {
	decisions := b.decisions()
	for n, folder := range b.started(len(v.Plan.Generations)) {
		g := generation{Number: n}
		g.Games = read[datagen.Summary](&b.reader, folder, "games", durable.RunResultName)
		if tuned := read[play.Result](&b.reader, folder, "spsa", durable.RunResultName); tuned != nil {
			g.Games, g.ByGames = &datagen.Summary{Games: tuned.Games}, true
		}
		b.tally(filepath.Join(folder, "games"), fmt.Sprintf("generation %d, self-play", n))
		b.tally(filepath.Join(folder, "spsa"), fmt.Sprintf("generation %d, tuning by games", n))
		g.Fit = read[learn.Fit](&b.reader, folder, learn.FitName)
		g.Gate = b.readMatch(filepath.Join(folder, "gate"), fmt.Sprintf("generation %d, gate", n))
		if d, ok := decisions[n]; ok {
			g.Decided, g.Promoted, g.Reason = true, d.Promoted, d.Reason
		}
		if v.Result != nil && n <= len(v.Result.Generations) {
			r := v.Result.Generations[n-1]
			g.Decided, g.Promoted, g.Reason, g.Warnings = true, r.Promoted, r.Reason, r.Warnings
		}
		v.Generations = append(v.Generations, g)
	}
}

type decision struct {
	Generation int    `json:"generation"`
	Promoted   bool   `json:"promoted"`
	Reason     string `json:"reason"`
}

// decisions reads the decisions of the gates from events.jsonl.
func (b *builder) decisions() map[int]decision {
	all := map[int]decision{}
	b.events(func(kind string, data json.RawMessage) {
		var d decision
		if kind == "decision" && json.Unmarshal(data, &d) == nil {
			all[d.Generation] = d
		}
	})
	return all
}

func (b *builder) learnSections(v *learnView) {
	if len(v.Generations) > 0 {
		b.add("generations", "Generations", "generations", map[string]any{"View": v, "Figures": v.curves()})
	}
	if v.Final != nil {
		b.add("final", "Final match", "match", v.Final)
	}
	if v.FromStart != nil {
		b.add("from-start", "Match against the start weights", "match", v.FromStart)
	}
	terms, fit := v.latest()
	note := "Compared with the start weights. " + starred +
		" A small error means nothing where the prior determines the term."
	c := newCoefficients("centipawns", note, terms)
	b.boardSection(c)
	b.coefficientSection(c)
	if fit != nil && fit.Fit != nil && len(fit.Fit.Calibration.ByScore) > 0 {
		b.add("calibration", "Calibration of the evaluation", "figures", fitCalibrations(&fit.Fit.Calibration,
			fmt.Sprintf("The evaluation of generation %d's weights.", fit.Number)))
	}
	for _, g := range v.Generations {
		if g.Gate != nil {
			b.add(fmt.Sprintf("gate-%d", g.Number), fmt.Sprintf("Gate of generation %d", g.Number), "match", g.Gate)
		}
	}
}

// latest returns the terms of the result, or else of the last fit, and their generation,
// nil if it has left no folder.
func (v *learnView) latest() ([]tuner.TermFit, *generation) {
	if v.Result != nil {
		var of *generation
		if n := v.Result.Learned.Generation; 0 < n && n <= len(v.Generations) {
			of = &v.Generations[n-1]
		}
		return v.Result.Terms, of
	}
	for i := len(v.Generations) - 1; i >= 0; i-- {
		if g := &v.Generations[i]; g.Fit != nil {
			return g.Fit.Terms, g
		}
	}
	return nil, nil
}

// curves draws loss and Elo over the generations.
func (v *learnView) curves() (list []figure) {
	before, after := series{name: "before", points: true}, series{name: "after", points: true}
	gains := series{name: "before − after", points: true}
	gates := series{name: "gate: candidate against champion", points: true}
	for _, g := range v.Generations {
		x := float64(g.Number)
		if g.Fit != nil && g.Fit.Gain() != nil {
			const apart = 0.08
			p := g.Fit.Gain()
			before.within(x-apart, num.Float(p.Start), p.StartInterval)
			after.within(x+apart, num.Float(p.Tuned), p.TunedInterval)
			gains.within(x, num.Float(p.Gain), p.Interval)
		}
		if g.Gate != nil && g.Gate.Strength().Known() {
			gates.strength(x, g.Gate.Strength())
		}
	}
	last := float64(len(v.Generations))
	if len(gates.x) > 0 {
		drawn := []series{level("start", 0, 0, last), gates}
		if v.FromStart != nil && v.FromStart.Strength().Known() {
			measured := series{name: "measured against the start", points: true}
			measured.strength(last+0.15, v.FromStart.Strength())
			drawn = append(drawn, measured)
		}
		list = append(list, chart(figure{Title: "Elo over the generations",
			Note: "A gate stops as soon as it has decided, so its median-unbiased estimate is drawn, with its 95 % interval. " +
				"Only the match of fixed length measures what was learned."}, "generation", "Elo", drawn...))
	}
	if len(before.x) > 0 {
		list = append(list,
			chart(figure{Title: "Loss of each fit", Note: "Mean loss on games held out from the fit, under the weights it " +
				"began with and under the fitted ones, with 95 % intervals. Each generation has games of its own: compare " +
				"before with after, not one generation with another."}, "generation", "loss", before, after),
			chart(figure{Title: "What each fit gained",
				Note: "Loss before minus loss after, game by game, with 95 % intervals: " +
					"far better known than either loss."}, "generation", "loss before − after", level("no gain", 0, 0.5, last+0.5),
				gains))
	}
	return list
}

// strength adds an Elo with its interval. What no number of games can measure is drawn at the limit of
// what can be.
func (s *series) strength(x float64, elo sprt.Strength) {
	const most = 1000
	cut := func(x num.Float) float64 { return max(-most, min(float64(x), most)) }
	s.put(x, cut(elo.Elo))
	s.lo, s.hi = append(s.lo, cut(elo.EloLo)), append(s.hi, cut(elo.EloHi))
}
