package records

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

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
