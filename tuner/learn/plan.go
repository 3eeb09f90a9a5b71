package learn

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/assay-chess/assay/dataset/positions"
	"github.com/assay-chess/assay/engine/syzygy"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/sprt"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Plan is the part of the configuration that decides the result. It is written to the
// run's config.json. A run is resumed only under a plan that does not change generations that have started.
type Plan struct {
	Seed     uint64 `json:"seed,string"`
	Model    string `json:"model"`    // to tune
	From     string `json:"from"`     // first champion, of any model: an embedded name or a file
	Opponent string `json:"opponent"` // of the final match: an embedded name or a file
	Hash     int    `json:"hash_mb"`  // transposition table of every player
	// a search stops at exactly Nodes; or its iteration is finished
	HardNodes   bool         `json:"hard_nodes,omitempty"`
	Generations []Generation `json:"generations"`
	Final       final        `json:"final"`
}

// Generation is the plan of one turn of the loop.
type Generation struct {
	Games  int     `json:"games"`            // of self-play, or with MethodSPSA those that tune
	Nodes  uint64  `json:"nodes"`            // limit a move, see HardNodes
	Lambda float64 `json:"lambda"`           // share of the result in the label; the rest is the search's score
	Keep   int     `json:"keep"`             // how many generations' games are learned from, this one's included
	Decay  float64 `json:"decay"`            // weight of a generation's games beside the next one's
	Prior  float64 `json:"prior"`            // factor on the widths of the prior
	Method string  `json:"method,omitempty"` // of the fit, see Methods; empty: the first of them
	Filter filter  `json:"filter"`
	Gate   gate    `json:"gate"`
}

// filter says which positions of the games are learned from: the part of positions.Filter
// that is not for the run itself to say.
type filter struct {
	Resolve        string `json:"resolve"`
	MaxScore       int    `json:"max_score"`
	SkipPlies      int    `json:"skip_plies"`
	MaxPerGame     int    `json:"max_per_game"`
	KeepDuplicates bool   `json:"keep_duplicates"`
	NeedScore      bool   `json:"need_score"`
	FewestPieces   int    `json:"fewest_men"`
	Uniform        bool   `json:"uniform"` // equally many of each of eval.PhaseBands
	Sample         int64  `json:"sample"`
}

func defaultFilter() filter {
	d := positions.DefaultFilter()
	return filter{Resolve: d.Resolve, MaxScore: d.MaxScore}
}

// dataset returns the filter under the weights and the seed.
func (f *filter) dataset(weights string, seed uint64) positions.Filter {
	d := positions.Filter{
		Resolve: f.Resolve, MaxScore: f.MaxScore, SkipPlies: f.SkipPlies, MaxPerGame: f.MaxPerGame,
		KeepDuplicates: f.KeepDuplicates, NeedScore: f.NeedScore, FewestPieces: f.FewestPieces,
		Sample: f.Sample, Seed: seed,
	}
	if f.Uniform {
		d.PhaseShares = positions.Bands{1, 1, 1, 1, 1}
	}
	if f.Resolve != positions.ResolveKeep {
		d.Evaluation = weights
	}
	return d
}

// gate is the SPRT that new weights must pass, in normalized Elo.
type gate struct {
	Elo0  float64 `json:"nelo0"`
	Elo1  float64 `json:"nelo1"`
	Alpha float64 `json:"alpha"`
	Beta  float64 `json:"beta"`
	Games int     `json:"games"` // at most
	Nodes uint64  `json:"nodes"`
}

func (g *gate) test() *sprt.Test {
	return &sprt.Test{Model: sprt.Normalized, Elo0: g.Elo0, Elo1: g.Elo1, Alpha: g.Alpha, Beta: g.Beta}
}

// final is the match of fixed length that measures the gain of the run.
type final struct {
	Games int    `json:"games"`
	Nodes uint64 `json:"nodes"`
}

// ErrPlan is wrapped by the errors of a plan that cannot be carried out.
var ErrPlan = errors.New("bad plan")

