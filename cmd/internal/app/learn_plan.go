package app

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/assay-chess/assay/cmd/internal/report"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/roster"
	"github.com/assay-chess/assay/tuner/learn"
)

// learnConfig turns the settings into the configuration of a run.
func (s *learning) learnConfig() (learn.Config, error) {
	c := learn.Config{Program: ui.Version(), Place: selfplay.Place{Open: roster.Open, Concurrency: s.Concurrency}}
	var err error
	if s.plan != "" {
		err = s.readPlan(&c)
	} else {
		c.Plan, err = s.flagged()
	}
	if err != nil {
		return c, err
	}
	c.Out, c.Resume, err = s.folder(s.runName(&c.Plan))
	return c, err
}

// folder returns the run's folder, which has a name in runs unless --out is given, and the command line that resumes
// the run.
func (s *learning) folder(name string) (dir, resume string, err error) {
	err = s.Put("out", cmp.Or(s.Out, filepath.Join(report.Dir, name)))
	return s.Out, s.resume(nil), err
}

// flagged returns the plan that flags describe.
func (s *learning) flagged() (p learn.Plan, err error) {
	if s.model != "assay" && !s.Given("generations") {
		s.generations = 1
	}
	if s.generations < 1 || s.games < 2 || s.Limits.Nodes < 1 {
		return p, ui.Usagef("want at least 1 generation, 2 games and 1 node a move; got --generations %d --games %d "+
			"--nodes %d", s.generations, s.games, s.Limits.Nodes)
	}
	if s.Given("scale") {
		return p, ui.Usagef("--scale is a factor on the games of a --plan; say how many with --games")
	}
	if _, err := eval.Lookup(s.model); err != nil {
		return p, ui.Usage(fmt.Errorf("--model: %w", err))
	}
	if err := s.checkFrom(); err != nil {
		return p, err
	}
	p = learn.DefaultPlan(s.generations, s.games, s.Limits.Nodes, s.Seed)
	p.Model, p.From, p.Opponent, p.HardNodes = s.model, s.from, s.opponent, s.Limits.HardNodes
	p = p.WithDefaults()
	p.Final.Games = s.finalGames
	for i := range p.Generations {
		g := &p.Generations[i]
		g.Gate.Games = s.gateGames
		if s.method != learn.Methods()[0] {
			g.Method = s.method
		}
		if g.Method == learn.MethodSPSA && i > 0 {
			g.Games += g.Games % 2 // a fifth more than the first, in pairs
		}
	}
	return p, nil
}

// checkFrom refuses first weights of another model, unless the model was named too: who
// gives weights and no model expects that these are learned.
func (s *learning) checkFrom() error {
	if s.from == "" || s.Given("model") {
		return nil
	}
	w, err := models.Open(s.from)
	if err != nil {
		return fmt.Errorf("start weights: %w", err)
	}
	if w.Model != s.model {
		return ui.Usagef("--from %s: these weights are of model %s: --model %s learns it, --model %s learns that from "+
			"their games", s.from, w.Model, w.Model, s.model)
	}
	return nil
}

// readPlan takes the plan from its file.
func (s *learning) readPlan(c *learn.Config) error {
	for _, flag := range []string{"games", "nodes", "hard-nodes", "generations", "seed", "gate-games", "final-games",
		"model", "method"} {
		if s.Given(flag) {
			return ui.Usagef("--%s: that is for the plan %s to say; leave one of them out", flag, s.plan)
		}
	}
	if !(s.scale > 0 && s.scale <= 1) {
		return ui.Usagef("--scale %v: want a factor above 0, up to 1", s.scale)
	}
	r, err := learn.ReadPlan(s.plan)
	if err != nil {
		return err
	}
	c.Plan, c.StartID, c.OpponentID = r.Plan, r.StartID, r.OpponentID
	if s.scale != 1 {
		c.Plan = c.Plan.Scaled(s.scale)
	}
	if err := s.locate("from", s.from, &c.Plan.From); err != nil {
		return err
	}
	return s.locate("opponent", s.opponent, &c.Plan.Opponent)
}

// locate lets a flag say where the weights are that the plan names, by their id or
// otherwise.
func (s *learning) locate(flag, file string, planned *string) error {
	if !s.Given(flag) {
		return nil
	}
	w, err := models.Open(file)
	if err != nil {
		return err
	}
	if name := learn.Written(file, w); name != *planned && file != *planned {
		return ui.Usagef("--%s %s: these are the weights %s, but the plan %s says %s", flag, file, name, s.plan, *planned)
	}
	*planned = file
	return nil
}

// runName returns a name, made from the settings, for a run without one.
func (s *learning) runName(p *learn.Plan) string {
	if s.plan == "" {
		name := "learn"
		if s.model != "assay" {
			name += "-" + s.model
		}
		if s.method != learn.Methods()[0] {
			name += "-" + s.method
		}
		if s.Limits.HardNodes {
			name += "-exact"
		}
		return fmt.Sprintf("%s-g%d-n%d-k%d-s%d", name, s.games, s.Limits.Nodes, s.generations, s.Seed)
	}
	doc, _ := json.Marshal(p) // a plan that was read can be written
	sum := sha256.Sum256(doc)
	return fmt.Sprintf("learn-k%d-s%d-%x", len(p.Generations), p.Seed, sum[:4])
}
