//go:build linux

package selfplay

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	foreign "github.com/assay-chess/assay/engine/uci"
	testengine "github.com/assay-chess/assay/engine/uci/testdata"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay/internal/toy"
)

// What becomes of an engine that misbehaves.
const (
	harmless = ""                   // it plays
	refused  = "refused"            // it does not start, or has no first move: no game counts
	illegal  = string(IllegalMove)  // it loses the game
	failed   = string(PlayerFailed) // it loses the game
)

const promotion = "8/P6k/8/8/8/8/p6K/8 w - - 0 1"

// misbehaviours are modes of badengine with what must become of it. Those that end by a
// timeout say so.
var misbehaviours = []struct {
	mode, verdict string
	timeout       bool
	start         string // FEN
}{
	{mode: "good"}, {mode: "late-uciok"}, {mode: "late-readyok"}, {mode: "uciok-twice"}, {mode: "readyok-twice"},
	{mode: "no-options"}, {mode: "odd-options"}, {mode: "no-info"}, {mode: "spaces"}, {mode: "half-lines"},
	{mode: "crlf"}, {mode: "nul"}, {mode: "latin1"}, {mode: "binary"}, {mode: "chatter"},
	{mode: "uppercase"}, {mode: "move-uppercase"}, {mode: "promotion-upper", start: promotion},
	{mode: "doubled"}, {mode: "doubled-late"}, {mode: "long-line"}, {mode: "long-bestmove"}, {mode: "flood"},
	{mode: "absurd"}, {mode: "mate-nonsense"}, {mode: "score-range"}, {mode: "score-word"}, {mode: "nodes-absurd"},
	{mode: "time-absurd"}, {mode: "depth-absurd"}, {mode: "pv-illegal"}, {mode: "pv-endless"},
	{mode: "stderr"}, {mode: "stderr-no-newline"}, {mode: "ignores-quit"}, {mode: "ignores-term"},
	{mode: "fork"}, {mode: "fork-session"}, {mode: "fork-clean"}, {mode: "fork-orphan"},

	{mode: "wrong-start", verdict: refused}, {mode: "exit-at-uci", verdict: refused},
	{mode: "exit-at-isready", verdict: refused},
	{mode: "no-uciok", verdict: refused, timeout: true}, {mode: "invalid-uciok", verdict: refused, timeout: true},
	{mode: "no-readyok", verdict: refused, timeout: true}, {mode: "exit-at-position", verdict: refused},
	{mode: "crash", verdict: refused}, {mode: "segfault", verdict: refused}, {mode: "exit", verdict: refused},
	{mode: "exit-ok", verdict: refused},
	{mode: "fork-crash", verdict: refused}, {mode: "stdout-closed", verdict: refused},
	{mode: "hang", verdict: refused, timeout: true}, {mode: "deaf", verdict: refused, timeout: true},
	{mode: "no-newline", verdict: refused, timeout: true}, {mode: "flood-forever", verdict: refused, timeout: true},
	{mode: "stderr-only", verdict: refused, timeout: true}, {mode: "other-word", verdict: refused, timeout: true},
	{mode: "illegal", verdict: refused}, {mode: "garbage", verdict: refused}, {mode: "empty", verdict: refused},
	{mode: "null", verdict: refused}, {mode: "none", verdict: refused}, {mode: "san", verdict: refused},
	{mode: "own-square", verdict: refused}, {mode: "off-board", verdict: refused},
	{mode: "promotion-wrong", verdict: refused},
	{mode: "other-side", verdict: refused},

	{mode: "promotion-missing", verdict: illegal, start: promotion},
	{mode: "promotion-king", verdict: illegal, start: promotion},
	{mode: "illegal-later", verdict: illegal}, {mode: "null-later", verdict: illegal},
	{mode: "previous", verdict: illegal},
	{mode: "crash-later", verdict: failed}, {mode: "exit-later", verdict: failed}, {mode: "abort", verdict: failed},
	{mode: "killed", verdict: failed}, {mode: "stops-itself", verdict: failed, timeout: true},
	{mode: "hang-later", verdict: failed, timeout: true}, {mode: "not-ready-later", verdict: failed, timeout: true},
	{mode: "exit-after", verdict: failed}, {mode: "exit-after-later", verdict: failed},
	{mode: "stdin-closed", verdict: failed, timeout: true}, {mode: "exit-at-newgame", verdict: failed},
}

// Each misbehaviour is either harmless, or keeps the engine from its first game, or costs
// the engine, never its opponent, a game; and no process is left behind.
func TestMisbehaviours(t *testing.T) {
	if n := len(misbehaviours); n < 60 {
		t.Errorf("%d misbehaviours, want at least 60", n)
	}
	path := testengine.Build(t, "badengine")
	for i, tt := range misbehaviours {
		t.Run(tt.mode, func(t *testing.T) {
			t.Parallel()
			mark := fmt.Sprintf("mark-%d-%d-", os.Getpid(), i)
			c := foreign.Command{Path: path, Args: []string{tt.mode, mark}, StartTimeout: time.Minute, MoveTimeout: time.Minute}
			if tt.timeout {
				c.StartTimeout, c.MoveTimeout = 2*time.Second, 2*time.Second
			}
			if verdict, why := becomes(t, c, tt.start); verdict != tt.verdict {
				t.Errorf("%q: %s; want %q", verdict, why, tt.verdict)
			}
			testengine.NoneLeft(t, mark)
		})
	}
}

// becomes runs the preflight, and plays a game of each color.
func becomes(t *testing.T, command foreign.Command, start string) (verdict, why string) {
	t.Helper()
	open := func(engine.Spec) (engine.Player, error) { return foreign.NewClient(command), nil }
	if err := (&Place{Open: open}).Preflight(t.Context(), func(int) Limits { return anyLimits[0] },
		Player{Spec: toy.Spec("bad")}); err != nil {
		if !errors.Is(err, ErrPreflight) {
			t.Error(err)
		}
		return refused, err.Error()
	}
	job := Job{Start: start, Plies: 8, Limits: anyLimits}
	if start != "" {
		job.Plies = 1
	}
	c := foreign.NewClient(command)
	defer c.Close()
	for own := range board.Color(2) {
		pair := players(t, "a", "a")
		pair[own] = c
		r := setup.Must(Play(t.Context(), &job, pair))
		loser, forfeited := r.Forfeited()
		switch {
		case forfeited && loser != own:
			t.Errorf("the opponent lost: %s", r.Fault)
		case forfeited && !strings.Contains(r.FaultLog, "< uciok\n"):
			t.Errorf("%s: log %q", r.Fault, r.FaultLog)
			fallthrough
		case forfeited:
			return string(r.Termination), r.Fault
		case r.Void != "":
			return string(VoidGame), r.Void
		}
	}
	return harmless, ""
}

// A program that the system cannot start makes a game void, for either side.
func TestNoProgramIsVoid(t *testing.T) {
	for side := range board.Color(2) {
		pair := players(t, "a", "a")
		pair[side] = foreign.NewClient(foreign.Command{Path: "/no/such/engine"})
		r := setup.Must(Play(t.Context(), &Job{Limits: anyLimits}, pair))
		if _, yes := r.Forfeited(); yes || r.Termination != VoidGame || !strings.Contains(r.Void,
			side.String()+": new game: ") {
			t.Errorf("ended by %s: %s%s", r.Termination, r.Fault, r.Void)
		}
		if err := r.Verify(&Job{Limits: anyLimits}); err != nil {
			t.Error(err)
		}
	}
}
