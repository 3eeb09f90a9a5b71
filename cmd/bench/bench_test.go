package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-3 }

// The interval of three rounds by hand: log ratios 0, ln 2 and ln 4 have mean ln 2, standard
// error ln 2 / √3, and Student's t with two degrees of freedom is 4.303.
func TestPaired(t *testing.T) {
	half := math.Exp(math.Ln2 / math.Sqrt(3) * 4.30265)
	r := paired([]float64{1, 2, 8}, []float64{1, 1, 2})
	if !near(r.value, 2) || !near(r.lo, 2/half) || !near(r.hi, 2*half) {
		t.Errorf("paired() = %v, want 2 [%v, %v]", r, 2/half, 2*half)
	}
}

func TestSelfplayPlies(t *testing.T) {
	if n, err := selfplayPlies([]byte("selfplay: 12 games\n{\"out\":\"x\",\"plies\":77,\"adjudicated\":3}\n")); n != 77 ||
		err != nil {
		t.Errorf("selfplayPlies() = %v, %v, want 77", n, err)
	}
}

// A search of 900 nodes, one without a line of nodes, and one that is not finished.
func TestSearchNodes(t *testing.T) {
	out := "info depth 1 nodes 20 nps 7\ninfo depth 2 nodes 900 pv e2e4\nbestmove e2e4\nbestmove d2d4\n" +
		"info depth 1 nodes 5\n"
	if n, err := searchNodes([]byte(out)); n != 900 || err != nil {
		t.Errorf("searchNodes() = %v, %v, want 900", n, err)
	}
}

// The positions are twenty, legal, and in no other list.
func TestOthers(t *testing.T) {
	bench, err := os.ReadFile("../../engine/search/bench.go")
	if err != nil || len(others) != 20 {
		t.Fatal(len(others), err)
	}
	for _, fen := range others {
		placement, _, _ := strings.Cut(fen, " ")
		listed := strings.Contains(string(bench)+strings.Join(searched, " "), placement)
		if _, err := board.ParseFEN(fen); err != nil || listed {
			t.Errorf("%s: %v, or listed twice", fen, err)
		}
	}
}

// Two games, of three plies, one of them lost on time.
func TestCount(t *testing.T) {
	path := filepath.Join(t.TempDir(), "games.pgn")
	text := "[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n[Termination \"time forfeit\"]\n\n1. e4 e5 1-0\n\n" +
		"[White \"b\"]\n[Black \"a\"]\n[Result \"1/2-1/2\"]\n\n1. d4 1/2-1/2\n"
	setup.Check(t, os.WriteFile(path, []byte(text), 0o600))
	var p played
	if plies, err := p.count(path); plies != 3 || p.games != 2 || p.lost != 1 || err != nil {
		t.Errorf("count() = %v, %v; %+v", plies, err, p)
	}
}

// A row in which assay does twice the work of a peer, another peer is missing and a third fails.
func TestTable(t *testing.T) {
	works := func(name string, work float64) side {
		return side{name: name, work: always(work), start: func() ([]byte, float64, error) { return nil, 2, nil }}
	}
	r := row{"job of work", "k nodes", 1000, []side{works("assay", 8000), works("peer", 4000),
		{name: "gone", missing: "not installed"}, works("fails", 0)}}
	r.measure(3)
	var text strings.Builder
	r.print(&text)
	for _, want := range []string{"job of work, assay\t4 k nodes\t-", "job of work, peer\t2 k nodes\t2.000 [2.000, 2.000]",
		"job of work, gone\tnot measured: not installed\t-", "job of work, fails\tnot measured: 0 pieces"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in:\n%s", want, text.String())
		}
	}
	text.Reset()
	r.log(&text)
	if want := strings.Repeat("BenchmarkJob_of_work/assay 1 4 k_nodes/s\n", 3); !strings.HasPrefix(text.String(), want) {
		t.Errorf("log:\n%swant first\n%s", text.String(), want)
	}
}
