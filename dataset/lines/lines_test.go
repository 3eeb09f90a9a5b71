package lines

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/internal/datatest"
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
		if l.Board.FEN() != c.fen || l.hasResult != (c.result >= 0) || l.hasResult && l.Result != c.result ||
			!reflect.DeepEqual(l.ops, c.ops) {
			t.Errorf("%q is %s, %v %v, %q", c.in, l.Board.FEN(), l.hasResult, l.Result, l.ops)
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

func TestWriteIsReadBack(t *testing.T) {
	p := setup.Must(board.ParseFEN("rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 7 12"))
	for i, score := range []int16{34, 0, dataset.NoScore, dataset.MaxScore, -dataset.MaxScore, dataset.MateScore - 5,
		4 - dataset.MateScore} {
		r := float32(i%3) / 2
		want := dataset.PositionRow{Board: p, Ply: uint16(p.Ply()), Score: score, Result: r, Weight: 1}
		line := setup.Must(AppendEPD(nil, &want))
		l := setup.Must(Parse(string(line)))
		if row, err := l.Row(false); err != nil || row != want {
			t.Errorf("%s is read back as %+v, %v", line, row, err)
		}
		if l = setup.Must(Parse(string(AppendFEN(nil, &p, r)))); l.Board != p || !l.hasResult || l.Result != r {
			t.Errorf("%+v", l)
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
		sum, n := float32(0), 0
		for text := range strings.Lines(string(setup.Must(os.ReadFile(filepath.Join("testdata", name))))) {
			l, err := Parse(text)
			if err != nil || l.hasResult != (want.sum > 0) {
				t.Fatal(name, n+1, err)
			}
			if l.hasResult {
				sum += l.Result
			}
			n++
		}
		if n != want.lines || sum != want.sum {
			t.Errorf("%s: %d positions, sum of results %v; want %+v", name, n, sum, want)
		}
	}
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

// What a line has behind its result is read or refused, never passed over.
func TestTextBehindResults(t *testing.T) {
	const good = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
	for in, want := range map[string]string{ // an error; else whether the score is beyond all others, or none
		good + " [0.5] " + good + " [1.0]":                                    "after the result",
		good + " [0.5] rnbqkbnr/8/8/8/8/8/8/RNBQKBNR w - - 0 1 [1.0]":         "after the result",
		good + " 1-0 rnbqkbnr/8/8/8/8/8/8/RNBQKBNR w - - 0 1 1-0":             "after the result",
		good + ` c9 "1-0"; rnbqkbnr/8/8/8/8/8/8/RNBQKBNR w - - 0 1 c9 "1-0";`: "not an EPD operation",
		good + " [0.5] junk":      "after the result",
		good + " [0.5] 34 junk":   "after the result",
		good + " [0.5] MM2":       "not a whole number",
		good + " [0.5] --M2":      "not a whole number",
		good + " [0.5] -M2":       "foreign",
		good + " [0.5] M2":        "foreign",
		good + " 1-0 ce -M2;":     "foreign",
		good + ";-M2;0.5":         "foreign",
		good + ";M2;0.5":          "foreign",
		good + " | #-3 | 0.5":     "foreign",
		good + " | 0.5 | +M12":    "foreign",
		good + " [0.5] id \"a\";": "none",
	} {
		l, err := Parse(in)
		got := map[bool]string{true: "foreign", false: "none"}[l.Foreign]
		if err != nil {
			got = err.Error()
		} else if !l.hasResult || l.Score != dataset.NoScore {
			t.Errorf("%s: %+v", in, l)
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

// Any line is a position with labels in their range, or an error.
func FuzzEPDRow(f *testing.F) {
	for _, s := range []string{fen4 + " [0.5] 12", fen4 + " - - | 12 | 1-0", fen4 + ` 5 9 c9 "1-0"; ce -5; hmvc 3;`,
		fen4 + ` 5 9 [0.5] c9 "1-0"; hmvc 4;`, fen4 + ";0;0", "a b c d e f g"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		l, err := Parse(s)
		if err != nil {
			return
		}
		if _, err := board.ParseFEN(l.Board.FEN()); err != nil {
			t.Fatal(err)
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

const fen = "4k3/8/8/8/8/8/4P3/4K3 b - - 3 17"

// What Append writes is read back, whatever the separator.
func TestTableRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		p := board.StartPosition()
		for range rng.IntN(60) {
			if moves := p.LegalMoves(nil); len(moves) > 0 {
				p.Make(moves[rng.IntN(len(moves))])
			}
		}
		want := dataset.PositionRow{Board: p, Ply: uint16(rng.IntN(65536)), Score: int16(rng.IntN(64001) - 32000),
			Result: rng.Float32(), Game: rng.Uint64(), Opening: rng.Uint64() >> rng.IntN(64), Weight: rng.Float32()}
		if rng.IntN(4) == 0 {
			want.Score, want.Game = dataset.NoScore, 0
		}
		for _, sep := range []byte("\t,;|") {
			columns := setup.Must(Header(strings.TrimSpace(string(AppendHeader(nil, sep)))))
			r := Table{Columns: columns, Separator: sep}
			line := strings.TrimSuffix(string(AppendRow(nil, &want, sep)), "\n")
			if got, foreign, err := r.Row(line); err != nil || foreign || got != want || Separator(line) != sep {
				t.Fatalf("%q\nis  %+v, %v, %v\nnot %+v", line, got, foreign, err, want)
			}
		}
	}
}

func TestTableRow(t *testing.T) {
	tsv := &Table{Columns: []string{columnFEN, columnScore, columnResult, columnPly, columnIgnored}, Separator: '\t',
		Results: []string{"-1", "0", "1"}}
	mover := &Table{Columns: []string{columnResult, columnScore, columnFEN}, Separator: ',', Mover: true}
	for _, c := range []struct {
		r       *Table
		line    string
		want    dataset.PositionRow
		foreign bool
	}{
		{tsv, fen + "\t655\t1\t99\tx", dataset.PositionRow{Score: 655, Result: 1, Ply: 99}, false},
		{tsv, fen + "\t655\t1\t0\tx", dataset.PositionRow{Score: 655, Result: 1}, false}, // ply 0, not the FEN's
		{tsv, fen + "\t-32002\t-1\t33\t", dataset.PositionRow{Score: dataset.NoScore, Result: 0, Ply: 33}, true},
		{tsv, fen + "\t\t0\t33\t", dataset.PositionRow{Score: dataset.NoScore, Result: 0.5, Ply: 33}, false},
		{mover, `1/2-1/2,20,"` + fen + `"`, dataset.PositionRow{Score: -20, Result: 0.5, Ply: 33}, false},
		{mover, " 0.25 , +7 ," + fen, dataset.PositionRow{Score: -7, Result: 0.25, Ply: 33}, false},
	} {
		c.want.Weight = 1
		c.want.Board, _ = board.ParseFEN(fen)
		if got, foreign, err := c.r.Row(c.line); err != nil || foreign != c.foreign || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %+v, %v, %v", c.line, got, foreign, err)
		}
	}
	for line, want := range map[string]string{
		fen + "\t655\t1\t99":         "4 cells, want 5",
		fen + "\t655\t1\t99\tx\ty":   "more than 5 cells",
		fen + "\t0.5\t1\t99\tx":      "column score",
		fen + "\t5\t0.5\t99\tx":      `column result: "0.5" is none of -1, 0, 1`,
		fen + "\t5\t1\t-1\tx":        "column ply",
		"\t5\t1\t1\tx":               "column fen",
		"\"" + fen + "\t5\t1\t1\tx":  "quotes do not close",
		"8/8/8/8/8/8/8/8 w - -\t\t1": "king",
	} {
		if got, _, err := tsv.Row(line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v; want %q", line, got, err, want)
		}
	}
	if _, _, err := mover.Row("-1,5," + fen); !errors.Is(err, ErrResultScale) {
		t.Errorf("-1: %v", err)
	}
}

func TestColumns(t *testing.T) {
	if c, err := Header(`"FEN",Eval,depth,WDL`); err != nil ||
		!reflect.DeepEqual(c, []string{columnFEN, columnScore, columnIgnored, columnResult}) {
		t.Error(c, err)
	}
	for _, line := range []string{fen + ",5,1", "", "fen,score", "fen,epd,result"} {
		if c, err := Header(line); !errors.Is(err, ErrHeader) {
			t.Errorf("%q: %v %v", line, c, err)
		}
	}
	for list, want := range map[string]string{"fen,result,fun": `"fun" is not`, "fen,score": `no column "result"`,
		"fen,result,fen": "2 times"} {
		if _, err := ParseColumns(strings.Split(list, ",")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", list, err)
		}
	}
}

// Whatever a line holds, a row that is taken is a valid one.
func FuzzTableRow(f *testing.F) {
	f.Add(fen + "\t655\t1\t99\t5\t\t1")
	f.Add(fen + ",,0.5,99,5,7,0.25")
	f.Add(`"a""b",",`)
	f.Fuzz(func(t *testing.T, line string) {
		if _, err := Header(line); err == nil && !strings.Contains(strings.ToLower(line), "result") &&
			!strings.Contains(strings.ToLower(line), "wdl") && !strings.Contains(strings.ToLower(line), "outcome") {
			t.Errorf("a header without a result: %q", line)
		}
		r := Table{Columns: columnNames, Separator: Separator(line)}
		row, _, err := r.Row(line)
		if err != nil {
			return
		}
		if err := row.Check(); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		again, _, err := r.Row(strings.TrimSuffix(string(AppendRow(nil, &row, r.Separator)), "\n"))
		if err != nil || again != row {
			t.Fatalf("%q: %+v is written and read back as %+v, %v", line, row, again, err)
		}
	})
}

func TestPositionJSON(t *testing.T) {
	p := setup.Must(board.ParseFEN("4k3/8/8/8/8/8/4P3/4K3 b - - 3 17"))
	row := dataset.PositionRow{Board: p, Ply: 33, Score: -20, Result: 0.5, Game: 1<<64 - 1, Weight: 0.25}
	const want = `{"fen":"4k3/8/8/8/8/8/4P3/4K3 b - - 3 17","score":-20,"result":0.5,"ply":33,` +
		`"game":"18446744073709551615","opening":null,"weight":0.25}` + "\n"
	if got := string(AppendPositionJSON(nil, &row)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestGameJSON(t *testing.T) {
	game := board.NewGame(board.StartPosition())
	for _, san := range []string{"f3", "e5", "g4", "Qh4#"} {
		m := setup.Must(game.Position().ParseSAN(san))
		game.Push(m)
	}
	g := setup.Must(dataset.NewGameRow(game))
	g.Game, g.Opening, g.White, g.Scores[1] = 1<<63, 5, `a "b"`, 12
	got, err := AppendGameJSON([]byte("x"), &g)
	const want = `x{"game":"9223372036854775808","variant":"standard","start":null,"opening":"5","opening_plies":0,` +
		`"moves":["f2f3","e7e5","g2g4","d8h4"],"scores":[null,12,null,null],"nodes":0,"result":-1,` +
		`"termination":"checkmate","white":"a \"b\"","black":"","seed":"0"}` + "\n"
	if err != nil || string(got) != want {
		t.Errorf("%s, %v\nwant %s", got, err, want)
	}
}

func TestParseLichess(t *testing.T) {
	for text, want := range map[string]int16{
		`{"fen":"W","evals":[{"pvs":[{"cp":7,"line":"e1d1 {"},{"cp":9}],"knodes":5,"depth":20}]}`: 7,
		`{"evals": [{"depth": 2, "pvs": [{"mate": 3}]}], "fen": "W"} `:                            31995,
		`{"fen":"W","evals":[{"pvs":[{"mate":-3}],"depth":0},{"pvs":[{"cp":1}],"depth":0}]}`:      -31994,
		`{"fen":"B","evals":[{"pvs":[{"mate":3}],"depth":2},{"pvs":[],"depth":3}]}`:               31994,
		`{"fen":"B","evals":[{"pvs":[{"mate":-99999}]}]}`:                                         -30003,
		`{"fen":"B","evals":[{"pvs":[{"cp":30001}]}]}`:                                            dataset.NoScore,
		`{"fen":"W"}`: 0, "": 0, `{"evals":[{"pvs":[{"cp":1}]}]`: 0, `{"fen":"x","evals":[{"pvs":[{"cp":1}]}]}`: 0,
		`{"fen":"W","evals":[{"pvs":[{"cp":1.5}]}]}`: 0, `{"fen":"W","evals":[{"pvs":[{"mate":0}]}]}`: 0, `{"fen`: 0,
	} {
		const fen = `"8/8/8/8/8/4k3/4p3/4K3 `
		text = strings.NewReplacer(`"W"`, fen+`w - -"`, `"B"`, fen+`b - -"`).Replace(text)
		r, foreign, err := ParseLichess(text, false)
		if (err != nil) != (want == 0) || err == nil && r.Score != want || foreign != (want == dataset.NoScore) {
			t.Errorf("%s: %d, %v, %v, want %d", text, r.Score, foreign, err, want)
		}
	}
}

// What encoding/json writes is read back: the first score of the deepest evaluation, from either view.
func TestWrittenByLichess(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, g := range datatest.Games[dataset.GameRow](4, 10) {
		row := dataset.GameRow(g)
		for _, game := range row.Replay() {
			type object = map[string]any
			p, n, depth, mover := *game.Position(), 1+rng.IntN(900), rng.IntN(40), rng.IntN(2) > 0
			kind, sign := []string{"cp", "mate"}[rng.IntN(2)], 1-2*rng.IntN(2)
			evals := []object{{"depth": depth, "pvs": []object{{kind: sign * n, "line": "a b"}, {"cp": 1}}},
				{"depth": depth - 1 - rng.IntN(3), "pvs": []object{{"mate": 2}}}, {"depth": 99, "pvs": []object{}}}
			rng.Shuffle(len(evals), func(i, j int) { evals[i], evals[j] = evals[j], evals[i] })
			text, _ := json.Marshal(object{"fen": p.FEN(), "evals": evals})
			if p.SideToMove() == board.Black && mover {
				sign = -sign // White's view
			}
			want := sign * n
			if kind == "mate" { // after the mover's nth move, or before its n+1st
				if want = 2 * n; sign > 0 == (p.SideToMove() == board.White) {
					want--
				}
				want = sign * (dataset.MateScore - want)
			}
			r, _, err := ParseLichess(string(text), mover)
			if err != nil || int(r.Score) != want || r.Board != p || r.Result > 0.5 != (want > 0) {
				t.Fatalf("%s: %+v, %v, want %d", text, r, err, want)
			}
		}
	}
}
