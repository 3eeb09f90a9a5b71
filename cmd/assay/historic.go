package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/historic"
	"github.com/assay-chess/assay/engine/roster"
)

func newHistoricCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "historic",
		Short: "The programs of the papers: play, replay and explain them",
		Long: `The programs of the papers, from El Ajedrecista of 1890 to Mac Hack VI of 1967, by
the rules that the papers give. Those that play chess are players like any other, in
match, uci and wherever a player is named; here they explain what they compute, and the
other games and the solver of problems are played.

What is faithful and what had to be chosen is said in each program's package.`,
		Example: `  assay historic list
  assay historic prinz
  assay historic explain machack-1967 startpos
  assay historic nim --heaps 7,4,3,2 --max-heaps 1`,
	}
	c.AddCommand(newHistoricListCommand(), newExplainCommand(), newPrinzCommand(), newNimCommand(),
		newDraughtsCommand(), newLosAlamosCommand(), newTimesCommand())
	return c
}

// historicProgram is what the list shows of a program.
type historicProgram struct {
	Name  string `json:"name"`
	Year  int    `json:"year"`
	Use   string `json:"use"`
	Paper string `json:"paper"`
}

const (
	asPlayer    = "player"
	shannonText = "Shannon, Programming a Computer for Playing Chess, 1950"
	bowdenText  = "Faster Than Thought, chapter 25, 1953"
	nssText     = "Newell, Shaw, Simon, Chess-Playing Programs and the Problem of Complexity, 1958"
)

// historicPrograms are all of them, the oldest first.
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

func newHistoricListCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List the programs and their papers",
		Long: `List the programs, the oldest first, with the paper each is made from. A player goes
wherever one is named, as in "assay match turing-1951 shannon-a:moves=1"; the others are
commands.`,
		Example: "  assay historic list",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON {
				return printJSON(cmd.OutOrStdout(), historicPrograms)
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, p := range historicPrograms {
				fmt.Fprintf(w, "%s\t%d\t%s\t%s\n", p.Name, p.Year, p.Use, p.Paper)
			}
			return w.Flush()
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON array")
	return c
}

func newExplainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain NAME FEN",
		Short: "Say what a program computes about a position",
		Long: `Say what a program computes about a position: Shannon's f(P), g(P) and variations,
Turing's considerable moves and position-play values, Bernstein's questions, the goals of
Newell, Shaw and Simon, Mac Hack's plausibility of every move with a comment for each
point of it. NAME is a player's, with its settings (nodes= and depth= limit what it plays, not
what it explains); "startpos" stands for the start
position. "assay eval" explains the weights of the modern engine.`,
		Example: `  assay historic explain turing-1951 startpos
  assay historic explain machack-1967:plies=3 "2r1kb1r/5p1p/p1n1b1p1/2nQN3/Pp5B/8/1PP2PPP/1K1R1B1R w k - 1 20"`,
		Args: cobra.RangeArgs(2, 7), // a FEN without quotes is up to six
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := positionArgs(args[1:])
			if err != nil {
				return err
			}
			return explainPosition(cmd.OutOrStdout(), args[0], &p)
		},
	}
}

// positionArgs reads a FEN that may have come as several arguments, or "startpos".
func positionArgs(args []string) (board.Position, error) {
	if len(args) == 1 && args[0] == "startpos" {
		return board.StartPosition(), nil
	}
	return parseFENArgs(args)
}

func explainPosition(w io.Writer, spec string, p *board.Position) (err error) {
	player, err := roster.Open(spec)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, player.Close()) }()
	within := player
	if w, ok := player.(interface{ Unwrap() engine.Player }); ok {
		within = w.Unwrap() // nodes= and depth= limit searches; what is explained is none
	}
	x, ok := within.(historic.Explainer)
	if !ok {
		var names []string
		for _, h := range historicPrograms {
			if h.Use == asPlayer {
				names = append(names, h.Name)
			}
		}
		return fmt.Errorf("%s explains nothing; those that do are %s; for weights of the modern engine there is \"assay eval\"", spec, strings.Join(names, ", "))
	}
	return x.Explain(w, p)
}
