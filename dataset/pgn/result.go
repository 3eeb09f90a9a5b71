package pgn

import (
	"fmt"
	"strings"

	"github.com/assay-chess/assay/engine/board"
)

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

// setResult compares the result behind the moves with that of the tag. One of the two may be missing.
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
