package features

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

// bentEngine builds the engine whose evaluation is not linear.
func bentEngine(t testing.TB) string {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("needs a C compiler:", err)
	}
	program := filepath.Join(t.TempDir(), "bent")
	if text, err := exec.Command(cc, "-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-I.", "-o", program,
		"testdata/bent.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return program
}

// TestBentInC: the formula of the engine in C is what it computes, in every row.
func TestBentInC(t *testing.T) {
	program := bentEngine(t)
	data, rows := positions(t, 2000)
	out := t.TempDir()
	if _, err := Run(context.Background(), []string{data}, out, Config{Command: []string{program, "dump"},
		Procs: 2}); err != nil {
		t.Fatal(err)
	}
	r, set, err := dataset.OpenFeatures(out)
	if err != nil {
		t.Fatal(err)
	}
	if !set.Bent() || len(set.Channels) != 3 || set.Terms[5].Channel != "danger" || set.Terms[10].StepOf() != 10 {
		t.Fatalf("%+v", set)
	}
	i, skipped, bends := 0, 0, 0
	for f, err := range r.All() {
		if err != nil {
			t.Fatal(err)
		}
		none := rows[i].Board.Pieces(board.White, board.Pawn)|rows[i].Board.Pieces(board.Black, board.Pawn) == 0
		if none != (f.Skip == "no pawns") || none != (f.Weight == 0) {
			t.Fatalf("row %d is skipped for %q with weight %v", i, f.Skip, f.Weight)
		}
		if i++; none {
			skipped++
			continue
		}
		flat := set
		flat.Terms = append([]dataset.FeatureTerm(nil), set.Terms...)
		flat.Terms[10].MG = 1e9 // no square
		if flat.Value(&f) != set.Value(&f) {
			bends++
		}
	}
	if i != len(rows) || bends < 100 {
		t.Errorf("%d rows of %d, %d skipped, %d bend", i, len(rows), skipped, bends)
	}
	_, err = Run(context.Background(), []string{data}, t.TempDir(), Config{Command: []string{program, "square"}})
	if !errors.Is(err, dataset.ErrDrift) || !strings.Contains(err.Error(), "danger.white.mg = ") ||
		!strings.Contains(err.Error(), "the formula is not what the engine computes") {
		t.Errorf("another divisor: %v", err)
	}
}

const bentHeader = `{"format":"assay.features/2","model":"m","records":"json","channels":[{"name":"a",` +
	`"kind":"tapered"},{"name":"d","kind":"plain","sides":true}],` +
	`"columns":[{"name":"f","sides":true},{"name":"g"}],"formula":"value = a.mg*phase + a.eg*(1 - phase) + ` +
	`balance(d^2*f)/k + g",` +
	`"terms":[{"name":"pawn","mg":100,"eg":50},{"name":"near","channel":"d","value":3},{"name":"k","kind":"scalar",` +
	`"value":4,"step":0.5}]}`

// TestBentHeader: what is wrong with a formula is said with its place.
func TestBentHeader(t *testing.T) {
	if _, err := parseHeader([]byte(bentHeader)); err != nil {
		t.Fatal(err)
	}
	for from, want := range map[string][2]string{
		`a.mg*phase`:      {`b.mg*phase`, "line 1, column 9: no channel, column, scalar or let"},
		`balance(d^2*f)`:  {`d^2*f`, "counted for each side"},
		` + g"`:           {` + g + "`, "want a number, a name or a bracket"},
		`/k`:              {``, `does not use k`},
		`"channel":"d"`:   {`"channel":"e"`, `there is no channel "e"`},
		`"value":3`:       {`"mg":3,"eg":4`, "has one value"},
		`"kind":"plain"`:  {`"kind":"round"`, `kind "round"`},
		`"kind":"scalar"`: {`"kind":"flat"`, `"scalar"`},
		`"name":"k"`:      {`"name":"k.1 2"`, "is not a valid name"},
		`"pawn","mg":100,"eg":50`: {`"pawn","kind":"mg","value":100`,
			"write (a.mg + extra) in place of a.mg in the formula"},
		`"name":"near"`:             {`"kind":"flat","name":"near"`, "write + extra at the end of the formula"},
		`"columns":[{"name":"f"`:    {`"by_side":true,"columns":[{"name":"f"`, "by_side"},
		`"formula":"value = a.mg`:   {`"formula":"let x = y; let y = x; value = x + a.mg`, "defined by itself"},
		`assay.features/2`:          {`assay.features/1`, "needs the format"},
		`"mg":100,"eg":50`:          {`"mg":100,"eg":50,"step":2`, "only a scalar has a step"},
		`{"name":"a","kind":"tape`:  {`{"name":"if","kind":"tape`, `"if" is a word of the language`},
		`"channels":[{"name":"a","`: {`"channels":[{"name":"f","`, `"f" is declared twice`},
	} {
		text := strings.Replace(bentHeader, from, want[0], 1)
		if _, err := parseHeader([]byte(text)); !errors.Is(err, ErrProtocol) || !strings.Contains(err.Error(), want[1]) {
			t.Errorf("%s: %v, want %s", text, err, want[1])
		}
	}
}

