package dataset

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrResultScale says that results are numbers from -1 to 1. A single row does not show
// which scale a file uses: 0 is a draw on that one and a loss on the usual one.
var ErrResultScale = errors.New("results from -1 to 1 cannot be distinguished from results from 0 to 1")

// resultSpellings are the usual spellings of a result, from White's view.
var resultSpellings = map[string]float32{
	"1-0": 1, "0-1": 0, "1/2-1/2": 0.5, "1/2": 0.5, "½-½": 0.5,
	"1.0": 1, "0.0": 0, "0.5": 0.5, "1": 1, "0": 0, "1.": 1, "0.": 0, ".5": 0.5,
}

// KnownResult reads one of the usual spellings of a game's result: 1-0, 1/2-1/2,
// 0-1, or the numbers 1, 0.5 and 0 with or without decimals.
func KnownResult(s string) (result float32, ok bool) {
	result, ok = resultSpellings[s]
	return result, ok
}

// ParseResult reads a result from 0 (Black won) to 1 (White won): a usual spelling, or a
// decimal fraction in between. The error is ErrResultScale (wrapped) for -1.
func ParseResult(s string) (float32, error) {
	if r, ok := resultSpellings[s]; ok {
		return r, nil
	}
	r, err := strconv.ParseFloat(s, 32)
	switch {
	case err == nil && r == -1:
		return 0, fmt.Errorf("result %.20q: %w", s, ErrResultScale)
	case err != nil || !(r >= 0 && r <= 1) || strings.ContainsAny(s, "xXpP_nN"):
		return 0, fmt.Errorf("result %.20q is not 1-0, 1/2-1/2, 0-1 or a number from 0 to 1", s)
	}
	return float32(r), nil
}

// ParseScore reads a score in whole centipawns. An empty string, a dash, "null" and "none"
// are NoScore. So are a number beyond MateScore, which some programs write in place of a
// missing score, and a mate (M2, #-3), which some count in moves and some in plies: foreign
// is then true.
func ParseScore(s string) (score int16, foreign bool, err error) {
	switch s {
	case "", "-", "null", "none":
		return NoScore, false, nil
	}
	if isMate(s) {
		return NoScore, true, nil
	}
	n, err := strconv.Atoi(s)
	switch {
	case err != nil && errors.Is(err, strconv.ErrRange):
		return NoScore, true, nil
	case err != nil:
		return NoScore, false, fmt.Errorf("score %.20q is not a whole number of centipawns", s)
	case n > MateScore || n < -MateScore:
		return NoScore, true, nil
	}
	return int16(n), false, nil
}

// isMate reports whether s is a mate as programs write it: M2, -M2, +M2, M-2, #2, #-2.
func isMate(s string) bool {
	unsigned := strings.TrimLeft(s, "+-")
	n := strings.TrimLeft(unsigned, "mM#")
	digits := strings.TrimLeft(n, "+-")
	return len(unsigned) == len(n)+1 && len(s)-len(unsigned)+len(n)-len(digits) <= 1 &&
		digits != "" && strings.Trim(digits, "0123456789") == ""
}

// GameRuns infers which rows belong to one game, for rows in game order that name no game.
// A game ends where the ply does not rise, and where the result changes from one of 1, 0.5
// and 0 to another. The zero value is ready to use.
type GameRuns struct {
	Games int64 // seen so far
	ply   uint16
	last  float32
	open  bool
}

// Next takes the next row and reports whether it begins a game.
func (g *GameRuns) Next(p *PositionRow) (begins bool) {
	changed := p.Result != g.last && isOutcome(p.Result) && isOutcome(g.last)
	begins = !g.open || p.Ply <= g.ply || changed
	g.open, g.ply, g.last = true, p.Ply, p.Result
	if begins {
		g.Games++
	}
	return begins
}

// fewRows is the number of rows below which Plausible does not judge.
const fewRows = 100

// Plausible reports whether the given number of rows may be in game order. Rows in random
// order form runs of about two rows.
func (g *GameRuns) Plausible(rows int64) bool {
	return g.Games > 0 && (rows < fewRows || 3*g.Games <= rows)
}

// Break ends the game: the next row begins another.
func (g *GameRuns) Break() { g.open = false }

func isOutcome(result float32) bool { return result == 0 || result == 0.5 || result == 1 }
