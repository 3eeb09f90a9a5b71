package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/engine/historic/draughts"
)

// learnKingReport is what learn-king --json prints.
type learnKingReport struct {
	Seed    uint64              `json:"seed"`
	Lessons []draughts.Lesson   `json:"lessons"`
	Learned float64             `json:"learned"` // as played, to the nearest eighth
	Against float64             `json:"against"`
	Match   draughts.Comparison `json:"match"`
}

func newLearnKingCommand() *cobra.Command {
	var f draughtsFlags
	var rounds, games, pairs int
	var asJSON bool
	c := &cobra.Command{
		Use:   "learn-king",
		Short: "Learn the value of a king from games of the machine against itself",
		Long: `Learn the value of a king from the results of games that the machine plays against
itself, in rounds: each is played by the value that the round before it found. Then play
the value learned against the one it began with, in pairs of games from random openings.

A round's value is the one that best explains its results (logistic regression on the
differences in men and kings), with the interval of 95 % that its games leave. It is the
value of a king in the hands of this program, which hardly knows how to win with one.`,
		Example: `  assay historic draughts learn-king
  assay historic draughts learn-king --king 1 --games 4000 --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := f.get()
			if err != nil {
				return err
			}
			if rounds < 1 || games < 100 || pairs < 1 {
				return usagef("needed are --rounds 1, --games 100 and --pairs 1 or more")
			}
			p := newProgress(cmd.ErrOrStderr(), "learning")
			r := learnKingReport{Seed: f.seed, Against: float64(s.King) / draughts.Man}
			r.Lessons, err = draughts.Learn(cmd.Context(), draughts.Learning{Strategy: s, Rounds: rounds, Games: games, Seed: f.seed,
				Progress: func(done, total int64) { p.update(done, total, "") }})
			if err != nil {
				return err
			}
			p.finish(fmt.Sprintf("%d games", rounds*games))
			learned := s
			learned.King = r.Lessons[rounds-1].Eighths()
			r.Learned = float64(learned.King) / draughts.Man
			p = newProgress(cmd.ErrOrStderr(), "match")
			r.Match, err = draughts.Compare(cmd.Context(), learned, s, pairs, f.seed+1,
				func(done, total int64) { p.update(done, total, "pairs") })
			if err != nil {
				return err
			}
			p.finish(fmt.Sprintf("%d games", 2*pairs))
			if asJSON {
				return printJSON(cmd.OutOrStdout(), r)
			}
			return r.print(cmd.OutOrStdout())
		},
	}
	f.add(c)
	c.Flags().IntVar(&rounds, "rounds", 3, "rounds of games")
	c.Flags().IntVar(&games, "games", 1000, "games a round")
	c.Flags().IntVar(&pairs, "pairs", 1000, "pairs of games between the value learned and the one begun with")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

func (r *learnKingReport) print(w io.Writer) error {
	fmt.Fprintln(w, "round  played by  king in men  95 % interval     games  drawn  positions")
	for _, l := range r.Lessons {
		fmt.Fprintf(w, "%5d  %9.3f  %11.3f  %.3f to %.3f  %8d  %5d  %9d\n", l.Round, l.Played, l.King, l.Low, l.High, l.Games, l.Drawn, l.Positions)
	}
	m := r.Match
	_, err := fmt.Fprintf(w, "a king of %.3f scores %.2f %% against one of %.3f in %d pairs (95 %% interval %.2f to %.2f %%, %d of %d games drawn)\n",
		r.Learned, 100*m.Score, r.Against, m.Pairs, 100*m.Low, 100*m.High, m.Drawn, 2*m.Pairs)
	return err
}
