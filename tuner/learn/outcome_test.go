package learn

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/sprt"
)

var simulations = flag.Int("simulations", 300, "simulated runs of each kind")

// simulated simulates a match of engines that differ by elo, with 40 % draws: up to games, or until a test decides.
func simulated(t *testing.T, rng *rand.Rand, elo float64, games int, test *sprt.Test) *match.Result {
	t.Helper()
	const draws = 0.4
	win := sprt.Score(elo) - draws/2
	game := func() int {
		switch x := rng.Float64(); {
		case x < win:
			return 1
		case x < win+draws:
			return 0
		}
		return -1
	}
	var p sprt.Pentanomial
	r := &match.Result{Verdict: match.Undecided}
	var walk *sprt.Walk
	if test != nil {
		var err error
		if walk, err = sprt.NewWalk(*test, false); err != nil {
			t.Fatal(err)
		}
	}
	for p.Games() < int64(games) {
		p.AddPair(game(), game())
		if walk == nil {
			continue
		}
		status := setup.Must(walk.Observe(p))
		if status == sprt.AcceptH1 {
			r.Verdict = match.AcceptH1
		}
		if status == sprt.AcceptH0 {
			r.Verdict = match.AcceptH0
		}
		if status != sprt.Continue {
			break
		}
	}
	r.Games, r.Pentanomial, r.Strength = p.Games(), p, sprt.Summarize(p).Strength()
	return r
}

// concluded simulates the matches at the end, of an engine that is elo stronger than it was, as a loop plays them.
func concluded(t *testing.T, rng *rand.Rand, elo float64) Outcome {
	const games = 2000
	test := sprt.Test{Model: sprt.Logistic, Elo0: -10, Elo1: 0, Alpha: Alpha, Beta: 0.05}
	p := Proof{NotWeaker: simulated(t, rng, elo, games, &test)}
	if p.NotWeaker.Verdict != match.AcceptH0 {
		p.Fixed = simulated(t, rng, elo, games, nil)
	}
	return p.Outcome()
}

// What a loop hands out is worse than it says with the probability Alpha at most, whatever came before.
func TestOutcomeErrors(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	n := *simulations
	for _, c := range []struct {
		elo  float64
		what []Outcome
	}{{-10, []Outcome{GainProved, NotWeaker}}, {0, []Outcome{GainProved}}} {
		wrong := 0
		for range n {
			if slices.Contains(c.what, concluded(t, rng, c.elo)) {
				wrong++
			}
		}
		rate := float64(wrong) / float64(n)
		t.Logf("truth %+g: %v in %.4f ± %.4f of %d runs", c.elo, c.what, rate, 1.96*math.Sqrt(rate*(1-rate)/float64(n)), n)
		if most := Alpha + 3*math.Sqrt(Alpha*(1-Alpha)/float64(n)); rate > most {
			t.Errorf("truth %+g: %v in %.4f of runs, want at most %.4f", c.elo, c.what, rate, most)
		}
	}
}

// Whole runs of two generations, whose fits are worth a normal Elo: what passes the gates is stronger, and what is
// handed out is hardly ever weaker.
func TestRunsGain(t *testing.T) {
	const generations = 2
	for _, c := range []struct {
		mean, sd, elo1 float64
		games          int // of a gate, by which a plan chooses elo1
	}{{0, 6, 10, 3000}, {-3, 6, 10, 3000}, {-10, 30, 30, 500}} {
		mean, sd, games := c.mean, c.sd, c.games
		rng := rand.New(rand.NewPCG(2, 2))
		gate := func(elo float64, games int) *match.Result {
			return simulated(t, rng, elo, games, &sprt.Test{Model: sprt.Logistic, Elo0: 0, Elo1: c.elo1, Alpha: GateAlpha(3),
				Beta: 0.05})
		}
		var total, patches, weaker, proved float64
		n := *simulations / 2
		for range n {
			gain, changed := 0.0, false
			for range generations {
				step := mean + sd*rng.NormFloat64()
				for i, size := range []float64{1, 0.5, 0.25} { // the larger a step, the longer it is played if it is a good one
					if gate(size*step, []int{11, 5, 2}[i]*2*games/18).Passed() {
						gain, changed = gain+size*step, true
						break
					}
				}
			}
			if !changed {
				continue
			}
			o := concluded(t, rng, gain)
			if o == NothingFound {
				continue
			}
			patches++
			total += gain
			if gain < 0 {
				weaker++
			}
			if o == GainProved {
				proved++
			}
		}
		t.Logf("fits of N(%+g, %g) Elo, gate [0, %g]: a patch in %.3f of %d runs, a proved gain in %.3f, weaker in %.4f; "+
			"mean gain %+.2f", mean, sd, c.elo1, patches/float64(n), n, proved/float64(n), weaker/float64(n), total/float64(n))
		if weaker/float64(n) > Alpha+3*math.Sqrt(Alpha/float64(n)) || total <= 0 || patches == 0 {
			t.Errorf("fits of N(%+g, %g), gate [0, %g]: %g of %g patches are weaker, total gain %+g", mean, sd, c.elo1, weaker, patches, total)
		}
	}
}

