package records

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/internal/datatest"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

// read reads a file to the end.
func read(file []byte) (rows []dataset.PositionRow, bad []*PositionError, err error) {
	err = ReadBinpack(bytes.NewReader(file), false, func(r *dataset.PositionRow, e *PositionError) error {
		if e != nil {
			bad = append(bad, e)
		} else {
			rows = append(rows, *r)
		}
		return nil
	})
	return rows, bad, err
}

// special reports whether a move castles, captures en passant, or promotes to less than a queen.
func special(p *board.Position, m board.Move) [3]bool {
	return [3]bool{p.IsCastling(m), p.IsEnPassant(m), m.Promotion() < board.Queen}
}

// games returns the rows that testdata/games.binpack must have, and their moves: random games that like special moves.
// Every seventh row is missing, so that chains begin within games, and some have no score.
func games() (rows []dataset.PositionRow, moves []board.Move) {
	rng := datatest.Rand(1)
	for n := range 30 {
		p, _ := board.ParseFEN(cmp.Or(datatest.Starts[n%5], board.StartFEN))
		result := float32(rng.IntN(3)) / 2
		for ply := range 70 {
			legal := p.LegalMoves(nil)
			if len(legal) == 0 {
				break
			}
			m := legal[rng.IntN(len(legal))]
			for _, other := range legal {
				if special(&p, other) != [3]bool{} && rng.IntN(3) > 0 {
					m = other
				}
			}
			score := int16(rng.IntN(600) - 300)
			if score > 250 {
				score = []int16{dataset.NoScore, 100 * score, -100 * score}[rng.IntN(3)]
			}
			if ply%7 < 6 {
				rows = append(rows, dataset.PositionRow{Board: p, Ply: uint16(ply), Score: score, Result: result, Weight: 1})
				moves = append(moves, m)
			}
			p.Make(m)
		}
	}
	return rows, moves
}

func reference(t testing.TB) []byte {
	t.Helper()
	return setup.Must(os.ReadFile("testdata/games.binpack"))
}

// games.binpack was written by the writer of nnue-pytorch from the rows of games; no score as 32002 or -32002.
func TestBinpackReference(t *testing.T) {
	want, moves := games()
	got, bad, err := read(reference(t))
	if err != nil || bad != nil || len(got) != len(want) {
		t.Fatalf("%d rows, want %d; %v, %v", len(got), len(want), bad, err)
	}
	kinds := [3]int{}
	for i, r := range want {
		same := got[i].Board.Key() == r.Board.Key() && got[i].Board.Halfmove() == r.Board.Halfmove()
		if got[i].Board = r.Board; !same || got[i] != r { // the move number follows from the ply
			t.Fatalf("row %d: %+v\nwant %+v", i, got[i], r)
		}
		for k, is := range special(&r.Board, moves[i]) {
			if is {
				kinds[k]++
			}
		}
	}
	if min(kinds[0], kinds[1], kinds[2]) < 3 {
		t.Errorf("castling, en passant and underpromotion: %d", kinds)
	}
}

// A file that was cut anywhere but behind a chunk is an error, and what was read before it is the same.
func TestBinpackCut(t *testing.T) {
	file := reference(t)
	whole, _, _ := read(file)
	for n := 1; n < len(file); n += 1 + n/50 {
		rows, bad, err := read(file[:n])
		if !errors.Is(err, io.ErrUnexpectedEOF) || rows != nil || bad != nil {
			t.Fatalf("%d of %d bytes: %d rows, %v, %v", n, len(file), len(rows), bad, err)
		}
	}
	if rows, _, err := read(append(bytes.Clone(file), file...)); err != nil || len(rows) != 2*len(whole) {
		t.Errorf("two chunks: %d rows, %v, want %d", len(rows), err, 2*len(whole))
	}
}

// A stem alone that is wrong costs its own row; one with moves costs the rest of its chunk, and says so.
func TestBinpackDamage(t *testing.T) {
	file := reference(t)
	all, _, _ := read(file)
	change := func(b []byte, at int, to byte) []byte { b = bytes.Clone(b); b[at] = to; return b }
	stem := change(change(file[headSize:headSize+stemSize], stemSize-2, 0), stemSize-1, 0)
	for _, tt := range []struct {
		chain []byte
		text  string
		rows  int // of the chain, and of the stem behind it
	}{
		{change(stem, 8, 0), "byte 42: invalid position", 1},
		{change(stem, 28, 0xc0), "result -1", 1},
		{change(change(stem, stemSize-1, 1), 25, 0), "the 68 bytes up to the next chunk are lost", 1},
		{stem[:20], "invalid position", 0},
	} {
		chunk := append(append(bytes.Clone(stem), tt.chain...), stem...)
		data := append(append([]byte(magic), byte(len(chunk)), 0, 0, 0), chunk...)
		rows, found, err := read(append(data, file...))
		var bad strings.Builder
		for _, e := range found {
			fmt.Fprintf(&bad, "byte %d: %v\n", e.Byte, e.Err)
		}
		if err != nil || !strings.Contains(bad.String(), tt.text) || len(rows) != 1+tt.rows+len(all) {
			t.Errorf("%s: %d rows, %s, %v", tt.text, len(rows)-len(all), &bad, err)
		}
	}
	for text, file := range map[string]string{"no binpack": "BINQ1234", "damaged": "BINP\xff\xff\xff\xff"} {
		if _, _, err := read([]byte(file)); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%q: %v", file, err)
		}
	}
}

