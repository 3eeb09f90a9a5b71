package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/engine/historic/prinz"
)

func newPrinzCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "prinz [FEN]",
		Short: "Solve a mate in two as the Manchester machine did in 1951",
		Long: `Solve a mate in two as D. G. Prinz's program did: every first move of White's is
printed as it is tried, by the numbers of the squares, 11 to 18 for the bottom row up to
81 to 88, and MATE after the key; NO MATE if there is none. Without a FEN it is the first
problem that a computer solved.

Its rules have no castling, no double moves of pawns, no capture en passant and no
promotion, and do not tell mate and stalemate apart.`,
		Example: `  assay historic prinz
  assay historic prinz "7k/8/8/8/8/R7/1R6/6K1 w - - 0 1" --json`,
		Args: cobra.RangeArgs(0, 6), // a FEN without quotes is up to six
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = strings.Fields(prinz.Problem)
			}
			b, err := parseFENArgs(args)
			if err != nil {
				return err
			}
			p, err := prinz.New(&b)
			if errors.Is(err, prinz.ErrPosition) {
				return fmt.Errorf("%w: give the position with White to move", err)
			}
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			if asJSON {
				return printJSON(out, prinzReport(prinz.Solve(p, nil)))
			}
			s := prinz.Solve(p, func(m prinz.Move) { fmt.Fprintln(out, m) })
			if s.Found {
				fmt.Fprintln(out, "MATE.")
			} else {
				fmt.Fprintln(out, "NO MATE.")
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object, with the numbers of moves made and illegal")
	return c
}

// prinzResult is what prinz --json prints.
type prinzResult struct {
	Tried   []string `json:"tried"`
	Found   bool     `json:"found"`
	Made    int      `json:"made"`
	Illegal int      `json:"illegal"`
}

func prinzReport(s prinz.Solution) prinzResult {
	r := prinzResult{Tried: []string{}, Found: s.Found, Made: s.Made, Illegal: s.Illegal}
	for _, m := range s.Tried {
		r.Tried = append(r.Tried, m.String())
	}
	return r
}
