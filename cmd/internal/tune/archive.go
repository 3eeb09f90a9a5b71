package tune

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"

	"github.com/assay-chess/assay/cmd/internal/cli"
	"github.com/assay-chess/assay/cmd/internal/runs"
	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/tuner"
	"github.com/assay-chess/assay/tuner/archive"
)

// ownArchive is where an author's fits are kept unless told otherwise.
const ownArchive = runs.Dir + "/archive.arrow"

// archiveHelp is the help of --archive.
const archiveHelp = "file with your own fits and what they scored, beside those that come with assay"

// NewArchive returns the command assay archive.
func NewArchive() *cobra.Command {
	c := &cobra.Command{
		Use:   "archive",
		Short: "Keep what fits scored in games, and what to expect of the next",
		Long: `Keep what fits scored in games, and learn from it what to expect of the next.

An archive has a row for each fit: where it came from, what was known before any game, and the
pairs of games that its weights then played against those it started from. From fits of five
engines or more a model of Elo is made, and judged by leaving out one engine at a time. If it
predicts better than a constant and than the verdict of assay tune does, by two standard errors,
assay tune says what Elo to expect.

Add every fit that you play, the bad ones too: an archive of gains alone expects gains.`,
		Example: `  assay tune features --pedigree tuned,own --out runs/fit
  assay match ./new ./old --nodes 5000 --games 400 --out runs/match
  assay archive add runs/fit runs/match
  assay archive show`,
	}
	c.AddCommand(newArchiveAdd(), newArchiveShow())
	return c
}

func newArchiveAdd() *cobra.Command {
	var path, pedigree, engine string
	c := &cobra.Command{
		Use:   "add FIT MATCH",
		Short: "Add a finished fit and what its weights scored",
		Long: `Add a finished fit and what its weights scored. FIT is a folder of assay tune, MATCH one of assay
match: the new weights (A) against those that the fit started from (B), at equal limits. A fit may
be added with several matches. A match that is in the archive already is not added again.

START is tuned if an earlier fit or its author's tuning made the weights that this fit started from,
else guessed. GAMES is own if the engine played the games of the data, else foreign. Variants of one
engine count as one engine, and so do all models of assay.`,
		Example: `  assay archive add runs/fit runs/match
  assay archive add runs/fit runs/match --pedigree tuned,own --engine myengine`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			row, err := fitRow(args[0], args[1], pedigree, engine)
			if err != nil {
				return err
			}
			n, err := addRow(path, row)
			if err != nil {
				return err
			}
			if n == 0 {
				quote.Fprintf(cmd.OutOrStdout(), "%s has this match already\n", path)
				return nil
			}
			quote.Fprintf(cmd.OutOrStdout(), "added to %s, row %d: %s, %s start weights, %s games, pairs %v\n", path, n,
				row.Engine, row.Start, row.Games, row.Pentanomial)
			return nil
		},
	}
	c.Flags().StringVar(&path, "archive", ownArchive, "file to add to")
	c.Flags().StringVar(&pedigree, "pedigree", "", "START,GAMES: tuned or guessed, own or foreign (default: that of assay "+
		"tune --pedigree)")
	c.Flags().StringVar(&engine, "engine", "", "name of the engine (default: that of its features)")
	return c
}

// parsePedigree reads START,GAMES; either may be left out.
func parsePedigree(text string) (start, games string, err error) {
	for word := range strings.SplitSeq(text, ",") {
		switch word = strings.TrimSpace(word); {
		case word == "" && text == "":
		case start == "" && (word == dataset.TunedStart || word == dataset.GuessedStart):
			start = word
		case games == "" && (word == dataset.OwnGames || word == dataset.ForeignGames):
			games = word
		default:
			return "", "", cli.Usagef("--pedigree %s: want tuned or guessed, and own or foreign, as tuned,own", text)
		}
	}
	return start, games, nil
}

// engineOf names the engine of an evaluation: all models of assay are one.
func engineOf(evaluation string) string {
	if _, err := eval.Lookup(evaluation); err == nil {
		return "assay"
	}
	return evaluation
}

