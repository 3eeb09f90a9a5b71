package models

import (
	"errors"
	"strings"
	"testing"
)

// numbersFile has terms of every shape; see TestIntoNumbers.
func numbersFile(t testing.TB) *File {
	t.Helper()
	f, err := ParseAny("mine.json", []byte(`{"format": "assay.weights/1", "model": "mine", "unit": "centipawn", "K": 0.005, "provenance": {}, "terms": [
{"name": "P", "mg": 82, "eg": 194}, {"name": "N", "mg": 7, "eg": -281},
{"name": "Pst.0.0", "mg": 1, "eg": -2}, {"name": "Pst.0.1", "mg": 3, "eg": 4}, {"name": "Pst.1.2", "mg": 105, "eg": 6},
{"name": "passed.b1", "mg": 10, "eg": 20}, {"name": "passed.c1", "mg": -30, "eg": -400},
{"name": "mobility.1", "mg": 15, "eg": 16}, {"name": "doubled2", "mg": -9, "eg": -10},
{"name": "open", "mg": 23}, {"name": "both", "mg": -5}, {"name": "tempo", "mg": 12}, {"name": "danger", "mg": 1, "eg": 0}, {"name": "side.1.mg", "mg": 31}, {"name": "side.1.eg", "mg": 32}]}`))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// pasteNumbers writes the terms that a source has, and names the others, arrays by their name alone.
func pasteNumbers(f *File, source []byte) ([]byte, []string, error) {
	p, err := f.Paste([]Source{{Name: "engine", Text: source}}, func(*TermWeight) bool { return true })
	if err != nil {
		return nil, nil, err
	}
	for i, name := range p.Missing {
		p.Missing[i], _, _ = strings.Cut(name, " ")
	}
	return p.Files[0], p.Missing, nil
}

// Only the numbers change, in any language's way to define them; what looks like a
// definition and is none stays.
func TestIntoNumbers(t *testing.T) {
	for _, c := range []struct{ name, before, after, left string }{
		{
			"C", `enum { P_MG = 100, P_EG =  200, // P_MG = 1
  N_MG = 300, N_EG = 300 };
extern const int doubled2;
#define tempo  18
/* tempo = 3 */ static const char *s = "tempo = 5";
const int Pst[2][3] = { // the table
    { S(  0,  0), S(-14,-25) },
    { S(  9,  9), S(  8,  8), S( 77,  7) } /* ragged */
};
const int doubled2 [1] = S(-11, -48) ;
const int open = S(20, 0), both = S(-4, -4);
int f() { if (tempo == 4) return tempo; pos->tempo = 7; pos.open = 7; x += tempo; x[both] = 3;
	int doubled2 = p->power[!color]
		* 4, tempo = other[tempo]; }
`, `enum { P_MG = 82, P_EG =  194, // P_MG = 1
  N_MG = 7, N_EG = -281 };
extern const int doubled2;
#define tempo  12
/* tempo = 3 */ static const char *s = "tempo = 5";
const int Pst[2][3] = { // the table
    { S(  1, -2), S(  3,4) },
    { S(  9,  9), S(  8,  8), S(105,  6) } /* ragged */
};
const int doubled2 [1] = S(-9, -10) ;
const int open = S(23, 0), both = S(-5, -5);
int f() { if (tempo == 4) return tempo; pos->tempo = 7; pos.open = 7; x += tempo; x[both] = 3;
	int doubled2 = p->power[!color]
		* 4, tempo = other[tempo]; }
`, "passed mobility danger side.1.mg side.1.eg",
		},
		{
			"C++", "constexpr std::array<Score, 3> Pst[2] = {{ Score{0, 0}, {-1, 1}, {} }, { {}, {}, {5, 5} }};\r\n" +
				"static std::array<S, 64> passed = {{ S{ 1, 1 }, S{2, 2},\r\n S(3, 3) }};\r\n",
			"constexpr std::array<Score, 3> Pst[2] = {{ Score{1, -2}, {3, 4}, {} }, { {}, {}, {105, 6} }};\r\n" +
				"static std::array<S, 64> passed = {{ S{ 1, 1 }, S{10, 20},\r\n S(-30, -400) }};\r\n",
			"P N mobility doubled2 open both tempo danger side.1.mg side.1.eg",
		},
		{
			"Rust", "pub const PST: i32 = 4; pub const Pst: [[S; 3]; 2] = [[S(0, 0), S(1i16, 1i16), S(2, 2)], [S(0, " +
				"0), S(1, 1), S(2, 2)]];\nconst tempo: i16 = 15i16;\nconst side: [S; 2] = [S(1, 1), S(2, 2)];",
			"pub const PST: i32 = 4; pub const Pst: [[S; 3]; 2] = [[S(1, -2), S(3i16, 4i16), S(2, 2)], [S(0, 0), " +
				"S(1, 1), S(105, 6)]];\nconst tempo: i16 = 12i16;\nconst side: [S; 2] = [S(1, 1), S(31, 32)];",
			"P N passed mobility doubled2 open both danger",
		},
		{
			"Go", "var PstMG = [2][3]int16{\n\t{\n\t\t// Knüppel\n\t\t9, 9, 9,\n\t},\n\t{1, 2, 3},\n}\nvar PstEG [2][3]int16 " +
				"= [2][3]int16{{8, 8, 8}, {1, 2, 3}}\n" +
				"var mobilityMG = [2]int{0, -5}\nvar mobilityEG = [2]int{0, 5}\nvar open int16 = 3\nconst tempo = 4\nvar mgSide " +
				"= []int{1, 2}\nvar egSide = []int{1, 2}\nvar other, both = 1, 2\nx := tempo\n",
			"var PstMG = [2][3]int16{\n\t{\n\t\t// Knüppel\n\t\t1, 3, 9,\n\t},\n\t{1, 2, 105},\n}\nvar PstEG [2][3]int16 = " +
				"[2][3]int16{{-2, 4, 8}, {1, 2, 6}}\n" +
				"var mobilityMG = [2]int{0, 15}\nvar mobilityEG = [2]int{0, 16}\nvar open int16 = 23\nconst tempo = 12\nvar " +
				"mgSide = []int{1, 31}\nvar egSide = []int{1, 32}\nvar other, both = 1, 2\nx := tempo\n",
			"P N passed doubled2 both danger",
		},
		{
			"packed pairs, some of them 0", "#define S(eg, mg) ((eg) * 65536 + (mg))\n" +
				"int passed[64] = {0, 0, S(  4, 5), 0, // files\n" +
				"};\nint mobility[] = { 0,         0, S(1, 2) };\n",
			"#define S(eg, mg) ((eg) * 65536 + (mg))\nint passed[64] = {0, S(20, 10), S(-400, -30), 0, // files\n" +
				"};\nint mobility[] = { 0, S(16, 15), S(1, 2) };\n",
			"P N Pst doubled2 open both tempo danger side.1.mg side.1.eg",
		},
		{
			"markers", "int tempo = 1;\n// assay:begin\nint tempo = 2;\n// assay:end\nint tempo = 3;\n",
			"int tempo = 1;\n// assay:begin\nint tempo = 12;\n// assay:end\nint tempo = 3;\n",
			"P N Pst passed mobility doubled2 open both danger side.1.mg side.1.eg",
		},
	} {
		out, left, err := pasteNumbers(numbersFile(t), []byte(c.before))
		if err != nil || string(out) != c.after || strings.Join(left, " ") != c.left {
			t.Errorf("%s: %v, not defined: %s\n%s\nwant\n%s", c.name, err, strings.Join(left, " "), out, c.after)
			continue
		}
		again, _, err := pasteNumbers(numbersFile(t), out)
		if err != nil || string(again) != c.after {
			t.Errorf("%s: a second time, %v:\n%s", c.name, err, again)
		}
	}
}

func TestIntoNumbersRefuses(t *testing.T) {
	for before, want := range map[string]string{
		"int other = 3;\n":                            "nothing that is named as a term of mine, such as P",
		"int tempo = 3;\nint tempo = 4;\n":            "tempo is defined in line 1 and in line 2",
		"int mobility[] = {0, 0};\n":                  `term mobility.1: line 1: the element is "0", want 2 whole numbers`,
		"\nint doubled2 = S(P_MG, 4);\n":              `term doubled2: line 2: the element is "S(P_MG, 4)", want 2 whole numbers`,
		"int tempo = 3.5;\n":                          `the element is "3.5", want 1 whole number`,
		"int tempo = 0x10;\n":                         "nothing that is named as a term",
		"int open = S(0, 0);\n":                       "want 1 whole number",
		"int Pst[2][3] = {{S(1, 2)}, {}};\n":          "has no element [0][1], its list [0] has 1",
		"int Pst_mg = 1, mg_Pst = 1, Pst_eg = 1;\n":   "Pst may be Pst_mg or mg_Pst",
		"int Pst_mg = {{1, 2}}, Pst_eg[] = {1, 2};\n": "has no element",
	} {
		if out, _, err := pasteNumbers(numbersFile(t), []byte(before)); !errors.Is(err, errInto) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v\n%s\nwant %s", before, err, out, want)
		}
	}
}

// FuzzIntoNumbers: whatever the source is, there is no panic, its lines stay, and a second
// replacement changes nothing.
func FuzzIntoNumbers(f *testing.F) {
	file := numbersFile(f)
	f.Add("enum { P_MG = 100, P_EG =  200 };\nconst int Pst[2][3] = { { S(  0,  0), S(-14,-25) } };\n")
	f.Add("var passed = [64][2]int{{1, 2}, {3, 4}} // b1 c1\nlet both: i32 = -4;")
	f.Add("#define tempo 18\nmobility = {{")
	f.Fuzz(func(t *testing.T, source string) {
		once, left, err := pasteNumbers(file, []byte(source))
		if err != nil {
			return
		}
		if strings.Count(string(once), "\n") != strings.Count(source, "\n") {
			t.Errorf("lines of %q became %q", source, once)
		}
		twice, again, err := pasteNumbers(file, once)
		if err != nil || string(twice) != string(once) || strings.Join(left, " ") != strings.Join(again, " ") {
			t.Errorf("%q became %q, then %q: %v, %v, %v", source, once, twice, left, again, err)
		}
	})
}
