package pgn

import (
	"slices"
	"strings"
)

// View says whose view a score is from.
type View uint8

// Ply says which position a score belongs to.
type Ply uint8

// The values of View and Ply. Zero is unknown: see dialect.
const (
	White View = iota + 1
	Mover      // the side that made the move before the comment
)

const (
	Before Ply = iota + 1 // the move: the search that chose it
	After                 // the move
)

func (v View) String() string {
	return [...]string{"unknown view", "White's view", "the mover's view"}[v]
}

func (p Ply) String() string {
	return [...]string{"unknown position", "the position before the move", "the position after the move"}[p]
}

// dialect is a row of the table of how programs write scores, and mark book moves, in the
// comments behind moves.
type dialect struct {
	Name    string
	Example string
	// Centipawns says that numbers are centipawns, not pawns.
	Centipawns bool
	// Moves says that the number of a mate counts moves. Otherwise it counts plies if it can: the
	// mover mates after an odd number.
	Moves bool
	View  View
	Book  string // the comment behind a book move, if it marks them
	// Ply is 0 where neither the tags nor the comments say it. Then the data may, and so they may
	// show that scores are from the mover's view and not from White's.
	Ply Ply

	tags   []Tag   // one of them contains this value, if there are any
	only   string  // the game has no other tags than these
	has    feature // all of these
	any    feature // one of these, if there are any
	not    feature // none of these
	unsure bool    // no tag names the program: the data may show another view
}

// feature is what the comments of a game have.
type feature uint16

const (
	hasEval   feature = 1 << iota // [%eval ...]
	hasWV                         // wv=...
	hasScore                      // score/depth
	hasSel                        // score depth/selective depth
	hasLone                       // score and nothing else
	hasPoint                      // a number with a decimal point
	hasWhole                      // a number without
	hasDepth                      // [%eval ...,12]
	hasEmt                        // [%emt ...] beside the score
	hasMillis                     // a time as 12ms
	hasBare                       // a time without a unit
	hasLine                       // moves in parentheses before the score
	hasKeys                       // n=..., or a time as 0.123s
)

// form are the features that are ways to write a score. A game has one of each.
const form = hasEval | hasWV | hasScore | hasSel | hasLone

const lichess = "lichess.org"

// dialects is the table. The first row that fits a game counts.
var dialects = []dialect{
	{Name: "assay", Example: "[%eval 0.34,12]", Moves: true, View: White, Ply: Before,
		has: hasEval, tags: []Tag{{"Annotator", annotator}}},
	{Name: "ChessBase, engines at play", Example: "[%eval 34,12] [%emt 0:00:05]", Centipawns: true, Moves: true,
		View: White, Ply: Before,
		has: hasEval | hasWhole | hasDepth | hasEmt, not: hasPoint, unsure: true},
	{Name: "ChessBase", Example: "[%eval 34,12]", Centipawns: true, Moves: true, View: White,
		has: hasEval | hasWhole | hasDepth, not: hasPoint, unsure: true},
	{Name: "Lichess games", Example: "[%eval 0.34]", Moves: true, View: White, Ply: After,
		has: hasEval, tags: []Tag{{"Site", lichess}, {"Event", lichess}}},
	{Name: "Lichess broadcasts", Example: "[%eval 0.34]", Moves: true, View: White, Ply: After, has: hasEval,
		tags: []Tag{{"BroadcastURL", ""}, {"BroadcastName", ""}, {"GameURL", lichess}}},
	{Name: "Lichess studies", Example: "[%eval 0.34]", Moves: true, View: White, Ply: After, has: hasEval,
		tags: []Tag{{"ChapterURL", ""}, {"StudyName", ""}, {"ChapterName", ""}, {"Annotator", lichess}}},
	{Name: "engines at play", Example: "[%eval 0.34,12] [%emt 0:00:05]", Moves: true, View: White, Ply: Before,
		has: hasEval | hasEmt, unsure: true},
	{Name: "unnamed [%eval], whole", Example: "[%eval 34]", Centipawns: true, Moves: true, View: White,
		has: hasEval | hasWhole, not: hasPoint, unsure: true},
	{Name: "unnamed [%eval]", Example: "[%eval 0.34]", Moves: true, View: White, has: hasEval, unsure: true},
	{Name: "TCEC", Example: "d=12, sd=18, mt=450, wv=0.34", Book: "book, mb=+0+0+0+0+0,", View: White, Ply: Before,
		has: hasWV},
	{Name: "OpenBench", Example: "+0.34 12/18 450 67890", View: Mover, Ply: Before, has: hasSel},
	{Name: "OpenBench, compact", Example: "+0.34", View: Mover, Ply: Before,
		has: hasLone, only: "White Black Result PlyCount FEN TimeControl"},
	{Name: "c-chess-cli", Example: "34/12 450ms", Centipawns: true, Moves: true, View: Mover, Ply: Before,
		has: hasScore,
		any: hasWhole | hasMillis, not: hasPoint},
	{Name: "Arena, WinBoard", Example: "(Nf6 d4) +0.34/12 4", View: Mover, Ply: Before,
		has: hasScore, any: hasLine | hasBare},
	{Name: "fastchess", Example: "+0.34/12 0.450s, n=67890", Book: "book", View: Mover, Ply: Before,
		has: hasScore | hasKeys},
	{Name: "cutechess-cli", Example: "+0.34/12 0.45s", Book: "book", View: Mover, Ply: Before, has: hasScore},
}

