package pgn

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/quote"
)

// Tag is one line of a game's header.
type Tag struct{ Name, Value string }

// named reports whether the tag has the name, in capitals or not.
func (t Tag) named(name string) bool {
	return len(t.Name) == len(name) && strings.EqualFold(t.Name, name)
}

// annotator is the value of the tag Annotator of games with scores. It says that [%eval] is the
// result of the search before the move; other programs mean the position after it.
const annotator = "assay"

// lineWidth is the maximum length of a line of movetext, in bytes, as in the standard's
// export format.
const lineWidth = 80

// Write writes one game and an empty line after it. The tags replace or follow those that
// come from the game: Event, Site, Date, Round, White, Black, Result, then Variant, SetUp
// and FEN where needed, PlyCount, Termination and, with scores, Annotator. The game must pass its Check; an illegal
// move is an error, and nothing is written.
func Write(w io.Writer, g *dataset.GameRow, tags ...Tag) error {
	return WriteNoted(w, g, Notes{}, tags...)
}

// Notes has more data on the searches of a game, ply by ply. A list may be shorter than the
// game, or empty.
type Notes struct {
	Depths []uint8  // plies; 0 if unknown
	Times  []uint32 // milliseconds used for the move; 0 if unknown
}

// WriteNoted is Write with the depth after each score, [%eval 0.34,12], and the time used
// for each move, [%emt 0:00:01.250]. Chess libraries read both.
func WriteNoted(w io.Writer, g *dataset.GameRow, notes Notes, tags ...Tag) error {
	var b strings.Builder
	for _, t := range header(g, tags) {
		fmt.Fprintf(&b, "[%s \"%s\"]\n", t.Name, escape(t.Value))
	}
	b.WriteByte('\n')
	if err := writeMoves(&b, g, &notes); err != nil {
		return fmt.Errorf("pgn: game %d: %w", g.Game, err)
	}
	b.WriteByte('\n')
	_, err := io.WriteString(w, b.String())
	return err
}

// header returns the tags in the order in which they are written.
func header(g *dataset.GameRow, more []Tag) []Tag {
	tags := []Tag{
		{"Event", "?"}, {"Site", "?"}, {"Date", "????.??.??"}, {"Round", "?"},
		{"White", cmp.Or(g.White, "?")}, {"Black", cmp.Or(g.Black, "?")},
		{"Result", board.GameResult(g.Result).String()},
	}
	if g.Variant == dataset.Chess960 {
		tags = append(tags, Tag{"Variant", "Chess960"})
	}
	if g.Start != "" || g.Variant == dataset.Chess960 { // its start is one of 960, the usual one too
		tags = append(tags, Tag{"SetUp", "1"}, Tag{"FEN", cmp.Or(g.Start, board.StartFEN)})
	}
	tags = append(tags, Tag{"PlyCount", fmt.Sprint(len(g.Moves))})
	if g.Termination != "" {
		tags = append(tags, Tag{"Termination", g.Termination})
	}
	if slices.ContainsFunc(g.Scores, func(s int16) bool { return s != dataset.NoScore }) {
		tags = append(tags, Tag{"Annotator", annotator})
	}
	for _, t := range more {
		if i := slices.IndexFunc(tags, func(have Tag) bool { return have.Name == t.Name }); i >= 0 {
			tags[i] = t
		} else {
			tags = append(tags, t)
		}
	}
	return tags
}

// escape escapes the value of a tag, on one line.
func escape(s string) string {
	s = strings.Map(func(r rune) rune {
		if quote.Safe(r) {
			return r
		}
		return ' '
	}, s)
	return escaped.Replace(s)
}

