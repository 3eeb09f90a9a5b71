// Package syzygy reads Syzygy tablebases: who wins a position with 3-7 pieces, and how
// far the next capture or pawn move is. It opens folders of tables, it does not make them.
//
// A .rtbw file has win, draw or loss (WDL) of every position of its material, a .rtbz file the
// distance to zeroing (DTZ). There is no specification but descriptions, by the format's author
// (Ronald de Man) and others, of the steps between a position and its value: normalize the position (index.go),
// number it (index.go), find the block that has this number (pairs.go), decompress it (pairs.go),
// and correct the value by the captures, which the tables leave out (probe.go).
//
// All tables of three and four men, made by the author's generator, are tested against a second reader, Fathom, and of
// five pieces KBBvKN and KNNNvK. All others of 5-7 pieces are tested by the format only. No checksum is computed:
// damage within the compressed values is found only where it makes an impossible code. Start reading at Judge.
package syzygy

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/assay-chess/assay/engine/board"
)

// outcome is the value of a position for the side to move, with the half-move clock at 0.
type outcome int8

// The values of a position. A cursed win and a blessed loss are draws by the 50-move rule.
const (
	lost outcome = iota - 2
	blessedLoss
	drawn
	cursedWin
	won
)

// String returns the value in words, such as "cursed win".
func (v outcome) String() string {
	return [...]string{"loss", "blessed loss", "draw", "cursed win", "win"}[v-lost]
}

// maxMen is the number of men, kings included, that the format can hold.
const maxMen = 7

// errMissing is wrapped by the errors of probes that need a table which is not there: too many
// men, castling rights, or a file that no folder has. Any other error is a damaged or unreadable file.
var errMissing = errors.New("no table")

// tableSet are the tables of some folders. A file is opened when a probe first needs it. All
// methods may be called at once.
type tableSet struct {
	byMaterial map[uint64]entry
	files      []string // base name and size of each, sorted
	men        int
}

// entry is a table as the colours of a position see it.
type entry struct {
	*table
	swapped bool // White of the position is Black of the table
}

// letters are board.PieceType's.
const letters = "PNBRQK"

var tableName = regexp.MustCompile(`^(K[QRBNP]*)v(K[QRBNP]*)\.rtb[wz]$`)

// openTables lists the tables of the folders, which are separated as in PATH (":" or, on Windows, ";").
// Of two tables with the same name it takes the first. A folder that cannot be read, or no table
// at all, is an error.
func openTables(path string) (*tableSet, error) {
	t := &tableSet{byMaterial: map[uint64]entry{}}
	for _, dir := range filepath.SplitList(path) {
		files, err := os.ReadDir(dir)
		if err != nil {
			return nil, fmt.Errorf("syzygy: %w", err)
		}
		for _, f := range files {
			if err := t.add(dir, f); err != nil {
				return nil, fmt.Errorf("syzygy: %w", err)
			}
		}
	}
	if len(t.byMaterial) == 0 {
		return nil, fmt.Errorf("syzygy: no table in %q: want files such as KQvK.rtbw and KQvK.rtbz", path)
	}
	slices.Sort(t.files)
	return t, nil
}

// add lists a file if it is a table.
func (t *tableSet) add(dir string, f fs.DirEntry) error {
	name := tableName.FindStringSubmatch(f.Name())
	if name == nil || len(name[1])+len(name[2]) > maxMen {
		return nil
	}
	key, mirrored := materialKey(name[1], name[2]), materialKey(name[2], name[1])
	e, known := t.byMaterial[key]
	if !known {
		e = entry{table: newTable(name[1], name[2])}
		t.byMaterial[key] = e
		t.byMaterial[mirrored] = entry{e.table, key != mirrored}
		t.men = max(t.men, len(e.men))
	}
	file := &e.wdl
	if strings.HasSuffix(f.Name(), "z") {
		file = &e.dtz
	}
	if file.path != "" {
		return nil
	}
	info, err := os.Stat(filepath.Join(dir, f.Name())) // of the file, where the name is a link
	if err != nil {
		return err
	}
	file.path = filepath.Join(dir, f.Name())
	t.files = append(t.files, fmt.Sprintf("%s %d", f.Name(), info.Size()))
	return nil
}

// materialKey returns the board's key of this material; White has the first men.
func materialKey(white, black string) (key uint64) {
	for side, men := range []string{white, black} {
		for _, l := range men {
			key += 1 << (5 * (strings.IndexRune(letters, l) + 6*side))
		}
	}
	return key
}

func (t *tableSet) find(p *board.Position) (entry, error) {
	if e, ok := t.byMaterial[p.MaterialKey()]; ok {
		return e, nil
	}
	var sides [2]string
	for c := range sides {
		for t := board.King; t < board.NoPieceType; t-- {
			sides[c] += strings.Repeat(string(t.Letter()), p.Pieces(board.Color(c), t).Count())
		}
	}
	return entry{}, fmt.Errorf("syzygy: %w: %sv%s", errMissing, sides[0], sides[1])
}
