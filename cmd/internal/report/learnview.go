package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/doc"
	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/selfplay/datagen"
	"github.com/assay-chess/assay/selfplay/ladder"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/sprt"
	"github.com/assay-chess/assay/tuner"
	"github.com/assay-chess/assay/tuner/learn"
	"github.com/assay-chess/assay/tuner/spsa/play"
)

// learn shows a run of assay learn.
func (b *builder) learn() *doc.Document {
	var config struct {
		Plan learn.Plan `json:"plan"`
	}
	b.read(&config, b.dir, durable.RunConfigName)
	d, plan, decisions := new(doc.Document), config.Plan, b.decisions()
	r := read[learn.Result](&b.reader, b.dir, durable.RunResultName)
	if r != nil {
		name := b.path(durable.RunResultName)
		switch {
		case r.Format != learn.Format:
			b.keep(fmt.Errorf("%s: format %q, want %s", name, r.Format, learn.Format))
			return nil
		case r.Final == nil:
			b.keep(fmt.Errorf("%s: no final match", name))
			return nil
		}
		d, plan = doc.Learn(r, b.dir), r.Plan
	}
	d.Done, d.Total = max(d.Done, int64(len(decisions))), int64(len(plan.Generations))
	if b.brief {
		return d
	}
	b.maxGames = galleryBytes / (2*len(plan.Generations) + 2)
	// These matches first: the result is there, and the board begins with their games.
	last := b.path(learn.Folder(len(plan.Generations)))
	_, fromStart := b.addMatch("from-start", "Match against the start weights", filepath.Join(last, "from-start"))
	b.addMatch("final", "Match against "+plan.Opponent, filepath.Join(last, "final"))
	finals := len(b.report.Sections)
	list := b.generations(r, len(plan.Generations), decisions)
	matches := b.report.Sections
	b.report.Sections = nil
	if len(list) > 0 {
		parts := doc.Generations(list)
		parts[0].Title, parts[0].More = "", false
		b.add("generations", "Generations", parts, curves(list, fromStart)...)
	}
	b.report.Sections = append(b.report.Sections, matches[:finals]...)
	terms, fit := latest(r, list)
	note := "Compared with the start weights. " + starred +
		" A small error means nothing where the prior determines the term."
	b.addCoefficients("centipawns", note, terms)
	if fit != nil && fit.Fit.Result != nil && len(fit.Fit.Calibration.ByScore) > 0 {
		b.add("calibration", "Calibration of the evaluation", nil, fitCalibrations(&fit.Fit.Calibration,
			fmt.Sprintf("The evaluation of generation %d's weights.", fit.Number))...)
	}
	b.report.Sections = append(b.report.Sections, matches[finals:]...)
	return d
}

