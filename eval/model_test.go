package eval

import (
	"errors"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

// TestTables checks the term table of every model: no gap, no repeated name, mirrors that
// match, start weights that the model accepts.
func TestTables(t *testing.T) {
	groups := map[string]bool{
		GroupMaterial: true, groupPieceSquare: true, groupMobility: true, groupPawns: true,
		groupPassed: true, groupPieces: true, groupKing: true, groupTempo: true, groupThreats: true, groupEndgame: true,
	}
	for _, m := range Models() {
		names := map[string]bool{}
		for i, term := range m.Terms {
			if term.Name == "" || names[term.Name] || strings.ContainsAny(term.Name, " \n\"") {
				t.Errorf("%s: term %d: bad name %q", m.Name, i, term.Name)
			}
			names[term.Name] = true
			if !groups[term.Group] || term.Source == "" {
				t.Errorf("%s: %s: group %q, source %q", m.Name, term.Name, term.Group, term.Source)
			}
			if m.Terms[term.Mirror].Mirror != i {
				t.Errorf("%s: %s: its mirror %s has another mirror", m.Name, term.Name, m.Terms[term.Mirror].Name)
			}
			if index, ok := m.Term(term.Name); !ok || index != i {
				t.Errorf("%s: Term(%s) = %d, %v", m.Name, term.Name, index, ok)
			}
		}
		if err := m.Check(m.Start); err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
	}
}

func TestLookup(t *testing.T) {
	for _, m := range Models() {
		if got, err := Lookup(m.Name); got != m || err != nil {
			t.Errorf("Lookup(%s) = %v, %v", m.Name, got, err)
		}
	}
	if _, err := Lookup("turing"); !errors.Is(err, ErrUnknownModel) || !strings.Contains(err.Error(), `"turing"`) {
		t.Errorf("Lookup of an unknown model: %v", err)
	}
}

func TestCheck(t *testing.T) {
	shannon, assay := shannonModel(), assayModel()
	for _, test := range []struct {
		name string
		m    *Model
		edit func(w []Coef) []Coef
		want string
	}{
		{"short", assay, func(w []Coef) []Coef { return w[1:] }, "terms"},
		{"large", assay, func(w []Coef) []Coef { w[7].EG = MaxCoef + 1; return w }, assay.Terms[7].Name},
		{"small", assay, func(w []Coef) []Coef { w[9].MG = -MaxCoef - 1; return w }, assay.Terms[9].Name},
		{"tapered", shannon, func(w []Coef) []Coef { w[shannonRook].EG++; return w }, "rook"},
	} {
		w := test.edit(append([]Coef(nil), test.m.Start...))
		_, err := test.m.NewEvaluator(w)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want an error naming %q", test.name, err, test.want)
		}
	}
}

// TestAssayTerms checks terms of one side on positions made for them. Counts are White's
// and Black's; terms that are not listed are not checked.
func TestAssayTerms(t *testing.T) {
	m, _ := Lookup("assay")
	for _, test := range []struct {
		name, fen string
		want      map[string][2]int
	}{
		{"start", board.StartFEN, map[string][2]int{
			"pawn": {8, 8}, "knight": {2, 2}, "bishop": {2, 2}, "rook": {2, 2}, "queen": {1, 1},
			"bishop-pair": {1, 1}, "phalanx.rank2": {8, 8}, "supported.rank3": {0, 0}, "tempo": {1, 0},
			"mobility.knight.2": {2, 2}, "mobility.bishop.0": {2, 2}, "mobility.rook.1": {2, 2},
			"psq.king.e1": {1, 1}, "psq.queen.d1": {1, 1}, "psq.rook.a1": {1, 1}, "psq.pawn.e2": {1, 1},
			"shelter.own-file.rank2": {1, 1}, "shelter.next-file.rank2": {2, 2}, "king-ring.1": {0, 0},
		}},
		{"black to move", "4k3/8/8/8/8/8/8/4K3 b - - 0 1", map[string][2]int{
			"tempo": {0, 1}, "shelter.own-file.none": {1, 1}, "shelter.next-file.none": {2, 2},
		}},
		{"rooks", "1r2k3/1p3R2/8/8/8/8/r5PP/3R2K1 w - - 0 1", map[string][2]int{
			"rook.open-file": {2, 1}, "rook.half-open-file": {0, 0}, "rook.seventh": {1, 1},
			"shelter.own-file.rank2": {1, 0}, "shelter.next-file.rank2": {1, 0}, "shelter.next-file.none": {1, 2},
		}},
		{"half-open", "4k3/p7/8/8/8/8/8/R3K3 w - - 0 1", map[string][2]int{
			"rook.open-file": {0, 0}, "rook.half-open-file": {1, 0}, "passed.rank2": {0, 1},
		}},
		{"chain", "4k3/8/8/3p4/2PP4/4P3/8/4K3 w - - 0 1", map[string][2]int{
			"phalanx.rank4": {2, 0}, "supported.rank4": {1, 0}, "isolated": {0, 1}, "passed.rank3": {0, 0},
			"passed.rank4": {0, 0},
		}},
		{"backward", "4k3/8/3p4/2p1p3/2P1P3/8/8/4K3 w - - 0 1", map[string][2]int{
			"backward": {0, 1}, "isolated": {2, 0}, "supported.rank4": {0, 2},
		}},
		{"bishops of one color", "2B1k3/8/8/8/8/8/8/2b1KB2 w - - 0 1", map[string][2]int{
			"bishop": {2, 1}, "bishop-pair": {0, 0}, "mobility.bishop.7": {2, 1},
		}},
		// The queen attacks e8, e7 and e6 of the ring: 15 units.
		{"ring", "4k3/8/8/8/8/8/8/3KQ3 b - - 0 1", map[string][2]int{
			"king-ring.5": {1, 0}, "mobility.queen.17": {1, 0},
		}},
		{"mobility avoids pawn attacks", "4k3/8/2p5/8/8/2N5/8/4K3 w - - 0 1", map[string][2]int{
			"mobility.knight.6": {1, 0},
		}},
	} {
		checkCounts(t, m, test.name, test.fen, test.want)
	}
}

