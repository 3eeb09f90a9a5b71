package lines

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
)

// Names of columns.
const (
	columnFEN     = "fen"
	columnScore   = "score"
	columnResult  = "result"
	columnPly     = "ply"
	columnGame    = "game"
	columnOpening = "opening"
	columnWeight  = "weight"
	columnIgnored = "_"
)

// columnNames are the columns in the order in which AppendRow writes them.
var columnNames = []string{columnFEN, columnScore, columnResult, columnPly, columnGame, columnOpening, columnWeight}

// aliases are other columnNames for them.
var aliases = map[string]string{
	"epd": columnFEN, "position": columnFEN, "eval": columnScore, "cp": columnScore, "evaluation": columnScore,
	"outcome": columnResult, "wdl": columnResult,
	"game_id": columnGame, "": columnIgnored,
}

// ErrHeader says that a table does not begin with the columnNames of its columns.
var ErrHeader = errors.New("the first line does not name the columns fen and result")

// Table parses the lines of one table.
type Table struct {
	Columns   []string // name of each column: "fen", ..., "_"
	Separator byte
	// Results are the table's values for Black won, draw and White won; nil for the usual
	// spellings.
	Results []string
	Mover   bool // scores are from the side to move's view
}

// ParseColumns parses columnNames of columns, such as "fen", "score" and "_".
func ParseColumns(list []string) ([]string, error) {
	columns := slices.Clone(list)
	for i, c := range columns {
		if c = strings.TrimSpace(c); c != columnIgnored && !slices.Contains(columnNames, c) {
			return nil, fmt.Errorf("column %q is not %s or %s", c, strings.Join(columnNames, ", "), columnIgnored)
		}
		columns[i] = c
	}
	return columns, checkColumns(columns)
}

func checkColumns(columns []string) error {
	for _, c := range columnNames {
		n := 0
		for _, d := range columns {
			if c == d {
				n++
			}
		}
		switch {
		case n > 1:
			return fmt.Errorf("column %q occurs %d times", c, n)
		case n == 0 && (c == columnFEN || c == columnResult):
			return fmt.Errorf("there is no column %q", c)
		}
	}
	return nil
}

// Separator guesses the separator of the cells of a line.
func Separator(line string) byte {
	for _, sep := range []byte("\t,;|") {
		if strings.IndexByte(line, sep) >= 0 {
			return sep
		}
	}
	return ','
}

// Header reads the columnNames of the columns from a table's first line. Unknown columnNames become
// "_". The error is ErrHeader (wrapped) if it is not a header.
func Header(line string) ([]string, error) {
	var columns []string
	known := 0
	for cell := range strings.SplitSeq(line, string(Separator(line))) {
		cell = strings.ToLower(strings.Trim(cell, " \""))
		if name, ok := aliases[cell]; ok {
			cell = name
		}
		if !slices.Contains(columnNames, cell) {
			cell = columnIgnored
		} else {
			known++
		}
		columns = append(columns, cell)
	}
	if known == 0 {
		return nil, fmt.Errorf("%w: %.60q", ErrHeader, line)
	}
	if err := checkColumns(columns); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrHeader, err)
	}
	return columns, nil
}

// SampleColumns are the columns of positions that c-chess-cli samples. It writes no header; scores and results (0 lost,
// 1 drawn, 2 won) are from the view of the side to move.
var SampleColumns = []string{columnFEN, columnScore, columnResult}

// Sample reports whether the first lines of a table are such a sample. A result 2 tells it from other scales; the last
// line may be cut off.
func Sample(text string) bool {
	won := false
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.TrimSpace(line), ",")
		if len(cells) != 3 || strings.Count(cells[0], "/") != 7 || len(cells[2]) != 1 || cells[2] < "0" || cells[2] > "2" {
			return won && !strings.HasSuffix(line, "\n")
		}
		won = won || cells[2] == "2"
	}
	return won
}

// Row parses one line without its line break. Foreign is as in parseScore.
func (t *Table) Row(line string) (r dataset.PositionRow, foreign bool, err error) {
	r = dataset.PositionRow{Score: dataset.NoScore, Weight: 1}
	ply := -1
	rest, more := line, true
	for i, column := range t.Columns {
		if !more {
			return r, foreign, fmt.Errorf("%d cells, want %d", i, len(t.Columns))
		}
		var cell string
		if cell, rest, more, err = cutCell(rest, t.Separator); err != nil {
			return r, foreign, err
		}
		switch column {
		case columnFEN:
			r.Board, err = board.ParseFEN(cell)
		case columnScore:
			r.Score, foreign, err = parseScore(cell)
		case columnResult:
			r.Result, err = t.result(cell)
		case columnPly:
			ply, err = cellNumber(cell, 65535)
		case columnGame:
			r.Game, err = cellID(cell)
		case columnOpening:
			r.Opening, err = cellID(cell)
		case columnWeight:
			var w float64
			w, err = strconv.ParseFloat(cell, 32)
			r.Weight = float32(w)
		}
		if err != nil {
			return r, foreign, fmt.Errorf("column %s: %w", column, err)
		}
	}
	if more {
		return r, foreign, fmt.Errorf("more than %d cells", len(t.Columns))
	}
	if ply < 0 {
		ply = r.Board.Ply()
	}
	r.Ply = uint16(ply)
	if t.Mover && r.Score != dataset.NoScore && r.Board.SideToMove() == board.Black {
		r.Score = -r.Score
	}
	return r, foreign, r.Check()
}

