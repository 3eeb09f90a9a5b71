package match

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/assay-chess/assay/dataset/pgn"
	"github.com/assay-chess/assay/dataset/source"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/selfplay/sprt"
)

// ErrPlayers is wrapped by the error about a PGN file with games of other players than
// those that were asked for.
var ErrPlayers = errors.New("games of more than two players")

// PGNCount is the result of a match read from a PGN file, whatever program played it.
type PGNCount struct {
	Player, Opponent string           // results are from the player's view
	Pairs            sprt.Pentanomial // of games from one opening with colors reversed
	Games            sprt.Trinomial   // all finished games
	Unpaired         int              // games without a partner
	Unfinished       int              // games without a result
	Others           int              // games of other players

	// Test is the sequential test that the games say they are of, as Run writes it; nil: none.
	// Corrected is Config.Corrected.
	Test      *sprt.Test
	Corrected bool

	results [][2]int // of the pairs, in order
}

// testTag is the tag of each game of a sequential test, without which a reader would take the
// number of games for fixed beforehand, and show another Elo.
const testTag = "SPRT"

// testFormat is its value: bounds, model, alpha, beta, whether the bounds were corrected.
const testFormat = "%g %g %s %g %g %t"

func testTags(t *sprt.Test, corrected bool) []pgn.Tag {
	if t == nil {
		return nil
	}
	return []pgn.Tag{{Name: testTag, Value: fmt.Sprintf(testFormat, t.Elo0, t.Elo1, t.Model, t.Alpha, t.Beta, corrected)}}
}

// readTest reads the tag; one that another program wrote in another form is left alone.
func (c *PGNCount) readTest(text string) {
	t, model := new(sprt.Test), ""
	if _, err := fmt.Sscanf(text, testFormat, &t.Elo0, &t.Elo1, &model, &t.Alpha, &t.Beta, &c.Corrected); err != nil {
		return
	}
	if t.Model.UnmarshalText([]byte(model)) == nil && t.Validate() == nil {
		c.Test = t
	}
}

// Follow counts the pairs in order, as the match did: see Follow.
func (c *PGNCount) Follow() (*Curve, error) { return Follow(c.results, c.Test, c.Corrected, 1) }

// pgnGame is what counts of a game between the two.
type pgnGame struct {
	start  string
	round  string // up to the first dot
	moves  []board.Move
	white  bool // the player had White
	points int  // of the player: 1, 0, -1
}

// Counts returns the pairs, or the single games where there are no pairs.
func (c *PGNCount) Counts() sprt.Counts {
	if c.Pairs.Samples() == 0 {
		return c.Games
	}
	return c.Pairs
}

// String says what was counted and what was left out.
func (c *PGNCount) String() string {
	text := fmt.Sprintf("%s against %s: ", c.Player, c.Opponent)
	if n := c.Pairs.Samples(); n > 0 {
		text += fmt.Sprintf("%d pairs", n)
	} else {
		text += fmt.Sprintf("%d games without a pair among them, counted as independent", c.Games.Samples())
	}
	for _, left := range []struct {
		n    int
		what string
	}{{c.Unpaired, "without a partner"}, {c.Unfinished, "without a result"}, {c.Others, "of other players"}} {
		if left.n > 0 && (left.what != "without a partner" || c.Pairs.Samples() > 0) {
			text += fmt.Sprintf("; %d games %s left out", left.n, left.what)
		}
	}
	return text
}

// CountPGN counts the games of a file between the player and the opponent. An empty name
// is taken from the file: White of the first game, and the other player.
//
// Two games are a pair if colors are reversed and the opening is the same: either their
// tags have the same round and first position, or they follow each other in the file and
// have the same first position and the same first moves.
func CountPGN(path, player, opponent string) (*PGNCount, error) {
	f, err := source.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c, games, err := readMatch(f, player, opponent)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(games) == 0 {
		return nil, fmt.Errorf("%s: no finished game between %q and %q", path, c.Player, c.Opponent)
	}
	c.pair(games)
	return c, nil
}

// readMatch reads the games of a match. A game that cannot be read is an error, because
// leaving it out would change the result.
func readMatch(r io.Reader, player, opponent string) (c *PGNCount, games []pgnGame, err error) {
	c = &PGNCount{Player: player, Opponent: opponent}
	for g, err := range pgn.Read(r) {
		if err != nil {
			return c, nil, err
		}
		white, black := g.Tag("White"), g.Tag("Black")
		if c.Player == "" {
			c.Player = white
		}
		other := otherName(white, black, c.Player)
		if c.Opponent == "" {
			c.Opponent = other
		}
		switch {
		case other == "" || other != c.Opponent:
			if player == "" || opponent == "" {
				return c, nil, fmt.Errorf("line %d: %w: %q against %q, after %q against %q", g.Line, ErrPlayers, white, black,
					c.Player, c.Opponent)
			}
			c.Others++
		case !g.Finished:
			c.Unfinished++
		default:
			if games = append(games, newPGNGame(g, white == c.Player)); len(games) == 1 {
				c.readTest(g.Tag(testTag))
			}
		}
	}
	return c, games, nil
}

// otherName returns the player's opponent; "" if the player did not play or if both have
// its name.
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

func (c *PGNCount) addPair(first, second int) {
	c.Pairs.AddPair(first, second)
	c.results = append(c.results, [2]int{first, second})
}

// pair counts the pairs among games, and what is left.
func (c *PGNCount) pair(games []pgnGame) {
	for _, g := range games {
		c.Games.AddGame(g.points)
	}
	left := c.pairByRound(games)
	for i := 0; i < len(left); i++ {
		if i+1 < len(left) && left[i].partner(&left[i+1]) {
			c.addPair(left[i].points, left[i+1].points)
			i++
			continue
		}
		c.Unpaired++
	}
}

// pairByRound pairs games by their tags and returns the others in their order.
func (c *PGNCount) pairByRound(games []pgnGame) (left []pgnGame) {
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
				c.addPair(games[j].points, g.points)
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

// commonPlies is how many first moves two games from the start position of chess have in
// common at least if they have the same opening.
const commonPlies = 2

// partner reports whether two games can be a pair.
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
