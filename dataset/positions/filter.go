// Package positions makes data sets of positions: from games (Extract) or from other
// positions (Refine).
//
// A Filter decides which positions become rows. Positions in check, with mate scores or
// with a capture pending say little about the result of a game: they are dropped, or
// replaced by the leaf of their quiescence search. Positions that occurred before are
// dropped, a sample can be taken of the rest, and a search can give them new scores. Endgame
// tables can correct results (Filter.Tables). Counts says how many positions each step dropped; it is the manifest's
// report.
//
// The work is done on all cores, the rows do not depend on how many there are, and an
// interrupted data set is resumed.
//
// No promise of stability.
//
// Start reading at Extract and Filter.
package positions

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/syzygy"
)

// Values of Filter.Resolve: how to treat noisy positions, whose evaluation a pending
// capture is about to change. Their material does not match the result.
const (
	ResolveLeaf = "qsearch" // replace the position by the leaf of its quiescence search
	ResolveDrop = "drop"    // drop it; this hides every threat that the side to move can execute
	ResolveKeep = "keep"    // keep it unchanged
)

// A resolver runs the quiescence search of a position.
type resolver func(p *board.Position) resolved

// resolved is what a quiescence search found. Scores are centipawns, White's view.
type resolved struct {
	Leaf    board.Position // at the end of the principal variation
	Score   int            // of the leaf
	Noise   int            // by how much the score differs from the evaluation of the position, at least 0
	Changed bool           // the leaf is another position
}

// Filter decides which positions become rows. It is part of the manifest, as Counts is:
// their JSON keys must not change, because the id of a data set is a hash of its manifest.
// This is why fewest_men and few_men keep these names.
type Filter struct {
	Resolve        string `json:"resolve"`         // ResolveLeaf, ResolveDrop or ResolveKeep
	Evaluation     string `json:"evaluation"`      // id of the weights of the quiescence search; empty for ResolveKeep
	MaxScore       int    `json:"max_score"`       // drop larger |score|, centipawns; 0: drop only mates
	SkipPlies      int    `json:"skip_plies"`      // drop this many plies after the opening
	MaxPerGame     int    `json:"max_per_game"`    // take at most this many positions of a game, at random; 0: all
	KeepDuplicates bool   `json:"keep_duplicates"` // otherwise only the first of equal positions is kept
	Seed           uint64 `json:"seed,string"`     // of the random choices
	NeedScore      bool   `json:"need_score"`      // drop positions that end up without a score
	FewestPieces   int    `json:"fewest_men"`      // drop positions with fewer pieces, kings and pawns too; 0: none

	PhaseShares Bands `json:"phase_shares,omitzero"` // take positions of the phases in these proportions; zero: all
	Sample      int64 `json:"sample,omitempty"`      // take this many positions in total, at random; 0: all
	// identity of the search for new scores, if any; see Config.NewPlayer
	Relabel string `json:"relabel,omitempty"`
	PV      int    `json:"pv,omitempty"`  // plies of that search's variations to write too, see variationsDir
	All     bool   `json:"all,omitempty"` // drop neither checks nor mates

	MinPly    int  `json:"min_ply,omitempty"`    // drop positions before this ply of the game
	QuietMove bool `json:"quiet_move,omitempty"` // drop positions whose next move captures or promotes; only for games
	MaxNoise  int  `json:"max_noise,omitempty"`  // drop larger resolved.Noise, centipawns; 0: none
	// DropLeafScore removes the score of a position that was replaced by its leaf. Otherwise
	// the leaf keeps the score of the position in the game.
	DropLeafScore bool `json:"drop_leaf_score,omitempty"`
	// KeepForfeits keeps games whose result the board did not decide, see dataset.Forfeit.
	KeepForfeits bool `json:"keep_forfeits,omitempty"`
	// Tables, if not nil, replace the result of a row by that which they know of its position.
	Tables *syzygy.Judge `json:"tablebases,omitempty"`
}

// samples reports whether rows are chosen among all rows, so that their number must be
// known.
func (f *Filter) samples() bool { return f.PhaseShares != Bands{} || f.Sample > 0 }

// DefaultFilter is the filter for tuning on games of self-play.
func DefaultFilter() Filter { return Filter{Resolve: ResolveLeaf, MaxScore: 3000} }

