package learn

import (
	"errors"
	"fmt"
	"math"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/sprt"
)

// Config is everything that a run's result depends on, and how to carry it out.
type Config struct {
	Dir     string // the run's folder
	Program string // version of the program, for pedigrees
	Resume  string // the command line that resumes the run
	Plan    Plan

	// Open opens a player by its spec; Weights names a weight file or embedded weights
	// in it, as in "assay:weights=FILE".
	Open    func(spec string) (engine.Player, error)
	Workers int             // games at once, 0: one a core; no result depends on it
	Runner  selfplay.Runner // plays the games; nil: selfplay.Local with Workers

	// Stage, if not nil, is told when a stage begins; what it returns is told how far
	// the stage has come, and in the end what came of it.
	Stage func(name string) StageProgress
}

// StageProgress is told how far a stage has come.
type StageProgress interface {
	Update(done, total int64, note string)
	Finish(summary string)
}

// Plan is the part of the configuration that decides the result. It is written to the
// run's config.json, and a run is resumed only under the same plan.
type Plan struct {
	Seed        uint64       `json:"seed,string"`
	Model       string       `json:"model"`    // what is tuned
	From        string       `json:"from"`     // start weights: an embedded name or a file
	Opponent    string       `json:"opponent"` // of the final match: an embedded name or a file
	Hash        int          `json:"hash_mb"`  // transposition table of every player
	Generations []Generation `json:"generations"`
	Final       Final        `json:"final"`
}

// Generation is the plan of one turn of the loop.
type Generation struct {
	Games  int     `json:"games"`
	Nodes  uint64  `json:"nodes"`  // soft limit a move
	Lambda float64 `json:"lambda"` // share of the result in the label; the rest is the search's score
	Gate   Gate    `json:"gate"`
}

// Gate is the SPRT that new weights must pass, in normalized Elo.
type Gate struct {
	Elo0  float64 `json:"nelo0"`
	Elo1  float64 `json:"nelo1"`
	Alpha float64 `json:"alpha"`
	Beta  float64 `json:"beta"`
	Games int     `json:"games"` // at most
	Nodes uint64  `json:"nodes"`
}

func (g *Gate) test() *sprt.Test {
	return &sprt.Test{Model: sprt.Normalized, Elo0: g.Elo0, Elo1: g.Elo1, Alpha: g.Alpha, Beta: g.Beta}
}

// Final is the match of fixed length that measures what the run came to.
type Final struct {
	Games int    `json:"games"`
	Nodes uint64 `json:"nodes"`
}

// keep is how many generations' games are learned from, each older one at half the
// weight of the next.
const keep = 3

// ErrPlan is wrapped by the errors of a plan that cannot be carried out.
var ErrPlan = errors.New("bad plan")

// DefaultPlan returns the plan of the three-minute run, for the given number of games
// in the first generation and nodes a move. Later generations play a fifth more games,
// since all earlier ones are learned from too.
func DefaultPlan(generations, games int, nodes, seed uint64) Plan {
	p := Plan{
		Seed:     seed,
		Model:    "assay",
		From:     "assay",
		Opponent: "shannon-1950",
		Hash:     1,
		Final:    Final{Games: 400, Nodes: nodes},
	}
	for g := range generations {
		gen := Generation{
			Games:  games,
			Nodes:  nodes,
			Lambda: 1, // Shannon's scores would teach Shannon back
			Gate:   Gate{Elo0: 0, Elo1: 50, Alpha: 0.05, Beta: 0.05, Games: 200, Nodes: nodes},
		}
		if g > 0 {
			gen.Games = games + games/5
		}
		if g > 1 {
			gen.Lambda = 0.7
		}
		p.Generations = append(p.Generations, gen)
	}
	return p
}

func (p *Plan) check() error {
	if len(p.Generations) == 0 {
		return fmt.Errorf("%w: no generations", ErrPlan)
	}
	for i, g := range p.Generations {
		switch {
		case g.Games < 2:
			return fmt.Errorf("%w: generation %d: %d games, want at least 2", ErrPlan, i+1, g.Games)
		case g.Nodes < 1 || g.Gate.Nodes < 1 || g.Nodes > math.MaxUint32 || g.Gate.Nodes > math.MaxUint32:
			return fmt.Errorf("%w: generation %d: want 1 to %d nodes a move", ErrPlan, i+1, uint32(math.MaxUint32))
		case g.Lambda < 0 || g.Lambda > 1:
			return fmt.Errorf("%w: generation %d: lambda %v, want 0 to 1", ErrPlan, i+1, g.Lambda)
		case g.Gate.Games < 2 || g.Gate.Games%2 != 0:
			return fmt.Errorf("%w: generation %d: a gate of %d games, want an even number", ErrPlan, i+1, g.Gate.Games)
		case g.Gate.Elo0 >= g.Gate.Elo1:
			return fmt.Errorf("%w: generation %d: gate [%v, %v] is empty", ErrPlan, i+1, g.Gate.Elo0, g.Gate.Elo1)
		}
	}
	if p.Final.Games < 2 || p.Final.Games%2 != 0 || p.Final.Nodes < 1 {
		return fmt.Errorf("%w: final match of %d games at %d nodes, want an even number of games and at least 1 node",
			ErrPlan, p.Final.Games, p.Final.Nodes)
	}
	return nil
}