// DefaultPlan returns the plan of the three-minute run, for the given number of games
// in the first generation and nodes a move. Later generations play a fifth more games,
// since all earlier ones are learned from too.
func DefaultPlan(generations, games int, nodes, seed uint64) Plan {
	p := Plan{Seed: seed, Hash: 1, Final: final{Games: 400, Nodes: nodes}}.WithDefaults()
	for g := range generations {
		gen := newGeneration()
		gen.Games, gen.Nodes = games, nodes
		gen.Lambda, gen.Prior = 0.3, 2 // models/history/README.md has the experiments
		gen.Gate = gate{Elo0: 0, Elo1: 50, Alpha: 0.05, Beta: 0.05, Games: 200, Nodes: nodes}
		if g > 0 {
			gen.Games = games + games/5
		}
		p.Generations = append(p.Generations, gen)
	}
	return p
}

// WithDefaults fills in model, start weights and opponent where the plan leaves them out.
// The model is assay. A model starts from its own start weights, and these are the opponent too,
// so that the final match measures what was learned. The opponent of assay is shannon-1950.
func (p Plan) WithDefaults() Plan {
	p.Model = cmp.Or(p.Model, modernModel)
	p.From = cmp.Or(p.From, models.StartOf(p.Model))
	if p.Model == modernModel {
		p.Opponent = cmp.Or(p.Opponent, "shannon-1950")
	}
	p.Opponent = cmp.Or(p.Opponent, models.StartOf(p.Model))
	return p
}

// modernModel is the model that is learned unless another is named.
const modernModel = "assay"

// newGeneration returns the defaults of a generation.
// Lambda has no default.
func newGeneration() Generation {
	return Generation{Lambda: math.NaN(), Keep: 3, Decay: 0.5, Prior: 1, Filter: defaultFilter()}
}

// The fewest games of a plan that is scaled down, unless it has fewer itself: what a fit
// needs to have won and lost games, and what a match needs to be one.
const (
	fewestGames = 20
	fewestMatch = 2
)

// Scaled returns the plan with all its counts of games multiplied by the factor.
func (p Plan) Scaled(factor float64) Plan {
	scale := func(games, fewest int) int {
		pairs := int(math.Ceil(float64(games)*factor/2 - 1e-9))
		return max(2*pairs, min(games, fewest))
	}
	p.Generations = slices.Clone(p.Generations)
	for i := range p.Generations {
		g := &p.Generations[i]
		g.Games, g.Gate.Games = scale(g.Games, fewestGames), scale(g.Gate.Games, fewestMatch)
	}
	p.Final.Games = scale(p.Final.Games, fewestMatch)
	return p
}

func (p *Plan) check() error {
	if len(p.Generations) == 0 {
		return fmt.Errorf("%w: generations: there is none", ErrPlan)
	}
	if p.Hash < 1 {
		return fmt.Errorf("%w: hash_mb: %d, want at least 1", ErrPlan, p.Hash)
	}
	for i := range p.Generations {
		if err := p.Generations[i].check(); err != nil {
			return fmt.Errorf("%w: generations[%d].%w", ErrPlan, i, err)
		}
	}
	if p.Final.Games < 2 || p.Final.Games%2 != 0 {
		return fmt.Errorf("%w: final.games: %d, want an even number", ErrPlan, p.Final.Games)
	}
	if err := checkNodes(p.Final.Nodes); err != nil {
		return fmt.Errorf("%w: final.%w", ErrPlan, err)
	}
	return nil
}

// check returns an error that begins with the field.
func (g *Generation) check() error {
	if err := checkNodes(g.Nodes); err != nil {
		return err
	}
	filter := g.Filter.dataset("", 0)
	switch err := filter.Check(); {
	case g.Games < 2:
		return fmt.Errorf("games: %d, want at least 2", g.Games)
	case math.IsNaN(g.Lambda):
		return errors.New("lambda: it is missing; 1 learns from results alone")
	case g.Lambda < 0 || g.Lambda > 1:
		return fmt.Errorf("lambda: %v, want 0 to 1", g.Lambda)
	case g.Keep < 1:
		return fmt.Errorf("keep: %d, want at least 1 generation", g.Keep)
	case !(g.Decay > 0 && g.Decay <= 1):
		return fmt.Errorf("decay: %v, want above 0, up to 1", g.Decay)
	case !(g.Prior > 0 && g.Prior <= 1000):
		return fmt.Errorf("prior: %v, want above 0, up to 1000", g.Prior)
	case g.Method != "" && !slices.Contains(Methods(), g.Method):
		return fmt.Errorf("method: %q, want one of %s", g.Method, strings.Join(Methods(), ", "))
	case g.byGames() && g.Games%2 != 0:
		return fmt.Errorf("games: %d, want an even number: spsa plays pairs", g.Games)
	case err != nil:
		return fmt.Errorf("filter: %w", err)
	}
	if err := g.Gate.check(); err != nil {
		return fmt.Errorf("gate.%w", err)
	}
	return nil
}

