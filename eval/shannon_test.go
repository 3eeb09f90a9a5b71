package eval

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
)

// shannonRow is the expected f(P) of a position and its counts, White's and Black's.
type shannonRow struct {
	FEN      string  `json:"fen"`
	F        float64 `json:"shannon.f"` // in pawns
	Doubled  [2]int  `json:"shannon.doubled_extra"`
	Isolated [2]int  `json:"shannon.isolated"`
	Backward [2]int  `json:"shannon.backward"`
	Mobility [2]int  `json:"shannon.mobility"`
}

// shannonRows holds counts by an independent program, on positions of real games; the last
// three rows are worked out by hand.
var shannonRows = []shannonRow{
	{"r5k1/1p3rb1/p2P1nn1/P2Pp3/N3Pp1p/5P2/4B1PK/R3BR2 b - - 0 1", 1.0, [2]int{1, 0}, [2]int{1, 1}, [2]int{1, 2},
		[2]int{29, 29}},
	{"8/1k6/p7/1p2K2p/1Pp1P2P/PbP1B3/8/8 w - - 0 1", 0.9, [2]int{0, 0}, [2]int{2, 1}, [2]int{2, 1}, [2]int{19, 10}},
	{"r4rk1/6pp/1qp1p3/2p1P3/p3P2N/1Pp5/P1P1R2P/1K5R w - - 0 2", -7.3, [2]int{1, 2}, [2]int{3, 5}, [2]int{0, 0},
		[2]int{19, 37}},
	{"4r3/R3N1pk/3p3p/1p5P/pPn1P3/P7/6PK/8 w - - 6 39", 0.6, [2]int{0, 0}, [2]int{1, 1}, [2]int{1, 2}, [2]int{20, 19}},
	{"5k2/5p2/3p4/p1pPp1p1/PpP1P1P1/1r6/4K3/7R b - - 1 57", -3.1, [2]int{0, 0}, [2]int{2, 0}, [2]int{2, 1},
		[2]int{19, 15}},
	{"8/7B/8/2N1k3/6pP/8/5PK1/r7 b - - 0 1", 1.5, [2]int{0, 0}, [2]int{2, 1}, [2]int{0, 0}, [2]int{20, 20}},
	{"r3kbnr/5ppp/p1q1p3/1p2P3/2pN4/1P2B3/P4PPP/2RQ1RK1 b kq - 0 14", -1.1, [2]int{0, 0}, [2]int{0, 0}, [2]int{0, 0},
		[2]int{36, 37}},
	{"6k1/6p1/2p5/4Rp2/4pP1P/P3n2P/2r5/6K1 b - - 1 42", -6.2, [2]int{1, 0}, [2]int{4, 1}, [2]int{0, 0}, [2]int{12, 24}},
	{"r2q1rk1/pp2ppbp/3p1np1/3P4/8/P5P1/1P1QPPBP/R1B1K2R b KQ - 0 12", 0.4, [2]int{0, 0}, [2]int{0, 0}, [2]int{0, 0},
		[2]int{32, 28}},
	{"4rr1k/1p2b1qp/pNnpb1p1/2p1pp2/P3PP2/2PP4/1PQBB1PP/R4RK1 b - - 5 19", 0.8, [2]int{0, 0}, [2]int{0, 0}, [2]int{0, 1},
		[2]int{41, 38}},
	{"r3r1k1/1bpnqpb1/pp1p3p/3P2p1/8/N3p1BP/PP1NBPP1/2RQR1K1 w - - 0 3", 1.2, [2]int{0, 0}, [2]int{1, 0}, [2]int{0, 1},
		[2]int{44, 42}},
	{"8/1p4kq/p2P4/8/P5p1/2P3P1/5R2/6K1 b - - 0 1", -3.7, [2]int{0, 0}, [2]int{2, 1}, [2]int{0, 0}, [2]int{19, 21}},
	{"r4rk1/ppp1q1p1/2b1p2p/4P1b1/3P4/2P3P1/PP1N2P1/R1B2RK1 b - - 0 2", -11.1, [2]int{1, 0}, [2]int{2, 1}, [2]int{0, 0},
		[2]int{24, 45}},
	{"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", 1.0, [2]int{0, 0}, [2]int{0, 0}, [2]int{0, 0},
		[2]int{30, 20}},
	{"4k3/8/8/8/8/P7/P7/4K3 w - - 0 1", 0.6, [2]int{1, 0}, [2]int{2, 0}, [2]int{0, 0}, [2]int{6, 5}},
	{"4k3/8/8/8/P7/P7/P7/4K3 w - - 0 1", 0.6, [2]int{2, 0}, [2]int{3, 0}, [2]int{0, 0}, [2]int{6, 5}},
}

