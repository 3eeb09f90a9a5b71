package selfplay

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/selfplay/internal/toy"
)

// logging is a player with a log; limiting is one that changes how another is used.
type (
	logging struct {
		engine.Player
		log string
	}
	limiting struct{ engine.Player }
)

func (l logging) Log() string            { return l.log }
func (l limiting) Unwrap() engine.Player { return l.Player }

// The log of the player that forfeits comes with the game: its end, without control
// characters, as Verify accepts it. That of its opponent does not.
func TestFaultLog(t *testing.T) {
	long := strings.Repeat("é\x1b[2J\u0085\xff\n", maxFaultLog)
	late := func(log string) engine.Player {
		p := slowPlayer(t, 0)
		p.err = errors.New("crashed")
		return logging{p, log}
	}
	for name, black := range map[string]engine.Player{"fault": late(long + "the end\n"),
		"wrapped": limiting{late("the end\n")}} {
		job := Job{Limits: anyLimits, Players: toy.Specs("w", "b")}
		r, err := Play(t.Context(), &job, [2]engine.Player{logging{slowPlayer(t, 0), "innocent"}, black})
		if err != nil || r.Termination != PlayerFailed {
			t.Fatalf("%s: %+v, %v", name, r, err)
		}
		if !strings.HasSuffix(r.FaultLog, "the end\n") || len(r.FaultLog) > maxFaultLog || strings.ContainsFunc(r.FaultLog,
			isControl) {
			t.Errorf("%s: log of %d bytes: %.100q", name, len(r.FaultLog), r.FaultLog)
		}
		if err := r.Verify(&job); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A player that exceeds its time has a log too, and one without a fault has none.
func TestFaultLogOfTime(t *testing.T) {
	clock := Limits{Clock: Clock{Base: time.Millisecond, Margin: time.Nanosecond}}
	for _, lost := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			job := Job{Limits: anyLimits, Players: toy.Specs("w", "b"), Plies: 2}
			if lost {
				job.Limits[board.White] = clock
			}
			r, err := Play(t.Context(), &job, [2]engine.Player{logging{slowPlayer(t, 2*time.Millisecond), "log"},
				slowPlayer(t, 0)})
			if err != nil || (r.Termination == TimeForfeit) != lost || (r.FaultLog == "log") != lost {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}
