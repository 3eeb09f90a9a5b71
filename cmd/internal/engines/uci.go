// Package engines is the commands that run the modern engine itself: assay uci, perft and
// bench.
package engines

import (
	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/uci"
	"github.com/assay-chess/assay/selfplay/roster"
)

// NewUCI returns the command assay uci.
func NewUCI() *cobra.Command {
	var player string
	var tunable bool
	c := &cobra.Command{
		Use:   "uci",
		Short: "Play chess in a GUI: any player over the UCI protocol",
		Long: `Speak the UCI protocol on standard input and output, for a GUI or a match runner.

A player is NAME[:weights=FILE or embedded name][:nodes=N][:depth=N][:hash=MB]: assay, or a
historic program ("assay historic list" lists them) with its own options, such as
machack-1967:plies=3. If games are lost on time, raise Move Overhead, the milliseconds that each
move loses outside the engine. An info string reports whatever the engine ignores.

--tunable also lists the parameters of assay's search (reductions, pruning margins, windows) as
spin options, for tuners that speak UCI. They can be set without it, too, and in a player's name:
assay:ReverseMargin=90.`,
		Example: `  assay uci
  assay uci --player assay:weights=shannon-1950
  assay uci --player turing-1951
  assay uci --tunable
  assay uci --player assay:weights=runs/first/weights.json:nodes=5000`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			spec, err := roster.Parse(player)
			if err != nil {
				return err
			}
			p, err := roster.Open(spec)
			if err != nil {
				return err
			}
			defer p.Close() // the process ends now: an error does not matter
			if tunable {
				if q, ok := engine.As[engine.ParameterLister](p); !ok || !q.ShowParameters() {
					return ui.Usagef("--tunable: the search of %s has no parameters", player)
				}
			}
			name := ui.Version()
			if player != "assay" {
				name += " (" + player + ")"
			}
			ui.Quiet(cmd.ErrOrStderr())
			s := &uci.Server{Name: name, Author: "the assay authors", Player: p}
			return s.Serve(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	c.Flags().StringVar(&player, "player", "assay", "player (see above)")
	c.Flags().BoolVar(&tunable, "tunable", false, "also list the parameters of assay's search as options")
	return c
}
