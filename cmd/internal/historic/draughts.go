package historic

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/internal/historic/draughts"
)

func newDraughts() *cobra.Command {
	var number, stages int
	var king float64
	var seed uint64
	var human bool
	c := &cobra.Command{
		Use:   "draughts",
		Short: "Strachey's draughts program, 1952: against itself or against you",
		Long: `Draughts as Strachey's program for the Manchester machine played it. Squares are
numbered 0 to 31 from Black's side, four a row. The machine is Black and moves first, down
the board. Moves are written as in the book: 11-15, 6-20(16,9) for a capture, 6-1K for a
new king. "assay historic replay strachey" replays its printed game.

With --human you are White and type one move a line. A game of the machine against itself is
a draw after 40 plies without a capture or a move of a man that is not a king; the program
does not know how to win.`,
		Example: `  assay historic draughts --seed 7
  assay historic draughts --human --strategy 1`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := draughtsStrategy(number, stages, king)
			if err != nil {
				return err
			}
			rng := rand.New(rand.NewPCG(seed, 0))
			if human {
				return runDialogue(cmd, &draughtsDialogue{p: draughts.Start(), s: s, rng: rng})
			}
			g := draughts.Play(draughts.Start(), s, s, rng)
			result := map[float64]string{0: "White wins", 0.5: "draw", 1: "Black wins"}[g.Result]
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s%s after %d plies\n", draughtsMoves(g.Moves), result, len(g.Moves))
			return err
		},
	}
	c.Flags().IntVar(&number, "strategy", 2, "1: all moves, 3 stages, kings worth 3; 2: until two moves in a row are not "+
		"captures, at most 4 stages, kings worth 2.875")
	c.Flags().IntVar(&stages, "stages", 0,
		"number of stages (moves of either side) to look ahead, 1 to 12 (default: the strategy's)")
	c.Flags().Float64Var(&king, "king", 0, "value of a king in men, a multiple of an eighth (default: the strategy's)")
	c.Flags().Uint64Var(&seed, "seed", 1, "random seed of the choice among equal moves")
	c.Flags().BoolVar(&human, "human", false, "play against you; your moves are read from standard input")
	return c
}

// draughtsStrategy returns one of the two strategies, with other stages or another king unless they are 0.
func draughtsStrategy(number, stages int, king float64) (s draughts.Strategy, err error) {
	switch number {
	case 1:
		s = draughts.Strategy1()
	case 2:
		s = draughts.Strategy2()
	default:
		return s, ui.Usagef("--strategy %d: the strategies are 1 and 2", number)
	}
	s.Stages = cmp.Or(stages, s.Stages)
	if s.Stages < 1 || s.Stages > 12 {
		return s, ui.Usagef("--stages %d is not a number from 1 to 12", stages)
	}
	if king != 0 {
		n := king * draughts.Man
		if n != math.Trunc(n) || king <= 0 || king > 100 {
			return s, ui.Usagef("--king %v is not a positive multiple of an eighth up to 100, like 2.875", king)
		}
		s.King = int(n)
	}
	return s, nil
}

// draughtsMoves writes moves as the book does, one of each side a line.
func draughtsMoves(moves []draughts.Move) string {
	var b strings.Builder
	for i := 0; i < len(moves); i += 2 {
		reply := ""
		if i+1 < len(moves) {
			reply = moves[i+1].String()
		}
		b.WriteString(strings.TrimRight(fmt.Sprintf("%3d. %-18s %s", i/2+1, moves[i], reply), " ") + "\n")
	}
	return b.String()
}

// draughtsDialogue is a game against a person.
type draughtsDialogue struct {
	p   draughts.Position
	s   draughts.Strategy
	rng *rand.Rand
}

func (d *draughtsDialogue) board() string   { return d.p.String() }
func (d *draughtsDialogue) humanTurn() bool { return d.p.White }
func (d *draughtsDialogue) over() string {
	if len(d.p.Moves(nil)) > 0 {
		return ""
	}
	if d.p.White {
		return "You cannot move: the machine wins."
	}
	return "The machine cannot move: you win."
}

func (d *draughtsDialogue) answer() string {
	c, _ := d.s.Choose(&d.p, d.rng)
	d.p.Make(c.Move)
	return c.Move.String()
}

func (d *draughtsDialogue) play(text string) error {
	m, err := d.p.Parse(text)
	if err == nil {
		d.p.Make(m)
	}
	return err
}
