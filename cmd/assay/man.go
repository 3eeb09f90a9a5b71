package main

import (
	"fmt"
	"os"
	"runtime"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/assay-chess/assay/cmd/assay/internal/cli"
	"github.com/assay-chess/assay/dataset/durable"
)

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, the bench signature and the build",
		Long: `Print what made files name as their maker, the version and the bench signature, and then
the Go version and the target of the build. Two builds with the same signature play the same
games with the same settings.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s\n%s %s\n", cli.Version(), runtime.Version(), durable.BuildTarget())
			return err
		},
	}
}

func newManCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man FOLDER",
		Short: "Write manual pages for man, one a command",
		Long: `Write the help of every command as manual pages of section 1 into a folder. The text is that
of --help.`,
		Example: `  assay man ~/.local/share/man/man1 && man assay-match`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o777); err != nil {
				return err
			}
			root := cmd.Root()
			root.DisableAutoGenTag = true // the date would change the bytes
			if err := doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: cli.Version(), Manual: "assay"}, args[0]); err != nil {
				return err
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "written %s\n", args[0])
			return err
		},
	}
}
