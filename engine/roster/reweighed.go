package roster

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/search"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/models"
)

// reweighed is the modern engine with one more kind of option: the weights of its
// model, each by the name of its term, in centipawns. "queen" sets both of a tapered
// term's values, "queen.mg" and "queen.eg" one of them. What was set since the last
// game begins to count with the next. Tuning by games needs it: a weight file for
// every perturbation would be written and read as often as games are played.
type reweighed struct {
	*search.Engine
	first   string // the weights it was opened with: a path, or a name
	model   *eval.Model
	weights []eval.Coef
	changed bool // since the engine's evaluator was made
	touched bool // whether any was set since they were loaded
}

// Endings of the names that set one value of a tapered term.
const (
	onlyMG = ".mg"
	onlyEG = ".eg"
)

func newReweighed(weights string, hashMB int) (*reweighed, error) {
	p := &reweighed{first: weights}
	if err := p.load(weights); err != nil {
		return nil, err
	}
	ev, err := p.evaluator("")
	if err != nil {
		return nil, err
	}
	p.Engine = search.New(ev, hashMB)
	p.LoadEvaluator = p.evaluator
	return p, nil
}

// load takes the weights of a file.
func (p *reweighed) load(weights string) error {
	f, err := models.Open(weights)
	if err != nil {
		return err
	}
	m, w, err := f.Weights()
	if err != nil {
		return err
	}
	p.model, p.weights, p.changed, p.touched = m, w, false, false
	return nil
}

// evaluator makes the evaluator of the weights as they are, whatever they are called.
func (p *reweighed) evaluator(string) (eval.Evaluator, error) { return p.model.NewEvaluator(p.weights) }

// SetOption implements engine.Player.
func (p *reweighed) SetOption(name, value string) error {
	if strings.EqualFold(name, "EvalFile") {
		file := value
		if file == "" || file == "<empty>" {
			file = p.first
		}
		if err := p.load(file); err != nil {
			return fmt.Errorf("%w %s: %w", search.ErrOption, name, err)
		}
		return p.Engine.SetOption(name, value)
	}
	if term, phase := p.term(name); term >= 0 {
		return p.set(term, phase, name, value)
	}
	return p.Engine.SetOption(name, value)
}

// term returns the number of the term that an option names, -1 if it names none, and
// which of its values: onlyMG, onlyEG, or both where it is empty.
func (p *reweighed) term(name string) (term int, phase string) {
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

func (p *reweighed) set(term int, phase, name, value string) error {
	n, err := strconv.ParseInt(value, 10, 32)
	if err != nil {
		return fmt.Errorf("%w %s: %q is not a whole number of centipawns", search.ErrOption, name, value)
	}
	w := &p.weights[term]
	old := *w
	if phase != onlyEG {
		w.MG = int32(n)
	}
	if phase != onlyMG {
		w.EG = int32(n)
	}
	if err := p.model.Check(p.weights); err != nil {
		*w = old
		return fmt.Errorf("%w %s: %w", search.ErrOption, name, err)
	}
	p.changed, p.touched = p.changed || *w != old, true
	return nil
}

// NewGame implements engine.Player.
func (p *reweighed) NewGame(seed uint64) error {
	if p.changed {
		if err := p.Engine.SetOption("EvalFile", ""); err != nil {
			return err
		}
		p.changed = false
	}
	return p.Engine.NewGame(seed)
}

// ShowParameters has Options tell the parameters of the search.
func (p *reweighed) ShowParameters() bool {
	p.Tunable = true
	return true
}

// ShowParameters has a player's Options tell the parameters of its search, and says
// whether it has any.
func ShowParameters(p engine.Player) bool {
	s, ok := p.(interface{ ShowParameters() bool })
	return ok && s.ShowParameters()
}

// Reweigh returns the weights that the player of a specification has once options, of
// name and value each, are set; without a pedigree but their parent's id. It is nil where
// no option is a weight: for players without weights, or parameters of the search alone.
func Reweigh(spec string, options [][2]string) (*models.File, error) {
	p, err := Open(spec)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	own := p
	if l, ok := p.(*limited); ok {
		own = l.Player
	}
	r, ok := own.(*reweighed)
	if !ok {
		return nil, nil
	}
	parent := models.New(r.model, r.weights).ID()
	for _, o := range options {
		if err := r.SetOption(o[0], o[1]); err != nil {
			return nil, err
		}
	}
	if !r.touched {
		return nil, nil
	}
	f := models.New(r.model, r.weights)
	f.Provenance.Parent = parent
	return f, nil
}