// finished reads config.json and result.json of a folder.
func finished(dir, what string, config, result any) error {
	info, err := durable.ReadRunInfo(dir)
	if err == nil && info.Command != what {
		err = fmt.Errorf("%s is a run of assay %s", dir, info.Command)
	}
	if err == nil {
		err = durable.ReadJSON(filepath.Join(dir, durable.RunConfigName), config)
	}
	if err == nil {
		err = durable.ReadJSON(filepath.Join(dir, durable.RunResultName), result)
	}
	if err != nil {
		return fmt.Errorf("%w; want the folder of a finished assay %s --out DIR", err, what)
	}
	return nil
}

// fitRow makes a row of a fit and a match.
func fitRow(fit, played, pedigree, engine string) (*dataset.FitRow, error) {
	var c tuneConfig
	var r tuner.Report
	if err := finished(fit, "tune", &c, &r); err != nil {
		return nil, err
	}
	start, games, err := parsePedigree(cmp.Or(pedigree, r.Pedigree))
	if err != nil {
		return nil, err
	}
	row := &dataset.FitRow{Engine: cmp.Or(engine, engineOf(c.Model)), Fit: r.ID, Parent: r.Parent, Start: start,
		Games: games, Data: strings.Join(c.Data, " "), DataGames: uint32(r.Data.Games), DataRows: uint32(r.Rows),
		Settings: c.Fit, Program: c.Program, Verdict: r.Answer, Basis: r.Basis,
		NetGain: float32Of(r.Net), GroupLoss: float32Of(r.GroupLoss),
		Change: float32Of(r.Change)}
	if r.NoisyRows {
		row.Noisy = 1
	}
	row.Gain, row.GainSE, row.LossStart, row.LossConstant = dataset.NoEval, dataset.NoEval, dataset.NoEval, dataset.NoEval
	if p := r.Gain(); p != nil {
		row.Gain, row.GainSE = float32(p.Gain), float32Of(p.SE)
		row.LossStart, row.LossConstant = float32(p.Start), float32(p.Constant)
	}
	if err := addMatch(row, played); err != nil {
		return nil, err
	}
	if err := row.Check(); errors.Is(err, dataset.ErrPedigree) {
		return nil, fmt.Errorf("%s: %w; give --pedigree START,GAMES, as tuned,own", fit, err)
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", played, err)
	}
	return row, nil
}

// weightsID finds the id of weights in that of a player.
var weightsID = regexp.MustCompile(`\bweights=([0-9a-f]+)`)

// addMatch sets what the weights of a fit scored.
func addMatch(row *dataset.FitRow, played string) error {
	var c struct {
		Limits [2]selfplay.Limits `json:"limits"`
	}
	var m match.Result
	if err := finished(played, "match", &c, &m); err != nil {
		return err
	}
	// Limits may also stand in the names of players.
	mean, other := m.NodesAPly(), weightsID.ReplaceAllString(m.IDA, "") != weightsID.ReplaceAllString(m.IDB, "")
	switch {
	case m.Verdict == match.NoVerdict:
		return fmt.Errorf("%s: the match has no verdict: %s", played, m.Reason)
	case selfplay.SamePlayer(m.IDA, m.IDB):
		return fmt.Errorf("%s: both players are the same, %s: want the weights of the fit against those that it started "+
			"from; build the engine with them and play again", played, m.IDA)
	case c.Limits[0] != c.Limits[1], other && weightsID.MatchString(m.IDA),
		c.Limits[0].Nodes > 0 && max(mean[0], mean[1]) > 1.5*min(mean[0], mean[1]):
		return fmt.Errorf("%s: %s and %s did not play under equal limits: they searched %.0f and %.0f nodes a ply", played,
			m.A, m.B, mean[0], mean[1])
	}
	for i, want := range []string{row.Fit, row.Parent} {
		id := [2]string{m.IDA, m.IDB}[i]
		if found := weightsID.FindStringSubmatch(id); found != nil && want != "" && !strings.HasPrefix(want, found[1]) {
			return fmt.Errorf("%s: %c is %s, and the fit's weights are %.12s, from %.12s: want a match of the new "+
				"weights (A) against those that the fit started from (B)", played, 'A'+i, id, row.Fit,
				cmp.Or(row.Parent, "the engine's own"))
		}
	}
	sum, err := durable.SumFile(filepath.Join(played, durable.RunResultName))
	row.A, row.B, row.Match, row.Clock = m.IDA, m.IDB, sum.SHA256, c.Limits[0].TimeControl()
	if row.Clock == "" {
		row.Nodes = uint32(c.Limits[0].Nodes)
	}
	for _, n := range m.Pentanomial {
		row.Pentanomial = append(row.Pentanomial, uint32(n))
	}
	return err
}

