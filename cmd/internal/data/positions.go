package data

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/positions"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/selfplay/datagen"
	"github.com/assay-chess/assay/selfplay/roster"
)

type positionsFlags struct {
	filter  positions.Filter
	out     string
	weights string // of the quiescence search
	nodes   uint64 // of a search for a new score; 0: none
	judge   string // weights of that search
	player  string // that searches instead of assay with these weights
	workers int
	syzygy  string // folders of tables that correct results
	fifty   bool   // by the 50-move rule

	shares []int // of the phases

	preset, leafScore, forfeits, relabel string // as they were typed

	fromPreset bool // filter.QuietMove is a preset's
}

func newPositions() *cobra.Command {
	f := positionsFlags{filter: positions.DefaultFilter()}
	cmd := &cobra.Command{
		Use:   "positions DATA... --out DIR",
		Short: "Make training positions from games, or filter positions",
		Long: `Write the positions of games, each with the result of the game and the score of its search, and
count for each reason how many were dropped: opening plies, positions in check, mate scores, large
scores, duplicates, games that ended by a forfeit. Data sets of positions can be filtered too.

A noisy position, whose evaluation a pending capture is about to change, is replaced by the leaf of
its quiescence search, which has no score (--relabel gives it one). --preset sets the flags that are
not given:
  texel  --resolve qsearch --leaf-score drop: for tuning an evaluation. This is the default.
  nnue   --resolve keep --min-ply 16 --max-score 9999 --quiet-move: for training a network.
The output does not depend on --workers. After an interruption, the same command resumes. Of a run
in progress, the first games without a gap are used.`,
		Example: `  assay data positions games --out positions
  assay data positions gen1 gen2 --out positions --max-per-game 20 --seed 1
  assay data positions games --out train --preset nnue
  assay data positions games --out even --phase-shares 2,3,3,2,1
  assay data positions imported --out quiet --relabel nodes=5000`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			return f.run(cmd, args)
		},
	}
	fs := cmd.Flags()
	ui.Choice(fs, &f.preset, "preset", "", "texel or nnue: flags for tuning or for training a network", "texel", "nnue")
	ui.Choice(fs, &f.leafScore, "leaf-score", "drop", "score of a position that was replaced by its leaf: drop or keep "+
		"(the score of the position in the game)", "drop", "keep")
	ui.Choice(fs, &f.forfeits, "forfeits", "drop", "games that ended by a forfeit: drop or keep", "drop", "keep")
	fs.BoolVar(&f.filter.QuietMove, "quiet-move", false, "drop positions of games whose move captures or promotes")
	fs.IntVar(&f.filter.MaxNoise, "max-noise", 0, "drop positions whose quiescence search differs from the "+
		"evaluation by more, in centipawns; 0 drops none")
	fs.IntVar(&f.filter.MinPly, "min-ply", 0, "drop positions before this ply of the game")
	fs.StringVar(&f.filter.Resolve, "resolve", f.filter.Resolve, "noisy positions: qsearch (replace by the "+
		"quiescence leaf), drop or keep")
	fs.StringVar(&f.weights, "weights", "shannon-1950", "weight file, or name of embedded weights, for the "+
		"quiescence search")
	fs.IntVar(&f.filter.MaxScore, "max-score", f.filter.MaxScore, "drop positions with a larger |score|, in "+
		"centipawns; 0 drops only mates")
	fs.IntVar(&f.filter.SkipPlies, "skip-plies", 0, "also drop this many plies after each opening")
	fs.IntVar(&f.filter.FewestPieces, "fewest-pieces", 0, "drop positions with fewer pieces, kings and pawns included")
	fs.IntVar(&f.filter.MaxPerGame, "max-per-game", 0, "take at most this many positions of a game, at random; 0 "+
		"takes all")
	fs.BoolVar(&f.filter.NeedScore, "need-score", false, "drop positions without a score; --leaf-score drop takes "+
		"the score of replaced ones")
	fs.BoolVar(&f.filter.KeepDuplicates, "keep-duplicates", false, "keep duplicates (positions with equal first four "+
		"FEN fields)")
	fs.IntSliceVar(&f.shares, "phase-shares", nil, "take positions of the phases "+phaseNames()+" in these "+
		"proportions, `N,N,N,N,N`")
	fs.Int64Var(&f.filter.Sample, "sample", 0, "take this many positions in total, at random; 0 takes all")
	fs.StringVar(&f.relabel, "relabel", "", "search for new scores: nodes=N, or nodes=N,weights=FILE-or-name (default "+
		"weights: assay)")
	fs.Uint64Var(&f.filter.Seed, "seed", 0, "random seed")
	fs.IntVar(&f.workers, "workers", 0, "threads; 0 is one per core")
	f.addOutput(cmd)
	ui.ShortHelp(fs, "out", "preset", "resolve", "min-ply", "max-score", "max-per-game", "sample",
		"phase-shares", "relabel")
	return cmd
}

