package report

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/internal/durable"
)

// Dir is where long commands keep their runs, in the working directory.
const Dir = "runs"

// NewRuns returns the command assay runs.
func NewRuns() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "runs [DIR]",
		Short:   "List runs, their state, and the command that resumes each",
		Example: "  assay runs",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := Dir
			if len(args) == 1 {
				dir = args[0]
				if _, err := os.Stat(dir); err != nil {
					return ui.Usagef("%w; want a folder of runs (default: %s)", err, Dir)
				}
				if Exists(dir) {
					return ui.Usagef("%s is a run; type assay report %s", dir, quote.Word(dir))
				}
			}
			runs, err := durable.List(dir)
			if err != nil {
				return err
			}
			return ui.Show(cmd, runsJSON(runs), func(w io.Writer) error { return printRuns(w, dir, runs) })
		},
	}
	ui.JSON(cmd)
	return cmd
}

type runJSON struct {
	Name    string        `json:"name"`
	Dir     string        `json:"dir"`
	State   durable.State `json:"state"`
	Command string        `json:"command"`
	Resume  string        `json:"resume"`
	Updated time.Time     `json:"updated"`
	Error   string        `json:"error,omitempty"`
}

func runsJSON(runs []durable.RunStatus) any {
	list := make([]runJSON, 0, len(runs))
	for _, r := range runs {
		j := runJSON{Name: r.Name, Dir: r.Dir, State: r.State, Command: r.Info.Command, Resume: r.Info.Resume,
			Updated: r.Updated}
		if r.Err != nil {
			j.Error = r.Err.Error()
		}
		list = append(list, j)
	}
	return map[string]any{"runs": list}
}

func printRuns(out io.Writer, dir string, runs []durable.RunStatus) error {
	if len(runs) == 0 {
		fmt.Fprintf(out, "no runs in %s\n", dir)
		return nil
	}
	t := ui.Table{Head: []string{"name", "state", "command", "last change", "resume with"}}
	for _, r := range runs {
		resume := r.Info.Resume
		if r.State == durable.Complete || r.State == durable.Running {
			resume = "-"
		}
		if r.Err != nil {
			resume = r.Err.Error()
		}
		t.Add("%s\t%s\t%s\t%s\t%s", r.Name, r.State, r.Info.Command, r.Updated.Format(time.DateTime), resume)
	}
	return t.Print(out)
}

// findRun returns the folder of a run, given its path or its name in Dir.
func findRun(arg string) string {
	if info, err := os.Stat(arg); err == nil && info.IsDir() {
		return arg
	}
	if arg == filepath.Base(arg) {
		if named := filepath.Join(Dir, arg); Exists(named) {
			return named
		}
	}
	return arg
}

// Exists reports whether the folder has a run to resume.
func Exists(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, durable.RunConfigName))
	return err == nil
}
