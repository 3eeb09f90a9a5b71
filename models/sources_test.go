package models

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// weightsOf makes a weight file of lines "name mg [eg]".
func weightsOf(t testing.TB, lines string) *File {
	t.Helper()
	var terms []string
	for _, line := range strings.Split(lines, ";") {
		w := strings.Fields(line)
		switch len(w) {
		case 2:
			terms = append(terms, fmt.Sprintf(`{"name": %q, "mg": %s}`, w[0], w[1]))
		case 3:
			terms = append(terms, fmt.Sprintf(`{"name": %q, "mg": %s, "eg": %s}`, w[0], w[1], w[2]))
		}
	}
	f, err := ParseAny("mine.json", []byte(`{"format": "assay.weights/1", "model": "mine", "unit": "centipawn", "K": 0.005, "provenance": {}, "terms": [`+strings.Join(terms, ",\n")+`]}`))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// arrayOf returns the lines of the terms of an array with the values.
func arrayOf(name string, values ...int) string {
	var b strings.Builder
	for i, v := range values {
		fmt.Fprintf(&b, "%s.%d %d; ", name, i, v)
	}
	return b.String()
}

// board64 is a piece-square table that no turn leaves as it is: its numbers as text, times sign,
// seen from Black if flip is 56.
func board64(add, sign, flip int) string {
	var b strings.Builder
	for i := range 64 {
		sq := i ^ flip
		fmt.Fprintf(&b, "%d, ", sign*(add+3*(sq/8)*(sq/8)-2*(sq%8)*(sq%8)+sq))
	}
	return b.String()
}

func board64Terms(name string, add int) string {
	var b strings.Builder
	for i, v := range strings.Split(board64(add, 1, 0), ", ")[:64] {
		fmt.Fprintf(&b, "%s.%d %s; ", name, i, v)
	}
	return b.String()
}

const (
	oldPieces, newPieces = "100, 300, 320, 500, 900", "111, 333, 344, 555, 999"
	oldRanks, newRanks   = "0, 5, 10, 20, 35, 60, 100, 0", "0, 7, 12, 25, 41, 77, 130, 0"
)

func piecesTerms(name string) string { return arrayOf(name, 111, 333, 344, 555, 999) }
func ranksTerms(name string) string  { return arrayOf(name, 0, 7, 12, 25, 41, 77, 130, 0) }

// sourceCases are small engines' sources with second copies, initializers without inner braces, macros and
// enums: each is written rightly, which after is, or refused by name.
var sourceCases = []struct {
	name, terms, before, after, err string
	said                            string // part of copies, shared or stale
	silent                          bool   // nothing is said
}{
	{name: "negated material in one array", terms: piecesTerms("value"),
		before: "int value[12] = {" + oldPieces + ", 12000, -100, -300, -320, -500, -900, -12000};",
		after:  "int value[12] = {" + newPieces + ", 12000, -111, -333, -344, -555, -999, -12000};",
		said:   "value has its values twice, negated"},
	{name: "two boards of material, flat", terms: strings.ReplaceAll(piecesTerms("value.0")+piecesTerms("value.1"), "999",
		"1000"),
		before: "const int value[2][12] = {\n // opening\n " + oldPieces +
			", 0, -100, -300, -320, -500, -900, 0,\n // endgame\n 110, 280, 300, 510, 950, 0, -110, -280, -300, -510, -950, 0 };",
		after: "const int value[2][12] = {\n // opening\n 111, 333, 344, 555, 1000, 0, -111, -333, -344, -555, -1000, " +
			"0,\n // endgame\n 111, 333, 344, 555, 1000, 0, -111, -333, -344, -555, -1000, 0 };"},
	{name: "the first index is the half", terms: "value.0 111 112; value.1 333 334; value.2 344 345",
		before: "int value[2][3] = {{100, 300, 320}, {110, 280, 300}};",
		after:  "int value[2][3] = {{111, 333, 344}, {112, 334, 345}};", silent: true},
	{name: "the first index is the half, flat", terms: "value.0.1 111 112; value.1.0 333 334; value.1.2 344 345",
		before: "const int value[2][2][3] = { 0, 100, 0, 300, 0, 320, 0, 110, 0, 280, 0, 300 };",
		after:  "const int value[2][2][3] = { 0, 111, 0, 333, 0, 344, 0, 112, 0, 334, 0, 345 };", silent: true},
	{name: "words of halves", terms: "pawn_score 11 12; shield.1 33 34; knight 5 6",
		before: "#define PAWN_MG_SCORE 1\n#define PAWN_EG_SCORE 2\nint shield_opening[2] = {3, 4};\nint shield_endgame[2] = {5, 6};\n" +
			"int midgameKnight = 7, endgameKnight = 8;\nint opening = 3;",
		after: "#define PAWN_MG_SCORE 11\n#define PAWN_EG_SCORE 12\nint shield_opening[2] = {3, 33};\nint shield_endgame[2] = {5, 34};\n" +
			"int midgameKnight = 5, endgameKnight = 6;\nint opening = 3;"},
	{name: "two pairs are no halves", terms: "value.0 11 12; value.1 33 34",
		before: "int value[2][2] = {{1, 2}, {3, 4}};", after: "int value[2][2] = {{11, 12}, {33, 34}};", silent: true},
	{name: "the first index is a color", terms: strings.ReplaceAll(piecesTerms("value"), ";", " 7;"),
		before: "int value[2] = {" + "100, 300" + "};", err: "value.0: line 1: the element is"},
	{name: "passed pawns of either color", terms: ranksTerms("passed.0"),
		before: "static const int passed[2][8] = {{" + oldRanks + "}, {0, 100, 60, 35, 20, 10, 5, 0}};",
		after:  "static const int passed[2][8] = {{" + newRanks + "}, {0, 130, 77, 41, 25, 12, 7, 0}};",
		said:   "in reverse order"},
	{name: "passed pawns, mirrored and negated, flat", terms: ranksTerms("passed.0"),
		before: "int passed[2][8] = {" + oldRanks + ", 0, -100, -60, -35, -20, -10, -5, 0};",
		after:  "int passed[2][8] = {" + newRanks + ", 0, -130, -77, -41, -25, -12, -7, 0};"},
	{name: "passed[2][8] without the color in the terms", terms: ranksTerms("passed"),
		before: "int passed[2][8] = {{" + oldRanks + "}, {" + oldRanks + "}};", err: "passed.0: line 1: the element is"},
	{name: "a table of Black, mirrored", terms: board64Terms("pawn_pst", 5),
		before: "int pawn_pst[64] = {" + board64(0, 1, 0) + "};\nint black_pawn_pst[64] = {" + board64(0, 1, 56) + "};\n",
		after:  "int pawn_pst[64] = {" + board64(5, 1, 0) + "};\nint black_pawn_pst[64] = {" + board64(5, 1, 56) + "};\n",
		said:   "line 2: black_pawn_pst has the values of pawn_pst, mirrored"},
	{name: "a 0 among pairs, with values of Black apart", terms: "m.1 1 2; m.2 3 4; m.3 5 6; m.4 9 9",
		before: "int m[5] = {0, S(7, 8), S(9, 10), 0, S(11, 12)};\n" +
			"int black_m[5] = {0, S(-7, -8), S(-9, -10), 0, S(-11, -12)};\n",
		err: "black_m has the values of m, and a 0 where others are pairs: write a pair of zeros"},
	{name: "sizes are no old values, a macro is no function", terms: "passed.0 31; passed.1 90",
		before: "int passed[2] = {28, 100};\nint other[2][28], many[100];\nCONSTR(1) set_table() { x = passed; }\n" +
			"void f() { y = passed; }\nint z = 100;",
		after: "int passed[2] = {31, 90};\nint other[2][28], many[100];\nCONSTR(1) set_table() { x = passed; }\n" +
			"void f() { y = passed; }\nint z = 100;", said: "passed: f (line 4)\nline 5: 100, the old value of passed.1"},
	{name: "Rust, mirrored and negated", terms: board64Terms("PST.0", 5),
		before: "pub const PST: [[i32; 64]; 2] = [[" + board64(0, 1, 0) + "], [" + board64(0, -1, 56) + "]];",
		after:  "pub const PST: [[i32; 64]; 2] = [[" + board64(5, 1, 0) + "], [" + board64(5, -1, 56) + "]];",
		said:   "mirrored and negated"},
	{name: "twelve tables in Go", terms: board64Terms("pst.0", 5) + board64Terms("pst.1", 70),
		before: "var pst = [4][64]int{{" + board64(0, 1, 0) + "}, {" + board64(60, 1, 0) + "}, {" + board64(0, -1,
			56) + "}, {" + board64(60, -1, 56) + "}}\n",
		after: "var pst = [4][64]int{{" + board64(5, 1, 0) + "}, {" + board64(70, 1, 0) + "}, {" + board64(5, -1,
			56) + "}, {" + board64(70, -1, 56) + "}}\n"},
	{name: "a color in the last place", terms: "m.0.0 11; m.1.0 22; m.2.0 33; m.3.0 44",
		before: "int m[4][2] = {{10, -10}, {20, -20}, {30, -30}, {40, -40}};", after: "int m[4][2] = {{11, -11}, {22, " +
			"-22}, {33, -33}, {44, -44}};"},
	{name: "scalars with a color", terms: "W_PAWN 111; W_ROOK 555; tempo 12",
		before: "enum { W_PAWN = 100, W_ROOK = 500, B_PAWN = -100, B_ROOK = -500 };\n#define tempo 10\n#define " +
			"tempo_black (-10)\n",
		after: "enum { W_PAWN = 111, W_ROOK = 555, B_PAWN = -111, B_ROOK = -555 };\n#define tempo 12\n#define " +
			"tempo_black (-12)\n"},
	{name: "halves that are alike, and both again", terms: ranksTerms("passed_mg") + ranksTerms("passed_eg"),
		before: "int passed_mg[8] = {" + oldRanks + "};\nint passed_eg[8] = {" + oldRanks +
			"};\nint black_passed_mg[8] = {0, 100, 60, 35, 20, 10, 5, 0}, black_passed_eg[8] = {0, 100, 60, 35, 20, 10, 5, 0};",
		after: "int passed_mg[8] = {" + newRanks + "};\nint passed_eg[8] = {" + newRanks +
			"};\nint black_passed_mg[8] = {0, 130, 77, 41, 25, 12, 7, 0}, black_passed_eg[8] = {0, 130, 77, 41, 25, 12, 7, 0};"},
	{name: "files of one half", terms: "pst.0 11; pst.1 22; pst.2 33; pst.3 44; pst.8 55; pst.9 66; pst.10 77; pst.11 88",
		before: "int pst[64] = {1, 2, 3, 4, 4, 3, 2, 1, 5, 6, 7, 8, 8, 7, 6, 5" + strings.Repeat(", 0", 48) + "};",
		after: "int pst[64] = {11, 22, 33, 44, 44, 33, 22, 11, 55, 66, 77, 88, 88, 77, 66, 55" + strings.Repeat(", 0",
			48) + "};"},
	{name: "macros of either color", terms: piecesTerms("VALUES_W"),
		before: "#define VALUES_W {" + oldPieces + "}\n#define VALUES_B {-100, -300, -320, -500, -900}\n",
		after:  "#define VALUES_W {" + newPieces + "}\n#define VALUES_B {-111, -333, -344, -555, -999}\n"},
	{name: "a board whose files are alike", terms: board64Terms("pst.0", 5),
		before: "int pst[2][64] = {{" + strings.Repeat("1, 2, 3, 4, 4, 3, 2, 1, ",
			4) + strings.Repeat("5, 6, 7, 8, 8, 7, 6, 5, ", 4) + "}, {" + strings.Repeat("5, 6, 7, 8, 8, 7, 6, 5, ",
			4) + strings.Repeat("1, 2, 3, 4, 4, 3, 2, 1, ", 4) + "}};",
		after: "int pst[2][64] = {{" + board64(5, 1, 0) + "}, {" + board64(5, 1, 56) + "}};"},
	{name: "a copy that is nearly one", terms: ranksTerms("passed.0"),
		before: "int passed[2][8] = {{" + oldRanks +
			"}, {0, 5, 10, 20, 35, 60, 101, 0}};",
		err: "line 1: passed has a second half that is like the written one but for passed[1][6]"},
	{name: "a copy that may go either way", terms: arrayOf("bonus.0", 1, 2, 3, 4, 5, 6, 7, 8),
		before: "int bonus[2][8] = {{10, 20, 30, 40, 40, 30, 20, 10}, {10, 20, 30, 40, 40, 30, 20, 10}};", err: "is like " +
			"the old values of"},
	{name: "nothing but zeros", terms: ranksTerms("passed.0"),
		before: "int passed[2][8] = {{0, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 0}};", err: "passed has a second " +
			"half that may be Black's"},
	{name: "Black's table is another one", terms: ranksTerms("white_passed"),
		before: "int white_passed[8] = {" + oldRanks +
			"};\nint black_passed[8] = {1, 2, 3, 4, 5, 6, 7, 8};\n", err: "line 2: by its name black_passed is white_passed " +
			"of the other side"},
	{name: "the same, but it stays", terms: ranksTerms("white_passed"),
		before: "int white_passed[8] = {" + oldRanks + "};\nint black_passed[8] = {1, 2, 3, 4, 5, 6, 7, 8}; // assay:keep\n",
		after:  "int white_passed[8] = {" + newRanks + "};\nint black_passed[8] = {1, 2, 3, 4, 5, 6, 7, 8}; // assay:keep\n"},
	{name: "negated under a name of its own", terms: piecesTerms("value"),
		before: "int value[5] = {" + oldPieces +
			"};\nint other[5] = {-100, -300, -320, -500, -900};\n", err: "line 2: other holds the old values of value, negated"},
	{name: "negated under a name of Black", terms: piecesTerms("value"),
		before: "int value[5] = {" + oldPieces + "};\nint black_men[5] = {-100, -300, -320, -500, -900};\n#define LAZY 300\n",
		after:  "int value[5] = {" + newPieces + "};\nint black_men[5] = {-111, -333, -344, -555, -999};\n#define LAZY 300\n",
		said:   "line 3: 300, the old value of value.1"},
	{name: "exchanges have the same values", terms: piecesTerms("value"),
		before: "int value[5] = {" + oldPieces + "};\nstatic const int see_value[7] = {0, " + oldPieces + ", 0};\n",
		after:  "int value[5] = {" + newPieces + "};\nstatic const int see_value[7] = {0, " + oldPieces + ", 0};\n",
		said:   `line 2: "100, 300, 320, 500, 900", old values beginning with that of value.0`},
	{name: "three axes, flat, sizes of an enum", terms: "t.0.1.2 99; t.1.0.0 -7",
		before: "enum color { WHITE, BLACK, COLORS };\n#define KINDS 2\nint t[COLORS][KINDS][3] = {1, 2, 3, 4, 5, 6,\n 7, " +
			"8, 9, 10, 11, 12};",
		after: "enum color { WHITE, BLACK, COLORS };\n#define KINDS 2\nint t[COLORS][KINDS][3] = {1, 2, 3, 4, 5, 99,\n " +
			"-7, 8, 9, 10, 11, 12};"},
	{name: "flat rows in the braces of the first", terms: "t.1.1.0 99",
		before: "int t[2][2][3] = {{1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}};", after: "int t[2][2][3] = {{1, 2, 3, 4, " +
			"5, 6}, {7, 8, 9, 99, 11, 12}};"},
	{name: "flat pairs", terms: "t.1.2 98 99",
		before: "Score t[2][3] = {S(1, 1), S(2, 2), S(3, 3), S(4, 4), S(5, 5), S(6, 6)};",
		after:  "Score t[2][3] = {S(1, 1), S(2, 2), S(3, 3), S(4, 4), S(5, 5), S(98, 99)};"},
	{name: "rows of two numbers, flat", terms: "value.1 98 99", before: "int value[3][2] = {1, 2, 3, 4, 5, 6};",
		after: "int value[3][2] = {1, 2, 98, 99, 5, 6};"},
	{name: "one index into a flat array", terms: "t.4 99", before: "int t[2][3] = {1, 2, 3, 4, 5, 6};",
		after: "int t[2][3] = {1, 2, 3, 4, 99, 6};"},
	{name: "unknown sizes", terms: "t.0.1 99", before: "int t[][N] = {1, 2, 3, 4};",
		err: "t cannot be counted: its rows have no braces, and not all sizes"},
	{name: "some rows have braces", terms: "t.0.1 99", before: "int t[2][2] = {{1, 2}, 3, 4};",
		err: "some of its rows have braces and some have none"},
	{name: "too many elements", terms: "t.0.1 99", before: "int t[2][2] = {1, 2, 3, 4, 5};",
		err: "it has 5 elements, more than the sizes"},
	{name: "places by enum", terms: "value.2 99; value.4 98",
		before: "enum { NONE, PAWN, KNIGHT, BISHOP, ROOK };\nint value[6] = { [PAWN] = 1, [KNIGHT] = 2, [ROOK] = 4, 5 };",
		after:  "enum { NONE, PAWN, KNIGHT, BISHOP, ROOK };\nint value[6] = { [PAWN] = 1, [KNIGHT] = 99, [ROOK] = 98, 5 };"},
	{name: "fields of a struct of Go", terms: "Pst.0.0 7; Pst.1.1 -8; Tempo.0 9; Scale 10",
		before: "var Coeffs = Set[int16]{\nPst: [2][2]int16{\n\t{ 1, 2},\n\t{ 3, 4},\n},\nTempo: [2]int16{5, 6},\nScale: 77,\n}\n",
		after:  "var Coeffs = Set[int16]{\nPst: [2][2]int16{\n\t{ 7, 2},\n\t{ 3, -8},\n},\nTempo: [2]int16{9, 6},\nScale: 10,\n}\n"},
	{name: "fields of a struct of C", terms: "pawn 7 8; pst.1 9",
		before: "static const Eval eval = { .pawn = S(1, 2),\n  .pst = {3, 4} };\nint f(int x) { return x ? pst : pawn; }\n",
		after:  "static const Eval eval = { .pawn = S(7, 8),\n  .pst = {3, 9} };\nint f(int x) { return x ? pst : pawn; }\n"},
	{name: "fields of a struct of Rust, with its type", terms: "pst.1 9; pawn 7 8",
		before: "struct Eval { pst: [i32; 2], pawn: S }\nconst EVAL: Eval = Eval { pst: [3, 4], pawn: S { mg: 1, eg: 2 } };\n",
		after:  "struct Eval { pst: [i32; 2], pawn: S }\nconst EVAL: Eval = Eval { pst: [3, 9], pawn: S { mg: 7, eg: 8 } };\n"},
	{name: "squares that count on", terms: arrayOf("v", 61, 62, 63, 64), said: "",
		before: "int v[4] = {26, 27, 28, 30};\nint square[] = {24, 25, 26, 27, 28, 29};\n",
		after:  "int v[4] = {61, 62, 63, 64};\nint square[] = {24, 25, 26, 27, 28, 29};\n", silent: true},
	{name: "pieces that are put and taken", terms: "pawn 7", silent: true,
		before: "int pawn = 5;\nvoid putPiece() { sum += pawn; }\nvoid clear_piece() { sum -= pawn; }\n",
		after:  "int pawn = 7;\nvoid putPiece() { sum += pawn; }\nvoid clear_piece() { sum -= pawn; }\n"},
	{name: "pieces that move and are taken", terms: "pawn 7", said: "pawn: moveGain (line 2)",
		before: "int pawn = 5;\nvoid moveGain() { sum += pawn; }\nvoid clear_piece() { sum -= pawn; }\n",
		after:  "int pawn = 7;\nvoid moveGain() { sum += pawn; }\nvoid clear_piece() { sum -= pawn; }\n"},
	{name: "a field beside a table of its name", terms: "Pst.1 9",
		before: "const Pst = [2]int{3, 4}\nvar e = Eval{Pst: [2]int{1, 0}}\n",
		after:  "const Pst = [2]int{3, 9}\nvar e = Eval{Pst: [2]int{1, 0}}\n"},
	{name: "places that are not known", terms: "value.2 99", before: "int value[6] = { [PAWN] = 1, [KNIGHT] = 2 };",
		err: "the place of its element [PAWN] is no known number"},
	{name: "a value repeated", terms: "pst.3 99", before: "const pst: [i32; 64] = [0; 64];",
		err: "a value is repeated by its number"},
	{name: "elements under the preprocessor", terms: "v.3 99",
		before: "int v[] = { 1,\n#ifdef TUNED\n 2,\n#else\n 3,\n#endif\n 4 };", err: "the preprocessor decides"},
	{name: "the endgame first", terms: "doubled 98 99; open 96 97; p 1 2",
		before: "#define S(eg, mg) ((mg) + ((eg) << 16))\nint doubled = S(-5, -10);\nScore open = { .eg = 4, .mg = 3 " +
			"};\nlet p = Score { eg: 3, mg: 4 };\n",
		after: "#define S(eg, mg) ((mg) + ((eg) << 16))\nint doubled = S(99, 98);\nScore open = { .eg = 97, .mg = 96 " +
			"};\nlet p = Score { eg: 2, mg: 1 };\n"},
	{name: "a struct with the endgame first", terms: "doubled 98 99",
		before: "struct Score { int eg; int mg; };\nScore doubled = { -5, -10 };", err: "a struct of this source has its " +
			"endgame value first"},
	{name: "a macro of another", terms: "KNIGHT 320", before: "#define PAWN 100\n#define KNIGHT (3 * PAWN)\n",
		err: `KNIGHT: line 2: the element is "(3 * PAWN)", want 1 whole number: it is computed`},
	{name: "a product", terms: "knight 320", before: "int knight = 3 * PAWN;", err: "it is computed"},
	{name: "a cast and a sign", terms: "a 5; b 6", before: "int a = (int16_t)4;\nint b = (int)-4;",
		err: "term b: line 2: the element is"},
	{name: "an enum that counts on", terms: "PAWN 111", before: "enum { PAWN = 100, KNIGHT, BISHOP = 300 };",
		err: "in its enum, KNIGHT has no value of its own and counts on from PAWN"},
	{name: "a sum of the same name", terms: "mobility 7",
		before: "const int mobility = 5;\nint evaluate(void) {\n  int mobility = 0;\n  return mobility;\n}\n",
		after:  "const int mobility = 7;\nint evaluate(void) {\n  int mobility = 0;\n  return mobility;\n}\n"},
	{name: "only a sum of the name", terms: "mobility 7; tempo 3",
		before: "constexpr int mobility{5}; int tempo = 2;\nint evaluate() {\n  int mobility = 3;\n}\n", err: "no file " +
			"given defines mobility"},
	{name: "halves in tables, a sum of the name", terms: "mobility.0 7 8; mobility.1 9 10",
		before: "int mobility_mg[2] = {1, 2}, mobility_eg[2] = {3, 4};\nint evaluate() {\n  int mobility = 0, mobility_mg " +
			"= 0;\n}\n",
		after: "int mobility_mg[2] = {7, 9}, mobility_eg[2] = {8, 10};\nint evaluate() {\n  int mobility = 0, " +
			"mobility_mg = 0;\n}\n"},
	{name: "set when the program starts", terms: "tempo 7", before: "int tempo;\nvoid init(void) { tempo = 5; }\n",
		after: "int tempo;\nvoid init(void) { tempo = 7; }\n"},
	{name: "a type too small", terms: "pst.0 130; pst.1 5", before: "static const int8_t pst[2] = {100, 5};",
		err: "line 1: the type of pst, int8_t, does not hold 130"},
	{name: "a type without a sign", terms: "pst.0 5; pst.1 -1", before: "var pst = [2]uint8{100, 5}\n",
		err: "the type of pst, uint8, does not hold -1"},
	{name: "no definition", terms: "tempo 7; pst.0 1; pst.1 2", before: "int tempo = 5;",
		err: "no file given defines pst (2 terms)"},
	{name: "the phase", terms: piecesTerms("value"), said: "value: the phase in evaluate (line 2), see (line 3)",
		before: "int value[5] = {" + oldPieces +
			"};\nint evaluate(Board *b) { int phase = 0; for (;;) phase += value[1]; return value[0] * phase; }\nint see(int " +
			"x) { return value[x]; }\n",
		after: "int value[5] = {" + newPieces +
			"};\nint evaluate(Board *b) { int phase = 0; for (;;) phase += value[1]; return value[0] * phase; }\nint see(int " +
			"x) { return value[x]; }\n"},
	{name: "a phase made of values", terms: "KNIGHT 333; ROOK 555",
		said: "KNIGHT, ROOK: phase_total (line 2)",
		before: "enum { KNIGHT = 300, ROOK = 500 };\nstatic const int phase_total = 4 * KNIGHT + 4 * ROOK;\nint " +
			"evaluate() { return KNIGHT * 24 / phase_total; }\n",
		after: "enum { KNIGHT = 333, ROOK = 555 };\nstatic const int phase_total = 4 * KNIGHT + 4 * ROOK;\nint " +
			"evaluate() { return KNIGHT * 24 / phase_total; }\n"},
	{name: "a margin of a pawn", terms: "PAWN 111", said: "PAWN: search (line 3)",
		before: "#define PAWN 100\n#define MARGIN (2 * PAWN)\nint search(int a) { return a + MARGIN; }\nint evaluate() { " +
			"return PAWN; }\n",
		after: "#define PAWN 111\n#define MARGIN (2 * PAWN)\nint search(int a) { return a + MARGIN; }\nint evaluate() { " +
			"return PAWN; }\n"},
}

func TestSources(t *testing.T) {
	never := func(*TermWeight) bool { return false }
	for _, c := range sourceCases {
		f := weightsOf(t, c.terms)
		p, err := f.Paste([]Source{{Name: "engine.c", Text: []byte(c.before)}}, never)
		if c.err != "" {
			if !errors.Is(err, errInto) || !strings.Contains(fmt.Sprint(err), c.err) {
				t.Errorf("%s: %v\nwant %s", c.name, err, c.err)
				if err == nil {
					t.Logf("%s", p.Files[0])
				}
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := string(p.Files[0]); got != c.after {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.after)
		}
		said := strings.Join(append(append(p.Copies, p.Shared...), p.Stale...), "\n")
		if !strings.Contains(said, c.said) || c.silent && said != "" {
			t.Errorf("%s: said\n%s\nwant\n%s", c.name, said, c.said)
		}
		if again, err := f.Paste([]Source{{Name: "engine.c", Text: p.Files[0]}}, never); err != nil ||
			string(again.Files[0]) != c.after || again.Copies != nil || again.Stale != nil {
			t.Errorf("%s, a second time: %v, %+v", c.name, err, again)
		}
	}
}

// copies is how many arrays TestCopiesProperty draws.
var copies = 75

// TestCopiesProperty: whatever the numbers, the shape of the array and the way in which Black's values
// stand beside White's, both are written or the definition is named; nothing is written alone.
func TestCopiesProperty(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	written := 0
	for n := range copies {
		kinds, size := 1+r.IntN(3), []int{8, 64, 5}[r.IntN(3)]
		flip, sign, pairs := 0, 1-2*r.IntN(2), r.IntN(3) == 0
		if size != 5 {
			flip = []int{0, map[int]int{8: 7, 64: 56}[size]}[r.IntN(2)]
		}
		reach := []int{3, 60, 900}[r.IntN(3)]
		draw := func() (v [][2]int) {
			for range kinds * size {
				v = append(v, [2]int{r.IntN(2*reach) - reach, r.IntN(2*reach) - reach})
			}
			return v
		}
		layout := r.IntN(6)
		text := func(v [][2]int) string {
			row := func(kind, color int) string {
				var items []string
				for i := range size {
					x := v[kind*size+i]
					if color == 1 {
						x = v[kind*size+(i^flip)]
						x[0], x[1] = sign*x[0], sign*x[1]
					}
					if item := fmt.Sprint(x[0]); pairs {
						items = append(items, fmt.Sprintf("S(%d, %d)", x[0], x[1]))
					} else {
						items = append(items, item)
					}
				}
				return strings.Join(items, ", ")
			}
			var colors [2][]string
			for color := range colors {
				for kind := range kinds {
					if text := row(kind, color); layout == 0 {
						colors[color] = append(colors[color], text)
					} else {
						colors[color] = append(colors[color], "{"+text+"}")
					}
				}
			}
			white, black := strings.Join(colors[0], ",\n "), strings.Join(colors[1], ",\n ")
			switch layout {
			case 0:
				return fmt.Sprintf("T t[2][%d][%d] = {%s,\n %s};\n", kinds, size, white, black)
			case 1:
				return fmt.Sprintf("T t[2][%d][%d] = {{%s}, {%s}};\n", kinds, size, white, black)
			case 2:
				return fmt.Sprintf("let t = [[%s], [%s]];\n", strings.NewReplacer("{", "[", "}", "]").Replace(white),
					strings.NewReplacer("{", "[", "}", "]").Replace(black))
			case 5:
				flat := strings.NewReplacer("{", "", "}", "")
				return fmt.Sprintf("T t[%d] = {%s,\n %s};\n", 2*kinds*size, flat.Replace(white), flat.Replace(black))
			case 3:
				return fmt.Sprintf("T t_w[%d][%d] = {%s};\nT t_b[%d][%d] = {%s};\n",
					kinds, size, white, kinds, size, black)
			}
			return fmt.Sprintf("var t = [%d][%d]T{%s,\n %s}\n", 2*kinds, size, white, black)
		}
		old, fresh := draw(), draw()
		var terms strings.Builder
		for i, x := range fresh {
			name := []string{"t.0", "t.0", "t.0", "t_w", "t", "t"}[layout]
			if layout == 5 {
				fmt.Fprintf(&terms, "%s.%d %d", name, i, x[0])
			} else {
				fmt.Fprintf(&terms, "%s.%d.%d %d", name, i/size, i%size, x[0])
			}
			if pairs {
				fmt.Fprintf(&terms, " %d", x[1])
			}
			terms.WriteString("; ")
		}
		before, after := text(old), text(fresh)
		p, err := weightsOf(t, terms.String()).Paste([]Source{{Name: "e", Text: []byte(before)}},
			func(*TermWeight) bool { return false })
		switch {
		case err != nil && !errors.Is(err, errInto), err != nil && !strings.Contains(err.Error(), "line "):
			t.Errorf("%d: %v", n, err)
		case err == nil && string(p.Files[0]) != after:
			t.Errorf("%d: only a part is written:\n%s\nwas\n%s\nwant\n%s", n, p.Files[0], before, after)
		case err == nil:
			written++
		case reach > 3:
			t.Logf("%d: %v\n%s", n, err, before)
		}
	}
	if written < copies*96/100 {
		t.Errorf("only %d of %d were written", written, copies)
	}
}

// TestSharedWithOthers: code of files that are not written is named too, unless it cannot see the coefficient, or this
// keeps its value.
func TestSharedWithOthers(t *testing.T) {
	sources := []Source{{Name: "eval.c", Text: []byte("const int tempo = 10;\nconst int open = 3;\nconst int same = 7;\nstatic const int hidden = 4;\n" +
		"int eval() { return tempo + open + same + hidden; }\n")}}
	search := Source{Name: "search.c", Text: []byte("int search() { int hidden = 1; return 2 * tempo + open + same + hidden; }\n")}
	p, err := weightsOf(t, "tempo 12; open 5; same 7; hidden 6").Paste(sources, func(*TermWeight) bool { return false }, search)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(p.Shared, "\n"), "tempo, open: search (search.c, line 1)"; got != want || len(p.Files) != 1 {
		t.Errorf("%d files, shared: %s\nwant %s", len(p.Files), got, want)
	}
}
