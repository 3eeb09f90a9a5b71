package games

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/sprt"
)

// MatchCommand is the durable.RunInfo.Command of matches in a folder of their own.
const MatchCommand = "match-game"

// MatchConfig is the content of the config.json of a match.
type MatchConfig struct {
	Program string `json:"program"`
	identity
	Seed uint64 `json:"seed"`
}

// RunMatch plays a match in a run folder, from where an earlier call stopped; see Series.Match. If
// the folder is empty, nothing is kept. already reports that the match was complete before.
func RunMatch(ctx context.Context, s Series, out, resume string, test *sprt.Test) (r *match.Result, already bool, err error) {
	s.Stage, s.Paired = "match", true
	if out == "" {
		if s.Dir, err = os.MkdirTemp("", "assay-match-"); err != nil {
			return nil, false, err
		}
		defer os.RemoveAll(s.Dir)
		r, err = s.Match(ctx, test)
		return r, false, err
	}
	info := durable.RunInfo{Command: MatchCommand, Resume: resume, Program: s.Program,
		Players: []durable.RunPlayer{{Name: s.A.Name, ID: s.A.ID}, {Name: s.B.Name, ID: s.B.ID}}}
	run, err := durable.OpenRun(out, info, MatchConfig{s.Program, s.identity(test), s.Seed})
	if err != nil {
		return nil, false, err
	}
	defer run.Close()
	if raw, complete := run.Result(); complete {
		r := new(match.Result)
		if err := json.Unmarshal(raw, r); err != nil {
			return nil, true, fmt.Errorf("%s: %w: %w", run.Path(durable.RunResultName), durable.ErrDamaged, err)
		}
		return r, true, nil
	}
	s.Dir = filepath.Join(out, "games")
	if err := durable.MakeDir(s.Dir); err != nil {
		return nil, false, err
	}
	if r, err = s.Match(ctx, test); err != nil {
		return nil, false, err
	}
	return r, false, run.Finish(r)
}
