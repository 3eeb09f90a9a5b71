package ui

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/machine"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog"
)

// maxFaultsShown is how many faults of players are reported while games are played.
const maxFaultsShown = 10

// ReportFaults returns a function that reports faults of the players, by their names, and void games.
func ReportFaults(report func(text string), players ...selfplay.Player) func(*selfplay.Result) {
	shown, known := 0, gamelog.Players(players...)
	return func(r *selfplay.Result) {
		what, why := string(r.Termination), r.Fault
		if r.Void != "" {
			what, why = "void", r.Void
		}
		for _, side := range []board.Color{board.White, board.Black} {
			if rest, ok := strings.CutPrefix(why, side.String()+": "); ok {
				why = fmt.Sprintf("%s (%s): %s", gamelog.NameOf(known, r.Players[side]), side, rest)
			}
		}
		shown++
		switch {
		case shown == maxFaultsShown+1:
			report("further faults are not shown; with --out the journal has all of them")
		case shown > maxFaultsShown:
		case r.Try > 0:
			report(fmt.Sprintf("check of opening %d: %s: %s", r.Number, what, why))
		default:
			report(fmt.Sprintf("game %d: %s: %s", r.Number, what, why))
		}
	}
}

// FaultsText says where to read about the forfeits of the run in the folder.
func FaultsText(out string, forfeits int64) string {
	switch n := gamelog.FaultLogs(out); {
	case out == "":
		return "with --out, logs are kept"
	case n > 0:
		text := fmt.Sprintf("logs of %d in %s", n, filepath.Join(out, gamelog.FaultsName))
		if more := gamelog.MissingFaultLogs(out, forfeits); more > 0 {
			text += fmt.Sprintf("; %d more are not kept", more)
		}
		return text
	}
	return "see the journal"
}

// BusyText says that the machine was busy, as the end of a headline.
func BusyText(l machine.Load) string {
	if !l.Busy() {
		return ""
	}
	return fmt.Sprintf("; machine busy: %v", l)
}
