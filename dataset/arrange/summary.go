package arrange

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/internal/dedup"
	"github.com/assay-chess/assay/eval"
)

// Summary is the statistics of a data set.
type Summary struct {
	Path     string `json:"path"`
	Format   string `json:"format"`
	ID       string `json:"id"`       // identifies the data; see dataset.Reader.ID
	Verified bool   `json:"verified"` // false without a manifest
	Complete bool   `json:"complete"` // false if more rows were to be written
	Shards   int    `json:"shards"`
	Bytes    int64  `json:"bytes"`

	Rows          int64 `json:"rows"`
	Games         int64 `json:"games"`                    // 0 if rows name no game and are not in game order
	GamesInferred bool  `json:"games_inferred,omitempty"` // no game is named; see dataset.GameRuns
	Duplicates    int64 `json:"duplicates"`               // rows with four FEN fields, or moves, of an earlier one
	Openings      int64 `json:"openings"`                 // distinct ones

	Results      results          `json:"results"`
	Plies        spread           `json:"plies"`                  // length of a game; ply of a position
	Phases       *[25]int64       `json:"phases,omitempty"`       // positions by phase; 24 is the middlegame
	Scores       []scoreBin       `json:"scores"`                 // without mates and missing scores
	Mates        int64            `json:"mates"`                  // scores that are mates
	Unscored     int64            `json:"unscored"`               // in games: without openings
	Terminations map[string]int64 `json:"terminations,omitempty"` // of games
	Terms        int              `json:"terms,omitempty"`        // of features

	// Forfeits counts games that ended by a forfeit: in a data set of games, or as a
	// data set of positions was made from, by its report. Kept says that they are labels in it.
	Forfeits  dataset.Forfeits `json:"forfeits,omitzero"`
	Kept      bool             `json:"forfeits_kept,omitempty"`
	RuleDraws int64            `json:"rule_draws,omitempty"` // dataset.PositionRow.DrawByRule

	Views *dataset.ViewFault `json:"view_fault,omitempty"` // a fault of the scores, if there is one
}

// results counts rows by the result of their game, White's view.
type results struct {
	White int64   `json:"white"`
	Draw  int64   `json:"draw"`
	Black int64   `json:"black"`
	Other int64   `json:"other,omitempty"` // results other than 1, 0.5 and 0
	Mean  float64 `json:"mean"`            // average result: 1 if White won all
}

// spread describes a list of numbers.
type spread struct {
	Min  int64   `json:"min"`
	Mean float64 `json:"mean"`
	Max  int64   `json:"max"`
	Sum  int64   `json:"sum"`
}

// scoreBin counts scores from From up to but not including To, in centipawns.
type scoreBin struct {
	From int   `json:"from"`
	To   int   `json:"to"`
	N    int64 `json:"n"`
}

var binEdges = []int{-dataset.MaxScore, -1600, -800, -400, -200, -100, -50, -25,
	0, 25, 50, 100, 200, 400, 800, 1600, dataset.MaxScore + 1}

// Summarize reads a whole data set. Of an incomplete data set, it counts the rows that
// exist. Any damage is an error.
func Summarize(ctx context.Context, path string, progress dataset.Progress) (*Summary, error) {
	format, err := dataset.Detect(path)
	if err != nil {
		return nil, err
	}
	c := &counter{s: Summary{Path: path, Format: format}}
	defer c.rows.Close()
	for i := range len(binEdges) - 1 {
		c.s.Scores = append(c.s.Scores, scoreBin{From: binEdges[i], To: binEdges[i+1]})
	}
	switch format {
	case dataset.GamesFormat:
		err = summarize(ctx, c, path, dataset.OpenGames, progress, c.game)
	case dataset.PositionsFormat:
		c.s.Phases = new([25]int64)
		err = summarize(ctx, c, path, dataset.OpenPositions, progress, c.position)
	default:
		open := func(path string, opts ...dataset.OpenOption) (*dataset.Reader[dataset.FeatureRow], error) {
			r, set, err := dataset.OpenFeatures(path, opts...)
			c.s.Terms, c.unit = len(set.Terms), set.Unit
			return r, err
		}
		err = summarize(ctx, c, path, open, progress, c.feature)
	}
	if err == nil {
		err = c.finish(ctx)
	}
	if err != nil {
		return nil, err
	}
	return &c.s, nil
}

