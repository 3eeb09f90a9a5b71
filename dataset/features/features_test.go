package features

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/internal/datatest"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/internal/setup"
)

// TestMain is also the engine that the tests run: "engine WHAT" as arguments.
func TestMain(m *testing.M) {
	if len(os.Args) >= 3 && os.Args[1] == "engine" {
		engine(os.Args[2], append(os.Args, "")[3])
		return
	}
	os.Exit(m.Run())
}

var testTerms = []dataset.FeatureTerm{
	{Name: "pawn", Group: "material", MG: 80, EG: 100}, {Name: "knight", MG: 330, EG: 280},
	{Name: "bishop", MG: 340, EG: 300},
	{Name: "rook", MG: 480, EG: 520}, {Name: "queen", MG: 1000, EG: 950}, {Name: "many", MG: 0, EG: 0},
}

// features is what the test engine sees in a position.
func features(p *board.Position) (counts [6]float32, phase float32, value int) {
	phase = float32(eval.Phase(p)) / 24
	sum := 0.0
	for t := board.Pawn; t <= board.Queen; t++ {
		n := p.Pieces(board.White, t).Count() - p.Pieces(board.Black, t).Count()
		counts[t] = float32(n)
		sum += float64(n) * (testTerms[t].MG*float64(phase) + testTerms[t].EG*float64(1-phase))
	}
	return counts, phase, int(sum)
}

// engine keeps to the protocol, or breaks it in the way of its name at a position.
func engine(how, at string) {
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	defer out.Flush()
	doc, _ := json.Marshal(map[string]any{"format": dataset.FeaturesFormat, "model": "test", "terms": testTerms,
		"float": how == "float"})
	switch how {
	case "noheader":
		doc = []byte("Stockfish 15.1 by the Stockfish developers")
	case "quiet":
		time.Sleep(time.Minute)
	case "banner":
		doc = []byte("Test 1.0\n\n" + string(doc))
	case "talk":
		doc = []byte(strings.Repeat("info string\n", 101))
	}
	fmt.Fprintf(out, "%s\n", doc)
	out.Flush()
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		if lines.Text() == "" {
			if how != "unflushed" {
				out.Flush()
			}
			continue
		}
		p, err := board.ParseFEN(lines.Text())
		if err != nil {
			panic(err)
		}
		counts, _, value := features(&p)
		if bad := lines.Text() == at; bad {
			switch how {
			case "crash":
				out.Flush()
				fmt.Fprintln(os.Stderr, "segmentation fault, as it were")
				os.Exit(3)
			case "drift":
				value += 4
			case "range":
				counts[5] = 200
			case "garbage":
				fmt.Fprintln(out, "info depth 1")
				continue
			case "long":
				fmt.Fprintln(out, strings.Repeat(" ", 2*maxRecord))
				continue
			case "extra":
				fmt.Fprintln(out, `{}`)
			case "float":
				counts[5] = 200.5
			}
		}
		// Backwards, and in two halves: order and repeats do not matter.
		var terms []int
		var halves []float64
		for t := len(counts) - 1; t >= 0; t-- {
			terms, halves = append(terms, t, t), append(halves, float64(counts[t])+2, -2)
		}
		rec, _ := json.Marshal(map[string]any{"term": terms, "count": halves, "eval": value})
		fmt.Fprintf(out, "%s\n", rec)
	}
}

func testEngine(t *testing.T, how ...string) []string {
	t.Helper()
	self := setup.Must(os.Executable())
	return append([]string{self, "engine"}, how...)
}

