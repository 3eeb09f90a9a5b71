// Package play tunes a player by games: it plays the iterations of tuner/spsa, keeps them,
// and plays a match between the answer and the start values.
//
// Each iteration is one or more pairs of games between the player with the values of Plus
// and the same player with Minus's, each pair from its own opening with colors
// reversed. The values are the player's options, set before each game: UCI options of an
// external engine, or weights and options of assay.
//
// As in a match, games are on disk before they count: the log of iterations follows from
// the journal of games. A killed run continues where the journal ends. With limits that do
// not depend on time it ends with the bytes of an uninterrupted run, for any number of
// workers.
//
// Start reading at Config and Run.
//
// No promise of stability.
package play

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/opening"
	"github.com/assay-chess/assay/tuner/spsa"
)

// Config has the parameters and the games. Random openings are checked by Player
// with its start values; Progress counts iterations.
type Config struct {
	selfplay.Setup // its Seed is SPSA's too

	Player     selfplay.Player
	SPSA       spsa.Config
	Pairs      int    // of games an iteration; 0: 1
	Validation uint64 // games between the answer and the start; 0: none

	ValidationProgress func(done, total int64, note string) // of its games
}

// identity is everything that decides the result, as config.json has it.
type identity struct {
	Player string `json:"player"`
	selfplay.RulesIdentity
	SPSA       spsa.Config `json:"spsa"`
	Pairs      int         `json:"pairs"`
	Validation uint64      `json:"validation_games"`
	selfplay.OpeningIdentity
	Program string `json:"program"`
}

// complete fills in what was left open, and reports what cannot be played. It relies on parameters that spsa.New took.
func (c *Config) complete() error {
	switch {
	case c.Out == "":
		return fmt.Errorf("%w: no folder to keep the run in", selfplay.ErrConfig)
	case c.Player.Spec.Name == "":
		return fmt.Errorf("%w: no player", selfplay.ErrConfig)
	case c.Pairs < 1 || c.Pairs > 10_000:
		return fmt.Errorf("%w: %d pairs an iteration: want 1 to 10000", selfplay.ErrConfig, c.Pairs)
	case c.Validation%2 != 0:
		return fmt.Errorf("%w: %d games of validation: pairs need an even number", selfplay.ErrConfig, c.Validation)
	}
	// The checker sets its values itself: a player keeps its last game's.
	return c.Setup.Complete("spsa", c.With(c.start()))
}

func (c *Config) need() uint64 { return uint64(c.SPSA.Iterations) * uint64(max(c.Pairs, 1)) }

// Warning says that the book, of that many lines, has too few for a validation by lines that were not tuned on; ""
// if it has enough.
func (c *Config) Warning(lines uint64) string {
	need := c.need() + c.Validation/2
	if c.Validation == 0 || c.Opening.Book == "" || c.Opening.Random || lines >= need {
		return ""
	}
	return fmt.Sprintf("the validation repeats lines that the iterations used: %s has %d lines, and the iterations need "+
		"%d and the validation %d; use a longer book", c.Opening.Book, lines, c.need(), c.Validation/2)
}

func (c *Config) identity(openings opening.Source) identity {
	id := identity{Player: c.Player.Identity(), SPSA: c.SPSA, Pairs: c.Pairs, Validation: c.Validation, Program: c.Program}
	id.RulesIdentity, id.OpeningIdentity, _ = c.Setup.Identity(openings)
	return id
}

func (c *Config) start() []float64 {
	values := make([]float64, len(c.SPSA.Parameters))
	for i := range values {
		values[i] = c.SPSA.Parameters[i].Start
	}
	return values
}

// With returns the player with values, rounded for integer parameters.
func (c *Config) With(values []float64) selfplay.Player {
	e := c.Player
	e.Options = c.options(values)
	var text []string
	for _, o := range e.Options {
		text = append(text, o.Name+"="+o.Value)
	}
	set := " " + strings.Join(text, " ")
	e.ID, e.Name = c.Player.Identity()+set, c.Player.Label()+set
	return e
}

// options returns values as options of the player.
func (c *Config) options(values []float64) []engine.Option {
	options := append([]engine.Option(nil), c.Player.Options...)
	for i := range c.SPSA.Parameters {
		p := &c.SPSA.Parameters[i]
		options = append(options, engine.Option{Name: p.Name, Value: Text(p, values[i])})
	}
	return options
}

