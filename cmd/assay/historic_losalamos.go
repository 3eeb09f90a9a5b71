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
moves of pawns. Moves are written from square to square, a1 to f6: d2d3, and e5f6q for a
promotion. The player losalamos-1956 is the same program on eight by eight.`,
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
		Short: "Play a game, against itself or against you, or replay MANIAC's",
		Long: `Play a game of the program against itself, or with --human against you, who type a move
a line; or with --replay the game in which MANIAC beat a beginner, and what this program
plays in its place. A game ends with mate or stalemate, at the third occurrence of a
position, and after 50 moves of each side without a capture or a pawn's move.`,
		Example: `  assay historic losalamos play
  assay historic losalamos play --human black --depth 3
  assay historic losalamos play --replay`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if depth < 1 || depth > 12 {
				return usagef("--depth %d is not a number of plies from 1 to 12", depth)
			}
			if human != "" && human != "white" && human != "black" {
				return usagef("--human %s: you are white or black", human)
			}
			p, err := losalamos.ParseFEN(fen)
			if err != nil {
				return err
			}
			g := &smallGame{p: p, depth: depth, human: human, ctx: cmd.Context(), seen: map[string]int{}}
			switch {
			case replay:
				return g.replay(cmd.OutOrStdout())
			case human != "":
				return runDialogue(cmd, g)
			}
			return g.run(cmd.OutOrStdout())
		},
	}
	c.Flags().StringVar(&fen, "fen", losalamos.StartFEN, "position to begin with")
	c.Flags().StringVar(&human, "human", "", "white or black: play against you; your moves are read from standard input")
	c.Flags().IntVar(&depth, "depth", losalamos.Depth, "plies to look ahead")
	c.Flags().BoolVar(&replay, "replay", false, "replay MANIAC's game")
	return c
}

// smallGame is a game on six by six.
type smallGame struct {
	p      losalamos.Position
	depth  int
	human  string
	ctx    context.Context
	seen   map[string]int // positions, by their FEN
	barren int            // plies without a capture or a pawn's move
}

func (g *smallGame) board() string   { return g.p.String() }
func (g *smallGame) humanTurn() bool { return g.p.SideToMove().String() == g.human }

func (g *smallGame) over() string {
	switch {
	case len(g.p.Moves(nil)) == 0 && g.p.InCheck():
		return "Mate: " + g.p.SideToMove().Other().String() + " wins."
	case len(g.p.Moves(nil)) == 0:
		return "Stalemate: drawn."
	case g.seen[g.p.FEN()] >= 2:
		return "The position is there for the third time: drawn."
	case g.barren >= 100:
		return "Fifty moves without a capture or a pawn's move: drawn."
	}
	return ""
}

func (g *smallGame) answer() string {
	c, ok := losalamos.Choose(&g.p, g.depth, func() bool { return g.ctx.Err() != nil })
	if !ok {
		return "none, interrupted"
	}
	g.push(c.Move)
	return c.Move.String()
}

func (g *smallGame) play(text string) error {
	m, err := g.p.Parse(text)
	if err == nil {
		g.push(m)
	}
	return err
}

func (g *smallGame) push(m losalamos.Move) {
	g.seen[g.p.FEN()]++
	g.barren++
	if g.p.Progress(m) {
		g.barren = 0
	}
	g.p.Make(m)
}

// run plays the program against itself.
func (g *smallGame) run(w io.Writer) error {
	for ply := 0; ; ply++ {
		end := g.over()
		if end != "" {
			_, err := fmt.Fprintf(w, "\n%s%s\n", g.p.String(), end)
			return err
		}
		move := g.answer()
		if err := g.ctx.Err(); err != nil {
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

// replay shows MANIAC's game beside what the program would play for White.
func (g *smallGame) replay(w io.Writer) error {
	g.p = losalamos.Start()
	turns, agree := 0, 0
	moves := losalamos.PublicGame()
	for i, text := range moves {
		m, err := g.p.Parse(text)
		if err != nil {
			return err
		}
		if i%2 == 0 {
			c, ok := losalamos.Choose(&g.p, g.depth, func() bool { return g.ctx.Err() != nil })
			if !ok {
				return g.ctx.Err()
			}
			reply := ""
			if i+1 < len(moves) {
				reply = moves[i+1]
			}
			mark := ""
			if turns++; c.Move == m {
				agree++
				mark = "   the same"
			}
			fmt.Fprintf(w, "%3d. %-6s %-6s this program: %s, %+.1f%s\n", i/2+1, text, reply, c.Move, float64(c.Value)/10, mark)
		}
		g.push(m)
	}
	_, err := fmt.Fprintf(w, "%s%s\n%d plies, all legal; the same move in %d of %d turns\n", g.p.String(), g.over(), len(moves), agree, turns)
	return err
}

// smallPerftReport is what perft --json prints.
type smallPerftReport struct {
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
		Short:   "Count the positions that moves on six by six lead to",
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
			begin := time.Now()
			n, err := smallPerft(cmd.Context(), &p, depth)
			if err != nil {
				return err
			}
			r := smallPerftReport{p.FEN(), depth, n, time.Since(begin).Seconds()}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), r)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "nodes    %d\nseconds  %.3f\nnodes/s  %.0f\n", r.Nodes, r.Seconds, float64(r.Nodes)/max(r.Seconds, 1e-9))
			return err
		},
	}
	c.Flags().StringVar(&fen, "fen", losalamos.StartFEN, "position to begin with")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

// smallPerft is losalamos.Perft that can be interrupted: it looks at ctx above each tree
// of four plies.
func smallPerft(ctx context.Context, p *losalamos.Position, depth int) (uint64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if depth <= 4 {
		return losalamos.Perft(p, depth), nil
	}
	n := uint64(0)
	for _, m := range p.Moves(nil) {
		after := *p
		after.Make(m)
		under, err := smallPerft(ctx, &after, depth-1)
		if err != nil {
			return 0, err
		}
		n += under
	}
	return n, nil
}
