package app

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/internal/doc"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/sprt"
)

var testFlags = []string{"elo0", "elo1", "elo-model", "alpha", "beta"}

type sprtFlags struct {
	penta, wdl string
	pgn        string
	player     string
	opponent   string
	test       sprt.Test
	eloModel   string
	trueElo    []float64
	all        bool
	drawRatio  float64
	corrected  bool
	status     bool

	games *match.PGNCount // of --pgn
}

func newSprtCommand() *cobra.Command {
	var f sprtFlags
	cmd := &cobra.Command{
		Use:   "sprt",
		Short: "Compute Elo and LLR of results; predict how long an SPRT takes",
		Long: `Compute Elo, LLR and verdict from results (--penta, --wdl, --pgn). Without results, predict how
often a sequential test passes and how many games it takes.

With --elo0 or --elo1, and for a PGN file of assay match --sprt, which names its test, the test may
have ended the match, so the Elo is the median-unbiased one. Otherwise the number of games counts
as fixed in advance. With --true-elo the prediction uses the share of draws of the results.

If all games were won, the Elo is its lower bound: the exact binomial one of the pairs, at 97.5 %.
Fewer than 20 games give no Elo. --elo0, --elo1 and --true-elo are in the unit of --elo-model. Use
--wdl for games that were not played in pairs from the same opening: they count as independent.`,
		Example: `  assay sprt --penta 39,2226,31451,2412,40 --elo0 0 --elo1 2
  assay sprt --pgn games.pgn --elo0 0 --elo1 5
  assay sprt --wdl 716,2163,591 --elo0 0 --elo1 6 --elo-model logistic --json
  assay sprt --elo0 0 --elo1 5
  assay sprt --elo0 0 --elo1 50 --true-elo 50 --corrected`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.run(cmd)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&f.penta, "penta", "", "pairs of games counted as LL,LD,D,WD,WW (D: two draws, or a win and a loss)")
	fs.StringVar(&f.wdl, "wdl", "", "games counted as W,D,L")
	fs.StringVar(&f.pgn, "pgn", "", "games of a match, played by any program: pairs are found by round, first position "+
		"and first moves")
	fs.StringVar(&f.player, "player", "", "with --pgn: the player to measure (default: White of the first game, "+
		"unless that is the opponent)")
	fs.StringVar(&f.opponent, "opponent", "", "with --pgn: the opponent (default: the first game's)")
	fs.Float64Var(&f.test.Elo0, "elo0", 0, "Elo of the hypothesis to reject")
	fs.Float64Var(&f.test.Elo1, "elo1", 5, "Elo of the hypothesis to prove")
	fs.StringVar(&f.eloModel, "elo-model", "normalized", "unit of Elo: normalized or logistic")
	fs.Float64Var(&f.test.Alpha, "alpha", 0.05, "probability that a player of strength elo0 passes")
	fs.Float64Var(&f.test.Beta, "beta", 0.05, "probability that a player of strength elo1 fails")
	fs.Float64SliceVar(&f.trueElo, "true-elo", nil,
		"true `Elo` of the player, or a list with commas, for the prediction")
	fs.Float64Var(&f.drawRatio, "draw-ratio", 0.6, "share of draws among equal players, for the prediction")
	fs.BoolVar(&f.corrected, "corrected", false,
		"the prediction is for bounds corrected for overshoot, as assay match --corrected")
	ui.JSON(cmd)
	fs.BoolVar(&f.status, "exit-status", false, "exit code of the results' verdict: 0 PASSED, 3 FAILED, 4 UNDECIDED")
	fs.BoolVar(&f.all, "all", false, "print other measures of strength too: normalized Elo, other intervals")
	ui.ShortHelp(fs, "penta", "wdl", "pgn", "elo0", "elo1", "elo-model", "true-elo", "exit-status")
	return cmd
}

func (f *sprtFlags) run(cmd *cobra.Command) error {
	counts, err := f.parse(cmd)
	if err != nil {
		return err
	}
	given := cmd.Flags().Changed
	r := &sprtReport{Test: f.test, stopped: given("elo0") || given("elo1"),
		tested: counts == nil || slices.ContainsFunc(testFlags, given) || given("exit-status") || given("true-elo") ||
			f.games != nil && f.games.Test != nil}
	r.Lower, r.Upper = f.test.Bounds()
	if counts != nil {
		if err := f.measure(r, counts); err != nil {
			return err
		}
	}
	if f.games != nil && f.games.Pairs.Samples() > 0 {
		r.Unpaired = f.games.Unpaired
	}
	if counts != nil && len(f.trueElo) == 0 && f.corrected {
		return ui.Usagef("--corrected is for the prediction of a test: give --true-elo")
	}
	if counts == nil || len(f.trueElo) > 0 {
		shape, err := f.shape(cmd, counts)
		if err != nil {
			return err
		}
		if r.Plan, err = f.plan(shape); err != nil {
			return err
		}
		r.Corrected = &f.corrected
	}
	err = ui.Show(cmd, r, r.document().Printer(f.all))
	if n := int64(r.Unpaired); err == nil && n > 0 && n > r.Games {
		return fmt.Errorf("%s: %d of %d games have no partner with colors reversed", f.pgn, n, r.Games+n)
	}
	if err == nil && f.status {
		err = ui.TestExit(r.Measurement.Verdict)
	}
	return err
}

