package worker

import (
	"context"
	"fmt"
	"time"

	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// Games by the clock are not the same on two machines, but they can be alike: a worker multiplies each time by how much
// slower it is than the machine for which the clock is meant. Both measure the same search of the same positions on all
// their cores at once.

// maxClockScale is how much slower or faster than the reference a worker may be. Beyond that its games would not be
// alike, because not everything in a search scales with the speed.
const maxClockScale = 4

// remeasureEvery is how often a worker measures its speed: other programs may use the machine.
const remeasureEvery = 10 * time.Minute

// clockScale returns the factor for the times of a unit.
func (w *Worker) clockScale(ctx context.Context, u *wire.Unit) (float64, error) {
	if u.Speed <= 0 {
		return 1, nil
	}
	speed, err := w.measuredSpeed(ctx)
	if err != nil {
		return 0, err
	}
	f := u.Speed / speed
	if f < 1./maxClockScale || f > maxClockScale {
		return 0, fmt.Errorf("%w: one of its cores searches %.0f nodes/s, and the run's clocks are meant for "+
			"%.0f: its times "+
			"would be multiplied by %.2f, which must be from %.2f to %d; use a machine of another speed, or another reference "+
			"speed for the run", errRefused, speed, u.Speed, f, 1./maxClockScale, maxClockScale)
	}
	return f, nil
}

// measuredSpeed returns the worker's speed. The first unit with a clock measures it on all cores; later one core
// measures it again, while those wait that need it then.
func (w *Worker) measuredSpeed(ctx context.Context) (float64, error) {
	w.measuring.Lock()
	defer w.measuring.Unlock()
	if time.Since(w.measured) < remeasureEvery {
		return float64(w.speed.Load()), nil
	}
	if w.Measure == nil {
		return 0, fmt.Errorf("%w: it cannot measure its speed, which games with clocks need", errRefused)
	}
	cores := 1
	if w.measured.IsZero() {
		cores = w.Cores
		w.Log("measuring this machine's speed, for games with clocks")
	}
	speed, err := w.Measure(ctx, cores)
	if err != nil {
		return 0, fmt.Errorf("%w: measuring this machine's speed: %w", errRefused, err)
	}
	w.speed.Store(int64(speed))
	w.measured = time.Now()
	w.Log(fmt.Sprintf("one core searches %.0f nodes/s", speed))
	return speed, nil
}
