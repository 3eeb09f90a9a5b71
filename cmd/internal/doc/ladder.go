package doc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/ladder"
	"github.com/assay-chess/assay/selfplay/sprt"
)

// Ladder describes the ratings of players, by games that are kept in the folder dir, unless that is empty, or by
// from PGN files.
func Ladder(r *ladder.Result, dir string) *Document {
	ended := fmt.Sprintf("%d games, ended by %s", r.Games, ui.CountsText(r.Terminations))
	forfeits := int64(0)
	for _, x := range r.Ratings {
		forfeits += x.Forfeits
	}
	if r.Verdict == gamelog.NoVerdict {
		d := New("NO VERDICT: " + r.Reason)
		t := ui.Table{Head: []string{">games", ">forfeits", "player"}}
		for _, x := range r.Unrated {
			forfeits += x.Forfeits
			t.Add("%d\t%d\t%s", x.Games, x.Forfeits, x.Name)
		}
		d.Done = r.Games
		d.Parts = []Part{{Tables: []ui.Table{t}, Notes: []string{
			fmt.Sprintf("%s; %d void pairs (forfeits: %s)", ended, r.VoidPairs, ui.FaultsText(dir, forfeits))}}}
		return d
	}
	d := new(Document)
	if len(r.Ratings) > 0 {
		first := &r.Ratings[0]
		d = New(fmt.Sprintf("first of %d: %s, %s", len(r.Ratings), first.Name, first.Text(" Elo")))
	}
	d.Done, d.Warnings = r.Games, r.Warnings
	var notes []string
	if slices.ContainsFunc(r.Ratings, func(x ladder.Rating) bool { return !x.Known() }) {
		notes = append(notes, fmt.Sprintf("Elo -: fewer than %d games.", sprt.MinGames))
	}
	origin := "Elo 0 is the mean of all players"
	if r.Anchor != "" {
		origin = "Elo is relative to " + r.Anchor
		if r.Terminations != nil { // a player of a ladder
			origin += ", which has no error"
		}
	}
	notes = append(notes, fmt.Sprintf("%s. LOS: probability of being stronger than the next. White's advantage: %s; "+
		"equal players draw %.0f %%.", origin,
		sprt.Strength{Elo: r.WhiteElo, EloLo: r.WhiteEloLo, EloHi: r.WhiteEloHi}.Text(" Elo"), 100*r.Draws))
	for _, g := range r.Groups {
		notes = append(notes, "group of players that never met the others, so that ratings cannot be compared: "+
			strings.Join(g, ", "))
	}
	if r.Terminations != nil {
		notes = append(notes, ended)
	}
	for _, x := range r.Ratings {
		if x.Forfeits > 0 {
			notes = append(notes, fmt.Sprintf("%d games forfeited by %s (%s)", x.Forfeits, x.Name,
				ui.FaultsText(dir, forfeits)))
		}
	}
	if r.VoidPairs > 0 {
		notes = append(notes, fmt.Sprintf("%d void pairs were played again (see the journal)", r.VoidPairs))
	}
	if r.Load.Busy() {
		notes = append(notes, fmt.Sprintf("machine busy: %v", r.Load))
	}
	d.Parts = []Part{{Tables: []ui.Table{ratings(r)}, Notes: notes}}
	if len(r.Scores) > 0 {
		const most = 8 // players, for a terminal
		d.Parts = append(d.Parts, Part{Title: "Points of all pairings", Tables: []ui.Table{pairings(r)},
			More: len(r.Scores) > most})
	}
	return d
}

func ratings(r *ladder.Result) ui.Table {
	t := ui.Table{Head: []string{">rank", ">Elo [95 %]", ">games", ">score", ">draws", ">LOS", "player"}}
	for i := range r.Ratings {
		x := &r.Ratings[i]
		elo, los := "-", "-" // the reason is below the table
		if x.Known() {
			elo = x.Strength.Text("")
			if i+1 < len(r.Ratings) {
				los = fmt.Sprintf("%.1f %%", 100*x.LOS)
			}
		}
		t.Add("%d\t%s\t%d\t%.1f %%\t%.0f %%\t%s\t%s", x.Rank, elo, x.Games, 100*x.Percent,
			100*float64(x.Draws)/float64(max(x.Games, 1)), los, x.Name)
	}
	return t
}

// pairings has the points and games of each player against each, by rank.
func pairings(r *ladder.Result) ui.Table {
	t := ui.Table{Head: []string{">rank"}}
	for i := range r.Ratings {
		t.Head = append(t.Head, fmt.Sprintf(">%d", i+1))
		row := []string{fmt.Sprint(i + 1)}
		for j := range r.Ratings {
			cell := ""
			if s := r.Scores[i][j]; i != j && s.Games() == 0 {
				cell = "-"
			} else if i != j {
				cell = fmt.Sprintf("%g/%d", s.Points(), s.Games())
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
