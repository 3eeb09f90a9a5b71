package runs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/internal/cli"
	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/tuner/learn"
)

func newRepair() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "repair RUN",
		Short: "Keep the undamaged part of a run, so that its command resumes it",
		Long: `Find what is damaged in the folder of a match, ladder, spsa, selfplay or learn run, or in a
data set, and keep the rest: of a journal all lines whose checksum is right, of a data set the
shards before the first damaged one, of a coordinator's ledger the bans and the answers that
count. The run's command then plays or writes what is missing again. A run without clocks ends
with the same bytes as one that was never damaged.

Nothing is deleted: the damaged original stays beside the repaired file, as journal.jsonl.damaged.
Where games are lost, the result and the data set of games are set aside too, and written
again. A stage of learn whose config.json is damaged is set aside and played again. A run whose
own config.json is damaged cannot be repaired; the error names what is lost and how to start
again. No process may have the run open.`,
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
				return cli.PrintJSON(cmd.OutOrStdout(), map[string]any{"run": dir, "repaired": list, "resume": resume})
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
		list, err = durable.RepairRun(dir, durable.RepairPlan{Journal: gamelog.JournalName, Derived: gamelog.GamesName,
			Data: repairData})
		if errors.Is(err, durable.ErrConfigDamaged) {
			err = lostRun(dir, err)
		}
		return list, durable.Status(dir).Info.Resume, err
	}
	if _, err := os.Stat(filepath.Join(dir, durable.ManifestName)); err != nil {
		return nil, "", fmt.Errorf("%s is neither a run nor a data set: %w", dir, err)
	}
	list, err = dataset.Repair(dir)
	return list, "", err
}

// repairData repairs what a folder holds beside a run's own files: a coordinator's ledger, a
// data set, the stages of learn, and the validation of spsa.
func repairData(dir string) (list []durable.Repaired, err error) {
	parts := []func(string) ([]durable.Repaired, error){
		func(dir string) ([]durable.Repaired, error) {
			return coordinator.Repair(filepath.Join(dir, coordinator.DirName))
		},
		repairStages, learn.RepairFit, dataset.Repair,
	}
	for _, part := range parts {
		l, err := part(dir)
		list = append(list, l...)
		if err != nil {
			return list, err
		}
	}
	return list, nil
}

// repairStages repairs the folders in a folder.
func repairStages(dir string) (list []durable.Repaired, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		stage := filepath.Join(dir, e.Name())
		if !e.IsDir() || e.Name()[0] == '.' || durable.IsAside(stage) {
			continue
		}
		var l []durable.Repaired
		if _, err = os.Stat(filepath.Join(stage, durable.RunConfigName)); err == nil {
			l, _, err = repair(stage)
		} else if l, err = repairData(stage); err == nil {
			var r *durable.Repaired
			if r, err = durable.RepairJournal(filepath.Join(stage, durable.JournalName)); r != nil {
				l = append(l, *r)
			}
		}
		if errors.Is(err, durable.ErrConfigDamaged) { // the run's own configuration has all of it
			var r *durable.Repaired
			if r, err = durable.SetAside(stage, "its config.json is damaged: it is played again"); err == nil {
				l = append(l, *r)
			}
		}
		list = append(list, l...)
		if err != nil {
			return list, err
		}
	}
	return list, nil
}

// lostRun adds to an error what a run without its configuration has lost, and how to start again.
func lostRun(dir string, err error) error {
	lines := int64(0)
	_, _ = durable.WholeLines(filepath.Join(dir, gamelog.JournalName), func([]byte) error { lines++; return nil })
	lost := "nothing of it can be used without its configuration"
	if lines > 0 {
		lost = fmt.Sprintf("its %d whole lines of games cannot be used without their configuration", lines)
	}
	start := "its command"
	if info, err := durable.ReadRunInfo(dir); err == nil && info.Resume != "" {
		start = info.Resume
	}
	return fmt.Errorf("%w; %s. Move the folder away and start the run again with: %s", err, lost, start)
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
		fmt.Fprintf(out, "%s: %d whole %s kept, %d left out: %s; the original is %s\n", r.Path, r.Kept, r.Unit, r.Lost,
			r.Reason, filepath.Base(r.Aside))
	}
	switch {
	case resume != "":
		fmt.Fprintln(out, "resume with:", resume)
	default:
		fmt.Fprintln(out, "resume with the command that wrote it")
	}
}
