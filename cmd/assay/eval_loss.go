package main

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/models"
)

// lossFlags are the flags of assay eval loss.
type lossFlags struct {
	weights, against []string
	evalLine, view   string
	line             *regexp.Regexp
	byPhase, asJSON  bool
	workers          int
}

func newEvalLossCommand() *cobra.Command {
	f := lossFlags{}
	c := &cobra.Command{
		Use:   "loss DATA... [--weights W]... [--against uci:COMMAND]...",
		Short: "Measure how well static evaluations foretell results: weights of ours, foreign engines",
		Long: `Measure how well static evaluations foretell the results of games, on the same positions:
those of weight files, or embedded weights, and those of foreign engines that answer the
command "eval", as Stockfish does.

DATA are data sets of positions, best some that no fit has seen (assay data split). Each
evaluator is given the slope K of 1/(1+e^(-K x)) that suits it best for either loss, so that
its unit does not matter. Standard errors take a game as one observation; the last column
is the difference from the first evaluator on the same positions, with its own error, which
is far smaller than those of the two losses. Positions in check are left out, and
those that an engine has no value for. No search is made: of positions in the middle of an
exchange nobody can tell the value.`,
		Example: `  assay eval loss parts/valid --weights tuned.json --weights shannon-1950
  assay eval loss parts/valid --weights tuned.json --against 'uci:stockfish?Use NNUE=false' --by-phase
  assay eval loss positions --against 'uci:./engine' --eval-line 'static eval (\S+) cp' --eval-view mover`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.parse(); err != nil {
				return err
			}
			return f.run(cmd.Context(), args, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	fs := c.Flags()
	fs.StringArrayVar(&f.weights, "weights", nil, "weight file, or name of embedded weights (repeatable; default assay)")
	fs.StringArrayVar(&f.against, "against", nil, "foreign engine: uci:COMMAND[?OPTION=VALUE...] (repeatable)")
	fs.StringVar(&f.evalLine, "eval-line", defaultEvalLine, `regular expression for an engine's answer to "eval"; group 1 is the value, in pawns if it has a point, else in centipawns`)
	fs.StringVar(&f.view, "eval-view", "white", "whose view an engine's values are from: white or mover")
	fs.BoolVar(&f.byPhase, "by-phase", false, "show the cross-entropy by phase of the game too")
	fs.IntVar(&f.workers, "workers", 0, "threads, and processes of each engine; 0 is one a core; changes no result")
	fs.BoolVar(&f.asJSON, "json", false, "print one JSON object")
	return c
}

func (f *lossFlags) parse() (err error) {
	if f.view != "white" && f.view != "mover" {
		return usagef("--eval-view %s: want white or mover", f.view)
	}
	if f.line, err = regexp.Compile(f.evalLine); err != nil {
		return usagef("--eval-line: %w", err)
	}
	if f.line.NumSubexp() < 1 {
		return usagef("--eval-line %s: want a group, (...), around the value", f.evalLine)
	}
	if f.workers < 0 {
		return usagef("--workers is not negative")
	}
	if f.workers == 0 {
		f.workers = runtime.GOMAXPROCS(0)
	}
	if len(f.weights)+len(f.against) == 0 {
		f.weights = []string{models.Default}
	}
	return nil
}

// evaluator is what is measured: a name, and judges one for each thread.
type evaluator struct {
	name string
	open func() (judge, error)
}

// evaluators returns the weights first, then the engines, each as often as named.
func (f *lossFlags) evaluators(stderr io.Writer) (list []evaluator, err error) {
	for _, name := range f.weights {
		x, err := openWeights("", name)
		if err != nil {
			return nil, err
		}
		list = append(list, evaluator{fmt.Sprintf("%s (id %s)", name, x.file.ID()), func() (judge, error) {
			ev, err := x.model.NewEvaluator(x.coefs)
			return ownJudge{ev}, err
		}})
	}
	for _, spec := range f.against {
		open := func() (judge, error) { return newEngineJudge(spec, f.line, f.view == "mover") }
		j, err := open() // nothing is started: only the specification is read
		if err != nil {
			return nil, err
		}
		j.close()
		list = append(list, evaluator{spec, open})
	}
	return list, nil
}

// lossReport is what assay eval loss --json prints.
type lossReport struct {
	Data         []string  `json:"data"` // ids
	Rows         int       `json:"rows"`
	Games        int       `json:"games"`
	Ungrouped    int       `json:"rows_without_game"`
	InCheck      int       `json:"left_out_in_check"`
	Unjudged     int       `json:"left_out_without_value"`
	MeanMSE      float64   `json:"mean_result_mse"`
	MeanEntropy  float64   `json:"mean_result_cross_entropy"`
	Evaluators   []*judged `json:"evaluators"`
	showsByPhase bool
}

func (f *lossFlags) run(ctx context.Context, paths []string, stdout, stderr io.Writer) error {
	list, err := f.evaluators(stderr)
	if err != nil {
		return err
	}
	r := &lossReport{showsByPhase: f.byPhase}
	l, err := f.gather(ctx, paths, list, r, stderr)
	if err != nil {
		return err
	}
	r.Unjudged = l.keep()
	if r.Rows = len(l.result); r.Rows == 0 {
		return fmt.Errorf("%s: no position has a value: %d are in check, %d have none", strings.Join(paths, ", "), r.InCheck, r.Unjudged)
	}
	r.Games, r.Ungrouped = l.games()
	r.MeanMSE, r.MeanEntropy = l.ignorant()
	for i, e := range list {
		var first *judged
		if i > 0 {
			first = r.Evaluators[0]
		}
		j, err := l.assess(e.name, l.values[i], first)
		if err != nil {
			return err
		}
		r.Evaluators = append(r.Evaluators, j)
	}
	if f.asJSON {
		return printJSON(stdout, r)
	}
	_, err = io.WriteString(stdout, r.table())
	return err
}

// gather has every evaluator judge every position that is not in check.
func (f *lossFlags) gather(ctx context.Context, paths []string, list []evaluator, r *lossReport, stderr io.Writer) (*labelled, error) {
	var sets []*dataset.Reader[dataset.PositionRow]
	total := int64(0)
	for _, path := range paths {
		d, err := dataset.OpenPositions(path)
		if err != nil {
			return nil, dataAdvice(err)
		}
		id, err := d.ID()
		if err != nil {
			return nil, err
		}
		r.Data = append(r.Data, id)
		sets, total = append(sets, d), total+d.Len()
	}
	g := &gathering{bar: newProgress(stderr, "positions"), total: total}
	g.values = make([][]float64, len(list))
	work, stop := errgroup.WithContext(ctx)
	batches := make(chan *batch)
	work.Go(func() error {
		defer close(batches)
		return g.read(stop, sets, batches)
	})
	for range f.workers {
		work.Go(func() error { return judgeAll(list, batches) })
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	for _, b := range g.batches {
		for i := range list {
			g.values[i] = append(g.values[i], b.values[i]...)
		}
	}
	r.InCheck = g.inCheck
	return &g.labelled, nil
}

// batch is some positions on their way through the judges.
type batch struct {
	positions []board.Position
	values    [][]float64 // by evaluator
}

// batchSize is a power of two; positions of a batch are held in memory.
const batchSize = 512

// gathering reads positions, and keeps the batches in the order of reading.
type gathering struct {
	labelled
	batches     []*batch
	inCheck     int
	done, total int64
	bar         *progress
}

func (g *gathering) read(ctx context.Context, sets []*dataset.Reader[dataset.PositionRow], to chan<- *batch) error {
	b := new(batch)
	send := func() error {
		g.batches = append(g.batches, b)
		select {
		case to <- b:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		b = new(batch)
		g.bar.update(g.done, g.total, "")
		return nil
	}
	for _, d := range sets {
		for row, err := range d.All() {
			if err != nil {
				return dataAdvice(err)
			}
			g.done++
			if row.Board.InCheck() {
				g.inCheck++
				continue
			}
			g.result, g.weight = append(g.result, row.Result), append(g.weight, row.Weight)
			g.game, g.phase = append(g.game, row.Game), append(g.phase, uint8(eval.Phase(&row.Board)))
			b.positions = append(b.positions, row.Board)
			if len(b.positions) == batchSize {
				if err := send(); err != nil {
					return err
				}
			}
		}
	}
	return send()
}

// judgeAll takes batches until there are none, with judges of its own.
func judgeAll(list []evaluator, batches <-chan *batch) error {
	judges := make([]judge, len(list))
	for i, e := range list {
		j, err := e.open()
		if err != nil {
			return err
		}
		defer j.close()
		judges[i] = j
	}
	for b := range batches {
		b.values = make([][]float64, len(list))
		for i, j := range judges {
			b.values[i] = make([]float64, len(b.positions))
			if err := j.judge(b.positions, b.values[i]); err != nil {
				return err
			}
		}
		b.positions = nil // judged; the values are what is kept
	}
	return nil
}

// table returns the report for people.
func (r *lossReport) table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d positions of %d games", r.Rows, r.Games)
	if r.Games == 0 {
		b.Reset()
		fmt.Fprintf(&b, "%d positions that name no game: errors are as if they were independent", r.Rows)
	}
	if r.InCheck+r.Unjudged > 0 {
		fmt.Fprintf(&b, "; left out: %d in check", r.InCheck)
	}
	if r.Unjudged > 0 {
		fmt.Fprintf(&b, ", %d without a value", r.Unjudged)
	}
	width := 20
	for _, e := range r.Evaluators {
		width = max(width, len(e.Name))
	}
	fmt.Fprintf(&b, "\n\n%-*s %9s  %-20s %-20s %s\n", width, "", "K", "MSE", "cross-entropy", "against the first")
	for _, e := range r.Evaluators {
		against := ""
		if e.Against != nil {
			against = fmt.Sprintf("%+.5f +- %.5f", e.Against.Mean, e.Against.SE)
		}
		fmt.Fprintf(&b, "%s\n", strings.TrimRight(fmt.Sprintf("%-*s %9.6f  %-20v %-20v %s", width, e.Name, e.KEntropy, e.MSE, e.CrossEntropy, against), " "))
	}
	fmt.Fprintf(&b, "%-*s %9s  %-20.5f %.5f\n", width, "the mean result", "", r.MeanMSE, r.MeanEntropy)
	if r.showsByPhase {
		b.WriteString(r.phaseTable(width))
	}
	return b.String()
}

// phaseTable shows where the losses are made.
func (r *lossReport) phaseTable(width int) string {
	var b strings.Builder
	b.WriteString("\ncross-entropy by phase; 24 is the middlegame\n")
	line := func(name string, bands []phaseLoss, cell func(p *phaseLoss) string) {
		fmt.Fprintf(&b, "%-*s", width, name)
		for i := range bands {
			fmt.Fprintf(&b, " %9s", cell(&bands[i]))
		}
		b.WriteByte('\n')
	}
	bands := r.Evaluators[0].ByPhase
	line("", bands, func(p *phaseLoss) string {
		if p.Lo == p.Hi {
			return fmt.Sprint(p.Lo)
		}
		return fmt.Sprintf("%d-%d", p.Lo, p.Hi)
	})
	line("positions", bands, func(p *phaseLoss) string { return fmt.Sprint(p.Rows) })
	for _, e := range r.Evaluators {
		line(e.Name, e.ByPhase, func(p *phaseLoss) string { return fmt.Sprintf("%.5f", p.Loss) })
	}
	return b.String()
}
