package report

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/selfplay/ladder"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/tuner/learn"
)

// learned is the weights of a generation that a history keeps.
type learned struct {
	id       string
	promoted bool
}

// History draws, as a picture that stands alone, what a ladder says of the generations of
// a learning run: Elo over generations, and the other players as lines beside. The folder
// history holds the run's plan as plan.json, and each generation's weights.json and gate.json.
func History(ladderDir, history string) ([]byte, error) {
	var played ladder.Result
	if ok, err := readJSON(&played, ladderDir, "result.json"); err != nil {
		return nil, err
	} else if !ok || len(played.Ratings) == 0 {
		return nil, fmt.Errorf("%s is no complete ladder", ladderDir)
	}
	kept, err := readHistory(history)
	if err != nil {
		return nil, err
	}
	generations := series{name: "promoted", line: true, points: true, lo: []float64{}, hi: []float64{}}
	rejected := series{name: "not promoted", points: true, lo: []float64{}, hi: []float64{}}
	rest := played.Ratings
	for n, g := range kept {
		var x *ladder.Rating
		if x, rest = take(rest, g.id); x == nil {
			return nil, fmt.Errorf("%s: nobody plays by the weights %s of generation %d", ladderDir, g.id, n)
		}
		s := &generations
		if !g.promoted {
			s = &rejected
		}
		s.x, s.y = append(s.x, float64(n)), append(s.y, x.Elo)
		s.lo, s.hi = append(s.lo, x.EloLo), append(s.hi, x.EloHi)
	}
	list := []series{generations, rejected}
	for i := range rest {
		x := &rest[i]
		list = append(list, series{name: fmt.Sprintf("%s %+.0f", known(x.Name), x.Elo), x: []float64{0, float64(len(kept) - 1)}, y: []float64{x.Elo, x.Elo}, guide: true})
	}
	f := chart(figure{Title: "Elo over generations"}, "generation", fmt.Sprintf("Elo, %d games, 95 %% intervals", played.Games), list...)
	return alone(string(f.SVG)), nil
}

// readHistory returns the weights that a run began with, and those of its generations.
func readHistory(dir string) ([]learned, error) {
	plan, err := learn.ReadPlan(filepath.Join(dir, "plan.json"))
	if err != nil {
		return nil, err
	}
	list := []learned{{plan.StartID, true}}
	for {
		folder := filepath.Join(dir, fmt.Sprintf("gen-%d", len(list)))
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
		list = append(list, learned{w.ID(), gate.Passed()})
	}
}

// take returns the player with the weights, and the others.
func take(from []ladder.Rating, id string) (x *ladder.Rating, rest []ladder.Rating) {
	for i := range from {
		if name := from[i].Name + ":"; x == nil && strings.HasPrefix(name, "assay:weights="+id+":") {
			x = &from[i]
		} else {
			rest = append(rest, from[i])
		}
	}
	return x, rest
}

// known names a player by the embedded weights that it plays by, if it does.
func known(player string) string {
	for _, name := range models.Names() {
		if w, err := models.Embedded(name); err == nil && player == "assay:weights="+w.ID() {
			return name
		}
	}
	return player
}

// alone makes a file of a page's drawing: with colours, light and dark, of its own.
func alone(svg string) []byte {
	const style = `<style>svg{--ink:#1b1f24;--page:#fff;--grid:#c8ced6;--c1:#0b5cad;--c2:#b3470b;background:var(--page);font-family:sans-serif}` +
		`@media(prefers-color-scheme:dark){svg{--ink:#e6e9ee;--page:#0f1216;--grid:#434b56;--c1:#7db4f5;--c2:#f3a06a}}</style>`
	svg = strings.Replace(svg, "<svg ", `<svg xmlns="http://www.w3.org/2000/svg" width="780" `, 1)
	svg = strings.Replace(svg, ` viewBox=`, ` style="overflow:visible;padding:4px 8px 20px 12px" viewBox=`, 1) // for letters that are larger than measured
	head, body, _ := strings.Cut(svg, ">")
	return []byte(head + ">" + style + body + "\n")
}
