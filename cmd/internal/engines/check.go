package engines

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/engine/uci"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/roster"
)

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
	err = ui.Show(cmd, r, func(w io.Writer) error { return printCheck(ui.Folded(w), spec.Label, r, all) })
	if err == nil && failed > 0 {
		err = ui.ExitCode(ui.ExitFailed)
	}
	return err
}

// shownLines and shownColumns are how much of a dialogue is shown without --all.
const shownLines, shownColumns = 8, 110

func printCheck(out io.Writer, engine string, r *uci.CheckReport, all bool) error {
	verdict := "PASSED"
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
	return nil
}
