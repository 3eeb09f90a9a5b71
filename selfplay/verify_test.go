package selfplay

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/selfplay/internal/toy"
)

// played returns a job and the game that two players make of it.
func played(t *testing.T, job Job, specs ...string) (*Job, *Result) {
	t.Helper()
	var players [2]engine.Player
	for side, spec := range specs {
		job.Players[side] = toy.Spec(spec)
		p, err := toy.Open(job.Players[side])
		if err != nil {
			t.Fatal(err)
		}
		players[side] = p
	}
	job.Limits = [2]Limits{{Nodes: 1}, {Nodes: 1}}
	r, err := Play(context.Background(), &job, players)
	if err != nil {
		t.Fatal(err)
	}
	return &job, &r
}

// twoPlies are 1. e4 e5: from square 12 to 28, and from 52 to 36.
func twoPlies() []board.Move { return []board.Move{board.NewMove(12, 28), board.NewMove(52, 36)} }

func TestVerifyAcceptsPlayedGames(t *testing.T) {
	const mated = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
	for name, c := range map[string]struct {
		job   Job
		specs []string
		by    board.Termination
	}{
		"move limit": {Job{Number: 3, Seed: 1, Opening: twoPlies(), Plies: 10}, []string{"a", "b"}, moveLimit},
		"to the end": {Job{Number: 4, Seed: 2, Opening: twoPlies(), Plies: 2000}, []string{"a", "b"}, ""},
		"adjudicated": {Job{Seed: 3, Plies: 200, Rule: Adjudication{WinScore: 300, WinPlies: 2}},
			[]string{"a:margin=900", "b:margin=-900"}, AdjudicatedWin},
		"forfeited": {Job{Seed: 4, Plies: 200}, []string{"a:error=6", "b"}, PlayerFailed},
		"over":      {Job{Seed: 5, Start: mated}, []string{"a", "b"}, board.Checkmate},
	} {
		job, r := played(t, c.job, c.specs...)
		if c.by != "" && r.Termination != c.by {
			t.Errorf("%s: it ended by %s", name, r.Termination)
		}
		if err := r.Verify(job); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestVerifyRefusesImpossibleResults(t *testing.T) {
	for name, c := range map[string]struct {
		change func(r *Result)
		want   string
	}{
		"number":           {func(r *Result) { r.Number++ }, "the job was"},
		"try":              {func(r *Result) { r.Try++ }, "the job was"},
		"seed":             {func(r *Result) { r.Seed++ }, "the job was"},
		"start":            {func(r *Result) { r.Start = "4k3/8/8/8/8/8/8/4K2R w - - 0 1" }, "the start position of its job"},
		"opening":          {func(r *Result) { r.Moves[0] = board.NewMove(11, 27) }, "the opening of its job"},
		"longer opening":   {func(r *Result) { r.Opening = 3 }, "the opening of its job"},
		"negative opening": {func(r *Result) { r.Opening = -1 }, "the opening of its job"},
		"too few moves":    {func(r *Result) { r.Moves = r.Moves[:1] }, "the opening of its job"},
		"score missing":    {func(r *Result) { r.Scores = r.Scores[1:] }, "scores"},
		"depth too many":   {func(r *Result) { r.Depths = append(r.Depths, 1) }, "depths"},
		"times":            {func(r *Result) { r.Times = []uint32{1} }, "times"},
		"illegal move":     {func(r *Result) { r.Moves[4] = board.NewMove(board.A1, board.H8) }, "game 7"},
		"another end":      {func(r *Result) { r.Termination = board.Checkmate; r.Result = board.WhiteWins }, "not over"},
		"no end":           {func(r *Result) { r.Termination = "" }, "not over"},
		"a fault unsaid":   {func(r *Result) { r.Termination, r.Result = PlayerFailed, board.WhiteWins }, "fault"},
		"a fault too many": {func(r *Result) { r.Fault = "it slept" }, "fault"},
		"limit won":        {func(r *Result) { r.Result = board.WhiteWins }, "1-0 by move-limit"},
		"draw won":         {func(r *Result) { r.Termination = AdjudicatedWin }, "1/2-1/2 by adjudicated-win"},
		"no result":        {func(r *Result) { r.Termination, r.Result = AdjudicatedWin, 5 }, "the result 5"},
		"a fault too long": {func(r *Result) {
			r.Termination, r.Result, r.Fault = PlayerFailed, board.WhiteWins, strings.Repeat("x", 5000)
		}, "5000 bytes"},
		"a log without a fault": {func(r *Result) { r.FaultLog = "x" }, "a log of 1 bytes"},
		"a log too long": {func(r *Result) {
			r.Termination, r.Result, r.Fault, r.FaultLog = PlayerFailed, board.WhiteWins, "x", strings.Repeat("x", 50000)
		}, "a log of 50000 bytes"},
		"a log that clears the screen": {func(r *Result) {
			r.Termination, r.Result, r.Fault, r.FaultLog = PlayerFailed, board.WhiteWins, "x", "\x1b[2J"
		}, "printable"},
		"time without a clock": {func(r *Result) { r.Termination, r.Result, r.Fault = TimeForfeit, board.WhiteWins, "slow" },
			"without a clock"},
		"late without a fault": {func(r *Result) { r.Late = true }, "late"},
		"cut short": {func(r *Result) {
			r.Moves, r.Scores, r.Depths = r.Moves[:8], r.Scores[:8], r.Depths[:8]
		}, "after 6 plies"},
	} {
		job, r := played(t, Job{Number: 7, Seed: 1, Opening: twoPlies(), Plies: 10}, "a", "b")
		r.Moves, r.Scores, r.Depths = slices.Clone(r.Moves), slices.Clone(r.Scores), slices.Clone(r.Depths)
		c.change(r)
		if err := r.Verify(job); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	job, r := played(t, Job{Number: 7, Seed: 1, Plies: 10}, "a", "b")
	job.Plies = 9
	if err := r.Verify(job); err == nil || !strings.Contains(err.Error(), "after 10 plies") {
		t.Errorf("too long: %v", err)
	}
	job, r = played(t, Job{Start: "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"}, "a", "b")
	r.Result = board.WhiteWins
	if err := r.Verify(job); err == nil || !strings.Contains(err.Error(), "ended 0-1") {
		t.Errorf("the loser wins: %v", err)
	}
}