// positions writes n different positions of random games.
func positions(t testing.TB, n int) (dir string, rows []dataset.PositionRow) {
	t.Helper()
	rng, seen := rand.New(rand.NewPCG(1, 2)), map[uint64]bool{}
	for game := uint64(1); len(rows) < n; game++ {
		p := board.StartPosition()
		for ply := 0; ply < 150 && len(rows) < n; ply++ {
			moves := p.LegalMoves(nil)
			if len(moves) == 0 {
				break
			}
			p.Make(moves[rng.IntN(len(moves))])
			if seen[p.Key()] {
				continue
			}
			seen[p.Key()] = true
			rows = append(rows, dataset.PositionRow{Board: p, Ply: uint16(ply + 1), Score: int16(ply), Result: 0.5, Game: game,
				Opening: 7, Weight: 2})
		}
	}
	dir = t.TempDir()
	w, err := dataset.NewPositionWriter(dir, dataset.WriterConfig{Program: "test"})
	datatest.Write(t, w, err, rows)
	return dir, rows
}

// What an engine prints is what the data set holds, in the order of the positions,
// whatever the number of processes.
func TestFeaturesEqualTheEnginesOutput(t *testing.T) {
	data, rows := positions(t, 3000)
	var all []map[string]string
	for _, procs := range []int{1, 3} {
		out := t.TempDir()
		m := setup.Must(Run(context.Background(), []string{data}, out, Config{Command: testEngine(t, "well"), Procs: procs,
			Program: "test"}))
		r, set, err := dataset.OpenFeatures(out)
		setup.Check(t, err)
		if m.Rows != int64(len(rows)) || set.Model != "test" || set.Version != 2 || !reflect.DeepEqual(set.Terms, testTerms) {
			t.Fatalf("%d rows of %s", m.Rows, set.Model)
		}
		i := 0
		for f, err := range r.All() {
			setup.Check(t, err)
			counts, phase, value := features(&rows[i].Board)
			var got [6]float32
			for k, term := range f.Terms {
				got[term] = f.Counts[k]
			}
			if got != counts || f.Phase != phase || int(f.Eval) != value || f.Scale != 1 || f.Offset != 0 ||
				f.Game != rows[i].Game || f.Opening != 7 || f.Score != rows[i].Score || f.Result != 0.5 || f.Weight != 2 {
				t.Fatalf("row %d of %s: %+v", i, rows[i].Board.FEN(), f)
			}
			i++
		}
		all = append(all, datatest.Files(t, out))
	}
	if !reflect.DeepEqual(all[0], all[1]) {
		t.Error("the bytes depend on the number of processes")
	}
}

// Every way to break the protocol is an error that names the fault and the place.
func TestEnginesThatMisbehave(t *testing.T) {
	data, rows := positions(t, 1500)
	row := fmt.Sprintf("row 700 (%s)", rows[699].Board.FEN())
	for how, want := range map[string][]string{
		"noheader":  {"1 lines and no header", "first line is", "Stockfish 15.1"},
		"talk":      {"no header in its first 101 lines", "info string"},
		"quiet":     {ErrSilent.Error()},
		"unflushed": {ErrSilent.Error(), "row 1 ", "flush"},
		"crash":     {row, "exit status 3", "segmentation fault, as it were"},
		"drift":     {row, dataset.ErrDrift.Error(), "the terms add up to", "eval is"},
		"range":     {row, "term 5: count 200", "float32"},
		"garbage":   {row, "info depth 1"},
		"long":      {row, "longer than"},
		"extra":     {"drifted apart"}, // seen at the next record
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "x")
			c := Config{Command: testEngine(t, how, rows[699].Board.FEN()), Procs: 1, Timeout: 20 * time.Second}
			if how == "quiet" || how == "unflushed" || how == "noheader" {
				c.Timeout = 500 * time.Millisecond
			}
			_, err := Run(context.Background(), []string{data}, out, c)
			if err == nil {
				t.Fatal("no error")
			}
			for _, w := range want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%v\ndoes not say %q", err, w)
				}
			}
			if _, _, err := dataset.OpenFeatures(out); err == nil {
				t.Error("the data set counts as complete")
			}
		})
	}
	out := t.TempDir()
	if _, err := Run(context.Background(), []string{data}, out,
		Config{Command: testEngine(t, "float", rows[1000].Board.FEN()), Procs: 1}); err != nil {
		t.Error(err)
	}
	if _, err := Run(context.Background(), []string{data}, out, Config{Command: testEngine(t, "well"),
		Procs: 1}); err == nil || errors.Is(err, dataset.ErrComplete) {
		t.Errorf("another engine is taken for the same: %v", err)
	}
	if _, err := Run(context.Background(), []string{data}, out,
		Config{Command: []string{"./no-such-engine"}}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no engine: %v", err)
	}
	if _, err := Run(context.Background(), []string{data, data}, t.TempDir(),
		Config{Command: testEngine(t, "well")}); !errors.Is(err, dataset.ErrDuplicate) {
		t.Errorf("positions twice: %v", err)
	}
}

