package durable

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// While a repair changes what is within a run, the run does not count as complete, so that
// the repair can be killed. In the end it does if nothing was damaged.
func TestRepairOfACompleteRun(t *testing.T) {
	gate := []Repaired{{Path: "gate"}}
	for _, tt := range []struct {
		name     string
		repaired []Repaired
		err      error
		complete bool
	}{
		{"nothing", nil, nil, true},
		{"damage", gate, nil, false},
		{"error", nil, errors.New("no space"), true},
		{"error after damage", gate, errors.New("no space"), false},
	} {
		dir := t.TempDir()
		r := mustOpenRun(t, dir, testConfig{})
		if err := errors.Join(r.Finish("done"), r.Close()); err != nil {
			t.Fatal(err)
		}
		result := filepath.Join(dir, RunResultName)
		list, err := RepairRun(dir, RepairPlan{Journal: "games.jsonl", Derived: "games",
			Data: func(string) ([]Repaired, error) {
				if _, err := os.Stat(result); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("%s: the run counts as complete while it is repaired: %v", tt.name, err)
				}
				return tt.repaired, tt.err
			}})
		if !errors.Is(err, tt.err) || (len(list) == 0) != tt.complete {
			t.Errorf("%s: %+v, %v", tt.name, list, err)
		}
		if _, err := os.Stat(result); (err == nil) != tt.complete {
			t.Errorf("%s: the result: %v", tt.name, err)
		}
	}
}
