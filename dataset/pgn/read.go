// Package pgn writes games as PGN, with the scores of the search in comments, and reads PGN
// files with everything that occurs in practice: byte-order marks, CRLF, clocks, comments,
// variations and numeric glyphs.
//
// Scores are written as [%eval 0.34] after the move they were found for, and mates as
// [%eval #-3], as chess programs and libraries do: pawns, White's view. A game written by
// Write is read back by Read move for move and score for score. What the comments of other
// programs mean is a table: see dialect.
//
// The standard is Edwards, "Portable Game Notation Specification and Implementation Guide"
// (1994). Only the main line is read: variations are skipped.
//
// A file is cut where a game begins behind the result of another, and the pieces are parsed by several
// goroutines; games come in order.
//
// Start reading at Write and Read.
//
// No promise of stability.
package pgn

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
)

// Game is one game of a PGN file.
type Game struct {
	Line int   // of its first tag or move
	Tags []Tag // in their order
	// Row has start, moves, scores, result, players and termination. Its Game, Opening and
	// Seed are 0.
	Row dataset.GameRow
	// Finished is false if the result is *. Row.Result is then meaningless.
	Finished bool
	// Book is how many moves at the start are marked as book moves.
	Book int
	// Dialect is how its comments write scores, nil if they have none, and View and Ply how they
	// were read. Where the Ply is 0, the scores are left out.
	Dialect *dialect
	View    View
	Ply     Ply

	why     string // of View and Ply, where the dialect alone does not say it
	white   bool   // White made the first move
	raw     []raw
	has     feature
	scores  int // in raw
	beyond  int // scores beyond what a data set can hold
	strange int // comments with scores of no dialect; example is the first
	example string
	line    int // of example
}

// Tag returns the value of a tag, or the empty string. Programs differ in capitals: SetUp, Setup.
func (g *Game) Tag(name string) string {
	for _, t := range g.Tags {
		if t.named(name) {
			return t.Value
		}
	}
	return ""
}

// GameError says why one game cannot be read. The games after it can still be read.
type GameError struct {
	Line int // where the error was noticed
	Err  error
}

func (e *GameError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }
func (e *GameError) Unwrap() error { return e.Err }

// Read yields the games of a PGN file in order. A game that cannot be read is yielded as a
// *GameError with its known parts, and the sequence continues after its result or with
// the next tags. Moves after a result are a game of their own; in a file whose games have
// tags they are an error. Any error that is not a *GameError is a read error and ends it.
func Read(r io.Reader) iter.Seq2[*Game, error] { return Reading{}.Games(r) }

// parser reads games from tokens; tok is the one not used yet.
type parser struct {
	lex   lexer
	tok   token
	begun bool // tok is a token
	tags  bool // an earlier game has tags
	only  bool // tags count, moves do not
	// stray says that a tag came within moves: the rest may be no game.
	stray bool

	open   bool // the last game of the text goes on in the next chunk
	last   bool // the text ends the file
	broken bool // the text was cut off by an error of reading
	long   bool // the text ends in a game that goes on beyond maxGame
}

// next returns the next game or its error. It is not ok at the end, and where reading failed
// within a game.
func (p *parser) next() (h held, ok bool) {
	if !p.begun {
		p.begun = true
		p.advance()
	}
	for p.tok.kind == tokenComment {
		p.advance()
	}
	if p.tok.kind == tokenEnd {
		return h, false
	}
	h.g, h.err = p.game()
	if p.long && p.lex.ended {
		h.err = &GameError{h.g.Line, errLong}
	}
	return h, h.err == nil || !p.broken || !p.lex.ended
}

// ErrTagsOnly says that nothing follows the tags of the last game of a file.
var ErrTagsOnly = errors.New("the file ends behind the tags of a game: it may be cut")

var (
	errNoResult = errors.New("the game has no result at its end")
	errLong     = fmt.Errorf("the game is longer than %d MiB", maxGame>>20)
	errNoTags   = errors.New("moves without tags, behind the result of a game")
	errNoStart  = errors.New("the tags SetUp or Variant announce a start position, but there is no [FEN]")
)

func (p *parser) advance() { p.tok = p.lex.token() }

