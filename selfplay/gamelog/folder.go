package gamelog

import (
	"encoding/json"
	"fmt"

	"github.com/assay-chess/assay/dataset/durable"
)

// InFolder starts or resumes a run in a folder: play plays it to the end and returns its
// result, which completes the run. The result of a complete run is read from the folder
// and passed to again. After an error of play the folder can be resumed; what play
// returned comes with the error.
func InFolder[R any](out string, info durable.RunInfo, identity any, again func(*durable.Run, *R) error, play func(*durable.Run) (*R, error)) (*R, error) {
	run, err := durable.OpenRun(out, info, identity)
	if err != nil {
		return nil, err
	}
	defer run.Close()
	if doc, complete := run.Result(); complete {
		r := new(R)
		if err := json.Unmarshal(doc, r); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", info.Command, run.Path(durable.RunResultName), err)
		}
		return r, again(run, r)
	}
	r, err := play(run)
	if err != nil {
		_ = run.Event("stopped", map[string]any{"error": err.Error()}) // the error is what matters
		return r, err
	}
	return r, run.Finish(r)
}
