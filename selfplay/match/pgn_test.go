package match

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay/sprt"
)

// pgnText writes a game of two moves from an opening.
func pgnText(round, fen, white, black, result, moves string) string {
	text := fmt.Sprintf("[Event \"x\"]\n[Round %q]\n[White %q]\n[Black %q]\n[Result %q]\n", round, white, black, result)
	if fen != "" {
		text += fmt.Sprintf("[SetUp \"1\"]\n[FEN %q]\n", fen)
	}
	return text + "\n" + moves + " " + result + "\n\n"
}

func TestPairsOfPGN(t *testing.T) {
	const fen1, fen2 = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
		"rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 2"
	const e4, d4 = "1. e4 e5 2. Nf3", "1. d4 d5 2. c4"
	for name, tt := range map[string]struct {
		text       string
		pairs      sprt.Pentanomial
		unpaired   int
		unfinished int
	}{
		"by round, interleaved": {
			pgnText("1", fen1, "A", "B", "1-0", "2. Nf3") + pgnText("2", fen2, "A", "B", "0-1", "2. c4") +
				pgnText("2", fen2, "B", "A", "1/2-1/2", "2. c4") + pgnText("1", fen1, "B", "A", "0-1", "2. Nf3"),
			sprt.Pentanomial{0, 1, 0, 0, 1}, 0, 0},
		"rounds with parts": {
			pgnText("1.1", "", "B", "A", "1-0", e4) + pgnText("1.2", "", "A", "B", "1-0", e4) +
				pgnText("2.1", "", "A", "B", "1/2-1/2", d4) + pgnText("2.2", "", "B", "A", "0-1", d4),
			sprt.Pentanomial{0, 0, 1, 1, 0}, 0, 0},
		"no rounds, in order": {
			pgnText("?", "", "A", "B", "1-0", e4) + pgnText("?", "", "B", "A", "1-0", e4) + pgnText("?", "", "A", "B", "1-0",
				d4) + pgnText("-", "", "B", "A", "1-0", e4),
			sprt.Pentanomial{0, 0, 1, 0, 0}, 2, 0},
		"a round each, one unfinished": {
			pgnText("1", "", "A", "B", "1-0", e4) + pgnText("2", "", "B", "A", "0-1", e4) + pgnText("3", "", "A", "B", "*",
				d4) + pgnText("4", "", "B", "A", "0-1", d4),
			sprt.Pentanomial{0, 0, 0, 0, 1}, 1, 1},
		"same colors": {pgnText("1", fen1, "A", "B", "1-0", "2. Nf3") + pgnText("1", fen1, "A", "B", "1-0", "2. Nf3"),
			sprt.Pentanomial{}, 2, 0},
	} {
		path := filepath.Join(t.TempDir(), "m.pgn")
		setup.Check(t, os.WriteFile(path, []byte(tt.text), 0o644))
		c, err := CountPGN(t.Context(), path, "A", "B")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if c.Pairs != tt.pairs || c.Unpaired != tt.unpaired || c.Unfinished != tt.unfinished {
			t.Errorf("%s: %+v", name, c)
		}
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, err = z.Write([]byte(tt.text))
		setup.Check(t, errors.Join(err, z.Close(), os.WriteFile(path+".gz", packed.Bytes(), 0o644)))
		if again, err := CountPGN(t.Context(), path+".gz", "A", "B"); err != nil || !reflect.DeepEqual(again, c) {
			t.Errorf("%s, packed: %+v, %v", name, again, err)
		}
		if _, err := CountPGN(t.Context(), path, "", "C"); !errors.Is(err, ErrPlayers) {
			t.Errorf("%s: another opponent: %v", name, err)
		}
	}
}