// A gain needs a lower bound above zero, and no match that comes later takes it back.
func TestOutcomeIsKept(t *testing.T) {
	of := func(lo, hi num.Float) *match.Result {
		return &match.Result{Strength: sprt.Strength{Elo: (lo + hi) / 2, EloLo: lo, EloHi: hi}, Verdict: match.Undecided}
	}
	passed := &match.Result{Verdict: match.AcceptH1}
	for _, c := range []struct {
		p    Proof
		want Outcome
	}{
		{Proof{passed, of(1, 20), nil, nil}, GainProved},
		{Proof{passed, of(1, 20), nil, of(-20, -1)}, GainProved},
		{Proof{passed, of(1, 20), of(-20, -1), of(-20, 1)}, GainProved},
		{Proof{passed, of(-1, 20), nil, of(-20, 1)}, NotWeaker},
		{Proof{of(0, 0), of(-1, 20), nil, nil}, NothingFound},
		{Proof{of(0, 0), nil, nil, nil}, NothingFound},
	} {
		if got := c.p.Outcome(); got != c.want {
			t.Errorf("%+v: %s, want %s", c.p, got, c.want)
		}
	}
}

// stopBefore runs the plan until the stage begins.
func stopBefore(t *testing.T, c Config, stage string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c.Stage = func(name string) StageProgress {
		if name == stage {
			cancel()
		}
		return silent{}
	}
	if _, err := Run(ctx, c); !errors.Is(err, context.Canceled) {
		t.Fatalf("before %s: %v", stage, err)
	}
}

// TestExtendedRunEndsWithTheSameBytes adds a generation to a complete run, and compares
// it with a run that had the generation from the start.
func TestExtendedRunEndsWithTheSameBytes(t *testing.T) {
	whole(t)
	grown := filepath.Join(t.TempDir(), "grown")
	short := config(grown, 2)
	short.Plan.Generations = short.Plan.Generations[:1]
	first := setup.Must(Run(context.Background(), short))
	long := config(grown, 2)
	long.Resume = "more"
	got := setup.Must(Run(context.Background(), long))
	if got.Already || len(got.Generations) != 2 || first.Final == nil {
		t.Errorf("the extended run has %d generations", len(got.Generations))
	}
	compare(t, wholeDir, grown)
	same(t, filepath.Join(wholeDir, durable.RunConfigName), filepath.Join(grown, durable.RunConfigName))
	if info := durable.Status(grown).Info; info.Resume != "more" {
		t.Errorf("the run is resumed with %q", info.Resume)
	}
	if !exists(filepath.Join(grown, "gen-1", finalName, durable.RunResultName)) {
		t.Error("the final match of the shorter run is gone")
	}
	again, err := Run(context.Background(), long)
	if err != nil || !again.Already || again.Final.Games != got.Final.Games {
		t.Errorf("run once more: %+v, %v", again, err)
	}
}

func same(t *testing.T, a, b string) {
	t.Helper()
	x := setup.Must(os.ReadFile(a))
	y := setup.Must(os.ReadFile(b))
	if string(x) != string(y) {
		t.Errorf("%s and %s differ:\n%s\n%s", a, b, x, y)
	}
}

