package opts

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/internal/setup"
)

func newFlags() *pflag.FlagSet { return pflag.NewFlagSet("", pflag.ContinueOnError) }

func newMatch() *Play {
	o := New(newFlags())
	o.AddGames("number of games")
	o.AddOutput("")
	new(Test).Add(o)
	return o
}

// What decides games may stand in assay.toml and in a CONFIG.
func TestOptionsOfGamesStandInFiles(t *testing.T) {
	for _, name := range []string{"win-one-sided", "nodes", "book", "max-plies", "opening-nodes"} {
		if !slices.Contains(projectNames(), name) || NewConfig().Flags.Lookup(name) == nil {
			t.Errorf("assay.toml or CONFIG has no %s", name)
		}
	}
}

// A command line that resumes a run gives the same values, without those that change no result.
func TestLine(t *testing.T) {
	a, b := newMatch(), newMatch()
	setup.Check(t, a.Flags.Parse([]string{"--hard-nodes", "--book-order=random", "--time-margin", "90ms", "--json"}))
	line := ui.FlagLine("assay match", a.Flags, nil)
	if err := b.Flags.Parse(strings.Fields(line)); err != nil || ui.FlagLine("assay match", b.Flags, nil) != line ||
		strings.Contains(line, "json") || b.BookOrder != "random" || !b.Limits.HardNodes {
		t.Errorf("%v: %s\n%+v", err, line, b)
	}
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	setup.Check(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

// A flag replaces all related settings of assay.toml, a preset the limits and the end of a match.
func TestPrecedence(t *testing.T) {
	dir := filepath.Dir(write(t, ProjectName, "nodes = 20\nmax_plies = 4\nsprt = [0, 400]\ngames = 4\nbook = 'b.epd'\n"))
	p := setup.Must(ReadProject(dir))
	for words, want := range map[string]string{
		"":                 " --book " + quote.Word(filepath.Join(dir, "b.epd")) + " --games 4 --max-plies 4 --nodes 20 --sprt 0,400",
		"--depth 3":        " --book " + quote.Word(filepath.Join(dir, "b.epd")) + " --depth 3 --games 4 --max-plies 4 --sprt 0,400",
		"--random-plies 3": " --games 4 --max-plies 4 --nodes 20 --random-plies 3 --sprt 0,400",
		"--preset stc":     " --book " + quote.Word(filepath.Join(dir, "b.epd")) + " --max-plies 4 --preset stc",
		"--games 6":        " --book " + quote.Word(filepath.Join(dir, "b.epd")) + " --games 6 --max-plies 4 --nodes 20",
	} {
		s := newMatch()
		setup.Check(t, s.Flags.Parse(strings.Fields(words)))
		setup.Check(t, p.Apply(s.Flags, 2))
		if got := ui.FlagLine("m", s.Flags, nil); got != "m"+want {
			t.Errorf("%q: %s, want m%s", words, got, want)
		}
		if got := s.TestWords(); words == "" && got != "--sprt=0,400" {
			t.Errorf("the test of the file is %q", got)
		}
	}
}

// TestProjectLearn: what an assay.toml says of how its engine is tuned, with errors by line.
func TestProjectLearn(t *testing.T) {
	const good = "build = 'make EXE={out}'\nnodes = 9\nnumbers = ['src/eval.c', 'pst.h']\nvalue = 'assay.c'\n" +
		"skip = ['tempo']\ntake = ['a.c:f']\n" +
		"[learn]\nnodes = 5000\ngames = 800\ngenerations = 2\nlambda = 0.5\nfreeze = ['tempo', 'king']\nbook = 'b.epd'\n" +
		"gate = [0, 5]\n"
	dir := filepath.Dir(write(t, ProjectName, good))
	p, err := ReadProject(dir)
	setup.Check(t, err)
	s := p.Learn
	if !slices.Equal(p.Numbers, []string{"src/eval.c", "pst.h"}) || p.Value != "assay.c" ||
		!slices.Equal(p.Skip, []string{"tempo"}) || !slices.Equal(p.Take, []string{"a.c:f"}) ||
		s.Nodes != 5000 || s.Games != 800 || s.Generations != 2 || s.Lambda != 0.5 || s.Gate != "0,5" ||
		!slices.Equal(s.Freeze, []string{"tempo", "king"}) || s.Book != "b.epd" {
		t.Errorf("%+v", p)
	}
	m := newMatch()
	if err := p.Apply(m.Flags, 2); err != nil || m.Limits.Nodes != 9 || m.Opening.Book != "" {
		t.Errorf("a match has settings of the loop: %v, %s", err, ui.FlagLine("m", m.Flags, nil))
	}
	if p, err = ReadProject(filepath.Dir(write(t, ProjectName,
		"[learn]\ntc = '1+0.01'\n"))); err != nil || p.Learn.Clock != "1+0.01" || p.Learn.Lambda != 0.3 || p.Learn.Gate != "0,10" {
		t.Errorf("%v: %+v", err, p)
	}
	for text, want := range map[string]string{
		"nodes = 9\nnumbers = 'eval.c'": "line 2: numbers: want a list of files",
		"numbers = ['../eval.c']":       `line 1: numbers: want files of the repository, from its top, not "../eval.c"`,
		"numbers = [7]":                 "line 1: numbers: want a list of files",
		"value = 3":                     "line 1: value: want the file that evaluates a position",
		"value = '/assay.c'":            "line 1: value: want the file that evaluates a position",
		"skip = []":                     "line 1: skip: want a list of names",
		"dump = '{exe} dump'":           "line 1: dump: unknown setting (there are: options, numbers, value, ",
		"learn = 3":                     "line 1: learn: want a table",
		"nodes = 9\n[learn]\ngames = 10\nnodes = 0": "line 4: nodes: want 1 or more, not 0",
		"nodes = 9\n[learn]\nnodes = 'x'":           `line 3: nodes: "x": want nodes per move`,
		"learn = { games = 4, lambda = 1.5 }":       "line 1: lambda: want a share from 0 to 1, not 1.5",
		"[learn]\nlambda = nan":                     "line 2: lambda: want a share",
		"[learn]\ndecay = 0":                        "line 2: decay: want a weight above 0, up to 1, not 0",
		"[learn]\ngames = 1":                        "line 2: games: want 2 or more, not 1",
		"[learn]\ngames = 4\nfinal_games = 301":     "line 3: final_games: want an even number of games, not 301",
		"[learn]\nclock_games = -2":                 "line 2: clock_games: want 0 or more, not -2",
		"[learn]\ngate = [-10, 0]":                  "line 2: gate: want a test for a gain, such as [0, 10], not [-10,0]",
		"[learn]\ngate = [0, 10, 20]":               "line 2: gate: want a test for a gain, such as [0, 10], not [0,10,20]",
		"[learn]\ngate = 5":                         "line 2: gate: want a test for a gain",
		"[learn]\nnodes = 5\ntc = '1+0.1'":          "line 3: tc: nodes and tc both limit a move",
		"[learn]\ntc = 'fast'":                      "line 2: tc: ",
		"[learn]\nhash = 16":                        "line 2: hash: unknown setting of [learn] (there are: ",
		"[learn]\nfreeze = { a = 1 }":               "line 2: freeze: want a text",
	} {
		_, err := ReadProject(filepath.Dir(write(t, ProjectName, text+"\n")))
		if err == nil || !strings.Contains(err.Error(), ProjectName+", "+want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// Typed values are checked as those of the file are.
func TestTypedLoop(t *testing.T) {
	for words, want := range map[string]string{"--clock=2+0.02": "<nil>", "--hours=1": "<nil>",
		"--clock=": "--clock: clock", "--hours=0": "--hours: want more than 0, not 0",
		"--clock-games=3": "--clock-games: want an even number of games, not 3",
		"--hours=nan":     "--hours: want more than 0, not NaN",
		"--clock=4,0.04":  `--clock: clock "4,0.04": "4,0.04" is not a valid time`} {
		typed := newFlags()
		new(Loop).AddTyped(typed)
		setup.Check(t, typed.Parse([]string{words}))
		if said := fmt.Sprint(NewLoop().Replace(typed)); !strings.HasPrefix(said, want) {
			t.Errorf("%s: %s", words, said)
		}
	}
}

// Whatever a CONFIG says, reading it gives an error or settings, and no panic.
func FuzzConfig(f *testing.F) {
	const parameter = "[[parameter]]\nname = \"queen\"\nstart = 500\nmin = 100\nmax = 2000\n"
	f.Add([]byte("player = \"assay\"\niterations = 20\npairs = 2\nnodes = 30\nseed = 1\n" + parameter))
	f.Add([]byte("player = \"assay\"\nwin_score = -1\ntc = \"1+0.01\"\n" + parameter + parameter))
	f.Fuzz(func(t *testing.T, data []byte) {
		var rest struct {
			Player    string           `json:"player"`
			Parameter []map[string]any `json:"parameter"`
		}
		o := NewConfig()
		if err := ReadConfig(write(t, "config.toml", string(data)), o.Flags, &rest, "player", "parameter"); err == nil {
			_, _ = o.Times("") // an error is fine
		}
	})
}

// TOML that nests is refused before its reader takes memory for each level.
func TestNestedTOML(t *testing.T) {
	path := filepath.Join(t.TempDir(), "assay.toml")
	for name, c := range map[string]struct {
		text string
		line string // empty: it is read
	}{
		"brackets":     {"x = 1\ny = " + strings.Repeat("[", 20000) + strings.Repeat("]", 20000), "line 2"},
		"lines":        {"x = " + strings.Repeat("[\n", 20000) + strings.Repeat("]", 20000), "line 65"},
		"inline":       {"x = " + strings.Repeat("{a=", 20000) + "1" + strings.Repeat("}", 20000), "line 1"},
		"a dotted key": {"# c\n" + strings.Repeat("a.", 20000) + "b = 1", "line 2"},
		"a table":      {"[" + strings.Repeat("\"a\" . ", 20000) + "b]", "line 1"},
		"many tables":  {strings.Repeat("[[parameter]]\nname = \"a.b.c\"\nmin = [1, [2]]\n", 200), ""},
	} {
		setup.Check(t, os.WriteFile(path, []byte(c.text), 0o666))
		_, err := readDocument(path)
		if c.line == "" && err != nil || c.line != "" && (err == nil ||
			!strings.HasSuffix(err.Error(), c.line+": more than 64 levels of brackets or dots")) {
			t.Errorf("%s: %.200v", name, err)
		}
	}
}
