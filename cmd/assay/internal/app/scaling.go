package app

import (
	"fmt"
	"io"
	"path/filepath"
	"text/tabwriter"

	"github.com/assay-chess/assay/cmd/assay/internal/cli"
	"github.com/assay-chess/assay/cmd/assay/internal/runs"
	"github.com/assay-chess/assay/cmd/assay/internal/settings"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/selfplay/match"
)

// scaling completes the settings of match --scaling.
func (s *session) scaling() error {
	for _, name := range []string{"tc", "movetime", "depth", "sprt", "preset", "game", "serve", "nats"} {
		if s.Given(name) {
			return cli.Usagef("--%s does not go with --scaling, which plays a number of games at three numbers of nodes, "+
				"on this machine", name)
		}
	}
	for name, value := range map[string]int{"nodes": settings.DefaultScalingNodes, "games": settings.DefaultScalingGames} {
		if s.Given(name) {
			continue
		}
		if err := s.Put(name, fmt.Sprint(value)); err != nil { // as a flag, which wins over assay.toml
			return err
		}
	}
	if s.Games < match.MinScalingGames {
		return cli.Usagef("--games %d: --scaling needs %d or more; %d know Elo a doubling to about ±6", s.Games,
			match.MinScalingGames, settings.DefaultScalingGames)
	}
	return nil
}

// scalable refuses players whom more nodes do not change.
func scalable(players []engine.Spec) error {
	if len(players) != 2 {
		return cli.Usagef("--scaling compares two players, not %d", len(players))
	}
	for _, p := range players {
		if p.Nodes != 0 || p.Depth != 0 || roster.IsHistoric(p) {
			return cli.Usagef("--scaling: %s searches to a limit of its own, whatever --nodes says", quote.Text(p.Label))
		}
	}
	return nil
}

func (s *session) runScaling(c match.Config) error {
	s.warn(sharedOpenings(match.ScalingCommand, c.Setup))
	p := cli.NewProgress(s.stderr, "match")
	c.Progress, c.Failed = p.Update, cli.ReportFaults(p.Say, c.A, c.B)
	var err error
	if c.Runner, err = s.runner(false, p, c.A, c.B); err != nil {
		return err
	}
	s.limitMemory(c.A, c.B)
	r, err := match.Scale(s.ctx, c)
	s.git.release()
	if err != nil && r == nil {
		return playAdvice(err, s.Out)
	}
	if r.Already {
		fmt.Fprintf(s.stderr, "match: %s is complete; nothing to do\n", s.Out)
	} else {
		p.Finish(fmt.Sprintf("%d games, %s", r.Games, r.Verdict))
	}
	runs.LeaveReport(s.Out, s.stderr)
	if s.JSON {
		e := cli.PrintJSON(s.stdout, struct {
			Out string `json:"out,omitempty"`
			*match.Scaling
			Already bool `json:"already"`
		}{s.Out, r, r.Already})
		if e != nil {
			return e
		}
	} else if e := printScaling(cli.Folded(s.stdout), s.Out, r); e != nil {
		return e
	}
	return playAdvice(err, s.Out)
}

// printScaling prints the matches, and the slopes below them.
func printScaling(out io.Writer, dir string, r *match.Scaling) error {
	quote.Fprintf(out, "%s\n\n", r.Headline())
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "nodes\tgames\tElo\tnormalized Elo\teven pairs\n")
	for i := range r.Limits {
		m := &r.Limits[i]
		quote.Fprintf(w, "%d\t%d\t%s\t%s\t%.0f %%\n", r.Nodes[i], m.Games, m.Strength.Text(""),
			m.Details.Normalized().Text(""), 100*m.DrawRatio)
	}
	if r.Elo.PerDoubling.Known() {
		quote.Fprintf(w, "a doubling\t\t%s\t%s\n", r.Elo.PerDoubling.Text(""), r.NElo.PerDoubling.Text(""))
		quote.Fprintf(w, "\t\t%s\t%s\n", r.Elo.Verdict, r.NElo.Verdict)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	var warnings []string
	for i := range r.Limits {
		for _, text := range r.Limits[i].Warnings {
			warnings = append(warnings, fmt.Sprintf("at %d nodes: %s", r.Nodes[i], text))
		}
	}
	for _, text := range r.Notes() {
		quote.Fprintf(out, "%s\n", text)
	}
	cli.PrintWarnings(out, warnings)
	if dir != "" {
		quote.Fprintf(out, "written %s\n", filepath.Join(dir, "x*", match.PGNName))
	}
	return nil
}
