package numbers

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
)

// listed is a set of the literals in text that stand between « and », and its tree.
func listed(t *testing.T, text string) *Set {
	t.Helper()
	s := &Set{Root: t.TempDir(), Files: []string{"a.c"}}
	var b strings.Builder
	for i, part := range strings.FieldsFunc(text, func(r rune) bool { return r == '«' || r == '»' }) {
		if i%2 == 1 {
			number := strings.TrimRight(strings.ReplaceAll(part, " ", ""), "fuU")
			s.Numbers = append(s.Numbers, Number{Name: "T[" + part + "]", Table: "T", File: "a.c", Line: 1, Pair: -1, Text: part,
				From: b.Len(), To: b.Len() + len(part), Value: setup.Must(strconv.ParseFloat(number,
					64)), Float: strings.Contains(part, ".")})
		}
		b.WriteString(part)
	}
	setup.Check(t, os.WriteFile(filepath.Join(s.Root, "a.c"), []byte(b.String()), 0o666))
	return s
}

func TestWriteBack(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
		values           []float64
	}{
		{"the same", "{«1», «-2»}", "{1, -2}", []float64{1, -2}},
		{"rounded to the same", "{«1», «-2»}", "{1, -2}", []float64{1.4, -2.4}},
		{"rounded", "{«1», «-2»}", "{2, -3}", []float64{1.6, -2.6}},
		{"a float", "{«1.0f», «.5», «2.»}", "{2.25f, 3.0, 4.}", []float64{2.25, 3, 4}},
		{"a suffix", "{«12u», «5U»}", "{7u, 6U}", []float64{7, 6}},
		{"a plus", "S(«+5», «+6»)", "S(+7, -6)", []float64{7, -6}},
		{"no double minus", "a-«5»", "a- -5", []float64{-5}},
		{"narrow columns stay narrow", "{«12»,«100»}", "{5,1}", []float64{5, 1}},
		{"one blank is no column", "{«12», «100»}", "{5, 1000}", []float64{5, 1000}},
		{"columns", "{ «5»,  «12», «-30»}", "{ 15,  -1,   4}", []float64{15, -1, 4}},
		{"columns run over", "{ «5»,  «12», «-30»}", "{ 1500, 2000, -30}", []float64{1500, 2000, -30}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := listed(t, c.text)
			want := 0
			for i, n := range s.Numbers {
				if n.Round(c.values[i]) != n.Value {
					want++
				}
			}
			changed, err := s.WriteBack(s.Root, c.values)
			if got := string(setup.Must(os.ReadFile(filepath.Join(s.Root, "a.c")))); err != nil ||
				changed != want || got != c.want {
				t.Errorf("%q, %d changed, %v; want %q, %d", got, changed, err, c.want, want)
			}
		})
	}
}

func TestWriteBackRefuses(t *testing.T) {
	s := listed(t, "{«1», «-2»}")
	setup.Check(t, os.WriteFile(filepath.Join(s.Root, "a.c"), []byte("{1,  -2}"), 0o666))
	if _, err := s.WriteBack(s.Root, []float64{1, 3}); err == nil || !strings.Contains(err.Error(), "scan it again") {
		t.Errorf("a changed file: %v", err)
	}
	if _, err := s.WriteBack(s.Root, []float64{1}); err == nil {
		t.Error("one value was taken for two numbers")
	}
}

