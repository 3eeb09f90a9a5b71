package eval

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

// historicTerms gives the term for each column of testdata/term_table.json, by model; with a
// plus, two that add up to it.
var historicTerms = map[string]map[string]string{
	"shannon-appendix": {
		"shannon.doubled_extra": "doubled", "shannon.doubled_all": "doubled-all",
		"shannon.isolated": "isolated", "shannon.backward": "backward", "shannon.mobility": "mobility",
		"shannon.passed": "passed", "shannon.rook_open": "rook.open-file",
		"shannon.rook_semi_open": "rook.half-open-file", "shannon.rook_7th": "rook.seventh",
		"shannon.rooks_doubled": "rooks-doubled", "shannon.advanced_knights": "knight.advanced",
		"shannon.centre_pawns": "centre-pawn", "shannon.pins": "pin",
		"shannon.pawns_opposite_colour_from_bishop": "pawn-off-bishop-colour",
		"shannon.king_zone_attacks":                 "king-zone",
	},
	"machack-1967": {
		"machack.tripled": "tripled", "machack.backward": "backward+backward.home",
		"machack.backward_strict": "backward.strict",
	},
}

// TestHistoricTable compares counts with an independent program's.
func TestHistoricTable(t *testing.T) {
	var table struct{ Positions []map[string]any }
	readTestdata(t, "term_table.json", &table)
	if len(table.Positions) < 100 {
		t.Fatalf("only %d positions", len(table.Positions))
	}
	for _, row := range table.Positions {
		checkHistoric(t, row)
	}
}

func checkHistoric(t *testing.T, row map[string]any) {
	t.Helper()
	p := setup.Must(board.ParseFEN(row["fen"].(string)))
	for column, want := range row {
		var got any
		switch column {
		case "fen", "shannon.g": // which internal/historic/shannon computes
			continue
		case "shannon.f":
			m, _ := Lookup("shannon-1950")
			got, want = setup.Must(m.NewEvaluator(m.Start)).Evaluate(&p), int(math.Round(100*want.(float64)))
		case "machack.B", "machack.K", "machack.C":
			got = machackPart(t, &p, column)
		default:
			white, black := historicCounts(t, &p, column)
			pair := want.([]any)
			if white != pair[0] || black != pair[1] {
				t.Errorf("%s: %s is %v and %v, want %v", row["fen"], column, white, black, pair)
			}
			continue
		}
		if got != want {
			t.Errorf("%s: %s is %v, want %v", row["fen"], column, got, want)
		}
	}
}

// historicCounts returns White's and Black's count of the term of a column.
func historicCounts(t *testing.T, p *board.Position, column string) (white, black float64) {
	t.Helper()
	found := false
	for model, columns := range historicTerms {
		for _, name := range strings.FieldsFunc(columns[column], func(r rune) bool { return r == '+' }) {
			w, b := counts(t, p, model, name)
			white, black, found = white+w, black+b, true
		}
	}
	if !found {
		t.Fatalf("no term for %s", column)
	}
	return white, black
}

func counts(t *testing.T, p *board.Position, model, name string) (white, black float64) {
	t.Helper()
	m := setup.Must(Lookup(model))
	i, ok := m.Term(name)
	if !ok {
		t.Fatalf("%s has no term %s", model, name)
	}
	c := m.Counts(p)[i]
	return float64(c.White), float64(c.Black)
}

// machackPart returns a part of Mac Hack's S in points of 1/128 pawn, from the model's counts
// and the points that the paper prints.
func machackPart(t *testing.T, p *board.Position, part string) (points float64) {
	t.Helper()
	weights := map[string]map[string]float64{
		"machack.B":                     {"pawn": 128, "knight": 416, "bishop": 448, "rook": 640, "queen": 1248},
		"machack.K":                     {"king-rank": -8},
		"machack.K_both_queens_reading": {"king-rank.both-queens": -8},
		"machack.C":                     {"centre": 1},
	}[part]
	for name, weight := range weights {
		white, black := counts(t, p, "machack-1967", name)
		points += weight * (white - black)
	}
	return points
}

