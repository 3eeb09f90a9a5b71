package report

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/assay-chess/assay/selfplay/datagen"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/sprt"
	"github.com/assay-chess/assay/tuner"
	"github.com/assay-chess/assay/tuner/learn"
	"github.com/assay-chess/assay/tuner/spsa/play"
	"github.com/assay-chess/assay/tuner/stats"
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
func (b *builder) learn() error {
	var config struct {
		Plan learn.Plan `json:"plan"`
	}
	if _, err := readJSON(&config, b.dir, "config.json"); err != nil {
		return err
	}
	v := &learnView{Plan: config.Plan}
	result := new(learn.Result)
	if ok, err := readJSON(result, b.dir, "result.json"); err != nil {
		return err
	} else if ok {
		if result.Format != learn.Format || result.Final == nil {
			return fmt.Errorf("%s: format %q, want %s", filepath.Join(b.dir, "result.json"), result.Format, learn.Format)
		}
		v.Result, v.Plan, b.k = result, result.Plan, result.K
	}
	b.maxGames = galleryBytes / (2*len(v.Plan.Generations) + 2)
	// The final matches first: the result is there, and the page begins with their games.
	var err error
	last := filepath.Join(b.dir, fmt.Sprintf("gen-%d", len(v.Plan.Generations)))
	if v.Final, err = b.readMatch(filepath.Join(last, "final"), "final match"); err != nil {
		return err
	}
	if v.FromStart, err = b.readMatch(filepath.Join(last, "from-start"), "match against the start weights"); err != nil {
		return err
	}
	if err := b.generations(v); err != nil {
		return err
	}
	if err := b.headline("learn-headline", v); err != nil {
		return err
	}
	return b.learnSections(v)
}

