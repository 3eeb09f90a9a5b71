package synthetic

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/tuner/rows"
)

// RandomPlay returns positions of games of random moves, with results and scores that follow the
// material on the board. Every fourth game shares its opening with the one before.
func RandomPlay(games, plies int, seed uint64) rows.Source {
	r := rand.New(rand.NewPCG(seed, 3))
	worth := [...]int{100, 310, 330, 500, 940}
	var list []dataset.PositionRow
	for g := range games {
		pos, luck := board.StartPosition(), r.Float64()
		for ply := range plies {
			moves := pos.LegalMoves(nil)
			if len(moves) == 0 {
				break
			}
			pos.Make(moves[r.IntN(len(moves))])
			if ply < 10 || ply%3 > 0 {
				continue
			}
			material := 0
			for p, v := range worth {
				material += v * (pos.Pieces(board.White, board.PieceType(p)).Count() - pos.Pieces(board.Black, board.PieceType(p)).Count())
			}
			row := dataset.PositionRow{Board: pos, Ply: uint16(ply + 1), Score: int16(material + r.IntN(61) - 30), Result: 0.5,
				Game: uint64(g + 1), Opening: uint64(g - g%4/3 + 1000), Weight: 1}
			switch p := 1 / (1 + math.Exp(-0.004*float64(material))); {
			case luck < p-0.1:
				row.Result = 1
			case luck > p+0.1:
				row.Result = 0
			}
			if r.IntN(20) == 0 {
				row.Score = dataset.NoScore
			}
			list = append(list, row)
		}
	}
	return rows.Source{Name: "random play", Rows: Seq(list), Len: int64(len(list))}
}

// Seq yields the rows of a list.
func Seq[T any](list []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, row := range list {
			if !yield(row, nil) {
				return
			}
		}
	}
}

// Text is what a golden file holds: named lists of numbers, to eight digits.
type Text struct{ strings.Builder }

// Add appends a line.
func (t *Text) Add(name string, values ...float64) {
	fmt.Fprintf(t, "%s:", name)
	for _, v := range values {
		if math.Abs(v) < 1e-11 {
			v = 0
		}
		fmt.Fprintf(t, " %.8g", v)
	}
	t.WriteByte('\n')
}

// Sums appends a long list as its sums with three weightings, which no change of one number or of the
// order leaves alone.
func (t *Text) Sums(name string, list []float64) {
	var a, b, c float64
	for i, v := range list {
		a, b, c = a+v, b+v*float64(i+1), c+v*math.Cos(float64(i))
	}
	t.Add(fmt.Sprintf("%s, %d numbers", name, len(list)), a, b, c)
}

// Golden compares the text with a file of testdata, or writes the file.
func (t *Text) Golden(tb testing.TB, file string, update bool) {
	tb.Helper()
	path := filepath.Join("testdata", file)
	if update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(t.String()), 0o644); err != nil {
			tb.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	got, old := strings.Split(t.String(), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(got), len(old)) {
		switch {
		case i >= len(got):
			tb.Fatalf("%s: missing %q", path, old[i])
		case i >= len(old) || got[i] != old[i]:
			tb.Fatalf("%s, line %d:\ngot  %s\nwant %s", path, i+1, got[i], append(old, "")[min(i, len(old))])
		}
	}
}
