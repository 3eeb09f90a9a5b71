package features

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
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
		switch how := os.Args[2]; how {
		case "sides", "sides-swapped", "sides-halves", "leaf", "leaf-root", "again":
			writerEngine(how)
		default:
			engine(how, append(os.Args, "")[3])
		}
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

// headerTerms are the terms of a header.
func headerTerms(terms []dataset.FeatureTerm) (out []headerTerm) {
	for _, t := range terms {
		out = append(out, headerTerm{Name: t.Name, Group: t.Group, MG: &t.MG, EG: &t.EG})
	}
	return out
}

// engine keeps to the protocol, or breaks it in the way of its name at a position.
func engine(how, at string) {
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	defer out.Flush()
	records := recordsJSON
	if how == "binary" || how == "mark" {
		records = recordsBinary
	}
	h := header{Format: dataset.FeaturesFormat1, Model: "test", Records: records, Terms: headerTerms(testTerms),
		Float: how == "float"}
	doc, _ := json.Marshal(h)
	switch how {
	case "noheader":
		doc = []byte("Stockfish 15.1 by the Stockfish developers")
	case "oldheader":
		doc = []byte(strings.Replace(string(doc), "features/1", "features/0", 1))
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
		counts, phase, value := features(&p)
		if bad := lines.Text() == at; bad {
			switch how {
			case "crash":
				out.Flush()
				fmt.Fprintln(os.Stderr, "segmentation fault, as it were")
				os.Exit(3)
			case "drift":
				value += 3
			case "range":
				counts[5] = 200
			case "garbage":
				fmt.Fprintln(out, "info depth 1")
				continue
			case "long":
				fmt.Fprintln(out, strings.Repeat(" ", 2*maxRecord))
				continue
			case "mark":
				fmt.Fprint(out, "{}                    ")
				continue
			case "term":
				fmt.Fprintln(out, `{"term":[6],"count":[1]}`)
				continue
			case "short":
				fmt.Fprintln(out, `{"term":[1,2],"count":[1]}`)
				continue
			case "extra":
				fmt.Fprintln(out, `{}`)
			case "float":
				counts[5] = 200.5
			}
		}
		if records == recordsBinary {
			writeBinary(out, counts, phase, value)
			continue
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

func writeBinary(out *bufio.Writer, counts [6]float32, phase float32, value int) {
	head := make([]byte, recordHead1)
	binary.LittleEndian.PutUint16(head, uint16(len(counts)))
	head[2], head[3] = flagEval, recordMark1
	binary.LittleEndian.PutUint32(head[4:], math.Float32bits(phase))
	binary.LittleEndian.PutUint32(head[8:], math.Float32bits(1))
	binary.LittleEndian.PutUint16(head[16:], uint16(int16(value)))
	out.Write(head)
	for t := range counts {
		out.Write(binary.LittleEndian.AppendUint16(nil, uint16(t)))
	}
	for _, n := range counts {
		out.WriteByte(byte(int8(n)))
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
	dir = t.TempDir()
	w := setup.Must(dataset.NewPositionWriter(dir, dataset.WriterConfig{Program: "test"}))
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
			setup.Check(t, w.Append(&rows[len(rows)-1]))
		}
	}
	if _, err := w.Finish(nil); err != nil {
		t.Fatal(err)
	}
	return dir, rows
}

func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	entries := setup.Must(os.ReadDir(dir))
	for _, e := range entries {
		data := setup.Must(os.ReadFile(filepath.Join(dir, e.Name())))
		files[e.Name()] = string(data)
	}
	return files
}

// What an engine prints is what the data set holds, in the order of the positions,
// whatever the form of the records and the number of processes.
func TestFeaturesEqualTheEnginesOutput(t *testing.T) {
	data, rows := positions(t, 3000)
	var all []map[string]string
	for _, c := range []struct {
		how   string
		procs int
	}{{"json", 1}, {"json", 3}, {"binary", 2}} {
		out := t.TempDir()
		m, err := Run(context.Background(), []string{data}, out, Config{Command: testEngine(t, c.how), Procs: c.procs,
			Program: "test"})
		if err != nil {
			t.Fatal(err)
		}
		r, set, err := dataset.OpenFeatures(out)
		if err != nil {
			t.Fatal(err)
		}
		if m.Rows != int64(len(rows)) || set.Model != "test" || set.Version != 1 || !reflect.DeepEqual(set.Terms, testTerms) {
			t.Fatalf("%d rows of %s", m.Rows, set.Model)
		}
		i := 0
		for f, err := range r.All() {
			if err != nil {
				t.Fatal(err)
			}
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
		all = append(all, filesOf(t, out))
	}
	if !reflect.DeepEqual(all[0], all[1]) {
		t.Error("the bytes depend on the number of processes")
	}
	if all[0]["features-00000.arrow"] != all[2]["features-00000.arrow"] {
		t.Error("JSON and binary records give different bytes")
	}
}

// Every way to break the protocol is an error that says what is wrong, and where.
func TestEnginesThatMisbehave(t *testing.T) {
	data, rows := positions(t, 1500)
	row := fmt.Sprintf("row 700 (%s)", rows[699].Board.FEN())
	for how, want := range map[string][]string{
		"noheader":  {"1 lines and no header", "first line is", "Stockfish 15.1"},
		"talk":      {"no header in its first 101 lines", "info string"},
		"oldheader": {"features/0"},
		"quiet":     {ErrSilent.Error()},
		"unflushed": {ErrSilent.Error(), "row 1 ", "flush"},
		"crash":     {row, "exit status 3", "segmentation fault, as it were"},
		"drift":     {row, dataset.ErrDrift.Error()},
		"range":     {row, "term 5: count 200", "float32"},
		"garbage":   {row, "info depth 1"},
		"long":      {row, "longer than"},
		"mark":      {row, "a5"},
		"term":      {row, "term 6, but there are 6"},
		"short":     {row, "2 terms, but 1 counts"},
		"extra":     {"drifted apart"}, // noticed at the next record
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
	if _, err := Run(context.Background(), []string{data}, out, Config{Command: testEngine(t, "json"),
		Procs: 1}); err == nil || errors.Is(err, dataset.ErrComplete) {
		t.Errorf("another engine is taken for the same: %v", err)
	}
	if _, err := Run(context.Background(), []string{data}, out,
		Config{Command: []string{"./no-such-engine"}}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no engine: %v", err)
	}
}

// An interrupted run resumes at the last whole shard, and ends with the same bytes.
func TestFeaturesResume(t *testing.T) {
	if !datatest.Soak {
		t.Skip("asks for 72,000 positions twice")
	}
	data, rows := positions(t, 72_000) // a shard has 65,536
	whole, cut := t.TempDir(), t.TempDir()
	c := Config{Command: testEngine(t, "binary"), Procs: 2, Program: "test"}
	if _, err := Run(context.Background(), []string{data}, whole, c); err != nil {
		t.Fatal(err)
	}
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
	if _, err := Run(context.Background(), []string{data}, cut, second); err != nil {
		t.Fatal(err)
	}
	if began < 65536 || began > int64(len(rows)) {
		t.Errorf("it began again at %d", began)
	}
	if !reflect.DeepEqual(filesOf(t, cut), filesOf(t, whole)) {
		t.Error("the bytes differ from those of an undisturbed run")
	}
	if _, err := Run(context.Background(), []string{data}, cut, c); !errors.Is(err, dataset.ErrComplete) {
		t.Errorf("once more: %v", err)
	}
}

// The engine in C, with the writer in C, says what is true.
func TestExampleInC(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("needs a C compiler:", err)
	}
	program := filepath.Join(t.TempDir(), "engine")
	if text, err := exec.Command(cc, "-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-I.", "-o", program,
		"testdata/engine.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
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
	if len(set.Terms) != 7 || set.Terms[5].Name != "rook.open" || set.Float {
		t.Fatalf("%+v", set)
	}
	i := 0
	for f, err := range r.All() {
		if err != nil {
			t.Fatal(err)
		}
		want, phase, _ := features(&rows[i].Board)
		var got [7]float32
		for k, term := range f.Terms {
			got[term] = f.Counts[k]
		}
		if [5]float32(got[:5]) != [5]float32(want[:5]) || f.Phase != phase || f.Eval == dataset.NoEval ||
			set.CheckRow(&f) != nil {
			t.Fatalf("row %d of %s: %+v", i, rows[i].Board.FEN(), f)
		}
		i++
	}
}

// Whatever an engine prints, a record is read or refused.
func FuzzRecords(f *testing.F) {
	f.Add(true, []byte("\x01\x00\x01\xa5\x00\x00\x80\x3f\x00\x00\x80\x3f\x00\x00\x00\x00\x05\x00\x00\x00\x05"))
	f.Add(false, []byte(`{"term":[0,1],"count":[1,-2],"phase":0.75,"scale":1,"offset":0,"eval":35}`+"\n"))
	f.Add(true, []byte("\x01\x00\x13\xa6\x00\x00\x80\x3f\x00\x00\x80\x3f\x00\x00\x00\x00\x05\x00\x00\x00\x05\x00\x00\x00"))
	f.Add(false, []byte(`{"term":[0],"white":[1],"black":[2],"scale_white":0.5,"scale_black":1,"halves":[0,1,2]}`+"\n"))
	p := board.StartPosition()
	f.Fuzz(func(t *testing.T, isBinary bool, data []byte) {
		for _, h := range []header{
			{Format: dataset.FeaturesFormat1}, {Format: dataset.FeaturesFormat},
			{Format: dataset.FeaturesFormat, BySide: true}, {Format: dataset.FeaturesFormat, Resolves: true},
		} {
			h.Model, h.Float, h.Terms, h.Records = "x", true, headerTerms(testTerms), recordsJSON
			if isBinary {
				h.Records = recordsBinary
			}
			set, rr := h.set(), newRecordReader(bufio.NewReader(strings.NewReader(string(data))), &h)
			for {
				rec, err := rr.next(&p)
				if err != nil {
					break
				}
				if len(rec.Terms) != len(rec.Counts) {
					t.Fatalf("%+v", rec)
				}
				_ = checkRecord(&set, rec) // it must not panic
			}
		}
	})
}
