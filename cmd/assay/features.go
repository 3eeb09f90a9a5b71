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
		Short: "Have a foreign engine print its evaluation's features of positions",
		Long: `Feed positions to processes of a foreign engine, and collect what they print into a data set
of features (assay.features/1), which 'assay tune' fits: the tuner needs to know nothing
of the engine, and the engine nothing of Arrow.

The engine prints a header line, a JSON object with the names and values of its terms. Then
it answers each line on standard input, a FEN, with a record: a JSON line like
  {"term":[0,17],"count":[1,-2],"phase":0.75,"eval":35}
or a binary record; at an empty line it flushes its output. Counts are White's minus
Black's. FORMAT.md has all of the protocol; dataset/features/assay_features.h is a writer in C.

Where a record has an eval, the terms must make it to a centipawn: the first that do not
are an error which names the row. Results, scores and games are those of the positions.
The bytes do not depend on --procs. After an interruption the same command goes on.`,
		Example: `  assay features positions --cmd './engine dump' --out features
  assay features positions --cmd 'python3 dump.py' --procs 4 --out features`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if out == "" {
				return usagef("--out DIR says where to write the features")
			}
			if c.Command, err = features.Split(command); err != nil {
				return usagef("--cmd: %w", err)
			}
			if c.Procs < 0 || c.Timeout <= 0 {
				return usagef("--procs and --timeout are not negative")
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
	flags.IntVar(&c.Procs, "procs", 0, "processes of the engine; 0 is one a core")
	flags.DurationVar(&c.Timeout, "timeout", time.Minute, "for one answer")
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
		return fmt.Errorf("%w; mend the engine's dump, or leave out its eval where its terms are not the whole evaluation", err)
	case errors.Is(err, dataset.ErrCountRange):
		return fmt.Errorf("%w: give --float, or \"float\":true in the engine's header", err)
	case errors.Is(err, features.ErrProtocol), errors.Is(err, features.ErrSilent):
		return fmt.Errorf("%w; 'assay features --help' says what is wanted", err)
	case errors.As(err, &noProgram):
		return fmt.Errorf("%w; want a program with --cmd, as './engine dump'", err)
	}
	return dataAdvice(err)
}
