package lines

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

const fen4 = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -"

func TestParseEPD(t *testing.T) {
	none := float32(-1)
	for _, c := range []struct {
		in, fen string
		result  float32
		ops     map[string]string
	}{
		{fen4, fen4 + " 0 1", none, nil},
		{fen4 + " 5 9", fen4 + " 5 9", none, nil},
		{"  " + fen4 + "\t5 9 \r", fen4 + " 5 9", none, nil},
		{fen4 + " - -", fen4 + " 0 1", none, nil},
		{fen4 + " 5 9; [0.5]", fen4 + " 5 9", 0.5, nil},
		{fen4 + " [1.0]", fen4 + " 0 1", 1, nil},
		{fen4 + " 5 9 [0-1]", fen4 + " 5 9", 0, nil},
		{fen4 + " | 0.5", fen4 + " 0 1", 0.5, nil},
		{fen4 + ` c9 "1-0";`, fen4 + " 0 1", 1, map[string]string{"c9": "1-0"}},
		{fen4 + ` c9 "1/2-1/2"`, fen4 + " 0 1", 0.5, map[string]string{"c9": "1/2-1/2"}},
		{fen4 + ` bm Nf3 e4; id "a; b"; hmvc 5; fmvn 9;`, fen4 + " 5 9", none,
			map[string]string{"bm": "Nf3 e4", "id": "a; b", "hmvc": "5", "fmvn": "9"}},
		{fen4 + " 5 9; d", fen4 + " 5 9", 0.5, nil},
		{"1/2-1/2 " + fen4, fen4 + " 0 1", 0.5, nil},
		{fen4 + ";", fen4 + " 0 1", none, nil},
	} {
		l, err := Parse(c.in)
		if err != nil {
			t.Errorf("%q: %v", c.in, err)
			continue
		}
		if l.Board.FEN() != c.fen || l.HasResult != (c.result >= 0) || l.HasResult && l.Result != c.result ||
			!reflect.DeepEqual(l.Ops, c.ops) {
			t.Errorf("%q is %s, %v %v, %q", c.in, l.Board.FEN(), l.HasResult, l.Result, l.Ops)
		}
	}
	for in, want := range map[string]string{
		"":                                 "four fields",
		"8/8/8/8/8/8/8/8 w -":              "four fields",
		"8/8/8/8/8/8/8/8 w - -":            "king",
		fen4 + " [2.0]":                    "result",
		fen4 + " [0.5":                     "[ without ]",
		fen4 + " | draw":                   "result",
		fen4 + ` [0.5] c9 "1-0";`:          "contradict",
		"1.0 " + fen4 + " [0.5]":           "contradict",
		fen4 + " [W]":                      "result",
		"0.3 " + fen4:                      "EPD operation",
		fen4 + " 5 9 0.3":                  "EPD operation",
		fen4 + " hmvc x;":                  "halfmove",
		fen4 + " 5 9 [0.5] surplus; +junk": "EPD operation",
	} {
		if l, err := Parse(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v; want %q", in, l, err, want)
		}
	}
}

func TestReadTakesFilesAsTheyAre(t *testing.T) {
	text := "\ufeff" + fen4 + " [1.0]\r\n\r\n# a comment\r\nnonsense\r\n" +
		strings.Repeat("x", 3*MaxLine) + "\n" + fen4 + " [0.0]"
	var numbers, bad []int
	for l, err := range Read(iotest.OneByteReader(strings.NewReader(text))) {
		if e := new(LineError); errors.As(err, &e) {
			bad = append(bad, e.Number)
		} else if err != nil {
			t.Fatal(err)
		} else {
			numbers = append(numbers, l.Number)
		}
	}
	if !reflect.DeepEqual(numbers, []int{1, 6}) || !reflect.DeepEqual(bad, []int{4, 5}) {
		t.Errorf("lines %v, bad %v", numbers, bad)
	}
	broken := errors.New("broken")
	var last error
	for _, last = range Read(iotest.ErrReader(broken)) {
	}
	if !errors.Is(last, broken) {
		t.Errorf("err = %v", last)
	}
}

