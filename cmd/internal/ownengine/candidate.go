package ownengine

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/ui"
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

// ahead returns the step that was most clearly ahead of the champion in a gate that did not decide; nil: none was. The
// match at the end decides about it as about a champion, and would else not be played.
func (r *Result) ahead() (best *Step) {
	for _, g := range r.Generations {
		for i := range g.Steps {
			m := g.Steps[i].Gate
			if g.Steps[i].Share == g.Step && m != nil && m.Verdict == match.Undecided && m.Known() && m.Elo > 0 &&
				(best == nil || m.EloLo > best.Gate.EloLo) {
				best = &g.Steps[i]
			}
		}
	}
	return best
}

// Best returns the step that did best if nothing was found, with the match that did not prove it: the one of the match
// at the end, or that whose interval begins highest. Nil: none played.
func (r *Result) Best() (best *Step) {
	if r.Outcome != NothingFound {
		return nil
	}
	for _, g := range r.Generations {
		for _, s := range g.Steps {
			s.Name = fmt.Sprintf("the %s step of generation %d", s.Name, g.Number)
			if s.Weights == r.Champion && r.Fixed != nil {
				s.Gate = r.Fixed
				return &s
			}
			if m := s.Gate; m != nil && m.Known() && (best == nil || m.EloLo > best.Gate.EloLo) {
				best = &s
			}
		}
	}
	return best
}

// Longer is the command of a match that plays a step until a test decides, on openings of its own. The run is in the
// folder dir.
func (r *Result) Longer(s *Step, dir string) string {
	words := append([]string{"match", "git:name=new:" + Tag(s.Weights), "git:name=old:" + BaseTag, "--repo",
		filepath.Join(dir, SourceName), "--no-bench"}, r.Plan.Limits()...)
	if r.Plan.Book != "" {
		words = append(words, "--book", r.Plan.Book, "--book-order", "random")
	}
	words = append(words, "--sprt", fmt.Sprintf("%g,%g", r.Plan.Elo0, r.Plan.Elo1), "--seed",
		fmt.Sprint(r.Plan.Seed+99), "--out", filepath.Join(dir, "longer"))
	return "assay " + ui.Words(words)
}