// Whatever a file holds, its rows are positions with labels, and the reader ends.
func FuzzBinpack(f *testing.F) {
	file := reference(f)
	f.Add(file)
	f.Add(file[:300])
	f.Fuzz(func(t *testing.T, data []byte) {
		rows, _, _ := read(data)
		for _, r := range rows {
			if _, err := board.ParseFEN(r.Board.FEN()); err != nil || r.Check() != nil {
				t.Fatalf("%+v, %v", r, err)
			}
		}
	})
}

// A record worked out by hand: king and pawn against king, Black to move, Black loses.
// Seen from Black: own king e1 (4), white king e8 (60) flipped e1 (4), white pawn e7 (52).
func TestBulletLayout(t *testing.T) {
	p := setup.Must(board.ParseFEN("4k3/8/8/8/8/8/4P3/4K3 b - - 0 1"))
	row := dataset.PositionRow{Board: p, Score: 300, Result: 1, Weight: 1}
	got, err := AppendBullet(nil, &row)
	// pieces in the order e1, e7, e8: own king 5, pawn 8, king 13; the score is -300.
	const want = "1000000000001010" + "850d0000000000000000000000000000" + "d4fe" + "00" + "04" + "04" + "000000"
	if err != nil || hex.EncodeToString(got) != want {
		t.Errorf("%x, %v\nwant %s", got, err, want)
	}
}

// randomRow is a position of a random game.
func randomRow(rng *rand.Rand) dataset.PositionRow {
	p := board.StartPosition()
	for range rng.IntN(120) {
		if moves := p.LegalMoves(nil); len(moves) > 0 {
			p.Make(moves[rng.IntN(len(moves))])
		}
	}
	return dataset.PositionRow{Board: p, Score: int16(rng.IntN(64001) - 32000), Result: float32(rng.IntN(3)) / 2,
		Weight: 1}
}

// What is read back is the position from the mover's view, without castling and such.
func TestBulletRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 500 {
		row := randomRow(rng)
		rec, err := AppendBullet(nil, &row)
		if err != nil || len(rec) != BulletSize {
			t.Fatal(rec, err)
		}
		got, foreign, err := ParseBullet(rec)
		if err != nil || foreign {
			t.Fatalf("%s: %v", row.Board.FEN(), err)
		}
		want := row
		if row.Board.SideToMove() == board.Black {
			want.Board, want.Score, want.Result = row.Board.Mirror(), -row.Score, 1-row.Result
		}
		for c := board.White; c <= board.Black; c++ {
			for k := board.Pawn; k <= board.King; k++ {
				if got.Board.Pieces(c, k) != want.Board.Pieces(c, k) {
					t.Fatalf("%s is read back as %s", row.Board.FEN(), got.Board.FEN())
				}
			}
		}
		if got.Score != want.Score || got.Result != want.Result || got.Board.SideToMove() != board.White {
			t.Fatalf("%+v is read back as %+v", row, got)
		}
		again, err := AppendBullet(nil, &got)
		if err != nil || !bytes.Equal(again, rec) {
			t.Fatalf("%x, then %x, %v", rec, again, err)
		}
	}
}

func TestPositionsThatBulletCannotStore(t *testing.T) {
	row := dataset.PositionRow{Board: board.StartPosition(), Score: dataset.NoScore, Result: 1, Weight: 1}
	if b, err := AppendBullet(nil, &row); !errors.Is(err, ErrNoScore) || len(b) != 0 {
		t.Error(b, err)
	}
	row.Score, row.Result = 0, 0.3
	if b, err := AppendBullet(nil, &row); err == nil || len(b) != 0 {
		t.Error(b, err)
	}
}

// Any 32 bytes are a position that is written as they are, or an error.
func FuzzBullet(f *testing.F) {
	rng := rand.New(rand.NewPCG(2, 2))
	for range 5 {
		row := randomRow(rng)
		rec, _ := AppendBullet(nil, &row)
		f.Add(rec)
	}
	f.Fuzz(func(t *testing.T, rec []byte) {
		if len(rec) != BulletSize {
			return
		}
		row, foreign, err := ParseBullet(rec)
		if err != nil || foreign {
			return
		}
		again, err := AppendBullet(nil, &row)
		if err != nil || !bytes.Equal(again[:8], rec[:8]) || !bytes.Equal(again[24:28], rec[24:28]) {
			t.Fatalf("%x is written as %x, %v", rec, again, err)
		}
	})
}
