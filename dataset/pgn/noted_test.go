package pgn

import (
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/internal/setup"
)

// Depths and times stand beside the scores, and the scores are read back from there.
func TestWriteNoted(t *testing.T) {
	g := game(t, "", "0-1", "f3", "e5", "g4", "Qh4#")
	g.Scores = []int16{dataset.NoScore, 34, -5, -31999}
	notes := Notes{Depths: []uint8{0, 12, 0}, Times: []uint32{0, 1250, 1, 3_600_000 + 61_007}}
	var b strings.Builder
	setup.Check(t, WriteNoted(&b, &g, notes))
	want := `1. f3 e5 { [%eval 0.34,12] [%emt 0:00:01.250] } 2. g4 { [%eval -0.05] [%emt
0:00:00.001] } 2... Qh4# { [%eval #-1] [%emt 1:01:01.007] } 0-1
`
	if !strings.Contains(b.String(), want) {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	for back, err := range Read(strings.NewReader(b.String())) {
		if err != nil || len(back.Row.Scores) != 4 || back.Row.Scores[1] != 34 || back.Row.Scores[2] != -5 ||
			back.Row.Scores[3] != -31999 {
			t.Errorf("read back %+v, %v", back, err)
		}
	}
}