// game reads one game: its tags, and its moves up to the result. If the result is missing,
// the game ends at the first tag of the next or at the end of the file. Tags behind text that
// is neither a tag nor a move belong to the same game, which is not read: its start is unknown.
func (p *parser) game() (*Game, error) {
	g := &Game{Line: p.tok.line}
	err := p.header(g)
	if len(g.Tags) == 0 && p.tags {
		err = &GameError{g.Line, errNoTags}
	}
	p.tags = p.tags || len(g.Tags) > 0
	if p.only {
		return g, p.byTags(g, err)
	}
	m := &mainLine{game: g, stray: p.stray}
	p.stray = false
	if err == nil {
		if e := m.begin(); e != nil {
			err = &GameError{g.Line, e}
		}
	}
	var between prose
	for {
		t := p.tok
		if t.isTag() || t.kind == tokenEnd {
			if err == nil {
				err = &GameError{t.line, errNoResult}
				if t.kind == tokenEnd && p.last && between == (prose{}) && len(g.Tags) > 0 {
					err = &GameError{t.line, ErrTagsOnly}
				}
			}
			if !p.torn(g, &between) {
				p.stray = t.isTag() && !p.lex.opensGame(tagName(t))
				return g, err
			}
			_ = p.header(g) // err says what came first
			between = prose{}
			continue
		}
		if len(g.Row.Moves) == 0 { // else it has no tags any more
			between.note(t)
		}
		p.advance()
		if err != nil {
			if m.skip(t) {
				return g, err
			}
			continue
		}
		over, e := m.take(t)
		if e != nil {
			err = &GameError{t.line, e}
		}
		if over {
			return g, err
		}
	}
}

// byTags completes a game whose tags alone count, and skips the text behind them.
func (p *parser) byTags(g *Game, err error) error {
	m, said := mainLine{game: g}, false
	var wrong error
	for !p.tok.isTag() && p.tok.kind != tokenEnd {
		if m.skip(p.tok) && wrong == nil {
			wrong, said = g.setResult(p.tok.text), true
		}
		p.lex.skipMoves()
		p.advance()
	}
	if !said {
		wrong = g.setResult("")
	}
	g.Row.White, g.Row.Black = g.text("White"), g.text("Black")
	if wrong = cmp.Or(wrong, g.certain("Black", "Result")); err == nil && wrong != nil {
		err = &GameError{g.Line, wrong}
	}
	return err
}

// torn reports whether the tag now belongs to the game g, although text that is not moves came
// before it.
func (p *parser) torn(g *Game, between *prose) bool {
	if p.tok.kind == tokenEnd || between.moves || len(g.Row.Moves) > 0 {
		return false
	}
	if len(g.Tags) == 0 {
		return between.bracket
	}
	name := tagName(p.tok)
	return !strings.EqualFold(name, g.Tags[0].Name) && !p.lex.opensGame(name)
}

// prose is what came since the last tag.
type prose struct {
	bracket bool // one that closes a tag which does not begin
	moves   bool // a number and a move
	last    token
}

func (p *prose) note(t token) {
	p.bracket = p.bracket || t.kind == tokenBad && t.text == "']'"
	if t.kind == tokenSymbol && p.last.kind == tokenSymbol && isNumber(p.last.text) {
		s := strings.TrimRight(t.text, "+#!?")
		n := len(s)
		p.moves = p.moves || strings.HasPrefix(s, "O-O") || n > 1 && strings.IndexByte("12345678", s[n-1]) >= 0 &&
			s[n-2] >= 'a' && s[n-2] <= 'h'
	}
	p.last = t
}

// header reads the tags of a game, and returns the first error.
func (p *parser) header(g *Game) (err error) {
	for ; p.tok.isTag() || p.tok.kind == tokenComment; p.advance() {
		if p.tok.kind == tokenComment {
			continue
		}
		t, e := parseTag(p.tok)
		if e != nil && err == nil {
			err = &GameError{p.tok.line, e}
		}
		if len(g.Tags) > 0 && (t.named(g.Tags[0].Name) || p.only && t.named("White") && g.Tag("White") != "") {
			return err // the next game: this one has neither moves nor a result
		}
		if g.Tags == nil {
			g.Tags = make([]Tag, 0, 8)
		}
		g.Tags = append(g.Tags, t)
	}
	return err
}

func tagName(t token) string {
	tag, _ := parseTag(t) // it has the name of a bad one too
	return tag.Name
}