// measure measures counts. Without flags of a test, a PGN file is measured by the test that it names.
func (f *sprtFlags) measure(r *sprtReport, counts sprt.Counts) (err error) {
	named := f.games != nil && f.games.Test != nil && *f.games.Test == f.test
	r.stopped, r.played, r.fixed = r.stopped || named, named, sprt.Summarize(counts).Strength()
	if r.Measurement, err = f.test.Measure(counts, r.stopped); err != nil || !named || !f.games.Corrected {
		return err
	}
	course, err := f.games.Follow()
	if err != nil || course[0].Games == 0 {
		return err
	}
	r.Measurement.LLR, r.Lower, r.Upper = *course[0].LLR, *course[0].Lower, *course[0].Upper
	r.Measurement.Verdict = sprt.StatusAt(r.Measurement.LLR, r.Lower, r.Upper).String()
	return nil
}

// parse turns the flags into a test and counts, which are nil where none are given.
func (f *sprtFlags) parse(cmd *cobra.Command) (counts sprt.Counts, err error) {
	if f.test.Model, err = sprt.ParseModel(f.eloModel); err != nil {
		return nil, ui.Usage(err)
	}
	if err := f.test.Validate(); err != nil {
		return nil, ui.Usagef("%w; the flags are --elo0, --elo1, --alpha, --beta", err)
	}
	switch fs := cmd.Flags(); {
	case fs.Changed("penta") && fs.Changed("wdl") || fs.Changed("pgn") && (fs.Changed("penta") || fs.Changed("wdl")):
		return nil, ui.Usagef("--penta, --wdl and --pgn all give results: use one of them")
	case !fs.Changed("pgn") && (fs.Changed("player") || fs.Changed("opponent")):
		return nil, ui.Usagef("--player and --opponent are for --pgn")
	case f.status && !fs.Changed("penta") && !fs.Changed("wdl") && !fs.Changed("pgn"):
		return nil, ui.Usagef("--exit-status needs results: --penta, --wdl or --pgn")
	case fs.Changed("pgn"):
		c, err := match.CountPGN(cmd.Context(), f.pgn, f.player, f.opponent)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "sprt: %s\n", c)
		f.games = c
		if c.Test != nil && !slices.ContainsFunc(testFlags, fs.Changed) {
			f.test = *c.Test
		}
		return c.Counts(), nil
	case fs.Changed("penta"):
		var c sprt.Pentanomial
		err = parseCounts("penta", f.penta, "LL,LD,D,WD,WW, such as 3,30,60,41,6, or six counts with a win and a loss apart "+
			"from two draws", c[:])
		counts = c
	case fs.Changed("wdl"):
		var c [3]int64
		err = parseCounts("wdl", f.wdl, "W,D,L, such as 100,320,80", c[:])
		counts = sprt.WDL(c[0], c[1], c[2])
	}
	if err == nil && counts != nil {
		if err := counts.Validate(); err != nil {
			return nil, ui.Usage(err)
		}
	}
	return counts, err
}

// parseCounts reads len(into) counts with commas between them, perhaps in brackets. Of six the two in the middle, a win
// and a loss and two draws, are pairs of the same score.
func parseCounts(flag, text, want string, into []int64) error {
	var list []int64
	for field := range strings.SplitSeq(strings.Trim(text, "[] "), ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(field), 10, 63)
		if err != nil || n < 0 {
			return ui.Usagef("--%s %q: %q is not a count: write %s", flag, text, field, want)
		}
		list = append(list, n)
	}
	if len(into) == 5 && len(list) == 6 {
		list = slices.Replace(list, 2, 4, list[2]+list[3])
	}
	if len(list) != len(into) {
		return ui.Usagef("--%s %q has %d counts, not %d: write %s", flag, text, len(list), len(into), want)
	}
	copy(into, list)
	return nil
}

// shape returns the shape of the counts, or the one of --draw-ratio.
func (f *sprtFlags) shape(cmd *cobra.Command, counts sprt.Counts) (sprt.Shape, error) {
	if counts != nil && counts.Samples() > 0 && !cmd.Flags().Changed("draw-ratio") {
		return sprt.ShapeOf(counts), nil
	}
	_, single := counts.(sprt.Trinomial)
	return sprt.IndependentGames(f.drawRatio, !single)
}

