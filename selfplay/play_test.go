package selfplay

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/syzygy"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay/internal/toy"
)

func TestSeedIsPinned(t *testing.T) {
	if got := board.SplitMix64(0); got != 0xe220a8397b1dcdaf { // the published first output for seed 0
		t.Errorf("board.SplitMix64(0) = %#x", got)
	}
	// Data sets on disk were made with these: they must never change.
	for _, c := range []struct {
		seed, generation uint64
		stage            string
		number, want     uint64
	}{
		{0, 0, "", 0, 0x2130748aaac80268},
		{7, 1, "selfplay", 0, 0x677c2a7eb50047ed},
		{7, 1, "selfplay", 1, 0x5a7ae2a1726c4da4},
		{math.MaxUint64, 2, "match", 41, 0x5670bf105c7f0f92},
	} {
		if got := Seed(c.seed, c.generation, c.stage, c.number); got != c.want {
			t.Errorf("Seed(%d, %d, %q, %d) = %#x, want %#x", c.seed, c.generation, c.stage, c.number, got, c.want)
		}
	}
}

// scores builds a game's scores: an opening of two plies, then the given ones.
func scores(list ...int16) []int16 {
	return append([]int16{engine.NoScore, engine.NoScore}, list...)
}

func TestVerdict(t *testing.T) {
	win := StandardAdjudication()
	draw := Adjudication{DrawScore: 10, DrawPlies: 4, DrawFrom: 3}
	alone := Adjudication{WinScore: 1000, WinPlies: 6, OneSided: true} // White has the plies of even number
	quick := Adjudication{WinScore: 1000, WinPlies: 1}
	const none = engine.NoScore
	for _, c := range []struct {
		name   string
		rule   Adjudication
		scores []int16
		ply    int
		result board.GameResult
		ok     bool
	}{
		{"zero rule never ends a game", Adjudication{}, scores(31999, 31999, 31999, 31999, 31999, 31999, 31999), 0, 0, false},
		{"six plies win", win, scores(1000, 1000, 1000, 1000, 1000, 1000, 0), 8, board.WhiteWins, true},
		{"five do not", win, scores(1000, 1000, 1000, 1000, 1000), 0, 0, false},
		{"999 breaks the row", win, scores(1000, 1000, 1000, 1000, 999, 1000, 1000, 1000, 1000, 1000), 0, 0, false},
		{"one player alone", win, scores(1500, 0, 1500, 0, 1500, 0, 1500, 0, 1500, 0, 1500, 0), 0, 0, false},
		{"Black resigns alone", alone, scores(0, 1000, 10, 1500, -500, 31990, 0), 8, board.WhiteWins, true},
		{"White resigns alone", alone, scores(-1000, 0, -1500, 0, -1000, 0), 7, board.BlackWins, true},
		{"the winner alone is no resignation", alone, scores(1500, 0, 1500, 0, 1500, 0, 1500, 0), 0, 0, false},
		{"two moves are too few, and 999 breaks the row", alone, scores(0, 1000, 0, 1000, 0, 999, 0, 1000, 0, 1000), 0, 0,
			false},
		{"players who disagree", win, scores(1500, -1500, 1500, -1500, 1500, -1500, 1500, -1500), 0, 0, false},
		{"Black wins", win, scores(0, -1000, -1200, -31990, -1000, -1000, -1000), 9, board.BlackWins, true},
		{"a late row", win, scores(0, 0, 2000, 2000, 2000, 2000, 2000, 2000), 10, board.WhiteWins, true},
		{"draws are off", win, scores(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), 0, 0, false},
		{"a draw, not before its ply", draw, scores(0, 0, 0, 0, 0, 0, 0, 0), 9, board.Draw, true},
		{"a draw at the edge", draw, scores(99, 99, 99, 10, -10, 10, -10), 9, board.Draw, true},
		{"11 is no draw", draw, scores(0, 0, 0, 10, -10, 11, -10), 0, 0, false},
		{"a win needs a score of every ply", win, scores(1000, 1000, 1000, none, 1000, 1000, 1000, 1000, 1000), 0, 0, false},
		{"and is possible after one that is missing", win, scores(none, 1000, 1000, 1000, 1000, 1000, 1000), 9,
			board.WhiteWins, true},
		{"a player without scores wins nothing", quick, scores(none, 1000, none, 1000, none, 1000), 0, 0, false},
		{"nor loses", quick, scores(none, -1000, none, -1000, none, -1000), 0, 0, false},
		{"both gave scores again", quick, scores(none, 1000, 1000), 5, board.WhiteWins, true},
		{"who gives no score does not resign", alone, scores(-1000, none, -1000, none, none, none, -1000, none), 0, 0, false},
		{"but who gives scores does", alone, scores(none, 1000, none, 1000, none, 1000), 8, board.WhiteWins, true},
		{"no score is no draw", draw, scores(none, none, none, none, none, none, none, none, none, none), 0, 0, false},
		{"of one player neither", draw, scores(0, none, 0, none, 0, none, 0, none, 0, none), 0, 0, false},
		{"nor of a single ply", Adjudication{DrawScore: 10, DrawPlies: 1}, scores(none, 0, none, 0), 0, 0, false},
		{"a draw from its ply, unscored ones counted", draw, scores(none, none, 0, 0, 0, 0, 0), 9, board.Draw, true},
		{"opening plies count for nothing", win, scores(engine.NoScore, 1000, 1000, 1000, 1000, 1000), 0, 0, false},
	} {
		ply, result, ok := c.rule.Verdict(board.White, c.scores, 2)
		if ply != c.ply || result != c.result || ok != c.ok {
			t.Errorf("%s: Verdict = %d, %v, %v; want %d, %v, %v", c.name, ply, result, ok, c.ply, c.result, c.ok)
		}
	}
}