// TestBentRecords: JSON and binary records say the same, and malformed ones are refused.
func TestBentRecords(t *testing.T) {
	start := board.StartPosition()
	read := func(form, data string) (*record, error) {
		h := setup.Must(parseHeader([]byte(strings.Replace(bentHeader, recordsJSON, form, 1))))
		rr := newRecordReader(bufio.NewReader(bytes.NewReader([]byte(data))), h)
		rec, err := rr.next(&start)
		if err != nil {
			return nil, err
		}
		set := h.set()
		return rec, set.CheckRow(&rec.FeatureRow)
	}
	head := func(n uint16, flags uint8) []any {
		return []any{n, flags, uint8(0xA6), float32(0.5), float32(1), float32(1), float32(0), float32(97.5)}
	}
	a, err := read(recordsJSON, `{"term":[1,0],"white":[2,1],"black":[1,0],"phase":0.5,"columns":[1,0.5,14.625],`+
		`"eval":97.5}`+"\n")
	if err != nil {
		t.Fatal(err)
	}
	b, err := read(recordsBinary, bytesOf(append(head(2, flagEval|flagChannels|flagColumns), []uint16{1, 0},
		[]int8{2, 1, 1, 0}, []float32{1, 0.5, 14.625})...))
	if err != nil || !reflect.DeepEqual(a, b) {
		t.Errorf("JSON and binary say %+v and %+v, %v", a, b, err)
	}
	if a, err = read(recordsJSON, `{"skip":"KPK"}`+"\n"); err != nil || a.Skip != "KPK" {
		t.Errorf("%+v, %v", a, err)
	}
	if b, err = read(recordsBinary, bytesOf(append(head(0, flagSkip), uint8(3), []uint8("KPK"))...)); err != nil ||
		b.Skip != "KPK" {
		t.Errorf("%+v, %v", b, err)
	}
	flat := strings.NewReplacer(`"kind":"tapered"`, `"kind":"plain"`, `a.mg*phase + a.eg*(1 - phase)`, `a`,
		`"mg":100,"eg":50`, `"value":100`).Replace(bentHeader)
	h := setup.Must(parseHeader([]byte(flat)))
	rr := newRecordReader(bufio.NewReader(strings.NewReader(`{"term":[0],"white":[1],"black":[0],"columns":[1,1,1],`+
		`"halves":[1,2]}`+"\n")), h)
	if _, err := rr.next(&start); err == nil || !strings.Contains(err.Error(), "2 halves, want 0") {
		t.Errorf("halves without a tapered channel: %v", err)
	}
	// Halves are the sums of the first tapered channel.
	for halves, drifts := range map[string]bool{"[100,50]": false, "[100,51]": true} {
		a, err := read(recordsJSON, `{"term":[0,1],"white":[1,2],"black":[0,1],"columns":[1,1,1],"halves":`+halves+"}\n")
		h, _ := parseHeader([]byte(strings.Replace(bentHeader, `"records":"json"`, `"records":"json","halves":true`, 1)))
		if err != nil || h == nil {
			t.Fatal(err)
		}
		set := h.set()
		if err := checkRecord(&set, a); errors.Is(err, dataset.ErrDrift) != drifts || drifts &&
			!strings.Contains(err.Error(), `the terms of channel "a" add up to 50 for the endgame half`) {
			t.Errorf("halves %s: %v", halves, err)
		}
	}
	for data, want := range map[string]string{
		`{"term":[1],"count":[2],"columns":[1,1,1]}`:                                 "white and black",
		`{"term":[0],"white":[2],"black":[1],"columns":[1,1,1]}`:                     "does not count each side",
		`{"term":[2],"white":[2],"black":[1],"columns":[1,1,1]}`:                     "is a scalar",
		`{"term":[1],"white":[2],"black":[1],"columns":[1,1]}`:                       "2 numbers in columns, want 3",
		`{"term":[1],"white":[2],"black":[1]}`:                                       "0 numbers in columns, want 3",
		`{"skip":"KPK","columns":[1,1,1]}`:                                           "neither terms nor columns",
		`{"term":[1],"white":[2],"black":[1],"columns":[1,1,1],"eval":900}`:          "drifted apart",
		`{"term":[1],"white":[2],"black":[1],"columns":[1,1,1],"scale_white":0.5}`:   "columns of a formula's header",
		`{"term":[1],"white":[1e39],"black":[1],"columns":[1,1,1]}`:                  "record",
		`{"term":[1],"white":[2],"black":[1],"columns":[1,1,1e10]}`:                  "out of range",
		`{"term":[1],"white":[2],"black":[1],"columns":[1,1,1],"phase":1,"x":1}`:     "unknown field",
		`{"term":[1,1],"white":[200],"black":[1,1],"columns":[1,1,1],"phase":0.125}`: "2 terms, but 1 and 2 counts",
	} {
		if _, err := read(recordsJSON, data+"\n"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", data, err, want)
		}
	}
	for name, data := range map[string]string{
		"no columns":      bytesOf(head(0, flagEval|flagChannels)...),
		"one side":        bytesOf(head(0, flagEval|flagColumns)...),
		"skip with terms": bytesOf(append(head(1, flagSkip), uint8(3), []uint8("KPK"))...),
		"no reason":       bytesOf(append(head(0, flagSkip), uint8(0))...),
		"cut off":         bytesOf(append(head(0, flagSkip), uint8(9), []uint8("KPK"))...),
	} {
		if _, err := read(recordsBinary, data); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestDivisionByZero: a row for which the formula has no value is an error that says where.
func TestDivisionByZero(t *testing.T) {
	h := setup.Must(parseHeader([]byte(strings.Replace(bentHeader, "/k", "/(k - g)", 1))))
	start := board.StartPosition()
	rr := newRecordReader(bufio.NewReader(strings.NewReader(`{"term":[1],"white":[2],"black":[1],"columns":[1,1,`+
		`4]}`+"\n")), h)
	rec := setup.Must(rr.next(&start))
	set := h.set()
	if err := checkRecord(&set, rec); err == nil || !strings.Contains(err.Error(), "division by 0") ||
		!strings.Contains(err.Error(), "g = 4") {
		t.Errorf("%v", err)
	}
}