// An interrupted run resumes at the last whole shard, and ends with the same bytes.
func TestFeaturesResume(t *testing.T) {
	if !datatest.Soak {
		t.Skip("asks for 72,000 positions twice")
	}
	data, rows := positions(t, 72_000) // a shard has 65,536
	whole, cut := t.TempDir(), t.TempDir()
	c := Config{Command: testEngine(t, "well"), Procs: 2, Program: "test"}
	setup.Must(Run(context.Background(), []string{data}, whole, c))
	ctx, cancel := context.WithCancel(context.Background())
	first := c
	first.Progress = func(done, total int64, _ string) {
		if done > 68_000 {
			cancel()
		}
	}
	if _, err := Run(ctx, []string{data}, cut, first); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	began := int64(-1)
	second := c
	second.Progress = func(done, total int64, _ string) {
		if began < 0 {
			began = done
		}
	}
	setup.Must(Run(context.Background(), []string{data}, cut, second))
	if began < 65536 || began > int64(len(rows)) {
		t.Errorf("it began again at %d", began)
	}
	if !reflect.DeepEqual(datatest.Files(t, cut), datatest.Files(t, whole)) {
		t.Error("the bytes differ from an undisturbed run's")
	}
	if _, err := Run(context.Background(), []string{data}, cut, c); !errors.Is(err, dataset.ErrComplete) {
		t.Errorf("once more: %v", err)
	}
}

const headerStart = `{"format":"assay.features/2","model":"m","records":"json","terms":[{"name":"a","mg":100,` +
	`"eg":50},{"name":"s","kind":"single","value":7},{"name":"tempo","kind":"flat","value":12},` +
	`{"name":"open","kind":"mg","value":23},{"name":"danger","kind":"eg","mg":0,"eg":1,"fixed":true}]`

// TestHeader: a header says what the evaluation is made of.
func TestHeader(t *testing.T) {
	h := setup.Must(parseHeader([]byte(headerStart + `,"unit":256,"eg_scale":"sign"}`)))
	want := dataset.FeatureSet{Version: 2, Model: "m", Terms: []dataset.FeatureTerm{
		{Name: "a", MG: 100, EG: 50}, {Name: "s", MG: 7, EG: 7, Kind: "single"}, {Name: "tempo", MG: 12,
			EG: 12, Kind: "flat"},
		{Name: "open", MG: 23, Kind: "mg"}, {Name: "danger", EG: 1, Kind: "eg", Fixed: true},
	}, Evaluation: dataset.Evaluation{Unit: 256, Tolerance: 2, EGScale: "sign"}}
	if set := h.set(); !reflect.DeepEqual(set, want) {
		t.Errorf("%+v, want %+v", set, want)
	}
	for name, c := range map[string][3]string{
		"format":     {"features/2", "features/3", "want \"assay.features/2\""},
		"records":    {`"records":"json"`, `"records":"binary"`, `want "json"`},
		"model":      {`"model":"m"`, `"model":""`, "model: "},
		"value":      {`"value":7`, `"value":7,"mg":7`, "value stands for mg and eg"},
		"two values": {`"kind":"single","value":7`, `"kind":"single","mg":7,"eg":8`, "has one value"},
		"one half":   {`"mg":0,"eg":1`, `"mg":2,"eg":1`, "the other one must be 0"},
		"formula":    {`"model":"m"`, `"model":"m","formula":"value = a"`, "formula"},
		"unit":       {`"model":"m"`, `"model":"m","unit":1`, "unit 1"},
	} {
		_, err := parseHeader([]byte(strings.Replace(headerStart+"}", c[0], c[1], 1)))
		if !errors.Is(err, ErrProtocol) || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s: %v, want %s", name, err, c[2])
		}
	}
}

