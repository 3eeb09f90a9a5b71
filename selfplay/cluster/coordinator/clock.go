package coordinator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/assay-chess/assay/dataset/durable"
)

// speedFile in a coordinator's folder holds the speed for which the run's clocks are meant.
// It stays the same when the run is resumed, once it has an answer.
const speedFile = "speed.json"

// referenceSpeed is the content of speedFile.
type referenceSpeed struct {
	Speed float64 `json:"nodes_per_second"` // of one core
}

// readReference returns the speed for which the run's clocks are meant; 0 if no game of the
// run had a clock yet.
func readReference(dir string) (float64, error) {
	path := filepath.Join(dir, speedFile)
	data, err := durable.ReadFile(path, durable.MaxJSON)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("cluster: %w", err)
	}
	var r referenceSpeed
	if json.Unmarshal(data, &r) != nil || !(r.Speed > 0) {
		return 0, fmt.Errorf("cluster: %s: %w: want {\"nodes_per_second\": NUMBER}; start the run again in another "+
			"folder", path, durable.ErrDamaged)
	}
	return r.Speed, nil
}

// settleClockSpeed returns the speed for which the run's clocks are meant. The first game
// with a clock settles it.
func (c *Coordinator) settleClockSpeed(ctx context.Context) (float64, error) {
	speed, err := readReference(c.Dir)
	if err != nil {
		return 0, err
	}
	switch {
	case speed > 0 && c.ReferenceSpeed > 0 && speed != c.ReferenceSpeed:
		return 0, fmt.Errorf("cluster: the run's clocks are meant for %.0f nodes/s, not %.0f: resume it without "+
			"--reference-speed, or start another run", speed, c.ReferenceSpeed)
	case speed > 0:
		return speed, nil
	case c.ReferenceSpeed > 0:
		speed = c.ReferenceSpeed
	case c.Measure == nil:
		return 0, nil // clocks are not scaled
	default:
		c.Log("measuring this machine's speed: the clocks are meant for it")
		if speed, err = c.Measure(ctx, 0); err != nil {
			return 0, fmt.Errorf("cluster: measuring this machine's speed: %w", err)
		}
	}
	data, err := json.Marshal(referenceSpeed{speed})
	if err != nil {
		return 0, err
	}
	c.Log(fmt.Sprintf("clocks are meant for a core that searches %.0f nodes/s; workers scale theirs to it", speed))
	return speed, durable.WriteFile(filepath.Join(c.Dir, speedFile), append(data, '\n'))
}
