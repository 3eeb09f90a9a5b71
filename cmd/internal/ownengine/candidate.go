package ownengine

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/tuner/learn"
)

// SourceName is the folder of a run's own clone of the engine, which has each candidate as a tag.
const SourceName = "source"

// BaseTag is the tag of the engine as it was.
const BaseTag = "base"

// Tag is the tag of weights that a generation proposed.
func Tag(w learn.WeightsRef) string {
	if w.Generation == 0 {
		return BaseTag
	}
	return strings.TrimSuffix(strings.ReplaceAll(w.File, "/", "-"), ".json")
}

// HalfName is the file of half of a generation's step, in its folder.
const HalfName = "half.json"

// Candidate is weights that a generation proposed, and the match that did not prove them.
type Candidate struct {
	Name    string // for people
	Weights learn.WeightsRef
	Match   *match.Result
}

// Best returns the candidate that did best if nothing was found: the one whose interval begins highest. Nil: none
// played.
func (r *Result) Best() (best *Candidate) {
	if r.Outcome != learn.NothingFound {
		return nil
	}
	try := func(name string, g int, file string, m *match.Result) {
		if m != nil && m.Known() && (best == nil || m.EloLo > best.Match.EloLo) {
			best = &Candidate{name, learn.WeightsRef{Generation: g, File: path.Join(learn.Folder(g), file)}, m}
		}
	}
	if c := r.Champion; c.Generation > 0 {
		for _, m := range []*match.Result{r.NotWeaker, r.Fixed} {
			try(fmt.Sprintf("the champion, of generation %d", c.Generation), c.Generation, path.Base(c.File), m)
		}
		return best
	}
	for _, g := range r.Generations {
		whole := g.Gate
		if g.Half {
			whole = g.First
			try(fmt.Sprintf("half of the step of generation %d", g.Number), g.Number, HalfName, g.Gate)
		}
		try(fmt.Sprintf("generation %d", g.Number), g.Number, learn.WeightsName, whole)
	}
	return best
}

// Longer is the command of a match that plays a candidate until a test decides, on openings of its own. The run is in
// the folder dir.
func (r *Result) Longer(c *Candidate, dir string) string {
	candidate := "git:name=new:" + Tag(c.Weights)
	if r.Weights != "" {
		candidate = "git:name=new:" + BaseTag + "?" + r.Weights + "=" + filepath.Join(dir, filepath.FromSlash(c.Weights.File))
	}
	words := append([]string{"match", candidate, "git:name=old:" + BaseTag, "--repo", filepath.Join(dir, SourceName),
		"--no-bench"}, r.Plan.Limits()...)
	if r.Plan.Book != "" {
		words = append(words, "--book", r.Plan.Book, "--book-order", "random")
	}
	words = append(words, "--sprt", fmt.Sprintf("%g,%g", r.Plan.Elo0, r.Plan.Elo1), "--seed",
		fmt.Sprint(r.Plan.Seed+99), "--out", filepath.Join(dir, "longer"))
	text := "assay"
	for _, w := range words {
		text += " " + quote.Word(w)
	}
	return text
}
