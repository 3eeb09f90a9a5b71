package features

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/internal/datatest"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

// flint builds the small engine in C, with one of the mistakes in its dump (0: none).
func flint(t testing.TB, mistake string) string {
	t.Helper()
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("needs a C compiler: apt-get install gcc")
	}
	program, level := filepath.Join(t.TempDir(), "flint"), "-O0"
	if mistake == "0" { // some warnings need it
		level = "-O1"
	}
	if text, err := exec.Command("cc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", level, "-I.",
		"-DMISTAKE="+mistake, "-o", program, "testdata/flint.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return program
}

// The small engine knows the rules, finds a mate, and plays what it is asked for.
func TestFlintPlays(t *testing.T) {
	program := flint(t, "0")
	for fen, want := range map[string]string{
		"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1": "97862",
		"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1":                            "2812",
		"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1":     "9467",
		"rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8":            "62379",
	} {
		if out, err := exec.Command(program, "perft", fen, "3").Output(); err != nil ||
			strings.TrimSpace(string(out)) != want {
			t.Errorf("%s: %s, want %s, %v", fen, out, want, err)
		}
	}
	cmd := exec.Command(program)
	cmd.Stdin = strings.NewReader("uci\nisready\nposition fen 6k1/5ppp/8/8/8/8/8/R6K w - - 0 1 moves h1g1 g8h8\ngo " +
		"nodes 20000\nposition startpos moves e2e4\ngo depth 3\nquit\n")
	out := setup.Must(cmd.Output())
	for _, want := range []string{"uciok\n", "readyok\n", "score mate 1 ", "bestmove a1a8\n"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	p := board.StartPosition()
	if m, err := p.ParseUCI("e2e4"); err != nil {
		t.Fatal(err)
	} else {
		p.Make(m)
	}
	_, last, _ := strings.Cut(string(out), "bestmove a1a8\n")
	_, last, _ = strings.Cut(last, "bestmove ")
	if _, err := p.ParseUCI(strings.TrimSpace(last)); err != nil {
		t.Errorf("bestmove %q: %v", last, err)
	}
}

// Flint plays and dumps with the weights of a file, and says what is wrong with one that is not its own.
func TestFlintLoads(t *testing.T) {
	program := flint(t, "0")
	header := setup.Must(exec.Command(program, "dump").Output())
	var h struct {
		Terms []struct {
			Name, Kind string
			MG, EG     float64
		}
	}
	setup.Check(t, json.Unmarshal(header, &h))
	file := func(change func(i int) float64, n int) string {
		path, lines := filepath.Join(t.TempDir(), "weights.json"), []string{}
		for i, x := range h.Terms[:n] {
			eg := fmt.Sprintf(`, "eg": %g`, x.EG+change(i))
			if x.Kind == "flat" {
				eg = ""
			}
			lines = append(lines, fmt.Sprintf(`    {"name": %q, "mg": %g%s}`, x.Name, x.MG+change(i), eg))
		}
		text := "{\n  \"format\": \"assay.weights/1\",\n  \"terms\": [\n" + strings.Join(lines, ",\n") + "\n  ]\n}\n"
		setup.Check(t, os.WriteFile(path, []byte(text), 0o666))
		return path
	}
	play := func(file string) (nodes, stderr string) {
		var said bytes.Buffer
		cmd := exec.Command(program)
		cmd.Stderr = &said
		cmd.Stdin = strings.NewReader("uci\nsetoption name EvalFile value " + file + "\nposition startpos\ngo depth 4\nquit\n")
		out, _ := cmd.Output()
		at := strings.LastIndex(string(out), "info depth 4")
		return string(out)[max(at, 0):], said.String()
	}
	same := file(func(int) float64 { return 0 }, len(h.Terms))
	other := file(func(i int) float64 { return float64(i%7 - 3) }, len(h.Terms))
	if dump, err := exec.Command(program, "dump", same).Output(); err != nil || !bytes.Equal(dump, header) {
		t.Errorf("its own weights: %v, %s", err, dump)
	}
	want, _ := play("<empty>")
	got, _ := play(same)
	if changed, _ := play(other); got != want || changed == want || !strings.Contains(want, "bestmove") {
		t.Errorf("%q, with its own weights %q, with others %q", want, got, changed)
	}
	if dump, err := exec.Command(program, "dump", other).Output(); err != nil || bytes.Equal(dump, header) ||
		!bytes.Contains(dump, []byte(`"name":"material.1","group":"material","mg":298,"eg":298}`)) {
		t.Errorf("other weights: %v, %.300s", err, dump)
	}
	for path, want := range map[string]string{file(func(int) float64 { return 0 }, 212): "has 212 terms, want 213",
		"testdata/flint.c": "is no weight file of assay", "nowhere": "cannot read nowhere"} {
		if _, stderr := play(path); !strings.Contains(stderr, want) {
			t.Errorf("%s: %q, want %s", path, stderr, want)
		}
	}
}

// The parameters of its search are UCI options: by default they are off, and each that is on
// makes a search of the same depth smaller.
func TestFlintOptions(t *testing.T) {
	if !datatest.Soak {
		t.Skip("searches deeply")
	}
	program := flint(t, "0")
	nodes := func(option string) (n int) {
		cmd := exec.Command(program)
		cmd.Stdin = strings.NewReader("uci\n" + option +
			"position fen r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 5 4\ngo depth 4\nquit\n")
		out := setup.Must(cmd.Output())
		_, last, _ := strings.Cut(string(out), "info depth 4 ")
		_, last, ok := strings.Cut(last, "nodes ")
		if !ok {
			t.Fatalf("no depth 6 in\n%s", out)
		}
		if _, err := fmt.Sscan(last, &n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	whole := nodes("")
	for name, c := range map[string]struct {
		off   int
		value int
	}{"ReduceFrom": {99, 4}, "FutilityMargin": {2000, 100}, "DeltaMargin": {2000, 50}} {
		if n := nodes(fmt.Sprintf("setoption name %s value %d\n", name, c.off)); n != whole {
			t.Errorf("%s off: %d nodes, without it %d", name, n, whole)
		}
		if n := nodes(fmt.Sprintf("setoption name %s value %d\n", name, c.value)); n >= whole {
			t.Errorf("%s %d: %d nodes, without it %d", name, c.value, n, whole)
		}
		if n := nodes(fmt.Sprintf("setoption name %s value -1\n", name)); n != whole {
			t.Errorf("%s -1 is taken: %d nodes", name, n)
		}
	}
}

// The dump of the small engine passes; each mistake planted in it is stopped, and the
// message names the cause.
func TestPlantedInC(t *testing.T) {
	data, rows := positions(t, 1500)
	for mistake, c := range map[string]struct {
		err   error
		cause string
	}{
		"0": {},
		"1": {errMirror, "from the side to move's view"},
		"2": {dataset.ErrDrift, `term "bishop_pair" is never counted`},
		"3": {dataset.ErrDrift, "is not reset"},
		"4": {dataset.ErrDrift, "the phase"},
		"5": {dataset.ErrDrift, "truncation"},
		"6": {dataset.ErrDrift, "it belongs into eg_scale"},
		"7": {dataset.ErrDrift, "cache"}, // errRepeat where no sampled position is its own twin
		"8": {dataset.ErrDrift, "sides are swapped"},
	} {
		t.Run(mistake, func(t *testing.T) {
			t.Parallel()
			out := t.TempDir()
			m, err := Run(context.Background(), []string{data}, out, Config{Command: []string{flint(t, mistake), "dump"},
				Procs: 2})
			if !errors.Is(err, c.err) {
				t.Fatalf("%v, want %v", err, c.err)
			}
			if c.err == nil {
				_, set, err := dataset.OpenFeatures(out)
				if err != nil || m.Rows != int64(len(rows)) || set.EGScale != dataset.EGScaleBySign {
					t.Errorf("%d rows, %+v, %v", m.Rows, set, err)
				}
				return
			}
			_, cause, _ := strings.Cut(err.Error(), "likely cause: ")
			if !strings.Contains(cause, c.cause) || !strings.Contains(err.Error(), "row ") {
				t.Errorf("%v\nwant the cause %q", err, c.cause)
			}
			// Once it is fixed, the folder takes the features.
			if mistake == "8" {
				if _, err := Run(context.Background(), []string{data}, out, Config{Command: []string{flint(t, "0"), "dump"},
					Procs: 2}); err != nil {
					t.Errorf("after the failure: %v", err)
				}
			}
		})
	}
}
