package app

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/assay-chess/assay/cmd/internal/doc"
	"github.com/assay-chess/assay/cmd/internal/gitbuild"
	"github.com/assay-chess/assay/cmd/internal/opts"
	"github.com/assay-chess/assay/cmd/internal/report"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/screen"
	"github.com/assay-chess/assay/selfplay/sprt"
)

// defaultScreenGames is the length without --games and --within.
const defaultScreenGames = 8000

func newScreenCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "screen PLAYER FACTOR FACTOR...",
		Short: "Test many patches or option values at once, by the same games",
		Long: `Test 2 to 40 patches or option values of an engine at once. Subsets of them play each other, so each
game counts for all of them: 8,000 games measure the effect of each to about ±6 Elo, however many
there are. PLAYER is the base, as in assay match. A FACTOR is a change, off or on:
  LateBase=122,400      an option: its value off, its value on
  git:REF, FILE.diff    a patch of git:BASE: what a commit changed, or a diff; NAME=git:REF names it

An effect is measured with the other factors at random; the largest of many were also lucky. After
30, 50, 75 and 100 % of the games, factors whose effect is not chance are decided (in at most 5 %
of screens one without an effect). The last lines are the recommended factors as a command; only
--confirm, a match against the base on fresh openings, shows a gain. See assay guide
which-of-my-ideas.`,
		Example: `  assay screen assay LateBase=122,400 ReverseMargin=122,60 --out runs/ideas
  assay screen git:main git:idea-1 git:idea-2 --build 'make EXE={out}' --confirm
  assay screen ./engine Contempt=0,20 'Use Book=false,true' --within 5`,
		Args: cobra.MinimumNArgs(2),
	}
	var o screenOptions
	play := opts.New(cmd.Flags())
	play.AddGames(fmt.Sprintf("games to play, a multiple of 8 (default %d)", defaultScreenGames))
	play.AddAffinity()
	play.AddOutput("")
	opts.Add(play.Flags, opts.OfTest, func(fs *pflag.FlagSet) {
		fs.Float64Var(&o.within, "within", 0, "in place of --games: effects within ± this many Elo")
		fs.StringVar(&o.groups, "group", "", "factors that go together: A,B; two groups: 'A,B C,D'")
		fs.BoolVar(&o.toConfirm, "confirm", false, "then play an SPRT [0, 5] of the recommended ideas")
		ui.ShortHelp(fs, opts.Names(fs)...)
		fs.StringVar(&o.confirmTC, "confirm-tc", "4+0.04",
			"with --confirm, for patches with limits of nodes: clock of a second match; none: no such match")
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		s := newSession(cmd, play)
		defer s.close()
		return s.startScreen(&o, args)
	}
	return cmd
}

type screenOptions struct {
	within            float64
	groups, confirmTC string
	toConfirm         bool
}

type screening struct {
	*session
	*screenOptions
	factors factors
	design  *screen.Design
	spec    engine.Spec
	base    selfplay.Player // without its options
	clock   selfplay.Clock  // of a second confirming match; zero: there is none
	args    []string

	built   screen.Subset                     // factors that need builds
	builds  map[screen.Subset]selfplay.Player // of the factors built; nil: there are none
	patches map[string]*gitbuild.Patch        // by what was typed
	source  *gitbuild.Source                  // of the base
	temp    string                            // folder of git objects
}

func (s *session) startScreen(o *screenOptions, args []string) error {
	players, _, err := s.complete(args[:1])
	if err == nil {
		err = s.OneClock()
	}
	if err != nil {
		return err
	}
	x := &screening{session: s, screenOptions: o, spec: players[0], args: args}
	if x.factors, err = parseFactors(args[1:], x.spec, o.groups); err != nil {
		return err
	}
	if err := x.count(); err != nil {
		return err
	}
	kind := screen.Random
	if x.built = x.factors.built(); x.built != 0 {
		kind = screen.Rows
	}
	if x.design, err = screen.NewDesign(kind, len(x.factors), s.Seed); err != nil {
		return err
	}
	if x.built != 0 && s.Limits.Deterministic() && o.confirmTC != "none" {
		if x.clock, err = selfplay.ParseClock(o.confirmTC); err != nil {
			return ui.Usagef("--confirm-tc: %w", err)
		}
		if s.TimeMargin != selfplay.ClockMargin {
			x.clock.Margin = s.TimeMargin
		}
	}
	return x.run()
}

