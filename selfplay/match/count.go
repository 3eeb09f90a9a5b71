package match

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/assay-chess/assay/dataset/pgn"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/source"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/sprt"
)

// standing counts pairs in the order of their numbers, and follows the test, if there is one.
type standing struct {
	penta sprt.Pentanomial
	games sprt.Trinomial
	test  *sprt.Test
	walk  *sprt.Walk // nil without a test
}

func newStanding(test *sprt.Test, corrected bool) (s standing, err error) {
	if s.test = test; test != nil {
		s.walk, err = sprt.NewWalk(*test, corrected)
	}
	return s, err
}

// add counts a pair by A's results of its two games: 1, 0 or -1.
func (s *standing) add(first, second int) error {
	s.penta.AddPair(first, second)
	s.games.AddGame(first)
	s.games.AddGame(second)
	if s.walk == nil {
		return nil
	}
	_, err := s.walk.Observe(s.penta)
	return err
}

// result returns the standing as the result of a match that goes on.
func (s *standing) result() *Result {
	sum := sprt.Summarize(s.penta)
	r := &Result{Verdict: "so far", Games: s.games.Games(), Wins: s.games[2], Draws: s.games[1], Losses: s.games[0],
		Pentanomial: s.penta, Score: sum.Score, Strength: sum.StrengthAfter(s.test, s.penta), LOS: sum.KnownLOS(),
		DrawRatio: sum.DrawRatio, PairRatio: sum.KnownPairRatio(), Test: s.test, Details: sum.Details()}
	if s.walk != nil {
		llr := s.walk.LLR()
		lower, upper := s.walk.Bounds()
		r.LLR, r.Lower, r.Upper = &llr, &lower, &upper
	}
	return r
}

// counter counts the pairs of a match and says when to stop.
type counter struct {
	standing
	config  *Config
	tally   *gamelog.Tally
	brief   string    // Elo in the last note
	briefed time.Time // when it was computed

	// faultless counts the pairs in which B did not forfeit.
	faultless sprt.Pentanomial
}

func newCounter(c *Config) (*counter, error) {
	s, err := newStanding(c.Test, c.Corrected)
	return &counter{standing: s, config: c, tally: new(gamelog.Tally)}, err
}

// playersOf returns who has White and Black in the game, 0 for A and 1 for B: A has White in
// the first game of each pair.
func playersOf(game uint64) [2]int { return [2]int{int(game % 2), int((game + 1) % 2)} }

func (n *counter) add(pair []selfplay.Result) error {
	var points [2]int
	for i := range pair {
		points[i] = int(pair[i].Result)
		if playersOf(pair[i].Number)[board.White] == 1 {
			points[i] = -points[i]
		}
	}
	if !forfeitedBy(pair, 1) {
		n.faultless.AddPair(points[0], points[1])
	}
	return n.standing.add(points[0], points[1])
}

// forfeitedBy reports whether the player lost a game of the pair by its own fault.
func forfeitedBy(pair []selfplay.Result, player int) bool {
	return slices.ContainsFunc(pair, func(g selfplay.Result) bool {
		loser, yes := g.Forfeited()
		return yes && playersOf(g.Number)[loser] == player
	})
}

// over reports whether enough pairs are counted.
func (n *counter) over() bool {
	if n.walk != nil && n.walk.Status() != sprt.Continue {
		return true
	}
	return n.config.Games > 0 && uint64(n.games.Games()) >= n.config.Games
}

// note returns the state of the match in a few words, the most important first.
func (n *counter) note() string {
	if n.games.Games() == 0 {
		return ""
	}
	text := ""
	if n.walk != nil {
		llr := n.walk.LLR()
		bound, upper := n.walk.Bounds()
		if llr >= 0 {
			bound = upper
		}
		text = fmt.Sprintf("LLR %.2f/%.2f  ", llr, bound)
	}
	if time.Since(n.briefed) > 50*time.Millisecond { // it takes 0.4 ms, as long as some games
		n.brief, n.briefed = sprt.Summarize(n.penta).StrengthAfter(n.config.Test, n.penta).Brief(), time.Now()
	}
	return text + fmt.Sprintf("Elo %s  +%d =%d -%d  pairs %v", n.brief, n.games[2], n.games[1], n.games[0], n.penta)
}