// checkCounts compares some of the counts of a position, White's and Black's.
func checkCounts(t *testing.T, m *Model, what, fen string, want map[string][2]int) {
	t.Helper()
	p := setup.Must(board.ParseFEN(fen))
	counts := m.Counts(&p)
	for name, want := range want {
		index, ok := m.Term(name)
		if !ok {
			t.Fatalf("no term %q", name)
		}
		if got := [2]int{counts[index].White, counts[index].Black}; got != want {
			t.Errorf("%s: %s is %v, want %v", what, name, got, want)
		}
	}
}

// TestSetWeight sets weights by the names that players take for options.
func TestSetWeight(t *testing.T) {
	assay, shannon := assayModel(), shannonModel()
	for _, test := range []struct {
		m           *Model
		name, value string
		set, bad    bool
		want        Coef
	}{
		{assay, "queen", "950", true, false, Coef{950, 950}},
		{assay, "queen.mg", "950", true, false, Coef{950, 900}},
		{assay, "queen.eg", "-3", true, false, Coef{900, -3}},
		{shannon, "queen", "1", true, false, Coef{1, 1}},
		{shannon, "queen.mg", "1", false, false, Coef{900, 900}},
		{assay, "queens", "1", false, false, Coef{900, 900}},
		{assay, "queen", "9.5", true, true, Coef{}},
		{assay, "queen", "30001", true, true, Coef{}},
	} {
		w, set, err := test.m.SetWeight(test.m.Start, test.name, test.value)
		if set != test.set || (err != nil) != test.bad {
			t.Errorf("%s=%s: set %v, %v", test.name, test.value, set, err)
			continue
		}
		queen, _ := test.m.Term("queen")
		if err == nil && w[queen] != test.want {
			t.Errorf("%s=%s: queen %v, want %v", test.name, test.value, w[queen], test.want)
		}
		if test.m.Start[queen] != (Coef{900, 900}) {
			t.Fatal("the weights given were changed")
		}
	}
}

func TestCheckName(t *testing.T) {
	for _, m := range Models() {
		for _, x := range m.Terms {
			for _, name := range []string{m.Name, x.Name, x.Group} {
				if err := CheckName(name); err != nil {
					t.Errorf("model %s: %v", m.Name, err)
				}
			}
		}
	}
	for _, name := range []string{"My Engine 1.0", "König", "psqt[3]/a", strings.Repeat("x", maxName)} {
		if err := CheckName(name); err != nil {
			t.Error(err)
		}
	}
	for name, want := range map[string]string{
		"": "empty", strings.Repeat("x", maxName+1): "129 bytes", " x": "blank", "x\n": "blank", "a\nb": "U+000A",
		"\x1b[2Jx": "U+001B",
		"a\u202eb": "U+202E", "a\x00b": "U+0000", "a\xffb": "not UTF-8", "a\u200bb": "U+200B", "a\u2028b": "U+2028",
	} {
		if err := CheckName(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", name, err, want)
		}
	}
}

