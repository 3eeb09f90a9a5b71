// Package dataset reads and writes games and positions on disk. It has three Arrow
// schemas, writers that resume after a crash, and readers that check everything they read:
//
//   - GameRow (assay.games/1) is the source of truth: one row per game, with every move
//     and every score.
//   - PositionRow (assay.positions/1) is what a tuner trains on.
//   - FeatureRow (assay.features/2) is a position seen through the evaluation of another
//     engine.
//
// A data set is a folder of Arrow IPC files with a manifest.json; FORMAT.md describes it
// for other programs. A Writer appends rows, and resumes after a crash at the last whole
// shard. A Reader compares the size and checksum of each shard before decoding it, then
// checks every row. A file without a manifest can be read too; it is reported as not
// verified.
//
// Scores (in centipawns) and results are from White's view. A search scores from the view
// of the side to move: the code that stores such a score converts it.
//
// This package plays nothing and evaluates nothing. Package positions makes data sets of
// positions, arrange merges, splits, shuffles and compares data sets, convert and the
// packages of the formats (lines, pgn, internal/records) import and export, and features
// makes data sets of features with other engines.
//
// Start reading at GameRow and NewGameWriter.
package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

// Names of the formats, as in the metadata of each file and in manifests.
const (
	GamesFormat     = "assay.games/1"
	PositionsFormat = "assay.positions/1"
	FeaturesFormat  = "assay.features/2"
	featuresFormat1 = "assay.features/1" // see FeatureSet.Version
)

// IsFeatures reports whether a format is one of features.
func IsFeatures(format string) bool { return format == FeaturesFormat || format == featuresFormat1 }

// Scores are centipawns from White's view, as in package engine. NoScore is null in a
// file.
const (
	NoScore   = engine.NoScore
	MaxScore  = engine.MaxScore // larger ones are mates
	MateScore = engine.MateScore
)

// Variants of chess.
const (
	Standard = "standard"
	Chess960 = "chess960"
)

// MaxPlies bounds the length of a game. The longest game that the fifty-move rule
// allows is shorter.
const MaxPlies = 16384

// GameRow is one game.
type GameRow struct {
	Game         uint64       // unique among all data; see GameID
	Variant      string       // Standard or Chess960
	Start        string       // FEN of the first position; empty for standard chess's
	Opening      uint64       // key of the position where the players' own moves begin
	OpeningPlies uint16       // number of Moves that led there; they were not searched
	Moves        []board.Move // all moves from Start on
	Scores       []int16      // Scores[i] is the search before Moves[i]: centipawns, White's view, or NoScore
	Nodes        uint32       // node limit per move; 0 for none
	Result       int8         // 1 White won, 0 draw, -1 Black won
	Termination  string       // why the game ended: a rule of chess, or an adjudication
	White, Black string       // player and weights
	Seed         uint64       // of the game
}

// KeepScoresOf removes the scores of the other player, and reports whether the player has any.
func (g *GameRow) KeepScoresOf(player string) (some bool) {
	side := board.ToMove(g.Start, 0)
	for i := range g.Scores {
		if [2]string{g.White, g.Black}[side] != player {
			g.Scores[i] = NoScore
		}
		some = some || g.Scores[i] != NoScore
		side = side.Other()
	}
	return some
}

// PositionRow is one position with its labels.
type PositionRow struct {
	Board   board.Position // its move number is not stored; it is read back as Ply/2 + 1
	Ply     uint16         // plies since the start of the game
	Score   int16          // of a search: centipawns, White's view, or NoScore
	Result  float32        // of the game: 1 White won, 0.5 draw, 0 Black won
	Game    uint64         // GameRow.Game; 0 if unknown
	Opening uint64         // GameRow.Opening; 0 if unknown
	Weight  float32        // normally 1
}

