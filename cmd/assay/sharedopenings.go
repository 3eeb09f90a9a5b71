package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/assay-chess/assay/cmd/assay/internal/runs"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/opening"
)

// sharedOpenings returns a warning if the new run has the openings of another run of the command in
// the same folder: then its games are not independent of those. It is empty if there is none.
func sharedOpenings(command string, s selfplay.Setup) string {
	if s.Out == "" || runs.Exists(s.Out) {
		return ""
	}
	source, err := s.Openings(0)
	if err != nil {
		return "" // the run itself says so
	}
	want := source.Describe()
	others, _ := durable.List(filepath.Dir(filepath.Clean(s.Out)))
	for _, run := range others {
		var c struct {
			Opening opening.Description `json:"opening"`
			Seed    uint64              `json:"seed,string"`
		}
		doc, err := os.ReadFile(filepath.Join(run.Dir, durable.RunConfigName))
		if run.Info.Command != command || err != nil || json.Unmarshal(doc, &c) != nil || c.Opening != want {
			continue
		}
		switch seeded := want.Order != "sequential"; {
		case seeded && c.Seed == s.Seed:
			return fmt.Sprintf("%s has the same openings, of seed %d, so the two results are not independent; give another --seed", run.Dir, c.Seed)
		case !seeded:
			return fmt.Sprintf("%s has the same openings, so the two results are not independent; give --book-start N, or --book-order random and another --seed", run.Dir)
		}
	}
	return ""
}