// count checks the numbers of the screen, and sets how many games it plays.
func (x *screening) count() error {
	switch {
	case x.Given("within") && (!(x.within > 0) || math.IsInf(x.within, 1) || x.Given("games")):
		return ui.Usagef("--within %g: want Elo above zero, without --games", x.within)
	case x.within > 0:
		x.Games = 2 * screen.Need(x.within, screen.Variance(planDraws))
	case !x.Given("games"):
		x.Games = defaultScreenGames
	}
	if x.Games == 0 || x.Games%screen.GamesPerOpening != 0 {
		return ui.Usagef("--games %d: want a multiple of %d, four pairs of games from each opening", x.Games,
			screen.GamesPerOpening)
	}
	return nil
}

func (x *screening) run() error {
	list, err := x.openPlayers([]engine.Spec{x.spec}, func(int) string { return "screen: PLAYER" })
	if err != nil {
		return err
	}
	x.base = list[0]
	c := screen.Config{Setup: x.Setup, Design: x.design, Player: x.player, Games: x.Games,
		Fix: x.design.Kind == screen.Random && x.Games >= screen.FixFrom}
	if x.built != 0 {
		x.builds = map[screen.Subset]selfplay.Player{0: x.base}
		if err := x.readPatches(); err != nil {
			return err
		}
	}
	c.Base, c.Factors = x.player(0), x.factors.identities(func(text string) string { return x.patches[text].ID })
	both := append(x.factors.set(1<<x.design.Factors-1), x.factors.set(0)...)
	if err := x.try(c.Base.Spec, "factor", both); err != nil {
		return err
	}
	if !report.Exists(x.Out) {
		if err := x.plan(&c); err != nil {
			return err
		}
	}
	if err := x.build(); err != nil {
		return err
	}
	if c.Check.Player, err = openingChecker(c.Base); err != nil {
		return err
	}
	return x.playOut(c)
}

func (x *screening) player(of screen.Subset) selfplay.Player {
	e := x.base
	if x.builds != nil {
		e = x.builds[of&x.built]
	}
	if e.Options = x.factors.set(of); len(e.Options) > 0 {
		e.ID = e.Identity() + optionsText(e.Options)
	}
	return e
}

func (x *screening) playOut(c screen.Config) error {
	x.warn(sharedOpenings(x.ctx, "screen", c.Setup, c.Base))
	players := []selfplay.Player{c.Base}
	for _, e := range x.builds {
		players = append(players, e)
	}
	p, err := x.begin("screen", &c.Setup, !c.Limits.Deterministic(), x.args, players...)
	if err != nil {
		return err
	}
	x.limitMemory(players...)
	r, err := screen.Run(x.ctx, c)
	if r == nil {
		return err
	}
	x.end(p, r.Already, "%d of %d games, %d factors%s", r.Games, c.Games, len(r.Factors), ui.BusyText(r.Load))
	if _, known := x.builds[r.Best&x.built]; err == nil && x.toConfirm && x.builds != nil && !known {
		err = x.buildSubset(r.Best & x.built) // if it fails, what was found is printed all the same
	}
	var confirmed []*match.Result
	if err == nil && x.toConfirm {
		confirmed, err = x.confirm(c, r)
	}
	x.leaveReport()
	return errors.Join(x.print(&c, r, confirmed), err)
}

