package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/assay-chess/assay/cmd/assay/internal/cli"
	"github.com/assay-chess/assay/cmd/assay/internal/runs"
	"github.com/assay-chess/assay/cmd/assay/internal/weights"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/tuner/spsa/play"
)

// spsaModelFlags describe a run without a file: the terms of a model.
type spsaModelFlags struct {
	model, player string
	terms         []string
	games         int
	nodes         uint64
	depth         int
	validation    uint64
	seed          uint64
	write         string
}

// spsaModelNames are the flags that take the place of a file.
var spsaModelNames = []string{"model", "player", "terms", "games", "nodes", "depth", "validation", "seed", "write"}

func (f *spsaModelFlags) register(fs *pflag.FlagSet) {
	fs.StringVar(&f.model, "model", "", "without CONFIG: tune the terms of this model: "+weights.ModelNames())
	fs.StringVar(&f.player, "player", "", `without CONFIG: player that has them, with any weights (default "assay:hash=1"; without --model its own)`)
	fs.StringSliceVar(&f.terms, "terms", nil, "without CONFIG: terms or groups to tune, by name (default: all)")
	fs.IntVar(&f.games, "games", 1000, "without CONFIG: games that tune, in pairs")
	fs.Uint64Var(&f.nodes, "nodes", 1000, "without CONFIG: nodes a move (soft: the iteration is finished); 0 with --depth")
	fs.IntVar(&f.depth, "depth", 0, "without CONFIG: plies a move")
	fs.Uint64Var(&f.validation, "validation", 0, "without CONFIG: games of the answer against the start values, at the end")
	fs.Uint64Var(&f.seed, "seed", 1, "without CONFIG: random seed")
	fs.StringVar(&f.write, "write", "", "without CONFIG: write the configuration to this new TOML file, to be edited, and play nothing")
}

// file returns the configuration, from the file or the flags, and its name for errors.
func (f *spsaModelFlags) file(cmd *cobra.Command, args []string) (*play.File, string, error) {
	given := ""
	for _, name := range spsaModelNames {
		if cmd.Flags().Changed(name) {
			given = name
		}
	}
	if len(args) == 1 {
		if given != "" {
			return nil, "", cli.Usagef("--%s: that is for the file %s to say; leave one of them out", given, args[0])
		}
		file, err := play.ReadFile(args[0])
		return file, args[0], err
	}
	if f.model == "" && f.player == "" {
		return nil, "", cli.Usagef("want a file CONFIG, or --model (%s), or --player", weights.ModelNames())
	}
	if f.games < 2 || f.games%2 != 0 || f.validation%2 != 0 {
		return nil, "", cli.Usagef("--games %d --validation %d: want even numbers, and at least 2 games", f.games, f.validation)
	}
	file, err := f.ofModel(cmd.Flags().Changed("nodes"))
	return file, "--model", err
}

// ofModel returns the terms of the model as a configuration.
func (f *spsaModelFlags) ofModel(nodesGiven bool) (*play.File, error) {
	player := cmp.Or(f.player, "assay:hash=1")
	name, spec, err := roster.Named(player)
	if err != nil {
		return nil, err
	}
	if spec, err = f.spec(spec); err != nil {
		return nil, err
	}
	m, w, err := roster.Weights(spec)
	if err != nil {
		return nil, err
	}
	if m == nil {
		return nil, cli.Usagef("--player %s: it takes no weights; those that do are assay, shannon-a, shannon-b and machack-1967", f.player)
	}
	if f.model != "" && m.Name != f.model {
		return nil, cli.Usagef("--model %s: the weights of --player %s are of model %s", f.model, f.player, m.Name)
	}
	parameters, err := play.TermParameters(m, w, f.terms, roster.IsHistoric(spec))
	if err != nil {
		return nil, cli.Usage(fmt.Errorf("--terms: %w", err))
	}
	if f.depth > 0 && !nodesGiven {
		f.nodes = 0
	}
	if name != player { // it was given one
		spec = "name=" + name + ":" + spec
	}
	return &play.File{Player: spec, Iterations: f.games / 2, Pairs: 1, Nodes: f.nodes, Depth: f.depth, Validation: f.validation, Seed: f.seed, Parameters: parameters}, nil
}

// spec returns the player: with the start weights of the model, unless it names its own.
func (f *spsaModelFlags) spec(spec string) (string, error) {
	if f.model == "" || strings.Contains(spec, ":weights=") {
		return spec, nil
	}
	if _, err := eval.Lookup(f.model); err != nil {
		return "", cli.Usage(fmt.Errorf("--model: %w", err))
	}
	_, renamed, err := roster.WeightsOf(spec)
	if err != nil || renamed == nil {
		return spec, err
	}
	return renamed(models.StartOf(f.model)), nil
}

// out returns the default folder of a run.
func (f *spsaModelFlags) out(args []string) string {
	name := f.model
	switch {
	case len(args) == 1:
		name = strings.TrimSuffix(filepath.Base(args[0]), filepath.Ext(args[0]))
	case name == "":
		name, _, _ = strings.Cut(strings.TrimPrefix(f.player, "name="), ":")
	}
	return filepath.Join(runs.Dir, "spsa-"+name)
}

// save writes the configuration for --write. It does not replace a file.
func (f *spsaModelFlags) save(file *play.File) error {
	if _, err := os.Lstat(f.write); err == nil {
		return cli.Usagef("--write %s: there is such a file already", f.write)
	}
	return durable.WriteFile(f.write, file.TOML())
}
