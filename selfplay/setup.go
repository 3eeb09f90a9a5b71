package selfplay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/selfplay/opening"
)

// ErrConfig is wrapped by every error about a configuration that cannot be played.
var ErrConfig = errors.New("impossible configuration")

// Setup says how games are played, independent of the players and of the purpose. The
// configurations of datagen, match, ladder, screen and tuner/spsa/play embed it.
type Setup struct {
	Rules
	Place
}

// Rules decide the games: identities are made from them.
type Rules struct {
	Limits   Limits       // of each move
	Rule     Adjudication // the zero Adjudication never ends a game
	MaxPlies int          // plies of play after which a game is a draw; 0: DefaultMaxPlies

	Opening opening.Spec
	Check   Check // of random openings; zero fields are defaults, MaxScore below 0 checks nothing

	// What games and openings draw by chance follows from these three and a number.
	Seed       uint64
	Generation uint64
	Stage      string // tag of the seeds, so that no two stages of a run play the same games; empty: the package's own

	Program string // version of the program, for config.json and the manifest
}

// Place says where games are played and kept. It does not change them.
type Place struct {
	Out         string          // folder of the run; empty: nothing is kept
	Resume      string          // command line that resumes the run
	Pinned      json.RawMessage // see durable.RunInfo
	Tolerance   Tolerance       // of games that fail
	Open        Opener
	Runner      Runner // nil: a Local with Open and Concurrency
	Concurrency int    // games at once; 0: one a core
	Progress    func(done, total int64, note string)
	Failed      func(*Result) // see Series
}

// Complete fills in what was left open and reports what cannot be played, as an error
// that wraps ErrConfig. Random openings are checked by the checker, unless Check names
// another player. It may be called again.
func (s *Setup) Complete(stage string, checker Player) error {
	if err := s.Limits.playable(); err != nil {
		return err
	}
	if s.Stage == "" {
		s.Stage = stage
	}
	if s.MaxPlies <= 0 {
		s.MaxPlies = DefaultMaxPlies
	}
	s.Check = s.Check.complete(s.Opening.Book != "", checker, s.Limits)
	if s.Runner == nil {
		s.Runner = &Local{Open: s.Open, Workers: s.Concurrency}
	}
	return nil
}

// playable reports limits that end no search, or that a data set cannot say.
func (l Limits) playable() error {
	if err := l.Validate(); err != nil {
		return fmt.Errorf("%w: %w", ErrConfig, err)
	}
	if l.Nodes > math.MaxUint32 {
		return fmt.Errorf("%w: %d nodes a move are more than a data set can store (%d)", ErrConfig, l.Nodes,
			uint32(math.MaxUint32))
	}
	return nil
}

// Openings opens the openings of a run that needs at most that many of them. An error
// about a book with fewer wraps ErrConfig and opening.ErrExhausted.
func (s *Rules) Openings(ctx context.Context, need uint64) (opening.Source, error) {
	source, err := s.Opening.Open(ctx, Seed(s.Seed, s.Generation, s.Stage+"/opening", 0))
	if err != nil {
		return nil, err
	}
	if n := source.Len(); n > 0 && need > n {
		return nil, fmt.Errorf("%w: %d openings are needed: %w: %s has %d", ErrConfig, need, opening.ErrExhausted,
			s.Opening.Book, n)
	}
	return source, nil
}

// Series returns a series of these openings, without games.
func (s *Setup) Series(openings Openings) Series {
	check := s.Check
	check.Seed = Seed(s.Seed, s.Generation, s.Stage+"/check", 0)
	return Series{Runner: s.Runner, Openings: openings, Check: check, Failed: s.Failed}
}

// Job returns the game with the number between two players, without its opening.
func (s *Rules) Job(number uint64, white, black Player) Job {
	return Job{
		Players: [2]engine.Spec{white.Spec, black.Spec},
		Options: [2][]engine.Option{white.Options, black.Options},
		Limits:  [2]Limits{s.Limits, s.Limits},
		Rule:    s.Rule,
		Plies:   s.MaxPlies,
		Seed:    Seed(s.Seed, s.Generation, s.Stage, number),
	}
}