// Counts reports how many positions each step dropped. Positions is the sum of the fields
// after it, except Replaced, SameMoves and Corrected.
type Counts struct {
	Games      int64 `json:"games"`
	Positions  int64 `json:"positions"`   // one before each move; the final position of a game has no label
	Opening    int64 `json:"opening"`     // dropped: before the end of the opening
	Early      int64 `json:"early"`       // dropped: Filter.SkipPlies, Filter.MinPly
	InCheck    int64 `json:"in_check"`    // dropped
	Unscored   int64 `json:"unscored"`    // dropped: Filter.NeedScore
	MateScore  int64 `json:"mate_score"`  // dropped: the search saw a mate
	LargeScore int64 `json:"large_score"` // dropped: Filter.MaxScore
	FewPieces  int64 `json:"few_men"`     // dropped: Filter.FewestPieces
	NotSampled int64 `json:"not_sampled"` // dropped: Filter.MaxPerGame
	Noisy      int64 `json:"noisy"`       // dropped: ResolveDrop, Filter.MaxNoise
	BadLeaf    int64 `json:"bad_leaf"`    // dropped: the leaf is in check or mate
	Duplicate  int64 `json:"duplicate"`   // dropped: the position occurred before
	NotChosen  int64 `json:"not_chosen"`  // dropped: Filter.PhaseShares, Filter.Sample
	Kept       int64 `json:"kept"`
	Replaced   int64 `json:"replaced"`   // of Kept: by the leaf of the quiescence search
	SameMoves  int64 `json:"same_moves"` // games with the same moves as an earlier one; they are not dropped as such

	NoisyMove int64 `json:"noisy_move,omitempty"` // dropped: Filter.QuietMove
	Forfeit   int64 `json:"forfeit,omitempty"`    // dropped: the game ended by a forfeit
	RuleDraw  int64 `json:"rule_draw,omitempty"`  // dropped: dataset.PositionRow.DrawByRule
	Corrected int64 `json:"corrected,omitempty"`  // of Kept: Filter.Tables replaced the result

	Variations int64 `json:"variations,omitempty"` // positions in variationsDir

	// Found and Taken count the positions of each band of phases, if there are Filter.PhaseShares, before and
	// after the choice by them.
	Found Bands `json:"found,omitzero"`
	Taken Bands `json:"taken,omitzero"`

	// Forfeits counts the games that ended by a forfeit, kept or not, by reason.
	Forfeits dataset.Forfeits `json:"forfeit_games,omitzero"`
}

func (c *Counts) add(o *Counts) {
	mine, other := c.list(), o.list()
	for i, n := range mine {
		*n += *other[i]
	}
	for reason, n := range o.Forfeits {
		c.Forfeits.Add(reason, n)
	}
}

func (c *Counts) list() []*int64 {
	return []*int64{&c.Games, &c.Positions, &c.Opening, &c.Early, &c.InCheck, &c.Unscored, &c.MateScore,
		&c.LargeScore, &c.FewPieces, &c.NotSampled, &c.Noisy, &c.BadLeaf, &c.Duplicate, &c.NotChosen, &c.Kept,
		&c.Replaced, &c.SameMoves, &c.NoisyMove, &c.Forfeit, &c.RuleDraw, &c.Corrected}
}

// Check returns an error if a field has an invalid value.
func (f *Filter) Check() error {
	least := min(f.MaxScore, f.SkipPlies, f.MaxPerGame, f.FewestPieces, f.MinPly, f.MaxNoise, f.PV)
	switch {
	case f.Resolve != ResolveLeaf && f.Resolve != ResolveDrop && f.Resolve != ResolveKeep:
		return fmt.Errorf("dataset: resolve %q is not %s, %s or %s", f.Resolve, ResolveLeaf, ResolveDrop, ResolveKeep)
	case least < 0 || f.Sample < 0:
		return errors.New("dataset: a limit of the filter is negative")
	case f.PV > 0 && f.Relabel == "":
		return errors.New("dataset: principal variations need a search for new scores")
	case slices.Min(f.PhaseShares[:]) < 0 || slices.Max(f.PhaseShares[:]) > maxShare:
		return fmt.Errorf("dataset: shares of phases %v: want 0 to %d", f.PhaseShares, maxShare)
	}
	return nil
}

// candidate is a row that passed the filter. It may still be a duplicate, or not sampled.
type candidate struct {
	dataset.PositionRow
	replaced  bool // by the leaf of its quiescence search
	corrected bool // its result comes from Filter.Tables
}

// candidates appends the rows of a game that pass the filter. The game has passed its
// Check.
func (f *Filter) candidates(to []candidate, g *dataset.GameRow, resolve resolver, counts *Counts) []candidate {
	counts.Games++
	counts.Positions += int64(len(g.Moves))
	if reason := dataset.Forfeit(g.Termination); reason != "" {
		counts.Forfeits.Add(reason, 1)
		if !f.KeepForfeits {
			counts.Forfeit += int64(len(g.Moves))
			return to
		}
	}
	rows := make([]dataset.PositionRow, 0, len(g.Moves))
	for i, game := range g.Replay() {
		if i == len(g.Moves) {
			break
		}
		if i < int(g.OpeningPlies) {
			counts.Opening++
			continue
		}
		p := game.Position()
		r := dataset.PositionRow{Board: *p, Ply: uint16(p.Ply()), Score: g.Scores[i],
			Result: dataset.ResultOf(g.Result), Game: g.Game, Opening: g.Opening, Weight: 1}
		if n := f.refuse(&r, i-int(g.OpeningPlies), counts); n != nil {
			*n++
			continue
		}
		if m := g.Moves[i]; f.QuietMove && (p.IsCapture(m) || m.Promotion() != board.NoPieceType) {
			counts.NoisyMove++
			continue
		}
		rows = append(rows, r)
	}
	return f.settleAll(to, f.sample(g.Game, rows, counts), resolve, counts)
}

