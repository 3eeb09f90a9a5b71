package numbers

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
)

// compile builds all files of a pattern in one program, with the glue file where it is no longer one.
func compile(pattern, glue string, command ...string) func(*testing.T, string, string) {
	return func(t *testing.T, dir, program string) {
		files := setup.Must(filepath.Glob(filepath.Join(dir, pattern)))
		if info := setup.Must(os.Stat(filepath.Join(dir, glue))); info.Size() == 0 {
			files = append(files, filepath.Join(dir, glue))
		}
		arguments := append(append(command[1:], "-Wall", "-Wextra", "-Werror", "-Wmissing-declarations", "-o", program),
			files...)
		if out, err := exec.Command(command[0], arguments...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
}

func needs(t *testing.T, program string) {
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("%s is not installed: install gcc or clang", program)
	}
}

func TestC(t *testing.T) {
	needs(t, "cc")
	testInstrument(t, testEngine{
		folder: "c", files: []string{"src/tables.c", "src/tables.h", "src/king.c"}, value: "assay.c", numbers: 54,
		left: []string{"packed", "values", "phase", "flip", "mate_score", "spread", "corners", "TWELVE", "LANES",
			"KNIGHT_VALUE",
			"QUEEN_VALUE"},
		silent: []string{"pst[0][0]", "pst[0][7]", "pst[1][0]", "pst[1][1]", "pst[1][6]", "pst[1][7]", "pst[1][9]",
			"packed[2]"},
		build: compile("src/*.c", "assay.c", "cc", "-std=c99", "-O2", "-flto"),
	})
}

func TestCPlusPlus(t *testing.T) {
	needs(t, "c++")
	testInstrument(t, testEngine{
		folder: "cpp", files: []string{"src/tables.hpp", "src/tables.cpp", "src/evaluate.inl"},
		value: "assay.cpp", numbers: 56,
		left:   []string{"KnightMg", "White", "Black", "Extra", "Divisor", "Width", "Wide"},
		silent: []string{"Near", "Ranks[2]", "Ranks[3]", "Ranks[4]", "Ranks[5]", "Ranks[6]", "Third[0][2]"},
		build:  compile("src/*.cpp", "assay.cpp", "c++", "-std=c++17", "-O1"),
	})
}

// scanText scans a text as the only file of a tree.
func scanText(t testing.TB, file, text string, o Options) *Set {
	t.Helper()
	dir := t.TempDir()
	setup.Check(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666))
	return setup.Must(Scan(dir, []string{file}, o))
}