func (f *positionsFlags) check(cmd *cobra.Command) (err error) {
	if f.out == "" {
		return ui.Usagef("missing --out DIR")
	}
	if err := f.usePreset(cmd); err != nil {
		return err
	}
	f.filter.KeepForfeits = f.forfeits == "keep"
	if len(f.shares) > 0 {
		if len(f.shares) != len(eval.PhaseBands) || slices.Max(f.shares) == 0 {
			return ui.Usagef("--phase-shares %v: want a number for each phase: %s, not all 0", f.shares, phaseNames())
		}
		for i, n := range f.shares {
			f.filter.PhaseShares[i] = int64(n)
		}
	}
	f.filter.DropLeafScore = f.leafScore == "drop" && f.filter.Resolve == positions.ResolveLeaf
	if err := f.filter.Check(); err != nil {
		return ui.Usage(err)
	}
	if f.relabel != "" {
		if f.nodes, f.judge, err = parseRelabel(f.relabel); err != nil {
			return ui.Usagef("--relabel: %w", err)
		}
	}
	return nil
}

func phaseNames() string {
	return strings.Trim(fmt.Sprint(eval.PhaseBands), "[]")
}

// presets are flags for a purpose.
var presets = map[string][][2]string{
	"texel": {{"resolve", positions.ResolveLeaf}, {"leaf-score", "drop"}},
	"nnue":  {{"resolve", positions.ResolveKeep}, {"min-ply", "16"}, {"max-score", "9999"}, {"quiet-move", "true"}},
}

// usePreset sets the flags of a preset, but for those that are given.
func (f *positionsFlags) usePreset(cmd *cobra.Command) error {
	for _, flag := range presets[f.preset] {
		if cmd.Flags().Changed(flag[0]) {
			continue
		}
		if err := cmd.Flags().Lookup(flag[0]).Value.Set(flag[1]); err != nil {
			return err
		}
	}
	f.fromPreset = f.filter.QuietMove && !cmd.Flags().Changed("quiet-move")
	return nil
}

func (f *positionsFlags) addOutput(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.out, "out", "", "folder to write (required)")
	fs.StringVar(&f.syzygy, "syzygy", "", "correct results by the Syzygy tablebases in this folder")
	fs.BoolVar(&f.fifty, "syzygy-50", true, "with --syzygy: by the 50-move rule and the half-move clock; =false: without "+
		"the rule")
	ui.JSON(cmd)
}

// judgeWeights is the default of the weights that search for new scores.
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
		return 0, "", errors.New("want nodes=N, with N above 0")
	}
	return nodes, weights, nil
}

func newRelabel() *cobra.Command {
	f := positionsFlags{filter: positions.Filter{Resolve: positions.ResolveKeep, KeepDuplicates: true, All: true}}
	cmd := &cobra.Command{
		Use:   "relabel POSITIONS... --out DIR",
		Short: "Rescore positions by a new search",
		Long: `Search every position of data sets, with assay's engine or any other player, and write them
with the scores (White's view, centipawns). Results stay, unless --syzygy corrects them, and no
position is dropped. A score is missing where the player reports none.

With --pv N the positions along the principal variation of each search become a second data set,
OUT-pv, with the game's result and that score; a fit can weigh them: tune OUT OUT-pv --weight 1,0.5

Each search is a game of its own (ucinewgame), so the scores do not depend on --concurrency. Give
the player a small hash table, which is cleared for each position: 'uci:stockfish?Hash=1'.
After an interruption or a crash, the same command resumes; no position is searched twice.`,
		Example: `  assay data relabel positions --nodes 5000 --out relabeled
  assay data relabel positions --player ./engine --nodes 5000 --out relabeled`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.out == "" {
				return ui.Usagef("missing --out DIR")
			}
			if f.nodes == 0 && f.syzygy == "" {
				return ui.Usagef("--nodes must be above 0, unless --syzygy corrects results")
			}
			if f.player != "" && cmd.Flags().Changed("weights") {
				return ui.Usagef("--weights is for assay's own engine, --player for another: give one of them")
			}
			return f.run(cmd, args)
		},
	}
	cmd.Flags().Uint64Var(&f.nodes, "nodes", 5000, "nodes per search; a search finishes the iteration in which it "+
		"passes them")
	cmd.Flags().StringVar(&f.judge, "weights", judgeWeights, "weight file, or name of embedded weights, of assay's "+
		"own engine")
	cmd.Flags().StringVar(&f.player, "player", "", "another player: uci:COMMAND[?OPTION=VALUE], or NAME[:KEY=VALUE]")
	cmd.Flags().IntVar(&f.filter.PV, "pv", 0, "also write positions this many plies along each search's principal "+
		"variation, to OUT-pv")
	cmd.Flags().IntVar(&f.workers, "concurrency", 0, "searches at once (default: one per core); does not change scores")
	f.addOutput(cmd)
	return cmd
}

