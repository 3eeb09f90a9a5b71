package numbers

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
)

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
