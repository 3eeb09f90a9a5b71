package heldout

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
)

// material is an evaluator that counts pawns and rooks.
type material struct{}

func (material) Evaluate(positions []board.Position, values []float64) error {
	clear(values)
	for i := range positions {
		for _, c := range []board.Color{board.White, board.Black} {
			v := 100*positions[i].Pieces(c, board.Pawn).Count() + 500*positions[i].Pieces(c, board.Rook).Count()
			if c == board.Black {
				v = -v
			}
			values[i] += float64(v)
		}
	}
	return nil
}

func (material) Close() {}

// TestRowsOfWeight0: rows of weight 0 change no number but their own count.
func TestRowsOfWeight0(t *testing.T) {
	fens := []string{"4k3/8/8/8/8/8/PP6/4K3 w - - 0 1", "4k3/pp6/8/8/8/8/P7/4K3 w - - 0 1",
		"4k3/8/8/8/8/8/R7/4K3 b - - 0 1", "4k3/r7/8/8/8/8/PP6/4K3 w - - 0 1"}
	results := []float32{1, 0, 1, 0.5}
	measure := func(weight float32, extra int) (*Report, error) {
		dir := filepath.Join(t.TempDir(), "positions")
		w, err := dataset.NewPositionWriter(dir, dataset.WriterConfig{Config: "test", Program: "test"})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 40 {
			p, err := board.ParseFEN(fens[i%len(fens)])
			if err != nil {
				t.Fatal(err)
			}
			r := dataset.PositionRow{Board: p, Score: dataset.NoScore, Result: results[i%len(fens)],
				Game: uint64(i/5 + 1), Weight: weight}
			if i < 8 {
				r.Result = 1 - r.Result // no slope is perfect
			}
			if err := w.Append(&r); err != nil {
				t.Fatal(err)
			}
			if i < extra {
				r.Weight, r.Game, r.Result = 0, uint64(i+100), 1
				if err := w.Append(&r); err != nil {
					t.Fatal(err)
				}
			}
		}
		if _, err := w.Finish(nil); err != nil {
			t.Fatal(err)
		}
		d, err := dataset.OpenPositions(dir)
		if err != nil {
			t.Fatal(err)
		}
		return Measure(context.Background(), Config{
			Data:       []*dataset.Reader[dataset.PositionRow]{d},
			Candidates: []Candidate{{Name: "material", Open: func() (Evaluator, error) { return material{}, nil }}},
			Workers:    1,
		})
	}
	a, err := measure(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	b, err := measure(1, 30)
	if err != nil {
		t.Fatal(err)
	}
	if b.Weightless != 30 {
		t.Errorf("%d rows of weight 0 counted, want 30", b.Weightless)
	}
	b.Weightless, b.Data = 0, a.Data
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	if string(x) != string(y) {
		t.Errorf("without rows of weight 0:\n%s\nwith them:\n%s", x, y)
	}
	if _, err := measure(0, 0); !errors.Is(err, ErrNoPositions) {
		t.Errorf("all rows of weight 0: error %v", err)
	}
}