func float32Of(v num.Float) float32 {
	if !v.Known() {
		return dataset.NoEval
	}
	return float32(v)
}

// addRow adds a row, and returns the number of all; 0 if its match is there already.
func addRow(path string, row *dataset.FitRow) (n int, err error) {
	if err := durable.MakeDir(filepath.Dir(path)); err != nil {
		return 0, err
	}
	lock, err := durable.TryLock(filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".lock"))
	if err != nil {
		return 0, err
	}
	defer lock.Unlock()
	rows, err := dataset.ReadFits(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	for i := range rows {
		if rows[i].Match == row.Match {
			return 0, nil
		}
	}
	return len(rows) + 1, dataset.WriteFits(path, append(rows, *row))
}

func newArchiveShow() *cobra.Command {
	var path, picture string
	var all, asJSON bool
	c := &cobra.Command{
		Use:   "show",
		Short: "Show what fits scored, and how well that can be predicted",
		Long: `Show what fits scored, and how well that can be predicted: by the model of Elo, a constant, the verdict
of assay tune, and the change of the evaluation alone. Each is fitted to all engines but one and
predicts the fits of that one. A log density is the mean over fits; ± is one standard error, of
differences by engine. --picture draws the share of matches won against the probability that the
model gave.`,
		Example: `  assay archive show --all
  assay archive show --picture calibration.png`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkPicture(picture); err != nil {
				return err
			}
			if _, err := os.Stat(path); err != nil && cmd.Flags().Changed("archive") {
				return err
			}
			rows, err := archive.Open(path)
			if err != nil {
				return err
			}
			fits := archive.Fits(rows)
			list := []*archive.Judgement{archive.Judge(fits, dataset.TunedStart), archive.Judge(fits, dataset.GuessedStart)}
			if picture != "" {
				if err := drawCalibration(picture, list); err != nil {
					return err
				}
			}
			if asJSON {
				return cli.PrintJSON(cmd.OutOrStdout(), list)
			}
			if all {
				printFits(cmd.OutOrStdout(), fits)
			}
			for _, j := range list {
				printJudgement(cmd.OutOrStdout(), j)
			}
			return nil
		},
	}
	c.Flags().StringVar(&path, "archive", ownArchive, archiveHelp)
	c.Flags().BoolVar(&all, "all", false, "print every fit")
	c.Flags().StringVar(&picture, "picture", "", "draw the calibration of the model into a .png or .svg file")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

func printFits(out io.Writer, fits []archive.Fit) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "engine\tstart\tgames of\tverdict\tgain / error\tgroup loss\tchange, cp\tgames\tElo")
	for _, f := range fits {
		gain, loss, change := num.Float(math.Sinh(f.Measures[0])), num.Float(f.Measures[1]), num.Unknown
		if f.Change != dataset.NoEval {
			change = num.Float(f.Change)
		}
		quote.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%+.0f ± %.0f\n", f.Engine, f.Start, f.Games, f.Verdict,
			known("%.1f", gain, gain, "-"), known("%.2f", loss, loss, "-"), known("%.1f", change, change, "-"),
			f.Pairs.Games(), f.Elo, 1.96*f.SE)
	}
	fmt.Fprintln(w)
	w.Flush()
}

