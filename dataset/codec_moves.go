package dataset

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/assay-chess/assay/dataset/internal/guard"
)

// MovesFormat is the format of games other than chess: what was played, in the text form of
// the game's moves.
const MovesFormat = "assay.moves/1"

// MovesRow is one game of another game than chess.
type MovesRow struct {
	Game          uint64 // unique among all data; see GameID
	Seed          uint64 // from which the first position follows
	Opening       uint64 // key of the position where the players' own moves begin
	OpeningPlies  uint16 // number of Moves that led there
	Moves         string // all moves, separated by blanks
	Result        int8   // from the first player's view: 1 won, 0 drawn, -1 lost
	First, Second string // weights of the players
}

// Check returns an error if the row is not valid. It does not know the game.
func (m *MovesRow) Check() error {
	plies := len(strings.Fields(m.Moves))
	switch {
	case m.Result < -1 || m.Result > 1:
		return fmt.Errorf("result %d is not -1, 0 or 1", m.Result)
	case int(m.OpeningPlies) > plies:
		return fmt.Errorf("%d opening plies, but %d moves", m.OpeningPlies, plies)
	case plies > MaxPlies:
		return fmt.Errorf("%d moves are more than %d", plies, MaxPlies)
	case !utf8.ValidString(m.Moves):
		return errors.New("the moves are not UTF-8")
	}
	for _, s := range []string{m.First, m.Second} {
		if len(s) > guard.MaxText || !utf8.ValidString(s) {
			return fmt.Errorf("text of %d bytes is too long or not UTF-8: %.40q", len(s), s)
		}
	}
	return nil
}

// movesCodec encodes and decodes assay.moves/1.
type movesCodec struct{}

var movesFields = fields[MovesRow]{
	plain("game", func(m *MovesRow) *uint64 { return &m.Game }),
	plain("seed", func(m *MovesRow) *uint64 { return &m.Seed }),
	plain("opening", func(m *MovesRow) *uint64 { return &m.Opening }),
	plain("opening_plies", func(m *MovesRow) *uint16 { return &m.OpeningPlies }),
	text("moves", false, func(m *MovesRow) *string { return &m.Moves }),
	plain("result", func(m *MovesRow) *int8 { return &m.Result }),
	text("first", false, func(m *MovesRow) *string { return &m.First }),
	text("second", false, func(m *MovesRow) *string { return &m.Second }),
}

func (movesCodec) layout() layout                             { return layout{MovesFormat, "moves", 256, 256} }
func (movesCodec) check(m *MovesRow) error                    { return m.Check() }
func (movesCodec) append(b *array.RecordBuilder, m *MovesRow) { movesFields.append(b, m) }
func (movesCodec) schema() *arrow.Schema                      { return movesFields.schema(metaFormat, MovesFormat) }

func (movesCodec) bind(c *columns) func(int, *MovesRow) error {
	read := movesFields.bind(c)
	return func(i int, m *MovesRow) error {
		read(i, m)
		return m.Check()
	}
}

// NewMovesWriter is NewGameWriter for games other than chess.
func NewMovesWriter(dir string, c WriterConfig, opts ...WriterOption) (*Writer[MovesRow], error) {
	f := movesCodec{}
	return newWriter(dir, c, f, f.layout(), memory.NewGoAllocator(), opts...)
}

// OpenMoves opens a data set of games other than chess.
func OpenMoves(path string, opts ...OpenOption) (*Reader[MovesRow], error) {
	return open(path, func(*arrow.Schema) (codec[MovesRow], error) { return movesCodec{}, nil }, opts)
}
