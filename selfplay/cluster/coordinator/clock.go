package coordinator

import (
	"context"
	"fmt"
)

// clockSpeed returns the speed for which the run's clocks are meant; 0: they are not scaled. The first game with a
// clock settles it, and when that was answered, it stays the same when the run is resumed.
func (c *Coordinator) clockSpeed(ctx context.Context) (_ float64, err error) {
	switch {
	case c.Speed > 0 && c.ReferenceSpeed > 0 && c.Speed != c.ReferenceSpeed:
		return 0, fmt.Errorf("cluster: the run's clocks are meant for %.0f nodes/s, not %.0f: resume it without "+
			"--reference-speed, or start another run", c.Speed, c.ReferenceSpeed)
	case c.Speed > 0:
		return c.Speed, nil
	case c.reference > 0:
		return c.reference, nil
	case c.ReferenceSpeed > 0:
		c.reference = c.ReferenceSpeed
	case c.Measure == nil:
		return 0, nil
	default:
		c.Log("measuring this machine's speed: the clocks are meant for it")
		if c.reference, err = c.Measure(ctx, 0); err != nil {
			return 0, fmt.Errorf("cluster: measuring this machine's speed: %w", err)
		}
	}
	c.Log(fmt.Sprintf("clocks are meant for a core that searches %.0f nodes/s; workers scale theirs to it", c.reference))
	return c.reference, nil
}

// keepSpeed keeps the speed of the run's clocks, now that a game has an answer.
func (c *Coordinator) keepSpeed() error {
	if c.Speed == c.reference || c.reference == 0 {
		return nil
	}
	c.Speed = c.reference
	return c.saveState()
}
