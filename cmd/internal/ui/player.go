package ui

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/assay-chess/assay/dataset/positions"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/machine"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/engine/syzygy"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/roster"
)

// Player parses the specification of a player, as a user types it. The error about one that does not exist says what
// may have been meant.
func Player(text string) (engine.Spec, error) {
	before, _, _ := strings.Cut(text, "?")
	path := before[strings.LastIndex(before, ":")+1:] // after uci: or name=new:
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && strings.Contains(path, " ") {
		keys := strings.TrimPrefix(strings.TrimSuffix(before, path), "uci:")
		text = "uci:" + keys + quote.Word(path) + text[len(before):] // one word, not a command and its arguments
	}
	spec, err := roster.Parse(text)
	name, options, more := strings.Cut(spec.Name, "?")
	if err == nil && spec.External() && len(spec.Command) > 0 {
		name, options, more = spec.Command[0], "", len(spec.Options) > 0
	} else if !errors.Is(err, roster.ErrUnknownPlayer) {
		return spec, err
	}
	if _, e := exec.LookPath(name); e == nil || filepath.Base(name) != name {
		return spec, err // which names it
	}
	for _, dir := range programFolders {
		path := strings.TrimSuffix(dir, "/") + "/" + name
		if _, e := exec.LookPath(path); e != nil {
			continue
		}
		if more {
			path += "?" + cmp.Or(options, "OPTION=VALUE")
		}
		return spec, fmt.Errorf("%w: %q is not in PATH; type %s", roster.ErrUnknownPlayer, name, quote.Word(path))
	}
	if err == nil {
		return spec, nil // to start it says the rest
	}
	return spec, fmt.Errorf("%w%s", err, DidYouMean(name, "", roster.Names()))
}

// programFolders are where engines are that PATH need not have: here, and where packages install games.
var programFolders = []string{".", "/usr/games", "/usr/local/games", "/usr/local/bin", "/opt/homebrew/bin"}

// OpenPlayer opens a player once with an opener, such as a pool's, so that errors appear before the run starts.
// With an error that wraps uci.ErrStart the player is valid. The checksum of an engine's file is computed while the
// engine starts. Without an opener the player is not opened.
func OpenPlayer(open selfplay.Opener, spec engine.Spec) (selfplay.Player, error) {
	if open == nil {
		id, same, err := roster.Identify(spec)
		return selfplay.Player{Spec: spec, ID: id, Name: spec.Label, Same: same}, err
	}
	var id, same string
	var unknown error
	identified := make(chan struct{})
	go func() {
		defer close(identified)
		id, same, unknown = roster.Identify(spec)
	}()
	p, err := open(spec)
	opened := err == nil
	if opened {
		if s, ok := engine.As[engine.Starter](p); ok { // an external engine
			err = s.Start()
		}
		err = errors.Join(err, p.Close())
	}
	<-identified
	switch {
	case unknown != nil:
		return selfplay.Player{}, unknown
	case !opened:
		return selfplay.Player{}, err
	}
	return selfplay.Player{Spec: spec, ID: id, Name: spec.Label, Same: same}, err
}

// ParseFEN reads a FEN that may have come as several arguments.
func ParseFEN(args []string) (board.Position, error) {
	p, err := board.ParseFEN(strings.Join(args, " "))
	if err != nil {
		err = fmt.Errorf("%w; put the FEN in quotes, like %q", err, board.StartFEN)
	}
	return p, err
}

// Position is ParseFEN that also takes "startpos".
func Position(args []string) (board.Position, error) {
	if len(args) == 1 && args[0] == "startpos" {
		return board.StartPosition(), nil
	}
	return ParseFEN(args)
}

// Tables opens the tablebases of --syzygy, by the 50-move rule if --syzygy-50 says so. It calls say for each table
// that is missing or damaged. The result is nil if path is empty.
func Tables(path string, fifty bool, say func(string)) (*syzygy.Judge, error) {
	switch {
	case path == "" && !fifty:
		return nil, Usagef("--syzygy-50 needs --syzygy DIR")
	case path == "":
		return nil, nil
	}
	j, err := syzygy.NewJudge(path, fifty, say)
	if err != nil {
		return nil, fmt.Errorf("--syzygy: %w", err)
	}
	return j, nil
}

// Quiescence has c make positions quiet by the search of weights, a file or embedded ones.
func Quiescence(c *positions.Config, weights string) error {
	file, err := models.Open(weights)
	if err != nil {
		return err
	}
	model, coefs, err := file.Weights()
	if err != nil {
		return err
	}
	c.Filter.Evaluation = file.Model + " " + file.ID()
	c.NewResolver, err = positions.Quiescence(model, coefs)
	return err
}

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
		more := gamelog.MissingFaultLogs(out, forfeits)
		return fmt.Sprintf("logs of %d in %s", n, filepath.Join(out, gamelog.FaultsName)) +
			If(more > 0, "; %d more are not kept", more)
	}
	return "see the journal"
}

// BusyText says that the machine was busy, as the end of a headline.
func BusyText(l machine.Load) string { return If(l.Busy(), "; machine busy: %v", l) }
