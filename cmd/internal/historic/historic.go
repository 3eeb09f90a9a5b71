// Package historic is the command assay historic: what the historic programs did that is
// not playing chess by UCI. Start reading at New.
package historic

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/historic"
	"github.com/assay-chess/assay/internal/historic/prinz"
	"github.com/assay-chess/assay/selfplay/roster"
)

// New returns the command assay historic.
func New() *cobra.Command {
	c := &cobra.Command{
		Use:   "historic",
		Short: "Chess programs of 1890 to 1967: play, replay and explain them",
		Long: `The programs of the papers, from El Ajedrecista of 1890 to Mac Hack VI of 1967, by the
rules that the papers give. Those that play chess can be used like any other player, in
match, in uci and wherever a command takes a player. The commands here explain what they
compute, and run the programs that play other games or solve problems.

Each program's package documents what follows the paper and what had to be chosen.`,
		Example: `  assay historic list
  assay historic prinz
  assay historic explain machack-1967 startpos
  assay historic replay turing
  assay historic nim --heaps 7,4,3,2 --max-heaps 1`,
	}
	c.AddCommand(newList(), newExplain(), newPrinz(), newNim(), newDraughts(), newLosAlamos(), newReplay(), newSEE())
	return c
}

// historicProgram is one row of the list.
type historicProgram struct {
	Name  string
	Year  int
	Use   string
	Paper string
}

const (
	asPlayer    = "player"
	shannonText = "Shannon, Programming a Computer for Playing Chess, 1950"
	bowdenText  = "Faster Than Thought, chapter 25, 1953"
	nssText     = "Newell, Shaw, Simon, Chess-Playing Programs and the Problem of Complexity, 1958"
)

// historicPrograms lists all of them by year.
var historicPrograms = []historicProgram{
	{"torres-1890", 1890, asPlayer, "Torres y Quevedo, El Ajedrecista; " + bowdenText},
	{"random", 1949, asPlayer, shannonText},
	{"first-move", 1949, asPlayer, shannonText},
	{"shannon-a", 1949, asPlayer, shannonText},
	{"shannon-b", 1949, asPlayer, shannonText},
	{"nim", 1951, "historic nim", "Nimrod; " + bowdenText},
	{"turing-1951", 1951, asPlayer, "Turing; " + bowdenText},
	{"prinz", 1951, "historic prinz", "Prinz, mate in two; " + bowdenText},
	{"draughts", 1952, "historic draughts", "Strachey; " + bowdenText},
	{"losalamos", 1956, "historic losalamos", "Kister, Stein, Ulam, Walden, Wells, 1957; " + nssText},
	{"losalamos-1956", 1956, asPlayer, "the same on eight squares by eight"},
	{"bernstein-1957", 1957, asPlayer, "Bernstein, Roberts, Arbuckle, Belsky, 1958; " + nssText},
	{"nss-1958", 1958, asPlayer, nssText},
	{"machack-1967", 1967, asPlayer, "Greenblatt, Eastlake, Crocker, The Greenblatt Chess Program, 1967"},
}

func newList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the programs and their papers",
		Long: `List the programs by year, with the paper that each one follows. A "player" can be used
wherever a command takes a player, as in "assay match turing-1951 shannon-a:moves=1"; the
others are commands.`,
		Example: "  assay historic list",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var t ui.Table
			for _, p := range historicPrograms {
				t.Add("%s\t%d\t%s\t%s", p.Name, p.Year, p.Use, p.Paper)
			}
			return t.Print(cmd.OutOrStdout())
		},
	}
}

func newExplain() *cobra.Command {
	return &cobra.Command{
		Use:   "explain NAME FEN",
		Short: "Show what a program computes about a position",
		Long: `Show what a program computes about a position: Shannon's f(P), g(P) and variations,
Turing's considerable moves and position-play values, Bernstein's questions, the goals of
Newell, Shaw and Simon, or Mac Hack's plausibility score of every move with a comment on
each of its parts. NAME is a player with its settings (nodes= and depth= limit searches,
not explanations). FEN may be "startpos".

"assay eval" explains the weights of the modern engine.`,
		Example: `  assay historic explain turing-1951 startpos
  assay historic explain machack-1967:plies=3 \
    "2r1kb1r/5p1p/p1n1b1p1/2nQN3/Pp5B/8/1PP2PPP/1K1R1B1R w k - 1 20"`,
		Args: cobra.RangeArgs(2, 7), // a FEN without quotes has up to six fields
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := ui.Position(args[1:])
			if err != nil {
				return err
			}
			spec, err := roster.Parse(args[0])
			if err != nil {
				return err
			}
			return explainPosition(cmd.OutOrStdout(), spec, &p)
		},
	}
}

func explainPosition(w io.Writer, spec engine.Spec, p *board.Position) (err error) {
	player, err := roster.Open(spec)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, player.Close()) }()
	x, ok := engine.As[historic.Explainer](player) // nodes= and depth= wrap the player
	if !ok {
		var names []string
		for _, h := range historicPrograms {
			if h.Use == asPlayer {
				names = append(names, h.Name)
			}
		}
		return fmt.Errorf("%s cannot explain a position; these can: %s; for the modern engine use \"assay eval\"",
			spec.Label, strings.Join(names, ", "))
	}
	text, err := x.Explain(p)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, text)
	return err
}

func newPrinz() *cobra.Command {
	return &cobra.Command{
		Use:   "prinz [FEN]",
		Short: "Solve a mate in two as the Manchester machine did in 1951",
		Long: `Solve a mate in two as D. G. Prinz's program did. It prints each first move of White
as it tries it, with squares numbered 11 to 18 on the first rank up to 81 to 88 on the
last, and MATE after the key move, or NO MATE. Without a FEN it solves the first problem
that a computer solved.

Its rules have no castling, double pawn moves, en passant captures or promotion, and it
does not distinguish checkmate from stalemate.`,
		Example: `  assay historic prinz
  assay historic prinz "7k/8/8/8/8/R7/1R6/6K1 w - - 0 1"`,
		Args: cobra.RangeArgs(0, 6), // a FEN without quotes has up to six fields
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = strings.Fields(prinz.Problem)
			}
			b, err := ui.ParseFEN(args)
			if err != nil {
				return err
			}
			p, err := prinz.New(&b)
			if err != nil {
				return fmt.Errorf("%w: give a position with White to move", err)
			}
			s, text := prinz.Solve(p), ""
			for _, m := range s.Tried {
				text += fmt.Sprintln(m)
			}
			if !s.Found {
				text += "NO "
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), text+"MATE.")
			return err
		},
	}
}