func (f *positionsFlags) run(cmd *cobra.Command, sources []string) error {
	stderr := cmd.ErrOrStderr()
	label := "data " + cmd.Name()
	format, err := dataset.Detect(sources[0])
	if err != nil {
		return err
	}
	if f.fromPreset && format == dataset.PositionsFormat { // they do not record the move
		f.filter.QuietMove = false
		if !cmd.Flags().Changed("resolve") {
			f.filter.Resolve = positions.ResolveDrop
		}
	}
	warn := func(format string, args ...any) {
		fmt.Fprintf(stderr, label+": warning: "+format+"\n", args...)
	}
	if f.filter.Tables, err = ui.Tables(f.syzygy, f.fifty, func(text string) { warn("%s", text) }); err != nil {
		return err
	}
	c := positions.Config{Filter: f.filter, Program: ui.Version(), Workers: f.workers}
	if err := f.searches(&c); err != nil {
		return err
	}
	p := ui.NewProgress(stderr, label)
	c.Progress = p.Update
	c.Views, c.Games = &dataset.Views{}, &dataset.Views{}
	m, counts, err := f.extract(cmd.Context(), format, sources, c, warn)
	switch {
	case errors.Is(err, dataset.ErrComplete):
		fmt.Fprintf(stderr, "%s: %s is complete: %d positions; nothing to do\n", label, f.out, counts.Kept)
	case err != nil:
		switch {
		case errors.Is(err, positions.ErrNoScores):
			return fmt.Errorf("%w; %s must print 'info ... score cp N' before bestmove", err, f.player)
		case errors.Is(err, dataset.ErrUngrouped):
			err = fmt.Errorf("--max-per-game needs the rows of a game together: %w", err)
		}
		return err
	default:
		p.Finish(fmt.Sprintf("%d positions of %d games in %s", counts.Kept, counts.Games, f.out))
	}
	if f.player != "" {
		if err := f.warnUnscored(warn); err != nil {
			return err
		}
	}
	fault := c.Views.Fault()
	if fault == nil && f.player == "" {
		fault = c.Games.Fault() // knows players
	}
	if fault != nil {
		fault.Flipped = f.player != ""
		warn("%v; %s", fault, ui.ViewCure(fault, fault.Flipped))
	}
	if counts.SameMoves > 0 {
		warn("%d of %d games have the same moves as an earlier one; is some data passed twice, under another name?",
			counts.SameMoves, counts.Games)
	}
	return ui.Show(cmd, struct {
		Out  string `json:"out"`
		ID   string `json:"id"`
		Rows int64  `json:"rows"`
		positions.Counts
	}{f.out, m.ID(), m.Rows, counts}, func(w io.Writer) error { return printCounts(w, counts, f.filter.PhaseShares) })
}

// warnUnscored warns if the player gave no score of some positions.
func (f *positionsFlags) warnUnscored(warn func(format string, args ...any)) error {
	r, err := dataset.OpenPositions(f.out)
	if err != nil {
		return err
	}
	none := 0
	for row, err := range r.All() {
		if err != nil {
			return err
		}
		if row.Score == dataset.NoScore {
			none++
		}
	}
	if none > 0 {
		warn("%s gave no score of %d of %d positions; 'assay data positions %s --resolve keep --keep-duplicates "+
			"--max-score 0 --need-score --out DIR' drops them, checks and mates", f.player, none, r.Len(), quote.Word(f.out))
	}
	return nil
}