// The types below are what config.json says of the Rules of a completed Setup. Each package embeds
// them among fields of its own, in an order that must stay: ids of games are computed
// from the JSON text.

// RulesIdentity is the part about limits and adjudication.
type RulesIdentity struct {
	Limits   Limits       `json:"limits"`
	Rule     Adjudication `json:"adjudication"`
	MaxPlies int          `json:"max_plies"`
}

// OpeningIdentity is the part about openings and their check.
type OpeningIdentity struct {
	Opening      opening.Description `json:"opening"`
	Checker      string              `json:"checker,omitempty"`
	OpeningNodes uint64              `json:"check_nodes,omitempty"`
	OpeningScore int                 `json:"opening_score,omitempty"`
}

// SeedIdentity is the part about seeds and the program.
type SeedIdentity struct {
	Seed       uint64 `json:"seed,string"`
	Generation uint64 `json:"generation"`
	Stage      string `json:"stage"`
	Program    string `json:"program"`
}

// Identity returns what config.json says of the rules with their openings.
func (s *Rules) Identity(openings opening.Source) (RulesIdentity, OpeningIdentity, SeedIdentity) {
	from := OpeningIdentity{Opening: openings.Describe()}
	if s.Check.MaxScore > 0 {
		from.Checker, from.OpeningNodes, from.OpeningScore = s.Check.Player.Identity(), s.Check.Nodes, s.Check.MaxScore
	}
	return RulesIdentity{s.Limits, s.Rule, s.MaxPlies}, from, SeedIdentity{s.Seed, s.Generation, s.Stage, s.Program}
}

// DefaultMaxOpeningScore is the score, in centipawns, above which an opening is too
// unbalanced to be played.
const DefaultMaxOpeningScore = 150

// maxCheckNodes is enough for a search that sees what eight random plies left en prise.
const maxCheckNodes = 20000

// Check says how candidates for openings are checked: a search of the position must
// return |score| <= MaxScore, or no score. In a Series a MaxScore of 0 or less accepts every
// candidate; in a Setup each zero field stands for its default.
type Check struct {
	Player   Player // who searches
	Nodes    uint64 // of the search; by default 4 times a move's, at most 20,000
	MaxScore int    // centipawns; by default DefaultMaxOpeningScore
	Seed     uint64 // set by Setup.Series
}

// complete fills in the defaults. Openings of a book are not checked: who chooses the
// book decides about balance.
func (c Check) complete(book bool, player Player, move Limits) Check {
	if book || c.MaxScore < 0 {
		return Check{MaxScore: -1}
	}
	if c.MaxScore == 0 {
		c.MaxScore = DefaultMaxOpeningScore
	}
	if c.Player.Spec.Name == "" {
		c.Player = player
	}
	if c.Nodes == 0 {
		c.Nodes = checkNodes(move)
	}
	return c
}

// checkNodes returns the nodes of the search that checks an opening, by default: 20,000,
// or four times a move's where that is less. A game of eighty plies then spends
// 5 % of its nodes on each check; at 1,000 nodes a move a check of 20,000 would take a
// quarter.
func checkNodes(move Limits) uint64 {
	if move.Nodes == 0 {
		return maxCheckNodes
	}
	return min(maxCheckNodes, 4*move.Nodes)
}

// Seed returns the seed of one piece of work: a chain of board.SplitMix64 over the run's
// seed, the generation, a tag for the stage and the number within it. Equal arguments
// give equal seeds on every machine; a stage of its own is enough for games that never
// replay another's.
func Seed(seed, generation uint64, stage string, number uint64) uint64 {
	h := board.SplitMix64(seed)
	h = board.SplitMix64(h ^ generation)
	h = board.SplitMix64(h ^ uint64(len(stage)))
	for i := range len(stage) {
		h = board.SplitMix64(h ^ uint64(stage[i]))
	}
	return board.SplitMix64(h ^ number)
}

// chance returns a number in [0, 1) that follows from the seed of a game and the tag of
// the decision.
func chance(seed uint64, tag string) float64 {
	return float64(Seed(seed, 0, tag, 0)>>11) / (1 << 53)
}
