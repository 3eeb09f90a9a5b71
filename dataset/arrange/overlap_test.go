package arrange

import (
	"path/filepath"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/internal/rowtest"
)

// The counts are those of maps.
func TestCompare(t *testing.T) {
	dir := t.TempDir()
	games := rowtest.Games(8, 30)
	a, b := games[:20], games[12:]
	write := func(name string, rows []dataset.PositionRow) string {
		path := filepath.Join(dir, name)
		writePositions(t, path, rows)
		return path
	}
	rowsA, rowsB := positionsOf(a), positionsOf(b)
	pathA, pathB := write("a", rowsA), write("b", rowsB)
	o, err := Compare(t.Context(), pathA, pathB, nil)
	if err != nil {
		t.Fatal(err)
	}
	names := func(rows []dataset.PositionRow, of func(*dataset.PositionRow) uint64) map[uint64]bool {
		set := map[uint64]bool{}
		for i := range rows {
			if key := of(&rows[i]); key != 0 {
				set[key] = true
			}
		}
		return set
	}
	key := func(p *dataset.PositionRow) uint64 { return p.Board.Key() }
	want := func(of func(*dataset.PositionRow) uint64) Common {
		one, two := names(rowsA, of), names(rowsB, of)
		c := Common{A: int64(len(one)), B: int64(len(two))}
		for k := range one {
			if two[k] {
				c.Both++
			}
		}
		return c
	}
	if w := want(key); o.Positions != w || w.Both == 0 || w.Both == w.A {
		t.Errorf("positions %+v, want %+v", o.Positions, w)
	}
	if w := want(func(p *dataset.PositionRow) uint64 { return p.Game }); o.Games != w || w.Both != 8 {
		t.Errorf("games %+v, want %+v", o.Games, w)
	}
	if w := want(func(p *dataset.PositionRow) uint64 { return p.Opening }); o.Openings != w {
		t.Errorf("openings %+v, want %+v", o.Openings, w)
	}
	inA, inB := int64(0), int64(0)
	for i := range rowsA {
		if names(rowsB, key)[rowsA[i].Board.Key()] {
			inA++
		}
	}
	for i := range rowsB {
		if names(rowsA, key)[rowsB[i].Board.Key()] {
			inB++
		}
	}
	if o.RowsA != inA || o.RowsB != inB {
		t.Errorf("%d and %d rows, want %d and %d", o.RowsA, o.RowsB, inA, inB)
	}

	// Games are their positions.
	gamesA := filepath.Join(dir, "games")
	writeGames(t, gamesA, a)
	mixed, err := Compare(t.Context(), gamesA, pathB, nil)
	if err != nil || mixed.Positions != o.Positions || mixed.RowsB != o.RowsB || mixed.Games != o.Games ||
		mixed.RowsA < 8 {
		t.Errorf("%+v, %v; want %+v", mixed, err, o)
	}
	if same, err := Compare(t.Context(), pathA, pathA, nil); err != nil ||
		same.Positions.Both != same.Positions.A || same.RowsA != int64(len(rowsA)) {
		t.Errorf("%+v, %v", same, err)
	}
}
