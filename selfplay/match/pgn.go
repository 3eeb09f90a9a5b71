package match

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/assay-chess/assay/dataset/pgn"
	"github.com/assay-chess/assay/internal/source"
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

	results [][2]int   // of the pairs, in order
	points  []int      // of the player: 1, 0, -1
	halves  []pgn.Half // of the same games
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
// See pgn.Pairs for which games are a pair.
func CountPGN(ctx context.Context, path, player, opponent string) (*PGNCount, error) {
	f, err := source.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c := &PGNCount{Player: player, Opponent: opponent}
	if err := c.read(f); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(c.points) == 0 {
		return nil, fmt.Errorf("%s: no finished game between %q and %q", path, c.Player, c.Opponent)
	}
	for _, pair := range pgn.Pairs(c.halves) {
		first, second := c.points[pair[0]], c.points[pair[1]]
		c.Pairs.AddPair(first, second)
		c.results = append(c.results, [2]int{first, second})
	}
	c.Unpaired = len(c.points) - 2*len(c.results)
	return c, nil
}

// read reads the games of a match. A game that cannot be read is an error, because leaving it out would change the
// result.
func (c *PGNCount) read(r io.Reader) error {
	named := c.Player != "" && c.Opponent != ""
	for g, err := range pgn.Read(r) {
		if err != nil {
			return err
		}
		white, black := g.Tag("White"), g.Tag("Black")
		c.Player = cmp.Or(c.Player, white)
		other := otherName(white, black, c.Player)
		c.Opponent = cmp.Or(c.Opponent, other)
		switch {
		case other == "" || other != c.Opponent:
			if !named {
				return fmt.Errorf("line %d: %w: %q against %q, after %q against %q", g.Line, ErrPlayers, white, black,
					c.Player, c.Opponent)
			}
			c.Others++
		case !g.Finished:
			c.Unfinished++
		default:
			if len(c.points) == 0 {
				c.readTest(g.Tag(testTag))
			}
			points := int(g.Row.Result)
			if white != c.Player {
				points = -points
			}
			c.Games.AddGame(points)
			c.points, c.halves = append(c.points, points), append(c.halves, g.Half(white == c.Player))
		}
	}
	return nil
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