// generations reads the generations that have started, as far as they got, and adds their gates.
func (b *builder) generations(r *learn.Result, planned int,
	decisions map[int]decision) (list []learn.GenerationResult) {
	for i, folder := range b.started(planned) {
		g := learn.GenerationResult{Number: i + 1}
		games, tuned := filepath.Join(folder, "games"), filepath.Join(folder, "spsa")
		if s := read[datagen.Summary](&b.reader, games, durable.RunResultName); s != nil {
			g.Games = *s
		}
		b.tally(games, fmt.Sprintf("generation %d, self-play", g.Number))
		b.tally(tuned, fmt.Sprintf("generation %d, tuning by games", g.Number))
		if f := read[learn.Fit](&b.reader, folder, learn.FitName); f != nil {
			g.Fit = *f
		}
		if s := read[play.Result](&b.reader, tuned, durable.RunResultName); s != nil && g.Fit.SPSA == nil {
			g.Fit.SPSA = &learn.Tuned{Result: s}
		}
		_, g.Gate = b.addMatch(fmt.Sprintf("gate-%d", g.Number), fmt.Sprintf("Gate of generation %d", g.Number),
			filepath.Join(folder, "gate"))
		if x, ok := decisions[g.Number]; ok {
			g.Promoted, g.Reason = x.Promoted, x.Reason
		}
		if r != nil && i < len(r.Generations) {
			g.Promoted, g.Reason, g.Warnings = r.Generations[i].Promoted, r.Generations[i].Reason, r.Generations[i].Warnings
		}
		list = append(list, g)
	}
	return list
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

// latest returns the terms of the result, or else of the last fit, and their generation,
// nil if it has left no folder.
func latest(r *learn.Result, list []learn.GenerationResult) ([]tuner.TermFit, *learn.GenerationResult) {
	if r != nil {
		var of *learn.GenerationResult
		if n := r.Learned.Generation; 0 < n && n <= len(list) {
			of = &list[n-1]
		}
		return r.Terms, of
	}
	for i := len(list) - 1; i >= 0; i-- {
		if g := &list[i]; len(g.Fit.TermList()) > 0 {
			return g.Fit.TermList(), g
		}
	}
	return nil, nil
}

// curves draws loss and Elo over the generations.
func curves(generations []learn.GenerationResult, fromStart *match.Result) (list []figure) {
	gains := series{name: "before − after", points: true}
	gates := series{name: "gate: candidate against champion", points: true}
	for _, g := range generations {
		x := float64(g.Number)
		if g.Fit.Result != nil && g.Fit.Gain() != nil {
			p := g.Fit.Gain()
			gains.within(x, num.Float(p.Gain), p.Interval)
		}
		if g.Gate != nil && g.Gate.Strength.Known() {
			gates.strength(x, g.Gate.Strength)
		}
	}
	last := float64(len(generations))
	if len(gates.x) > 0 {
		drawn := []series{level("start", 0, 0, last), gates}
		if fromStart != nil && fromStart.Strength.Known() {
			measured := series{name: "measured against the start", points: true}
			measured.strength(last+0.15, fromStart.Strength)
			drawn = append(drawn, measured)
		}
		list = append(list, chart(figure{Title: "Elo over the generations",
			Note: "A gate stops as soon as it has decided, so its median-unbiased estimate is drawn, with its 95 % interval. " +
				"Only the match of fixed length measures what was learned."}, "generation", "Elo", drawn...))
	}
	if len(gains.x) > 0 {
		list = append(list,
			chart(figure{Title: "What each fit gained",
				Note: "Loss before minus loss after, game by game, with 95 % intervals: " +
					"far better known than either loss."}, "generation", "loss before − after", level("no gain", 0, 0.5, last+0.5),
				gains))
	}
	return list
}

// strength adds an Elo with its interval, of which an end may be infinite.
func (s *series) strength(x float64, elo sprt.Strength) {
	s.put(x, finiteEnd(elo))
	s.lo, s.hi = append(s.lo, float64(elo.EloLo)), append(s.hi, float64(elo.EloHi))
}

// generationWeights are the weights of a generation of a finished run.
type generationWeights struct {
	id       string
	promoted bool
	games    int // of learning, up to this generation
}

// An Axis is what a history is drawn over.
type Axis string

const (
	OverGenerations Axis = "generations"
	OverGames       Axis = "games" // of learning; gates' and matches' do not count
)

// Axes are the names of all axes.
var Axes = []string{string(OverGenerations), string(OverGames)}

// History draws the ratings that a ladder measured for the generations of learning runs, as
// an SVG file: Elo over generations or games, and each other player as a horizontal line. Each folder
// of histories holds a run's plan as plan.json, and each generation's weights.json and gate.json. If a
// run began with weights that no run before it has, these are a point too, at the games so far.
func History(ladderDir string, histories []string, over Axis) ([]byte, error) {
	var played ladder.Result
	if ok, err := readJSON(&played, ladderDir, "result.json"); err != nil {
		return nil, err
	} else if !ok || len(played.Ratings) == 0 {
		return nil, fmt.Errorf("%s is not a complete ladder", ladderDir)
	}
	if len(histories) == 0 {
		return nil, errors.New("no history: give the folder of a run's plan.json and generations")
	}
	all, err := readHistories(histories)
	if err != nil {
		return nil, err
	}
	xLabel, last := "generation", float64(len(all)-1)
	if over == OverGames {
		xLabel, last = "games learned from, in thousands", float64(all[len(all)-1].games)/1000
	}
	generations := series{name: "promoted", line: true, points: true, lo: []float64{}, hi: []float64{}}
	rejected := series{name: "not promoted", points: true, lo: []float64{}, hi: []float64{}}
	rest := slices.Clone(played.Ratings)
	for n, g := range all {
		of := func(r ladder.Rating) bool { return strings.HasPrefix(r.ID+":", "assay:weights="+g.id+":") }
		i := slices.IndexFunc(rest, of)
		if i < 0 {
			return nil, fmt.Errorf("%s: no player has the weights %s of generation %d", ladderDir, g.id, n)
		}
		x := rest[i]
		rest = slices.Delete(rest, i, i+1)
		if !x.Known() {
			return nil, fmt.Errorf("%s: %d games are too few for a rating of generation %d", ladderDir, x.Games, n)
		}
		s := &generations
		if !g.promoted {
			s = &rejected
		}
		at := float64(n)
		if over == OverGames {
			at = float64(g.games) / 1000
		}
		s.strength(at, x.Strength)
	}
	list := []series{generations, rejected}
	for _, x := range rest {
		list = append(list, level(fmt.Sprintf("%s %+.0f", displayName(x.ID, x.Name), finiteEnd(x.Strength)),
			finiteEnd(x.Strength), 0, last))
	}
	f := chart(figure{Title: "Elo over " + string(over), frame: alone}, xLabel,
		fmt.Sprintf("Elo, %d games, 95 %% intervals", played.Games), list...)
	return standalone(string(f.SVG)), nil
}

// readHistories returns the weights of all generations, and those that runs began with.
func readHistories(dirs []string) ([]generationWeights, error) {
	var list []generationWeights
	for _, dir := range dirs {
		plan, err := learn.ReadPlan(filepath.Join(dir, "plan.json"))
		if err != nil {
			return nil, err
		}
		if !holds(list, plan.StartID) {
			start := generationWeights{id: plan.StartID, promoted: true}
			if len(list) > 0 {
				start.games = list[len(list)-1].games
			}
			list = append(list, start)
		}
		if list, err = readHistory(list, dir, plan); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func holds(list []generationWeights, id string) bool {
	return slices.ContainsFunc(list, func(g generationWeights) bool { return g.id == id })
}

// readHistory adds the generations of a run to the runs' before it.
func readHistory(list []generationWeights, dir string, plan *learn.RunConfig) ([]generationWeights, error) {
	games := list[len(list)-1].games
	for g := 1; ; g++ {
		folder := filepath.Join(dir, fmt.Sprintf("gen-%d", g))
		w, err := models.Load(filepath.Join(folder, "weights.json"))
		if errors.Is(err, os.ErrNotExist) {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		var gate match.Result
		if ok, err := readJSON(&gate, folder, "gate.json"); err != nil {
			return nil, err
		} else if !ok {
			return nil, fmt.Errorf("%s has weights and no gate.json", folder)
		}
		if g > len(plan.Plan.Generations) {
			return nil, fmt.Errorf("%s: plan.json has only %d generations", folder, len(plan.Plan.Generations))
		}
		if holds(list, w.ID()) {
			return nil, fmt.Errorf("%s: a run given before has these weights; "+
				"give the runs in the order in which they learned", folder)
		}
		games += plan.Plan.Generations[g-1].Games
		list = append(list, generationWeights{w.ID(), gate.Passed(), games})
	}
}

// displayName returns the name of the embedded weights that a player with this identity uses, or
// else the name that it has in the ladder.
func displayName(id, typed string) string {
	for _, name := range models.Names() {
		if w, err := models.Embedded(name); err == nil && id == "assay:weights="+w.ID() {
			return name
		}
	}
	return typed
}

// standalone makes an SVG file from a drawing of a page, with light and dark colors of its own.
func standalone(svg string) []byte {
	const style = `<style>svg{--ink:#1b1f24;--page:#fff;--grid:#c8ced6;--c1:#0b5cad;--c2:#b3470b;` +
		`background:var(--page);font-family:sans-serif}@media(prefers-color-scheme:dark){svg{` +
		`--ink:#e6e9ee;--page:#0f1216;--grid:#434b56;--c1:#7db4f5;--c2:#f3a06a}}</style>`
	svg = strings.Replace(svg, "<svg ", `<svg xmlns="http://www.w3.org/2000/svg" width="780" `, 1)
	// Room for fonts wider than the one measured.
	svg = strings.Replace(svg, ` viewBox=`, ` style="overflow:visible;padding:4px 8px 20px 12px" viewBox=`, 1)
	head, body, _ := strings.Cut(svg, ">")
	return []byte(head + ">" + style + body + "\n")
}