// FeatureRow is one position as the counts of an evaluation's terms. Its evaluation is
// FeatureSet.Value, in engine units and White's view.
type FeatureRow struct {
	Terms  []uint16  // indices into FeatureSet.Terms, ascending, without repeats
	Counts []float32 // White's count minus Black's
	// EGCounts are the counts of the endgame half, where sides are scaled on their own
	// (FeatureSet.BySide): White's count times its factor minus Black's times its factor.
	EGCounts []float32

	Phase   float32 // factor of the middlegame half; 1 minus it is the endgame half's
	Scale   float32 // factor of the tapered part; normally 1
	EGScale float32 // factor of the endgame half; normally 1; not used in version 1
	Offset  float32 // the part that is not tuned
	Eval    float32 // evaluation of the engine that counted, or NoEval
	Result  float32 // as in PositionRow
	Score   int16   // as in PositionRow: centipawns
	Game    uint64  // as in PositionRow
	Opening uint64  // as in PositionRow
	Weight  float32 // as in PositionRow
}

// NoEval is the Eval of a row without one.
const NoEval float32 = -math.MaxFloat32

// numberBits is how many bits of a game's id are its number.
const numberBits = 24

// GameID returns the identity of a run's game: the number plus 2^24 times the first five bytes,
// little endian, of the SHA-256 of run. It is never 0, which stands for no game.
func GameID(run string, number uint64) uint64 {
	sum := sha256.Sum256([]byte(run))
	return max(1, binary.LittleEndian.Uint64(sum[:8])<<numberBits+number)
}

// GameNumber returns the number, modulo 2^24, of the game with an id of GameID. Splits of games depend on
// it and on a seed alone, so that equal games are split alike whatever their players are called.
func GameNumber(id uint64) uint64 { return id & (1<<numberBits - 1) }

// ResultOf converts GameRow.Result to PositionRow.Result: 0, 0.5 or 1.
func ResultOf(result int8) float32 { return (1 + float32(result)) / 2 }

// Replay yields the plies of the game in order: the number of moves played so far and the
// game at that point, from the start (0) to the end (len(Moves)). The *board.Game is one
// object that grows; Clone it to keep it. For a row that does not pass Check, the sequence
// stops before the first illegal move.
func (g *GameRow) Replay() iter.Seq2[int, *board.Game] {
	return func(yield func(int, *board.Game) bool) {
		start, err := g.begin()
		if err != nil {
			return
		}
		game := board.NewGame(start)
		for i, m := range g.Moves {
			if !yield(i, game) || !game.Position().IsLegal(m) {
				return
			}
			game.Push(m)
		}
		yield(len(g.Moves), game)
	}
}

// NewGameRow returns the row of a played game: start, moves and, if the rules decided the
// game, result and termination. Its scores are NoScore and its opening is empty; the caller
// sets the other fields.
func NewGameRow(game *board.Game) (GameRow, error) {
	start := game.Start()
	row := GameRow{Variant: Standard, Moves: slices.Clone(game.Moves()), Scores: make([]int16, len(game.Moves()))}
	if start.Chess960() {
		row.Variant = Chess960
	}
	if start != board.StartPosition() {
		row.Start = start.FEN()
	}
	row.Opening = start.Key()
	for i := range row.Scores {
		row.Scores[i] = NoScore
	}
	if result, why, over := game.Outcome(); over {
		row.Result, row.Termination = int8(result), string(why)
	}
	if len(row.Moves) > MaxPlies {
		return row, fmt.Errorf("dataset: a game of %d plies is longer than %d", len(row.Moves), MaxPlies)
	}
	return row, nil
}

// forfeitWords are the reasons for which a game ends without its position having decided it, and
// the words of programs and servers for them. In comments they are full phrases, because a
// person may write anything there.
var forfeitWords = []struct {
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

// Forfeits counts games that ended by a forfeit, by reason.
type Forfeits map[string]int64

// Add counts games with that reason, which Forfeit returned.
func (f *Forfeits) Add(reason string, games int64) {
	if reason == "" {
		return
	}
	if *f == nil {
		*f = Forfeits{}
	}
	(*f)[reason] += games
}

// Games returns the number of games.
func (f Forfeits) Games() (n int64) {
	for _, k := range f {
		n += k
	}
	return n
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
