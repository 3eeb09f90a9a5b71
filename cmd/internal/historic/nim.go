package historic

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/internal/historic/nim"
	"github.com/spf13/cobra"
)

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
			luck := ""
			if !found {
				luck = " (random: no move leaves a safe position)"
			}
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
