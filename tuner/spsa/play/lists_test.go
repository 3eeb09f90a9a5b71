package play

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/tuner/spsa"
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
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
		parameters, err := Parameters(list, 700)
		if err != nil {
			t.Fatal(err)
		}
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
