package pgn

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
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
}

// Tag returns the value of a tag, or the empty string.
func (g *Game) Tag(name string) string {
	for _, t := range g.Tags {
		if t.Name == name {
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
// *GameError with what is known of it, and the sequence continues after its result or with
// the next tags. Moves after a result are a game of their own; in a file whose games have
// tags they are an error. Any error that is not a *GameError is a read error and ends it.
func Read(r io.Reader) iter.Seq2[*Game, error] {
	return func(yield func(*Game, error) bool) {
		p := &parser{lex: newLexer(r)}
		for p.advance(); ; {
			for p.tok.kind == tokenComment {
				p.advance()
			}
			if p.tok.kind == tokenEnd {
				break
			}
			g, err := p.game()
			if err != nil && p.lex.err != nil {
				break // a read error, not one of the game
			}
			if !yield(g, err) {
				return
			}
		}
		if p.lex.err != nil {
			yield(nil, fmt.Errorf("pgn: line %d: %w", p.lex.line, p.lex.err))
		}
	}
}

// parser reads games from tokens; tok is the one not used yet.
type parser struct {
	lex  *lexer
	tok  token
	tags bool // an earlier game has tags
}

var (
	errNoResult = errors.New("the game has no result at its end")
	errNoTags   = errors.New("moves without tags, behind the result of a game")
)

func (p *parser) advance() { p.tok = p.lex.token() }

// game reads one game: its tags, and its moves up to the result. If the result is missing,
// the game ends at the next tags or at the end of the file.
func (p *parser) game() (*Game, error) {
	g := &Game{Line: p.tok.line}
	var err error
	for ; p.tok.isTag() || p.tok.kind == tokenComment; p.advance() {
		if p.tok.kind == tokenComment {
			continue
		}
		t, e := parseTag(p.tok)
		if e != nil && err == nil {
			err = &GameError{p.tok.line, e}
		}
		if len(g.Tags) > 0 && t.Name == g.Tags[0].Name {
			break // the next game: this one has neither moves nor a result
		}
		g.Tags = append(g.Tags, t)
		p.lex.begins(g.Tags[0].Name)
	}
	if len(g.Tags) == 0 && p.tags {
		err = &GameError{g.Line, errNoTags}
	}
	p.tags = p.tags || len(g.Tags) > 0
	m := &mainLine{game: g}
	if err == nil {
		if e := m.begin(); e != nil {
			err = &GameError{g.Line, e}
		}
	}
	for {
		t := p.tok
		if t.isTag() || t.kind == tokenEnd {
			if err == nil {
				err = &GameError{t.line, errNoResult}
			}
			return g, err
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

// parseTag reads `Name "Value"`.
func parseTag(t token) (Tag, error) {
	name, rest, _ := strings.Cut(strings.TrimSpace(t.text), " ")
	rest = strings.TrimSpace(rest)
	if t.kind == tokenOpenTag {
		return Tag{Name: name}, fmt.Errorf("the tag [%.60s is not closed", t.text)
	}
	if name == "" || len(rest) < 2 || rest[0] != '"' || rest[len(rest)-1] != '"' {
		return Tag{Name: name}, fmt.Errorf("tag [%.60s] is not [Name \"Value\"]", t.text)
	}
	value := rest[1 : len(rest)-1]
	if strings.Contains(value, `\`) {
		value = strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(value)
	}
	return Tag{name, value}, nil
}

// mainLine plays the moves of a game, and skips its variations.
type mainLine struct {
	game  *Game
	pos   board.Position
	depth int // of variations

	// Lichess evaluates the position after a move: a score belongs to the next move.
	lichess bool
	after   int16 // score of the position now, if known
}

// begin sets up the start position from the tags.
func (m *mainLine) begin() error {
	g := m.game
	row := &g.Row
	row.Variant = dataset.Standard
	row.White, row.Black, row.Termination = g.text("White"), g.text("Black"), g.text("Termination")
	m.pos, m.after = board.StartPosition(), dataset.NoScore
	m.lichess = strings.Contains(g.Tag("Site"), "lichess.org/")
	variant := strings.ToLower(strings.NewReplacer(" ", "", "-", "").Replace(g.Tag("Variant")))
	switch variant {
	case "", "standard", "fromposition", "normal", "chess":
	case "chess960", "fischerandom", "fischerrandom", "chess960position":
		row.Variant = dataset.Chess960
	default:
		return fmt.Errorf("variant %.40q is not chess", g.Tag("Variant"))
	}
	fen := g.Tag("FEN")
	if fen == "" {
		return nil
	}
	pos, err := board.ParseFEN(fen)
	if err != nil {
		return err
	}
	m.pos = pos
	if pos != board.StartPosition() {
		row.Start = pos.FEN()
	}
	if pos.Chess960() {
		row.Variant = dataset.Chess960
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
		return s
	}
	runes := make([]rune, len(s))
	for i := range len(s) {
		runes[i] = rune(s[i])
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
		_, _, over = parseResult(t.text)
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
			m.comment(t.text)
		}
	case tokenSymbol:
		if m.depth > 0 {
			return false, nil
		}
		if result, finished, is := parseResult(t.text); is {
			return true, m.end(result, finished)
		}
		if !isNumber(t.text) {
			return false, m.move(t.text)
		}
	}
	return false, nil
}

func isNumber(s string) bool { return strings.Trim(s, "0123456789") == "" }

func parseResult(s string) (result board.GameResult, finished, is bool) {
	switch s {
	case "1-0":
		return board.WhiteWins, true, true
	case "0-1":
		return board.BlackWins, true, true
	case "1/2-1/2":
		return board.Draw, true, true
	case "*":
		return board.Draw, false, true
	}
	return board.Draw, false, false
}

func (m *mainLine) move(san string) error {
	if strings.Trim(san, "!?") == "" {
		return nil // a glyph separate from its move
	}
	row := &m.game.Row
	if len(row.Moves) >= dataset.MaxPlies {
		return fmt.Errorf("more than %d moves", dataset.MaxPlies)
	}
	move, err := m.pos.ParseSAN(san)
	if err != nil {
		return fmt.Errorf("ply %d: %w", len(row.Moves), err)
	}
	row.Moves = append(row.Moves, move)
	row.Scores = append(row.Scores, m.after)
	m.after = dataset.NoScore
	m.pos.Make(move)
	return nil
}

// comment takes a score from the comment after the last move.
func (m *mainLine) comment(text string) {
	row := &m.game.Row
	n := len(row.Moves)
	if n == 0 {
		return
	}
	stm := m.pos.SideToMove()
	if m.lichess && strings.Contains(text, "[%eval") {
		if s, ok := scoreOf(text, stm); ok {
			m.after = s
		}
	} else if s, ok := scoreOf(text, stm.Other()); ok {
		row.Scores[n-1] = s
	}
}

// end compares the result after the moves with the tags and with the board.
func (m *mainLine) end(result board.GameResult, finished bool) error {
	g := m.game
	g.Finished = finished
	if tag := g.Tag("Result"); tag != "" && tag != "?" {
		if r, f, is := parseResult(tag); !is || r != result || f != finished {
			return fmt.Errorf("the result is %q in the tags, but not after the moves", tag)
		}
	}
	g.Row.Result = int8(result)
	if !finished {
		return nil
	}
	return g.Row.Check()
}
