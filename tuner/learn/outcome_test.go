package learn

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/datagen"
	"github.com/assay-chess/assay/selfplay/roster"
	"github.com/assay-chess/assay/tuner"
)

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
	whole()
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
	{"games": 30, "nodes": 60, "lambda": 1,
	"gate": {"nelo0": 0, "nelo1": 50, "alpha": 0.05, "beta": 0.05, "games": 200, "nodes": 60}},
	{"games": 36, "nodes": 60, "lambda": 1,
	"gate": {"nelo0": 0, "nelo1": 50, "alpha": 0.05, "beta": 0.05, "games": 200, "nodes": 60}}],
	"final": {"games": 400, "nodes": 60}}`

// TestReadPlan: what a plan does not say is as documented, and what a run records is read
// as it is.
func TestReadPlan(t *testing.T) {
	want := DefaultPlan(2, 30, 60, 5)
	for i := range want.Generations {
		g := &want.Generations[i]
		g.Lambda, g.Keep, g.Decay, g.Prior = 1, 3, 0.5, 1
		g.Filter = filter{Resolve: "qsearch", MaxScore: 3000}
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
		"generations[1].games: want a whole number, got a string":        {`36`, `"36"`},
		"generations[1].games: want a whole number, got the number 36.5": {`36`, `36.5`},
		"generations[1].nodes: want a whole number from 0":               {`36, "nodes": 60`, `36, "nodes": -60`},
		"generations[1].filter.uniform: want true or false, got a string": {`"games": 36`,
			`"games": 36, "filter": {"uniform": "no"}`},
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

// byGames is a plan whose first generation is tuned by games, and the second by Adam.
func byGames(dir string, workers int) Config {
	c := config(dir, workers)
	c.Plan.Generations[0].Method, c.Plan.Generations[1].Method = MethodSPSA, "adam"
	return c
}

// TestGenerationByGames runs a generation by SPSA and one by Adam, and again with an
// interruption before each stage: the bytes are the same.
func TestGenerationByGames(t *testing.T) {
	whole, broken := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "broken")
	r := setup.Must(Run(t.Context(), byGames(whole, 1)))
	for _, stage := range []string{"generation 1: tune by games", "generation 1: gate", "generation 2: self-play",
		"generation 2: gate"} {
		stopBefore(t, byGames(broken, 2), stage)
	}
	setup.Must(Run(t.Context(), byGames(broken, 2)))
	compare(t, whole, broken)

	first, second := r.Generations[0], r.Generations[1]
	if first.Games.Games != 16 || first.Games.WhiteWins+first.Games.Draws+first.Games.BlackWins != 16 ||
		first.Positions.Kept != 0 {
		t.Errorf("generation 1: games %+v, %d positions", first.Games, first.Positions.Kept)
	}
	if first.Fit.SPSA == nil || first.Fit.SPSA.Iterations != 8 || len(first.Fit.SPSA.Parameters) != 9 ||
		first.Fit.Result != nil {
		t.Errorf("generation 1: fit %+v", first.Fit)
	}
	if second.Fit.SPSA != nil || second.Fit.Rows == 0 || !strings.HasPrefix(second.Fit.Method, "adam") || r.K <= 0 {
		t.Errorf("generation 2: fit %+v, K %v", second.Fit, r.K)
	}
	checkSPSAWeights(t, filepath.Join(whole, Folder(1)), first.Fit.ID)
}

// checkSPSAWeights compares the weights of a generation with what its fit.json says of each term.
func checkSPSAWeights(t *testing.T, dir, id string) {
	t.Helper()
	file, fit, err := readFit(dir)
	if file == nil {
		t.Fatal(err)
	}
	if file.ID() != id || file.Provenance.Method != MethodSPSA || len(fit.TermList()) != len(file.Terms) {
		t.Fatalf("file %s of method %s, %d terms; want %s", file.ID(), file.Provenance.Method, len(fit.TermList()), id)
	}
	moved := 0
	for i, term := range fit.TermList() {
		if term.MG != file.Terms[i].MG || term.Name != file.Terms[i].Name || term.Frozen || term.Moved() {
			t.Errorf("term %+v, in the file %+v", term, file.Terms[i])
		}
		if term.FitMG != term.StartMG {
			moved++
		}
	}
	if moved == 0 {
		t.Error("no term moved in 16 games")
	}
}

// TestPlanOfModel: a model says what a plan starts from and who the opponent is.
func TestPlanOfModel(t *testing.T) {
	for model, want := range map[string]Plan{
		"":                 {Model: "assay", From: "assay-start", Opponent: "shannon-1950"},
		"assay":            {Model: "assay", From: "assay-start", Opponent: "shannon-1950"},
		"shannon-1950":     {Model: "shannon-1950", From: "shannon-1950", Opponent: "shannon-1950"},
		"shannon-appendix": {Model: "shannon-appendix", From: "shannon-appendix", Opponent: "shannon-appendix"},
		"machack-1967":     {Model: "machack-1967", From: "machack-1967", Opponent: "machack-1967"},
	} {
		got := Plan{Model: model}.WithDefaults()
		if got.Model != want.Model || got.From != want.From || got.Opponent != want.Opponent {
			t.Errorf("%q: %+v", model, got)
		}
	}
	if p := (Plan{Model: "machack-1967", From: "a.json", Opponent: "b.json"}).WithDefaults(); p.From != "a.json" ||
		p.Opponent != "b.json" {
		t.Errorf("what the plan says was replaced: %+v", p)
	}
}

// TestHeldTerms learns Mac Hack's S: a term that only a search knows keeps its weight, and the
// result says why. The opponent is the guess, so one final match measures everything.
func TestHeldTerms(t *testing.T) {
	c := config(filepath.Join(t.TempDir(), "run"), 2)
	c.Plan.Model, c.Plan.From, c.Plan.Opponent = "machack-1967", "", ""
	c.Plan = c.Plan.WithDefaults()
	c.Plan.Generations = c.Plan.Generations[:1]
	r := setup.Must(Run(t.Context(), c))
	if len(r.Held) != 1 || r.Held[0].Name != "ratio" || r.Held[0].Why == "" {
		t.Errorf("held are %+v", r.Held)
	}
	ratio := slices.IndexFunc(r.Terms, func(f tuner.TermFit) bool { return f.Name == "ratio" })
	if f := r.Terms[ratio]; !f.Frozen || f.MG != 1 {
		t.Errorf("ratio: %+v", f)
	}
	if !r.Generations[0].Promoted || r.FromStart != r.Final || r.Final.IDB != "assay:"+r.Start.ID ||
		r.FinalPlayer() != r.Champion {
		t.Errorf("promoted %v, final %+v", r.Generations[0].Promoted, r.Final)
	}
}

// TestFinalOfTheLastFit: if the opponent is still champion, the last fit plays it.
func TestFinalOfTheLastFit(t *testing.T) {
	c := config(filepath.Join(t.TempDir(), "run"), 2)
	c.Plan.Opponent = c.Plan.From
	c.Plan.Generations = c.Plan.Generations[:1]
	c.Plan.Generations[0].Gate = gate{Elo0: 500, Elo1: 900, Alpha: 0.05, Beta: 0.05, Games: 40, Nodes: 60}
	r := setup.Must(Run(t.Context(), c))
	if r.Generations[0].Promoted || r.FromStart != nil || r.Final.IDA != "assay:"+r.Generations[0].Fit.ID ||
		r.FinalPlayer() != r.Learned {
		t.Errorf("the final match is %s against %s", r.Final.A, r.Final.B)
	}
}

// TestOtherModel: a champion of another model plays the games, and the plan's model is learned.
func TestOtherModel(t *testing.T) {
	c := config(filepath.Join(t.TempDir(), "run"), 2)
	c.Plan.HardNodes = true
	c.Plan.From, c.Plan.Model = "shannon-1950", "shannon-appendix"
	c.Plan.Generations = c.Plan.Generations[:1]
	r := setup.Must(Run(t.Context(), c))
	file := setup.Must(models.Load(filepath.Join(c.Out, "gen-1", weightsName)))
	start := setup.Must(models.Embedded("shannon-appendix"))
	if file.Model != "shannon-appendix" || file.Provenance.Parent != start.ID() {
		t.Errorf("learned %s from %s, want shannon-appendix from %s", file.Model, file.Provenance.Parent, start.ID())
	}
	if gate := r.Generations[0].Gate; gate.IDB != "assay:"+r.Start.ID || r.Start.File != "shannon-1950" {
		t.Errorf("the gate was against %s, and the run began with %s", gate.IDB, r.Start.File)
	}
}

// crashing is a player that fails after a number of plies.
type crashing struct {
	engine.Player
	after int
}

func (c crashing) Search(ctx context.Context, g *board.Game, lim engine.Limits) (engine.Result, error) {
	if len(g.Moves()) > c.after {
		return engine.Result{}, errors.New("crashed")
	}
	return c.Player.Search(ctx, g, lim)
}

// A run whose player does not work, or fails in games or in a gate, ends there and says why.
// When the player works again, the run is resumed and ends with the bytes of one that never failed.
// Games with too many forfeits, and a gate without a verdict, must be deleted first: their games count.
func TestBrokenPlayer(t *testing.T) {
	whole()
	dir := filepath.Join(t.TempDir(), "broken")
	gate, games := filepath.Join(dir, "gen-1", "gate"), filepath.Join(dir, "gen-1", "games")
	for _, tt := range []struct {
		what  string
		after int
		in    string // part of the specification of those that fail
		err   error
		says  string
	}{
		{"plays no move", -1, "", selfplay.ErrPreflight, "crashed"},
		{"crashes in games", 20, "", datagen.ErrForfeit, games + ": a player failed: "},
		{"crashes in the gate", 20, "gen-1", selfplay.ErrNoVerdict, gate + ": no verdict: gen-1 (A) forfeited "},
	} {
		c := config(dir, 2)
		c.Open = func(spec engine.Spec) (engine.Player, error) {
			p, err := roster.Open(spec)
			if err == nil && strings.Contains(spec.String(), tt.in) {
				p = crashing{p, tt.after}
			}
			return p, err
		}
		if r, err := Run(t.Context(), c); !errors.Is(err, tt.err) || r != nil ||
			!strings.Contains(err.Error(), tt.says) {
			t.Errorf("a player that %s: result %+v, error %v", tt.what, r, err)
		}
		if tt.err == datagen.ErrForfeit {
			setup.Check(t, os.RemoveAll(games))
		}
	}
	if s := durable.Status(gate); s.State != durable.NoVerdict {
		t.Errorf("the gate is %s, %v", s.State, s.Err)
	}
	if s := durable.Status(dir); s.State != durable.Interrupted {
		t.Errorf("the run is %s, %v", s.State, s.Err)
	}
	setup.Check(t, os.RemoveAll(gate))
	setup.Must(Run(t.Context(), config(dir, 2)))
	compare(t, wholeDir, dir)
}

// Whatever is in the file of a plan, reading it fails, or returns a plan that can be run, and which is the same when
// it is written and read again.
func FuzzPlan(f *testing.F) {
	whole := setup.Must(json.Marshal(DefaultPlan(2, 40, 300, 7)))
	f.Add(whole)
	f.Add([]byte(`{"start_id":"a","plan":` + string(whole) + `}`))
	f.Add([]byte(bare))
	for _, path := range []string{"plan.json", "second-1/plan.json", "second-2/plan.json"} {
		data := setup.Must(os.ReadFile("../../models/history/" + path))
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := parsePlan(data)
		if err != nil {
			if !errors.Is(err, ErrPlan) {
				t.Error(err)
			}
			return
		}
		text := setup.Must(json.Marshal(c))
		if again, err := parsePlan(text); err != nil || !reflect.DeepEqual(c, again) {
			t.Errorf("%+v\n%+v, %v", c, again, err)
		}
	})
}