// cut returns the first cell of a line, and the rest.
func cutCell(s string, sep byte) (cell, rest string, more bool, err error) {
	if s == "" || s[0] != '"' {
		i := strings.IndexByte(s, sep)
		if i < 0 {
			return strings.TrimSpace(s), "", false, nil
		}
		return strings.TrimSpace(s[:i]), s[i+1:], true, nil
	}
	for i := 1; i < len(s); i++ {
		if s[i] != '"' {
			continue
		}
		if i+1 < len(s) && s[i+1] == '"' {
			i++ // a doubled quote is a quote in the cell
			continue
		}
		cell = strings.ReplaceAll(s[1:i], `""`, `"`)
		switch rest = s[i+1:]; {
		case rest == "":
			return cell, "", false, nil
		case rest[0] == sep:
			return cell, rest[1:], true, nil
		}
		break
	}
	return "", "", false, fmt.Errorf("quotes do not close: %.40q", s)
}

func (t *Table) result(cell string) (float32, error) {
	if t.Results == nil {
		return parseResult(cell)
	}
	i := slices.Index(t.Results, cell)
	if i < 0 {
		return 0, fmt.Errorf("%.20q is none of %s", cell, strings.Join(t.Results, ", "))
	}
	return float32(i) / 2, nil
}

func cellNumber(cell string, most uint64) (int, error) {
	n, err := strconv.ParseUint(cell, 10, 64)
	if err != nil || n > most {
		return 0, fmt.Errorf("%.20q is not a number from 0 to %d", cell, most)
	}
	return int(n), nil
}

func cellID(cell string) (uint64, error) {
	if cell == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(cell, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%.40q is not a 64-bit number", cell)
	}
	return n, nil
}

// AppendHeader appends the first line of a table that AppendRow's rows follow.
func AppendHeader(b []byte, sep byte) []byte {
	return append(append(b, strings.Join(columnNames, string(sep))...), '\n')
}

// AppendRow appends a row as a line. Unknown values are empty cells.
func AppendRow(b []byte, r *dataset.PositionRow, sep byte) []byte {
	b = append(b, r.Board.FEN()...)
	b = append(b, sep)
	if r.Score != dataset.NoScore {
		b = strconv.AppendInt(b, int64(r.Score), 10)
	}
	b = append(b, sep)
	b = strconv.AppendFloat(b, float64(r.Result), 'g', -1, 32)
	b = append(b, sep)
	b = strconv.AppendUint(b, uint64(r.Ply), 10)
	for _, id := range []uint64{r.Game, r.Opening} {
		b = append(b, sep)
		if id != 0 {
			b = strconv.AppendUint(b, id, 10)
		}
	}
	b = append(b, sep)
	b = strconv.AppendFloat(b, float64(r.Weight), 'g', -1, 32)
	return append(b, '\n')
}

// AppendPositionJSON appends a row as a line.
func AppendPositionJSON(b []byte, r *dataset.PositionRow) []byte {
	b = append(b, `{"fen":"`...) // no character of a FEN needs an escape
	b = append(b, r.Board.FEN()...)
	b = append(b, `","score":`...)
	if r.Score == dataset.NoScore {
		b = append(b, "null"...)
	} else {
		b = strconv.AppendInt(b, int64(r.Score), 10)
	}
	b = append(b, `,"result":`...)
	b = strconv.AppendFloat(b, float64(r.Result), 'g', -1, 32)
	b = append(b, `,"ply":`...)
	b = strconv.AppendUint(b, uint64(r.Ply), 10)
	b = appendID(append(b, `,"game":`...), r.Game)
	b = appendID(append(b, `,"opening":`...), r.Opening)
	b = append(b, `,"weight":`...)
	b = strconv.AppendFloat(b, float64(r.Weight), 'g', -1, 32)
	return append(b, "}\n"...)
}

func appendID(b []byte, id uint64) []byte {
	if id == 0 {
		return append(b, "null"...)
	}
	b = strconv.AppendUint(append(b, '"'), id, 10)
	return append(b, '"')
}

// gameJSON is a line.
type gameJSON struct {
	Game         uint64   `json:"game,string"`
	Variant      string   `json:"variant"`
	Start        *string  `json:"start"`
	Opening      uint64   `json:"opening,string"`
	OpeningPlies uint16   `json:"opening_plies"`
	Moves        []string `json:"moves"` // as UCI writes them
	Scores       []*int16 `json:"scores"`
	Nodes        uint32   `json:"nodes"`
	Result       int8     `json:"result"`
	Termination  string   `json:"termination"`
	White        string   `json:"white"`
	Black        string   `json:"black"`
	Seed         uint64   `json:"seed,string"`
}

// AppendGameJSON appends a game that passes its Check as a line. Moves are in UCI notation.
func AppendGameJSON(b []byte, g *dataset.GameRow) ([]byte, error) {
	row := gameJSON{Game: g.Game, Variant: g.Variant, Opening: g.Opening, OpeningPlies: g.OpeningPlies,
		Moves: []string{}, Scores: []*int16{}, Nodes: g.Nodes, Result: g.Result, Termination: g.Termination,
		White: g.White, Black: g.Black, Seed: g.Seed}
	if g.Start != "" {
		row.Start = &g.Start
	}
	for i, played := range g.Replay() {
		if i < len(g.Moves) {
			row.Moves = append(row.Moves, played.Position().UCI(g.Moves[i]))
		}
	}
	for i := range g.Scores {
		row.Scores = append(row.Scores, nil)
		if g.Scores[i] != dataset.NoScore {
			row.Scores[i] = &g.Scores[i]
		}
	}
	line, err := json.Marshal(&row)
	if err != nil {
		return b, fmt.Errorf("game %d: %w", g.Game, err)
	}
	return append(append(b, line...), '\n'), nil
}
