// Package data is the command assay data: data sets imported, exported, merged, split,
// shuffled, filtered, relabelled and summarized, one file a group of subcommands.
package data

import (
	"fmt"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/dataset"
)

// dataMemory is how far the heap of a data command may grow before the collector works
// harder. By default the heap may grow to twice its use.
const dataMemory = 700 << 20

// New returns the command assay data.
func New() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "data",
		Short: "Import, export and arrange data sets; make positions of games",
		Long: `Data sets are folders of Arrow files with a manifest.json: games (assay.games/1),
positions (assay.positions/1) or features of another engine (assay.features/2).
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
	cmd.AddCommand(newImport(), newExport(), newPositions(), newRelabel(),
		newMerge(), newSplit(), newShuffle(), newStat(), newHead(), newVerify())
	return cmd
}

func newVerify() *cobra.Command {
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
				if !ui.WantsJSON(cmd) {
					fmt.Fprintln(cmd.OutOrStdout(), problem)
				}
			}
			p := ui.NewProgress(cmd.ErrOrStderr(), "data verify")
			v, err := dataset.Verify(cmd.Context(), args[0], report, p.Update)
			if err != nil {
				return err
			}
			p.Finish("done")
			note := ""
			if !v.Verified {
				note = " (unverified: without a manifest, damage that leaves valid rows is not detected)"
			}
			err = ui.Show(cmd, struct {
				*dataset.Verification
				OK       bool     `json:"ok"`
				Problems []string `json:"problems"`
			}{v, v.OK(), problems}, ui.Text("%s: %s, %d rows in %d files are "+
				"valid%s\n", v.Path, v.Format, v.Rows, v.Shards, note))
			if err != nil || v.OK() {
				return err
			}
			if v.BadFiles+v.BadRows > 0 {
				return fmt.Errorf("%s: %d damaged files, %d bad rows; restore them from a backup, or make the data again",
					v.Path, v.BadFiles, v.BadRows)
			}
			return fmt.Errorf("%s: %w", v.Path, dataset.ErrIncomplete)
		},
	}
	ui.JSON(cmd)
	return cmd
}
