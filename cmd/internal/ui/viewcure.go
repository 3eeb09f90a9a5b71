package ui

import (
	"errors"
	"fmt"

	"github.com/assay-chess/assay/dataset"
)

// FaultText is the text of a fault that is no player's of this run, with what to do about it.
func FaultText(err error) string {
	var f *dataset.ViewFault
	if errors.As(err, &f) {
		return fmt.Sprintf("%v; %s", err, ViewCure(f, false))
	}
	return err.Error()
}

// ViewCure says what to do about scores with a fault, which a player reported just now or
// which came from a file.
func ViewCure(f *dataset.ViewFault, player bool) string {
	switch {
	case f.Kind == dataset.OneSide && player:
		return "name the player uci:view=white:COMMAND, and run this again with another --out"
	case f.Kind == dataset.BothSides && player:
		return "correct the player"
	case f.Kind == dataset.OneSide && len(f.Players) > 0:
		return fmt.Sprintf("name them with --other-view %q", f.Players[0])
	case f.Kind == dataset.OneSide && f.Flipped:
		return "set --score-view white"
	case f.Kind == dataset.OneSide:
		return "import them with --score-view mover; an engine that prints White's view plays as uci:view=white:COMMAND"
	case f.Kind == dataset.MoverResults:
		return "import them with --result-view mover"
	case f.Kind == dataset.MoverBoth:
		return "import them with --score-view mover --result-view mover"
	case f.Kind == dataset.TwoScales:
		return "'assay data relabel' gives all positions scores of one engine, wdl --player takes one player's, and tune " +
			"--lambda 1 needs none"
	case f.Kind == dataset.BothSides:
		return "are the values of --results in order: Black won, draw, White won?"
	}
	return "correct the scores, or leave them out (of a table by _ in place of score in --columns)"
}
