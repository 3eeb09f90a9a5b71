package app

import (
	"bytes"
	"cmp"
	"fmt"
	"image/color"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/assay-chess/assay/cmd/internal/cli"
	"github.com/assay-chess/assay/cmd/internal/gitbuild"
	"github.com/assay-chess/assay/cmd/internal/settings"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/ladder"
	"github.com/assay-chess/assay/selfplay/sprt"
)

func newProgressCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "progress A..B | VERSION...",
		Short: "Rate the versions of an engine, or find the commit that lost Elo",
		Long: `Rate the versions of an engine by games: each commit from A to B, or each player that is listed, in
their order.

git:v1..git:v9 stands for the commits along first parents, both ends included; with --tags for those
with a tag. Each version plays --games against the first one, or against --baseline; with
--neighbours against the version before it. All ratings come from one fit (see assay ladder) and are
relative to the first player. Beside each stands its step: its Elo less that of the version before.

With --out the run is kept in a folder, with progress.svg and progress.json; after an interruption
the same command goes on. Engines are built once and kept (see assay help match --all).

With --bisect the commits are found at which the engine became stronger or weaker. Before the games it
says how many to expect, by simulation. Matches of 200 games between any two versions change the
probability of each hypothesis: no step; a step at one commit, or at two; many small ones. A step is
of --step Elo, give or take a third; one of half of it takes three times the games. The next match is
the one that is expected to tell most; engines are built when they play, and a commit that cannot be
built is left out. It ends when one answer has a probability of 1 - --error, or after --games. The
answer may be that no single commit did it.`,
		Example: `  assay progress git:v1..git:v9 --tags --tc 8+0.08 --out runs/progress
  assay progress ./v1 ./v2 ./v3 --neighbours --games 1000 --nodes 20000
  assay progress git:v2.1..git:main --bisect --step 40 --tc 4+0.04 --out runs/lost`,
		Args: cobra.MinimumNArgs(1),
	}
	set := settings.New(settings.Progress, cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		s := newSession(cmd, set)
		defer s.close()
		return s.progress(args)
	}
	return cmd
}

// version is one of those that are rated.
type version struct {
	Player  string `json:"player"` // as in assay match
	Name    string `json:"name"`
	Subject string `json:"subject,omitempty"` // of its commit
}

// versions lists what the arguments stand for.
func (s *session) versions(args []string) (list []version, err error) {
	if len(args) > 1 || !strings.Contains(args[0], "..") || !strings.HasPrefix(args[0], "git:") {
		for _, text := range args {
			list = append(list, version{Player: text, Name: text})
		}
	} else if list, err = s.commits(args[0]); err != nil {
		return nil, err
	}
	if len(list) < 2 {
		return nil, cli.Usagef("%s is one version: want a range such as git:v1..git:v9, or several", args[0])
	}
	return list, nil
}

// commits lists those of git:A..B, or git:A..git:B, with the options of all behind a question mark.
func (s *session) commits(text string) (list []version, err error) {
	span, options, more := strings.Cut(text, "?")
	if more {
		options = "?" + options
	}
	from, to, _ := strings.Cut(span, "..")
	from, to = strings.TrimPrefix(from, "git:"), cmp.Or(strings.TrimPrefix(to, "git:"), "HEAD")
	repo, err := gitbuild.OpenRepo(s.ctx, cmp.Or(s.Repo, "."))
	if err != nil {
		return nil, fmt.Errorf("%w; --repo names its folder", err)
	}
	line, err := repo.Line(s.ctx, from, to)
	if err != nil {
		return nil, err
	}
	for i, c := range line {
		if s.Tags && c.Tag == "" && i > 0 && i < len(line)-1 {
			continue
		}
		name := cmp.Or(c.Tag, c.ID[:12])
		list = append(list, version{"name=" + name + ":git:" + c.ID + options, name, c.Subject})
	}
	return list, nil
}

func (s *session) progress(args []string) error {
	for _, name := range []string{"serve", "nats"} {
		if s.Bisect && s.Given(name) {
			return cli.Usagef("--%s does not go with --bisect, whose matches are on this machine", name)
		}
	}
	switch {
	case !s.Bisect && s.Given("step", "error"):
		return cli.Usagef("--step and --error are for --bisect")
	case s.Baseline != "" && (s.Neighbours || s.Bisect):
		return cli.Usagef("--baseline is for versions that all play one player, not with --neighbours or --bisect")
	case s.Games%2 != 0:
		return cli.Usagef("--games %d: pairs need an even number", s.Games)
	}
	list, err := s.versions(args)
	if err != nil {
		return err
	}
	if s.Bisect {
		return s.bisect(args, list)
	}
	schedule := ladder.Gauntlet
	if s.Neighbours {
		schedule = ladder.Chain
	}
	if s.Baseline != "" {
		list = append([]version{{Player: s.Baseline, Name: s.Baseline}}, list...)
	}
	games := cmp.Or(s.Games, settings.DefaultMatchGames)
	specs, err := s.parse(list)
	if err != nil {
		return err
	}
	players, err := s.entrants(specs, numbered("progress"))
	if err != nil {
		return err
	}
	c := ladder.Config{Setup: s.Setup, Players: players, Games: games * uint64(len(list)-1), Schedule: schedule,
		Steps: true}
	c.Resume, c.Pinned = s.resume(args), s.git.pinned()
	if c.Check.Player, err = openingChecker(players...); err != nil {
		return err
	}
	r, err := s.playLadder(c)
	if r == nil || r.Verdict == gamelog.NoVerdict {
		return err
	}
	return s.showProgress(s.newProgress(list, players, r))
}

