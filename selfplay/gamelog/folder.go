package gamelog

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay"
)

// inFolder starts or resumes a run in a folder: play plays it to the end and returns its
// result, which completes the run. The result of a complete run is read from the folder
// and passed to reload. After an error of play the folder can be resumed; what play
// returned comes with the error. A result that comes with selfplay.ErrNoVerdict is written,
// but does not complete the run; its JSON must have the verdict NoVerdict.
func inFolder[R any](out string, info durable.RunInfo, identity any, reload func(*durable.Run, *R) error,
	play func(*durable.Run) (*R, error)) (*R, error) {
	run, err := durable.OpenRun(out, info, identity)
	if err != nil {
		return nil, err
	}
	defer run.Close()
	doc, complete := run.Result()
	switch {
	case complete && durable.WithoutVerdict(doc):
		if err := run.Reopen(); err != nil {
			return nil, err
		}
	case complete:
		r := new(R)
		if err := json.Unmarshal(doc, r); err != nil {
			return nil, fmt.Errorf("%s: %s: %w: %w", info.Command, run.Path(durable.RunResultName), durable.ErrDamaged, err)
		}
		if err := reload(run, r); !errors.Is(err, errShort) {
			return r, err
		}
		if err := run.Reopen(); err != nil {
			return nil, err
		}
	}
	r, err := play(run)
	if err != nil {
		_ = run.Event("stopped", map[string]any{"error": err.Error()}) // the error is what matters
		if r != nil && errors.Is(err, selfplay.ErrNoVerdict) {
			err = errors.Join(err, run.Finish(r))
		}
		return r, err
	}
	return r, run.Finish(r)
}

// NoVerdict is the verdict in the result of a run without one.
const NoVerdict = durable.VerdictNone

// errShort says that a complete run is to have more games now, so that it goes on.
var errShort = errors.New("the run is to have more games")

// Short reports whether the folder holds a complete run whose result is short of what the run is to have now.
func Short[R any](out string, short func(*R) bool) bool {
	r := new(R)
	return out != "" && short != nil && durable.ReadJSON(filepath.Join(out, durable.RunResultName), r) == nil && short(r)
}

// CheckTotal returns an error if a run has more games than it is to have.
func CheckTotal(out string, has, games uint64) error {
	if has <= games || games == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s has %d games already: games can be added, but not taken away (--games %d)",
		selfplay.ErrConfig, out, has, games)
}

// Complete reports whether the folder holds a run that has nothing left to play: one with a
// result that is a verdict, or with a complete data set.
func Complete(out string) bool {
	if out == "" {
		return false
	}
	for _, dir := range []string{out, filepath.Join(out, GamesName)} {
		if m, err := durable.LoadManifest(dir); err == nil && m.Complete {
			return true
		}
	}
	doc, err := durable.ReadFile(filepath.Join(out, durable.RunResultName), durable.MaxJSON)
	return err == nil && !durable.WithoutVerdict(doc)
}