// Text returns a parameter's value as the text of an option: an integer if required, else
// with digits down to a thousandth of its c_end.
func Text(p *spsa.Parameter, value float64) string {
	if p.Integer {
		return strconv.FormatFloat(math.Round(value), 'f', 0, 64)
	}
	digits := max(0, int(math.Ceil(3-math.Log10(p.CEnd))))
	return strconv.FormatFloat(value, 'f', digits, 64)
}

// DefaultAhead is how many iterations of assay spsa are under way at once, if CONFIG has no other number.
const DefaultAhead = 4

// FileParameter is one of the values to be tuned, as a file has it.
type FileParameter struct {
	Name  string   `json:"name"`
	Type  string   `json:"type,omitempty"`
	Start *float64 `json:"start"`
	Min   *float64 `json:"min"`
	Max   *float64 `json:"max"`
	CEnd  float64  `json:"c_end,omitempty"`
	REnd  float64  `json:"r_end,omitempty"`
}

// Parameters returns the values that a run of that many pairs of games tunes, with the default c_end and
// r_end of those that have none. Errors name the parameter.
func Parameters(list []FileParameter, pairs int) ([]spsa.Parameter, error) {
	var all []spsa.Parameter
	for i := range list {
		p, err := list[i].parameter()
		if err != nil {
			return nil, fmt.Errorf("parameter %d, %q: %w", i+1, list[i].Name, err)
		}
		if p.REnd == 0 {
			p.REnd = spsa.DefaultREnd(pairs, len(list))
		}
		all = append(all, p)
	}
	return all, nil
}

func (p *FileParameter) parameter() (spsa.Parameter, error) {
	if p.Start == nil || p.Min == nil || p.Max == nil {
		return spsa.Parameter{}, errors.New("start, min and max are required")
	}
	q := spsa.Parameter{Name: p.Name, Start: *p.Start, Min: *p.Min, Max: *p.Max, CEnd: p.CEnd, REnd: p.REnd, Integer: true}
	switch p.Type {
	case "", "int":
	case "float":
		q.Integer = false
	default:
		return q, fmt.Errorf("type = %q: want int or float", p.Type)
	}
	if q.CEnd == 0 {
		q.CEnd = (q.Max - q.Min) / spsa.CEndsInRange
		if q.Integer {
			q.CEnd = max(q.CEnd, 0.5)
		}
	}
	return q, nil
}

// Run tunes to the end and returns the result. It continues where an earlier call stopped,
// and returns the result of a complete run without playing. After an error the run can be
// resumed; if Out has another configuration, the error is a *durable.ConfigChangedError.
func Run(ctx context.Context, c Config) (*Result, error) {
	c.Pairs = cmp.Or(c.Pairs, 1)
	c.SPSA.Ahead, c.SPSA.Seed = max(c.SPSA.Ahead, 1), c.Seed
	tuner, err := spsa.New(c.SPSA)
	if err != nil {
		return nil, err
	}
	if err := c.complete(); err != nil {
		return nil, fmt.Errorf("spsa: %w", err)
	}
	openings, err := c.Setup.Openings(ctx, max(c.need(), c.Validation/2))
	if err != nil {
		return nil, fmt.Errorf("spsa: %w", err)
	}
	s := &session{Config: c, openings: openings, tuner: tuner}
	s.result = Result{Player: c.Player.Label(), PlayerID: c.Player.Identity(), Limits: c.Limits.Text()}
	s.pairs = gamelog.Pairs{Name: "spsa", Fresh: openings.Len() == 0,
		Over:  func() bool { return s.pairs.Counted() >= s.need() },
		Count: s.count, After: s.progress,
		Guard: gamelog.Guard{Tolerance: c.Tolerance, Slots: c.Runner.Parallel(), Names: []string{c.Player.Label()}}}
	r, err := gamelog.PlayRun(ctx, &s.pairs, gamelog.Run[Result]{Setup: &s.Setup,
		Try: []selfplay.Player{c.With(c.start())}, Players: []*selfplay.Player{&s.Player},
		Identity: c.identity(openings), Sides: s.sides, Begin: s.begin, Play: s.tune,
		Reload: func(run *durable.Run, r *Result) error {
			r.Process, r.Limits = gamelog.Before(run), s.result.Limits
			return nil
		}})
	if changed := new(durable.ConfigChangedError); errors.As(err, &changed) && changed.Field == "spsa.iterations" {
		err = fmt.Errorf("%w: the size of each step depends on the number of iterations, so a run cannot get more", err)
	}
	return r, err
}

