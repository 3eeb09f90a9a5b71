package main

import (
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/engine/historic/draughts"
)

// kingScore is how one value of a king fares against the strategy's own.
type kingScore struct {
	King float64 `json:"king"`
	draughts.Comparison
}

func newCompareKingsCommand() *cobra.Command {
	var f draughtsFlags
	var pairs int
	var asJSON bool
	c := &cobra.Command{
		Use:   "compare-kings VALUE...",
		Short: "Play values of a king against the strategy's own",
		Long: `Play each value of a king, in men, against the strategy's own (2.875, or --king), in
pairs of games from random openings with colours reversed. All values meet the same
openings.`,
		Example: "  assay historic draughts compare-kings 1 1.5 2 2.5 3 4",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			own, err := f.get()
			if err != nil {
				return err
			}
			if pairs < 2 {
				return usagef("--pairs %d: needed are 2 or more", pairs)
			}
			p := newProgress(cmd.ErrOrStderr(), "compare-kings")
			var scores []kingScore
			for i, text := range args {
				g := f
				if g.king, err = strconv.ParseFloat(text, 64); err != nil || g.king == 0 {
					return usagef("%q is not a value of a king in men, like 2.875", text)
				}
				s, err := g.get()
				if err != nil {
					return err
				}
				r, err := draughts.Compare(cmd.Context(), s, own, pairs, f.seed, func(done, total int64) {
					p.update(int64(i)*total+done, int64(len(args))*total, "pairs")
				})
				if err != nil {
					return err
				}
				scores = append(scores, kingScore{g.king, r})
			}
			p.finish(fmt.Sprintf("%d games", 2*pairs*len(args)))
			if asJSON {
				return printJSON(cmd.OutOrStdout(), scores)
			}
			return printKings(cmd.OutOrStdout(), scores)
		},
	}
	f.add(c)
	c.Flags().IntVar(&pairs, "pairs", 1000, "pairs of games for each value")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON array")
	return c
}

func printKings(w io.Writer, scores []kingScore) error {
	fmt.Fprintln(w, "  king  score    95 % interval     drawn")
	for _, s := range scores {
		if _, err := fmt.Fprintf(w, "%6.3f  %5.2f %%  %5.2f to %5.2f %%  %5.1f %%\n",
			s.King, 100*s.Score, 100*s.Low, 100*s.High, 50*float64(s.Drawn)/float64(s.Pairs)); err != nil {
			return err
		}
	}
	return nil
}
