package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/engine/historic/losalamos"
)

func newLosAlamosCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "losalamos",
		Short: "The chess of MANIAC on six squares by six, 1956",
		Long: `Chess on six squares by six as MANIAC played it: no bishops, no castling, no double
pawn moves. Moves are written from square to square, a1 to f6: d2d3, and e5f6q for a
promotion. The player losalamos-1956 is the same program on eight squares by eight.`,
		Example: "  assay historic losalamos play\n  assay historic losalamos perft 5",
	}
	c.AddCommand(newLosAlamosPlayCommand(), newLosAlamosPerftCommand())
	return c
}

func newLosAlamosPlayCommand() *cobra.Command {
	var fen, human string
	var depth int
	var replay bool
	c := &cobra.Command{
		Use:   "play",
		Short: "Play a game, program against program or against you, or replay MANIAC's",
		Long: `Play a game of the program against itself, or with --human against you, who type one
move a line. With --replay, replay the game in which MANIAC beat a beginner and show what
this program would play. A game ends with checkmate or stalemate, at the third occurrence
of a position, and after 50 moves of each side without a capture or a pawn move.`,
		Example: `  assay historic losalamos play
  assay historic losalamos play --human black --depth 3
  assay historic losalamos play --replay`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if depth < 1 || depth > 12 {
				return usagef("--depth %d is not a number of plies from 1 to 12", depth)
			}
			if human != "" && human != "white" && human != "black" {
				return usagef("--human %s: use white or black", human)
			}
			p, err := losalamos.ParseFEN(fen)
			if err != nil {
				return err
			}
			d := &losAlamosDialogue{g: losalamos.NewGame(p), depth: depth, human: human, ctx: cmd.Context()}
			switch {
			case replay:
				return replayLosAlamos(cmd.Context(), cmd.OutOrStdout(), depth)
			case human != "":
				return runDialogue(cmd, d)
			}
			return d.playItself(cmd.OutOrStdout())
		},
	}
	c.Flags().StringVar(&fen, "fen", losalamos.StartFEN, "position to start from")
	c.Flags().StringVar(&human, "human", "", "white or black: play against you; your moves are read from standard input")
	c.Flags().IntVar(&depth, "depth", losalamos.Depth, "plies to look ahead")
	c.Flags().BoolVar(&replay, "replay", false, "replay MANIAC's game")
	return c
}

// losAlamosDialogue is a game against a person, or of the program against itself.
type losAlamosDialogue struct {
	g     *losalamos.Game
	depth int
	human string
	ctx   context.Context
}

func (d *losAlamosDialogue) board() string   { return d.g.Position().String() }
func (d *losAlamosDialogue) humanTurn() bool { return d.g.Position().SideToMove().String() == d.human }
func (d *losAlamosDialogue) over() string    { return d.g.Outcome() }

func (d *losAlamosDialogue) answer() string {
	c, ok := losalamos.Choose(d.g.Position(), d.depth, func() bool { return d.ctx.Err() != nil })
	if !ok {
		return "no move, interrupted"
	}
	d.g.Push(c.Move)
	return c.Move.String()
}

func (d *losAlamosDialogue) play(text string) error {
	m, err := d.g.Position().Parse(text)
	if err == nil {
		d.g.Push(m)
	}
	return err
}

// playItself plays the program against itself.
func (d *losAlamosDialogue) playItself(w io.Writer) error {
	for ply := 0; ; ply++ {
		if end := d.over(); end != "" {
			_, err := fmt.Fprintf(w, "\n%s%s\n", d.board(), end)
			return err
		}
		move := d.answer()
		if err := d.ctx.Err(); err != nil {
			return err
		}
		switch {
		case ply%2 == 0 && ply > 0:
			fmt.Fprintf(w, "\n%3d. %s", ply/2+1, move)
		case ply%2 == 0:
			fmt.Fprintf(w, "%3d. %s", 1, move)
		default:
			fmt.Fprintf(w, "  %s", move)
		}
	}
}

// replayLosAlamos prints MANIAC's game beside the moves of this program for White.
func replayLosAlamos(ctx context.Context, w io.Writer, depth int) error {
	turns, g, err := losalamos.Replay(ctx, depth, 1)
	if err != nil {
		return err
	}
	same := 0
	for i, t := range turns {
		mark := ""
		if t.Choice.Move == t.Played {
			same++
			mark = "   the same"
		}
		fmt.Fprintf(w, "%3d. %-6s %-6s this program: %s, %+.1f%s\n", i+1, t.Played, t.Reply, t.Choice.Move, float64(t.Choice.Value)/10, mark)
	}
	_, err = fmt.Fprintf(w, "%s%s\n%d plies, all legal; the same move in %d of %d turns\n",
		g.Position(), g.Outcome(), len(losalamos.PublicGame()), same, len(turns))
	return err
}

// losAlamosPerft is the output of perft --json.
type losAlamosPerft struct {
	FEN     string  `json:"fen"`
	Depth   int     `json:"depth"`
	Nodes   uint64  `json:"nodes"`
	Seconds float64 `json:"seconds"`
}

func newLosAlamosPerftCommand() *cobra.Command {
	var fen string
	var asJSON bool
	c := &cobra.Command{
		Use:     "perft DEPTH",
		Short:   "Count the positions reachable by moves on six squares by six",
		Long:    "Count the leaves of the tree of legal moves on six squares by six.",
		Example: "  assay historic losalamos perft 5",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			depth, err := strconv.Atoi(args[0])
			if err != nil || depth < 0 {
				return usagef("the depth %q is not a number of plies", args[0])
			}
			p, err := losalamos.ParseFEN(fen)
			if err != nil {
				return err
			}
			start := time.Now()
			n, err := losalamos.Perft(cmd.Context(), &p, depth)
			if err != nil {
				return err
			}
			r := losAlamosPerft{p.FEN(), depth, n, time.Since(start).Seconds()}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), r)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "nodes    %d\nseconds  %.3f\nnodes/s  %.0f\n", r.Nodes, r.Seconds, float64(r.Nodes)/max(r.Seconds, 1e-9))
			return err
		},
	}
	c.Flags().StringVar(&fen, "fen", losalamos.StartFEN, "position to start from")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}
