package main

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/engine/historic/nim"
)

func newNimCommand() *cobra.Command {
	var heaps []int
	var rules nim.Rules
	var seed uint64
	var why, asJSON bool
	c := &cobra.Command{
		Use:   "nim --heaps N,N,...",
		Short: "Make a move at nim as Nimrod did in 1951",
		Long: `Make a move at nim and print the heaps that it leaves. A move takes at least one match
from each of 1 to --max-heaps heaps. The player that takes the last match loses, or wins
with --last-wins. If every move loses against correct play, the move is random.`,
		Example: `  assay historic nim --heaps 7,4,3,2 --max-heaps 1
  assay historic nim --heaps 7,4,5,2 --max-heaps 2 --why`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := rules.Check(heaps); err != nil {
				return usageError{err}
			}
			left, found := rules.Move(heaps, rand.New(rand.NewPCG(seed, 0)))
			if left == nil {
				return errors.New("all heaps are empty: the game is over")
			}
			r := nimReport{Heaps: heaps, MaxHeaps: rules.K, LastWins: rules.LastWins, Left: left, Found: found,
				Case: string(rules.Case(heaps)), Sums: nim.Sums(heaps), SumsLeft: nim.Sums(left)}
			switch {
			case asJSON:
				return printJSON(cmd.OutOrStdout(), r)
			case why:
				return r.print(cmd.OutOrStdout())
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), commas(left))
			return err
		},
	}
	c.Flags().IntSliceVar(&heaps, "heaps", nil, fmt.Sprintf("matches in each heap, 2 to %d heaps of 0 to %d", nim.MaxHeaps, nim.MaxHeap))
	c.Flags().IntVar(&rules.K, "max-heaps", 1, "number of heaps that one move may take from, fewer than all")
	c.Flags().BoolVar(&rules.LastWins, "last-wins", false, "the player that takes the last match wins")
	c.Flags().Uint64Var(&seed, "seed", 1, "random seed")
	c.Flags().BoolVar(&why, "why", false, "explain the move: the case and the binary columns")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

// nimReport is the output of nim --json.
type nimReport struct {
	Heaps    []int  `json:"heaps"`
	MaxHeaps int    `json:"max_heaps"`
	LastWins bool   `json:"last_wins"`
	Case     string `json:"case"`
	Sums     [5]int `json:"sums"` // of the columns 16 8 4 2 1
	Left     []int  `json:"left"`
	SumsLeft [5]int `json:"sums_left"`
	Found    bool   `json:"found"` // whether Left is a safe position
}

func (r *nimReport) print(w io.Writer) error {
	k := r.MaxHeaps
	rule := fmt.Sprintf("column sums divisible by %d", k+1)
	switch {
	case r.LastWins:
	case r.Case == "a":
		rule = fmt.Sprintf("more than %d heaps hold more than one match: the normal routine, ", k) + rule
	case r.Case == "b":
		rule = fmt.Sprintf("at most %d heaps hold more than one match: leave heaps of one, 1 or %d or %d ...", k, k+2, 2*k+3)
	case r.Case == "c":
		rule = fmt.Sprintf("no heap holds more than one match: leave 1 or %d or %d ...", k+2, 2*k+3)
	}
	luck := ""
	if !r.Found {
		luck = " (random: no move leaves a safe position)"
	}
	_, err := fmt.Fprintf(w, "case %s     %s\nheaps      %s, columns 16 8 4 2 1 sum to %v\nleaves     %s, columns sum to %v%s\n",
		r.Case, rule, commas(r.Heaps), r.Sums, commas(r.Left), r.SumsLeft, luck)
	return err
}

func commas(numbers []int) string {
	words := make([]string, len(numbers))
	for i, n := range numbers {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ",")
}
