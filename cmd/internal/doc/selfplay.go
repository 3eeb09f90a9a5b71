package doc

import (
	"fmt"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/selfplay/datagen"
)

// Selfplay describes the games in the folder dir.
func Selfplay(s *datagen.Summary, dir string) *Document {
	d := New("")
	d.Done, d.Warnings = s.Games, s.Warnings
	if s.Views != nil {
		d.Warnings = append([]string{fmt.Sprintf("%v; %s", s.Views, ui.ViewCure(s.Views, true))}, d.Warnings...)
	}
	share, lo, hi := s.Disagreement()
	if lo > datagen.MaxDisagreement {
		d.Warnings = append(d.Warnings, fmt.Sprintf("%.1f %% of the games played on ended differently from their "+
			"adjudication (%d won by the other side, %d drawn); if the draws are won endgames that the player cannot win, "+
			"adjudication is right; otherwise raise --win-score or --win-plies", 100*share, s.Reversed,
			s.Disagreed-s.Reversed))
	}
	var t ui.Table
	t.Add("games\t%d\t+%d =%d -%d for White", s.Games, s.WhiteWins, s.Draws, s.BlackWins)
	unscored := ""
	if s.Unscored > 0 {
		unscored = fmt.Sprintf("; %d of them have no score", s.Unscored)
	}
	t.Add("plies\t%d\t%.1f a game, without openings%s", s.Plies, float64(s.Plies)/float64(max(1, s.Games)), unscored)
	t.Add("ended by\t\t%s", ui.CountsText(s.Terminations))
	if n := s.Forfeits(); n > 0 {
		t.Add("forfeits\t%d\t%s; no labels", n, ui.FaultsText(dir, n))
	}
	differently := ""
	if s.PlayedOn > 0 {
		differently = fmt.Sprintf(" (%.1f %%, 95 %% interval %.1f to %.1f), %d of these won by the other side", 100*share,
			100*lo, 100*hi, s.Reversed)
	}
	t.Add("adjudicated\t%d\t%d of them played to the end as a check: %d ended differently%s", s.Adjudicated, s.PlayedOn,
		s.Disagreed, differently)
	if c := s.Search; c.Checks > 0 {
		unscored := ""
		if c.Unscored > 0 {
			unscored = fmt.Sprintf(", %d without a score: accepted unchecked", c.Unscored)
		}
		t.Add("openings\t%d checked\t%d unbalanced, %d played before%s", c.Checks, c.Lopsided, c.Repeated, unscored)
	}
	if seconds := s.Took.Seconds(); seconds > 0 {
		t.Add("speed\t%.1f games/s\t%.0f plies/s, %.0f nodes/s", float64(s.Played)/seconds, float64(s.Plied)/seconds,
			float64(s.Nodes)/seconds)
	}
	if s.Nodes > 0 && s.Plied > 0 {
		t.Add("searches\t\t%.0f nodes a ply", float64(s.Nodes)/float64(s.Plied))
	}
	if s.Timed {
		t.Add("limits\tof time\tanother run gives other games")
	}
	t.Add("written\t%s\tid %.12s", dir, s.DataID)
	d.Add(t)
	return d
}
