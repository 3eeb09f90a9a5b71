package tune

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/internal/data"
	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

// A labelFault damages games, or rows of positions.
type labelFault struct {
	game func(n int, g *dataset.GameRow)
	row  func(p *dataset.PositionRow)
}

func ofBlack(g *dataset.GameRow, change func(score *int16)) {
	for i := 1; i < len(g.Scores); i += 2 {
		change(&g.Scores[i])
	}
}

var labelFaults = map[string]labelFault{
	"none": {},
	"forfeit": {game: func(n int, g *dataset.GameRow) {
		if n%4 == 3 && g.Termination == "" {
			g.Termination = "time forfeit"
		}
	}},
	"draw by rule": {func(n int, g *dataset.GameRow) {
		if n%2 == 0 {
			g.Start, g.Result = "4k3/8/8/8/8/8/8/4K2R w - - 96 80", 1
			g.Moves, g.Scores, g.Termination = nil, nil, ""
			for range 4 {
				for _, squares := range [4][2]board.Square{{7, 6}, {60, 59}, {6, 7}, {59, 60}} {
					g.Moves, g.Scores = append(g.Moves, board.NewMove(squares[0], squares[1])), append(g.Scores, 500)
				}
			}
		}
	}, func(p *dataset.PositionRow) {
		if p.Ply%10 == 0 {
			p.Board, p.Result = setup.Must(board.ParseFEN("8/8/4k3/8/8/3K4/8/8 w - - 0 1")), 1
		}
	}},
	"mover's results": {row: func(p *dataset.PositionRow) {
		if p.Board.SideToMove() == board.Black {
			p.Result = 1 - p.Result
		}
	}},
	"mover's scores": {func(_ int, g *dataset.GameRow) { ofBlack(g, func(s *int16) { *s = -*s }) },
		func(p *dataset.PositionRow) {
			if p.Board.SideToMove() == board.Black {
				p.Score = -p.Score
			}
		}},
	"no score": {func(_ int, g *dataset.GameRow) { g.KeepScoresOf("nobody") },
		func(p *dataset.PositionRow) { p.Score = dataset.NoScore }},
	"two scales": {func(n int, g *dataset.GameRow) {
		for i := range g.Scores {
			if i%2 == n%2 {
				g.Scores[i] *= 2
			}
		}
	}, func(p *dataset.PositionRow) {
		if p.Game > 1000 {
			p.Score *= 2
		}
	}},
}

// labelCells are what each user of labels says about each fault, three dots between two parts of it; no text: nothing.
var labelCells = map[string]map[string]string{
	"wdl": {
		"forfeit":        "10 games that a forfeit ended (time-forfeit 10)",
		"draw by rule":   "positions of decided games that the rules call a draw",
		"mover's scores": "error: the scores are from the view of the side to move",
		"no score":       "error: the games do not determine how often an evaluation wins",
		"two scales":     "warning: the scores of \"a\" have another scale",
	},
	"wdl --player": {
		"forfeit":        "10 games that a forfeit ended",
		"draw by rule":   "positions of decided games that the rules call a draw",
		"mover's scores": "error: the scores of \"a\" are from the view of the side to move",
		"no score":       "error: --player a: no game has scores of that player",
	},
	"positions of games": {
		"forfeit":        "dropped: decided by a forfeit (games: time-forfeit 10)",
		"draw by rule":   "dropped: a draw by the rules, but not by its result",
		"mover's scores": "warning: the scores are from the view of the side to move",
		"two scales":     "warning: the scores of \"a\" have another scale",
	},
	"positions": {
		"draw by rule":    "dropped: a draw by the rules, but not by its result",
		"mover's results": "warning: the results are from the view of the side to move",
		"mover's scores":  "warning: the scores are from the view of the side to move",
	},
	"merge": { // keeps rows as they are: tune and positions leave draws out
		"mover's results": "one: the results are from the view of the side to move",
		"mover's scores":  "two: the scores are from the view of the side to move",
		"two scales":      "two: the scores have another scale",
	},
	"stat": {
		"draw by rule":    "rows are draws by the rules, but not by their result",
		"mover's results": "warning: the results are from the view of the side to move",
		"mover's scores":  "warning: the scores are from the view of the side to move",
	},
	"stat of games": {
		"forfeit":        "10 games (time-forfeit 10)",
		"mover's scores": "warning: the scores are from the view of the side to move",
		"two scales":     "warning: the scores of \"a\" have another scale",
	},
	"tune --lambda 1": {
		"draw by rule":    "positions that the rules call a draw have another result and are left out",
		"mover's results": "error: one: the results are from the view of the side to move",
		"mover's scores":  "warning: two: the scores are from the view of the side to move",
	},
	"tune --lambda 0.5": {
		"draw by rule":    "positions that the rules call a draw have another result and are left out",
		"mover's results": "error: one: the results are from the view of the side to move",
		"mover's scores":  "error: one: the scores are from the view of the side to move ... --score-view mover",
		"no score":        "score",
		"two scales":      "warning: two: the scores have another scale",
	},
}

