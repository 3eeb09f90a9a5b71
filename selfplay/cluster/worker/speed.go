package worker

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// Games with clocks are not the same on two machines, but they can be alike: a worker
// multiplies each time by how much slower it is than the machine whose clock is meant,
// as both measured by the same search of the same positions on all their cores at once.

// maxScale is how much slower, or faster, than the reference a worker may be. Beyond that
// its games would not be alike: not everything about a search goes by the speed.
const maxClockScale = 4

// remeasure is after how long a worker measures its speed again: others may use the machine.
const remeasureEvery = 10 * time.Minute

// pacer knows how fast a worker is.
type speedometer struct {
	measuring sync.Mutex // held by the lane that measures

	mu    sync.Mutex
	speed float64   // nodes/s of a core; zero: not measured yet
	at    time.Time // when it was measured
}

// known returns the speed, zero if it was never measured, and whether it was lately.
func (p *speedometer) latest() (speed float64, fresh bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.speed, p.speed > 0 && time.Since(p.at) < remeasureEvery
}

func (p *speedometer) set(speed float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.speed, p.at = speed, time.Now()
}

// scale returns what a worker multiplies the times of a unit by.
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
		return 0, &fatalError{fmt.Errorf("%w: a core of it searches %.0f nodes/s, and the run's clocks are meant for %.0f: they would be %.2f times as long here, want %.2f to %d",
			ErrRefused, speed, u.Speed, f, 1./maxClockScale, maxClockScale)}
	}
	return f, nil
}

// pace returns the worker's speed. It is measured at the first unit with a clock, on all
// cores, while other lanes wait; and again from time to time, by one lane while the others
// play on.
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
		return before, nil // another lane did it meanwhile
	}
	if w.Measure == nil {
		return 0, fmt.Errorf("%w: it cannot measure its speed, which games with clocks need", ErrRefused)
	}
	cores := 1
	if before == 0 {
		cores = w.Cores
		w.Log("measuring this machine's speed, for games with clocks")
	}
	speed, err := w.Measure(ctx, cores)
	if err != nil {
		return 0, fmt.Errorf("cluster: measuring the speed: %w", err)
	}
	w.speed.set(speed)
	w.Log(fmt.Sprintf("a core searches %.0f nodes/s", speed))
	return speed, nil
}
