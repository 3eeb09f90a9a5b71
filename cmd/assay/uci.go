package main

import (
	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/engine/uci"
)

func newUCICommand() *cobra.Command {
	var player string
	var tunable bool
	c := &cobra.Command{
		Use:   "uci",
		Short: "Play chess in a GUI: any player over the UCI protocol",
		Long: `Play chess in a GUI, or in anybody's match runner, over the UCI protocol on standard
input and output.

A player is named NAME[:weights=FILE-or-embedded-name][:nodes=N][:depth=N][:hash=MB]: assay,
or a program of a paper ("assay historic list" has them) with its own options, as
machack-1967:plies=3.

The command uci lists the options. EvalFile takes a weight file or a name of embedded
weights; weights that cannot be read leave the old ones. If games are lost on time, raise
Move Overhead, the milliseconds that each move loses on its way to the GUI. Pondering,
MultiPV, searchmoves, mate and UCI_Chess960 are as the protocol has them. Whatever is
ignored is said in an info string.

--tunable lists the parameters of assay's search too (reductions, margins of pruning, windows):
spin options for a tuner, SPSA or another, that speaks UCI. They can be set anyway, and in a
player's name: assay:ReverseMargin=90. assay spsa tunes them without UCI.`,
		Example: `  assay uci
  assay uci --player assay:weights=shannon-1950
  assay uci --player turing-1951
  assay uci --tunable
  assay uci --player assay:weights=runs/first/weights.json:nodes=5000`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := roster.Open(player)
			if err != nil {
				return err
			}
			defer p.Close() // the process ends here; nothing to do about an error
			if tunable && !roster.ShowParameters(p) {
				return usagef("--tunable: the search of %s has no parameters", player)
			}
			name := programVersion()
			if player != "assay" {
				name += " (" + player + ")"
			}
			s := &uci.Server{Name: name, Author: "the assay authors", Player: p}
			return s.Serve(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	c.Flags().StringVar(&player, "player", "assay", "who plays")
	c.Flags().BoolVar(&tunable, "tunable", false, "list the parameters of assay's search among the options")
	return c
}