type session struct {
	Config
	openings opening.Source
	tuner    *spsa.Tuner
	pairs    gamelog.Pairs
	log      *os.File
	results  []int8 // of the next iteration's games, so far
	result   Result
}

// begin opens the log, which is made again from the journal.
func (s *session) begin(run *durable.Run) (err error) {
	s.result.Player = s.Player.Label()
	if s.log, err = os.Create(run.Path(LogName)); err != nil {
		return fmt.Errorf("spsa: %w", err)
	}
	return nil
}

func (s *session) tune(ctx context.Context) (*Result, error) {
	defer s.log.Close() // what counts is synced
	if err := s.pairs.Play(ctx, s.series()); err != nil {
		return s.noVerdict(err), err
	}
	s.note(&s.result)
	s.result.Parameters = s.tuner.Estimates()
	if err := s.log.Sync(); err != nil {
		return nil, fmt.Errorf("spsa: %w", err)
	}
	if err := s.pairs.Finish(&s.result); err != nil {
		return nil, err
	}
	s.result.Build = durable.BuildTarget() // after the manifest of the games, whose id is the same for every build
	if err := s.validateAnswer(ctx, filepath.Join(s.Out, ValidationName)); err != nil {
		return s.noVerdict(err), err
	}
	s.result.Process = s.pairs.Process()
	return &s.result, nil
}

// noVerdict returns the result of a run that an error ended: without parameters if the error is
// that too many games failed, else nil.
func (s *session) noVerdict(err error) *Result {
	if !errors.Is(err, selfplay.ErrNoVerdict) {
		return nil
	}
	r := s.result
	r.Verdict, r.Reason, r.Build = gamelog.NoVerdict, s.pairs.Guard.Reason(), durable.BuildTarget()
	if r.Reason == "" {
		r.Reason = "validation: " + r.Validation.Reason
	}
	r.Parameters = []spsa.Estimate{}
	s.note(&r)
	return &r
}

// note notes in a result how the games went.
func (s *session) note(r *Result) {
	g := &s.pairs.Guard
	n := &g.Tally
	r.Games, r.Draws, r.Plies, r.Ended, r.Forfeits = n.Games(), n.Results[1], n.Plies, n.Terminations, n.Player(0).Forfeits
	r.Iterations, r.VoidPairs, r.Process = s.tuner.Completed(), n.Void, s.pairs.Process()
	r.Stalled, r.Warnings = n.Stalled, g.Warnings(s.Limits, s.Player)
	if w := s.Warning(s.openings.Len()); w != "" {
		r.Warnings = append(r.Warnings, w)
	}
}

// iteration returns the iteration, from 1, that a pair belongs to.
func (s *session) iteration(pair uint64) int { return int(pair/uint64(s.Pairs)) + 1 }

func (s *session) series() selfplay.Series {
	series := s.Setup.Series(s.openings)
	series.Job = s.job
	series.Hold = func(pair uint64) bool { return !s.tuner.Ready(s.iteration(pair)) }
	series.End = s.need()
	return series
}

// job is a game between the two sides of an iteration: plus has White in the first
// game of each pair.
func (s *session) job(number uint64) selfplay.Job {
	job := s.Setup.Job(number, s.Player, s.Player)
	t, err := s.tuner.Ask(s.iteration(number / 2))
	if err != nil {
		panic(err) // Hold lets no game through whose iteration is not ready
	}
	plus, minus := s.options(t.Plus), s.options(t.Minus)
	job.Options = [2][]engine.Option{plus, minus}
	if number%2 == 1 {
		job.Options = [2][]engine.Option{minus, plus}
	}
	return job
}

// sides names the sides of a game. It is the same for a game that is replayed.
func (s *session) sides(game uint64) [2]selfplay.Player {
	k := s.iteration(game / 2)
	var sides [2]selfplay.Player
	for i := range sides {
		name := fmt.Sprintf(" iteration %d %c", k, "+-"[i])
		sides[i] = selfplay.Player{ID: s.Player.Identity() + name, Name: s.Player.Label() + name}
	}
	plus := plusSide(game)
	return [2]selfplay.Player{sides[plus], sides[1-plus]}
}

// plusSide returns the color of Plus in a game.
func plusSide(number uint64) board.Color { return board.Color(number % 2) }

