package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/durable"
)

// dataMemory is how far the heap of a data command may grow before the collector works
// harder; without a word it would let the heap become twice what is in use.
const dataMemory = 700 << 20

func newDataCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "data",
		Short: "Import, export, arrange and check data sets, and make positions of games",
		Long: `Data sets are folders of Arrow files with a manifest.json: games (assay.games/1),
positions (assay.positions/1) or features of a foreign evaluation (assay.features/1).
A single .arrow file, or a folder of them without manifest, can be read everywhere too,
and is reported as unverified.`,
		Example: `  assay data positions games --out positions
  assay data stat positions`,
		Args: cobra.NoArgs,
		PersistentPreRun: func(*cobra.Command, []string) {
			if os.Getenv("GOMEMLIMIT") == "" { // who sets it knows better
				debug.SetMemoryLimit(dataMemory)
			}
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			return usagef("say what to do with the data")
		},
	}
	cmd.AddCommand(newDataImportCommand(), newDataExportCommand(), newDataPositionsCommand(), newDataRelabelCommand(),
		newDataMergeCommand(), newDataSplitCommand(), newDataShuffleCommand(), newDataStatCommand(), newDataHeadCommand(), newDataVerifyCommand())
	return cmd
}

// dataAdvice adds the cure to what can be wrong with a data set.
func dataAdvice(err error) error {
	var changed *durable.ConfigChangedError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &changed):
		return fmt.Errorf("%w; give the flags and data it was begun with, or another --out", err)
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("%w; free some room, and give the same command again", err)
	case errors.Is(err, durable.ErrLocked):
		return fmt.Errorf("%w; wait for it, or give another --out", err)
	case errors.Is(err, dataset.ErrNotData):
		return fmt.Errorf("%w; give an empty or a new folder with --out", err)
	case errors.Is(err, dataset.ErrIncomplete):
		return fmt.Errorf("%w; run the command that writes it again, and it goes on where it was", err)
	case errors.Is(err, durable.ErrDamaged):
		return fmt.Errorf("%w; 'assay data verify' lists all that is damaged", err)
	case errors.Is(err, dataset.ErrNoData), errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w; want a data set: a folder with %s, or an .arrow file", err, durable.ManifestName)
	}
	return err
}

func newDataVerifyCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify PATH",
		Short: "Check a data set: checksums, schema, and what every row means",
		Long: `Read a whole data set, and list each damaged file and each row that cannot be: moves that
are not legal, positions that break the rules, labels out of range, games that are there
twice. The exit code is 0 if there is none, and the data set is complete.`,
		Example: "  assay data verify games",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			problems := []string{}
			report := func(problem error) {
				problems = append(problems, problem.Error())
				if !asJSON {
					fmt.Fprintln(cmd.OutOrStdout(), problem)
				}
			}
			p := newProgress(cmd.ErrOrStderr(), "data verify")
			v, err := dataset.Verify(cmd.Context(), args[0], report, p.update)
			if err != nil {
				return dataAdvice(err)
			}
			p.finish("done")
			if asJSON {
				out := struct {
					*dataset.Verification
					OK       bool     `json:"ok"`
					Problems []string `json:"problems"`
				}{v, v.OK(), problems}
				if err := printJSON(cmd.OutOrStdout(), out); err != nil {
					return err
				}
			} else {
				fmt.Fprintf(cmd.OutOrStdout(), "%s: %s, %d rows in %d files are sound%s\n",
					v.Path, v.Format, v.Rows, v.Shards, unverifiedNote(v.Verified))
			}
			return verdict(v)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// unverifiedNote says that nothing vouches for the bytes.
func unverifiedNote(verified bool) string {
	if verified {
		return ""
	}
	return " (unverified: without a manifest, damage that gives valid rows is not seen)"
}

func verdict(v *dataset.Verification) error {
	switch {
	case v.OK():
		return nil
	case v.BadFiles+v.BadRows > 0:
		return fmt.Errorf("%s: %d damaged files, %d bad rows; take them from a backup, or make the data again", v.Path, v.BadFiles, v.BadRows)
	}
	return dataAdvice(fmt.Errorf("%s: %w", v.Path, dataset.ErrIncomplete))
}