func summarize[R any](ctx context.Context, c *counter, path string, open opener[R], progress dataset.Progress,
	count func(*R)) error {
	r, err := open(path, dataset.Partial)
	if err != nil {
		return err
	}
	c.s.Verified, c.s.Shards = r.Verified(), r.Shards()
	c.s.Complete = r.Manifest() == nil || r.Manifest().Complete
	if m := r.Manifest(); m != nil && len(m.Report) > 0 {
		var report struct { // of positions.Counts
			Dropped  int64            `json:"forfeit"`
			Forfeits dataset.Forfeits `json:"forfeit_games"`
		}
		if json.Unmarshal(m.Report, &report) == nil {
			c.s.Forfeits, c.s.Kept = report.Forfeits, report.Dropped == 0 && report.Forfeits.Games() > 0
		}
	}
	if c.s.ID, err = r.ID(); err != nil {
		return err
	}
	if c.s.Bytes, err = r.Size(); err != nil {
		return err
	}
	return dataset.Each(ctx, r, progress, "", func(row *R) error {
		c.s.Rows++
		count(row)
		return c.err
	})
}

// counter counts the rows for a Summary.
type counter struct {
	s        Summary
	rows     dedup.Finder // finds duplicates
	games    dedup.KeySet
	openings dedup.KeySet
	sum      float64          // of results
	runs     dataset.GameRuns // used if no game is named
	err      error            // of a disk operation
	views    dataset.Views
	unit     float64 // of features
}

func (c *counter) game(g *dataset.GameRow) {
	c.games.Add(g.Game)
	c.openings.Add(g.Opening)
	c.result(dataset.ResultOf(g.Result))
	c.ply(int64(len(g.Moves)))
	for i, s := range g.Scores {
		if i >= int(g.OpeningPlies) || s != dataset.NoScore { // the opening was not searched
			c.score(s)
		}
	}
	c.views.Game(g)
	if c.s.Terminations == nil {
		c.s.Terminations = map[string]int64{}
	}
	c.s.Terminations[g.Termination]++
	c.s.Forfeits.Add(dataset.Forfeit(g.Termination), 1)
	c.duplicate(dedup.GameKey(g.Start, g.Moves))
}

func (c *counter) position(p *dataset.PositionRow) {
	c.label(p.Game, p.Opening, p.Result, p.Score)
	c.ply(int64(p.Ply))
	if p.DrawByRule() {
		c.s.RuleDraws++
	}
	c.runs.Next(p)
	c.views.Position(p)
	c.s.Phases[eval.Phase(&p.Board)]++
	c.duplicate(p.Board.Key())
}

func (c *counter) feature(f *dataset.FeatureRow) {
	c.label(f.Game, f.Opening, f.Result, f.Score)
	c.views.Feature(f, c.unit)
}

func (c *counter) label(game, opening uint64, result float32, score int16) {
	if game != 0 {
		c.games.Add(game)
	}
	if opening != 0 {
		c.openings.Add(opening)
	}
	c.result(result)
	c.score(score)
}

func (c *counter) duplicate(key uint64) {
	answer, err := c.rows.Add(key, c.s.Rows)
	if answer == dedup.Repeated {
		c.s.Duplicates++
	}
	if err != nil && c.err == nil {
		c.err = fmt.Errorf("dataset: %w", err)
	}
}

func (c *counter) result(r float32) {
	c.sum += float64(r)
	switch r {
	case 1:
		c.s.Results.White++
	case 0.5:
		c.s.Results.Draw++
	case 0:
		c.s.Results.Black++
	default:
		c.s.Results.Other++
	}
}

func (c *counter) ply(n int64) {
	r := &c.s.Plies
	if c.s.Rows == 1 {
		r.Min = n
	}
	r.Min, r.Max, r.Sum = min(r.Min, n), max(r.Max, n), r.Sum+n
}

func (c *counter) score(s int16) {
	switch {
	case s == dataset.NoScore:
		c.s.Unscored++
		return
	case s > dataset.MaxScore || s < -dataset.MaxScore:
		c.s.Mates++
		return
	}
	for i := range c.s.Scores {
		if int(s) < c.s.Scores[i].To {
			c.s.Scores[i].N++
			return
		}
	}
}

func (c *counter) finish(ctx context.Context) (err error) {
	s := &c.s
	n, err := c.rows.Finish(ctx, nil)
	if err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	s.Duplicates += n
	s.Games, s.Openings = int64(c.games.Len()), int64(c.openings.Len())
	if s.Games == 0 && c.runs.Plausible(s.Rows) {
		s.Games, s.GamesInferred = c.runs.Games, true
	}
	if n := float64(s.Rows); n > 0 {
		s.Results.Mean, s.Plies.Mean = c.sum/n, float64(s.Plies.Sum)/n
	}
	s.Views = c.views.Fault()
	return nil
}

