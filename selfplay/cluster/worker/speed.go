package worker

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// Games by the clock are not the same on two machines, but they can be alike: a worker
// multiplies each time by how much slower it is than the machine for which the clock is
// meant. Both measure the same search of the same positions on all their cores at once.

// maxClockScale is how much slower or faster than the reference a worker may be. Beyond that
// its games would not be alike, because not everything in a search scales with the speed.
const maxClockScale = 4

// remeasureEvery is how often a worker measures its speed: other programs may use the machine.
const remeasureEvery = 10 * time.Minute

// speedometer holds the last measured speed. It is safe for concurrent use.
type speedometer struct {
	measuring sync.Mutex // held by the loop that measures

	mu    sync.Mutex
	speed float64   // nodes/s of a core; 0: not measured yet
	at    time.Time // of the measurement
}

// latest returns the last speed, 0 if there is none, and whether it is recent.
func (s *speedometer) latest() (speed float64, fresh bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.speed, s.speed > 0 && time.Since(s.at) < remeasureEvery
}

func (s *speedometer) set(speed float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.speed, s.at = speed, time.Now()
}

// clockScale returns the factor for the times of a unit.
func (w *Worker) clockScale(ctx context.Context, u *wire.Unit) (float64, error) {
	if u.Speed <= 0 {
		return 1, nil
	}
	speed, err := w.measuredSpeed(ctx)
	if err != nil {
		return 0, &fatalError{err}
	}
	f := u.Speed / speed
	if f < 1./maxClockScale || f > maxClockScale {
		return 0, &fatalError{fmt.Errorf("%w: one of its cores searches %.0f nodes/s, and the run's clocks are "+
			"meant for %.0f: its times would be multiplied by %.2f, which must be from %.2f to %d; use a machine of "+
			"another speed, or start the run with another --reference-speed",
			errRefused, speed, u.Speed, f, 1./maxClockScale, maxClockScale)}
	}
	return f, nil
}

// measuredSpeed returns the worker's speed. The first unit with a clock measures it on all
// cores while the other loops wait; later one loop measures it again while the others play.
func (w *Worker) measuredSpeed(ctx context.Context) (float64, error) {
	speed, fresh := w.speed.latest()
	switch {
	case fresh:
		return speed, nil
	case speed == 0:
		w.speed.measuring.Lock()
	case !w.speed.measuring.TryLock():
		return speed, nil
	}
	defer w.speed.measuring.Unlock()
	before, fresh := w.speed.latest()
	if fresh {
		return before, nil // another loop measured it meanwhile
	}
	if w.Measure == nil {
		return 0, fmt.Errorf("%w: it cannot measure its speed, which games with clocks need", errRefused)
	}
	cores := 1
	if before == 0 {
		cores = w.Cores
		w.Log("measuring this machine's speed, for games with clocks")
	}
	speed, err := w.Measure(ctx, cores)
	if err != nil {
		return 0, fmt.Errorf("cluster: measuring this machine's speed: %w", err)
	}
	w.speed.set(speed)
	w.Log(fmt.Sprintf("one core searches %.0f nodes/s", speed))
	return speed, nil
}