// dialectOf returns the row that fits a game whose comments have these features, or nil.
func dialectOf(g *Game, f feature) *dialect {
	for i := range dialects {
		d := &dialects[i]
		if d.has&^f == 0 && (d.any == 0 || d.any&f != 0) && d.not&f == 0 && d.fits(g) {
			return d
		}
	}
	return nil
}

func (d *dialect) fits(g *Game) bool {
	if d.only != "" {
		known := strings.Fields(d.only)
		return !slices.ContainsFunc(g.Tags, func(t Tag) bool { return !slices.Contains(known, t.Name) })
	}
	for _, t := range d.tags {
		if v := g.Tag(t.Name); v != "" && strings.Contains(strings.ToLower(v), t.Value) {
			return true
		}
	}
	return len(d.tags) == 0
}

// unit returns "pawns" or "centipawns".
func (d *dialect) unit() string {
	if d.Centipawns {
		return "centipawns"
	}
	return "pawns"
}

// taken is what was taken from the comments of games of one dialect, read in one way.
type taken struct {
	Dialect string `json:"dialect"`
	Unit    string `json:"unit"`
	View    string `json:"view"`
	Ply     string `json:"ply"`
	Why     string `json:"why,omitempty"` // where the dialect alone does not say it
	Games   int64  `json:"games"`
	Scores  int64  `json:"scores"` // left out, where the ply is unknown
	Left    bool   `json:"left_out,omitempty"`
}

// Tally counts what was taken from comments.
type Tally struct {
	Taken []taken `json:"taken,omitempty"`
	Books int64   `json:"book_marks,omitempty"` // games with marked book moves
	// Unknown counts comments that seem to have a score, in no dialect of the table; Example is
	// the first, with its line.
	Unknown int64  `json:"unknown,omitempty"`
	Example string `json:"unknown_example,omitempty"`
	Line    int    `json:"unknown_line,omitempty"`
	// Beyond counts scores that are mates or no scores in a way that the dialect does not define.
	Beyond int64 `json:"-"`
}

// Add counts a game.
func (t *Tally) Add(g *Game) {
	if g.Book > 0 {
		t.Books++
	}
	t.Beyond += int64(g.beyond)
	if g.strange > 0 && t.Unknown == 0 {
		t.Example, t.Line = g.example, g.line
	}
	t.Unknown += int64(g.strange)
	if g.Dialect == nil {
		return
	}
	row := taken{Dialect: g.Dialect.Name, Unit: g.Dialect.unit(), View: g.View.String(), Ply: g.Ply.String(), Why: g.why,
		Left: g.Ply == 0}
	i := slices.IndexFunc(t.Taken, func(have taken) bool {
		have.Games, have.Scores = 0, 0
		return have == row
	})
	if i < 0 {
		i = len(t.Taken)
		t.Taken = append(t.Taken, row)
	}
	t.Taken[i].Games++
	t.Taken[i].Scores += int64(g.scores)
}
