// Package engines is the commands about engines: assay uci and check for any, perft and bench for
// our own.
package engines

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/cmd/internal/weights"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/engine/search"
	"github.com/assay-chess/assay/engine/uci"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/roster"
)

// NewUCI returns the command assay uci.
func NewUCI() *cobra.Command {
	var player string
	var tunable bool
	c := &cobra.Command{
		Use:   "uci",
		Short: "Play chess in a GUI: any player over the UCI protocol",
		Long: `Speak the UCI protocol on standard input and output, for a GUI or a match runner.

A player is NAME[:weights=FILE or embedded name][:nodes=N][:depth=N][:hash=MB]: assay, or a
historic program ("assay historic list" lists them) with its own options, such as
machack-1967:plies=3. If games are lost on time, raise Move Overhead, the milliseconds that each
move loses outside the engine. An info string reports whatever the engine ignores.

--tunable also lists the parameters of assay's search (reductions, pruning margins, windows) as
spin options, for tuners that speak UCI. They can be set without it, too, and in a player's name:
assay:ReverseMargin=90.`,
		Example: `  assay uci
  assay uci --player assay:weights=shannon-1950
  assay uci --player turing-1951
  assay uci --tunable
  assay uci --player assay:weights=runs/first/weights.json:nodes=5000`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			spec, err := roster.Parse(player)
			if err != nil {
				return err
			}
			p, err := roster.Open(spec)
			if err != nil {
				return err
			}
			defer p.Close() // the process ends now: an error does not matter
			if tunable {
				if q, ok := engine.As[engine.ParameterLister](p); !ok || !q.ShowParameters() {
					return ui.Usagef("--tunable: the search of %s has no parameters", player)
				}
			}
			name := ui.Version()
			if player != "assay" {
				name += " (" + player + ")"
			}
			ui.Quiet(cmd.ErrOrStderr())
			s := &uci.Server{Name: name, Author: "the assay authors", Player: p}
			return s.Serve(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	c.Flags().StringVar(&player, "player", "assay", "player (see above)")
	c.Flags().BoolVar(&tunable, "tunable", false, "also list the parameters of assay's search as options")
	return c
}

type benchReport struct {
	Weights   string  `json:"weights"` // id
	Positions int     `json:"positions"`
	Nodes     uint64  `json:"nodes"`
	Seconds   float64 `json:"seconds"`
	NPS       float64 `json:"nps"`
	// Signature is the number of nodes that the default weights must give.
	Signature uint64 `json:"signature"`
}

// NewBench returns the command assay bench.
func NewBench() *cobra.Command {
	var file string
	c := &cobra.Command{
		Use:   "bench",
		Short: "Measure the search speed, and check the search's signature",
		Long: `Search a fixed set of positions to a fixed depth on one thread.

The number of nodes is the program's signature. It is the same on every machine, and changes
only with the search, the evaluation and the default weights. If a build does not give the
signature it was released with, the command fails.`,
		Example: `  assay bench
  assay bench --weights shannon-1950 --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			x, err := weights.Open("", file)
			if err != nil {
				return err
			}
			ev, err := x.Model.NewEvaluator(x.Coefs)
			if err != nil {
				return err
			}
			r, err := search.Bench(cmd.Context(), ev, ui.NewProgress(cmd.ErrOrStderr(), "bench").Update)
			if err != nil {
				return err
			}
			report := benchReport{x.File.ID(), r.Positions, r.Nodes, r.Time.Seconds(), r.NPS(), search.Signature}
			err = ui.Show(cmd, report, ui.Text("weights    %s (id %s)\npositions  %d\nnodes      %d\n"+
				"seconds    %.3f\nnodes/s    %.0f\nsignature  %d\n",
				x.Name, report.Weights, r.Positions, r.Nodes, report.Seconds, report.NPS, search.Signature))
			if err == nil && file == "" && r.Nodes != search.Signature {
				err = fmt.Errorf("the bench visits %d nodes instead of %d: this build does not search like the released one",
					r.Nodes, search.Signature)
			}
			return err
		},
	}
	c.Flags().StringVar(&file, "weights", "", `weight file or name of embedded weights (default "assay")`)
	ui.JSON(c)
	return c
}

// MeasureSpeed returns search.Speed with the default weights.
func MeasureSpeed(ctx context.Context, cores int) (float64, error) {
	return search.Speed(ctx, cores, func() (engine.Evaluator, error) {
		x, err := weights.Open("", "")
		if err != nil {
			return nil, err
		}
		return x.Model.NewEvaluator(x.Coefs)
	})
}

// NewCheck returns the command assay check.
func NewCheck() *cobra.Command {
	var clocks []string
	var load, all bool
	c := &cobra.Command{
		Use:   "check ENGINE",
		Short: "Check UCI compliance, limits and timing of an engine",
		Long: `Check UCI compliance and timing of an engine before it plays games: about 40 checks of the
handshake, options, every form of go, legal moves, mates, how fast it answers, nodes, depth and time
as asked, memory, Chess960, and how it ends.

A check that failed means lost games, and the exit code is 1. A warning means games that are not
quite what you asked for, such as more nodes than the limit. Beside both stands the dialogue: > to
the engine, < from it, after how many milliseconds. Times depend on the machine: run this when
nothing else runs. With --load the games by the clock are played once more while every core is
busy.`,
		Example: `  assay check ./engine
  assay check './engine?Threads=1' --clock 1+0.01,8+0.08,40/10 --load
  assay check ./engine --json | jq '.findings[] | select(.verdict == "failed")'`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			config := uci.CheckConfig{Load: load}
			for _, text := range clocks {
				clock, err := selfplay.ParseClock(text)
				if err != nil {
					return ui.Usagef("--clock: %w", err)
				}
				config.Clocks = append(config.Clocks,
					uci.CheckClock{Name: text, Base: clock.Base, Increment: clock.Increment, Moves: clock.Moves})
			}
			return check(cmd, args[0], config, all)
		},
	}
	c.Flags().StringSliceVar(&clocks, "clock", []string{"1+0.01"}, "`clocks` of the games, [MOVES/]SECONDS[+INCREMENT]")
	c.Flags().BoolVar(&load, "load", false, "play each game once more while every core is busy")
	ui.JSON(c)
	c.Flags().BoolVar(&all, "all", false, "print the whole dialogue of a failure, not its last lines")
	return c
}

func check(cmd *cobra.Command, text string, config uci.CheckConfig, all bool) error {
	spec, err := ui.Player(text)
	if err != nil {
		return err
	}
	if !spec.External() {
		return ui.Usagef("%s is not a UCI engine: give the path of a program, such as ./engine", text)
	}
	command, err := roster.Command(spec)
	if err != nil {
		return err
	}
	p := ui.NewProgress(cmd.ErrOrStderr(), "check")
	config.Progress = p.Update
	r, err := uci.Check(cmd.Context(), command, config)
	if err != nil {
		return fmt.Errorf("%s: %w", spec.Label, err)
	}
	failed := r.Count(uci.CheckFailed)
	p.Finish(fmt.Sprintf("%d checks", len(r.Findings)))
	err = ui.Show(cmd, r, func(w io.Writer) error { return printCheck(w, spec.Label, r, all) })
	if err == nil && failed > 0 {
		err = ui.ExitCode(ui.ExitFailed)
	}
	return err
}

// shownLines and shownColumns are how much of a dialogue is shown without --all.
const shownLines, shownColumns = 8, 110

func printCheck(w io.Writer, engine string, r *uci.CheckReport, all bool) error {
	out, verdict := new(strings.Builder), "PASSED"
	if r.Count(uci.CheckFailed) > 0 {
		verdict = "FAILED"
	}
	fmt.Fprintf(out, "%s: %s: %d of %d checks failed; warnings: %d; skipped: %d\n", verdict, quote.Text(engine),
		r.Count(uci.CheckFailed), len(r.Findings), r.Count(uci.CheckWarning), r.Count(uci.CheckSkipped))
	if r.Name != "" {
		quote.Fprintf(out, "%s by %s\n", r.Name, r.Author)
	}
	group := ""
	var t ui.Table
	for _, f := range r.Findings {
		if f.Group != group {
			group = f.Group
			t.Rows = append(t.Rows, []string{""}, []string{group})
		}
		t.Add("  %s\t%s\t%s", f.Verdict, f.Check, f.Text)
	}
	if err := t.Print(out); err != nil {
		return err
	}
	for _, f := range r.Findings {
		if f.Dialogue == "" {
			continue
		}
		quote.Fprintf(out, "\n%s: %s, %s: %s\n", f.Verdict, f.Group, f.Check, f.Text)
		lines := strings.Split(strings.TrimRight(f.Dialogue, "\n"), "\n")
		if left := len(lines) - shownLines; left > 0 && !all {
			fmt.Fprintf(out, "  (%d more lines with --all)\n", left)
			lines = lines[left:]
		}
		for _, line := range lines {
			if !all && len(line) > shownColumns {
				line = line[:shownColumns] + " ..."
			}
			quote.Fprintf(out, "  %s\n", line)
		}
	}
	return ui.Fold(w, out.String())
}
