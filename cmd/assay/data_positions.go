package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/dataset/positions"
	"github.com/assay-chess/assay/models"
)

// positionsFlags are the flags of assay data positions, and of assay data relabel.
type positionsFlags struct {
	filter  positions.Filter
	out     string
	weights string // of the quiescence search
	nodes   uint64 // of a search for a new score; 0: none
	judge   string // weights of that search
	workers int
	asJSON  bool
}

func newDataPositionsCommand() *cobra.Command {
	f := positionsFlags{filter: positions.DefaultFilter()}
	var relabels string
	cmd := &cobra.Command{
		Use:   "positions DATA... --out DIR",
		Short: "Make the positions that a tuner learns from, of games or of other positions",
		Long: `Take the positions of games, each with the game's result and the score of its search, and
say for each that is left out why. Opening plies, positions in check, mate scores and
huge scores are dropped; so are positions that were there before. Data sets of positions
can be filtered too.

A noisy position, one whose evaluation a capture is about to change, is replaced by the
leaf of its quiescence search: to drop it would hide every threat that the side to move
can execute. Positions are never dropped because search and evaluation disagree: that
keeps what agrees with the teacher.

Duplicates are found exactly, whatever the size of the data, in bounded memory. --sample
takes so many positions in all, every choice equally likely; --uniform takes as many of
each result in each of five bands of the phase (24, 18-23, 12-17, 6-11, 0-5) as the rarest
of these has, or with --sample as equal numbers as there are. --relabel gives what is left
new scores; the scores of a killed search are not searched again.

The bytes do not depend on --workers. After an interruption the same command goes on.
A data set, or a game, that is given twice is an error.`,
		Example: `  assay data positions games --out positions
  assay data positions gen1 gen2 --out positions --max-per-game 20 --seed 1
  assay data positions imported --out quiet --uniform --relabel nodes=5000`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if f.out == "" {
				return usagef("--out DIR says where to write the positions")
			}
			if err := f.filter.Check(); err != nil {
				return usageError{err}
			}
			if relabels != "" {
				if f.nodes, f.judge, err = parseRelabel(relabels); err != nil {
					return usagef("--relabel: %w", err)
				}
			}
			return f.run(cmd, args)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&f.filter.Resolve, "resolve", f.filter.Resolve, "noisy positions: qsearch (replace by the quiescence leaf), drop or keep")
	fs.StringVar(&f.weights, "weights", "shannon-1950", "weight file, or name of embedded weights, of the quiescence search")
	fs.IntVar(&f.filter.MaxScore, "max-score", f.filter.MaxScore, "drop positions with |score| above it, in centipawns; 0 drops mates only")
	fs.IntVar(&f.filter.SkipPlies, "skip-plies", 0, "drop so many plies behind each opening too")
	fs.IntVar(&f.filter.FewestPieces, "fewest-men", 0, "drop positions with fewer men, kings included")
	fs.IntVar(&f.filter.MaxPerGame, "max-per-game", 0, "take at most so many positions of a game, by chance; 0 takes all")
	fs.BoolVar(&f.filter.NeedScore, "need-score", false, "drop positions that were not searched")
	fs.BoolVar(&f.filter.KeepDuplicates, "keep-duplicates", false, "keep positions that were there before (first four FEN fields)")
	fs.BoolVar(&f.filter.Uniform, "uniform", false, "take equally many of each result and phase")
	fs.Int64Var(&f.filter.Sample, "sample", 0, "take so many in all, by chance; 0 takes all")
	fs.StringVar(&relabels, "relabel", "", "search for new scores: nodes=N, or nodes=N,weights=FILE-or-name (default weights: assay)")
	fs.Uint64Var(&f.filter.Seed, "seed", 0, "of all chances")
	f.add(cmd)
	return cmd
}

// add adds the flags that both commands have.
func (f *positionsFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.out, "out", "", "folder to write (required)")
	fs.IntVar(&f.workers, "workers", 0, "threads; 0 is one a core")
	fs.BoolVar(&f.asJSON, "json", false, "print one JSON object")
}

// judgeWeights search for new scores where nothing else is said.
const judgeWeights = models.Default

// parseRelabel reads nodes=N[,weights=FILE-or-name].
func parseRelabel(text string) (nodes uint64, weights string, err error) {
	weights = judgeWeights
	for setting := range strings.SplitSeq(text, ",") {
		switch key, value, _ := strings.Cut(setting, "="); key {
		case "nodes":
			nodes, err = strconv.ParseUint(value, 10, 64)
		case "weights":
			weights = value
		default:
			err = fmt.Errorf("%q is neither nodes=N nor weights=FILE", setting)
		}
		if err != nil {
			return 0, "", err
		}
	}
	if nodes == 0 {
		return 0, "", errors.New("want nodes=N, N from 1")
	}
	return nodes, weights, nil
}

func newDataRelabelCommand() *cobra.Command {
	f := positionsFlags{filter: positions.Filter{Resolve: positions.ResolveKeep, KeepDuplicates: true, All: true}}
	cmd := &cobra.Command{
		Use:   "relabel POSITIONS... --out DIR",
		Short: "Search positions for new scores",
		Long: `Search every position of data sets with assay's engine, and write them with the scores found
(White's view, centipawns). The search of a position knows of no other, so that the scores do
not depend on the order or on --workers. No position is dropped.

After an interruption the same command goes on; no position is searched twice.`,
		Example: "  assay data relabel positions --nodes 5000 --out relabelled",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.out == "" {
				return usagef("--out DIR says where to write the positions")
			}
			if f.nodes == 0 {
				return usagef("--nodes N says how long to search")
			}
			return f.run(cmd, args)
		},
	}
	cmd.Flags().Uint64Var(&f.nodes, "nodes", 5000, "of a search; it finishes the iteration in which it passes them")
	cmd.Flags().StringVar(&f.judge, "weights", judgeWeights, "weight file, or name of embedded weights, of the search")
	f.add(cmd)
	return cmd
}

