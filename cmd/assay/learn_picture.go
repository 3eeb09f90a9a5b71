package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/assay/internal/report"
	"github.com/assay-chess/assay/dataset/durable"
)

func newLearnPictureCommand() *cobra.Command {
	var history, out string
	c := &cobra.Command{
		Use:   "picture LADDER",
		Short: "Draw the Elo of a run's generations, as a ladder measured it",
		Long: `Draw Elo over generations, with 95 % intervals, from the folder of a ladder in which the
start weights and those of all generations play. Players of other weights become lines
beside. Generations are known by their weights' ids; which they are is read from a history,
a folder with a run's plan.json and its gen-1, gen-2 and so on.`,
		Example: `  assay learn picture runs/generations --history models/history --out models/history/elo.svg`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			picture, err := report.History(args[0], history)
			if err != nil {
				return err
			}
			if err := durable.WriteFile(out, picture); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "written %s\n", out)
			return err
		},
	}
	c.Flags().StringVar(&history, "history", "models/history", "folder of the run's plan and generations")
	c.Flags().StringVar(&out, "out", "elo.svg", "file to write")
	return c
}