// confirm plays the recommended set against the base, on openings that the screen did not play: by its own limits, and
// patches by a clock too.
func (x *screening) confirm(c screen.Config, r *screen.Result) (list []*match.Result, err error) {
	if r.Best == 0 {
		fmt.Fprintln(x.stderr, "screen: no factor is recommended: there is nothing to confirm")
		return nil, nil
	}
	m := match.Config{Setup: c.Setup, A: x.player(r.Best), B: c.Base, Games: x.Games,
		Test: &sprt.Test{Elo0: 0, Elo1: 5, Alpha: 0.05, Beta: 0.05, Model: sprt.Normalized}}
	m.A.Name, m.B.Name = "recommended", "base"
	used := int(c.Games / screen.GamesPerOpening)
	for i, name := range []string{screen.ConfirmName, screen.ConfirmClockName} {
		if m.Stage = "screen/" + name; i > 0 {
			if used += int(x.Games / 2); !x.clock.Runs() {
				break
			}
			m.Limits = selfplay.Limits{Clock: x.clock}
			if !x.Remote() {
				x.warn(crowdedGames(true, x.atOnce(), threads(m.A, m.B), runtime.GOMAXPROCS(0)))
			}
		}
		if x.Out != "" {
			m.Out = filepath.Join(x.Out, name)
		}
		switch {
		case m.Opening.Book != "" && m.Opening.Random && i == 0:
			x.warn("the match takes the book in another random order: some of its openings are those of the screen")
		case m.Opening.Book != "" && !m.Opening.Random:
			m.Opening.Skip = c.Opening.Skip + used
		}
		p := ui.NewProgress(x.stderr, "screen: "+name)
		m.Progress, m.Failed = p.Update, ui.ReportFaults(p.Say, m.A, m.B)
		result, err := match.Run(x.ctx, m)
		if result != nil {
			list = append(list, result)
			if !result.Already {
				p.Finish(fmt.Sprintf("%d games, %s", result.Games, result.Verdict))
			}
		}
		if err != nil {
			return list, err
		}
	}
	return list, nil
}

// planDraws is the share of draws that the plan assumes.
const planDraws = 0.5

// plan says before the first game what it will take. It ends the screen if a factor changes nothing.
func (x *screening) plan(c *screen.Config) error {
	players, single := []selfplay.Player{c.Base}, []int{-1}
	if x.Limits.Deterministic() {
		for j := range x.factors {
			if !x.built.Has(j) { // one patch alone is no build of the design
				players, single = append(players, x.player(1<<j)), append(single, j)
			}
		}
	}
	games, each, err := c.Try(x.ctx, players...)
	if err != nil {
		return err
	}
	for i, j := range single[1:] {
		if games[i+1] == games[0] {
			return ui.Usagef("factor %s: a game with it on is the same as with it off, move by move and node by node: it "+
				"changes nothing at these limits; leave it out", x.factors[j].name)
		}
	}
	x.sayPlan(c, each.Hours())
	return nil
}

// sayPlan prints what a screen will take. Hours count what a game takes.
func (x *screening) sayPlan(c *screen.Config, hours float64) {
	say := func(format string, args ...any) { fmt.Fprintf(x.stderr, "screen: "+format+"\n", args...) }
	k, builds := x.design.Factors, "random subsets, no builds"
	if n := len(x.design.Builds()); n > 0 {
		builds = fmt.Sprintf("%d builds", n)
	}
	variance := screen.Variance(planDraws)
	single := screen.Single(k, c.Games/2, variance)
	off, need := screen.Precision(c.Games/2, variance), 2*screen.Need(5, variance)
	say("%d factors, %s, %d games: each effect within ±%.1f Elo if %.0f %% are drawn, where single matches of %d games "+
		"each have ±%.1f", k, builds, c.Games, 1.96*off, 100*planDraws, int(c.Games)/k/2*2, 1.96*single)
	say("%s at %.2g games/s; within ±5 Elo: %d games, %s", hoursText(hours*float64(c.Games)), 1/(3600*hours), need,
		hoursText(hours*float64(need)))
	if least := uint64(x.design.LeastOpenings()) * screen.GamesPerOpening; c.Games < least {
		x.warn(fmt.Sprintf("%d games are too few for %d factors: effects are estimated from %d games on", c.Games, k, least))
	}
}