// labelCommands run with the data "games", or "one" and "two", in their folder.
var labelCommands = map[string]struct {
	command func() *cobra.Command
	args    string
}{
	"wdl":                {NewWDL, "games --resamples 2"},
	"wdl --player":       {NewWDL, "games --resamples 2 --player a"},
	"positions of games": {data.New, "positions games --resolve keep --out out"},
	"positions":          {data.New, "positions one two --resolve keep --out out"},
	"merge":              {data.New, "merge one two --out out"},
	"stat":               {data.New, "stat one"},
	"stat of games":      {data.New, "stat games"},
	"tune --lambda 1":    {New, "one two --model shannon-1950 --folds 0 --out out.json"},
	"tune --lambda 0.5":  {New, "one two --model shannon-1950 --folds 0 --lambda 0.5 --out out.json"},
}

// What each user of labels says about each fault of labels.
func TestLabels(t *testing.T) {
	for fault, damage := range labelFaults {
		dir := t.TempDir()
		t.Chdir(dir)
		writeLabelled(t, damage)
		for user, c := range labelCommands {
			said := says(t.Context(), c.command(), strings.Fields(c.args)...)
			want := labelCells[user][fault]
			if want == "" && (strings.Contains(said, "warning: ") && !strings.Contains(said, "quiet") ||
				strings.Contains(said, "error: ")) {
				t.Errorf("%s, %s: %.600s", user, fault, said)
			}
			for part := range strings.SplitSeq(want, " ... ") {
				if !strings.Contains(said, part) {
					t.Errorf("%s, %s: want %q:\n%.1500s", user, fault, part, said)
				}
			}
			for _, path := range []string{"out", "out.json"} {
				setup.Check(t, os.RemoveAll(path))
			}
		}
	}
}

// says returns all that a command prints, and its error.
func says(ctx context.Context, c *cobra.Command, args ...string) string {
	var out bytes.Buffer
	c.SetContext(ctx)
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetArgs(args)
	c.SetOut(&out)
	c.SetErr(&out)
	if err := c.Execute(); err != nil {
		out.WriteString("error: " + err.Error())
	}
	return out.String()
}

// walkScore is the material in centipawns.
func walkScore(p *board.Position) (score int) {
	for pt, v := range [5]int{100, 300, 300, 500, 900} {
		score += v * (p.Pieces(board.White, board.PieceType(pt)).Count() - p.Pieces(board.Black, board.PieceType(pt)).Count())
	}
	return score
}

// writeLabelled writes games of players a and b whose scores and results follow the material, as the data set games,
// and their positions, as one and two.
func writeLabelled(t *testing.T, damage labelFault) {
	games := setup.Must(dataset.NewGameWriter("games", dataset.WriterConfig{Config: "walks", Program: "test"}))
	var sets [2]*dataset.Writer[dataset.PositionRow]
	for i, name := range []string{"one", "two"} {
		sets[i] = setup.Must(dataset.NewPositionWriter(name, dataset.WriterConfig{Config: name, Program: "test"}))
	}
	rng := rand.New(rand.NewPCG(8, 8))
	for n := range 40 {
		game, score := board.NewGame(board.StartPosition()), 0
		var scores []int16
		for range 60 {
			moves := game.Position().LegalMoves(nil)
			if len(moves) == 0 || game.Position().Halfmove() > 90 {
				break
			}
			m := moves[rng.IntN(len(moves))]
			for _, x := range moves {
				if game.Position().IsCapture(x) && rng.IntN(2) == 0 {
					m = x
				}
			}
			score = walkScore(game.Position()) + rng.IntN(60) - 30
			scores = append(scores, int16(score))
			game.Push(m)
		}
		g := setup.Must(dataset.NewGameRow(game))
		g.Scores, g.Game = scores, uint64(n+1)
		g.White, g.Black = [2]string{"a", "b"}[n%2], [2]string{"b", "a"}[n%2]
		switch x := score + rng.IntN(1000) - 500; {
		case g.Termination != "": // the rules ended it
		case x > 200:
			g.Result = 1
		case x < -200:
			g.Result = -1
		default:
			g.Result = 0
		}
		for set, w := range sets {
			for ply, at := range g.Replay() {
				if ply < len(scores) {
					p := dataset.PositionRow{Board: *at.Position(), Ply: uint16(ply), Score: scores[ply], Weight: 1,
						Result: dataset.ResultOf(g.Result), Game: uint64(1000*set + n + 1), Opening: uint64(n + 1)}
					if damage.row != nil {
						damage.row(&p)
					}
					setup.Check(t, w.Append(&p))
				}
			}
		}
		if damage.game != nil {
			damage.game(n, &g)
		}
		setup.Check(t, games.Append(&g))
	}
	for _, w := range sets {
		setup.Must(w.Finish(nil))
	}
	setup.Must(games.Finish(nil))
}