// TestRecords: the value of a record is as the format says, and a row that does not add up is named with its sum.
func TestRecords(t *testing.T) {
	start := board.StartPosition()
	read := func(header, line string) (*dataset.FeatureRow, dataset.FeatureSet, error) {
		h := setup.Must(parseHeader([]byte(headerStart + header + "}")))
		rr := newRecordReader(bufio.NewReader(strings.NewReader(line+"\n")), h)
		row, err := rr.next(&start)
		return row, h.set(), err
	}
	for name, c := range map[string]struct {
		header, line string
		value        float64
	}{
		"plain": {"", `{"term":[2,0],"count":[-1,2],"phase":1.25,"scale":2,"eg_scale":0.5,"offset":-3,"eval":210.5}`,
			-3 - 12 + 2*(1.25*200-0.25*0.5*100)},
		"by side": {`,"by_side":true`, `{"term":[2,0],"white":[0,3],"black":[1,1],"phase":1.25,"scale":2,` +
			`"scale_white":0.5,"scale_black":1,"offset":-3,"eval":40.5}`, -3 - 12 + 2*(1.25*200-0.25*(0.5*150-50))},
		"defaults": {"", `{"term":[0,0],"count":[1,1]}`, 200},
	} {
		row, set, err := read(c.header, c.line)
		if err != nil || math.Abs(set.Value(row)-c.value) > 1e-9 {
			t.Fatalf("%s: %+v, %v, want the value %v", name, row, err, c.value)
		}
		row.Eval = float32(c.value)
		setup.Check(t, set.CheckRow(row))
		row.Eval += 3
		if err := set.CheckRow(row); !errors.Is(err, dataset.ErrDrift) ||
			!strings.Contains(err.Error(), fmt.Sprintf("the terms add up to %.2f, eval is %g", c.value, row.Eval)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, c := range map[string][3]string{
		"sides":    {"", `{"term":[],"white":[],"black":[]}`, `need "by_side":true`},
		"no sides": {`,"by_side":true`, `{"term":[],"count":[]}`, "want white, black"},
		"length":   {"", `{"term":[1,2],"count":[1]}`, "2 terms, but 1 counts"},
		"lengths":  {`,"by_side":true`, `{"term":[0],"white":[1],"black":[]}`, "1 terms, but 1 and 0 counts"},
		"term":     {"", `{"term":[5],"count":[1]}`, "term 5, but there are 5"},
		"field":    {"", `{"term":[],"count":[],"halves":[1,2]}`, "halves"},
		"cut":      {"", `{"term":[0]`, "record"},
	} {
		if _, _, err := read(c[0], c[1]); !errors.Is(err, ErrProtocol) || errors.Is(err, io.ErrUnexpectedEOF) ||
			!strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s: %v, want %s", name, err, c[2])
		}
	}
}

// Whatever an engine prints, a record is read or refused.
func FuzzRecords(f *testing.F) {
	f.Add([]byte(`{"term":[0,1],"count":[1,-2],"phase":0.75,"scale":1,"offset":0,"eval":35}` + "\n"))
	f.Add([]byte(`{"term":[0],"white":[1],"black":[2],"scale_white":0.5,"scale_black":1}` + "\n"))
	p := board.StartPosition()
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, bySide := range []bool{false, true} {
			h := header{Model: "x", Float: true, Terms: make([]headerTerm, 6), BySide: bySide}
			set, rr := h.set(), newRecordReader(bufio.NewReader(strings.NewReader(string(data))), &h)
			for {
				row, err := rr.next(&p)
				if err != nil {
					break
				}
				if len(row.Terms) != len(row.Counts) {
					t.Fatalf("%+v", row)
				}
				_ = set.CheckRow(row) // it must not panic
			}
		}
	})
}
