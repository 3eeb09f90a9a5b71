package weights

import (
	"bytes"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
)

// numberedFile writes weights of an external evaluation with a table of numbers, 0 but at the square 0.
func numberedFile(t *testing.T, value int) string {
	t.Helper()
	terms := []string{fmt.Sprintf(`{"name": "pst.0", "mg": %d, "eg": %d}`, value, -value)}
	for i := 1; i < 64; i++ {
		terms = append(terms, fmt.Sprintf(`{"name": "pst.%d", "mg": 0, "eg": 0}`, i))
	}
	path := filepath.Join(t.TempDir(), "w.json")
	text := `{"format": "assay.weights/1", "model": "mine", "unit": "centipawn", "K": 0.005, "provenance": {}, ` +
		`"terms": [` + strings.Join(terms, ",\n") + `]}`
	setup.Check(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

// The square of a term has the color of its value: orange above zero, blue below, white without.
func TestPicture(t *testing.T) {
	old, now := numberedFile(t, 0), numberedFile(t, 80)
	for _, c := range []struct {
		args   []string
		boards int
	}{{nil, 2}, {[]string{"--from", old}, 6}} {
		out := filepath.Join(t.TempDir(), "boards.png")
		cmd := newPicture()
		cmd.SetArgs(append([]string{now, "--out", out}, c.args...))
		cmd.SetOut(new(bytes.Buffer))
		setup.Check(t, cmd.Execute())
		data := setup.Must(os.ReadFile(out))
		m := setup.Must(png.Decode(bytes.NewReader(data)))
		if want := int(2*boardWidth)*c.boards + 20; m.Bounds().Dx() != want {
			t.Errorf("%v: %d pixels wide, want %d", c.args, m.Bounds().Dx(), want)
		}
		// corner is the color near the corner of a square of file a.
		corner := func(board, rank int) string {
			x := 2*(float64(boardWidth)*float64(board)+20) + 5
			y := 2*(float64(tableHead)+18+float64(squareSide)*float64(7-rank)) + 5
			r, g, b, _ := m.At(int(x), int(y)).RGBA()
			switch {
			case r>>8 > 240 && b>>8 > 240 && g>>8 > 240:
				return "white"
			case r > b:
				return "orange"
			}
			return "blue"
		}
		last := c.boards/2 - 1 // new values without --from, differences with it
		for rank := range 8 {
			for board, want := range map[int]string{last: "orange", c.boards - 1: "blue"} {
				if rank > 0 {
					want = "white"
				}
				if got := corner(board, rank); got != want {
					t.Errorf("%v: board %d, rank %d: %s, want %s", c.args, board, rank+1, got, want)
				}
			}
		}
	}
}
