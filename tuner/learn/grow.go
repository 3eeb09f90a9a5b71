package learn

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/assay-chess/assay/dataset/durable"
)

// settled reports whether a run in dir may go on under another configuration: nothing that
// has begun may differ. What has not may change, and generations may be added; a final match
// belongs to the last generation that it was planned for.
func settled(dir string, recorded json.RawMessage, now RunConfig) error {
	path := filepath.Join(dir, durable.RunConfigName)
	was, err := parsePlan(recorded)
	if err != nil {
		return fmt.Errorf("%s: %w: %w", path, durable.ErrDamaged, err)
	}
	last := len(was.Plan.Generations)
	begun := 0
	for begun < last && exists(filepath.Join(dir, folder(begun+1))) {
		begun++
	}
	measured := len(now.Plan.Generations) == last && exists(filepath.Join(dir, folder(last), finalName))
	err = durable.CompareConfig(path, was.part(begun, measured), now.part(begun, measured))
	var changed *durable.ConfigChangedError
	generation := 0
	if errors.As(err, &changed) {
		if n, _ := fmt.Sscanf(changed.Field, "plan.generations[%d]", &generation); n == 1 {
			return fmt.Errorf("generation %d has begun, and its plan cannot change: %w", generation+1, err)
		}
	}
	return err
}

// part returns what is settled of a configuration once so many of its generations have
// begun, and perhaps the matches at its end.
func (c RunConfig) part(begun int, measured bool) json.RawMessage {
	c.Plan.Generations = c.Plan.Generations[:min(begun, len(c.Plan.Generations))]
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
