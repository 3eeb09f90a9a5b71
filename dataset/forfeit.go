package dataset

import (
	"encoding/json"
	"slices"
	"strings"
)

// forfeitWords are the reasons for which a game ends without its position having decided it, and
// the words of programs and servers for them. In comments they are full phrases, because a
// person may write anything there.
var forfeitWords = [len(Forfeits{})]struct {
	reason string
	words  [2][]string // in tags, in comments
}{
	{"time-forfeit", [2][]string{
		{"time forfeit", "timeforfeit", "on time", "out of time", "timeout", "time out", "timed out", "flag", "time loss"},
		{"loses on time", "lost on time", "forfeits on time", "forfeited on time", "wins on time", "won on time",
			"ran out of time", "time forfeit", "time out", "flag fell"}}},
	{"illegal-move", [2][]string{{"illegal", "invalid move"}, {"illegal move", "invalid move"}}},
	{"rules-infraction", [2][]string{
		{"infraction", "violation", "cheat", "invalid result"}, {"rules infraction", "invalid result claim"}}},
	{"player-failed", [2][]string{
		{"player failed", "crash", "unexpectedly", "engine error"}, {"crashes", "crashed", "unexpectedly"}}},
	{"abandoned", [2][]string{
		{"abandon", "disconnect", "stall", "left the game", "unterminated", "interrupted", "emergency", "death", "no show"},
		{"disconnects", "disconnected", "disconnection", "connection stalls", "left the game", "game abandoned"}}},
	{"forfeit", [2][]string{{"forfeit"}, {"forfeits", "forfeited"}}},
}

// Forfeit returns why a game with that termination says nothing about its positions:
// time-forfeit, illegal-move, rules-infraction, player-failed, abandoned or forfeit. It is
// empty where the position, a resignation or an adjudication decided. Every spelling counts that
// the tag Termination of a PGN file may have.
func Forfeit(termination string) (reason string) {
	s := plainWords(termination)
	if i := strings.LastIndex(s, " won "); i >= 0 {
		s = s[i:] // chess.com begins with the player's name, which may be any word
	}
	return reasonIn(s, 0)
}

// ForfeitComment is Forfeit for the comment behind the last move of a game, where programs
// that write no tag Termination give the reason: "-0.22/12 0.5s, White loses on time".
func ForfeitComment(comment string) (reason string) {
	return reasonIn(plainWords(comment), 1)
}

// reasonIn looks for the words of tags or of comments.
func reasonIn(s string, place int) string {
	for _, w := range forfeitWords {
		if slices.ContainsFunc(w.words[place], func(word string) bool { return strings.Contains(s, word) }) {
			return w.reason
		}
	}
	return ""
}

// Forfeits counts games that ended by a forfeit, by reason. In JSON it is an object.
type Forfeits [6]int64

// Add counts games with that reason, which Forfeit returned.
func (f *Forfeits) Add(reason string, games int64) {
	for i, w := range forfeitWords {
		if w.reason == reason {
			f[i] += games
		}
	}
}

// ByReason returns the reasons that occurred.
func (f *Forfeits) ByReason() map[string]int64 {
	m := map[string]int64{}
	for i, n := range f {
		if n > 0 {
			m[forfeitWords[i].reason] = n
		}
	}
	return m
}

// Games returns the number of games.
func (f *Forfeits) Games() (n int64) {
	for _, k := range f {
		n += k
	}
	return n
}

func (f Forfeits) MarshalJSON() ([]byte, error) { return json.Marshal(f.ByReason()) }

func (f *Forfeits) UnmarshalJSON(text []byte) error {
	var m map[string]int64
	err := json.Unmarshal(text, &m)
	*f = Forfeits{}
	for reason, n := range m {
		f.Add(reason, n)
	}
	return err
}

func plainWords(s string) string {
	apart := func(c rune) bool { return c == ' ' || c == '-' || c == '_' || c == '\n' }
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), apart), " ")
}

// DrawByRule reports whether the rules make the position a draw, by its material, its clock or
// stalemate, although its result is not one: such a label is wrong.
func (p *PositionRow) DrawByRule() bool {
	return p.Result != 0.5 && (p.Board.InsufficientMaterial() || p.Board.Halfmove() >= 100 ||
		!p.Board.InCheck() && p.Board.CountLegal() == 0)
}
