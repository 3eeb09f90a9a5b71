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
	touched bool // a weight was set after the weights were loaded
}

var _ interface {
	engine.OptionLister
	engine.ParameterLister
	engine.EvaluatorSetter
	engine.Ponderer
} = (*assayPlayer)(nil)

// Suffixes of options that set one value of a tapered term.
const (
	onlyMG = ".mg"
	onlyEG = ".eg"
)

func newAssayPlayer(weights string, hashMB int) (*assayPlayer, error) {
	p := &assayPlayer{initial: weights}
	ev, err := p.load(weights)
	if err != nil {
		return nil, err
	}
	p.Engine = search.New(ev, hashMB)
	return p, nil
}

// load opens weights and returns their evaluator. After an error the old weights remain.
func (p *assayPlayer) load(weights string) (eval.Evaluator, error) {
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
	p.model, p.weights, p.stale, p.touched = m, w, false, false
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
	if term, suffix := p.findTerm(name); term >= 0 {
		return p.setWeight(term, suffix, name, value)
	}
	return p.Engine.SetOption(name, value)
}

// findTerm returns the index of the term that an option sets, -1 if there is none, and the
// option's suffix.
func (p *assayPlayer) findTerm(name string) (term int, suffix string) {
	for i := range p.model.Terms {
		t := &p.model.Terms[i]
		switch rest, ok := strings.CutPrefix(name, t.Name); {
		case !ok:
		case rest == "", t.Tapered && (rest == onlyMG || rest == onlyEG):
			return i, rest
		}
	}
	return -1, ""
}

func (p *assayPlayer) setWeight(term int, suffix, name, value string) error {
	n, err := strconv.ParseInt(value, 10, 32)
	if err != nil {
		return fmt.Errorf("%w %s: %q is not a whole number of centipawns", search.ErrOption, name, value)
	}
	w := &p.weights[term]
	old := *w
	if suffix != onlyEG {
		w.MG = int32(n)
	}
	if suffix != onlyMG {
		w.EG = int32(n)
	}
	if err := p.model.Check(p.weights); err != nil {
		*w = old
		return fmt.Errorf("%w %s: %w", search.ErrOption, name, err)
	}
	p.stale, p.touched = p.stale || *w != old, true
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

// WeightsWithOptions returns the weights of a player after options, pairs of name and
// value, have been set. Their provenance has only the parent's id. The result is nil if no
// option sets a weight, because the player has none or all options are parameters of the
// search.
func WeightsWithOptions(spec string, options [][2]string) (*models.File, error) {
	opened, err := Open(spec)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	p, ok := engine.As[*assayPlayer](opened)
	if !ok {
		return nil, nil
	}
	parent := models.New(p.model, p.weights).ID()
	for _, o := range options {
		if err := p.SetOption(o[0], o[1]); err != nil {
			return nil, err
		}
	}
	if !p.touched {
		return nil, nil
	}
	f := models.New(p.model, p.weights)
	f.Provenance.Parent = parent
	return f, nil
}
