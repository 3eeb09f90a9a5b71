package play

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/opening"
	"github.com/assay-chess/assay/selfplay/runtest"
	"github.com/assay-chess/assay/tuner/spsa"
)

// careless takes the most valuable piece one ply ahead, but plays any move as often as its
// options are far from 300 and from 700.
type careless struct {
	x, y int
	rng  *rand.Rand
}

func openCareless(spec engine.Spec) (engine.Player, error) {
	if spec.Name != "careless" {
		return nil, fmt.Errorf("no player %s", spec)
	}
	return &careless{}, nil
}

func (c *careless) NewGame(seed uint64) error { c.rng = rand.New(rand.NewPCG(seed, 1)); return nil }
func (c *careless) Close() error              { return nil }

func (c *careless) SetOption(name, value string) error {
	n, err := strconv.Atoi(value)
	switch {
	case err != nil:
		return err
	case name == "x":
		c.x = n
	case name == "y":
		c.y = n
	default:
		return errors.New("no option " + name)
	}
	return nil
}

func (c *careless) Search(ctx context.Context, game *board.Game, _ engine.Limits) (engine.Result, error) {
	moves := game.Position().LegalMoves(nil)
	best, most := moves[c.rng.IntN(len(moves))], -1
	wild := (math.Abs(float64(c.x-300)) + math.Abs(float64(c.y-700))) / 1000
	if c.rng.Float64() >= wild {
		for _, m := range moves {
			next := *game.Position()
			next.Make(m)
			gain := 0
			for t, v := range []int{1, 3, 3, 5, 9} {
				gain -= v * next.Pieces(next.SideToMove(), board.PieceType(t)).Count()
			}
			if gain+100 > most {
				best, most = m, gain+100
			}
		}
	}
	score := 0
	for t, v := range []int{100, 300, 300, 500, 900} {
		us := game.Position().SideToMove()
		score += v * (game.Position().Pieces(us, board.PieceType(t)).Count() - game.Position().Pieces(us.Other(),
			board.PieceType(t)).Count())
	}
	return engine.Result{Move: best, Score: engine.Score(score), Depth: 1, Nodes: 1}, ctx.Err()
}

func config(t *testing.T, iterations int) Config {
	p := spsa.Parameter{Min: 0, Max: 1000, CEnd: 60, REnd: 0.03, Integer: true}
	x, y := p, p
	x.Name, x.Start = "x", 700
	y.Name, y.Start = "y", 700
	return Config{
		Setup: selfplay.Setup{
			Rules: selfplay.Rules{Limits: selfplay.Limits{Nodes: 1}, Rule: selfplay.Adjudication{WinScore: 600,
				WinPlies: 4}, MaxPlies: 80, Seed: 3, Check: selfplay.Check{MaxScore: -1},
				Opening: opening.Spec{Plies: 8}, Program: "test"},
			Place: selfplay.Place{Out: filepath.Join(t.TempDir(), "run"), Open: openCareless, Concurrency: 3},
		},
		Player: selfplay.Player{Spec: engine.Spec{Name: "careless"}},
		SPSA:   spsa.Config{Parameters: []spsa.Parameter{x, y}, Iterations: iterations, Seed: 3, Ahead: 3},
		Pairs:  2,
	}
}

// of returns a tuning that is not played yet.
func of(c Config) runtest.Run {
	return runtest.Run{Setup: &c.Setup, Play: func(ctx context.Context) (runtest.Outcome, error) {
		c.ValidationProgress = c.Progress
		r, err := Run(ctx, c)
		if r == nil {
			return runtest.Outcome{}, err
		}
		return runtest.Outcome{Process: r.Process, Result: r, Verdict: r.Verdict, Reason: r.Reason,
			Warnings: r.Warnings}, err
	}}
}

func TestRun(t *testing.T) {
	runtest.Suite{Files: append(runtest.Promised, LogName, ValidationName+"/"+durable.RunResultName), Reports: 5,
		Journal: true, Name: "careless x=700 y=700: ", Reason: "careless forfeited ",
		New: func(t *testing.T) runtest.Run {
			c := config(t, 24)
			c.Validation = 20
			return of(c)
		},
		Hasty: func(t *testing.T) runtest.Run {
			c := config(t, 10)
			c.Player = selfplay.Player{Spec: engine.Spec{}.WithProgram("./hasty"), ID: "hasty"}
			c.Open = func(engine.Spec) (engine.Player, error) { return &careless{}, nil }
			return of(c)
		}}.Test(t)
}