// refine is candidates for the rows of a game, whose opening is not known.
func (f *Filter) refine(to []candidate, group []dataset.PositionRow, resolve resolver, counts *Counts) []candidate {
	if group[0].Game != 0 {
		counts.Games++
	}
	counts.Positions += int64(len(group))
	rows := group[:0]
	for i := range group {
		if n := f.refuse(&group[i], int(group[i].Ply), counts); n != nil {
			*n++
			continue
		}
		rows = append(rows, group[i])
	}
	return f.settleAll(to, f.sample(group[0].Game, rows, counts), resolve, counts)
}

// settleAll resolves the rows as Filter.Resolve says, and appends them.
func (f *Filter) settleAll(to []candidate, rows []dataset.PositionRow, resolve resolver, counts *Counts) []candidate {
	for i := range rows {
		replaced, n := f.settle(&rows[i], resolve, counts)
		if n != nil {
			*n++
			continue
		}
		to = append(to, candidate{rows[i], replaced, f.correct(&rows[i])})
	}
	return to
}

// correct gives the row the result that Filter.Tables know, and reports whether that was another.
func (f *Filter) correct(r *dataset.PositionRow) bool {
	known, ok := f.Tables.Result(&r.Board)
	if result := dataset.ResultOf(int8(known)); ok && result != r.Result {
		r.Result = result
		return true
	}
	return false
}

// refuse returns the count to increment if the row is dropped, or nil; plies is the number
// of plies since the opening.
func (f *Filter) refuse(r *dataset.PositionRow, ply int, c *Counts) *int64 {
	score := r.Score
	switch {
	case f.All:
	case ply < f.SkipPlies, int(r.Ply) < f.MinPly:
		return &c.Early
	case r.Board.InCheck():
		return &c.InCheck
	case r.DrawByRule():
		return &c.RuleDraw
	case f.lacksScore(score):
		return &c.Unscored
	case score != dataset.NoScore && (score > dataset.MaxScore || score < -dataset.MaxScore):
		return &c.MateScore
	case score != dataset.NoScore && f.MaxScore > 0 && (int(score) > f.MaxScore || int(score) < -f.MaxScore):
		return &c.LargeScore
	case r.Board.Occupied().Count() < f.FewestPieces:
		return &c.FewPieces
	}
	return nil
}

// lacksScore reports whether a row needs a score, and has none and will get none.
func (f *Filter) lacksScore(score int16) bool {
	return score == dataset.NoScore && f.NeedScore && f.Relabel == ""
}

// sample takes MaxPerGame rows at random and keeps their order. The choice depends only on
// the seed and the game.
func (f *Filter) sample(game uint64, rows []dataset.PositionRow, c *Counts) []dataset.PositionRow {
	if f.MaxPerGame == 0 || len(rows) <= f.MaxPerGame {
		return rows
	}
	c.NotSampled += int64(len(rows) - f.MaxPerGame)
	rng := rand.New(rand.NewPCG(f.Seed, game))
	chosen := rng.Perm(len(rows))[:f.MaxPerGame]
	slices.Sort(chosen)
	for to, from := range chosen {
		rows[to] = rows[from]
	}
	return rows[:f.MaxPerGame]
}

// resolves reports whether positions need a quiescence search.
func (f *Filter) resolves() bool { return f.Resolve != ResolveKeep || f.MaxNoise > 0 }

// settle resolves the row's position, or returns the count to increment if the row is
// dropped.
func (f *Filter) settle(r *dataset.PositionRow, resolve resolver, c *Counts) (replaced bool, dropped *int64) {
	if !f.resolves() {
		return false, nil
	}
	s := resolve(&r.Board)
	switch {
	case !s.Changed:
		return false, nil
	case f.Resolve == ResolveDrop, f.MaxNoise > 0 && s.Noise > f.MaxNoise:
		return false, &c.Noisy
	case f.Resolve == ResolveKeep:
		return false, nil
	case s.Leaf.InCheck() || s.Score > dataset.MaxScore || s.Score < -dataset.MaxScore:
		return false, &c.BadLeaf
	}
	r.Ply += uint16(max(0, s.Leaf.Ply()-r.Board.Ply()))
	r.Board = s.Leaf
	if f.DropLeafScore {
		r.Score = dataset.NoScore
	}
	if f.lacksScore(r.Score) {
		return false, &c.Unscored
	}
	if r.DrawByRule() {
		return false, &c.RuleDraw
	}
	return true, nil
}
