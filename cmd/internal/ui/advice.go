package ui

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/dataset/source"
)

// DiskAdvice adds to an error of the disk what the user can do about it.
func DiskAdvice(err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%w; free some space, then run the same command again", err)
	case errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%w; make the disk writable, then run the same command again", err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w; check its permissions, then run the same command again", err)
	}
	return err
}

// DamageCure says what to do about a damaged file of a run, which the error names. What stands in the other folders of
// the run is kept.
const DamageCure = "delete the folder of that file (of " + durable.RunResultName + ", " + durable.RunInfoName + " and " +
	durable.RunEventsName + " the file alone); the command of the run makes again what was in it"

// DataAdvice adds to an error of a command that reads or writes data sets what the user can do about it.
func DataAdvice(err error) error {
	var changed *durable.ConfigChangedError
	var other *source.OtherError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &other):
		return other // it says what to do
	case errors.As(err, &changed):
		return fmt.Errorf("%w; use the same flags and data as when it was started, or another --out", err)
	case errors.Is(err, durable.ErrLocked):
		return fmt.Errorf("%w; wait for it to end, or use another --out", err)
	case errors.Is(err, dataset.ErrNotData):
		return fmt.Errorf("%w; set --out to an empty or a new folder", err)
	case errors.Is(err, dataset.ErrIncomplete):
		return fmt.Errorf("%w; to resume it, run the command that writes it again", err)
	case errors.Is(err, durable.ErrDamaged):
		return fmt.Errorf("%w; 'assay data verify' lists all damage; take another copy of the data, or delete the folder "+
			"and run the command that wrote it again", err)
	case errors.Is(err, dataset.ErrNoData), errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w; a data set is a folder with %s, or an .arrow file. A match keeps one in its folder games "+
			"when it is complete, and until then its games in games.pgn, which 'assay data import' reads", err,
			durable.ManifestName)
	}
	return err
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
		return "convert the results to White's view"
	case f.Kind == dataset.BothSides:
		return "are the values of --results in order: Black won, draw, White won?"
	}
	return "correct the scores, or leave them out (of a table by _ in place of score in --columns)"
}