// plan predicts the test for each true Elo of --true-elo, or for five
// around the hypotheses.
func (f *sprtFlags) plan(shape sprt.Shape) ([]sprtPlan, error) {
	elos := f.trueElo
	if len(elos) == 0 {
		for _, at := range []float64{-0.5, 0, 0.5, 1, 1.5} {
			elo := f.test.Elo0 + at*(f.test.Elo1-f.test.Elo0)
			elos = append(elos, max(-1000, min(elo, 1000)))
		}
	}
	var plans []sprtPlan
	for _, elo := range elos {
		p, err := f.test.Predict(shape, elo, f.corrected)
		if err != nil {
			return nil, err
		}
		plans = append(plans, sprtPlan{TrueElo: elo, Pass: p.Pass, Games: p.Games})
	}
	return plans, nil
}

// sprtReport is what assay sprt --json prints: the test, what was measured if there are
// results, and the plan if one was asked for.
type sprtReport struct {
	sprt.Test
	Lower float64 `json:"lower"` // Wald's bounds of the LLR
	Upper float64 `json:"upper"`
	*sprt.Measurement
	Unpaired  int        `json:"unpaired,omitempty"`  // games of a PGN file that were left out for want of a partner
	Corrected *bool      `json:"corrected,omitempty"` // whether plan is for a corrected test
	Plan      []sprtPlan `json:"plan,omitempty"`

	stopped bool // this test may have ended the match
	played  bool // the file of the games says so
	fixed   sprt.Strength
	tested  bool // a test was asked for, or the file names one
}

// sprtWords are the verdicts as people read them, as in the headline of a match.
var sprtWords = map[string]string{sprt.AcceptH1.String(): "PASSED", sprt.AcceptH0.String(): "FAILED",
	sprt.Continue.String(): "UNDECIDED"}

// sprtPlan is what to expect of the test for one true Elo.
type sprtPlan struct {
	TrueElo float64 `json:"true_elo"`
	Pass    float64 `json:"pass"`  // probability
	Games   float64 `json:"games"` // expected
}

// document describes the test, what was measured, and the plan.
func (r *sprtReport) document() *doc.Document {
	var facts, more ui.Table
	if r.tested {
		facts.Add("test\t[%g, %g] %v Elo, alpha %g, beta %g", r.Elo0, r.Elo1, r.Model, r.Alpha, r.Beta)
	}
	if r.Measurement != nil {
		r.addMeasurement(&facts, &more)
	} else {
		facts.Add("LLR bounds\t%.4f, %.4f", r.Lower, r.Upper)
	}
	d := &doc.Document{Parts: []doc.Part{{Tables: []ui.Table{facts}}, {Tables: []ui.Table{more}, More: true}}}
	if n := int64(r.Unpaired); r.Measurement != nil && 20*n > r.Games+n {
		d.Text = []string{fmt.Sprintf("%d of %d games have no partner and are left out: the rest may be biased.", n,
			r.Games+n)}
	}
	if len(r.Plan) == 0 {
		return d
	}
	plan := ui.Table{Head: []string{">true Elo", ">pass", ">games"}}
	for _, p := range r.Plan {
		plan.Add("%g\t%.4f\t%.0f", p.TrueElo, p.Pass, p.Games)
	}
	how := "without correction for overshoot (see --corrected)"
	if r.Corrected != nil && *r.Corrected {
		how = "corrected for overshoot"
	}
	d.Parts = append(d.Parts, doc.Part{Tables: []ui.Table{plan}, Notes: []string{"Tests are " + how + "."}})
	return d
}

func (r *sprtReport) addMeasurement(facts, more *ui.Table) {
	c := r.Measurement
	if r.tested {
		facts.Add("LLR\t%.4f, bounds %.4f, %.4f", c.LLR, r.Lower, r.Upper)
		facts.Add("verdict\t%s", sprtWords[c.Verdict])
	}
	facts.Add("games\t%d, score %.2f %%", c.Games, 100*c.Score)
	switch {
	case r.played && c.Known():
		facts.Add("Elo\t%s, bias-corrected for early stopping", c.Strength.Text(""))
	case r.stopped && c.Known():
		facts.Add("Elo\t%s, if the test is to end the match", c.Strength.Text(""))
		facts.Add("or\t%s, of a fixed number of games (without --elo0 and --elo1)", r.fixed.Text(""))
	default:
		facts.Add("Elo\t%s", c.Strength.Text(""))
	}
	facts.Add("LOS\t%s", ui.Known("%.2f %%", 100*c.LOS))
	more.Add("corrected bounds\t%.4f, %.4f, for overshoot", c.CorrectedLower, c.CorrectedUpper)
	more.Add("after the stop\t%s", c.AfterStop.Text(""))
	for _, row := range c.Details.Lines() {
		more.Add("%s\t%s", row[0], row[1])
	}
	if !c.Paired {
		more.Add("draws\t%.2f %%", 100*c.DrawRatio)
		return
	}
	more.Add("even pairs\t%.2f %%", 100*c.DrawRatio)
	more.Add("pair ratio\t%s", ui.Known("%.3f won to one lost", c.PairRatio))
}
