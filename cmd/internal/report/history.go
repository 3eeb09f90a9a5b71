package report

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/selfplay/ladder"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/tuner/learn"
)

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
