package syzygy

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/assay-chess/assay/engine/board"
)

// Judge says how games end with best play, where tables know it. In JSON it is what its answers depend on: the files,
// not where they are. A nil Judge knows nothing.
type Judge struct {
	Men   int    `json:"men"`         // of the largest table, kings included
	Set   string `json:"set"`         // checksum of the files' names and sizes
	Fifty bool   `json:"fifty_moves"` // the 50-move rule holds

	// Say, if not nil, is told once that a table is missing, and once of each damaged file. Positions that need these
	// are not judged.
	Say func(string) `json:"-"`

	tables *tableSet
	said   sync.Map
}

// NewJudge opens the tables of the folders, as Open does.
func NewJudge(path string, fifty bool, say func(string)) (*Judge, error) {
	t, err := openTables(path)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(strings.Join(t.files, "\n")))
	return &Judge{Men: t.men, Set: hex.EncodeToString(sum[:8]), Fifty: fifty, Say: say, tables: t}, nil
}

// Result returns how the game ends from the position, its half-move clock included. ok is false where that is not
// known.
func (j *Judge) Result(p *board.Position) (result board.GameResult, ok bool) {
	if j == nil || j.tables == nil || p.Occupied().Count() > j.Men || p.Castling() != 0 {
		return board.Draw, false
	}
	result, ok, err := j.tables.Result(p, j.Fifty)
	if err == nil {
		return result, ok
	}
	what, key := "this file", err.Error()
	if errors.Is(err, errMissing) {
		what, key = "this or another missing table", "missing"
	}
	if _, said := j.said.LoadOrStore(key, true); !said && j.Say != nil {
		j.Say(fmt.Sprintf("%v; positions that need %s are not adjudicated", err, what))
	}
	return board.Draw, false
}