// TestHistoricVectors checks single terms on positions made for them.
func TestHistoricVectors(t *testing.T) {
	var file struct {
		Vectors []struct {
			ID, Term, FEN string
			Expected      any
		}
	}
	readTestdata(t, "term_vectors.json", &file)
	checked := 0
	for _, v := range file.Vectors {
		if !strings.HasPrefix(v.Term, "shannon.") && !strings.HasPrefix(v.Term, "machack.") ||
			v.Term == "machack.R_unit" || v.Term == "shannon.g" {
			continue // R needs a root: its vectors are in TestMacHackRatio; g is a test of internal/historic/shannon
		}
		checked++
		fen := v.FEN
		// White could capture the king; these terms do not depend on the side to move
		if v.ID == "v028" || v.ID == "v115" {
			fen = strings.Replace(fen, " w ", " b ", 1)
		}
		p := setup.Must(board.ParseFEN(fen))
		want := v.Expected
		if squares, ok := want.([]any); ok && v.Term != "machack.backward" {
			want = float64(len(squares))
		}
		if got := historicVector(t, &p, v.Term, want); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %s of %s is %v, want %v", v.ID, v.Term, v.FEN, got, want)
		}
	}
	if checked < 50 {
		t.Errorf("only %d vectors checked", checked)
	}
}

// historicVector returns the value of a vector's term in a position, in the form of want.
func historicVector(t *testing.T, p *board.Position, term string, want any) any {
	t.Helper()
	switch term {
	case "shannon.f":
		m, _ := Lookup("shannon-1950")
		return float64(setup.Must(m.NewEvaluator(m.Start)).Evaluate(p)) / 100
	case "shannon.knight_supported", "shannon.knight_free_from_pawn_attack":
		white, _ := counts(t, p, "shannon-appendix", "knight.advanced.held")
		return white == 1
	case "machack.B", "machack.K", "machack.C", "machack.K_both_queens_reading":
		return machackPart(t, p, term)
	case "machack.K_absolute_reading": // the reading with the wrong sign for Black
		return float64(8*(p.KingSquare(board.Black).Rank()+1) - 8*(p.KingSquare(board.White).Rank()+1))
	case "machack.M":
		return float64(machackSideMaterial(p, board.White))
	case "machack.backward":
		return backwardVector(t, p, want.([]any))
	}
	i := strings.LastIndex(term, ".")
	if i < 0 {
		t.Fatalf("no way to check %s", term)
	}
	white, black := historicCounts(t, p, term[:i])
	if term[i:] == ".black" {
		return black
	}
	return white
}

// backwardVector returns, as the vectors have it, the pawn's square, whether it is backward,
// and the line of the decision list.
func backwardVector(t *testing.T, p *board.Position, want []any) any {
	t.Helper()
	sq, ok := board.ParseSquare(want[0].(string))
	if !ok {
		t.Fatalf("no square %v", want[0])
	}
	rule, _ := machackIsBackward(p, sq)
	number := []string{"1", "2", "3a", "3b", "4", "5"}[rule]
	text := want[2].(string)
	if !strings.HasPrefix(text, number+" ") {
		text = "rule " + number
	}
	return []any{want[0], rule.backward(), text}
}