func (f *positionsFlags) run(cmd *cobra.Command, sources []string) error {
	stderr := cmd.ErrOrStderr()
	label := "data " + cmd.Name()
	c := positions.Config{Filter: f.filter, Program: programVersion(), Workers: f.workers}
	if err := f.searches(&c); err != nil {
		return err
	}
	p := newProgress(stderr, label)
	c.Progress = p.update
	m, counts, err := f.extract(cmd.Context(), label, sources, c, stderr)
	switch {
	case errors.Is(err, dataset.ErrComplete):
		fmt.Fprintf(stderr, "%s: %s is complete: %d positions; nothing to do\n", label, f.out, counts.Kept)
	case err != nil:
		return positionsAdvice(err)
	default:
		p.finish(fmt.Sprintf("%d positions of %d games in %s", counts.Kept, counts.Games, f.out))
	}
	if counts.SameMoves > 0 {
		fmt.Fprintf(stderr, "%s: warning: %d of %d games are an earlier one move by move; are they given twice, under other names?\n",
			label, counts.SameMoves, counts.Games)
	}
	if !f.asJSON {
		return printCounts(cmd.OutOrStdout(), counts)
	}
	id, err := m.ID()
	if err != nil {
		return err
	}
	return printJSON(cmd.OutOrStdout(), struct {
		Out  string `json:"out"`
		ID   string `json:"id"`
		Rows int64  `json:"rows"`
		positions.Counts
	}{f.out, id, m.Rows, counts})
}

// extract makes positions of games or positions, whichever the sources are.
func (f *positionsFlags) extract(ctx context.Context, label string, sources []string, c positions.Config, stderr io.Writer) (*durable.Manifest, positions.Counts, error) {
	format, err := dataset.Detect(sources[0])
	if err != nil {
		return nil, positions.Counts{}, err
	}
	if format == dataset.PositionsFormat {
		open := func(path string) (*dataset.Reader[dataset.PositionRow], error) { return dataset.OpenPositions(path) }
		readers, err := openSources(label, sources, open, stderr)
		if err != nil {
			return nil, positions.Counts{}, err
		}
		return positions.Refine(ctx, readers, f.out, c)
	}
	if format == dataset.GamesFormat && f.filter.All {
		return nil, positions.Counts{}, fmt.Errorf("%s holds games; 'assay data positions --relabel nodes=N' makes positions of them, with new scores", sources[0])
	}
	open := func(path string) (*dataset.Reader[dataset.GameRow], error) { return dataset.OpenGames(path) }
	readers, err := openSources(label, sources, open, stderr)
	if err != nil {
		return nil, positions.Counts{}, err
	}
	return positions.Extract(ctx, readers, f.out, c)
}

func openSources[R any](label string, paths []string, open func(string) (*dataset.Reader[R], error), stderr io.Writer) ([]*dataset.Reader[R], error) {
	var readers []*dataset.Reader[R]
	for _, path := range paths {
		r, err := open(path)
		if err != nil {
			return nil, err
		}
		if !r.Verified() {
			fmt.Fprintf(stderr, "%s: warning: %s is unverified: it has no manifest\n", label, path)
		}
		readers = append(readers, r)
	}
	return readers, nil
}

func positionsAdvice(err error) error {
	switch {
	case errors.Is(err, dataset.ErrTwice):
		return fmt.Errorf("%w; give each once: what is there twice counts double", err)
	case errors.Is(err, dataset.ErrUngrouped):
		return fmt.Errorf("%w; --max-per-game needs the rows of a game one behind the other, with its name: "+
			"give the data as they were before they were shuffled, or import them with --infer-games", err)
	}
	return dataAdvice(err)
}

// searches sets up the quiescence search, and the search for new scores.
func (f *positionsFlags) searches(c *positions.Config) error {
	if f.filter.Resolve != positions.ResolveKeep {
		if err := f.resolver(c); err != nil {
			return err
		}
	}
	if f.nodes == 0 {
		return nil
	}
	file, err := models.Open(f.judge)
	if err != nil {
		return err
	}
	model, coefs, err := file.Weights()
	if err != nil {
		return err
	}
	c.Filter.Relabel = fmt.Sprintf("nodes=%d %s %s", f.nodes, file.Model, file.ID())
	c.NewRescorer, err = positions.Search(model, coefs, f.nodes)
	return err
}

// resolver sets up the quiescence search of the weights.
func (f *positionsFlags) resolver(c *positions.Config) error {
	file, err := models.Open(f.weights)
	if err != nil {
		return err
	}
	model, coefs, err := file.Weights()
	if err != nil {
		return err
	}
	c.Filter.Evaluation = file.Model + " " + file.ID()
	c.NewResolver, err = positions.Quiescence(model, coefs)
	return err
}

func printCounts(out io.Writer, c positions.Counts) error {
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
	line(c.FewPieces, "dropped: few men (--fewest-men)")
	line(c.NotSampled, "dropped: not sampled (--max-per-game)")
	line(c.Noisy, "dropped: noisy (--resolve drop)")
	line(c.BadLeaf, "dropped: the quiescence leaf is in check or mate")
	line(c.Duplicate, "dropped: duplicate")
	line(c.NotChosen, "dropped: not chosen (--uniform, --sample)")
	line(c.Kept, "kept")
	line(c.Replaced, "of these, replaced by their quiescence leaf")
	return w.Flush()
}