// parse completes the settings, and names the versions as their players.
func (s *session) parse(list []version) ([]engine.Spec, error) {
	var texts []string
	for _, v := range list {
		texts = append(texts, v.Player)
	}
	specs, _, err := s.complete(texts)
	for i := range specs {
		list[i].Name = specs[i].Label
	}
	return specs, err
}

// progressReport is what progress --json prints, and progress.json.
type progressReport struct {
	Out        string          `json:"out,omitempty"`
	Games      int64           `json:"games"`
	Neighbours bool            `json:"neighbours"`
	Versions   []progressPoint `json:"versions"` // in their order; the first has the Elo 0
	Warnings   []string        `json:"warnings,omitempty"`
}

// progressPoint is a version with its rating.
type progressPoint struct {
	version
	sprt.Strength
	Step  sprt.Strength `json:"step"` // its Elo less that of the version before; null for the first
	Games int64         `json:"games"`
}

func (s *session) newProgress(list []version, players []selfplay.Entrant, r *ladder.Result) *progressReport {
	p := &progressReport{Out: s.Out, Games: r.Games, Neighbours: s.Neighbours, Warnings: r.Warnings}
	for i, v := range list {
		k := slices.IndexFunc(r.Ratings, func(x ladder.Rating) bool { return x.ID == players[i].Identity() })
		point := progressPoint{v, r.Ratings[k].Strength, sprt.Unknown(), r.Ratings[k].Games}
		if i > 0 {
			point.Step = r.Steps[i-1]
		}
		p.Versions = append(p.Versions, point)
	}
	return p
}

// showProgress prints the ratings, and writes them and their picture into the folder.
func (s *session) showProgress(p *progressReport) error {
	if s.Out != "" {
		picture, err := p.picture()
		if err == nil {
			err = durable.WriteFile(filepath.Join(s.Out, "progress.svg"), picture)
		}
		if err == nil {
			err = durable.WriteJSON(filepath.Join(s.Out, "progress.json"), p)
		}
		if err != nil {
			return err
		}
	}
	if s.JSON {
		return cli.PrintJSON(s.stdout, p)
	}
	return p.print(cli.Folded(s.stdout))
}

func (p *progressReport) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "version\tElo\tstep\tgames\t\n")
	for i, v := range p.Versions {
		elo, step := v.Strength.Text(""), v.Step.Text("")
		if i == 0 {
			elo, step = "0", ""
		}
		quote.Fprintf(w, "%s\t%s\t%s\t%d\t%s\n", v.Name, elo, step, v.Games, v.Subject)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	cli.PrintWarnings(out, p.Warnings)
	if p.Out != "" {
		quote.Fprintf(out, "written %s, %s\n", filepath.Join(p.Out, "progress.svg"), filepath.Join(p.Out, gamelog.PGNName))
	}
	return nil
}

// points are versions with their Elo and intervals, for a plot.
type points struct {
	plotter.XYs
	plotter.YErrors
}

// picture draws the ratings by version, with their intervals, as SVG. Infinite ends are left out.
func (p *progressReport) picture() ([]byte, error) {
	chart := plot.New()
	chart.Title.Text, chart.Y.Label.Text = "Elo by version, with 95 % intervals", "Elo"
	var known points
	var names []plot.Tick
	every := (len(p.Versions) + 29) / 30 // names that there is room for
	for i, v := range p.Versions {
		name := ""
		if i%every == 0 || i == len(p.Versions)-1 {
			name = quote.Text(v.Name)
		}
		names = append(names, plot.Tick{Value: float64(i), Label: name})
		elo, lo, hi := float64(v.Elo), float64(v.EloLo), float64(v.EloHi)
		if math.IsInf(hi-lo, 0) || math.IsNaN(hi-lo) {
			continue
		}
		known.XYs = append(known.XYs, plotter.XY{X: float64(i), Y: elo})
		known.YErrors = append(known.YErrors, struct{ Low, High float64 }{elo - lo, hi - elo})
	}
	blue := color.RGBA{R: 0x33, G: 0x66, B: 0xcc, A: 255}
	if len(known.XYs) > 0 {
		line, dots, err := plotter.NewLinePoints(known.XYs)
		if err != nil {
			return nil, err
		}
		bars, err := plotter.NewYErrorBars(known)
		if err != nil {
			return nil, err
		}
		line.Color, dots.Color, bars.Color = blue, blue, blue
		bars.Width, line.Width = vg.Points(1.5), vg.Points(0.7)
		dots.Radius = vg.Points(3)
		chart.Add(plotter.NewGrid(), line, bars, dots)
	}
	chart.X.Tick.Marker = plot.ConstantTicks(names)
	chart.X.Tick.Label.Rotation, chart.X.Tick.Label.XAlign, chart.X.Tick.Label.YAlign = math.Pi/4, -1, -0.5
	chart.X.Min, chart.X.Max = -0.5, float64(len(p.Versions))-0.5
	width := min(4*vg.Inch+vg.Length(len(p.Versions))*0.4*vg.Inch, 14*vg.Inch)
	picture, err := chart.WriterTo(width, 4.5*vg.Inch, "svg")
	var b bytes.Buffer
	if err == nil {
		_, err = picture.WriteTo(&b)
	}
	return b.Bytes(), err
}
