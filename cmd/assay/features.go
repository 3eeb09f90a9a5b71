package main

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/dataset/features"
)

func newFeaturesCommand() *cobra.Command {
	var c features.Config
	var out, command string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "features POSITIONS... --cmd COMMAND --out DIR",
		Short: "Collect the evaluation features of another engine",
		Long: `Send positions to another engine, and collect the features that it prints in a data set
(assay.features/1), which 'assay tune' can fit. The tuner does not need to know the engine,
and the engine does not need to know Arrow.

The engine prints a header line, a JSON object with the names and values of its terms. Then
it answers each line on standard input, a FEN, with a record: a JSON line like
  {"term":[0,17],"count":[1,-2],"phase":0.75,"eval":35}
or a binary record. After an empty line it flushes its output. Counts are White's minus
Black's. dataset/FORMAT.md describes the protocol; dataset/features/assay_features.h is a
writer in C.

If a record has an eval, its terms must add up to it, to a centipawn; otherwise the command
fails and names the row. Results, scores and games are copied from the positions. The output
does not depend on --procs. After an interruption, run the same command again to resume.`,
		Example: `  assay features positions --cmd './engine dump' --out features
  assay features positions --cmd 'python3 dump.py' --procs 4 --out features`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if out == "" {
				return usagef("missing --out DIR")
			}
			if c.Command, err = features.Split(command); err != nil {
				return usagef("--cmd: %w", err)
			}
			if c.Procs < 0 || c.Timeout <= 0 {
				return usagef("--procs must be 0 or more, --timeout more than 0")
			}
			p := newProgress(cmd.ErrOrStderr(), "features")
			c.Program, c.Progress = programVersion(), p.update
			m, err := features.Run(cmd.Context(), args, out, c)
			switch {
			case errors.Is(err, dataset.ErrComplete):
				fmt.Fprintf(cmd.ErrOrStderr(), "features: %s is complete; nothing to do\n", out)
				if m, err = durable.LoadManifest(out); err != nil {
					return err
				}
			case err != nil:
				return featuresAdvice(err)
			default:
				p.finish(fmt.Sprintf("%d rows in %s", m.Rows, out))
			}
			return printFeatures(cmd.OutOrStdout(), out, m, asJSON)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&command, "cmd", "", "the engine and its arguments (required)")
	flags.StringVar(&out, "out", "", "folder to write (required)")
	flags.IntVar(&c.Procs, "procs", 0, "processes of the engine; 0 is one per core")
	flags.DurationVar(&c.Timeout, "timeout", time.Minute, "time limit for one answer")
	flags.BoolVar(&c.Float, "float", false, "store counts as float32, even if the engine does not ask for it")
	flags.BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func printFeatures(w io.Writer, out string, m *durable.Manifest, asJSON bool) error {
	id, err := m.ID()
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(w, map[string]any{"out": out, "id": id, "rows": m.Rows})
	}
	_, err = fmt.Fprintf(w, "%s: %s, %d rows\n", out, m.Schema, m.Rows)
	return err
}

func featuresAdvice(err error) error {
	var noProgram *exec.Error
	switch {
	case errors.Is(err, dataset.ErrDrift):
		return fmt.Errorf("%w; fix the engine's output, or leave out eval where the terms are not the whole evaluation", err)
	case errors.Is(err, dataset.ErrCountRange):
		return fmt.Errorf("%w: set --float, or \"float\":true in the engine's header", err)
	case errors.Is(err, features.ErrProtocol), errors.Is(err, features.ErrSilent):
		return fmt.Errorf("%w; see 'assay features --help'", err)
	case errors.As(err, &noProgram):
		return fmt.Errorf("%w; --cmd must start a program, such as './engine dump'", err)
	}
	return dataAdvice(err)
}