// extract makes positions from games or from positions, depending on the sources.
func (f *positionsFlags) extract(ctx context.Context, format string, sources []string, c positions.Config,
	warn func(format string, args ...any)) (m *durable.Manifest, n positions.Counts, err error) {
	if format == dataset.PositionsFormat {
		readers, err := openSources(sources, warn, func(path string) (*dataset.Reader[dataset.PositionRow], error) {
			return dataset.OpenPositions(path)
		})
		if err != nil {
			return nil, n, err
		}
		return positions.Refine(ctx, readers, f.out, c)
	}
	if f.filter.All && format == dataset.GamesFormat {
		return nil, n, fmt.Errorf("%s holds games; 'assay data positions --relabel nodes=N' makes positions from them, "+
			"with new scores", sources[0])
	}
	readers, err := openSources(sources, warn, func(path string) (*dataset.Reader[dataset.GameRow], error) {
		r, err := datagen.Open(path)
		if err == nil && r.Manifest() != nil && !r.Manifest().Complete {
			warn("%s is not complete: its first %d games are used", path, r.Len())
		}
		return r, err
	})
	if err != nil {
		return nil, n, err
	}
	return positions.Extract(ctx, readers, f.out, c)
}

func openSources[R any](paths []string, warn func(format string, args ...any),
	open func(string) (*dataset.Reader[R], error)) (readers []*dataset.Reader[R], err error) {
	for _, path := range paths {
		r, err := open(path)
		if err != nil {
			return nil, err
		}
		if !r.Verified() {
			warn("%s is unverified: it has no manifest", path)
		}
		readers = append(readers, r)
	}
	return readers, nil
}

// searches sets up the quiescence search, and the search for new scores.
func (f *positionsFlags) searches(c *positions.Config) error {
	if f.filter.Resolve != positions.ResolveKeep || f.filter.MaxNoise > 0 {
		if err := ui.Quiescence(c, f.weights); err != nil {
			return err
		}
	}
	if f.nodes == 0 {
		return nil
	}
	c.Limits = engine.Limits{Nodes: f.nodes}
	if f.player != "" {
		spec, err := ui.Player(f.player)
		if err != nil {
			return err
		}
		e, err := ui.OpenPlayer(roster.Open, spec)
		c.Filter.Relabel = fmt.Sprintf("nodes=%d %s", f.nodes, e.ID)
		c.NewPlayer = func() (engine.Player, error) { return roster.Open(spec) }
		return err
	}
	file, err := models.Open(f.judge)
	if err != nil {
		return err
	}
	model, coefs, err := file.Weights()
	c.Filter.Relabel = fmt.Sprintf("nodes=%d %s %s", f.nodes, file.Model, file.ID())
	c.NewPlayer = positions.Searcher(model, coefs)
	return err
}

func printCounts(out io.Writer, c positions.Counts, shares positions.Bands) error {
	t := ui.Table{Head: []string{">count", ">share", "what"}}
	line := func(n int64, what string) {
		if n > 0 {
			t.Add("%d\t%s\t%s", n, ui.Share(n, c.Positions), what)
		}
	}
	t.Add("%d\t\tgames", c.Games)
	line(c.Positions, "positions")
	forfeits := ui.CountsText(c.Forfeits)
	line(c.Forfeit, "dropped: decided by a forfeit (games: "+forfeits+")")
	line(c.Opening, "dropped: opening, not searched")
	line(c.Early, "dropped: early (--skip-plies, --min-ply)")
	line(c.InCheck, "dropped: in check")
	line(c.RuleDraw, "dropped: a draw by the rules, but not by its result")
	line(c.Unscored, "dropped: no score (--need-score)")
	line(c.MateScore, "dropped: mate score")
	line(c.LargeScore, "dropped: large score (--max-score)")
	line(c.NoisyMove, "dropped: the move captures or promotes (--quiet-move)")
	line(c.FewPieces, "dropped: few pieces (--fewest-pieces)")
	line(c.NotSampled, "dropped: not sampled (--max-per-game)")
	line(c.Noisy, "dropped: noisy (--resolve drop, --max-noise)")
	line(c.BadLeaf, "dropped: the quiescence leaf is in check or mate")
	line(c.Duplicate, "dropped: duplicate")
	line(c.NotChosen, "dropped: not chosen (--phase-shares, --sample)")
	line(c.Kept, "kept")
	if c.Forfeit == 0 && c.Forfeits.Games() > 0 {
		t.Add("\t\tof games decided by a forfeit too (--forfeits keep; games: %s)", forfeits)
	}
	line(c.Replaced, "of these, replaced by their quiescence leaf")
	line(c.Variations, "beside these: along principal variations (--pv)")
	line(c.Corrected, "of these, with a result corrected by tablebases (--syzygy)")
	for i, n := range c.Taken {
		if all := shares.Sum(); all > 0 {
			t.Add("%d\t%s\tof these, of phase %v: wanted %s, found %d", n, ui.Share(n, c.Taken.Sum()), eval.PhaseBands[i],
				ui.Share(shares[i], all), c.Found[i])
		}
	}
	return t.Print(out)
}
