package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/selfplay/gamelog"
)

func newRunsRepairCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "repair RUN",
		Short: "Keep what is whole of a damaged run, so that its command resumes it",
		Long: `Find what is damaged in the folder of a match, ladder, spsa or selfplay run, or in a data set,
and keep the rest: of a journal all lines whose checksum is right, of a data set the shards
before the first damaged one. The run's command then plays or writes what is missing again. A
run without clocks ends with the same bytes as one that was never damaged.

Nothing is deleted: what is changed is kept beside its repaired form, as journal.jsonl.damaged.
Where games are lost, the result and the data set of games are set aside too, and written
again. A damaged config.json cannot be repaired. No process may have the run open.`,
		Example: "  assay runs repair runs/night",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := findRun(args[0])
			list, resume, err := repair(dir)
			if err != nil {
				return repairAdvice(err)
			}
			if asJSON {
				if list == nil {
					list = []durable.Repaired{}
				}
				return printJSON(cmd.OutOrStdout(), map[string]any{"run": dir, "repaired": list, "resume": resume})
			}
			printRepair(cmd.OutOrStdout(), dir, list, resume)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// repair repairs a run or a data set, and returns the command that resumes it, or "".
func repair(dir string) (list []durable.Repaired, resume string, err error) {
	if _, err := os.Stat(filepath.Join(dir, durable.RunConfigName)); err == nil {
		list, err = durable.RepairRun(dir, durable.RepairPlan{Journal: gamelog.JournalName, Derived: gamelog.GamesName, Data: repairData})
		return list, durable.Status(dir).Info.Resume, err
	}
	if _, err := os.Stat(filepath.Join(dir, durable.ManifestName)); err != nil {
		return nil, "", fmt.Errorf("%s is neither a run nor a data set: %w", dir, err)
	}
	list, err = dataset.Repair(dir)
	return list, "", err
}

// repairData repairs the data set in a folder, and the runs in its folders: the validation
// of spsa is one.
func repairData(dir string) (list []durable.Repaired, err error) {
	inner, err := durable.List(dir)
	if err != nil {
		return nil, err
	}
	for _, r := range inner {
		l, _, err := repair(r.Dir)
		list = append(list, l...)
		if err != nil {
			return list, err
		}
	}
	l, err := dataset.Repair(dir)
	return append(list, l...), err
}

func repairAdvice(err error) error {
	switch {
	case errors.Is(err, durable.ErrLocked):
		return fmt.Errorf("%w; stop that process first", err)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w; 'assay runs' lists runs", err)
	}
	return err
}

func printRepair(out io.Writer, dir string, list []durable.Repaired, resume string) {
	if len(list) == 0 {
		fmt.Fprintf(out, "%s: nothing is damaged\n", dir)
		return
	}
	for _, r := range list {
		if r.Unit == "" {
			fmt.Fprintf(out, "%s: set aside as %s: %s\n", r.Path, filepath.Base(r.Aside), r.Reason)
			continue
		}
		fmt.Fprintf(out, "%s: %d whole %s kept, %d left out: %s; the original is %s\n", r.Path, r.Kept, r.Unit, r.Lost, r.Reason, filepath.Base(r.Aside))
	}
	switch {
	case resume != "":
		fmt.Fprintln(out, "resume with:", resume)
	default:
		fmt.Fprintln(out, "resume with the command that wrote it")
	}
}
