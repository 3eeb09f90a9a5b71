package main

import (
	"github.com/spf13/cobra"
)

func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "assay",
		Short: "Generate self-play data, tune a chess evaluation, and prove the gain",
		Long: `assay turns games into a better chess evaluation, and proves that it is better:
self-play -> games -> positions -> tuner -> weights -> SPRT match -> the next generation.`,
		Example:       "  assay learn            # the whole loop, in about three minutes",
		Version:       programVersion(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.AddCommand(
		newLearnCommand(),
		newRunsCommand(),
		newReportCommand(),
		newServeCommand(),
		newMatchCommand(),
		newLadderCommand(),
		newSelfplayCommand(),
		newWorkCommand(),
		newSignCommand(),
		newDataCommand(),
		newFeaturesCommand(),
		newSprtCommand(),
		newSpsaCommand(),
		newTuneCommand(),
		newUCICommand(),
		newHistoricCommand(),
		newPerftCommand(),
		newBenchCommand(),
		newEvalCommand(),
		newWeightsCommand(),
	)
	markUsageErrors(root)
	return root
}

// markUsageErrors makes wrong arguments, of any command below, usage errors: unknown
// subcommands too, which cobra would answer with help and success.
func markUsageErrors(cmd *cobra.Command) {
	if cmd.HasParent() && cmd.HasSubCommands() && !cmd.Runnable() {
		cmd.Args = cobra.NoArgs
		cmd.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	}
	if check := cmd.Args; check != nil {
		cmd.Args = func(c *cobra.Command, args []string) error {
			if err := check(c, args); err != nil {
				return usageError{err}
			}
			return nil
		}
	}
	for _, child := range cmd.Commands() {
		markUsageErrors(child)
	}
}