// TestMacHackRatio checks R against N/T - 1 worked out by hand from the paper's example:
// three pawns ahead, giving a bishop for a knight is good; two pawns ahead, it is not.
func TestMacHackRatio(t *testing.T) {
	for _, test := range []struct {
		top, node string
		unit      float64
	}{
		{"rnbqkbnr/ppppp3/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "rnbqkb1r/ppppp3/8/8/8/8/PPPPPPPP/RN1QKBNR w KQkq - 0 1",
			0.000128464},
		{"rnbqkbnr/ppppp3/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "rn1qkbnr/ppppp3/8/8/8/8/PPPPPPPP/RN1QKBNR w KQkq - 0 1",
			0.007322016},
		{"rnbqkbnr/pppppp2/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
			"rnbqkb1r/pppppp2/8/8/8/8/PPPPPPPP/RN1QKBNR w KQkq - 0 1", -0.002231048},
		{"4k3/8/8/8/8/8/8/QQQQK3 w - - 0 1", "4k3/8/8/8/8/8/8/Q3K3 w - - 0 1", 1249.0/4993 - 1},
	} {
		top, node := setup.Must(board.ParseFEN(test.top)), setup.Must(board.ParseFEN(test.node))
		var r root
		r.set(&top)
		n, m := r.of(&node)
		if unit := float64(n-m) / float64(m); math.Abs(unit-test.unit) > 5e-10 {
			t.Errorf("%s: N/T - 1 = %.9f, want %.9f", test.node, unit, test.unit)
		}
		want := int(test.unit * 5281 / 4 * 100 / 128)
		if got := r.ratio(&node); got != want {
			t.Errorf("%s: R = %d centipawns, want %d", test.node, got, want)
		}
	}
}

// TestRoot checks that a root changes the value, not the features, and that nil removes it.
func TestRoot(t *testing.T) {
	m, _ := Lookup("machack-1967")
	e := setup.Must(m.NewEvaluator(m.Start))
	top := board.StartPosition()
	p := setup.Must(board.ParseFEN("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"))
	var f Features
	without := e.Evaluate(&p)
	e.SetRoot(&top)
	m.Features(&p, &f)
	// N/T - 1 = 5281/4033 - 1 of 5281/4 points.
	if got := e.Evaluate(&p); got != without+319 || f.Value(m.Start) != without {
		t.Errorf("with a root the value is %d, from features %d; without %d", got, f.Value(m.Start), without)
	}
	e.SetRoot(nil)
	if got := e.Evaluate(&p); got != without {
		t.Errorf("with the root taken away the value is %d, want %d", got, without)
	}
	bare := setup.Must(board.ParseFEN("4k3/8/8/8/8/8/8/QQQQK3 w - - 0 1"))
	e.SetRoot(&top)
	if _, black := counts(t, &bare, m.Name, "ratio"); black != 0 {
		t.Error("Explain knows a root")
	}
	if got := e.Evaluate(&bare); got != 4*975+maxRatio {
		t.Errorf("four queens against a king: %d", got)
	}
}

// TestAppendixReadings checks the terms whose definition is our own.
func TestAppendixReadings(t *testing.T) {
	for _, test := range []struct {
		fen, term    string
		white, black float64
	}{
		// White attacks d5, which c6 and Nf6 guard: Nf6 is not the only guard.
		{"4k3/8/2p2n2/3p4/2P5/8/8/4K3 w - - 0 1", "committed", 0, 0},
		{"4k3/8/5n2/3p4/2P5/8/8/4K3 w - - 0 1", "committed", 0, 1},
		{"4k3/8/5n2/3p4/8/8/8/4K3 w - - 0 1", "committed", 0, 0},
		{"4k3/8/5n2/8/8/8/1B6/4K3 w - - 0 1", "exchange", 1, 0},
		{"r3k3/8/8/8/8/8/8/R3K3 w - - 0 1", "exchange", 1, 1},
		{"r3k3/8/8/8/8/8/8/Q3K3 w - - 0 1", "exchange", 0, 0},
		{"6k1/5p1p/6p1/8/8/8/5PPP/6K1 w - - 0 1", "weak-shelter", 0, 1},
		{"4k3/8/8/8/8/8/8/K7 w - - 0 1", "weak-shelter", 2, 0},
		{"4k3/8/8/8/8/8/6K1/8 w - - 0 1", "weak-shelter", 0, 0},
	} {
		p := setup.Must(board.ParseFEN(test.fen))
		if white, black := counts(t, &p, "shannon-appendix", test.term); white != test.white || black != test.black {
			t.Errorf("%s: %s is %v and %v, want %v and %v", test.fen, test.term, white, black, test.white, test.black)
		}
	}
}

// TestPass checks the number of moves after a pass that leaves a king in check: captures of
// that king count. The king has five moves and the rook thirteen.
func TestPass(t *testing.T) {
	p := setup.Must(board.ParseFEN("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1"))
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
