package play

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/tuner/spsa"
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	setup.Check(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

// What a list says is formatted as it was read, in the order of the file.
func TestLists(t *testing.T) {
	for want, text := range map[ListForm]string{
		openBench: "lmrBase, float, 0.8000, 0.2, 2, 0.1, 0.002\nRFPMargin, int, 80, 20, 200, 10, 0.002\n",
		weatherFactory: "{\n    \"zeta\": {\"value\": 50, \"min_value\": 0, \"max_value\": 100, \"step\": 5},\n    " +
			"\"alpha\": {\"value\": -3, \"min_value\": -10, \"max_value\": 10, \"step\": 2}\n}\n",
	} {
		form, list, err := ReadList(write(t, "list", text))
		if err != nil || form != want || len(list) != 2 {
			t.Fatalf("%s: %v %v, %v", want, form, list, err)
		}
		parameters := setup.Must(Parameters(list, 700))
		c := Config{SPSA: spsa.Config{Parameters: parameters}}
		if got := form.Format(parameters, c.start()); got != text {
			t.Errorf("%s: read\n%sformatted\n%s", form, text, got)
		}
		if r := parameters[0].REnd; form == weatherFactory && r != 0.1 {
			t.Errorf("r_end %v, want the default", r)
		}
	}
}

func TestBadLists(t *testing.T) {
	const good = "x, int, 80, 20, 200, 10, 0.002\n"
	for text, says := range map[string]string{
		"":                                    "no parameters: want lines",
		good + "y, int, 80, 20, 200, 10\n":    "line 2: 6 fields: want 7, separated by commas: name",
		"\n" + good + "\ny; int; 80\n":        "line 4: 1 fields",
		good + "y, int, 8O, 20, 200, 10, 0.1": `line 2: value of y: "8O" is not a number`,
		"y, double, 80, 20, 200, 10, 0.1":     `line 1: type = "double": want int or float`,
		"y, int, 80, 200, 20, 10, 0.1":        "line 1: min (200) is not below max (20)",
		"y, int, 300, 20, 200, 10, 0.1":       "line 1: start (300) is not within",
		"y, int, 80, 20, 200, 0, 0.1":         "line 1: c_end and r_end of y must be above zero",
		"y, int, 80, 20, 200, 0.2, 0.1":       "below 0.5 both sides mostly play the same value",
		"y, int, NaN, 20, 200, 2, 0.1":        "NaN is not a finite number",
		good + good:                           "line 2: x is also in line 1: remove one",
		"{":                                   "line 1: the file ends too early: close its braces",
		"{}":                                  "no parameters",
		"{\n\"x\": 3}":                        "line 2: x: json: cannot unmarshal number",
		"{\n\"x\": {\"elo_per_val\": 0.2}}":   `line 2: x: json: unknown field "elo_per_val": want {"value"`,
		"{\"x\": {\"value\": 3}}":             "line 1: x: value, min_value, max_value and a step",
		`{"x": {"value": 3, "min_value": 9, "max_value": 10, "step": 0.5}}`:                                                              "x: start (3) is not within",
		`{"x": {"value": 3, "min_value": 1, "max_value": 10, "step": 1}, "x": {"value": 3, "min_value": 1, "max_value": 10, "step": 1}}`: "x is given twice",
		`{"x": {"value": 3, "min_value": 1, "max_value": 10, "step": 1}} 3`:                                                              "text after the parameters",
	} {
		path := write(t, "list", text)
		_, _, err := ReadList(path)
		if err == nil || !strings.Contains(err.Error(), says) || !strings.HasPrefix(err.Error(), path+": ") {
			t.Errorf("%q: want %q: %v", text, says, err)
		}
	}
}

// A list of parameters gives an error or parameters that can be formatted, and no panic.
func FuzzList(f *testing.F) {
	f.Add([]byte("lmrBase, float, 0.8, 0.2, 2, 0.1, 0.002\n"))
	f.Add([]byte(`{"x": {"value": 3, "min_value": 1, "max_value": 10, "step": 1}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for form, read := range map[ListForm]func([]byte) ([]FileParameter, error){openBench: readOpenBench,
			weatherFactory: readWeatherFactory} {
			list, err := read(data)
			for i := range list {
				if p, perr := list[i].checked(); err == nil && perr == nil {
					form.Format([]spsa.Parameter{p}, []float64{p.Start})
				} else if err == nil {
					t.Errorf("%+v: %v", list[i], perr)
				}
			}
		}
	})
}

func parametersOf(t *testing.T, weights string) map[string]FileParameter {
	t.Helper()
	f := setup.Must(models.Open(weights))
	m, w, err := f.Weights()
	setup.Check(t, err)
	list := setup.Must(TermParameters(m, w))
	byName := map[string]FileParameter{}
	for _, p := range list {
		if _, err := p.checked(); err != nil {
			t.Errorf("%s: %s: %v", weights, p.Name, err)
		}
		if !strings.HasSuffix(p.Name, eval.OnlyMG) && !strings.HasSuffix(p.Name, eval.OnlyEG) {
			if i, ok := m.Term(p.Name); !ok || float64(w[i].MG) != *p.Start {
				t.Errorf("%s: %s starts at %v", weights, p.Name, *p.Start)
			}
		}
		byName[p.Name] = p
	}
	return byName
}

// The steps of Shannon's terms follow from their sizes: a legal move counts in tens, so it has
// the smallest step; a queen has a tenth of itself.
func TestTermParameters(t *testing.T) {
	p := parametersOf(t, "shannon-1950")
	if len(p) != 9 {
		t.Errorf("%d parameters of nine terms", len(p))
	}
	if c := p["queen"].CEnd; c != 90 || *p["queen"].Min != 540 || *p["queen"].Max != 1260 {
		t.Errorf("queen: c_end %v from %v to %v", c, *p["queen"].Min, *p["queen"].Max)
	}
	if m, iso := p["mobility"].CEnd, p["isolated"].CEnd; !(m > 2 && m < 6) || !(iso > 15 && iso < 40) ||
		*p["isolated"].Max < 0 {
		t.Errorf("c_end of mobility %v, of isolated %v, which rises to %v", m, iso, *p["isolated"].Max)
	}
}

// A term that depends on the root of a search is no parameter.
func TestRootedTerms(t *testing.T) {
	p := parametersOf(t, "machack-1967")
	if _, ok := p["ratio"]; ok || len(p) != 15 {
		t.Errorf("%d parameters, ratio is one: %v", len(p), ok)
	}
}

// Weights that differ by phase are two parameters.
func TestTaperedTerms(t *testing.T) {
	p := parametersOf(t, "assay")
	if _, one := p["queen"]; one || p["queen.mg"].CEnd == 0 || p["queen.eg"].CEnd == 0 {
		t.Errorf("parameters %v", p)
	}
	if p := parametersOf(t, "assay-start"); len(p) != 647 {
		t.Errorf("%d parameters of 647 terms", len(p))
	}
}

func TestTermsRefused(t *testing.T) {
	m := setup.Must(eval.Lookup("machack-1967"))
	if _, err := TermParameters(m, m.Start[1:]); err == nil {
		t.Error("weights of another length are taken")
	}
}

// The steps are ones that the schedule takes for any number of games.
func TestTermSchedule(t *testing.T) {
	for _, m := range eval.Models() {
		list := setup.Must(TermParameters(m, m.Start))
		p, err := Parameters(list, 10)
		if err != nil || p[0].REnd != spsa.DefaultREnd(10, len(list)) {
			t.Errorf("%s: %v", m.Name, err)
			continue
		}
		c := spsa.Config{Parameters: p, Iterations: 10, Ahead: 1}
		if err := c.Validate(); err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
	}
}