// printJudgement prints what a stratum is worth.
func printJudgement(out io.Writer, j *archive.Judgement) {
	quote.Fprintf(out, "From %s weights: fits %d, engines %d, games %d\n", j.Start, j.Fits, len(j.Engines),
		j.Pairs.Games())
	if len(j.Scores) == 0 {
		quote.Fprintf(out, "  no model: %d engines are needed\n", archive.MinEngines)
		return
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "  \tlog density\tBrier score")
	for _, s := range j.Scores {
		quote.Fprintf(w, "  %s\t%.3f\t%.3f\n", s.Model, s.LogDensity, s.Brier)
	}
	w.Flush()
	quote.Fprintf(out, "  the model's log density over a constant's %+.3f ± %.3f, over today's rule's %+.3f ± %.3f, "+
		"over that of the change alone %+.3f ± %.3f; %.0f %% of matches within 95 %%\n",
		j.Constant.Mean, j.Constant.SE, j.Rule.Mean, j.Rule.SE, j.Change.Mean, j.Change.SE, 100*j.Covered)
	for _, b := range j.Bins {
		quote.Fprintf(out, "  %d fits expected to win with P %.2f: %.2f did\n", b.Fits, b.Predicted, b.Won)
	}
	for _, s := range j.Slopes {
		quote.Fprintf(out, "  %-12s %+.1f ± %.1f Elo a unit, for each 10 cp of change\n", s.Name, s.Elo, s.SE)
	}
	if !j.Used {
		quote.Fprintf(out, "  Not used: %s.\n", j.Missing)
	}
}

// calibration is the bins of a stratum, with 95 % intervals (Wilson, JASA 22, 1927) as if fits of one engine were
// independent; a level match is half a win.
type calibration struct {
	plotter.XYs
	plotter.YErrors
}

func newCalibration(bins []archive.Bin) (c calibration) {
	const z2 = 1.96 * 1.96
	for _, b := range bins {
		n := float64(b.Fits)
		middle, half := (b.Won+z2/2/n)/(1+z2/n), math.Sqrt(z2*(b.Won*(1-b.Won)+z2/4/n)/n)/(1+z2/n)
		c.XYs = append(c.XYs, plotter.XY{X: b.Predicted, Y: b.Won})
		c.YErrors = append(c.YErrors, struct{ Low, High float64 }{b.Won - (middle - half), middle + half - b.Won})
	}
	return c
}

// drawCalibration draws the shares of matches that were won, by what the model gave them.
func drawCalibration(path string, list []*archive.Judgement) error {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = "P(win) by the model, its engine left out", "share of matches won"
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
	p.Add(plotter.NewFunction(func(x float64) float64 { return x }))
	for k, j := range list {
		if len(j.Bins) == 0 {
			continue
		}
		c := newCalibration(j.Bins)
		points, err := plotter.NewScatter(c)
		if err != nil {
			return err
		}
		intervals, err := plotter.NewYErrorBars(c)
		if err != nil {
			return err
		}
		points.Color, intervals.Color = plotutil.Color(k), plotutil.Color(k)
		p.Add(intervals, points)
		p.Legend.Add(fmt.Sprintf("%d fits from %s weights", j.Fits, j.Start), points)
	}
	p.Legend.Left, p.Legend.Top = true, true
	return writePicture(path, p)
}

// expect says what Elo to expect of a fit.
func (f *tuneFlags) expect(evaluation string, r *tuner.Result) (*tuner.Expected, error) {
	rows, err := archive.Open(f.archive)
	if err != nil {
		return nil, fmt.Errorf("--archive: %w", err)
	}
	start, games, err := parsePedigree(f.pedigree)
	if err != nil {
		return nil, err
	}
	if start == "" {
		start = dataset.GuessedStart
		if r.TunedBefore() {
			start = dataset.TunedStart
		}
	}
	j := archive.Judge(archive.Fits(rows), start)
	return j.Expect(engineOf(evaluation), archive.MeasuresOf(&r.Verdict, games)), nil
}
