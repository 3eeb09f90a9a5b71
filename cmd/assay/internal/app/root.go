package app

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/assay/internal/cli"
	"github.com/assay-chess/assay/cmd/assay/internal/data"
	"github.com/assay-chess/assay/cmd/assay/internal/engines"
	"github.com/assay-chess/assay/cmd/assay/internal/historic"
	"github.com/assay-chess/assay/cmd/assay/internal/queue"
	"github.com/assay-chess/assay/cmd/assay/internal/runs"
	"github.com/assay-chess/assay/cmd/assay/internal/tune"
	"github.com/assay-chess/assay/cmd/assay/internal/weights"
)

// setUp is the last group of commands.
const setUp = "Set up:"

func newRootCommand() *cobra.Command {
	cobra.EnableTraverseRunHooks = true // the root's hook runs before those of assay data
	root := &cobra.Command{
		Use:   "assay",
		Short: "Generate self-play data, tune a chess evaluation, and prove the gain",
		Long:  `assay turns games into a better chess evaluation, and proves that it is better.`,
		Example: `  assay learn                                      # the whole loop, 3 minutes
  assay match ./new ./base --tc 8+0.08 --sprt 0,5  # is my patch stronger?`,
		Version:       cli.Version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			cli.Begin(cmd.ErrOrStderr(), strings.TrimPrefix(cmd.CommandPath(), "assay "))
			if asJSON := cmd.Flags().Lookup("json"); asJSON != nil && asJSON.Value.String() == "true" && cli.ClosedOutput() {
				return errors.New("standard output is closed: there is nowhere to print what --json asks for; >" + os.DevNull +
					" discards it")
			}
			return nil
		},
	}
	root.SetFlagErrorFunc(flagError)
	help := newHelpCommand()
	root.SetHelpCommand(help)
	root.CompletionOptions.DisableDefaultCmd = true
	for _, g := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Learn and measure:", []*cobra.Command{newLearnCommand(), tune.New(), newSpsaCommand(), newScreenCommand(),
			newMatchCommand(), newLadderCommand(), newProgressCommand(), newSprtCommand(), tune.NewArchive(), tune.NewWDL(),
			newBookCommand(), newTranslateCommand(), newGuideCommand()}},
		{"Make data:", []*cobra.Command{newSelfplayCommand(), data.New(tune.NewValue()), tune.NewFeatures()}},
		{"Look at runs, and share them with other machines:", []*cobra.Command{runs.New(), runs.NewReport(), runs.NewServe(),
			queue.New(queueHooks()), newTestCommand(), newWorkCommand()}},
		{"Engines and evaluations:", []*cobra.Command{engines.NewUCI(), weights.NewEval(), weights.New(),
			engines.NewCheck(), engines.NewPerft(), engines.NewBench(), historic.New()}},
		{setUp, []*cobra.Command{newCompletionCommand(), help, newSignCommand(), newVersionCommand()}},
	} {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, cmd := range g.commands {
			cmd.GroupID = g.title
			root.AddCommand(cmd)
		}
	}
	helpText(root)
	markUsageErrors(root)
	return root
}

// markUsageErrors makes wrong arguments of the command and of all commands below it usage
// errors. Unknown subcommands count too: cobra answers them with help and success.
func markUsageErrors(cmd *cobra.Command) {
	if cmd.HasParent() && cmd.HasSubCommands() && !cmd.Runnable() {
		cmd.Args = cobra.NoArgs
		cmd.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	}
	if check := cmd.Args; check != nil {
		cmd.Args = func(c *cobra.Command, args []string) error {
			if err := check(c, args); err != nil {
				return cli.Usage(argumentsError(c, args, err))
			}
			return nil
		}
	}
	for _, child := range cmd.Commands() {
		markUsageErrors(child)
	}
}

// argumentsError says which arguments a command takes. Cobra's own text, "accepts 1 arg(s),
// received 0", names none of them.
func argumentsError(cmd *cobra.Command, args []string, err error) error {
	if cmd.HasSubCommands() && strings.HasPrefix(err.Error(), "unknown command") {
		return err // an unknown subcommand
	}
	if cmd.Use == cmd.Name() {
		return fmt.Errorf("%s takes no arguments, got %q%s", cmd.Name(), strings.Join(args, " "),
			argument(flagsOf(cmd), args[0]))
	}
	if len(args) == 1 && len(cmd.ValidArgs) > 0 {
		return fmt.Errorf("%s %s: want one of %s", cmd.Name(), args[0], strings.Join(cmd.ValidArgs, ", "))
	}
	if name := missingArgument(cmd, args); name != "" {
		return fmt.Errorf("%s is missing; usage: %s", name, strings.TrimSuffix(cmd.UseLine(), " [flags]"))
	}
	return fmt.Errorf("wrong number of arguments: %d; usage: %s", len(args), strings.TrimSuffix(cmd.UseLine(), " [flags]"))
}
