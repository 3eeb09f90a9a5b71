package app

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/assay/internal/cli"
	"github.com/assay-chess/assay/cmd/assay/internal/settings"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine/cores"
)

// addTemplates adds what the templates of helpText call. cobra keeps it in one map for all commands.
var addTemplates = sync.OnceFunc(func() {
	cobra.AddTemplateFunc("flagUsages", flagUsages)
	cobra.AddTemplateFunc("paragraphs", paragraphs)
})

// helpText makes the help of all commands list flags in groups where there are many, and fit a
// terminal.
func helpText(root *cobra.Command) {
	addTemplates()
	const flags = "\n\nFlags:\n{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}"
	root.SetUsageTemplate(strings.Replace(root.UsageTemplate(), flags, "\n\n{{flagUsages . | trimTrailingWhitespaces}}",
		1))
	root.SetHelpTemplate(`{{with (or .Long .Short)}}{{paragraphs $ .}}

{{end}}{{if or .Runnable .HasSubCommands}}{{.UsageString}}{{end}}`)
}

// flagUsages lists the flags of a command. The root knows the terminal: cobra has the command
// itself write into memory.
func flagUsages(cmd *cobra.Command) string {
	columns := cli.Columns(cmd.Root().OutOrStdout())
	all := cmd.LocalFlags()
	if all.Lookup("win-score") == nil {
		return "Flags:\n" + all.FlagUsagesWrapped(columns)
	}
	var b strings.Builder
	groups, headings := settings.Grouped(all)
	for i, group := range groups {
		b.WriteString(headings[i] + ":\n" + group.FlagUsagesWrapped(columns) + "\n")
	}
	return b.String()
}

// paragraphs returns the text of a help, on a terminal with its paragraphs broken again where
// they are too wide. Lines that begin with a space stay.
func paragraphs(cmd *cobra.Command, text string) string {
	text = strings.TrimRight(text, " \n")
	columns := cli.Columns(cmd.Root().OutOrStdout())
	if columns == 0 {
		return text
	}
	blocks := strings.Split(text, "\n\n")
	for i, block := range blocks {
		lines := strings.Split(block, "\n")
		wide := slices.ContainsFunc(lines, func(l string) bool { return len([]rune(l)) > columns })
		indented := slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, " ") })
		if wide && !indented {
			blocks[i] = cli.Wrap(strings.Join(lines, " "), columns)
		}
	}
	return strings.Join(blocks, "\n\n")
}

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, the bench signature and the build",
		Long: `Print what made files name as their maker, the version and the bench signature, and then
the Go version and the target of the build. Two builds with the same signature play the same
games with the same settings. For amd64, the last line says which level of builds this machine
runs; v3 is faster than v1.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			fmt.Fprintf(cmd.OutOrStdout(), "%s\n%s %s\n", cli.Version(), runtime.Version(), durable.BuildTarget())
			if text := levelAdvice(durable.BuildTarget(), cores.Level()); text != "" {
				fmt.Fprintln(cmd.OutOrStdout(), text)
			}
			return nil
		},
	}
}

// levelAdvice says which builds a machine runs, and whether one is faster than this.
func levelAdvice(build, level string) string {
	switch {
	case level == "":
		return ""
	case level >= "v3" && build < "amd64/v3":
		return fmt.Sprintf("this machine runs amd64/%s: the build for amd64/v3 is faster", level)
	}
	return fmt.Sprintf("this machine runs amd64/%s", level)
}
