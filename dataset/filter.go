package dataset

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/assay-chess/assay/engine/board"
)

// How Filter.Resolve treats positions whose evaluation is about to change by a
// capture: the material on the board is not what the result was about.
const (
	ResolveLeaf = "qsearch" // take the leaf of the quiescence search in its place
	ResolveDrop = "drop"    // leave it out; this hides every threat the mover can execute
	ResolveKeep = "keep"    // take it as it is
)

// Resolve returns the leaf of a position's quiescence search, the leaf's score in
// centipawns from White's view, and whether the leaf is another position.
type Resolve func(p *board.Position) (leaf board.Position, score int, changed bool)

// Filter says which positions of a game become rows. All of it stands in the
// manifest.
type Filter struct {
	Resolve        string `json:"resolve"`         // ResolveLeaf, ResolveDrop or ResolveKeep
	Evaluation     string `json:"evaluation"`      // id of the weights that resolve; empty for ResolveKeep
	MaxScore       int    `json:"max_score"`       // drop |score| above it, centipawns; 0: only mates
	SkipPlies      int    `json:"skip_plies"`      // drop so many plies behind the opening
	MaxPerGame     int    `json:"max_per_game"`    // take so many of a game, by chance; 0: all
	KeepDuplicates bool   `json:"keep_duplicates"` // else only the first position of equals is kept
	Seed           uint64 `json:"seed,string"`     // of MaxPerGame's chance
	NeedScore      bool   `json:"need_score"`      // drop positions that were not searched
	FewestMen      int    `json:"fewest_men"`      // drop positions with fewer men, kings included; 0: none
}

// DefaultFilter is what a tuner wants of self-play.
func DefaultFilter() Filter { return Filter{Resolve: ResolveLeaf, MaxScore: 3000} }

// Counts says what became of the positions of games. Positions is the sum of all
// that follow but Replaced, which is part of Kept.
type Counts struct {
	Games      int64 `json:"games"`
	Positions  int64 `json:"positions"`   // before each move; the last position of a game has no label of its own
	Opening    int64 `json:"opening"`     // dropped: not searched, not chosen by the players
	Early      int64 `json:"early"`       // dropped: Filter.SkipPlies
	InCheck    int64 `json:"in_check"`    // dropped
	Unscored   int64 `json:"unscored"`    // dropped: Filter.NeedScore
	MateScore  int64 `json:"mate_score"`  // dropped: the search saw a mate
	LargeScore int64 `json:"large_score"` // dropped: Filter.MaxScore
	FewMen     int64 `json:"few_men"`     // dropped: Filter.FewestMen
	NotSampled int64 `json:"not_sampled"` // dropped: Filter.MaxPerGame
	Noisy      int64 `json:"noisy"`       // dropped: ResolveDrop
	BadLeaf    int64 `json:"bad_leaf"`    // dropped: the leaf is in check or mate
	Duplicate  int64 `json:"duplicate"`   // dropped: the position was there before
	Kept       int64 `json:"kept"`
	Replaced   int64 `json:"replaced"` // of Kept: by the leaf of the quiescence search
}

func (c *Counts) add(o *Counts) {
	mine, other := c.list(), o.list()
	for i, n := range mine {
		*n += *other[i]
	}
}

func (c *Counts) list() []*int64 {
	return []*int64{&c.Games, &c.Positions, &c.Opening, &c.Early, &c.InCheck, &c.Unscored, &c.MateScore, &c.LargeScore,
		&c.FewMen, &c.NotSampled, &c.Noisy, &c.BadLeaf, &c.Duplicate, &c.Kept, &c.Replaced}
}

// Check tells what is wrong with the filter.
func (f *Filter) Check() error {
	switch {
	case f.Resolve != ResolveLeaf && f.Resolve != ResolveDrop && f.Resolve != ResolveKeep:
		return fmt.Errorf("dataset: resolve %q is not %s, %s or %s", f.Resolve, ResolveLeaf, ResolveDrop, ResolveKeep)
	case f.MaxScore < 0 || f.SkipPlies < 0 || f.MaxPerGame < 0 || f.FewestMen < 0:
		return errors.New("dataset: a limit of a filter is negative")
	}
	return nil
}

// candidate is a row that stays unless it is a duplicate.
type candidate struct {
	PositionRow
	replaced bool // by the leaf of its quiescence search
}

// candidates returns the rows that a game gives before duplicates are looked for.
// The game has passed its Check.
func (f *Filter) candidates(g *GameRow, resolve Resolve, counts *Counts) []candidate {
	counts.Games++
	counts.Positions += int64(len(g.Moves))
	var rows []PositionRow
	for i, game := range g.Replay() {
		if i == len(g.Moves) {
			break
		}
		p := game.Position()
		if n := f.refuse(g, i, p, counts); n != nil {
			*n++
			continue
		}
		rows = append(rows, PositionRow{Board: *p, Score: g.Scores[i], Result: ResultOf(g.Result),
			Game: g.Game, Opening: g.Opening, Weight: 1})
	}
	rows = f.sample(g, rows, counts)
	kept := make([]candidate, 0, len(rows))
	for _, r := range rows {
		replaced, n := f.settle(&r, resolve, counts)
		if n != nil {
			*n++
			continue
		}
		r.Ply = uint16(r.Board.Ply())
		kept = append(kept, candidate{r, replaced})
	}
	return kept
}

// refuse returns the count to raise if the position before move i is dropped.
func (f *Filter) refuse(g *GameRow, i int, p *board.Position, c *Counts) *int64 {
	score := g.Scores[i]
	switch {
	case i < int(g.OpeningPlies):
		return &c.Opening
	case i < int(g.OpeningPlies)+f.SkipPlies:
		return &c.Early
	case p.InCheck():
		return &c.InCheck
	case score == NoScore && f.NeedScore:
		return &c.Unscored
	case score != NoScore && (score > MaxScore || score < -MaxScore):
		return &c.MateScore
	case score != NoScore && f.MaxScore > 0 && (int(score) > f.MaxScore || int(score) < -f.MaxScore):
		return &c.LargeScore
	case p.Occupied().Count() < f.FewestMen:
		return &c.FewMen
	}
	return nil
}

// sample takes MaxPerGame rows by a chance that depends on the seed and the game
// alone, and keeps their order.
func (f *Filter) sample(g *GameRow, rows []PositionRow, c *Counts) []PositionRow {
	if f.MaxPerGame == 0 || len(rows) <= f.MaxPerGame {
		return rows
	}
	c.NotSampled += int64(len(rows) - f.MaxPerGame)
	rng := rand.New(rand.NewPCG(f.Seed, g.Game))
	chosen := rng.Perm(len(rows))[:f.MaxPerGame]
	slices.Sort(chosen)
	for to, from := range chosen {
		rows[to] = rows[from]
	}
	return rows[:f.MaxPerGame]
}

// settle makes the row's position a quiet one, or returns the count to raise if the
// row is dropped. The score stays that of the search of the position in the game.
func (f *Filter) settle(r *PositionRow, resolve Resolve, c *Counts) (replaced bool, dropped *int64) {
	if f.Resolve == ResolveKeep {
		return false, nil
	}
	leaf, score, changed := resolve(&r.Board)
	switch {
	case !changed:
		return false, nil
	case f.Resolve == ResolveDrop:
		return false, &c.Noisy
	case leaf.InCheck() || score > MaxScore || score < -MaxScore:
		return false, &c.BadLeaf
	}
	r.Board = leaf
	return true, nil
}
