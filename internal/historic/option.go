package historic

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/eval"
)

// Option is a setting of a player: what its paper leaves open or suggests varying. Number, Switch, Choice
// and Text make one. Its name is a single word, so that it can be part of a player's specification
// (shannon-a:moves=1). Case does not matter.
type Option struct {
	name    string
	declare string // the UCI declaration after the name
	set     func(value string) error
}

// Number is a whole number from low to high. Its default is the current *value.
func Number(name string, value *int, low, high int) Option {
	return Option{name, fmt.Sprintf("type spin default %d min %d max %d", *value, low, high), func(s string) error {
		n, err := strconv.Atoi(s)
		if err != nil || n < low || n > high {
			return fmt.Errorf("%q is not a number from %d to %d", s, low, high)
		}
		*value = n
		return nil
	}}
}

// Switch is a setting that is true or false.
func Switch(name string, value *bool) Option {
	return Option{name, fmt.Sprintf("type check default %v", *value), func(s string) error {
		if s != "true" && s != "false" {
			return fmt.Errorf("%q is neither true nor false", s)
		}
		*value = s == "true"
		return nil
	}}
}

// Choice is a setting that is one of several words.
func Choice(name string, value *string, words ...string) Option {
	declare := "type combo default " + *value
	for _, w := range words {
		declare += " var " + w
	}
	return Option{name, declare, func(s string) error {
		if !slices.Contains(words, s) {
			return fmt.Errorf("%q is not one of %s", s, strings.Join(words, ", "))
		}
		*value = s
		return nil
	}}
}

// Text is a string that set parses. UCI's <empty> is passed as "".
func Text(name string, set func(value string) error) Option {
	return Option{name, "type string default <empty>", func(s string) error {
		if s == "<empty>" {
			s = ""
		}
		return set(s)
	}}
}

// Then returns the option with a function to call after it is set, whose error is returned
// by SetOption.
func (o Option) Then(f func() error) Option {
	set := o.set
	o.set = func(value string) error {
		if err := set(value); err != nil {
			return err
		}
		return f()
	}
	return o
}

// Base implements the methods of engine.Player that are the same in most programs of the
// papers, which have no memory, no randomness and nothing to free. Programs embed it.
type Base struct {
	Settings []Option
}

// NewGame does nothing.
func (b *Base) NewGame(uint64) error { return nil }

// Options returns the declarations of the options in UCI format.
func (b *Base) Options() []string {
	lines := make([]string, len(b.Settings))
	for i, option := range b.Settings {
		lines[i] = "option name " + option.name + " " + option.declare
	}
	return lines
}

// SetOption sets one of the options. An invalid value changes nothing.
func (b *Base) SetOption(name, value string) error {
	names := make([]string, len(b.Settings))
	for i, option := range b.Settings {
		if strings.EqualFold(option.name, name) {
			if err := option.set(value); err != nil {
				return fmt.Errorf("option %s: %w", option.name, err)
			}
			return nil
		}
		names[i] = strings.ToLower(option.name)
	}
	if len(b.Settings) == 0 {
		return fmt.Errorf("option %q is unknown; this player has no options", name)
	}
	return fmt.Errorf("option %q is unknown; the options are %s", name, strings.Join(names, ", "))
}

// Close does nothing.
func (b *Base) Close() error { return nil }

// Victim returns the type of the piece that a move captures, or board.NoPieceType.
func Victim(p *board.Position, m board.Move) board.PieceType {
	if p.IsEnPassant(m) {
		return board.Pawn
	}
	return p.PieceAt(m.To()).Type()
}

// Values are the conventional values of pieces, in pawns. The king's is ours: more than any other's.
var Values = [6]int{1, 3, 3, 5, 9, 100}

// Cheaper returns the pieces of both sides that are worth less than one of the type.
func Cheaper(p *board.Position, t board.PieceType) (b board.Bitboard) {
	for kind, v := range Values {
		if v < Values[t] {
			b |= p.ByType(board.PieceType(kind))
		}
	}
	return b
}

// Dearer returns the pieces of both sides that are worth more than one of the type.
func Dearer(p *board.Position, t board.PieceType) (b board.Bitboard) {
	for kind, v := range Values {
		if v > Values[t] {
			b |= p.ByType(board.PieceType(kind))
		}
	}
	return b
}

// Filter returns the moves to keep.
func Filter(moves []board.Move, keep func(board.Move) bool) (kept []board.Move) {
	for _, m := range moves {
		if keep(m) {
			kept = append(kept, m)
		}
	}
	return kept
}

// Reach returns the squares that the piece on from attacks, or would attack from another square.
func Reach(p *board.Position, from, at board.Square, occupied board.Bitboard) board.Bitboard {
	piece := p.PieceAt(from)
	if piece.Type() == board.Pawn {
		return board.PawnAttacks(piece.Color(), at)
	}
	return board.Attacks(piece.Type(), at, occupied)
}

// ToQueen reports whether a move is no promotion, or one to a queen: some programs make no others.
func ToQueen(m board.Move) bool {
	return m.Promotion() == board.NoPieceType || m.Promotion() == board.Queen
}

// Seeded is the part of a player that makes random choices. They depend on the seed and the position, not
// on earlier choices.
type Seeded struct {
	seed  uint64 // of the game
	added int    // the option Seed
}

// NewGame sets the random seed of the game.
func (s *Seeded) NewGame(seed uint64) error {
	s.seed = seed
	return nil
}

// Option is Seed, which is added to the seed of a game, since a GUI cannot set one.
func (s *Seeded) Option() Option { return Number("Seed", &s.added, 0, 1<<30) }

// RNG returns the generator of a position with this number.
func (s *Seeded) RNG(position uint64) *rand.Rand {
	return rand.New(rand.NewPCG(s.seed+uint64(s.added), position))
}

// Weighted is the part of a player that evaluates with weights.
type Weighted struct {
	Base
	// Load opens the weights that the option EvalFile names, or the player's own weights for
	// "". Without it setting EvalFile is an error.
	Load Loader

	Weights eval.Weights
	// Use replaces the player's weights.
	Use func(eval.Weights) error
}

// Loader opens weights by name.
type Loader = func(name string) (eval.Weights, error)

// EvalFile is the option that loads weights.
func (e *Weighted) EvalFile() Option {
	return Text("EvalFile", func(name string) error {
		if e.Load == nil {
			return fmt.Errorf("this player cannot load %q", name)
		}
		w, err := e.Load(name)
		if err != nil {
			return err
		}
		return e.Use(w)
	})
}

// SetOption sets one of the options. It also accepts the name of a term of the model, with a
// weight in centipawns, so that weights can be tuned by playing games.
func (e *Weighted) SetOption(name, value string) error {
	w, ok, err := e.Weights.Set(name, value)
	if !ok {
		return e.Base.SetOption(name, value)
	}
	if err == nil {
		err = e.Use(w)
	}
	if err != nil {
		return fmt.Errorf("option %s: %w", name, err)
	}
	return nil
}

// PieceValues are options for the values of pawn to queen.
func PieceValues(values *[5]int, least int) (list []Option) {
	for t, name := range []string{"Pawn", "Knight", "Bishop", "Rook", "Queen"} {
		list = append(list, Number(name, &values[board.PieceType(t)], least, 5000))
	}
	return list
}
