package ownengine

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/tuner/learn"
)

// Tag is the tag of weights that a generation proposed.
func Tag(w learn.WeightsRef) string {
	if w.Generation == 0 {
		return BaseTag
	}
	return strings.TrimSuffix(strings.ReplaceAll(w.File, "/", "-"), ".txt")
}

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
	try := func(name string, w learn.WeightsRef, m *match.Result) {
		if m != nil && m.Known() && (best == nil || m.EloLo > best.Match.EloLo) {
			best = &Candidate{name, w, m}
		}
	}
	if c := r.Champion; c.Generation > 0 {
		for _, m := range []*match.Result{r.NotWeaker, r.Fixed} {
			try(fmt.Sprintf("the champion, of generation %d", c.Generation), c, m)
		}
		return best
	}
	for _, g := range r.Generations {
		for _, s := range g.Steps {
			try(fmt.Sprintf("the %s step of generation %d", s.Name, g.Number), s.Weights, s.Gate)
		}
	}
	return best
}

// Longer is the command of a match that plays a candidate until a test decides, on openings of its own. The run is in
// the folder dir.
func (r *Result) Longer(c *Candidate, dir string) string {
	words := append([]string{"match", "git:name=new:" + Tag(c.Weights), "git:name=old:" + BaseTag, "--repo",
		filepath.Join(dir, SourceName), "--no-bench"}, r.Plan.Limits()...)
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
