package historic

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/assay/internal/cli"
	"github.com/assay-chess/assay/engine/historic/draughts"
)

func newDraughts() *cobra.Command {
	c := &cobra.Command{
		Use:   "draughts",
		Short: "Strachey's draughts program of 1952: play, choose",
		Long: `Draughts as Strachey's program for the Manchester machine played it. Squares are
numbered 0 to 31 from Black's side, four a row. The machine is Black and moves first, down
the board. Moves are written as in the book: 11-15, 6-20(16,9) for a capture, 6-1K for a
new king. "assay historic replay strachey" replays its printed game.`,
		Example: `  assay historic draughts play --human
  assay learn --game draughts    # what is a king worth?`,
	}
	c.AddCommand(newDraughtsPlay(), newDraughtsChoose())
	return c
}

// draughtsFlags set the strategy and the seed.
type draughtsFlags struct {
	strategy int
	stages   int
	king     float64
	seed     uint64
}

func (f *draughtsFlags) add(c *cobra.Command) {
	c.Flags().IntVar(&f.strategy, "strategy", 2, "1: all moves, 3 stages, kings worth 3; 2: until two moves in a row are not captures, at most 4 stages, kings worth 2.875")
	c.Flags().IntVar(&f.stages, "stages", 0, "number of stages (moves of either side) to look ahead, 1 to 12 (default: the strategy's)")
	c.Flags().Float64Var(&f.king, "king", 0, "value of a king in men, a multiple of an eighth (default: the strategy's)")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "random seed of the choice among equal moves")
}

func (f *draughtsFlags) get() (s draughts.Strategy, err error) {
	switch f.strategy {
	case 1:
		s = draughts.Strategy1()
	case 2:
		s = draughts.Strategy2()
	default:
		return s, cli.Usagef("--strategy %d: the strategies are 1 and 2", f.strategy)
	}
	if f.stages != 0 {
		s.Stages = f.stages
	}
	if s.Stages < 1 || s.Stages > 12 {
		return s, cli.Usagef("--stages %d is not a number from 1 to 12", f.stages)
	}
	if f.king != 0 {
		if s.King, err = eighths(f.king); err != nil {
			return s, cli.Usagef("--king %v %w", f.king, err)
		}
	}
	return s, nil
}

// eighths returns a value in men in the unit of the strategies.
func eighths(men float64) (int, error) {
	n := men * draughts.Man
	if n != math.Trunc(n) || men <= 0 || men > 100 {
		return 0, errors.New("is not a positive multiple of an eighth up to 100, like 2.875")
	}
	return int(n), nil
}

func (f *draughtsFlags) rng() *rand.Rand { return rand.New(rand.NewPCG(f.seed, 0)) }

func newDraughtsPlay() *cobra.Command {
	var f draughtsFlags
	var human bool
	c := &cobra.Command{
		Use:   "play",
		Short: "Play a game, machine against machine or against you",
		Long: `Play a game of the machine against itself, or with --human against you: you are White
and type one move a line. A game of the machine against itself is a draw after 40 plies
without a capture or a move of a man that is not a king; the program does not know how to
win.`,
		Example: `  assay historic draughts play --seed 7
  assay historic draughts play --human --strategy 1`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := f.get()
			if err != nil {
				return err
			}
			if human {
				return runDialogue(cmd, &draughtsDialogue{p: draughts.Start(), s: s, rng: f.rng()})
			}
			g := draughts.Play(draughts.Start(), s, s, f.rng())
			result := map[float64]string{0: "White wins", 0.5: "draw", 1: "Black wins"}[g.Result]
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s%s after %d plies\n", draughtsMoves(g.Moves), result, len(g.Moves))
			return err
		},
	}
	f.add(c)
	c.Flags().BoolVar(&human, "human", false, "play against you; your moves are read from standard input")
	return c
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

func newDraughtsChoose() *cobra.Command {
	var f draughtsFlags
	var white, asJSON bool
	c := &cobra.Command{
		Use:   "choose B W K",
		Short: "Choose a move in a position given as Strachey's three words",
		Long: `Choose a move in a position given as Strachey's three words in hexadecimal: B, Black's
men and kings; W, White's; K, the kings of both colors. Bit n is square n; the lowest bit
is square 0. Black is to move, or White with --white.`,
		Example: "  assay historic draughts choose 0010AC8B F5400200 0",
		Args:    cobra.ExactArgs(3),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := f.get()
			if err != nil {
				return err
			}
			p := draughts.Position{White: white}
			for i, word := range []*uint32{&p.B, &p.W, &p.K} {
				n, err := strconv.ParseUint(strings.TrimPrefix(args[i], "0x"), 16, 32)
				if err != nil {
					return cli.Usagef("%c: %q is not a word of up to 8 hexadecimal digits", "BWK"[i], args[i])
				}
				*word = uint32(n)
			}
			if err := p.Check(); err != nil {
				return err
			}
			c, ok := s.Choose(&p, f.rng())
			if !ok {
				return fmt.Errorf("there is no legal move: the game is over\n%s", strings.TrimRight(p.String(), "\n"))
			}
			return printDraughtsChoice(cmd.OutOrStdout(), &p, s, c, asJSON)
		},
	}
	f.add(c)
	c.Flags().BoolVar(&white, "white", false, "White is to move")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

func printDraughtsChoice(w io.Writer, p *draughts.Position, s draughts.Strategy, c draughts.Choice, asJSON bool) error {
	gain := float64(c.Value-s.Value(p)) / draughts.Man
	best := make([]string, len(c.Best))
	for i, m := range c.Best {
		best[i] = m.String()
	}
	if asJSON {
		return cli.PrintJSON(w, struct {
			Move  string   `json:"move"`
			Best  []string `json:"best"`
			Gain  float64  `json:"gain"`
			Moves int      `json:"moves_considered"`
		}{c.Move.String(), best, gain, c.Moves})
	}
	_, err := fmt.Fprintf(w, "%s\n%s\nbest moves  %s\ngain        %+.3f men\nconsidered  %d moves\n", p, c.Move, strings.Join(best, " "), gain, c.Moves)
	return err
}