func TestShannon(t *testing.T) {
	for _, row := range shannonRows {
		checkShannon(t, &row)
	}
}

// TestShannonTable checks f(P) on the positions of testdata/term_table.json.
func TestShannonTable(t *testing.T) {
	var table struct{ Positions []shannonRow }
	readTestdata(t, "term_table.json", &table)
	if len(table.Positions) < 100 {
		t.Fatalf("only %d positions", len(table.Positions))
	}
	for _, row := range table.Positions {
		checkShannon(t, &row)
	}
}

func checkShannon(t *testing.T, want *shannonRow) {
	t.Helper()
	m := setup.Must(Lookup("shannon-1950"))
	p := mustParse(t, want.FEN)
	counts := m.Counts(&p)
	got := shannonRow{FEN: want.FEN, F: want.F}
	for index, pair := range map[int]*[2]int{
		shannonDoubled: &got.Doubled, shannonIsolated: &got.Isolated,
		shannonBackward: &got.Backward, shannonMobility: &got.Mobility,
	} {
		*pair = [2]int{counts[index].White, counts[index].Black}
	}
	if got != *want {
		t.Errorf("got %+v\nwant %+v", got, *want)
	}
	f := mustEvaluator(t, m, m.Start).Evaluate(&p)
	if want := int(math.Round(100 * want.F)); f != want {
		t.Errorf("%s: f = %d, want %d", p.FEN(), f, want)
	}
}

// TestShannonTerms checks single terms on positions made for them. A vector expects a
// number, or a list of squares whose length is the count.
func TestShannonTerms(t *testing.T) {
	var file struct {
		Vectors []struct {
			ID, Term, FEN string
			Expected      json.RawMessage
		}
	}
	readTestdata(t, "term_vectors.json", &file)
	m, _ := Lookup("shannon-1950")
	terms := map[string]int{
		"shannon.doubled_extra": shannonDoubled, "shannon.isolated": shannonIsolated,
		"shannon.backward": shannonBackward, "shannon.mobility": shannonMobility,
	}
	checked := 0
	for _, v := range file.Vectors {
		name, side := strings.TrimSuffix(strings.TrimSuffix(v.Term, ".white"), ".black"),
			v.Term[strings.LastIndex(v.Term, ".")+1:]
		index, ok := terms[name]
		if !ok && v.Term != "shannon.f" {
			continue
		}
		checked++
		p := mustParse(t, v.FEN)
		var want, got float64
		if err := json.Unmarshal(v.Expected, &want); err != nil {
			var squares []string
			if err := json.Unmarshal(v.Expected, &squares); err != nil {
				t.Fatalf("%s: %v", v.ID, err)
			}
			want = float64(len(squares))
		}
		counts := m.Counts(&p)
		switch {
		case !ok:
			got = float64(mustEvaluator(t, m, m.Start).Evaluate(&p)) / 100
		case side == "white":
			got = float64(counts[index].White)
		default:
			got = float64(counts[index].Black)
		}
		if got != want {
			t.Errorf("%s: %s of %s is %v, want %v", v.ID, v.Term, v.FEN, got, want)
		}
	}
	if checked < 10 {
		t.Errorf("only %d vectors checked", checked)
	}
}

// TestPass checks the number of moves after a pass that leaves a king in check: captures of
// that king count. The king has five moves and the rook thirteen.
func TestPass(t *testing.T) {
	p := mustParse(t, "4k3/8/8/8/8/8/4r3/4K3 w - - 0 1")
	if n := legalAfterPass(&p); n != 18 {
		t.Errorf("%d moves, want 18", n)
	}
}

// readTestdata decodes a file of testdata.
func readTestdata(t *testing.T, name string, v any) {
	t.Helper()
	data := setup.Must(os.ReadFile(filepath.Join("testdata", name)))
	setup.Check(t, json.Unmarshal(data, v))
}
