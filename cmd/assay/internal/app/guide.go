package app

import (
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/assay/guide"
	"github.com/assay-chess/assay/cmd/assay/internal/cli"
	"github.com/assay-chess/assay/engine/quote"
)

func newGuideCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "guide [NAME | NUMBER]",
		Short:   "Print a guide: your engine and assay, step by step",
		Long:    "Print a guide for authors of engines, as Markdown; without NAME, list all of them.",
		Example: "  assay guide test-my-patch",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			out := cmd.OutOrStdout()
			w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
			for i, name := range guide.Names {
				text, err := guide.Pages.ReadFile(name + ".md")
				if err != nil {
					return err
				}
				if len(args) == 1 && (args[0] == name || args[0] == strconv.Itoa(i+1)) {
					_, err := out.Write(text)
					return err
				}
				title, _, _ := strings.Cut(strings.TrimPrefix(string(text), "# "), "\n")
				quote.Fprintf(w, "%d\t%s\t%s\n", i+1, name, title)
			}
			if len(args) == 1 {
				return cli.Usagef("there is no guide %q; there are: %s", args[0], strings.Join(guide.Names, ", "))
			}
			return w.Flush()
		},
	}
}