func TestScan(t *testing.T) {
	for _, c := range []struct{ name, text, want, left string }{
		{"comments and strings", "int A = 1; // int B = 2;\n/* int C = 3; */ char *d = \"int E = 4;\", f = '\"'; int G = 5;",
			"A=1 G=5", ""},
		{"continued", "// int A = \\\n 1;\nint B = \\\n 2;\n", "B=2", ""},
		{"raw", "auto A = R\"x(int B = 1; )\" )x\"; int C = 2;", "C=2", ""},
		{"separators", "int A = 1'000, B = 2'5; char c = '1'; int D = 3;", "A=1000 B=25 D=3", ""},
		{"notations", "int A[] = {0x10, 010, 00, 1e2, 5u, -7L, + 8, (short)-9, 0b11};",
			"A[1]=8 A[2]=0 A[3]=100 A[4]=5 A[5]=-7 A[6]=8 A[7]=-9", ""},
		{"expressions", "int A[] = {1 << 3, 2 * B, C - 4, (5), f(6, g), -(7), x[8]};", "A[3]=5 A[4]=6 A[5]=7", "A"},
		{"designators", "T A[9] = {[B] = 1, [C ... D] = 2, {.e = {3, 4}, .f = 5}};",
			"A[B]=1 A[C...D]=2 A[2].e[0]=3* A[2].e[1]=4* A[2].f=5", ""},
		{"pairs", "T A[2] = {S(1, 2), {3, 4}}, B[3][2] = {{5, 6}}; int C[2][3] = {{7, 8}}, D(9);",
			"A[0].0=1* A[0].1=2* A[1][0]=3* A[1][1]=4* B[0][0]=5* B[0][1]=6* C[0][0]=7 C[0][1]=8 D=9", ""},
		{"phases", "int A[PHASES][2] = {{1, 2}, {3}}, B[9][N_PHASES] = {{5, 6}}, C[PHASE_NB] = {7, 8};",
			"A[0][0]=1* A[0][1]=2 A[1][0]=3* B[0][0]=5* B[0][1]=6* C[0]=7* C[1]=8*", ""},
		{"bodies", "int f(int a = 1) { int b = 2; return 3; } struct A { A() : c{4} {} int c = 5; }; " +
			"auto D = [] { return 6; }();",
			"c=5", ""},
		{"types", "bool A = 1; Bitboard B[] = {2}; uint64_t C = 3; const std::string D(4); unsigned E = 5;",
			"E=5", "A B C D"},
		{"names", "int PhaseWeight = 1, SpaceThreshold = 2, VALUE_MATE = 3, Mated = 4;",
			"Mated=4", "PhaseWeight SpaceThreshold VALUE_MATE"},
		{"values", "int A = 32000, B[] = {1, 20000}, C[] = {8, 7, 6, 5, 4, 3, 2, 1};", "B[0]=1", "A B[1] C"},
		{"constants", "enum { A = 1, B = A }; int C = 2, D = 3, E = 4, F = 5; int x[C]; " +
			"static_assert(D > 1); T<E> y; enum { G = F };",
			"", "A C D E F"},
		{"counted", "enum A { B = 1, C, D = 3, E = 4, F, G }; enum { H = 5, I = 6 };", "D=3 H=5 I=6", "B E"},
		{"case labels", "int A = 1; int f(int x) { switch (x) { case A: return A ? B : 2; } int B = 3; }", "", "A"},
		{"made from", "const int A = 1, B = A * C, D = 2; const int E = 3; int x[B];", "E=3", "A D"},
		{"divisors", "int A = 1, B = 2, C = 3, D = 4; int f(int x) { return x / A + x % B + (1 << C) + y[D]; }",
			"", "A B C D"},
		{"dead branch", "#if 0\nint A = 1;\n#else\nint B = 2;\n#endif\n", "B=2", ""},
		{"branches", "int A[] = {\n#ifdef X\n1 };\n#else\n2 };\n#endif\nint B = 3;", "A[0]=1 B=3", ""},
		{"macros", "#define A 1\n#define B (-2) // 3\n#define C(x) 4\n#define D 5 + x\n#define E S(6, 7)\n",
			"A=1 B=-2 E.0=6* E.1=7*", "D"},
		{"twice", "#ifdef X\n#define A 1\n#else\n#define A 2\n#endif\n", "A=1 A#2=2", ""},
		{"namespaces", "namespace a { namespace b::c { inline namespace { int A = 1; } } } extern \"C\" { int B = 2; }",
			"A=1 B=2", ""},
		{"members", "class alignas(8) A : B<3> { static const int C = 1; enum D : int { E = 2 }; " +
			"struct { int f = 4; } g; } h = {5};",
			"C=1 E=2 f=4 h[0]=5", ""},
		{"templates", "template <int N = 1> struct A { int b = 2; }; template <class T> int C = 3; int D = 4;",
			"D=4", "b C"},
		{"no variables", "using A = B<1>; typedef int C[2]; int (*d)(int) = 0; int operator=(int e = 3); " +
			"virtual int f() = 0; int *G = {4};",
			"", "G"},
		{"no name", "struct { int a = 5; } b; namespace c { struct { int d = 6; } e; }", "a=5 d=6", ""},
		{"Mg and Eg", "int PawnMg = 1, PawnEg = 2, KnightMg = 3;", "PawnMg=1* PawnEg=2* KnightMg=3", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := scanText(t, "a.cpp", c.text, Options{})
			var got, left []string
			for _, n := range s.Numbers {
				pair := map[bool]string{true: "*"}[n.Pair >= 0]
				got = append(got, fmt.Sprintf("%s=%v%s", n.Name, n.Value, pair))
			}
			for _, l := range s.Left {
				left = append(left, l.Name)
			}
			if strings.Join(got, " ") != c.want || strings.Join(left, " ") != c.left {
				t.Errorf("numbers %q, left %q\n  want    %q, left %q", got, left, c.want, c.left)
			}
		})
	}
}