func (g *gate) check() error {
	switch {
	case g.Games < 2 || g.Games%2 != 0:
		return fmt.Errorf("games: %d, want an even number", g.Games)
	case !(g.Elo0 < g.Elo1):
		return fmt.Errorf("nelo1: %v is not above nelo0, %v", g.Elo1, g.Elo0)
	case !(g.Alpha > 0 && g.Alpha < 0.5):
		return fmt.Errorf("alpha: %v, want above 0, below 0.5", g.Alpha)
	case !(g.Beta > 0 && g.Beta < 0.5):
		return fmt.Errorf("beta: %v, want above 0, below 0.5", g.Beta)
	}
	return checkNodes(g.Nodes)
}

func checkNodes(n uint64) error {
	if n < 1 || n > math.MaxUint32 {
		return fmt.Errorf("nodes: %d, want 1 to %d nodes a move", n, uint32(math.MaxUint32))
	}
	return nil
}

// RunConfig is the content of a run's config.json.
type RunConfig struct {
	Program    string `json:"program"`
	StartID    string `json:"start_id"`
	OpponentID string `json:"opponent_id"`
	Plan       Plan   `json:"plan"`
}

// ReadPlan reads a plan from a file: a bare one, or a run's config.json, which says of
// what weights it was made. Reading is strict. What a plan need not say: model, from
// and opponent are as WithDefaults sets them, hash_mb is 1; keep is 3, decay 0.5, prior
// 1, and the filter positions.DefaultFilter. Errors name the file and the field.
func ReadPlan(path string) (*RunConfig, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	c, err := parsePlan(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// hasPlan matches a config.json, in which the plan is a field.
var hasPlan = regexp.MustCompile(`"plan"\s*:`)

func parsePlan(data []byte) (*RunConfig, error) {
	c := &RunConfig{Plan: Plan{Hash: 1}}
	var to any = c
	if !hasPlan.Match(data) {
		to = &c.Plan
	}
	err := models.UnmarshalStrict(data, to, json.WithUnmarshalers(json.UnmarshalFromFunc(unmarshalGeneration)))
	var wrong *models.JSONError
	if errors.As(err, &wrong) {
		wrong.Pointer = jsontext.Pointer(strings.TrimPrefix(string(wrong.Pointer), "/plan"))
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPlan, err)
	}
	c.Plan = c.Plan.WithDefaults()
	return c, c.Plan.check()
}

// unmarshalGeneration reads what a generation says beside the defaults.
func unmarshalGeneration(dec *jsontext.Decoder, g *Generation) error {
	type plain Generation // without this function
	p := plain(newGeneration())
	err := json.UnmarshalDecode(dec, &p)
	*g = Generation(p)
	if g.byGames() && math.IsNaN(g.Lambda) {
		g.Lambda = 1 // results alone: there is no label
	}
	return err
}

// Config is everything that a run's result depends on, and how to carry it out.
type Config struct {
	selfplay.Place // where games are played: Out is the run's folder, Open opens assay with the weights of a file

	Program string // version of the program, for pedigrees
	Plan    Plan

	// StartID and OpponentID, if not empty, are what the ids of the plan's weights must be.
	StartID, OpponentID string

	Tables *syzygy.Judge // that end games, or nil

	// Stage is called when a stage begins; what it returns is called with
	// the progress of the stage, and at its end with a summary.
	Stage func(name string) StageProgress
}

// StageProgress receives the progress of a stage.
type StageProgress interface {
	Update(done, total int64, note string)
	Finish(summary string)
}
