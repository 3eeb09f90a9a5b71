package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/assay/internal/report"
	"github.com/assay-chess/assay/dataset/durable"
)

func newReportCommand() *cobra.Command {
	var compare string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "report RUN...",
		Short: "Make the page of a run: what was done, and what came of it, to look at",
		Long: `Make report.html in the folder of each run: one page without anything from elsewhere,
for any browser, to print, to send. A run is a folder, or a name in ` + runsDir + `. One that goes on, or was
interrupted, is shown as far as it has come.

With --compare FILE two runs are shown side by side on one page.`,
		Example: `  assay report runs/night
  assay report monday tuesday --compare week.html`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dirs := make([]string, len(args))
			for i, arg := range args {
				dirs[i] = findRun(arg)
			}
			if compare != "" {
				return compareRuns(cmd.OutOrStdout(), dirs, compare, asJSON)
			}
			return reportRuns(cmd.OutOrStdout(), dirs, asJSON)
		},
	}
	cmd.Flags().StringVar(&compare, "compare", "", "page to write that shows two runs side by side")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func reportRuns(out io.Writer, dirs []string, asJSON bool) error {
	pages := []string{}
	for _, dir := range dirs {
		page, err := report.Write(dir)
		if err != nil {
			return reportAdvice(err, dir)
		}
		if pages = append(pages, page); !asJSON {
			fmt.Fprintln(out, page)
		}
	}
	if asJSON {
		return printJSON(out, map[string]any{"pages": pages})
	}
	return nil
}

func compareRuns(out io.Writer, dirs []string, path string, asJSON bool) error {
	if len(dirs) != 2 {
		return usagef("--compare wants two runs, got %d", len(dirs))
	}
	title, headline, sections, err := report.Compare(dirs[0], dirs[1])
	if err != nil {
		return reportAdvice(err, dirs[0])
	}
	page, err := report.Plain(title, headline, report.Offline, sections...)
	if err != nil {
		return err
	}
	if err := durable.WriteFile(path, page); err != nil {
		return err
	}
	if asJSON {
		return printJSON(out, map[string]any{"pages": []string{path}})
	}
	_, err = fmt.Fprintln(out, path)
	return err
}

// leaveReport makes the page of a run that has ended, and says where it is. A run that
// is not kept has no folder, and gets no page.
func leaveReport(dir string, stderr io.Writer) {
	if dir == "" {
		return
	}
	if page := writeReport(dir, stderr); page != "" {
		fmt.Fprintf(stderr, "report: %s\n", page)
	}
}

// writeReport makes the page and returns its path. The run is done: that there is no
// page of it is a warning.
func writeReport(dir string, stderr io.Writer) string {
	page, err := report.Write(dir)
	if err != nil {
		fmt.Fprintf(stderr, "report: warning: there is no page of %s: %v\n", dir, err)
	}
	return page
}

// reportAdvice adds the cure.
func reportAdvice(err error, dir string) error {
	switch {
	case errors.Is(err, durable.ErrDamaged):
		return fmt.Errorf("%w; the command that made it writes it again where it can: see assay runs", err)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w; assay runs lists the runs that are here", err)
	}
	return fmt.Errorf("report of %s: %w", dir, err)
}
