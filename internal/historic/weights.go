package historic

import (
	"fmt"
	"math/rand/v2"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

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
	// Load opens the weights that the option EvalFile names, or the player's own weights for
	// "". Without it setting EvalFile is an error.
	Load Loader

	Weights  engine.Weights
	Settings Options
	// Use replaces the player's weights.
	Use func(engine.Weights) error
}

// Loader opens weights by name.
type Loader = func(name string) (engine.Weights, error)

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
		return e.Settings.Set(name, value)
	}
	if err == nil {
		err = e.Use(w)
	}
	if err != nil {
		return fmt.Errorf("%w %s: %w", ErrOption, name, err)
	}
	return nil
}

// Options returns the UCI declarations of the options.
func (e *Weighted) Options() []string { return e.Settings.Lines() }

// PieceValues are options for the values of pawn to queen.
func PieceValues(values *[5]int, least int) (list Options) {
	for t, name := range []string{"Pawn", "Knight", "Bishop", "Rook", "Queen"} {
		list = append(list, Number(name, &values[board.PieceType(t)], least, 5000))
	}
	return list
}