func TestPlayOnShare(t *testing.T) {
	rule := StandardAdjudication()
	n := 0
	for seed := range uint64(20000) {
		if rule.playsOn(seed) {
			n++
		}
	}
	if n < 900 || n > 1100 { // 1000 expected, standard deviation 31
		t.Errorf("%d of 20,000 games are played on, want about 1,000", n)
	}
}

// players opens White's and Black's player.
func players(t *testing.T, white, black string) [2]engine.Player {
	t.Helper()
	var list [2]engine.Player
	for i, spec := range []string{white, black} {
		list[i] = setup.Must(toy.Open(toy.Spec(spec)))
	}
	return list
}

var anyLimits = [2]Limits{{Nodes: 1000}, {Nodes: 1000}}

func play(t *testing.T, job Job, white, black string) Result {
	t.Helper()
	_, r := played(t, job, white, black)
	return *r
}

// played returns a job and the game that two players make of it.
func played(t *testing.T, job Job, white, black string) (*Job, *Result) {
	t.Helper()
	job.Limits, job.Players = anyLimits, toy.Specs(white, black)
	r := setup.Must(Play(t.Context(), &job, players(t, white, black), false))
	return &job, &r
}

func TestPlayRecordsAWholeGame(t *testing.T) {
	for seed := range uint64(20) {
		r := play(t, Job{Number: seed, Seed: seed, Opening: twoPlies()}, "a", "b")
		game, _, err := r.Replay()
		setup.Check(t, err)
		result, why, over := game.Outcome()
		if !over && r.Termination != moveLimit || over && (result != r.Result || why != r.Termination) {
			t.Errorf("seed %d: %v by %q recorded, %v by %q on the board", seed, r.Result, r.Termination, result, why)
		}
		if len(r.Scores) != len(r.Moves) || len(r.Depths) != len(r.Moves) || r.Opening != 2 {
			t.Fatalf("seed %d: %d scores and %d depths for %d moves", seed, len(r.Scores), len(r.Depths), len(r.Moves))
		}
		for i, s := range r.Scores {
			if (s == engine.NoScore) != (i < 2) {
				t.Errorf("seed %d: ply %d has score %d", seed, i, s)
			}
		}
	}
}