// parseTag reads `Name "Value"`.
func parseTag(t token) (Tag, error) {
	name, rest, quoted := strings.Cut(t.text, `"`)
	name, rest = strings.TrimSpace(name), strings.TrimSpace(rest)
	if t.kind == tokenOpenTag {
		return Tag{Name: name}, fmt.Errorf("the tag [%.60s is not closed on its line", t.text)
	}
	value, closed := strings.CutSuffix(rest, `"`)
	if !quoted || !closed || name == "" || strings.ContainsFunc(name, unicode.IsSpace) {
		return Tag{Name: name}, fmt.Errorf("tag [%.60s] is not [Name \"Value\"]", t.text)
	}
	if strings.Contains(value, `\`) {
		value = unescaped.Replace(value)
	}
	return Tag{name, value}, nil
}

// mainLine plays the moves of a game, and skips its variations.
type mainLine struct {
	stray bool // a tag within the moves of a game came before
	game  *Game
	pos   board.Position
	depth int    // of variations
	last  string // comment on the main line
}

// joined writes names of variants as one word.
var joined = strings.NewReplacer(" ", "", "-", "")

// begin sets up the start position from the tags.
func (m *mainLine) begin() error {
	g := m.game
	row := &g.Row
	row.Variant = dataset.Standard
	row.White, row.Black, row.Termination = g.text("White"), g.text("Black"), g.text("Termination")
	m.pos = board.StartPosition()
	g.white = true
	if err := g.certain("Variant", "FEN", "SetUp"); err != nil {
		return err
	}
	fen, setUp := strings.TrimSpace(g.Tag("FEN")), g.Tag("SetUp")
	variant := strings.ToLower(joined.Replace(g.Tag("Variant")))
	switch variant {
	case "", "standard", "normal", "chess":
	case "fromposition":
		setUp = "1"
	case "chess960", "fischerandom", "fischerrandom", "chess960position":
		row.Variant, setUp = dataset.Chess960, "1"
	default:
		return fmt.Errorf("variant %.40q is not chess", g.Tag("Variant"))
	}
	if fen == "" {
		if setUp != "" && setUp != "0" {
			return errNoStart
		}
		return nil
	}
	pos, err := board.ParseFEN(fen)
	if err != nil {
		return err
	}
	m.pos = pos
	g.white = pos.SideToMove() == board.White
	if pos != board.StartPosition() {
		row.Start = pos.FEN()
		if setUp == "0" {
			return errors.New(`[SetUp "0"] and a [FEN] that is not the usual start contradict each other`)
		}
	}
	if pos.Chess960() {
		row.Variant = dataset.Chess960
	}
	return nil
}

// certain returns an error if one of the tags occurs with two values.
func (g *Game) certain(names ...string) error {
	for _, t := range g.Tags {
		for _, name := range names {
			if t.named(name) && t.Value != g.Tag(name) {
				return fmt.Errorf("two tags [%s], %.40q and %.40q", name, g.Tag(name), t.Value)
			}
		}
	}
	return nil
}

// text returns the value of a tag as UTF-8, or nothing if it is unknown. A value that is
// not UTF-8 is read as ISO 8859-1, as the standard of 1994 specifies.
func (g *Game) text(name string) string {
	s := g.Tag(name)
	if s == "?" {
		return ""
	}
	if utf8.ValidString(s) {
		return strings.Clone(s) // not the whole chunk
	}
	runes := make([]rune, len(s))
	for i, c := range []byte(s) {
		runes[i] = rune(c)
	}
	return string(runes)
}

// skip passes over a token of a game that cannot be read, and reports whether it was the
// game's result.
func (m *mainLine) skip(t token) (over bool) {
	switch t.kind {
	case tokenOpen:
		m.depth++
	case tokenClose:
		m.depth = max(0, m.depth-1)
	case tokenSymbol:
		over = isResult(t.text)
	}
	return over && m.depth == 0
}

// take handles one token, and reports whether it is the result of the game.
func (m *mainLine) take(t token) (over bool, err error) {
	switch t.kind {
	case tokenOpen:
		m.depth++
	case tokenClose:
		if m.depth--; m.depth < 0 {
			return false, errors.New(") without (")
		}
	case tokenBad:
		return false, fmt.Errorf("unexpected %s", t.text)
	case tokenComment:
		if m.depth == 0 {
			m.last = t.text
			m.game.comment(t)
		}
	case tokenSymbol:
		if m.depth > 0 {
			return false, nil
		}
		if isResult(t.text) {
			return true, m.end(t.text)
		}
		if !isNumber(t.text) || t.text == nullMove {
			return false, m.move(t.text)
		}
		if m.stray && len(m.game.Row.Moves) == 0 && t.text != fmt.Sprint(m.pos.Fullmove()) {
			return false, errors.New("moves from the middle of a game, behind a tag within it")
		}
	}
	return false, nil
}

// nullMove is how UCI writes that a player does not move; the side to move would be another.
const nullMove = "0000"

func isNumber(s string) bool { return prefix(s, digits) == len(s) }

func (m *mainLine) move(san string) error {
	if prefix(san, "!?") == len(san) {
		return nil // a glyph separate from its move
	}
	row := &m.game.Row
	if len(row.Moves) >= dataset.MaxPlies {
		return fmt.Errorf("more than %d moves", dataset.MaxPlies)
	}
	move, err := m.pos.ParseSAN(san)
	if err != nil {
		var e error
		if move, e = m.pos.ParseUCI(san); e != nil { // fastchess can write moves as UCI does
			return fmt.Errorf("ply %d: %w", len(row.Moves), err)
		}
	}
	row.Moves = append(row.Moves, move)
	m.last = ""
	m.pos.Make(move)
	return nil
}

// end compares the result after the moves with the tags and with the board.
func (m *mainLine) end(result string) error {
	g := m.game
	if err := g.setResult(result); err != nil {
		return err
	}
	if reason := dataset.ForfeitComment(m.last); reason != "" && dataset.Forfeit(g.Row.Termination) == "" {
		g.Row.Termination = reason
	}
	g.finishScores()
	if !g.Finished {
		return nil
	}
	return g.Row.CheckPlayed(&m.pos)
}
