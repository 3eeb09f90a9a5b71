package lines

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/assay-chess/assay/dataset"
)

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