func TestWriteIsReadBack(t *testing.T) {
	p := setup.Must(board.ParseFEN("rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 7 12"))
	for _, r := range []float32{0, 0.5, 1} {
		want := dataset.PositionRow{Board: p, Ply: uint16(p.Ply()), Score: 34, Result: r, Weight: 1}
		line := setup.Must(AppendEPD(nil, &want))
		for l, err := range Read(bytes.NewReader(line)) {
			if row, e := l.Row(false); err != nil || e != nil || row != want {
				t.Errorf("%s is read back as %+v, %v, %v", line, row, err, e)
			}
		}
		for l, err := range Read(bytes.NewReader(AppendFEN(nil, &p, r))) {
			if err != nil || l.Board != p || !l.HasResult || l.Result != r {
				t.Errorf("%+v, %v", l, err)
			}
		}
	}
	row := dataset.PositionRow{Board: p, Score: dataset.NoScore, Result: 0.5}
	const line = "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 c9 \"1/2-1/2\"; fmvn 12; hmvc 7;\n"
	if got, err := AppendEPD(nil, &row); err != nil || string(got) != line {
		t.Errorf("%s, %v; want %s", got, err, line)
	}
	row.Result = 0.3
	if got, err := AppendEPD(nil, &row); !errors.Is(err, ErrSpelling) {
		t.Errorf("%s, %v", got, err)
	}
}

// The first lines of real books are read whole, and their results add up.
func TestRealLists(t *testing.T) {
	for name, want := range map[string]struct {
		lines int
		sum   float32 // of results, counted by grep
	}{
		"lichess.epd":     {500, 207 + 108./2},
		"UHO_4060_v3.epd": {100, 0},
		"noob_3moves.epd": {100, 0},
		"2moves_v1.epd":   {100, 0},
	} {
		f := setup.Must(os.Open(filepath.Join("testdata", name)))
		sum, n := float32(0), 0
		for l, err := range Read(f) {
			if err != nil || l.HasResult != (want.sum > 0) {
				t.Fatal(name, l.Number, err)
			}
			if l.HasResult {
				sum += l.Result
			}
			n++
		}
		f.Close()
		if n != want.lines || sum != want.sum {
			t.Errorf("%s: %d positions, sum of results %v; want %+v", name, n, sum, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(fen4 + ` 5 9 [0.5] c9 "1-0"; hmvc 4;`)
	f.Fuzz(func(t *testing.T, s string) {
		if l, err := Parse(s); err == nil {
			if _, err := board.ParseFEN(l.Board.FEN()); err != nil {
				t.Error(err)
			}
		}
	})
}

// A row needs a result, and labels that can be read. A score beyond all mates is missing.
func TestLabelsAreChecked(t *testing.T) {
	const fen = "4k3/8/8/8/8/8/4P3/4K3 b - - 3 17"
	for _, in := range []string{fen + ";32002;1-0", fen + " [0.25] M5"} {
		if l, err := Parse(in); err != nil || !l.Foreign || l.Score != dataset.NoScore {
			t.Errorf("%q: %+v, %v", in, l, err)
		}
	}
	l, err := Parse(fen)
	if _, e := l.Row(false); err != nil || !errors.Is(e, errNoResult) {
		t.Error(err, e)
	}
	for _, in := range []string{fen + ";x;1-0", fen + ";35;2", fen + " | 35 |", fen + " | | 1-0 | 2",
		fen + " [0.5] 35 36", fen + " [-1]"} {
		if l, err := Parse(in); err == nil {
			t.Errorf("%q: %+v", in, l)
		}
	}
}

// Any line is a position with labels in their range, or an error.
func FuzzEPDRow(f *testing.F) {
	for _, s := range []string{fen4 + " [0.5] 12", fen4 + " - - | 12 | 1-0", fen4 + ` 5 9 c9 "1-0"; ce -5; hmvc 3;`,
		fen4 + ";0;0", "a b c d e f g"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		l, err := Parse(s)
		if err != nil {
			return
		}
		r, err := l.Row(true)
		if err != nil {
			return
		}
		if err := r.Check(); err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		again, err := Parse(strings.TrimSpace(string(AppendFEN(nil, &r.Board, r.Result))))
		if err != nil || again.Board != r.Board || again.Result != r.Result {
			t.Fatalf("%q: %+v is read back as %+v, %v", s, r, again, err)
		}
		line, err := AppendEPD(nil, &r)
		if errors.Is(err, ErrSpelling) {
			return
		}
		if again, err = Parse(strings.TrimSpace(string(line))); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if row, err := again.Row(false); err != nil || row != r {
			t.Fatalf("%q: %+v is read back as %+v, %v", s, r, row, err)
		}
	})
}
