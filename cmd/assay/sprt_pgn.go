package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/assay-chess/assay/dataset/pgn"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/selfplay/sprt"
)

// pgnCount is what a PGN file of a match, anybody's, comes to.
type pgnCount struct {
	player, opponent string
	pairs            sprt.Pentanomial
	games            sprt.Trinomial
	unpaired         int // games without a partner
	unfinished       int // games without a result
	others           int // games of other players
}

// pgnGame is a game between the two, as far as it matters.
type pgnGame struct {
	start  string
	round  string // up to the first dot
	moves  []board.Move
	white  bool // the player had White
	points int  // of the player: 1, 0, -1
}

// counts returns pairs, or single games where there are none.
func (c *pgnCount) counts() sprt.Counts {
	if c.pairs.Samples() == 0 {
		return c.games
	}
	return c.pairs
}

// note says what was counted and what was not.
func (c *pgnCount) note() string {
	text := fmt.Sprintf("%s against %s: ", c.player, c.opponent)
	if n := c.pairs.Samples(); n > 0 {
		text += fmt.Sprintf("%d pairs", n)
	} else {
		text += fmt.Sprintf("%d games, of which no two are a pair, taken as independent", c.games.Samples())
	}
	for _, left := range []struct {
		n    int
		what string
	}{{c.unpaired, "without a partner"}, {c.unfinished, "without a result"}, {c.others, "of other players"}} {
		if left.n > 0 && (left.what != "without a partner" || c.pairs.Samples() > 0) {
			text += fmt.Sprintf("; %d games %s are left out", left.n, left.what)
		}
	}
	return text
}

// countPGN counts the games of a file between the player and the opponent; where one is
// empty, they are those of the file. Two games are a pair if colours are reversed, and
// the opening is the same: round and first position as the tags have them, or games
// that follow each other, from the same position and with the same first moves.
func countPGN(path, player, opponent string) (*pgnCount, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c, games, err := readMatch(f, player, opponent)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(games) == 0 {
		return nil, fmt.Errorf("%s: no finished game between %q and %q", path, c.player, c.opponent)
	}
	c.pair(games)
	return c, nil
}

// readMatch reads the games of a match. A game that cannot be read is an error: leaving
// it out would change the result.
func readMatch(r io.Reader, player, opponent string) (c *pgnCount, games []pgnGame, err error) {
	c = &pgnCount{player: player, opponent: opponent}
	for g, err := range pgn.Read(r) {
		if err != nil {
			return c, nil, err
		}
		white, black := g.Tag("White"), g.Tag("Black")
		if c.player == "" {
			c.player = white
		}
		other := otherName(white, black, c.player)
		if c.opponent == "" {
			c.opponent = other
		}
		switch {
		case other == "" || other != c.opponent:
			if player == "" || opponent == "" {
				return c, nil, fmt.Errorf("line %d: %q against %q is no game of %q against %q: say who is meant with --player and --opponent",
					g.Line, white, black, c.player, c.opponent)
			}
			c.others++
		case !g.Finished:
			c.unfinished++
		default:
			games = append(games, newPGNGame(g, white == c.player))
		}
	}
	return c, games, nil
}

// otherName returns who played against the player, nobody if he did not play or if both
// have his name.
func otherName(white, black, player string) string {
	switch {
	case white == black:
		return ""
	case white == player:
		return black
	case black == player:
		return white
	}
	return ""
}

func newPGNGame(g *pgn.Game, white bool) pgnGame {
	round, _, _ := strings.Cut(g.Tag("Round"), ".")
	points := int(g.Row.Result)
	if !white {
		points = -points
	}
	return pgnGame{start: g.Row.Start, round: round, moves: g.Row.Moves, white: white, points: points}
}

// pair counts the pairs among games, and what is left.
func (c *pgnCount) pair(games []pgnGame) {
	for _, g := range games {
		c.games.AddGame(g.points)
	}
	left := c.pairByRound(games)
	for i := 0; i < len(left); i++ {
		if i+1 < len(left) && left[i].partner(&left[i+1]) {
			c.pairs.AddPair(left[i].points, left[i+1].points)
			i++
			continue
		}
		c.unpaired++
	}
}

// pairByRound pairs games by their tags and returns the others in their order.
func (c *pgnCount) pairByRound(games []pgnGame) (left []pgnGame) {
	type key struct{ start, round string }
	waiting := map[key][]int{} // indices of games without a partner
	paired := make([]bool, len(games))
	for i := range games {
		g := &games[i]
		if g.round == "" || g.round == "?" || g.round == "-" {
			continue
		}
		k := key{g.start, g.round}
		for at, j := range waiting[k] {
			if games[j].partner(g) {
				c.pairs.AddPair(games[j].points, g.points)
				paired[i], paired[j] = true, true
				waiting[k] = slices.Delete(waiting[k], at, at+1)
				break
			}
		}
		if !paired[i] {
			waiting[k] = append(waiting[k], i)
		}
	}
	for i, done := range paired {
		if !done {
			left = append(left, games[i])
		}
	}
	return left
}

// commonPlies is how many first moves two games of one opening share at least, where
// both begin at the start position of chess.
const commonPlies = 2

// partner tells whether two games can be a pair.
func (g *pgnGame) partner(h *pgnGame) bool {
	if g.white == h.white || g.start != h.start {
		return false
	}
	if g.start != "" {
		return true
	}
	common := 0
	for common < min(len(g.moves), len(h.moves)) && g.moves[common] == h.moves[common] {
		common++
	}
	return common >= commonPlies
}
