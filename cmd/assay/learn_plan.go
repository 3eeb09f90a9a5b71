package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/assay/internal/cli"
	"github.com/assay-chess/assay/cmd/assay/internal/runs"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/tuner/learn"
)

// config turns the command's flags into the configuration of a run.
func (f *learnFlags) config(cmd *cobra.Command) (learn.Config, error) {
	c := learn.Config{Program: cli.Version(), Open: roster.Open, Workers: f.workers}
	var err error
	if f.planFile != "" {
		err = f.readPlan(&c)
	} else {
		c.Plan, err = f.flagged()
	}
	if err != nil {
		return c, err
	}
	run := cmp.Or(f.run, f.name(&c.Plan))
	if run != filepath.Base(run) || run == "." || run == ".." {
		return c, cli.Usagef("--run %s: want a plain name, of a folder in %s", run, runs.Dir)
	}
	if err := cmd.Flags().Set("run", run); err != nil {
		return c, err
	}
	c.Dir, c.Resume = filepath.Join(runs.Dir, run), cli.CommandLine(cmd, nil)
	return c, nil
}

// flagged returns the plan that flags describe.
func (f *learnFlags) flagged() (p learn.Plan, err error) {
	if f.model != "assay" && !f.given("generations") {
		f.generations = 1
	}
	if f.generations < 1 || f.games < 2 || f.nodes < 1 {
		return p, cli.Usagef("want at least 1 generation, 2 games and 1 node a move; got --generations %d --games %d --nodes %d", f.generations, f.games, f.nodes)
	}
	if f.given("scale") {
		return p, cli.Usagef("--scale is a factor on the games of a --plan; say how many with --games")
	}
	if _, err := eval.Lookup(f.model); err != nil {
		return p, cli.Usage(fmt.Errorf("--model: %w", err))
	}
	if err := f.checkFrom(); err != nil {
		return p, err
	}
	p = learn.DefaultPlan(f.generations, f.games, f.nodes, f.seed)
	p.Model, p.From, p.Opponent, p.HardNodes = f.model, f.from, f.opponent, f.hardNodes
	p = p.WithDefaults()
	p.Final.Games = f.finalGames
	for i := range p.Generations {
		g := &p.Generations[i]
		g.Gate.Games = f.gateGames
		if f.method != learn.Methods()[0] {
			g.Method = f.method
		}
		if g.Method == learn.MethodSPSA && i > 0 {
			g.Games += g.Games % 2 // a fifth more than the first, in pairs
		}
	}
	return p, nil
}

// checkFrom refuses first weights of another model, unless the model was named too: who
// gives weights and no model expects that these are learned.
func (f *learnFlags) checkFrom() error {
	if f.from == "" || f.given("model") {
		return nil
	}
	w, err := models.Open(f.from)
	if err != nil {
		return fmt.Errorf("start weights: %w", err)
	}
	if w.Model != f.model {
		return cli.Usagef("--from %s: these weights are of model %s: --model %s learns it, --model %s learns that from their games", f.from, w.Model, w.Model, f.model)
	}
	return nil
}

// readPlan takes the plan from its file.
func (f *learnFlags) readPlan(c *learn.Config) error {
	for _, flag := range []string{"games", "nodes", "hard-nodes", "generations", "seed", "gate-games", "final-games", "model", "method"} {
		if f.given(flag) {
			return cli.Usagef("--%s: that is for the plan %s to say; leave one of them out", flag, f.planFile)
		}
	}
	if !(f.scale > 0 && f.scale <= 1) {
		return cli.Usagef("--scale %v: want a factor above 0, up to 1", f.scale)
	}
	r, err := learn.ReadPlan(f.planFile)
	if err != nil {
		return err
	}
	c.Plan, c.StartID, c.OpponentID = r.Plan, r.StartID, r.OpponentID
	if f.scale != 1 {
		c.Plan = c.Plan.Scaled(f.scale)
	}
	if err := f.locate("from", f.from, &c.Plan.From); err != nil {
		return err
	}
	return f.locate("opponent", f.opponent, &c.Plan.Opponent)
}

// locate lets a flag say where the weights are that the plan names, by their id or
// otherwise.
func (f *learnFlags) locate(flag, file string, planned *string) error {
	if !f.given(flag) {
		return nil
	}
	w, err := models.Open(file)
	if err != nil {
		return err
	}
	if name := learn.Written(file, w); name != *planned && file != *planned {
		return cli.Usagef("--%s %s: these are the weights %s, but the plan %s says %s", flag, file, name, f.planFile, *planned)
	}
	*planned = file
	return nil
}

// name returns a name, made from the settings, for a run without one.
func (f *learnFlags) name(p *learn.Plan) string {
	if f.planFile == "" {
		name := "learn"
		if f.model != "assay" {
			name += "-" + f.model
		}
		if f.method != learn.Methods()[0] {
			name += "-" + f.method
		}
		if f.hardNodes {
			name += "-exact"
		}
		return fmt.Sprintf("%s-g%d-n%d-k%d-s%d", name, f.games, f.nodes, f.generations, f.seed)
	}
	doc, _ := json.Marshal(p) // a plan that was read can be written
	sum := sha256.Sum256(doc)
	return fmt.Sprintf("learn-k%d-s%d-%x", len(p.Generations), p.Seed, sum[:4])
}