// Built once: of a match's garbage, a quarter was these.
var (
	escaped   = strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	unescaped = strings.NewReplacer(`\\`, `\`, `\"`, `"`)
)

// noted returns the words of a move and of the comment after it, if there is one. No word begins with { or [, because
// a line may begin with it: fastchess 1.8 ends a game at a comment that begins a line, and [ begins a tag.
func noted(san string, g *dataset.GameRow, notes *Notes, i int, stm board.Color) []string {
	words := []string{san + " {"}
	if i < len(g.Scores) && g.Scores[i] != dataset.NoScore {
		text := evalText(int(g.Scores[i]), stm)
		if i < len(notes.Depths) && notes.Depths[i] > 0 {
			text += fmt.Sprintf(",%d", notes.Depths[i])
		}
		words[0] += " [%eval"
		words = append(words, text+"]")
	}
	if i < len(notes.Times) && notes.Times[i] > 0 {
		ms := notes.Times[i]
		words[len(words)-1] += " [%emt"
		words = append(words, fmt.Sprintf("%d:%02d:%02d.%03d]", ms/3_600_000, ms/60_000%60, ms/1000%60, ms%1000))
	}
	if len(words) == 1 {
		return []string{san}
	}
	return append(words, "}")
}

// writeMoves writes the movetext and the result, in lines of at most lineWidth.
func writeMoves(b *strings.Builder, g *dataset.GameRow, notes *Notes) error {
	line := 0
	token := func(s string) {
		switch {
		case line == 0:
		case line+1+len(s) > lineWidth:
			b.WriteByte('\n')
			line = 0
		default:
			b.WriteByte(' ')
			line++
		}
		b.WriteString(s)
		line += len(s)
	}
	number := true // Black's move needs its number at the start and after a comment
	plies := 0
	for i, game := range g.Replay() {
		plies = i
		if i == len(g.Moves) {
			break
		}
		p := game.Position()
		if !p.IsLegal(g.Moves[i]) {
			return fmt.Errorf("ply %d: move %d is not legal in %s", i, uint16(g.Moves[i]), p.FEN())
		}
		switch {
		case p.SideToMove() == board.White:
			token(fmt.Sprintf("%d.", p.Fullmove()))
		case number:
			token(fmt.Sprintf("%d...", p.Fullmove()))
		}
		words := noted(p.SAN(g.Moves[i]), g, notes, i, p.SideToMove())
		for _, w := range words {
			token(w)
		}
		number = len(words) > 1
	}
	if plies != len(g.Moves) {
		return fmt.Errorf("the game cannot be replayed beyond ply %d of %d", plies, len(g.Moves))
	}
	token(board.GameResult(g.Result).String())
	b.WriteByte('\n')
	return nil
}

// evalText formats a score from White's view, of a position with that side to move: pawns
// with two decimals, or the number of moves to mate, negative if Black mates.
func evalText(score int, stm board.Color) string {
	if score >= -dataset.MaxScore && score <= dataset.MaxScore {
		return fmt.Sprintf("%.2f", float64(score)/100)
	}
	sign, plies := "", dataset.MateScore-score
	if score < 0 {
		sign, plies = "-", dataset.MateScore+score
	}
	// Mates of the side to move take an odd number of plies, of the other an even.
	return fmt.Sprintf("#%s%d", sign, (plies+1)/2)
}

// unfinished is the result of a game that did not end.
const unfinished = "*"

// results are the texts that end a game, as this package writes them; * is none of the three.
var results = map[string]board.GameResult{"1-0": board.WhiteWins, "0-1": board.BlackWins, "1/2-1/2": board.Draw,
	unfinished: board.Draw}

func isResult(s string) bool {
	if s == "" || s[0] > '1' { // most are moves
		return false
	}
	_, is := results[s]
	return is
}

// longestResult is above the number of bytes of any spelling of a result.
const longestResult = 16

// spelled reads the result that a text begins with, however it is spelled: its length, and the text that results has.
// Points are 1, 0, ½, 1/2, 0.5 or 0,5; between them is a hyphen, a dash or a colon, perhaps between spaces. A half
// alone is a draw.
func spelled(s string) (n int, result string) {
	n, white := points(s)
	if n == 0 {
		return 0, ""
	}
	dash := between(s[n:])
	if dash == 0 {
		if white == 1 && ends(s[n:]) {
			return n, "1/2-1/2"
		}
		return 0, ""
	}
	n += dash
	m, black := points(s[n:])
	if m == 0 || white+black != 2 || !ends(s[n+m:]) {
		return 0, ""
	}
	return n + m, [...]string{"0-1", "1/2-1/2", "1-0"}[white]
}

// points reads the points of a player, in halves.
func points(s string) (n, halves int) {
	for _, half := range [...]string{"1/2", "0.5", "0,5", "½", "\xbd"} { // the last in ISO 8859-1
		if strings.HasPrefix(s, half) {
			return len(half), 1
		}
	}
	if s == "" || s[0] != '0' && s[0] != '1' {
		return 0, 0
	}
	return 1, 2 * int(s[0]-'0')
}

// between returns the length of the dash between the points of two players, with its spaces; 0 if there is none.
func between(s string) (n int) {
	n = prefix(s[:min(1, len(s))], " ")
	for _, dash := range [...]string{"-", "–", "—", ":"} {
		if strings.HasPrefix(s[n:], dash) {
			n += len(dash)
			return n + prefix(s[n:min(n+1, len(s))], " ")
		}
	}
	return 0
}

// ends reports whether no word goes on there.
func ends(s string) bool { return s == "" || !symbols[s[0]] }

// endsInResult reports whether a line ends with a result, behind a space or nothing.
func endsInResult(line string) bool {
	for i := len(line) - 1; i >= 0 && i > len(line)-longestResult; i-- {
		if i == 0 || line[i-1] == ' ' {
			if n, _ := spelled(line[i:]); n == len(line)-i || line[i:] == unfinished {
				return true
			}
		}
	}
	return false
}

// result returns what the tag says; "" if it does not say anything.
func (g *Game) result() (string, error) {
	tag := strings.TrimSpace(g.Tag("Result"))
	if tag == "" || tag == "?" || tag == unfinished {
		return strings.TrimPrefix(tag, "?"), nil
	}
	if n, result := spelled(tag); n == len(tag) {
		return result, nil
	}
	return "", fmt.Errorf("the result %.40q is not known: want 1-0, 0-1, 1/2-1/2 or *", tag)
}

// setResult compares the result behind the moves with the tag's. One of the two may be missing.
func (g *Game) setResult(behind string) error {
	tag, err := g.result()
	switch {
	case err != nil:
		return err
	case tag == "":
		tag = behind
	case behind != "" && behind != tag:
		return fmt.Errorf("the result is %q in the tags, but not after the moves", g.Tag("Result"))
	}
	g.Finished = tag != "" && tag != unfinished
	g.Row.Result = int8(results[tag])
	return nil
}