// count counts a pair; the last of an iteration moves the values.
func (s *session) count(pair []selfplay.Result) error {
	for i := range pair {
		points := int8(pair[i].Result)
		if plusSide(pair[i].Number) == board.Black {
			points = -points
		}
		s.results = append(s.results, points)
	}
	counted := s.pairs.Counted()
	if counted%uint64(s.Pairs) != 0 {
		return nil
	}
	return s.tell(s.iteration(counted - 1))
}

// tell ends an iteration.
func (s *session) tell(k int) error {
	t, err := s.tuner.Ask(k)
	if err != nil {
		return err
	}
	sum := 0
	for _, r := range s.results {
		sum += int(r)
	}
	if err := s.tuner.Tell(k, float64(sum), len(s.results)); err != nil {
		return err
	}
	line, err := json.Marshal(Iteration{Iteration: k, Flips: t.Flips, Plus: t.Plus, Minus: t.Minus, Results: s.results,
		Values: s.tuner.Values()})
	if err != nil {
		return err
	}
	s.results = nil
	if _, err := s.log.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("spsa: %w", err) // which names the file
	}
	return nil
}

func (s *session) progress() {
	var note []string
	for i, v := range s.tuner.Values() {
		if i == 6 {
			note = append(note, "...")
			break
		}
		note = append(note, fmt.Sprintf("%s %.4g", s.SPSA.Parameters[i].Name, v))
	}
	s.Progress(int64(s.tuner.Completed()), int64(s.SPSA.Iterations), strings.Join(note, "  "))
}

// validateAnswer plays the match at the end.
func (s *session) validateAnswer(ctx context.Context, out string) error {
	if s.Validation == 0 {
		return nil
	}
	start, answer := make([]float64, len(s.result.Parameters)), make([]float64, len(s.result.Parameters))
	for i, e := range s.result.Parameters {
		start[i], answer[i] = e.Start, e.Value
	}
	c := match.Config{Setup: s.Setup, A: s.With(answer), B: s.With(start), Games: s.Validation}
	c.Out, c.Stage, c.Opening, c.Progress = out, s.Stage+"/validation", s.validationOpenings(), s.ValidationProgress
	r, err := match.Run(ctx, c)
	s.result.Validation = r
	return err
}

// validationOpenings are unused ones of the book, or random ones of
// another seed.
func (s *session) validationOpenings() opening.Spec {
	spec := s.Opening
	if spec.Book != "" && !spec.Random && s.Warning(s.openings.Len()) == "" {
		spec.Skip += int(s.need())
	}
	return spec
}

// Names of files in a run's folder, beside its games and the files of every run.
const (
	LogName        = "iterations.jsonl" // an Iteration each line, in order
	ValidationName = "validation"       // folder of the match at the end
)

// Iteration is one line of the log: all that is needed to compute the run again, or to
// plot it.
type Iteration struct {
	Iteration int       `json:"iteration"`
	Flips     []int8    `json:"flips"`
	Plus      []float64 `json:"plus"`    // values of one side ...
	Minus     []float64 `json:"minus"`   // ... and of the other
	Results   []int8    `json:"results"` // of the games in order of number, plus's view: 1, 0, -1
	Values    []float64 `json:"values"`  // after the iteration
}

// Result is the result of a run.
type Result struct {
	// Verdict is gamelog.NoVerdict if too many games failed, else empty. Then Reason says why,
	// and there are no parameters.
	Verdict string `json:"verdict,omitempty"`
	Reason  string `json:"reason,omitempty"`

	Player     string           `json:"player"`    // name for people
	PlayerID   string           `json:"player_id"` // name in data
	Limits     string           `json:"limits"`    // of each move, in words: other limits have other optima
	Build      string           `json:"build"`     // see durable.BuildTarget
	Parameters []spsa.Estimate  `json:"parameters"`
	Iterations int              `json:"iterations"`
	Games      int64            `json:"games"`
	Draws      int64            `json:"draws"`
	Plies      int64            `json:"plies"`                // searched
	Forfeits   int64            `json:"forfeits"`             // games that a side lost by its own fault
	VoidPairs  int64            `json:"void_pairs,omitempty"` // played again, because one of their games was void
	Stalled    int64            `json:"stalled_games,omitempty"`
	Warnings   []string         `json:"warnings,omitempty"`
	Ended      map[string]int64 `json:"terminations"`

	// Validation is the match of the answer against the start, in the answer's view:
	// games that took no part in finding it. Null if none was asked for.
	Validation *match.Result `json:"validation"`

	gamelog.Process
}
