package learn

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/assay-chess/assay/internal/durable"
)

// checkResume returns an error if the run in dir cannot be resumed under a new
// configuration. The plan of generations that have started must not differ. Later
// generations may change, and more may be added. The final match must not differ once it
// has started, unless generations are added.
func checkResume(dir string, recorded json.RawMessage, now RunConfig) error {
	path := filepath.Join(dir, durable.RunConfigName)
	was, err := parsePlan(recorded)
	if err != nil {
		return fmt.Errorf("%s: %w: %w", path, durable.ErrDamaged, err)
	}
	last := len(was.Plan.Generations)
	started := 0
	for started < last && exists(filepath.Join(dir, Folder(started+1))) {
		started++
	}
	measured := len(now.Plan.Generations) == last && exists(filepath.Join(dir, Folder(last), finalName))
	err = durable.CompareConfig(path, was.fixedPart(started, measured), now.fixedPart(started, measured))
	var changed *durable.ConfigChangedError
	generation := 0
	if errors.As(err, &changed) {
		if n, _ := fmt.Sscanf(changed.Field, "plan.generations[%d]", &generation); n == 1 {
			return fmt.Errorf("generation %d has started, so its plan cannot change: %w", generation+1, err)
		}
	}
	return err
}

// fixedPart returns the part of a configuration that cannot change once that many
// generations have started; with measured, the matches at its end have started too.
func (c RunConfig) fixedPart(started int, measured bool) json.RawMessage {
	c.Plan.Generations = c.Plan.Generations[:min(started, len(c.Plan.Generations))]
	if !measured {
		c.Plan.Opponent, c.OpponentID, c.Plan.Final = "", "", Final{}
	}
	doc, _ := json.Marshal(c) // numbers and strings, checked: cannot fail
	return doc
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