func TestScale(t *testing.T) {
	m := setup.Must(Lookup("assay"))
	for _, c := range []struct {
		name, fen string
		want      int
	}{
		{"start position", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", scaleWhole},
		{"bishop against nothing", "4k3/8/8/8/8/8/8/2B1K3 w - - 0 1", scaleDead},
		{"rook against bishop", "4k1b1/8/8/8/8/8/8/2R1K3 w - - 0 1", scaleDead},
		{"rook against knight and pawn", "4k1n1/p7/8/8/8/8/8/2R1K3 w - - 0 1", scaleDead},
		{"rook and bishop against rook", "4k1r1/8/8/8/8/8/8/2RBK3 b - - 0 1", scaleDead},
		{"two knights", "4k3/8/8/8/8/8/8/2N1KN2 w - - 0 1", scaleDead},
		{"bishop and knight", "4k3/8/8/8/8/8/8/2N1KB2 w - - 0 1", scaleWhole},
		{"rook", "4k3/8/8/8/8/8/8/2R1K3 w - - 0 1", scaleWhole},
		{"queen against rook", "4k1r1/8/8/8/8/8/8/2Q1K3 w - - 0 1", scaleWhole},
		{"wrong bishop", "k7/8/8/8/8/8/P7/2B1K3 w - - 0 1", scaleDead},
		{"right bishop", "k7/8/8/8/8/8/P7/3BK3 w - - 0 1", scaleWhole},
		{"wrong bishop, far king", "4k3/8/8/8/8/8/P7/2B1K3 w - - 0 1", scaleWhole},
		{"wrong bishop, king beside the corner", "1k6/8/8/8/8/8/P7/2B1K3 w - - 0 1", scaleDead},
		{"wrong bishop, king below the corner", "8/k7/8/8/8/8/P7/2B1K3 w - - 0 1", scaleDead},
		{"wrong bishop, king two files from the corner", "2k5/8/8/8/8/8/P7/2B1K3 w - - 0 1", scaleWhole},
		{"wrong bishop, king two ranks from the corner", "8/8/k7/8/8/8/P7/2B1K3 w - - 0 1", scaleWhole},
		{"wrong bishop of the h-file", "7k/8/8/8/8/8/7P/3BK3 w - - 0 1", scaleDead},
		{"right bishop of the h-file", "6k1/8/8/8/8/8/7P/2B1K3 w - - 0 1", scaleWhole},
		{"rook's pawn", "k7/8/8/8/8/8/P7/4K3 w - - 0 1", scaleDead},
		{"bishop's pawn", "1k6/8/8/8/8/8/2P5/4K3 w - - 0 1", scaleWhole},
		{"rook and last pawn against rook", "4k1r1/8/8/8/8/8/P7/2R1K3 w - - 0 1", scaleOnePawn},
		{"two pawns against one", "4k1r1/p7/8/8/8/8/PP6/2R1K3 w - - 0 1", scaleTwoPawns},
		{"three against two", "4k1r1/pp6/8/8/8/8/PPP5/2R1K3 w - - 0 1", scaleThree},
		{"three against one", "4k1r1/p7/8/8/8/8/PPP5/2R1K3 w - - 0 1", scaleWhole},
		{"opposite bishops, one up", "4kb2/pp6/8/8/8/8/PPP5/4KB2 w - - 0 1", scaleOpposite},
		{"opposite bishops, two up", "4kb2/p7/8/8/8/8/PPP5/4KB2 w - - 0 1", scaleOpposite2},
		{"opposite bishops and rooks", "r3kb2/pp6/8/8/8/8/PPP5/R3KB2 w - - 0 1", scaleOpposite3},
		{"bishops of one color", "4kb2/pppp4/8/8/8/8/PPPPP3/2B1K3 w - - 0 1", scaleWhole},
	} {
		p := setup.Must(board.ParseFEN(c.fen))
		for _, q := range []board.Position{p, p.Mirror()} {
			var f Features
			m.Features(&q, &f)
			if f.ScaleNum != c.want || f.ScaleDen != scaleWhole {
				t.Errorf("%s: %s: scale %d/%d, want %d/%d", c.name, q.FEN(), f.ScaleNum, f.ScaleDen, c.want, scaleWhole)
			}
		}
	}
}
