package main

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/engine/historic/draughts"
)

func newDraughtsCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "draughts",
		Short: "Strachey's draughts of 1952: play, replay, choose, learn",
		Long: `Draughts as Strachey's program for the Manchester machine played it, on squares 0 to 31
from Black's side, four a row. The machine is Black, moves first and down the board.
Moves are written as in the book: 11-15, 6-20(16,9) for a capture, 6-1K for a new king.`,
		Example: `  assay historic draughts replay
  assay historic draughts play --human
  assay historic draughts learn-king`,
	}
	c.AddCommand(newDraughtsPlayCommand(), newDraughtsReplayCommand(), newDraughtsChooseCommand(), newLearnKingCommand(), newCompareKingsCommand())
	return c
}

// draughtsFlags are how the machine looks ahead.
type draughtsFlags struct {
	strategy int
	stages   int
	king     float64
	seed     uint64
}

func (f *draughtsFlags) add(c *cobra.Command) {
	c.Flags().IntVar(&f.strategy, "strategy", 2, "1: all moves for 3 stages, kings 3; 2: until two moves are no captures, 4 stages, kings 2.875")
	c.Flags().IntVar(&f.stages, "stages", 0, "look so many stages ahead, 1 to 12 (default: as the strategy has it)")
	c.Flags().Float64Var(&f.king, "king", 0, "value of a king in men, in eighths (default: as the strategy has it)")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "seed of the choices among equal moves")
}

func (f *draughtsFlags) get() (s draughts.Strategy, err error) {
	switch f.strategy {
	case 1:
		s = draughts.Strategy1()
	case 2:
		s = draughts.Strategy2()
	default:
		return s, usagef("--strategy %d: there are 1 and 2", f.strategy)
	}
	if f.stages != 0 {
		s.Stages = f.stages
	}
	if s.Stages < 1 || s.Stages > 12 {
		return s, usagef("--stages %d is not a number from 1 to 12", f.stages)
	}
	if f.king != 0 {
		eighths := f.king * draughts.Man
		if eighths != math.Trunc(eighths) || f.king < 0 || f.king > 100 {
			return s, usagef("--king %v is not a number of eighths from 0 to 100, like 2.875", f.king)
		}
		s.King = int(eighths)
	}
	return s, nil
}

func newDraughtsPlayCommand() *cobra.Command {
	var f draughtsFlags
	var human bool
	c := &cobra.Command{
		Use:   "play",
		Short: "Play a game, against itself or against you",
		Long: `Play a game of the machine against itself, or with --human against you: you are White,
and type a move a line. A game of the machine against itself is a draw after 40 plies
without a capture or a move of a man; the program does not know how to win.`,
		Example: `  assay historic draughts play --seed 7
  assay historic draughts play --human --strategy 1`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := f.get()
			if err != nil {
				return err
			}
			chance := rand.New(rand.NewPCG(f.seed, 0))
			if human {
				return runDialogue(cmd, &draughtsDialogue{p: draughts.Start(), s: s, chance: chance})
			}
			g := draughts.Play(draughts.Start(), s, s, chance)
			result := map[float64]string{0: "White wins", 0.5: "drawn", 1: "Black wins"}[g.Result]
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s%s after %d plies\n", draughtsScore(g.Moves), result, len(g.Moves))
			return err
		},
	}
	f.add(c)
	c.Flags().BoolVar(&human, "human", false, "play against you; your moves are read from standard input")
	return c
}

// draughtsScore writes moves as the book does, the machine's and the other's in a row.
func draughtsScore(moves []draughts.Move) string {
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
	p      draughts.Position
	s      draughts.Strategy
	chance *rand.Rand
}

func (d *draughtsDialogue) board() string   { return d.p.String() }
func (d *draughtsDialogue) humanTurn() bool { return d.p.White }
func (d *draughtsDialogue) over() string {
	if len(d.p.Moves(nil)) > 0 {
		return ""
	}
	if d.p.White {
		return "You cannot move: the machine has won."
	}
	return "The machine cannot move: you have won."
}

func (d *draughtsDialogue) answer() string {
	c, _ := d.s.Choose(&d.p, d.chance)
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

func newDraughtsReplayCommand() *cobra.Command {
	var f draughtsFlags
	c := &cobra.Command{
		Use:   "replay",
		Short: "Replay the printed game, with what the machine thinks best",
		Long: `Replay the game printed in Faster Than Thought, the first played by the second strategy,
and say in which turns the machine's move is among the best by the strategy given here.
Gain is what it expects to win, in men.`,
		Example: "  assay historic draughts replay\n  assay historic draughts replay --strategy 1",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := f.get()
			if err != nil {
				return err
			}
			return replayDraughts(cmd.OutOrStdout(), s, rand.New(rand.NewPCG(f.seed, 0)))
		},
	}
	f.add(c)
	return c
}

func replayDraughts(w io.Writer, s draughts.Strategy, chance *rand.Rand) error {
	moves := draughts.PrintedGame()
	p := draughts.Start()
	turns, agree := 0, 0
	for i, text := range moves {
		m, err := p.Parse(text)
		if err != nil {
			return err
		}
		if !p.White {
			c, _ := s.Choose(&p, chance)
			mark := ""
			if turns++; slices.Contains(c.Best, m) {
				agree++
			} else {
				mark = "   NOT among the best: " + strings.Trim(fmt.Sprint(c.Best), "[]")
			}
			reply := ""
			if i+1 < len(moves) {
				reply = moves[i+1]
			}
			if _, err := fmt.Fprintf(w, "%3d. %-14s %-11s gain %+7.3f, %d best of %d%s\n", turns, m, reply,
				float64(c.Value-s.Value(&p))/draughts.Man, len(c.Best), len(p.Moves(nil)), mark); err != nil {
				return err
			}
		}
		p.Make(m)
	}
	_, err := fmt.Fprintf(w, "%d plies, all legal; the machine's move is among the best in %d of %d turns\n", len(moves), agree, turns)
	return err
}

func newDraughtsChooseCommand() *cobra.Command {
	var f draughtsFlags
	var white, asJSON bool
	c := &cobra.Command{
		Use:   "choose B W K",
		Short: "Choose a move in a position given by Strachey's words",
		Long: `Choose a move in a position given by Strachey's words in hexadecimal: B, the black men
and kings; W, the white ones; K, the kings of either colour. Bit n is square n, the lowest
bit square 0. Black is to move, or White with --white.`,
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
					return usagef("%c: %q is not a word of up to 8 hexadecimal digits", "BWK"[i], args[i])
				}
				*word = uint32(n)
			}
			if err := p.Check(); err != nil {
				return err
			}
			c, ok := s.Choose(&p, rand.New(rand.NewPCG(f.seed, 0)))
			if !ok {
				return fmt.Errorf("no move is legal: the game is over\n%s", strings.TrimRight(p.String(), "\n"))
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
		return printJSON(w, struct {
			Move  string   `json:"move"`
			Best  []string `json:"best"`
			Gain  float64  `json:"gain"`
			Moves int      `json:"moves_considered"`
		}{c.Move.String(), best, gain, c.Moves})
	}
	_, err := fmt.Fprintf(w, "%s\n%s\nbest moves  %s\ngain        %+.3f men\nconsidered  %d moves\n", p, c.Move, strings.Join(best, " "), gain, c.Moves)
	return err
}
