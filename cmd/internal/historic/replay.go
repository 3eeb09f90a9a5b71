package historic

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/internal/ui"
)

func newReplay() *cobra.Command {
	names := strings.Join(printedNames(), "|")
	c := &cobra.Command{
		Use:   "replay " + names,
		Short: "Replay the printed games with the program's own moves and reasons",
		Long: `Replay the games that the papers print, move by move: the printed move, the move that the
reconstructed program plays in the same position, its reason, and how often the two agree. Where
they differ, a second line gives the reason against the printed move.

turing, machack and nss play chess; strachey plays draughts, losalamos chess on six squares by six;
its game is public, not printed. The four games of machack take about a minute of processor time.

Settings follow the name after colons: those of the players turing-1951, machack-1967 and
nss-1958; strategy=1 or 2, stages= and king= (in eighths of a man) for strachey; depth= in
plies for losalamos.`,
		Example: `  assay historic replay turing
  assay historic replay machack:plies=3
  assay historic replay strachey:strategy=1 --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			p, err := openPrinted(args[0])
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, p.Close()) }()
			turns, note := cmd.OutOrStdout(), ""
			if ui.WantsJSON(cmd) {
				turns = io.Discard
			}
			r, err := replayAll(cmd.Context(), turns, p)
			if err != nil {
				return err
			}
			if p.Note != "" {
				note = p.Note + "\n"
			}
			return ui.Show(cmd, r, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "the same move in %d of %d turns\n%ssource: %s\n", r.Same, r.Turns, note, p.Source)
				return err
			})
		},
	}
	ui.JSON(c)
	return c
}

// replayReport is the output of replay --json.
type replayReport struct {
	Program string         `json:"program"`
	Source  string         `json:"source"`
	Note    string         `json:"note,omitempty"`
	Games   []replayedGame `json:"games"`
	Same    int            `json:"same"`
	Turns   int            `json:"turns"`
}

// replayAll replays the program's games, and prints each turn as soon as the program has chosen.
func replayAll(ctx context.Context, w io.Writer, p *printedProgram) (*replayReport, error) {
	r := &replayReport{Program: p.Name, Source: p.Source, Note: p.Note}
	for i, title := range p.Titles {
		fmt.Fprintf(w, "%s\n%3s  %-*s  %-*s  %-4s  %s\n", title, "", p.Width, "printed", p.Width, "program", "same", "reason")
		g, err := p.Replay(ctx, i, func(t replayedTurn) { printTurn(w, p.Width, &t) })
		if err != nil {
			return nil, err
		}
		r.Games = append(r.Games, g)
		r.Same, r.Turns = r.Same+g.Same, r.Turns+len(g.Turns)
		if len(p.Titles) > 1 {
			fmt.Fprintf(w, "the same move in %d of %d turns\n\n", g.Same, len(g.Turns))
		}
	}
	return r, nil
}

// printTurn prints one row, and a second one if the moves differ.
func printTurn(w io.Writer, width int, t *replayedTurn) {
	same := "no"
	if t.Same {
		same = "yes"
	}
	fmt.Fprintf(w, "%3d  %-*s  %-*s  %-4s  %s\n", t.Number, width, t.Printed, width, t.Chosen, same, t.Why)
	if t.Against != "" {
		fmt.Fprintf(w, "%*s%s\n", 3+2+width+2+width+2+4+2, "", t.Against)
	}
}
