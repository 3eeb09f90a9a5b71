package lines

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/internal/datatest"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

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
