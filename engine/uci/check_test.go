package uci

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine/board"
	testengine "github.com/assay-chess/assay/engine/uci/testdata"
	"github.com/assay-chess/assay/internal/setup"
)

// checkOf checks badengine in a mode. Steps other than the handshake that keep leaves out are not made.
func checkOf(t *testing.T, mode string, keep func(step) bool) *CheckReport {
	t.Helper()
	k := &checker{ctx: t.Context(), within: time.Second, report: new(CheckReport), command: NewClient(Command{
		Path: testengine.Build(t, "badengine"), Args: []string{mode}, StartTimeout: time.Second}).command}
	list := slices.DeleteFunc(steps(CheckConfig{}), func(s step) bool { return s.group != "handshake" && !keep(s) })
	return setup.Must(k.check(list, nil))
}

// wantFailed wants a failed check with the text and what was said.
func wantFailed(t *testing.T, r *CheckReport, check, text string) {
	t.Helper()
	if !slices.ContainsFunc(r.Findings, func(f Finding) bool {
		return f.Verdict == CheckFailed && f.Group+": "+f.Check == check && strings.Contains(f.Text, text) &&
			(strings.Contains(f.Dialogue, "> ") || f.Check == "options announced")
	}) {
		t.Errorf("%s: %q not found in %+v", check, text, r.Findings)
	}
}

// Each fault of an engine is found by its check.
func TestCheck(t *testing.T) {
	for _, c := range []struct{ mode, failed, text string }{
		{"crash", "go: depth 3", "exit status 2"},
		{"illegal", "go: nodes 1000", "bestmove e1e8 is not a legal move"},
		{"none", "go: nodes 1000", "bestmove (none) is not a legal move"},
		{"pv-illegal", "go: wtime 100", "move 1 of a variation is not legal: a1a1"},
		{"no-info", "go: wtime 100", "no info line"},
		{"odd-options", "handshake: options announced", "Choice has no var"},
		{"ignores-quit", "end: quit", "it still runs after"},
		{"exit-at-newgame", "limits: same search twice", "no readyok: it ended with exit status"},
		{"deaf", "go: wtime 100", "no bestmove within 1s"},
		{"no-uciok", "handshake: uci", "no uciok within 1s"},
		{"wrong-start", "handshake: uci", "cannot find my network"},
	} {
		t.Run(c.mode, func(t *testing.T) {
			t.Parallel()
			wantFailed(t, checkOf(t, c.mode, func(s step) bool { return s.group+": "+s.name == c.failed }), c.failed, c.text)
		})
	}
}

// The mode good plays at once, whatever the limit, and has few faults.
func TestCheckWhole(t *testing.T) {
	r := checkOf(t, "good", func(step) bool { return true })
	if r.Count(CheckFailed) != 5 { // isready in a search and stalemate, too
		t.Errorf("%+v", r.Findings)
	}
	wantFailed(t, r, "handshake: uci", "no id name or no id author")
	wantFailed(t, r, "go: infinite, stop", "bestmove before it was asked for")
	wantFailed(t, r, "positions: checkmate", "exit status 2")
	if !slices.ContainsFunc(r.Findings, func(f Finding) bool {
		return f.Verdict == CheckWarning &&
			f.Text == `searched 30 of 100, 30 of 10000, 30 of 50000: it does not seem to know "go nodes"`
	}) {
		t.Errorf("its nodes are no warning: %+v", r.Findings)
	}
}

// An engine that searches another position after a FEN is found, and the player's option that mends it is named.
func TestCheckFromFEN(t *testing.T) {
	const check = "same search from a FEN"
	for mode, want := range map[string]Finding{
		"good": {Group: "positions", Check: check, Verdict: checkPassed, Text: "27 of 27 positions"},
		"fen-keys": {Group: "positions", Check: check, Verdict: CheckWarning, Text: "from its FEN 27 of 27 positions are " +
			"searched otherwise than after the game's moves, and the scores are 76 centipawns apart on average; " +
			"play it with history=full"},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			r := checkOf(t, mode, func(s step) bool { return s.name == check })
			got := r.Findings[len(r.Findings)-1]
			if got.Dialogue = ""; got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

func TestCheckEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	path := testengine.Build(t, "badengine")
	if _, err := Check(ctx, Command{Path: path, Args: []string{"good"}}, CheckConfig{}); err != context.Canceled {
		t.Error(err)
	}
	if _, err := Check(t.Context(), Command{Path: "/nosuch"}, CheckConfig{}); err == nil {
		t.Error("a program that is not there was checked")
	}
}

// The positions that are set up are what their names say.
func TestCheckPositions(t *testing.T) {
	for _, p := range positions {
		game, err := parsePosition(strings.Fields(strings.TrimPrefix("fen "+p.setup, "fen startpos")))
		if strings.HasPrefix(p.setup, "startpos") {
			game, err = parsePosition(strings.Fields(p.setup))
		}
		if err != nil {
			t.Fatalf("%s: %v", p.name, err)
		}
		_, why, over := game.Outcome()
		if ends := map[string]board.Termination{"bare kings": board.InsufficientMaterial, "checkmate": board.Checkmate,
			"stalemate": board.Stalemate, "100 plies without progress": board.FiftyMoves,
			"threefold repetition": board.Repetition, "600 plies": board.FiftyMoves}; over != (ends[p.name] != ends[""]) ||
			over && why != ends[p.name] {
			t.Errorf("%s: %v, %v", p.name, over, why)
		}
	}
}