// TestStartedGenerationsCannotChange changes a plan during the second of its three generations.
func TestStartedGenerationsCannotChange(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	c := config(dir, 2)
	c.Plan.Generations = append(c.Plan.Generations, c.Plan.Generations[1])
	stopBefore(t, c, "generation 2: positions")
	before := setup.Must(os.ReadFile(filepath.Join(dir, durable.RunConfigName)))
	for field, change := range map[string]func(*Config){
		"plan.generations[0].gate.nelo1": func(c *Config) { c.Plan.Generations[0].Gate.Elo1++ },
		"plan.generations[1].prior":      func(c *Config) { c.Plan.Generations[1].Prior = 3 },
		"plan.generations[1].games":      func(c *Config) { c.Plan.Generations = c.Plan.Generations[:1] },
		"plan.seed":                      func(c *Config) { c.Plan.Seed++ },
		"program":                        func(c *Config) { c.Program = "another" },
	} {
		d := c
		d.Plan.Generations = append([]Generation(nil), c.Plan.Generations...)
		change(&d)
		_, err := Run(context.Background(), d)
		var changed *durable.ConfigChangedError
		if !errors.As(err, &changed) || changed.Field != field {
			t.Errorf("%s: %v", field, err)
		}
		if strings.Contains(field, "[1]") && !strings.Contains(err.Error(), "generation 2 has started") {
			t.Errorf("%s: %v", field, err)
		}
	}
	after, err := os.ReadFile(filepath.Join(dir, durable.RunConfigName))
	if err != nil || string(after) != string(before) {
		t.Errorf("a refused plan was written: %v", err)
	}
	// Later generations and the final match may change; config.json then has the new plan.
	c.Plan.Generations[2].Lambda, c.Plan.Final.Games = 0.5, 4
	stopBefore(t, c, "generation 2: positions")
	r, err := ReadPlan(filepath.Join(dir, durable.RunConfigName))
	if err != nil || r.Plan.Generations[2].Lambda != 0.5 || r.Plan.Final.Games != 4 {
		t.Errorf("recorded is %+v, %v", r, err)
	}
}

// TestStartedFinalCannotChange checks that a final match that was played cannot change.
func TestStartedFinalCannotChange(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	for _, name := range []string{Folder(1), Folder(2), filepath.Join(Folder(2), finalName)} {
		setup.Check(t, os.MkdirAll(filepath.Join(dir, name), 0o777))
	}
	was := RunConfig{Plan: tiny()}
	now := was
	now.Plan.Final.Games += 2
	var changed *durable.ConfigChangedError
	if err := checkResume(dir, was.fixedPart(2, true), now); !errors.As(err, &changed) ||
		changed.Field != "plan.final.games" {
		t.Errorf("a longer final match: %v", err)
	}
	now.Plan.Generations = append(now.Plan.Generations, now.Plan.Generations[1])
	if err := checkResume(dir, was.fixedPart(2, true), now); err != nil {
		t.Errorf("another final match of a longer run: %v", err)
	}
}

func TestPlanCheck(t *testing.T) {
	for field, spoil := range map[string]func(*Plan){
		"generations":               func(p *Plan) { p.Generations = nil },
		"hash_mb":                   func(p *Plan) { p.Hash = 0 },
		"generations[0].games":      func(p *Plan) { p.Generations[0].Games = 1 },
		"generations[0].nodes":      func(p *Plan) { p.Generations[0].Nodes = 0 },
		"generations[1].lambda":     func(p *Plan) { p.Generations[1].Lambda = 1.5 },
		"generations[1].keep":       func(p *Plan) { p.Generations[1].Keep = 0 },
		"generations[1].decay":      func(p *Plan) { p.Generations[1].Decay = 0 },
		"generations[1].prior":      func(p *Plan) { p.Generations[1].Prior = math.Inf(1) },
		"generations[1].method":     func(p *Plan) { p.Generations[1].Method = "newton" },
		"generations[1].games":      func(p *Plan) { p.Generations[1].Games, p.Generations[1].Method = 7, MethodSPSA },
		"generations[1].filter":     func(p *Plan) { p.Generations[1].Filter.Resolve = "" },
		"generations[1].gate.games": func(p *Plan) { p.Generations[1].Gate.Games = 7 },
		"generations[1].gate.nelo1": func(p *Plan) { p.Generations[1].Gate.Elo1 = -900 },
		"generations[1].gate.alpha": func(p *Plan) { p.Generations[1].Gate.Alpha = 0 },
		"generations[1].gate.nodes": func(p *Plan) { p.Generations[1].Gate.Nodes = 1 << 32 },
		"final.games":               func(p *Plan) { p.Final.Games = 401 },
		"final.nodes":               func(p *Plan) { p.Final.Nodes = 0 },
	} {
		p := tiny()
		spoil(&p)
		if err := p.check(); !errors.Is(err, ErrPlan) || !strings.HasPrefix(err.Error(), "bad plan: "+field+": ") {
			t.Errorf("%s: %v", field, err)
		}
	}
	p := tiny()
	if err := p.check(); err != nil {
		t.Error(err)
	}
}

