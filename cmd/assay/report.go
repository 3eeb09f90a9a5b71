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
		Short: "Make a web page of a run: its settings, its results, its games",
		Long: `Write report.html into the folder of each run: one page that loads nothing from elsewhere
and opens in any browser. A run is a folder, or a name in ` + runsDir + `. A run that is in progress, or was
interrupted, is shown as far as it got.

With --compare FILE, write one page that shows two runs side by side.`,
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
	cmd.Flags().StringVar(&compare, "compare", "", "write a page that shows two runs side by side to this file")
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
		return usagef("--compare needs two runs, got %d", len(dirs))
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

// leaveReport writes the page of a run that has ended, and prints its path. A run that is
// not saved has no folder, and gets no page.
func leaveReport(dir string, stderr io.Writer) {
	if dir == "" {
		return
	}
	if page := writeReport(dir, stderr); page != "" {
		fmt.Fprintf(stderr, "report: %s\n", page)
	}
}

// writeReport writes the page and returns its path. The run itself is complete, so an error
// here is only a warning.
func writeReport(dir string, stderr io.Writer) string {
	page, err := report.Write(dir)
	if err != nil {
		fmt.Fprintf(stderr, "report: warning: no page was written for %s: %v\n", dir, err)
	}
	return page
}

// reportAdvice adds what to do about an error.
func reportAdvice(err error, dir string) error {
	switch {
	case errors.Is(err, durable.ErrDamaged):
		return fmt.Errorf("%w; run the command that made it again, see assay runs", err)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w; assay runs lists the runs in this folder", err)
	}
	return fmt.Errorf("report of %s: %w", dir, err)
}
