package times

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"
)

// Every task does some work, here on one position. The last is left out: it does the
// searches of the one before.
func TestTasks(t *testing.T) {
	defer func(all []string) { positions = all }(positions)
	positions = positions[1:2]
	all := Tasks()
	for _, task := range all[:len(all)-1] {
		units, err := task.do(context.Background())
		if err != nil || units < 1 || task.Then <= 0 {
			t.Errorf("%s, %s: %d units of work, error %v", task.Program, task.Work, units, err)
		}
	}
}

// A clock that only the task moves: 30 ms for two units in the first calls, 10 ms later.
func TestMeasure(t *testing.T) {
	var now time.Duration
	calls := 0
	task := Task{Time: Time{Program: "p", Then: 1}, do: func(context.Context) (int, error) {
		calls++
		if calls <= 4 {
			now += 30 * time.Millisecond
		} else {
			now += 10 * time.Millisecond
		}
		return 2, nil
	}}
	clock := func() time.Duration { return now }
	got, err := task.Measure(context.Background(), clock)
	// 4 calls fill the first 100 ms, 10 calls each the second and the third.
	if err != nil || math.Abs(got.Now-0.005) > 1e-12 || got.Program != "p" || calls != 24 {
		t.Errorf("%+v after %d calls, error %v; want 5 ms after 24", got, calls, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := task.Measure(ctx, clock); !errors.Is(err, context.Canceled) {
		t.Errorf("after the context has ended: error %v", err)
	}
}
