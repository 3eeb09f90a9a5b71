package tune

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/models"
)

// TestTuneInterrupted: after Ctrl-C the weights so far are whole and on disk, nothing
// half-written is, and the run knows that it is not complete.
func TestTuneInterrupted(t *testing.T) {
	dir := t.TempDir()
	data, run := filepath.Join(dir, "positions"), filepath.Join(dir, "run")
	writeWalks(t, data, 60, nil)
	forever := []string{"--method", "adam", "--iterations", "100000000", "--gap", "1e-300"}
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	go func() {
		for events := filepath.Join(run, "events.jsonl"); ctx.Err() == nil; time.Sleep(10 * time.Millisecond) {
			if b, err := os.ReadFile(events); err == nil && bytes.Count(b, []byte(`"event":"step"`)) >= 3 {
				interrupt()
			}
		}
	}()
	_, err := execute(ctx, New(), append([]string{data, "--out", run}, forever...)...)
	for _, want := range []string{"interrupted; the best weights so far, after ", "weights.json, for the rest: "} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
	if f, err := models.Load(filepath.Join(run, "weights.json")); err != nil || f.Provenance.Rows == 0 {
		t.Errorf("weights after an interrupt: %v", err)
	}
	if _, err := os.Stat(filepath.Join(run, "result.json")); err == nil {
		t.Error("an interrupted run has a result")
	}
	if left, _ := filepath.Glob(filepath.Join(run, "*.tmp*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	// With a method that ends, the same folder belongs to other settings.
	var changed *durable.ConfigChangedError
	if _, err := tune(t, data, "--out", run); !errors.As(err, &changed) {
		t.Errorf("other settings: %v", err)
	}
}

// TestTuneInterruptedEarly: before the fit there is nothing to keep.
func TestTuneInterruptedEarly(t *testing.T) {
	dir := t.TempDir()
	data, out := filepath.Join(dir, "positions"), filepath.Join(dir, "w.json")
	writeWalks(t, data, 30, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := execute(ctx, New(), data, "--out", out); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}