// Scores are stored from White's view, whichever side searched.
func TestScoresAreWhitesView(t *testing.T) {
	r := play(t, Job{Start: "4k3/8/8/8/8/8/PPPPPPPP/RNBQKBNR b KQ - 0 1", Plies: 10}, "a", "b")
	for i, s := range r.Scores {
		if s < 3000 {
			t.Errorf("ply %d: score %d, but White is a whole army up", i, s)
		}
	}
	if r.Termination != moveLimit || r.Result != board.Draw || len(r.Moves) != 10 {
		t.Errorf("%v by %q after %d plies, want a draw by the move limit after 10", r.Result, r.Termination, len(r.Moves))
	}
}

func TestPlayAdjudicates(t *testing.T) {
	job := Job{Start: "4k3/8/8/8/8/8/PPPPPPPP/RNBQKBNR b KQ - 0 1", Rule: Adjudication{WinScore: 1000, WinPlies: 6}}
	r := play(t, job, "a", "b")
	if r.Result != board.WhiteWins || r.Termination != AdjudicatedWin || len(r.Moves) != 6 {
		t.Errorf("%v by %q after %d plies, want a win by adjudication after 6", r.Result, r.Termination, len(r.Moves))
	}
	job.Rule.PlayOn = 1
	r = play(t, job, "a", "b")
	if r.Termination == AdjudicatedWin || len(r.Moves) <= 6 {
		t.Errorf("ended by %q after %d plies, should have been played on", r.Termination, len(r.Moves))
	}
	ply, verdict, ok := job.Rule.Verdict(board.White, r.Scores, 0)
	if ply != 6 || verdict != board.WhiteWins || !ok {
		t.Errorf("the scores say %v at ply %d (%v), want a win for White at ply 6", verdict, ply, ok)
	}
}

// Mate on the board comes before what the scores say.
func TestRulesComeBeforeAdjudication(t *testing.T) {
	job := Job{Start: "7k/8/6K1/8/8/8/8/R7 w - - 0 1", Rule: Adjudication{WinScore: 100, WinPlies: 1}}
	r := play(t, job, "a", "b")
	if r.Termination != board.Checkmate || r.Result != board.WhiteWins {
		t.Errorf("%v by %q, want checkmate", r.Result, r.Termination)
	}
}

func TestForfeits(t *testing.T) {
	for _, c := range []struct {
		white, black string
		result       board.GameResult
		why          board.Termination
		says         string
	}{
		{"a:illegal=0", "b", board.BlackWins, IllegalMove, "white: a1h8 is not legal"},
		{"a", "b:illegal=3", board.WhiteWins, IllegalMove, "black: a1h8"},
		{"a:error=4", "b", board.BlackWins, PlayerFailed, "told to fail"},
	} {
		r := play(t, Job{}, c.white, c.black)
		if r.Result != c.result || r.Termination != c.why || !strings.Contains(r.Fault, c.says) {
			t.Errorf("%s - %s: %v by %q, %q", c.white, c.black, r.Result, r.Termination, r.Fault)
		}
		if len(r.Scores) != len(r.Moves) {
			t.Errorf("%s - %s: %d scores for %d moves", c.white, c.black, len(r.Scores), len(r.Moves))
		}
		if loser, yes := r.Forfeited(); !yes || board.WinFor(loser.Other()) != c.result {
			t.Errorf("%s - %s: Forfeited = %v, %v", c.white, c.black, loser, yes)
		}
	}
	if _, yes := (&Result{Termination: board.Checkmate}).Forfeited(); yes {
		t.Error("checkmate is taken for a forfeit")
	}
}

