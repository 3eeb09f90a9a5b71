package app

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/assay-chess/assay/cmd/internal/cli"
	"github.com/assay-chess/assay/cmd/internal/gitbuild"
	"github.com/assay-chess/assay/cmd/internal/settings"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/bisect"
	"github.com/assay-chess/assay/selfplay/match"
)

// bisectPairs are those of one match.
const bisectPairs = 100

// mostCommits bounds the hypotheses: there are twice its square.
const mostCommits = 200

// bisecting is a bisection in progress.
type bisecting struct {
	*session
	list    []version
	specs   []engine.Spec
	players []*selfplay.Entrant // nil: not built yet
	known   *bisect.Posterior
	out     *bisectReport
}

// bisectReport is what progress --bisect --json prints, and bisect.json.
type bisectReport struct {
	Out      string           `json:"out,omitempty"`
	Versions []version        `json:"versions"`
	Expected *bisect.Expected `json:"expected"`
	Games    int              `json:"games"`
	Broken   []int            `json:"broken,omitempty"` // versions that cannot be built
	*bisect.Answer
	Chances []float64 `json:"chances"` // of a step at each commit: that between versions i-1 and i
}

// bisect finds the commits that changed the strength.
func (s *session) bisect(args []string, list []version) error {
	prior := bisect.Prior{Step: s.Step, Error: s.Error}
	n := len(list) - 1
	if n > mostCommits {
		return cli.Usagef("%d commits are more than %d: give a shorter range, or --tags and then the range between two", n,
			mostCommits)
	}
	known, err := bisect.New(n, prior)
	if err != nil {
		return cli.Usagef("--step %v, --error %v: want Elo above 0, and a probability between 0 and 0.5", s.Step, s.Error)
	}
	if s.Games == 0 {
		s.Games = settings.DefaultBisectGames
	}
	b := &bisecting{session: s, list: list, known: known, players: make([]*selfplay.Entrant, n+1),
		out: &bisectReport{Out: s.Out, Versions: list}}
	if b.specs, err = s.parse(list); err != nil {
		return err
	}
	runs := min(max(2000/(n*n), 4), 100)
	if b.out.Expected, err = bisect.Simulate(n, prior, bisectPairs, int(s.Games), runs, s.Seed); err != nil {
		return err
	}
	e := b.out.Expected
	fmt.Fprintf(s.stderr, "progress: %d commits; if one of them changed %g Elo, expect %.0f games, in nine of ten cases "+
		"at most %.0f (%d simulated: %.0f %% right, %.0f %% wrong)\n", n, s.Step, e.Games, e.Most, runs, 100*e.Right,
		100*e.Wrong)
	for step := 0; ; step++ {
		b.out.Answer, b.out.Chances = known.Answer(), known.Chances()
		if b.out.Final || b.out.Games+2*bisectPairs > int(s.Games) {
			return b.show()
		}
		if err := b.play(step, args); err != nil {
			return err
		}
	}
}

// play plays the match that tells most.
func (b *bisecting) play(step int, args []string) error {
	i, j := b.known.Next(bisectPairs)
	for _, v := range []int{i, j} {
		switch err := b.build(v); {
		case errors.Is(err, gitbuild.ErrBuild) && v > 0 && v < len(b.list)-1:
			b.warn(fmt.Sprintf("%s cannot be built and is left out: %v", b.list[v].Name, err))
			b.known.Skip(v)
			b.out.Broken = append(b.out.Broken, v)
			return nil
		case err != nil:
			return err
		}
	}
	c := match.Config{Setup: b.Setup, A: *b.players[j], B: *b.players[i], Games: 2 * bisectPairs}
	if c.Out != "" {
		c.Out = filepath.Join(b.Out, fmt.Sprintf("%03d", step))
	}
	c.Resume, c.Pinned = b.resume(args), b.git.pinned()
	switch { // no two matches have an opening in common
	case c.Opening.Book != "" && !c.Opening.Random:
		c.Opening.Skip += b.out.Games / 2
	default:
		c.Seed = selfplay.Seed(b.Seed, 0, "bisect", uint64(step))
	}
	if c.Opening.Book == "" {
		var err error
		if c.Check.Player, err = openingChecker(c.B, c.A); err != nil {
			return err
		}
	}
	r, err := b.playMatch(c)
	if err != nil {
		return err
	}
	b.known.Add(i, j, r.Pentanomial)
	b.out.Games += int(r.Games)
	a := b.known.Answer()
	fmt.Fprintf(b.stderr, "progress: %s against %s: %s; %s\n", b.list[j].Name, b.list[i].Name, r.Strength.Text(" Elo"),
		b.likely(a))
	return nil
}

// build opens a version, once.
func (b *bisecting) build(v int) error {
	if b.players[v] != nil {
		return nil
	}
	e, err := b.entrant(b.specs[v], "progress: "+b.list[v].Name)
	if err == nil {
		b.players[v] = &e
	}
	return err
}

// likely says in a few words what is known.
func (b *bisecting) likely(a *bisect.Answer) string {
	text := fmt.Sprintf("no step %.0f %%, one %.0f %%, two %.0f %%, many %.0f %%",
		100*a.Kinds[0], 100*a.Kinds[1], 100*a.Kinds[2],
		100*a.Kinds[3])
	if len(a.Steps) > 0 {
		text += fmt.Sprintf("; likeliest at %s (%.0f %%)", b.where(a.Steps[0]), 100*a.Steps[0].Probability)
	}
	return text
}

// where names the commits of a step.
func (b *bisecting) where(s bisect.Step) string {
	if s.To-s.From > 1 {
		return fmt.Sprintf("the %d commits to %s", s.To-s.From, b.list[s.To].Name)
	}
	return b.list[s.To].Name
}

func (b *bisecting) show() error {
	if b.Out != "" {
		if err := durable.MakeDir(b.Out); err != nil {
			return err
		}
		if err := durable.WriteJSON(filepath.Join(b.Out, "bisect.json"), b.out); err != nil {
			return err
		}
	}
	if b.JSON {
		return cli.PrintJSON(b.stdout, b.out)
	}
	b.print(cli.Folded(b.stdout))
	return nil
}

func (b *bisecting) print(w io.Writer) {
	a := b.out.Answer
	headline := map[string]string{
		bisect.NoStep: fmt.Sprintf("no step: %s and %s differ by less than about %.0f Elo", b.list[0].Name,
			b.list[len(b.list)-1].Name, b.Step/2),
		bisect.OneStep:        "one commit changed the strength",
		bisect.TwoSteps:       "two commits changed the strength",
		bisect.NoSingleCommit: "no single commit: several changed the strength",
		bisect.Undecided:      "undecided: more --games would tell",
	}[a.Verdict]
	quote.Fprintf(w, "%s (%d games; %s)\n", headline, b.out.Games, b.likely(a))
	for _, s := range a.Steps {
		quote.Fprintf(w, "%s  %s, probability %.2f  %s\n", b.where(s), s.Size.Text(" Elo"), s.Probability,
			b.list[s.To].Subject)
	}
}