func TestOptions(t *testing.T) {
	text := "int A = 1, B[] = {2, 3}, SpaceLimit = 4;"
	s := scanText(t, "a.c", text, Options{Skip: []string{"A", "B[1]"}, Take: []string{"SpaceLimit"}})
	var names []string
	for _, n := range s.Numbers {
		names = append(names, n.Name+"="+n.Text)
	}
	if got, want := strings.Join(names, " "), "B[0]=2 SpaceLimit=4"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestBounds(t *testing.T) {
	for _, n := range scanText(t, "a.c", "int A = 1; const int8_t B = 2; "+
		"unsigned short C = 3; static unsigned D = 4; unsigned char E = 5; double F[] = {-5, 5}; "+
		"struct { char *name; int value; } G = {\"x\", 2000};", Options{}).Numbers {
		want := map[string][2]float64{"B": {-128, 127}, "C": {0, 65535}, "D": {0, 1<<32 - 1}, "E": {0, 255}}[n.Name]
		if want != [2]float64{n.Min, n.Max} {
			t.Errorf("%s holds %v to %v, want %v", n.Name, n.Min, n.Max, want)
		}
		if n.Float != strings.HasPrefix(n.Name, "F") {
			t.Errorf("%s is a fraction: %v", n.Name, n.Float)
		}
	}
}

func TestOutsideUses(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"eval.c": "int A = 1, B = 2, C = 3, D = 4;", "search.c": "extern int A; int f(void) { return A + x.B; }",
		"eval_tuner.c": "int g(void) { return C; }", "eval.h": "extern int D;",
		"glue.c": "#include \"assay.h\"\nint assay_value(void) { return D; }",
	} {
		setup.Check(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	s := setup.Must(Scan(dir, []string{"eval.c", "./eval.c"}, Options{}))
	if len(s.Numbers) != 3 || len(s.Left) != 1 || s.Left[0].Name != "A" ||
		!strings.HasPrefix(s.Left[0].Why, "search.c:1: ") {
		t.Errorf("%d numbers, left %v", len(s.Numbers), s.Left)
	}
}

// TestByteOrderMark: what a copy includes stands behind the mark of a listed file; the author's file, which has a line
// before it, loses its mark.
func TestByteOrderMark(t *testing.T) {
	s := scanText(t, "a.c", bom+"#include <stdio.h>\nint A = 5;\nint main(void) { return A; }\n", Options{})
	setup.Check(t, os.WriteFile(filepath.Join(s.Root, "assay.c"), []byte(bom+"int x;\n"), 0o666))
	setup.Check(t, s.Instrument(s.Root, "assay.c"))
	text := string(setup.Must(os.ReadFile(filepath.Join(s.Root, "a.c"))))
	glue := string(setup.Must(os.ReadFile(filepath.Join(s.Root, "assay.assay"))))
	if !strings.HasPrefix(text, bom+"#include \"assay.h\"\n#include <stdio.h>\n") || strings.Contains(glue, bom) {
		t.Errorf("%q, %q", text, glue)
	}
}

// The engine's main is the higher one that speaks of UCI; headers of C beside C++ stay C.
func TestTree(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"src/eval.cpp": "int A = 5;", "src/book/make.cpp": "int main() { return 0; }", "src/b.cpp": "int main() { return 0; }",
		"src/main.cpp": "int main(int n, char const *fens[]) { return A; } // uci", "probe.h": "struct P { int x; };",
		"assay.cpp": "", "a.rs": "fn f<const W: bool>(x: i32) -> i32 { x }\nconst B: i32 = 7;\n",
		"Cargo.toml":          "[package]\nname = \"fast\"\n[lib]\ncrate-type = [\"lib\"]\nname = \"fast_core\"\n",
		"rust-toolchain.toml": "channel = \"nightly\"", "rust-toolchain": "1.70",
	} {
		setup.Check(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777))
		setup.Check(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	s := setup.Must(Scan(dir, []string{"src/eval.cpp"}, Options{}))
	setup.Check(t, s.Instrument(dir, "assay.cpp"))
	read := func(name string) string { return string(setup.Must(os.ReadFile(filepath.Join(dir, name)))) }
	if !strings.Contains(read("src/main.cpp"), "assay_engine_main(int n, char const *fens[])") ||
		!strings.Contains(read("assay_numbers.h"), "assay_engine_main(argc, (const char **)argv)") {
		t.Error(read("src/main.cpp"), read("assay_numbers.h"))
	}
	if got := read("probe.h"); got != "struct P { int x; };" {
		t.Error(got)
	}
	if s := setup.Must(Scan(dir, []string{"a.rs"}, Options{})); len(s.Numbers) != 1 || s.Numbers[0].Name != "B" {
		t.Errorf("%+v", s.Numbers)
	}
	if _, library, err := crateOf(dir, "a.rs"); err != nil || library != "fast_core" {
		t.Error(library, err)
	}
	setup.Check(t, rustConfig(dir))
	if _, err := os.Stat(filepath.Join(dir, "rust-toolchain")); err == nil || read("rust-toolchain.toml") == "" {
		t.Error("the old compiler's pin stays, or that of a nightly one does not")
	}
}

func FuzzScan(f *testing.F) {
	for _, folder := range []string{"c", "cpp"} {
		for _, name := range setup.Must(filepath.Glob(filepath.Join("testdata", folder, "src", "*"))) {
			f.Add(string(setup.Must(os.ReadFile(name))))
		}
	}
	f.Add("::s{K")
	f.Fuzz(func(t *testing.T, text string) {
		at := 0
		for _, token := range lex("a.cpp", text).tokens {
			if token.from < at || token.to <= token.from || text[token.from:token.to] != token.text {
				t.Fatalf("token %+v after byte %d", token, at)
			}
			at = token.to
		}
		s := scanText(t, "a.cpp", text, Options{})
		moved := s.Values()
		for i, n := range s.Numbers {
			if v, _, ok := decimal(n.Text); !ok || v != n.Value || text[n.From:n.To] != n.Text {
				t.Errorf("%+v", n)
			}
			moved[i]++
		}
		if changed, err := s.WriteBack(s.Root, s.Values()); changed != 0 || err != nil {
			t.Errorf("%d literals changed, %v", changed, err)
		}
		if changed, err := s.WriteBack(s.Root, moved); changed != len(moved) || err != nil {
			t.Errorf("%d of %d literals changed, %v", changed, len(moved), err)
		}
		again := map[string]float64{}
		for _, n := range setup.Must(Scan(s.Root, s.Files, Options{Take: tables(s)})).Numbers {
			again[n.Name] = n.Value
		}
		for i, n := range s.Numbers {
			if v, ok := again[n.Name]; v != moved[i] && !isSentinel(moved[i]) {
				t.Errorf("%s was written as %v and read as %v, %v", n.Name, moved[i], v, ok)
			}
		}
	})
}

func tables(s *Set) []string {
	var all []string
	for _, n := range s.Numbers {
		all = append(all, n.Table)
	}
	return all
}
