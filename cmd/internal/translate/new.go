package translate

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/internal/ui"
)

// New returns the command assay
func New() *cobra.Command {
	return &cobra.Command{
		Use:   "translate RUNNER ARGUMENTS...",
		Short: "Turn a command line of fastchess or cutechess-cli into one of assay",
		Long: `Print the assay match command for a command line of ` + strings.Join(Runners, ", ") + `.
Each option becomes a flag, or a note on standard error: what assay does by itself, does
differently or cannot do. Nothing is run.

As in the other runners, -each wins over -engine. They play until mate unless an option asks
for adjudication; assay adjudicates lost games by default, so --win-plies 0 is added.`,
		Example: `  assay translate fastchess -engine cmd=./new -engine cmd=./base \
      -each tc=8+0.08 option.Hash=16 -rounds 10000 -sprt elo0=0 elo1=5`,
		DisableFlagParsing: true, // the flags are another program's
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && (args[0] == "--help" || args[0] == "-h") {
				return cmd.Help()
			}
			if len(args) == 0 {
				return ui.Usagef("no command line: give that of %s", strings.Join(Runners, ", "))
			}
			c, err := Match(args[0], args[1:])
			if err != nil {
				return ui.Usage(err)
			}
			for _, note := range c.Notes {
				fmt.Fprintf(cmd.ErrOrStderr(), "note: %s\n", note)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), c.Line())
			return err
		},
	}
}