func (n *counter) conclude() *Result {
	r, c := n.result(), n.config
	r.A, r.B, r.IDA, r.IDB = c.A.Label(), c.B.Label(), c.A.Identity(), c.B.Identity()
	if r.Games > 0 {
		r.WhiteScore = float64(n.tally.Results[1]+2*n.tally.Results[2]) / float64(2*r.Games)
	}
	r.Terminations, r.Plies = n.tally.Terminations, n.tally.Plies
	r.VoidPairs, r.StalledGames = n.tally.Void, n.tally.Stalled
	for i := range 2 {
		p := n.tally.Player(i)
		r.Forfeits[i], r.Unscored[i], r.Nodes[i], r.Time[i], r.Stalls[i] = p.Forfeits, p.Unscored, p.Nodes, p.Time, p.Stalls
	}
	r.Warnings = slices.Concat(c.Warnings(), r.nodeWarnings(c))
	if r.Verdict = verdict(r.Strength); n.walk != nil {
		r.Verdict, r.WithoutForfeits = testVerdict(n.walk.Status()), n.withoutForfeits()
	}
	return r
}

// verdict returns the verdict of a match without a test, by the interval that is shown.
func verdict(s sprt.Strength) string {
	switch {
	case s.EloLo > 0:
		return Stronger
	case s.EloHi < 0:
		return Weaker
	}
	return Undecided // also where nothing is known: NaN is neither
}

// testVerdict returns the verdict of a match with a test: AcceptH1 and AcceptH0 are the words of its status.
func testVerdict(s sprt.Status) string {
	if s == sprt.Continue {
		return Undecided
	}
	return s.String()
}

// withoutForfeits returns what the test says without the pairs in which B forfeited, or nil if
// A does not pass or B did not forfeit.
func (n *counter) withoutForfeits() *withoutForfeits {
	if n.walk.Status() != sprt.AcceptH1 || n.tally.Player(1).Forfeits == 0 {
		return nil
	}
	w := &withoutForfeits{Pairs: n.faultless.Samples()}
	w.LLR, _ = n.config.Test.LLR(n.faultless) // both are valid
	lower, upper := n.walk.Bounds()
	w.Verdict = testVerdict(sprt.StatusAt(w.LLR, lower, upper))
	return w
}

// Follow counts pairs in order, as Run does, and returns the standings on the way, as results of a match that goes on;
// the last is that of all pairs. Each pair is A's results of its two games: 1, 0 or -1. The test may be nil; corrected
// is Config.Corrected. There are up to about twice maxPoints standings.
func Follow(pairs [][2]int, test *sprt.Test, corrected bool, maxPoints int) (course []*Result, err error) {
	s, err := newStanding(test, corrected)
	if err != nil {
		return nil, err
	}
	step := max(1, len(pairs)/maxPoints)
	for i, p := range pairs {
		if i > 0 && i%step == 0 {
			course = append(course, s.result())
		}
		if err := s.add(p[0], p[1]); err != nil {
			return nil, fmt.Errorf("pair %d: %w", i, err)
		}
	}
	return append(course, s.result()), nil
}

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

// Follow counts the pairs in order, as the match did, and returns one standing: see Follow.
func (c *PGNCount) Follow() ([]*Result, error) { return Follow(c.results, c.Test, c.Corrected, 1) }

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
// is taken from the file: White of the first game, if it is not the opponent, and the other player.
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
		if c.Player == "" && white != "" && white == c.Opponent {
			c.Player = black
		}
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
