package roster

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/search"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/models"
)

// assayPlayer is the modern engine with options for its weights: EvalFile, and one option
// for each term, by its name and in centipawns. "queen" sets both values of a tapered
// term, "queen.mg" and "queen.eg" one of them; they take effect in the next game. SPSA uses
// them, because it would otherwise write and read a weight file for every few games.
type assayPlayer struct {
	*search.Engine
	initial string // the weights it was opened with: a file or an embedded name
	model   *eval.Model
	weights []eval.Coef
	stale   bool // the engine's evaluator has older weights
}

var _ interface {
	engine.OptionLister
	engine.ParameterLister
	engine.EvaluatorSetter
	engine.Ponderer
} = (*assayPlayer)(nil)

// maxHashMB bounds the transposition table that a specification may ask for.
const maxHashMB = 65536

// isHash reports whether an option is the size of assay's transposition table, which is set before all others.
func isHash(spec engine.Spec, o engine.Option) bool { return spec.Name == "assay" && o.Name == "hash" }

// hashOf returns the size of a player's transposition table in MiB.
func hashOf(spec engine.Spec) (int, error) {
	for _, o := range spec.Options {
		if !isHash(spec, o) {
			continue
		}
		n, err := strconv.Atoi(o.Value)
		if err != nil || n < 1 || n > maxHashMB {
			return 0, fmt.Errorf("hash=%s is not a number from 1 to %d", o.Value, maxHashMB)
		}
		return n, nil
	}
	return search.DefaultHashMB, nil
}

func isAssayOption(name string) bool { return name == "hash" || search.IsParameter(name) }

func openAssay(spec engine.Spec) (engine.Player, error) {
	hash, err := hashOf(spec)
	if err != nil {
		return nil, err
	}
	p := &assayPlayer{initial: WeightsName(spec)}
	ev, err := p.load(p.initial)
	if err != nil {
		return nil, err
	}
	p.Engine = search.New(ev, hash)
	return p, nil
}

// load opens weights and returns their evaluator. After an error the old weights remain.
func (p *assayPlayer) load(weights string) (engine.Evaluator, error) {
	f, err := models.Open(weights)
	if err != nil {
		return nil, err
	}
	m, w, err := f.Weights()
	if err != nil {
		return nil, err
	}
	ev, err := m.NewEvaluator(w)
	if err != nil {
		return nil, err
	}
	p.model, p.weights, p.stale = m, w, false
	return ev, nil
}

// Options implements engine.OptionLister.
func (p *assayPlayer) Options() []string {
	const after = 3 // Hash, Clear Hash, Move Overhead
	return slices.Insert(p.Engine.Options(), after, "option name EvalFile type string default <empty>")
}

// SetOption implements engine.Player. An empty EvalFile loads the weights that the player
// was opened with.
func (p *assayPlayer) SetOption(name, value string) error {
	if strings.EqualFold(name, "EvalFile") {
		if value == "" || value == "<empty>" {
			value = p.initial
		}
		ev, err := p.load(value)
		if err != nil {
			return fmt.Errorf("%w %s: %w", search.ErrOption, name, err)
		}
		p.SetEvaluator(ev)
		return nil
	}
	w, ok, err := p.model.SetWeight(p.weights, name, value)
	if err != nil {
		return fmt.Errorf("%w %s: %w", search.ErrOption, name, err)
	}
	if !ok {
		return p.Engine.SetOption(name, value)
	}
	p.stale = p.stale || !slices.Equal(w, p.weights)
	p.weights = w
	return nil
}

// NewGame implements engine.Player.
func (p *assayPlayer) NewGame(seed uint64) error {
	if p.stale {
		ev, err := p.model.NewEvaluator(p.weights)
		if err != nil {
			return err
		}
		p.SetEvaluator(ev)
		p.stale = false
	}
	return p.Engine.NewGame(seed)
}