// In real games a parameter that starts far off comes to where it should be, one that
// starts there stays, and the match at the end says that it was worth it.
func TestRecoversAnOptimumInGames(t *testing.T) {
	c := config(t, 500)
	c.Validation = 100
	r := setup.Must(Run(t.Context(), c))
	x, y := r.Parameters[0], r.Parameters[1]
	t.Logf("x %+v y %+v validation %+.0f [%+.0f, %+.0f]", x, y, r.Validation.Elo, r.Validation.EloLo, r.Validation.EloHi)
	if math.Abs(x.Value-300) > 90 || math.Abs(y.Value-700) > 90 || x.BatchSE <= 0 {
		t.Errorf("x is %v, want 300; y %v, want 700", x.Value, y.Value)
	}
	if r.Validation.EloLo < 50 || r.Games != 2000 || r.Validation.Games != 100 {
		t.Errorf("%d games; validation %+v", r.Games, r.Validation)
	}
	if again := setup.Must(Run(t.Context(), c)); !again.Already || !reflect.DeepEqual(again.Parameters, r.Parameters) {
		t.Errorf("a complete run says %+v", again)
	}
}

// The log holds all that is needed to compute the answer again.
func TestLogCanBeRecomputed(t *testing.T) {
	c := config(t, 40)
	r := setup.Must(Run(t.Context(), c))
	data := setup.Must(os.ReadFile(filepath.Join(c.Out, LogName)))
	tuner := setup.Must(spsa.New(c.SPSA))
	dec := json.NewDecoder(bytes.NewReader(data))
	for k := 1; k <= 40; k++ {
		var line Iteration
		setup.Check(t, dec.Decode(&line))
		trial, err := tuner.Ask(k)
		if err != nil || !reflect.DeepEqual(trial.Plus, line.Plus) || !reflect.DeepEqual(trial.Minus, line.Minus) ||
			!reflect.DeepEqual(trial.Flips, line.Flips) {
			t.Fatalf("iteration %d: %+v, logged %+v, %v", k, trial, line, err)
		}
		sum := 0
		for _, p := range line.Results {
			sum += int(p)
		}
		setup.Check(t, tuner.Tell(k, float64(sum), len(line.Results)))
		if !reflect.DeepEqual(tuner.Values(), line.Values) {
			t.Fatalf("iteration %d: values %v, logged %v", k, tuner.Values(), line.Values)
		}
	}
	if !reflect.DeepEqual(tuner.Estimates(), r.Parameters) {
		t.Error("another answer")
	}
}

func TestRefusals(t *testing.T) {
	for says, change := range map[string]func(*Config){
		"no folder":     func(c *Config) { c.Out = "" },
		"no player":     func(c *Config) { c.Player = selfplay.Player{} },
		"-1 pairs":      func(c *Config) { c.Pairs = -1 },
		"even number":   func(c *Config) { c.Validation = 3 },
		"no limit of":   func(c *Config) { c.Limits = selfplay.Limits{} },
		"no parameters": func(c *Config) { c.SPSA.Parameters = nil },
		"no such file":  func(c *Config) { c.Opening = opening.Spec{Book: "none.epd"} },
	} {
		c := config(t, 10)
		change(&c)
		if _, err := Run(t.Context(), c); err == nil || !bytes.Contains([]byte(err.Error()), []byte(says)) {
			t.Errorf("want %q: %v", says, err)
		}
	}
}

// TestShortBook: a validation by lines that were tuned on is named.
func TestShortBook(t *testing.T) {
	c := config(t, 10) // of 2 pairs
	c.Validation, c.Opening = 8, opening.Spec{Book: "few.epd"}
	for lines, want := range map[uint64]string{23: "23 lines, and the iterations need 20 and the validation 4", 24: ""} {
		got := c.Warning(lines)
		spec := (&session{Config: c, openings: lined{lines: lines}}).validationOpenings()
		if !strings.Contains(got, want) || (got == "") != (want == "") || (spec.Skip == 20) != (want == "") {
			t.Errorf("%d lines: %q, %+v", lines, got, spec)
		}
	}
}

// lined is a book of that many lines.
type lined struct {
	opening.Source
	lines uint64
}

func (l lined) Len() uint64 { return l.lines }

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
		`{"x": {"value": 3, "min_value": 1, "max_value": 10, "step": 1}} and`:                                                            "text after the parameters",
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
	byName := map[string]FileParameter{}
	for _, p := range TermParameters(m, w) {
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

// The steps are ones that the schedule takes for any number of games.
func TestTermSchedule(t *testing.T) {
	for _, m := range eval.Models() {
		list := TermParameters(m, m.Start)
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