// Tally is the statistics of games that are counted one by one, for instance of a run that
// is not finished. Beside the sets of different openings and games it needs one byte a game,
// for the result. NewTally makes one.
type Tally struct {
	Games, Plies      int64 // Plies without openings
	White, Draw, Lost int64 // games that White won, drew, lost
	Terminations      map[string]int64
	Phases            [25]int64
	Lengths           []int64              // games by plies, in tens
	Repeated          int64                // games equal to an earlier one
	Standings         map[string]*Standing // by player, the first 500

	results  []int8 // by number; unknown if the game is not finished
	openings map[uint64]int64
	lines    dedup.KeySet // games, by all their moves
	keys     keySample
}

// Standing is the score of one player.
type Standing struct {
	Name              string
	Games, Won, Drawn int64
}

const (
	unknown      = 127
	maxStandings = 500
)

// NewTally returns a tally without games.
func NewTally() *Tally {
	return &Tally{Terminations: map[string]int64{}, openings: map[uint64]int64{},
		keys: keySample{seen: map[uint64]struct{}{}}, Standings: map[string]*Standing{}}
}

// Add counts the game with a number.
func (t *Tally) Add(number uint64, g *dataset.GameRow) {
	t.Games++
	t.Plies += int64(len(g.Moves) - int(g.OpeningPlies))
	switch g.Result {
	case 1:
		t.White++
	case 0:
		t.Draw++
	default:
		t.Lost++
	}
	t.Terminations[g.Termination]++
	t.openings[g.Opening]++
	for len(t.Lengths) <= len(g.Moves)/10 {
		t.Lengths = append(t.Lengths, 0)
	}
	t.Lengths[len(g.Moves)/10]++
	t.setResult(number, g.Result)
	t.countPlayer(g.White, g.Result)
	t.countPlayer(g.Black, -g.Result)

	if !t.lines.Add(dedup.GameKey(g.Start, g.Moves)) {
		t.Repeated++
	}
	for ply, game := range g.Replay() {
		if ply >= int(g.OpeningPlies) && ply < len(g.Moves) {
			p := game.Position()
			t.Phases[eval.Phase(p)]++
			t.keys.add(p.Key())
		}
	}
}

// setResult stores the result of a game under its number.
func (t *Tally) setResult(number uint64, result int8) {
	if number > 1<<28 {
		return
	}
	for uint64(len(t.results)) <= number {
		t.results = append(t.results, unknown)
	}
	t.results[number] = result
}

func (t *Tally) countPlayer(name string, result int8) {
	s := t.Standings[name]
	if s == nil {
		if len(t.Standings) >= maxStandings {
			return
		}
		s = &Standing{Name: name}
		t.Standings[name] = s
	}
	s.Games++
	switch result {
	case 1:
		s.Won++
	case 0:
		s.Drawn++
	}
}

// Pairs returns the results of the pairs in order, up to the first pair that is not
// finished: games 0 and 1, 2 and 3, and so on. The view is the player's who has White
// in a pair's first game.
func (t *Tally) Pairs() (list [][2]int) {
	for i := 0; i+1 < len(t.results); i += 2 {
		if t.results[i] == unknown || t.results[i+1] == unknown {
			break
		}
		list = append(list, [2]int{int(t.results[i]), -int(t.results[i+1])})
	}
	return list
}

// Openings returns the number of different openings, how often the most common one was
// played, and the number of equally common openings with the same entropy.
func (t *Tally) Openings() (different int, most int64, effective float64) {
	h := 0.0
	for _, n := range t.openings {
		p := float64(n) / float64(t.Games)
		h -= p * math.Log(p)
		most = max(most, n)
	}
	return len(t.openings), most, math.Exp(h)
}

// RepeatedPositions returns the share of positions that occurred before, and the rate of the
// sample by key that it was estimated from: 1 if it counts all keys, n if it counts one key in n.
func (t *Tally) RepeatedPositions() (share float64, rate uint64) {
	return t.keys.repeated(), t.keys.mask + 1
}

// keySample estimates the share of repeated keys in bounded memory. It keeps the keys whose
// lowest bits are zero, and when these become too many it requires one more zero bit.
type keySample struct {
	mask   uint64
	seen   map[uint64]struct{}
	sample int64 // positions whose key passes the mask
}

const mostKeys = 1 << 19

func (k *keySample) add(key uint64) {
	if key&k.mask != 0 {
		return
	}
	k.sample++
	k.seen[key] = struct{}{}
	if len(k.seen) <= mostKeys {
		return
	}
	before := len(k.seen)
	k.mask = k.mask<<1 | 1
	for key := range k.seen {
		if key&k.mask != 0 {
			delete(k.seen, key)
		}
	}
	k.sample = int64(math.Round(float64(k.sample) * float64(len(k.seen)) / float64(before)))
}

// repeated returns the share of positions that occurred before.
func (k *keySample) repeated() float64 {
	if k.sample == 0 {
		return 0
	}
	return 1 - float64(len(k.seen))/float64(k.sample)
}
