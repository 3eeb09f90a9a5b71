package historic

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/assay-chess/assay/internal/historic"
	"github.com/assay-chess/assay/internal/historic/draughts"
	"github.com/assay-chess/assay/internal/historic/losalamos"
)

// The programs that do not play chess on 64 squares.
const (
	strachey  = "strachey"
	losAlamos = "losalamos"
)

func openStrachey() (*printedProgram, historic.Options) {
	number, stages, king := 2, 0, 0
	p := &printedProgram{Name: strachey, Source: "Faster Than Thought, chapter 25, 1953", Width: 14,
		Note:   "the program chooses at random among the best moves: same if the printed one is among them",
		Titles: []string{"Strachey's program, strategy 2 - a person"}}
	p.play = func(_ context.Context, _ int, each func(replayedTurn)) (replayedGame, error) {
		s := [...]draughts.Strategy{draughts.Strategy1(), draughts.Strategy2()}[number-1]
		if stages > 0 {
			s.Stages = stages
		}
		if king > 0 {
			s.King = king
		}
		g := replayedGame{Title: p.Titles[0], Side: "black"}
		turns, err := draughts.Replay(s, rand.New(rand.NewPCG(1, 0)))
		for i := range turns {
			g.add(draughtsTurn(i+1, &turns[i]), each)
		}
		return g, err
	}
	return p, historic.Options{historic.Number("strategy", &number, 1, 2), historic.Number("stages", &stages, 0, 12),
		historic.Number("king", &king, 0, 100*draughts.Man)}
}

func draughtsTurn(number int, t *draughts.Turn) replayedTurn {
	men := func(eighths int) float64 { return float64(eighths) / draughts.Man }
	turn := replayedTurn{Number: number, Printed: t.Played.String(), Reply: t.Reply, Chosen: t.Choice.Move.String(),
		Same: t.Agrees(),
		Why:  fmt.Sprintf("gains %+.3f men; best moves: %d of %d", men(t.Gain), len(t.Choice.Best), t.Legal)}
	if turn.Same {
		turn.Chosen = turn.Printed
	} else {
		turn.Against = fmt.Sprintf("%s: gains %+.3f men", t.Played, men(t.Actual))
	}
	return turn
}

func openLosAlamos() (*printedProgram, historic.Options) {
	depth := losalamos.Depth
	p := &printedProgram{Name: losAlamos, Source: "public; the paper prints no game", Width: 6,
		Note:   "chess on six squares by six; values in pawns: material and mobility",
		Titles: []string{"MANIAC I - a beginner, 1956"}}
	p.play = func(ctx context.Context, _ int, each func(replayedTurn)) (replayedGame, error) {
		g := replayedGame{Title: p.Titles[0], Side: "white"}
		turns, _, err := losalamos.Replay(ctx, depth)
		for i, t := range turns {
			g.add(losAlamosTurn(i+1, &t), each)
		}
		return g, errors.Join(err, ctx.Err())
	}
	return p, historic.Options{historic.Number("depth", &depth, 1, 12)}
}

func losAlamosTurn(number int, t *losalamos.Turn) replayedTurn {
	line := make([]string, len(t.Choice.Line))
	for i, m := range t.Choice.Line {
		line[i] = m.String()
	}
	return replayedTurn{Number: number, Printed: t.Played.String(), Reply: t.Reply, Chosen: t.Choice.Move.String(),
		Same: t.Choice.Move == t.Played,
		Why:  fmt.Sprintf("%+.1f by %s", float64(t.Choice.Value)/10, strings.Join(line, " "))}
}
