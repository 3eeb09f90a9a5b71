package historic

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/internal/historic/draughts"
	"github.com/assay-chess/assay/internal/historic/losalamos"
	"github.com/assay-chess/assay/internal/historic/nim"
	"github.com/spf13/cobra"
)

func newLosAlamos() *cobra.Command {
	var depth int
	c := &cobra.Command{
		Use:   "losalamos",
		Short: "The 6x6 chess of MANIAC, 1956, against itself",
		Long: `Chess on six squares by six as MANIAC played it: no bishops, no castling, no double
pawn moves. Moves are written from square to square, a1 to f6: d2d3, and e5f6q for a
promotion. "assay historic replay losalamos" replays MANIAC's own game. The player
losalamos-1956 is the same program on eight squares by eight.

A game ends with checkmate or stalemate, at the third occurrence of a position, and after 50
moves of each side without a capture or a pawn move.`,
		Example: "  assay historic losalamos --depth 3",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if depth < 1 || depth > 12 {
				return ui.Usagef("--depth %d is not a number of plies from 1 to 12", depth)
			}
			g, w := losalamos.NewGame(losalamos.Start()), cmd.OutOrStdout()
			stop := func() bool { return cmd.Context().Err() != nil }
			for ply := 0; g.Outcome() == ""; ply++ {
				c, ok := losalamos.Choose(g.Position(), depth, stop)
				if !ok || stop() {
					return cmd.Context().Err()
				}
				g.Push(c.Move)
				if ply%2 == 0 {
					fmt.Fprintf(w, "%3d. %s", ply/2+1, c.Move)
				} else {
					fmt.Fprintf(w, "  %s\n", c.Move)
				}
			}
			_, err := fmt.Fprintf(w, "\n%s%s\n", g.Position(), g.Outcome())
			return err
		},
	}
	c.Flags().IntVar(&depth, "depth", losalamos.Depth, "plies to look ahead")
	return c
}

func newNim() *cobra.Command {
	var heaps []int
	var rules nim.Rules
	var seed uint64
	c := &cobra.Command{
		Use:   "nim --heaps N,N,...",
		Short: "Make a move at nim as Nimrod did in 1951",
		Long: `Make a move at nim, and print the heaps that it leaves and the reason: the case and the
binary columns. A move takes at least one match from each of 1 to --max-heaps heaps. The
player that takes the last match loses, or wins with --last-wins. If every move loses against
correct play, the move is random.`,
		Example: "  assay historic nim --heaps 7,4,5,2 --max-heaps 2",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := rules.Check(heaps); err != nil {
				return ui.Usage(err)
			}
			left, found := rules.Move(heaps, rand.New(rand.NewPCG(seed, 0)))
			if left == nil {
				return errors.New("all heaps are empty: the game is over")
			}
			luck := ui.If(!found, " (random: no move leaves a safe position)")
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "case %c     %s\nheaps      %s, columns 16 8 4 2 1 sum to %v\n"+
				"leaves     %s, columns sum to %v%s\n", rules.Case(heaps), nimRule(rules, heaps), commas(heaps), nim.Sums(heaps),
				commas(left), nim.Sums(left), luck)
			return err
		},
	}
	c.Flags().IntSliceVar(&heaps, "heaps", nil, fmt.Sprintf("matches in each heap, 2 to %d heaps of 0 to %d",
		nim.MaxHeaps, nim.MaxHeap))
	c.Flags().IntVar(&rules.K, "max-heaps", 1, "number of heaps that one move may take from, fewer than all")
	c.Flags().BoolVar(&rules.LastWins, "last-wins", false, "the player that takes the last match wins")
	c.Flags().Uint64Var(&seed, "seed", 1, "random seed")
	return c
}

// nimRule says what the program aims at.
func nimRule(r nim.Rules, heaps []int) string {
	rule := fmt.Sprintf("column sums divisible by %d", r.K+1)
	if r.LastWins {
		return rule
	}
	switch string(r.Case(heaps)) {
	case "a":
		return fmt.Sprintf("more than %d heaps hold more than one match: the normal routine, ", r.K) + rule
	case "b":
		return fmt.Sprintf("at most %d heaps hold more than one match: leave heaps of one, 1 or %d or %d ...", r.K, r.K+2,
			2*r.K+3)
	}
	return fmt.Sprintf("no heap holds more than one match: leave 1 or %d or %d ...", r.K+2, 2*r.K+3)
}

func commas(numbers []int) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(numbers), "[]"), " ", ",")
}

func newDraughts() *cobra.Command {
	var number int
	var seed uint64
	c := &cobra.Command{
		Use:   "draughts",
		Short: "Strachey's draughts program, 1952, against itself",
		Long: `Draughts as Strachey's program for the Manchester machine played it. Squares are
numbered 0 to 31 from Black's side, four a row. Black moves first, down the board. Moves are
written as in the book: 11-15, 6-20(16,9) for a capture, 6-1K for a new king. "assay historic
replay strachey" replays its printed game.

A game is a draw after 40 plies without a capture or a move of a man that is not a king; the
program does not know how to win.`,
		Example: "  assay historic draughts --seed 7",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if number != 1 && number != 2 {
				return ui.Usagef("--strategy %d: the strategies are 1 and 2", number)
			}
			s := []draughts.Strategy{draughts.Strategy1(), draughts.Strategy2()}[number-1]
			g := draughts.Play(draughts.Start(), s, s, rand.New(rand.NewPCG(seed, 0)))
			w := cmd.OutOrStdout()
			for i := 0; i < len(g.Moves); i += 2 { // as in the book, one move of each side a line
				reply := ""
				if i+1 < len(g.Moves) {
					reply = g.Moves[i+1].String()
				}
				fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("%3d. %-18s %s", i/2+1, g.Moves[i], reply), " "))
			}
			result := map[float64]string{0: "White wins", 0.5: "draw", 1: "Black wins"}[g.Result]
			_, err := fmt.Fprintf(w, "%s after %d plies\n", result, len(g.Moves))
			return err
		},
	}
	c.Flags().IntVar(&number, "strategy", 2, "1: all moves, 3 stages, kings worth 3; 2: until two moves in a row are not "+
		"captures, at most 4 stages, kings worth 2.875")
	c.Flags().Uint64Var(&seed, "seed", 1, "random seed of the choice among equal moves")
	return c
}
