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
// harder. By default the heap may grow to twice what is in use.
const dataMemory = 700 << 20

func newDataCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "data",
		Short: "Import, export, arrange and check data sets, and make positions of games",
		Long: `Data sets are folders of Arrow files with a manifest.json: games (assay.games/1),
positions (assay.positions/1) or features of another engine (assay.features/1).
Every command also reads a single .arrow file, or a folder of them without a manifest, and
reports it as unverified.`,
		Example: `  assay data positions games --out positions
  assay data stat positions`,
		PersistentPreRun: func(*cobra.Command, []string) {
			if os.Getenv("GOMEMLIMIT") == "" { // the user has set a limit
				debug.SetMemoryLimit(dataMemory)
			}
		},
	}
	cmd.AddCommand(newDataImportCommand(), newDataExportCommand(), newDataPositionsCommand(), newDataRelabelCommand(),
		newDataMergeCommand(), newDataSplitCommand(), newDataShuffleCommand(), newDataStatCommand(), newDataHeadCommand(), newDataVerifyCommand())
	return cmd
}

// dataAdvice adds to an error what the user can do about it.
func dataAdvice(err error) error {
	var changed *durable.ConfigChangedError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &changed):
		return fmt.Errorf("%w; use the same flags and data as when it was started, or another --out", err)
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("%w; free some space, then run the same command again", err)
	case errors.Is(err, durable.ErrLocked):
		return fmt.Errorf("%w; wait for it to end, or use another --out", err)
	case errors.Is(err, dataset.ErrNotData):
		return fmt.Errorf("%w; set --out to an empty or a new folder", err)
	case errors.Is(err, dataset.ErrIncomplete):
		return fmt.Errorf("%w; to resume it, run the command that writes it again", err)
	case errors.Is(err, durable.ErrDamaged):
		return fmt.Errorf("%w; 'assay data verify' lists all damage, and 'assay runs repair' keeps the whole shards before it", err)
	case errors.Is(err, dataset.ErrNoData), errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w; a data set is a folder with %s, or an .arrow file. A match keeps one in its folder games when it is complete, and until then its games in games.pgn, which 'assay data import' reads", err, durable.ManifestName)
	}
	return err
}

func newDataVerifyCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify PATH",
		Short: "Check a data set: checksums, schema and every row",
		Long: `Read a whole data set and list each damaged file and each bad row: illegal moves, impossible
positions, labels out of range, games that occur twice. The exit code is 0 if nothing is
listed and the data set is complete.`,
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
				fmt.Fprintf(cmd.OutOrStdout(), "%s: %s, %d rows in %d files are valid%s\n",
					v.Path, v.Format, v.Rows, v.Shards, unverifiedNote(v.Verified))
			}
			return verdict(v)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// unverifiedNote says that there are no checksums.
func unverifiedNote(verified bool) string {
	if verified {
		return ""
	}
	return " (unverified: without a manifest, damage that leaves valid rows is not detected)"
}

func verdict(v *dataset.Verification) error {
	switch {
	case v.OK():
		return nil
	case v.BadFiles+v.BadRows > 0:
		return fmt.Errorf("%s: %d damaged files, %d bad rows; restore them from a backup, or make the data again", v.Path, v.BadFiles, v.BadRows)
	}
	return dataAdvice(fmt.Errorf("%s: %w", v.Path, dataset.ErrIncomplete))
}