func (b *builder) generations(v *learnView) error {
	decisions := b.decisions()
	for n := 1; n <= len(v.Plan.Generations); n++ {
		g, folder := generation{Number: n}, filepath.Join(b.dir, fmt.Sprintf("gen-%d", n))
		if _, err := os.Stat(folder); err != nil {
			break
		}
		var games datagen.Summary
		if ok, err := readJSON(&games, folder, "games", "result.json"); err != nil {
			return err
		} else if ok {
			g.Games = &games
		}
		var tuned play.Result
		if ok, err := readJSON(&tuned, folder, "spsa", "result.json"); err != nil {
			return err
		} else if ok {
			g.Games, g.ByGames = &datagen.Summary{Games: tuned.Games}, true
		}
		for _, kept := range [][2]string{{"games", "self-play"}, {"spsa", "tuning by games"}} {
			if _, err := b.tally(filepath.Join(folder, kept[0]), fmt.Sprintf("generation %d, %s", n, kept[1])); err != nil {
				return err
			}
		}
		var fit learn.Fit
		if ok, err := readJSON(&fit, folder, "fit.json"); err != nil {
			return err
		} else if ok {
			g.Fit = &fit
			if b.k == 0 {
				b.k = fit.K
			}
		}
		var err error
		if g.Gate, err = b.readMatch(filepath.Join(folder, "gate"), fmt.Sprintf("generation %d, gate", n)); err != nil {
			return err
		}
		if d, ok := decisions[n]; ok {
			g.Decided, g.Promoted, g.Reason = true, d.Promoted, d.Reason
		}
		if v.Result != nil && n <= len(v.Result.Generations) {
			r := v.Result.Generations[n-1]
			g.Decided, g.Promoted, g.Reason, g.Warnings = true, r.Promoted, r.Reason, r.Warnings
		}
		v.Generations = append(v.Generations, g)
	}
	return nil
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

func (b *builder) learnSections(v *learnView) error {
	if len(v.Generations) > 0 {
		if err := b.add("generations", "Generations", "generations", map[string]any{"View": v, "Figures": b.number(v.curves())}); err != nil {
			return err
		}
	}
	for _, m := range []struct {
		id, title string
		match     *matchView
	}{{"final", "Final match", v.Final}, {"from-start", "Match against the start weights", v.FromStart}} {
		if m.match != nil {
			if err := b.matchSection(m.id, m.title, m.match); err != nil {
				return err
			}
		}
	}
	terms, pieces, generation := v.latest()
	if len(pieces) > 0 {
		if err := b.add("pieces", "Piece values", "pieces", map[string]any{"Pieces": pieces, "View": v, "Figures": b.number(pieceFigures(pieces))}); err != nil {
			return err
		}
	}
	note := "Compared with the start weights. " + starred + " Where the prior speaks, a small error says nothing."
	c := newCoefficients("centipawns", note, coefficientsOf(terms))
	if err := b.boardSection(c); err != nil {
		return err
	}
	if err := b.coefficientSection(c); err != nil {
		return err
	}
	if generation > 0 && generation <= len(v.Generations) {
		if err := b.evaluationCalibration(&v.Generations[generation-1]); err != nil {
			return err
		}
	}
	for _, g := range v.Generations {
		if g.Gate != nil {
			if err := b.matchSection(fmt.Sprintf("gate-%d", g.Number), fmt.Sprintf("Gate of generation %d", g.Number), g.Gate); err != nil {
				return err
			}
		}
	}
	return nil
}

// latest returns terms and piece values of the result, or else of the last fit, and the
// number of their generation.
func (v *learnView) latest() ([]tuner.TermFit, []stats.PieceValue, int) {
	if v.Result != nil {
		return v.Result.Terms, v.Result.Pieces, v.Result.Learned.Generation
	}
	for i := len(v.Generations) - 1; i >= 0; i-- {
		if g := v.Generations[i]; g.Fit != nil {
			return g.Fit.Terms, g.Fit.Pieces, g.Number
		}
	}
	return nil, nil, 0
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
			before.within(x-apart, tuner.Float(p.Start), p.StartInterval)
			after.within(x+apart, tuner.Float(p.Tuned), p.TunedInterval)
			gains.within(x, tuner.Float(p.Gain), p.Interval)
		}
		if g.Gate == nil || !g.Gate.Strength().Known() {
			continue
		}
		elo, lo, hi := ends(g.Gate.Strength())
		gates.x, gates.y, gates.lo, gates.hi = append(gates.x, x), append(gates.y, elo), append(gates.lo, lo), append(gates.hi, hi)
	}
	if len(gates.x) > 0 {
		last := float64(len(v.Generations))
		drawn := []series{{name: "start", x: []float64{0, last}, y: []float64{0, 0}, guide: true}, gates}
		if v.FromStart != nil && v.FromStart.Strength().Known() {
			elo, lo, hi := ends(v.FromStart.Strength())
			drawn = append(drawn, series{name: "measured against the start", points: true, x: []float64{last + 0.15}, y: []float64{elo}, lo: []float64{lo}, hi: []float64{hi}})
		}
		list = append(list, chart(figure{Title: "Elo over the generations",
			Note: "A gate stops as soon as it has decided, so its median-unbiased estimate is drawn, with its 95 % interval. Only the match of fixed length measures what was learned."}, "generation", "Elo", drawn...))
	}
	if len(before.x) > 0 {
		zero := series{name: "no gain", x: []float64{0.5, float64(len(v.Generations)) + 0.5}, y: []float64{0, 0}, guide: true}
		list = append(list,
			chart(figure{Title: "Loss of each fit", Note: "Mean loss on games held out from the fit, under the weights it began with and under the fitted ones, with 95 % intervals. Each generation has games of its own: compare before with after, not one generation with another."}, "generation", "loss", before, after),
			chart(figure{Title: "What each fit gained", Note: "Loss before minus loss after, game by game, with 95 % intervals: far better known than either loss."}, "generation", "loss before − after", zero, gains))
	}
	return list
}

// Elo is the Strength in words.
func (v *matchView) Elo() string {
	if v.Result != nil && v.Result.Verdict == match.NoVerdict {
		return "no verdict"
	}
	return v.Strength().Text("")
}

// Strength is the Elo of a match, of a complete one as its result says.
func (v *matchView) Strength() sprt.Strength {
	if v.Result != nil {
		return v.Result.Strength
	}
	return v.SoFar
}

// ends returns an Elo and its interval to be drawn. What no number of games can measure is
// drawn at the limit of what can be.
func ends(s sprt.Strength) (elo, lo, hi float64) {
	const most = 1000
	cut := func(x sprt.Float) float64 { return max(-most, min(float64(x), most)) }
	return cut(s.Elo), cut(s.EloLo), cut(s.EloHi)
}

func pieceFigures(pieces []stats.PieceValue) []figure {
	var list []estimate
	for _, p := range pieces {
		reach := 1.96 * float64(p.SE)
		list = append(list, estimate{name: p.Piece, value: p.Value, lo: p.Value - reach, hi: p.Value + reach, start: p.Start, hasStart: true})
	}
	return []figure{forest(figure{Title: "Piece values, with 95 % intervals"}, "centipawns", list)}
}

// evaluationCalibration shows the calibration of a generation's fit.
func (b *builder) evaluationCalibration(g *generation) error {
	if g.Fit == nil || len(g.Fit.Calibration.ByScore) == 0 {
		return nil // a run from before fits wrote it
	}
	return b.add("calibration", "Calibration of the evaluation", "figures",
		b.number(fitCalibrations(&g.Fit.Calibration, fmt.Sprintf("The evaluation of generation %d's weights.", g.Number))))
}
