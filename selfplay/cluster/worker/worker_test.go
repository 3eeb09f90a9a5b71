package worker

import (
	"errors"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/assay-chess/assay/selfplay/internal/toy"
)

// A worker is not idle while it plays, however long that takes.
func TestPlayingWorkerIsNotIdle(t *testing.T) {
	started, end := make(chan struct{}), make(chan struct{})
	w := &Worker{Wait: time.Nanosecond, slots: make(chan *slot, 1), Open: func(engine.Spec) (engine.Player, error) {
		close(started)
		<-end
		return nil, errors.New("not now")
	}}
	w.slots <- newSlot(w.Open)
	if !w.idle() {
		t.Error("it is not idle before its first unit")
	}
	done := make(chan error)
	go func() {
		_, err := (&player{Worker: w}).perform(t.Context(),
			&wire.Unit{Job: selfplay.Job{Players: toy.Specs("random", "")}})
		done <- err
	}()
	<-started
	if w.idle() {
		t.Error("it is idle while it plays")
	}
	close(end)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if time.Sleep(time.Millisecond); !w.idle() {
		t.Error("it is not idle afterwards")
	}
}
