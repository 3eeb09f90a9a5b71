package historic

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/internal/historic/draughts"
	"github.com/assay-chess/assay/internal/historic/losalamos"
	"github.com/assay-chess/assay/internal/historic/nim"
	"github.com/spf13/cobra"
)

func newLosAlamos() *cobra.Command {
	var fen, human string
	var depth int
	c := &cobra.Command{
		Use:   "losalamos",
		Short: "The 6x6 chess of MANIAC, 1956: against itself or against you",
		Long: `Chess on six squares by six as MANIAC played it: no bishops, no castling, no double
pawn moves. Moves are written from square to square, a1 to f6: d2d3, and e5f6q for a
promotion. "assay historic replay losalamos" replays MANIAC's own game. The player
losalamos-1956 is the same program on eight squares by eight.

With --human you type one move a line. A game ends with checkmate or stalemate, at the third
occurrence of a position, and after 50 moves of each side without a capture or a pawn move.`,
		Example: `  assay historic losalamos
  assay historic losalamos --human black --depth 3`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if depth < 1 || depth > 12 {
				return ui.Usagef("--depth %d is not a number of plies from 1 to 12", depth)
			}
			if human != "" && human != "white" && human != "black" {
				return ui.Usagef("--human %s: use white or black", human)
			}
			p, err := losalamos.ParseFEN(fen)
			if err != nil {
				return err
			}
			d := &losAlamosDialogue{g: losalamos.NewGame(p), depth: depth, human: human, ctx: cmd.Context()}
			if human != "" {
				return runDialogue(cmd, d)
			}
			return d.playItself(cmd.OutOrStdout())
		},
	}
	c.Flags().StringVar(&fen, "fen", losalamos.StartFEN, "position to start from")
	c.Flags().StringVar(&human, "human", "", "white or black: play against you; your moves are read from standard input")
	c.Flags().IntVar(&depth, "depth", losalamos.Depth, "plies to look ahead")
	return c
}

// losAlamosDialogue is a game against a person, or of the program against itself.
type losAlamosDialogue struct {
	g     *losalamos.Game
	depth int
	human string
	ctx   context.Context
}

func (d *losAlamosDialogue) board() string   { return d.g.Position().String() }
func (d *losAlamosDialogue) humanTurn() bool { return d.g.Position().SideToMove().String() == d.human }
func (d *losAlamosDialogue) over() string    { return d.g.Outcome() }

func (d *losAlamosDialogue) answer() string {
	c, ok := losalamos.Choose(d.g.Position(), d.depth, func() bool { return d.ctx.Err() != nil })
	if !ok {
		return "no move, interrupted"
	}
	d.g.Push(c.Move)
	return c.Move.String()
}

func (d *losAlamosDialogue) play(text string) error {
	m, err := d.g.Position().Parse(text)
	if err == nil {
		d.g.Push(m)
	}
	return err
}

// playItself plays the program against itself.
func (d *losAlamosDialogue) playItself(w io.Writer) error {
	for ply := 0; ; ply++ {
		if end := d.over(); end != "" {
			_, err := fmt.Fprintf(w, "\n%s%s\n", d.board(), end)
			return err
		}
		move := d.answer()
		if err := d.ctx.Err(); err != nil {
			return err
		}
		if ply%2 == 1 {
			fmt.Fprintf(w, "  %s", move)
			continue
		}
		if ply > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%3d. %s", ply/2+1, move)
	}
}

func newNim() *cobra.Command {
	var heaps []int
	var rules nim.Rules
	var seed uint64
	var why bool
	c := &cobra.Command{
		Use:   "nim --heaps N,N,...",
		Short: "Make a move at nim as Nimrod did in 1951",
		Long: `Make a move at nim and print the heaps that it leaves. A move takes at least one match
from each of 1 to --max-heaps heaps. The player that takes the last match loses, or wins
with --last-wins. If every move loses against correct play, the move is random.`,
		Example: `  assay historic nim --heaps 7,4,3,2 --max-heaps 1
  assay historic nim --heaps 7,4,5,2 --max-heaps 2 --why`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := rules.Check(heaps); err != nil {
				return ui.Usage(err)
			}
			left, found := rules.Move(heaps, rand.New(rand.NewPCG(seed, 0)))
			if left == nil {
				return errors.New("all heaps are empty: the game is over")
			}
			r := nimReport{Heaps: heaps, MaxHeaps: rules.K, LastWins: rules.LastWins, Left: left, Found: found,
				Case: string(rules.Case(heaps)), Sums: nim.Sums(heaps), SumsLeft: nim.Sums(left)}
			print := ui.Text("%s\n", commas(left))
			if why {
				print = r.print
			}
			return ui.Show(cmd, r, print)
		},
	}
	c.Flags().IntSliceVar(&heaps, "heaps", nil, fmt.Sprintf("matches in each heap, 2 to %d heaps of 0 to %d",
		nim.MaxHeaps, nim.MaxHeap))
	c.Flags().IntVar(&rules.K, "max-heaps", 1, "number of heaps that one move may take from, fewer than all")
	c.Flags().BoolVar(&rules.LastWins, "last-wins", false, "the player that takes the last match wins")
	c.Flags().Uint64Var(&seed, "seed", 1, "random seed")
	c.Flags().BoolVar(&why, "why", false, "explain the move: the case and the binary columns")
	ui.JSON(c)
	return c
}

// nimReport is the output of nim --json.
type nimReport struct {
	Heaps    []int  `json:"heaps"`
	MaxHeaps int    `json:"max_heaps"`
	LastWins bool   `json:"last_wins"`
	Case     string `json:"case"`
	Sums     [5]int `json:"sums"` // of the columns 16 8 4 2 1
	Left     []int  `json:"left"`
	SumsLeft [5]int `json:"sums_left"`
	Found    bool   `json:"found"` // whether Left is a safe position
}

func (r *nimReport) print(w io.Writer) error {
	k := r.MaxHeaps
	rule := fmt.Sprintf("column sums divisible by %d", k+1)
	switch {
	case r.LastWins:
	case r.Case == "a":
		rule = fmt.Sprintf("more than %d heaps hold more than one match: the normal routine, ", k) + rule
	case r.Case == "b":
		rule = fmt.Sprintf("at most %d heaps hold more than one match: leave heaps of one, 1 or %d or %d ...", k, k+2, 2*k+3)
	case r.Case == "c":
		rule = fmt.Sprintf("no heap holds more than one match: leave 1 or %d or %d ...", k+2, 2*k+3)
	}
	luck := ""
	if !r.Found {
		luck = " (random: no move leaves a safe position)"
	}
	_, err := fmt.Fprintf(w, "case %s     %s\nheaps      %s, columns 16 8 4 2 1 sum to %v\n"+
		"leaves     %s, columns sum to %v%s\n",
		r.Case, rule, commas(r.Heaps), r.Sums, commas(r.Left), r.SumsLeft, luck)
	return err
}

func commas(numbers []int) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(numbers), "[]"), " ", ",")
}

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