func TestFile(t *testing.T) {
	s := listed(t, "{«1», «-2», «.5»}")
	path := filepath.Join(s.Root, "a file")
	setup.Check(t, s.WriteFile(path, []float64{3.2, -4, .25}))
	if got := setup.Must(s.ReadFile(path)); !slices.Equal(got, []float64{3, -4, .25}) {
		t.Errorf("read %v", got)
	}
	for _, c := range []struct{ name, text, want string }{
		{"another name", "T[1] 3\nT[7] -4\nT[.5] .25\n", "line 2: want T[-2] and a value, not"},
		{"no value", "T[1] 3\nT[-2]\nT[.5] .25\n", "line 2: want T[-2] and"},
		{"not whole", "T[1] .5\nT[-2] -4\nT[.5] .25\n", "line 1: want T[1] and"},
		{"not a number", "T[1] 3\nT[-2] -4\nT[.5] NaN\n", "line 3: want T[.5] and"},
		{"cut off", "T[1] 3\nT[-2] -4\n", "2 lines for 3 numbers"},
	} {
		t.Run(c.name, func(t *testing.T) {
			setup.Check(t, os.WriteFile(path, []byte(c.text), 0o666))
			if _, err := s.ReadFile(path); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

func TestNames(t *testing.T) {
	s := &Set{}
	for _, name := range []string{"PawnMg", "PawnEg", "mg_pst[3]", "eg_pst[3]", "mg_pst[4]", "A", "A",
		"MiddlegameOpenFile", "EndgameOpenFile", "LateRook[7]", "EarlyRook[7]"} {
		s.Numbers = append(s.Numbers, Number{Name: name, Pair: -1})
	}
	s.uniqueNames()
	s.pairNames()
	var pairs []int
	for _, n := range s.Numbers {
		pairs = append(pairs, n.Pair)
	}
	if !slices.Equal(pairs, []int{1, 0, 3, 2, -1, -1, -1, 8, 7, 10, 9}) || s.Numbers[6].Name != "A#2" {
		t.Errorf("pairs %v, last name %s", pairs, s.Numbers[6].Name)
	}
}

func TestRound(t *testing.T) {
	for _, c := range []struct {
		number  Number
		v, want float64
	}{
		{Number{}, 2.6, 3}, {Number{}, -.2, 0}, {Number{Float: true}, 2.6, 2.6}, {Number{Max: 65535}, -3, 0},
		{Number{Min: -128, Max: 127}, 130.2, 127}, {Number{Min: -128, Max: 127}, -130, -128},
	} {
		if got := c.number.Round(c.v); got != c.want || math.Signbit(got) != math.Signbit(c.want) {
			t.Errorf("%+v rounds %v to %v, want %v", c.number, c.v, got, c.want)
		}
	}
}

// Tables that no one tunes are recognized by their names or values.
func TestAside(t *testing.T) {
	for _, c := range []struct {
		table  string
		values []float64
		why    string
	}{
		{"KnDir", []float64{-8, -19, -21, -12, 8, 19, 21, 12}, "steps of a piece"},
		{"rook", []float64{-16, -1, 1, 16, 0}, "steps of a piece"},
		{"king_steps", []float64{1, 2}, "geometry"},
		{"order", []float64{0, 1, 2, 3, 4, 5, 6, 7}, "a permutation"},
		{"CENTRE", []float64{-10, -5, 5, 11}, ""},
		{"pst", []float64{0, 0, 5, 10, 10, 5, 0, 0}, ""},
	} {
		if why := aside(c.table, c.values); !strings.HasPrefix(why, c.why) || c.why == "" && why != "" {
			t.Errorf("%s: %q, want %q", c.table, why, c.why)
		}
	}
}

// TestGoWork: a go.work between the top of the tree and the module counts.
func TestGoWork(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"sub/go.work": "go 1.20\n\nuse (\n\t./b\n\t./engine\n)\n", "sub/b/go.mod": "module example.org/b\n\ngo 1.20\n",
		"sub/b/b.go": "package b\n\nfunc F() {}\n", "sub/engine/go.mod": "module a\n\ngo 1.20\n",
		"sub/engine/a.go": "package main\n\nimport \"example.org/b\"\n\nfunc main() { b.F() }\n",
	} {
		setup.Check(t, writeNew(root, name, text))
	}
	if p := setup.Must(loadGo(root, "sub/engine/a.go", nil)).all["example.org/b"]; p == nil || p.Name != "b" {
		t.Errorf("the other module of the go.work: %+v", p)
	}
}

// TestGoOptions: the options take and skip, in Go.
func TestGoOptions(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module a\n\ngo 1.20\n", "a.go": `package main
		var A, P = [3]int{1, 2, 3}, pair{20, 30}
		type pair struct{ a, b int }
		func main() { f(A[0] + P.a) }
		func f(x int) int {
			table := [2]int{5, 8}
			return f(11) + table[0]*12
		}`} {
		setup.Check(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	s := setup.Must(Scan(dir, []string{"a.go"}, Options{Skip: []string{"A[1]", "P.0"}, Take: []string{"a.go:f"}}))
	var names []string
	for _, n := range s.Numbers {
		names = append(names, n.Name+"="+n.Text)
	}
	got, want := strings.Join(names, " "), "A[0]=1 A[2]=3 P.1=30 f[0]=5 f[1]=8"
	if got != want || s.Numbers[2].Pair != -1 || len(s.Left) != 2 {
		t.Errorf("%s, left %v; want %s", got, s.Left, want)
	}
	setup.Check(t, os.WriteFile(filepath.Join(dir, "assay.txt"), nil, 0o666))
	if err := s.Instrument(dir, "assay.txt"); err == nil || !strings.Contains(err.Error(), "assay.txt: not a file of") {
		t.Errorf("a file that go build would not take: %v", err)
	}
}

// testEngine is an engine of testdata that prints its evaluations of the positions in its arguments.
type testEngine struct {
	folder, value string
	files, take   []string
	numbers       int
	left          []string                                // names
	silent        []string                                // numbers whose change no position shows
	build         func(t *testing.T, dir, program string) // at dir
}

var testPositions = []string{
	"8/PPPPPPPP/3N4/8/1B6/8/R5Q1/k6K w",
	"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b",
	"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w",
	"4k3/8/3p4/2N1n3/1b3B2/8/1r4R1/3QK2q b",
	"B2R4/NB6/8/1P6/8/5N2/8/2B5 b",
	"2k5/1p1n4/8/6B1/8/5b2/P2N1r2/1QR4K w",
}

// run starts a program and returns what it prints.
func run(t *testing.T, program string, environment []string, input string, arguments ...string) string {
	t.Helper()
	c := exec.Command(program, arguments...)
	c.Env = append(os.Environ(), environment...)
	c.Stdin = strings.NewReader(input)
	var errors bytes.Buffer
	c.Stderr = &errors
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", filepath.Base(program), err, &errors)
	}
	return string(out)
}

// testInstrument checks that the copy plays as the untouched program, and that a number is the same when it is set over
// the pipe, in a file and in the sources.
func testInstrument(t *testing.T, e testEngine) {
	root := filepath.Join(t.TempDir(), "an engine")
	trees := map[string]string{}
	for _, name := range []string{"old", "new", "back"} {
		trees[name] = filepath.Join(root, name)
		setup.Check(t, os.CopyFS(trees[name], os.DirFS(filepath.Join("testdata", e.folder))))
	}
	s := setup.Must(Scan(trees["old"], e.files, Options{Take: e.take}))
	var left []string
	for _, l := range s.Left {
		left = append(left, l.Name)
	}
	if len(s.Numbers) != e.numbers || !slices.Equal(left, e.left) {
		t.Fatalf("%d numbers, left out %q; want %d, %q", len(s.Numbers), left, e.numbers, e.left)
	}
	if changed, err := s.WriteBack(trees["back"], s.Values()); changed != 0 || err != nil {
		t.Fatalf("unchanged values change %d literals, %v", changed, err)
	}
	moved := s.Values()
	for i := range moved {
		moved[i] = s.Numbers[i].Round(moved[i] + 1 + float64(i%7)*2 - 20*float64(i%2))
	}
	file := filepath.Join(root, "moved numbers")
	setup.Check(t, s.WriteFile(file, moved))
	bounded := 0 // what stays for its type's sake
	for i, n := range s.Numbers {
		if moved[i] == n.Value {
			bounded++
		}
	}
	if changed := setup.Must(s.WriteBack(trees["back"], moved)); changed != e.numbers-bounded || bounded > 1 {
		t.Fatalf("%d of %d literals written back", changed, e.numbers)
	}
	setup.Check(t, s.Instrument(trees["new"], e.value))
	program := map[string]string{}
	for name, dir := range trees {
		program[name] = filepath.Join(root, name+" program")
		e.build(t, dir, program[name])
	}
	set := []string{FileVariable + "=" + file}
	old := run(t, program["old"], nil, "", testPositions...)
	if now := run(t, program["new"], nil, "", testPositions...); old != now {
		t.Errorf("untouched %q, instrumented %q", old, now)
	}
	back := run(t, program["back"], nil, "", testPositions...)
	if now := run(t, program["new"], set, "", testPositions...); back != now {
		t.Errorf("written back %q, with %s %q", back, FileVariable, now)
	}
	testProtocol(t, e, s, program["new"], set, moved)
}

func testProtocol(t *testing.T, e testEngine, s *Set, program string, set []string, moved []float64) {
	var ask strings.Builder
	positions := "position " + strings.Join(testPositions, "\nposition ") + "\n"
	ask.WriteString("numbers\nposition " + testPositions[0] + "\nclear\n" + positions)
	values := fmt.Sprintf("values 0 2 2 3 3 %d\n", len(testPositions))
	ask.WriteString(values + "set")
	for i, v := range moved {
		fmt.Fprintf(&ask, " %d %v", i, v)
	}
	ask.WriteString("\n" + values)
	for i, v := range s.Values() {
		fmt.Fprintf(&ask, "set %d %v\n", i, v)
	}
	ask.WriteString(values)
	for i, v := range s.Values() {
		fmt.Fprintf(&ask, "set %d %v\n%sset %d %v\n", i, v+100, values, i, v)
	}
	ask.WriteString("nonsense\nvalues 1 77\nset 99999 1\nquit\n")
	lines := strings.Split(run(t, program, []string{MeasureVariable + "=1"}, ask.String()), "\n")
	for i, n := range s.Numbers {
		if want := fmt.Sprint(n.Name, " ", n.Value); lines[i] != want {
			t.Fatalf("number %d is %q, want %q", i, lines[i], want)
		}
	}
	answers := lines[len(s.Numbers)+1:]
	take := func() string {
		a := answers[:len(testPositions)]
		answers = answers[len(testPositions):]
		return strings.Join(a, " ")
	}
	start, changed, again := take(), take(), take()
	fresh := run(t, program, append(set, MeasureVariable+"=1"), positions+values)
	if start == changed || start != again || changed != strings.Join(strings.Fields(fresh), " ") {
		t.Errorf("values %s, set %s, set back %s, from a file %s", start, changed, again, fresh)
	}
	var silent []string
	for _, n := range s.Numbers {
		if take() == start {
			silent = append(silent, n.Name)
		}
	}
	if !slices.Equal(silent, e.silent) {
		t.Errorf("no effect: %q, want %q", silent, e.silent)
	}
	for i, a := range answers[:3] {
		if !strings.HasPrefix(a, "error ") {
			t.Errorf("bad command %d is answered %q", i, a)
		}
	}
}

func TestGo(t *testing.T) {
	testInstrument(t, testEngine{
		folder: "go", files: []string{"eval/tables.go"}, value: "cmd/minnow/assay.go", numbers: 48,
		left: []string{"Tempo", "Centre", "Isolated", "Mate", "Typed", "Ranks", "Grain", "Pair", "flip", "code"}, silent: []string{"Values[6]", "PST[0][0]", "PST[0][7]"},
		build: func(t *testing.T, dir, program string) {
			c := exec.Command("go", "build", "-o", program, "./cmd/minnow")
			c.Dir = dir
			if out, err := c.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		},
	})
}

func TestRust(t *testing.T) {
	// rustup's rustc is on the PATH but fails where it cannot write to HOME, so ask it for its version.
	if err := exec.Command("rustc", "--version").Run(); err != nil {
		t.Skip("no rustc that works here; install Rust 1.82 or newer to run this: " + err.Error())
	}
	testInstrument(t, testEngine{
		folder: "rust", files: []string{"src/eval/tables.rs"}, value: "assay.rs", numbers: 54,
		left: []string{"MATE", "RANKS", "LAZY", "GRAIN", "MASK", "BONUS"}, silent: []string{"PACKED[0].0#2", "PACKED[0].1#2"},
		build: func(t *testing.T, dir, program string) {
			os.Remove(filepath.Join(dir, "rust-toolchain")) // the pin of the untouched tree
			c := exec.Command("rustc", "--edition", "2021", "-o", program, "src/main.rs")
			c.Dir = dir
			if out, err := c.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		},
	})
}
