package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/relabel"
	"github.com/assay-chess/assay/models"
)

// positionsFlags are the flags of assay data positions.
type positionsFlags struct {
	filter  dataset.Filter
	out     string
	weights string
	workers int
	asJSON  bool
}

func newDataPositionsCommand() *cobra.Command {
	f := positionsFlags{filter: dataset.DefaultFilter()}
	cmd := &cobra.Command{
		Use:   "positions GAMES... --out DIR",
		Short: "Make the positions of games that a tuner learns from",
		Long: `Take the positions of games, each with the game's result and the score of its search, and
say for each that is left out why. Opening plies, positions in check, mate scores and
huge scores are dropped; so are positions that were there before.

A noisy position, one whose evaluation a capture is about to change, is replaced by the
leaf of its quiescence search: to drop it would hide every threat that the side to move
can execute. Positions are never dropped because search and evaluation disagree: that
keeps what agrees with the teacher.

The bytes do not depend on --workers. After an interruption the same command goes on.`,
		Example: `  assay data positions games --out positions
  assay data positions gen1 gen2 --out positions --max-per-game 20 --seed 1`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.out == "" {
				return usagef("--out DIR says where to write the positions")
			}
			if err := f.filter.Check(); err != nil {
				return usageError{err}
			}
			return f.run(cmd.Context(), args, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&f.out, "out", "", "folder to write (required)")
	fs.StringVar(&f.filter.Resolve, "resolve", f.filter.Resolve, "noisy positions: qsearch (replace by the quiescence leaf), drop or keep")
	fs.StringVar(&f.weights, "weights", "shannon-1950", "weight file, or name of embedded weights, of the quiescence search")
	fs.IntVar(&f.filter.MaxScore, "max-score", f.filter.MaxScore, "drop positions with |score| above it, in centipawns; 0 drops mates only")
	fs.IntVar(&f.filter.SkipPlies, "skip-plies", 0, "drop so many plies behind each opening too")
	fs.IntVar(&f.filter.FewestMen, "fewest-men", 0, "drop positions with fewer men, kings included")
	fs.IntVar(&f.filter.MaxPerGame, "max-per-game", 0, "take at most so many positions of a game, by chance; 0 takes all")
	fs.BoolVar(&f.filter.NeedScore, "need-score", false, "drop positions that were not searched")
	fs.BoolVar(&f.filter.KeepDuplicates, "keep-duplicates", false, "keep positions that were there before (first four FEN fields)")
	fs.Uint64Var(&f.filter.Seed, "seed", 0, "of the chance of --max-per-game")
	fs.IntVar(&f.workers, "workers", 0, "threads; 0 is one a core")
	fs.BoolVar(&f.asJSON, "json", false, "print one JSON object")
	return cmd
}

func (f *positionsFlags) run(ctx context.Context, sources []string, stdout, stderr io.Writer) error {
	c := dataset.ExtractConfig{Filter: f.filter, Program: programVersion(), Workers: f.workers}
	if f.filter.Resolve != dataset.ResolveKeep {
		if err := f.resolver(&c); err != nil {
			return err
		}
	}
	var games []*dataset.Reader[dataset.GameRow]
	for _, path := range sources {
		r, err := dataset.OpenGames(path)
		if err != nil {
			return dataAdvice(err)
		}
		if !r.Verified() {
			fmt.Fprintf(stderr, "data positions: warning: %s is unverified: it has no manifest\n", path)
		}
		games = append(games, r)
	}
	p := newProgress(stderr, "data positions")
	c.Progress = p.update
	m, counts, err := dataset.Extract(ctx, games, f.out, c)
	switch {
	case errors.Is(err, dataset.ErrComplete):
		fmt.Fprintf(stderr, "data positions: %s is complete: %d positions; nothing to do\n", f.out, counts.Kept)
	case err != nil:
		return dataAdvice(err)
	default:
		p.finish(fmt.Sprintf("%d positions of %d games in %s", counts.Kept, counts.Games, f.out))
	}
	if f.asJSON {
		id, err := m.ID()
		if err != nil {
			return err
		}
		return printJSON(stdout, struct {
			Out  string `json:"out"`
			ID   string `json:"id"`
			Rows int64  `json:"rows"`
			dataset.Counts
		}{f.out, id, m.Rows, counts})
	}
	return printCounts(stdout, counts)
}

// resolver sets up the quiescence search of the weights.
func (f *positionsFlags) resolver(c *dataset.ExtractConfig) error {
	file, err := models.Open(f.weights)
	if err != nil {
		return err
	}
	model, coefs, err := file.Weights()
	if err != nil {
		return err
	}
	c.Filter.Evaluation = file.Model + " " + file.ID()
	c.NewResolve, err = relabel.Quiescence(model, coefs)
	return err
}

func printCounts(out io.Writer, c dataset.Counts) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	line := func(n int64, what string) {
		if n > 0 {
			fmt.Fprintf(w, "%d\t%s\t  %s\n", n, share(n, c.Positions), what)
		}
	}
	fmt.Fprintf(w, "%d\t\t  games\n", c.Games)
	line(c.Positions, "positions")
	line(c.Opening, "dropped: opening, not searched")
	line(c.Early, "dropped: early (--skip-plies)")
	line(c.InCheck, "dropped: in check")
	line(c.Unscored, "dropped: no score (--need-score)")
	line(c.MateScore, "dropped: mate score")
	line(c.LargeScore, "dropped: large score (--max-score)")
	line(c.FewMen, "dropped: few men (--fewest-men)")
	line(c.NotSampled, "dropped: not sampled (--max-per-game)")
	line(c.Noisy, "dropped: noisy (--resolve drop)")
	line(c.BadLeaf, "dropped: the quiescence leaf is in check or mate")
	line(c.Duplicate, "dropped: duplicate")
	line(c.Kept, "kept")
	line(c.Replaced, "of these, replaced by their quiescence leaf")
	return w.Flush()
}