// bare is the least that a plan can say.
const bare = `{"seed": "5", "generations": [
	{"games": 30, "nodes": 60, "lambda": 1, "gate": {"nelo0": 0, "nelo1": 50, "alpha": 0.05, "beta": 0.05, "games": 200, "nodes": 60}},
	{"games": 36, "nodes": 60, "lambda": 1, "gate": {"nelo0": 0, "nelo1": 50, "alpha": 0.05, "beta": 0.05, "games": 200, "nodes": 60}}],
	"final": {"games": 400, "nodes": 60}}`

// TestReadPlan: what a plan does not say is as documented, and what a run records is read
// as it is.
func TestReadPlan(t *testing.T) {
	want := DefaultPlan(2, 30, 60, 5)
	for i := range want.Generations {
		g := &want.Generations[i]
		g.Lambda, g.Keep, g.Decay, g.Prior = 1, 3, 0.5, 1
		g.Filter = Filter{Resolve: "qsearch", MaxScore: 3000}
	}
	recorded := setup.Must(json.Marshal(RunConfig{"assay", "a", "b", want}))
	for name, text := range map[string]string{"bare": bare, "config.json": string(recorded)} {
		path := filepath.Join(t.TempDir(), name)
		setup.Check(t, os.WriteFile(path, []byte(text), 0o666))
		got, err := ReadPlan(path)
		if err != nil || !reflect.DeepEqual(got.Plan, want) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestReadPlanRefuses(t *testing.T) {
	for want, change := range map[string][2]string{
		"generations[1].gamez: there is no such field":    {`"games": 36`, `"gamez": 36`},
		"generations[0].gate.elo: there is no such field": {`"nelo0"`, `"elo"`},
		"generations[1].lambda: it is missing": {`36, "nodes": 60, "lambda": 1,`,
			`36, "nodes": 60,`},
		"generations[1].games: want a whole number, got a string":         {`36`, `"36"`},
		"generations[1].games: want a whole number, got the number 36.5":  {`36`, `36.5`},
		"generations[1].nodes: want a whole number from 0":                {`36, "nodes": 60`, `36, "nodes": -60`},
		"generations[1].filter.uniform: want true or false, got a string": {`"games": 36`, `"games": 36, "filter": {"uniform": "no"}`},
		"generations[1].filter.depth: there is no such field": {`"games": 36`,
			`"games": 36, "filter": {"depth": 3}`},
		"generations[1].decay: 2, want":              {`"games": 36`, `"games": 36, "decay": 2`},
		"seed: want a whole number from 0 in quotes": {`"5"`, `5`},
		"generations: want a list, got an object":    {`"generations": [`, `"generations": {}, "x": [`},
		"generations[1].games: it is given twice":    {`"games": 36`, `"games": 36, "games": 36`},
		"ends in the middle":                         {`400, "nodes": 60}}`, `400, "nodes": 60}`},
	} {
		text := strings.Replace(bare, change[0], change[1], 1)
		path := filepath.Join(t.TempDir(), "plan.json")
		setup.Check(t, os.WriteFile(path, []byte(text), 0o666))
		if _, err := ReadPlan(path); !errors.Is(err, ErrPlan) || !strings.Contains(err.Error(), want) ||
			!strings.HasPrefix(err.Error(), path) {
			t.Errorf("%s:\n%v", want, err)
		}
	}
}

func TestScaled(t *testing.T) {
	p := DefaultPlan(2, 3000, 2000, 1)
	s := p.Scaled(0.01)
	if got := []int{s.Generations[0].Games, s.Generations[1].Games, s.Generations[0].Gate.Games,
		s.Final.Games}; !reflect.DeepEqual(got, []int{30, 36, 2, 4}) {
		t.Errorf("a hundredth: %v", got)
	}
	if p.Generations[0].Games != 3000 || !reflect.DeepEqual(p.Scaled(1), p) {
		t.Error("the plan itself was scaled, or by 1 is another")
	}
	for games, want := range map[int]int{7: 7, 1000: 20, 3001: 32} {
		p.Generations[0].Games = games
		if got := p.Scaled(0.01).Generations[0].Games; got != want {
			t.Errorf("a hundredth of %d games is %d, want %d", games, got, want)
		}
	}
	s = p.Scaled(1e-9)
	if err := s.check(); err != nil {
		t.Error(err)
	}
}