func hoursText(hours float64) string {
	switch {
	case hours < 1./60:
		return "less than a minute"
	case hours < 1:
		return fmt.Sprintf("some %.0f minutes", math.Ceil(60*hours))
	}
	return fmt.Sprintf("%.1f hours", hours)
}

// print prints what the games say, the recommended set as commands, and what confirmed it.
func (x *screening) print(c *screen.Config, r *screen.Result, confirmed []*match.Result) error {
	d := doc.Screen(r)
	if x.Out != "" {
		d.Note("written %s", filepath.Join(x.Out, gamelog.PGNName))
	}
	if r.Best != 0 && r.Verdict == "" {
		d.Parts = append(d.Parts, x.recommended(r, confirmed))
	}
	both := append(slices.Clip(confirmed), nil, nil)
	all := struct {
		*screen.Result
		Confirm *match.Result `json:"confirm,omitempty"`
		Clock   *match.Result `json:"confirm_clock,omitempty"`
	}{r, both[0], both[1]}
	return x.show(all, r.Process, d, map[string]any{})
}

// matchLine is the command of a match against the base, with what was typed for the screen, on lines of a book that
// neither the screen nor its confirming matches played.
func (x *screening) matchLine(player engine.Spec, confirmed int) string {
	o := opts.New(pflag.NewFlagSet("", pflag.ContinueOnError))
	o.AddGames("")
	x.Flags.Visit(func(f *pflag.Flag) {
		if o.Flags.Lookup(f.Name) != nil && !slices.Contains([]string{"games", "out", "seed"}, f.Name) {
			_ = o.Flags.Set(f.Name, f.Value.String()) // the flag of the screen took it
		}
	})
	if x.Opening.Book != "" && !x.Opening.Random {
		used := x.Games/screen.GamesPerOpening + uint64(confirmed)*x.Games/2
		if source, err := x.Setup.Openings(x.ctx, 0); err != nil || used < source.Len() { // else there are no others
			_ = o.Flags.Set("book-start", strconv.FormatUint(uint64(x.Opening.Skip)+used, 10))
		}
	}
	return ui.FlagLine("assay match", o.Flags, []string{player.String(), x.spec.String(), "--sprt", "0,5", "--seed",
		strconv.FormatUint(x.Seed+1, 10)})
}

// recommended are the recommended set as commands, and what confirmed it.
func (x *screening) recommended(r *screen.Result, confirmed []*match.Result) (p doc.Part) {
	p.Text = []string{"recommended: " + strings.Join(r.Recommended, ", ")}
	var commits, files []string
	for j, f := range x.factors {
		for _, text := range f.patches {
			ref, isCommit := strings.CutPrefix(text, "git:")
			switch {
			case !r.Best.Has(j):
			case isCommit:
				commits = append(commits, quote.Word(ref))
			default:
				files = append(files, quote.Word(text))
			}
		}
	}
	if len(commits) > 0 {
		p.Text = append(p.Text, "  git cherry-pick "+strings.Join(commits, " "))
	}
	if len(files) > 0 {
		p.Text = append(p.Text, "  git apply "+strings.Join(files, " "))
	}
	best := x.spec
	for i, off := range x.factors.set(0) {
		if on := x.factors.set(r.Best)[i]; on != off {
			same := func(o engine.Option) bool { return strings.EqualFold(o.Name, on.Name) }
			best.Options = append(slices.DeleteFunc(slices.Clone(best.Options), same), on)
		}
	}
	if x.built == 0 {
		p.Text = append(p.Text, "  "+x.matchLine(best, len(confirmed)))
	}
	if confirmed == nil {
		p.Text = append(p.Text, "a choice among many is no gain yet: --confirm plays it")
	}
	for i, m := range confirmed {
		at := [2]string{"", " at " + x.clock.String()}[i]
		p.Text = append(p.Text, fmt.Sprintf("match of the recommended factors%s: %s", at, m.Headline()))
	}
	return p
}
