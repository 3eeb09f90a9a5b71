package gameloop

import (
	"fmt"

	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/selfplay/games"
	"github.com/assay-chess/assay/selfplay/sprt"
	"github.com/assay-chess/assay/tuner/learn"
)

// Plan is what a run does.
type Plan struct {
	Generations int    `json:"generations"`
	Games       int    `json:"games"`       // of each generation against itself
	GateGames   int    `json:"gate_games"`  // at most, of each gate
	FinalGames  int    `json:"final_games"` // of the match that measures the gain
	Depth       int    `json:"depth"`       // plies to look ahead, in every game
	Seed        uint64 `json:"seed"`
}

// NewPlan returns the plan of a short run.
func NewPlan(g *games.Game) Plan {
	return Plan{Generations: 2, Games: 1000, GateGames: 400, FinalGames: 1000, Depth: g.Depth, Seed: 1}
}

func (p *Plan) check() error {
	switch {
	case p.Generations < 1 || p.Generations > 1000:
		return fmt.Errorf("%w: %d generations, want 1 to 1000", learn.ErrPlan, p.Generations)
	case p.Games < fewestGames:
		return fmt.Errorf("%w: %d games a generation, want at least %d", learn.ErrPlan, p.Games, fewestGames)
	case p.GateGames < 2 || p.GateGames%2 != 0 || p.FinalGames < 2 || p.FinalGames%2 != 0:
		return fmt.Errorf("%w: %d games of a gate and %d of the final match, want even numbers",
			learn.ErrPlan, p.GateGames, p.FinalGames)
	case p.Depth < 1 || p.Depth > 30:
		return fmt.Errorf("%w: depth %d, want 1 to 30", learn.ErrPlan, p.Depth)
	}
	return nil
}

const (
	fewestGames = 20
	// keep is how many generations a fit learns from; each counts half as much as the next.
	keep = 3
	// prior is the width of the prior of every term, in centipawns of effect: wide, since the
	// numbers that a run begins with are often zeros.
	prior = 300
)

// gate is the test that new weights must pass, in normalized Elo.
var gate = sprt.Test{Model: sprt.Normalized, Elo0: 0, Elo1: 30, Alpha: 0.05, Beta: 0.05}

// Config is a plan, and how to carry it out.
type Config struct {
	Game    *games.Game
	Dir     string // the run's folder
	Plan    Plan
	Start   *models.File // weights to begin with; nil: the game's
	Program string       // version of the program, for pedigrees
	Resume  string       // the command line that resumes the run
	Workers int          // games at once, 0: one a core; no result depends on it

	// Stage, if not nil, is called when a stage begins; what it returns is called with
	// the progress of the stage, and at its end with a summary.
	Stage func(name string) learn.StageProgress
}