// A player that stops answering must not leave half a thought in the record.
func TestPlayDropsWhatTheContextCutShort(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	job := Job{Limits: anyLimits}
	if _, err := Play(ctx, &job, players(t, "a", "b"), false); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

func TestPlayRefusesNonsense(t *testing.T) {
	for name, job := range map[string]Job{
		"no limits":       {},
		"a broken start":  {Start: "8/8/8/8 w - -", Limits: anyLimits},
		"illegal opening": {Opening: []board.Move{board.NewMove(board.A1, board.A8)}, Limits: anyLimits},
	} {
		if _, err := Play(t.Context(), &job, players(t, "a", "b"), false); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestTablebasesEndGames plays from positions that the tables know: the first move ends the game, also one that is
// played on, with a result that is no forfeit and that Verify accepts of jobs with tables alone.
func TestTablebasesEndGames(t *testing.T) {
	tables := setup.Must(syzygy.NewJudge("../engine/syzygy/testdata", true, func(text string) { t.Error(text) }))
	for start, want := range map[string]board.GameResult{
		"8/8/8/8/8/3k4/8/KQ6 b - - 0 1":    board.WhiteWins,
		"kq6/8/3K4/8/8/8/8/8 w - - 0 1":    board.BlackWins,
		"8/8/8/8/3k4/8/4P3/4K3 w - - 0 1":  board.Draw,
		"8/8/8/8/8/3k4/8/KR6 b - - 90 100": board.Draw, // too late by the 50-move rule
	} {
		job := Job{Start: start, Rule: Adjudication{WinScore: 1, WinPlies: 1, PlayOn: 1, Tables: tables}}
		r := play(t, job, "a", "b")
		if r.Result != want || r.Termination != tablebase || len(r.Moves) != 1 {
			t.Errorf("%s: %v by %s after %d plies, want %v by the tables after one", start, r.Result, r.Termination,
				len(r.Moves), want)
		}
		if _, forfeited := r.Forfeited(); forfeited {
			t.Errorf("%s: counted as a forfeit", start)
		}
		if err := r.Verify(&job); err != nil {
			t.Error(err)
		}
		job.Rule.Tables = nil
		if r.Verify(&job) == nil {
			t.Errorf("%s: a job without tables accepts their result", start)
		}
	}
}

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
		r, err := Play(t.Context(), &job, [2]engine.Player{logging{slowPlayer(t, 0), "innocent"}, black}, false)
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

// twoPlies are 1. e4 e5: from square 12 to 28, and from 52 to 36.
func twoPlies() []board.Move { return []board.Move{board.NewMove(12, 28), board.NewMove(52, 36)} }

func TestVerifyAcceptsPlayedGames(t *testing.T) {
	const mated = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
	for name, c := range map[string]struct {
		job   Job
		specs [2]string
		by    board.Termination
	}{
		"move limit": {Job{Number: 3, Seed: 1, Opening: twoPlies(), Plies: 10}, [2]string{"a", "b"}, moveLimit},
		"to the end": {Job{Number: 4, Seed: 2, Opening: twoPlies(), Plies: 2000}, [2]string{"a", "b"}, ""},
		"adjudicated": {Job{Seed: 3, Plies: 200, Rule: Adjudication{WinScore: 300, WinPlies: 2}},
			[2]string{"a:margin=900", "b:margin=-900"}, AdjudicatedWin},
		"forfeited": {Job{Seed: 4, Plies: 200}, [2]string{"a:error=6", "b"}, PlayerFailed},
		"over":      {Job{Seed: 5, Start: mated}, [2]string{"a", "b"}, board.Checkmate},
	} {
		job, r := played(t, c.job, c.specs[0], c.specs[1])
		if c.by != "" && r.Termination != c.by {
			t.Errorf("%s: it ended by %s", name, r.Termination)
		}
		if err := r.Verify(job); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	job, r := played(t, Job{Number: 6, Seed: 1, Opening: twoPlies(), Plies: 10}, "a", "b")
	r.Termination, r.Result, r.Void = VoidGame, board.Draw, "this machine was too busy"
	if err := r.Verify(job); err != nil {
		t.Errorf("void after some moves: %v", err)
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
		"time without a limit": {func(r *Result) { r.Termination, r.Result, r.Fault = TimeForfeit, board.WhiteWins, "slow" },
			"without a limit of time"},
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
