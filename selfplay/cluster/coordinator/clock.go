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

// speedName is the file in a coordinator's folder that says what speed clocks are meant
// for: it is the same in each life of the run.
const speedFile = "speed.json"

// reference is the speed in a coordinator's folder.
type referenceSpeed struct {
	Speed float64 `json:"nodes_per_second"` // of one core
}

// readReference returns the speed that the run's clocks are meant for; zero if none of its
// games had one yet.
func readReference(dir string) (float64, error) {
	path := filepath.Join(dir, speedFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("cluster: %w", err)
	}
	var r referenceSpeed
	if json.Unmarshal(data, &r) != nil || !(r.Speed > 0) {
		return 0, fmt.Errorf("cluster: %s: %w", path, durable.ErrDamaged)
	}
	return r.Speed, nil
}

// clockSpeed returns the speed that the run's clocks are meant for, and settles it at the
// first game with a clock.
func (c *Coordinator) settleClockSpeed(ctx context.Context) (float64, error) {
	speed, err := readReference(c.Dir)
	if err != nil {
		return 0, err
	}
	switch {
	case speed > 0 && c.ReferenceSpeed > 0 && speed != c.ReferenceSpeed:
		return 0, fmt.Errorf("cluster: the run's clocks are meant for %.0f nodes/s, not %.0f: it began so", speed, c.ReferenceSpeed)
	case speed > 0:
		return speed, nil
	case c.ReferenceSpeed > 0:
		speed = c.ReferenceSpeed
	case c.Measure == nil:
		return 0, nil // clocks are what they are on each machine
	default:
		c.Log("measuring this machine's speed, for which the clocks are meant")
		if speed, err = c.Measure(ctx, 0); err != nil {
			return 0, fmt.Errorf("cluster: measuring this machine's speed: %w", err)
		}
	}
	data, err := json.Marshal(referenceSpeed{speed})
	if err != nil {
		return 0, err
	}
	c.Log(fmt.Sprintf("clocks are meant for a core that searches %.0f nodes/s; workers' are scaled to it", speed))
	return speed, durable.WriteFile(filepath.Join(c.Dir, speedFile), append(data, '\n'))
}
