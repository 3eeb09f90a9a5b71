// Package roster opens players by name. It has the only list of all players, and the syntax by which commands and
// configurations name them. No promise of stability.
//
// A specification is a name and settings, separated by colons:
//
//	assay
//	assay:weights=shannon-1950
//	assay:weights=runs/first/weights.json:nodes=5000:hash=1
//	shannon-a:moves=2
//
// An external engine is "uci:", settings, a command line and options of the engine:
//
//	uci:stockfish
//	uci:/usr/games/stockfish?Hash=16&Use NNUE=false
//	uci:nodes=5000:timeout=10s:gnuchess --uci
//	uci:'/my engines/new' --quiet?EvalFile=/nets/a b.nnue
//
// With history=full an engine gets all moves of a game; without it, those since the last capture or pawn move. With
// view=white its scores are from White's view.
//
// The command line starts after the last of the settings and may contain colons itself. Spaces separate its words,
// with quotes and backslashes as in a shell but without expansion. An unquoted ? ends it. The options follow,
// separated by &, each NAME=VALUE, or only NAME for a button. Names and values may contain spaces.
//
// git: in place of uci:, and a commit in place of the command line, name an engine that must be built before it can
// be opened.
//
// The players are elsewhere: the modern engine in engine/search, the historic programs in internal/historic, the
// client for external engines in engine/uci.
//
// Start reading at Parse and Open.
package roster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/search"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/internal/historic/programs"
	"github.com/assay-chess/assay/models"
)

// ErrUnknownPlayer is wrapped by Parse's and Open's error if no player has the name.
var ErrUnknownPlayer = errors.New("no such player")

// ErrSetting is wrapped by errors about settings that a player does not have.
var ErrSetting = errors.New("not a setting")

// entries returns all players but external engines. The modern engine has no Open.
func entries() []programs.Program {
	return append([]programs.Program{{Name: "assay", Weights: models.Default}}, programs.All()...)
}

// Names returns the names of all players but external engines.
func Names() []string {
	var names []string
	for _, e := range entries() {
		names = append(names, e.Name)
	}
	return names
}

func known(name string) (programs.Program, bool) {
	all := entries()
	i := slices.IndexFunc(all, func(e programs.Program) bool { return e.Name == name })
	if i < 0 {
		return programs.Program{}, false
	}
	return all[i], true
}

// Parse parses the specification of a player that exists: NAME[:KEY=VALUE]... The keys of assay are
//
//	name     name for people (default: the specification)
//	weights  weight file or name of embedded weights (default: assay)
//	hash     size of the transposition table in MiB (default: 16)
//	nodes    nodes per move; replaces the nodes and the depth of each search
//	depth    plies per move, likewise
//
// and the parameters of its search by name (assay:ReverseMargin=90); assay uci --tunable lists them. Historic
// programs take nodes and depth, some take weights, and their own options by name (shannon-a:moves=2).
//
// The specification of an external engine is uci:[KEY=VALUE:]...COMMAND[?OPTIONS] with the keys
//
//	name, nodes, depth    as above
//	timeout               timeout of a move beyond its limit (default: uci.DefaultMoveTimeout)
//	start                 timeout of the start (default: uci.DefaultStartTimeout)
//	history, view         see above
func Parse(text string) (engine.Spec, error) {
	spec, err := engine.ParseSpec(text)
	if spec.External() || spec.FromGit() {
		return spec, err
	}
	e, unknown := find(spec.Name)
	if errors.Is(err, engine.ErrSetting) {
		err = fmt.Errorf("%w (there are: %s)", err, settings(e))
	}
	if unknown != nil || err != nil {
		return spec, cmp.Or(unknown, err)
	}
	return spec, check(e, spec)
}

// check reports settings that the player does not have.
func check(e programs.Program, spec engine.Spec) error {
	wrong := ""
	if spec.Weights != "" && e.Weights == "" {
		wrong = "weights=" + spec.Weights
	}
	for _, o := range spec.Options {
		if e.Open == nil && !isAssayOption(o.Name) { // only setting it shows what options a historic program has
			wrong = o.Name + "=" + o.Value
		}
	}
	if wrong == "" {
		return nil
	}
	return fmt.Errorf("player %q: %q is %w of %s (there are: %s)", spec.Shown(), wrong, ErrSetting, e.Name, settings(e))
}

// settings lists the settings for an error message.
func settings(e programs.Program) string {
	switch {
	case e.Name == "assay":
		return "weights=, hash=, nodes=, depth=, and the parameters of its search"
	case e.Weights != "":
		return "weights=, nodes=, depth="
	}
	return "nodes=, depth="
}

// Open opens a player. It checks that an external engine's program exists, but does not start it: see uci.Client.
func Open(spec engine.Spec) (engine.Player, error) {
	p, err := open(spec)
	if errors.Is(err, ErrUnknownPlayer) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("player %q: %w", spec.Shown(), err)
	}
	return limit(p, spec), nil
}

func open(spec engine.Spec) (engine.Player, error) {
	if spec.External() {
		return openForeign(spec)
	}
	e, err := find(spec.Name)
	if err != nil {
		return nil, err
	}
	var p engine.Player
	if e.Open == nil {
		p, err = openAssay(spec)
	} else {
		p, err = e.Open(func(name string) (eval.Weights, error) {
			m, w, err := loadWeights(cmp.Or(name, WeightsName(spec)))
			return eval.Weights{Model: m, Coefs: w}, err
		})
	}
	if err != nil {
		return nil, err
	}
	for _, o := range spec.Options {
		if isHash(spec, o) {
			continue
		}
		if err := p.SetOption(o.Name, o.Value); err != nil {
			return nil, errors.Join(err, p.Close())
		}
	}
	return p, nil
}

// Identify returns the identity of a player, under which files record it. Players with the same identity play the
// same moves. It has the id of the player's weights in place of their name, so it does not change when a file is
// renamed, and does when a file is changed. Foreign programs have their name and the first digits of their SHA-256;
// same is the identity without the names of files.
func Identify(spec engine.Spec) (id, same string, err error) {
	if spec.External() {
		id, err = identifyForeign(spec, identifyFile)
	} else {
		id, err = identify(spec)
	}
	same = id
	if err == nil && spec.External() {
		same, err = identifyForeign(spec, identifyContent)
	}
	if err != nil && !errors.Is(err, ErrUnknownPlayer) {
		err = fmt.Errorf("player %q: %w", spec.Shown(), err)
	}
	return id, same, err
}

func identify(spec engine.Spec) (string, error) {
	if _, err := find(spec.Name); err != nil {
		return "", err
	}
	id := spec.Name
	if name := WeightsName(spec); name != "" {
		f, err := models.Open(name)
		if err != nil {
			return "", err
		}
		id += ":weights=" + f.ID()
	}
	hash, err := hashOf(spec)
	if err != nil {
		return "", err
	}
	if hash != search.DefaultHashMB {
		id += fmt.Sprintf(":hash=%d", hash)
	}
	options := slices.Clone(spec.Options)
	slices.SortStableFunc(options, func(a, b engine.Option) int { return strings.Compare(a.Name, b.Name) })
	for _, o := range options {
		if !isHash(spec, o) {
			id += ":" + o.Name + "=" + o.Value
		}
	}
	return id + spec.LimitsText(), nil
}

func find(name string) (programs.Program, error) {
	if e, ok := known(name); ok {
		return e, nil
	}
	hint := ""
	if _, err := models.Embedded(name); err == nil {
		hint = fmt.Sprintf("; %s are weights: assay:weights=%s", name, name)
	} else if _, err := exec.LookPath(name); err == nil {
		hint = fmt.Sprintf("; %s is a program: uci:%s", name, name)
	}
	return programs.Program{}, fmt.Errorf("%w: %q (there are: %s, uci:COMMAND%s)", ErrUnknownPlayer, name,
		strings.Join(Names(), ", "), hint)
}

// WeightsName returns the file or embedded name of a player's weights; empty for a player without weights.
func WeightsName(spec engine.Spec) string {
	e, ok := known(spec.Name)
	if !ok || e.Weights == "" || spec.Weights != "" {
		return spec.Weights
	}
	return e.Weights
}

func loadWeights(name string) (*eval.Model, []eval.Coef, error) {
	f, err := models.Open(name)
	if err != nil {
		return nil, nil, err
	}
	return f.Weights()
}

// WeightsWithOptions returns the weights of a player after options have been set, beside those of its specification.
// Their provenance has only the id of the weights before. The result is nil if no option sets a weight, because the
// player has none or all options are others.
func WeightsWithOptions(spec engine.Spec, options []engine.Option) (*models.File, error) {
	name := WeightsName(spec)
	if name == "" {
		return nil, nil
	}
	m, w, err := loadWeights(name)
	if err != nil {
		return nil, err
	}
	parent, touched := "", false
	for i, o := range slices.Concat(spec.Options, options) {
		if i == len(spec.Options) {
			parent = models.New(m, w).ID()
		}
		next, ok, err := m.SetWeight(w, o.Name, o.Value)
		if err != nil {
			return nil, err
		}
		w, touched = next, touched || ok && i >= len(spec.Options)
	}
	if !touched {
		return nil, nil
	}
	f := models.New(m, w)
	f.Provenance.Parent = parent
	return f, nil
}

// OwnDepth is a limit in plies beyond the own depth of every historic program.
const OwnDepth = 40

// WithOwnDepth returns a historic program with a limit of OwnDepth plies: it then searches to its own depth, whatever
// the limits of a search are. Other players, and those with nodes= or depth=, are returned unchanged.
func WithOwnDepth(spec engine.Spec) engine.Spec {
	if IsHistoric(spec) && spec.Nodes == 0 && spec.Depth == 0 {
		spec.Depth = OwnDepth
	}
	return spec
}

// IsHistoric reports whether the player is a historic program. Such a program searches to its own depth unless a
// limit ends the search.
func IsHistoric(spec engine.Spec) bool {
	return slices.ContainsFunc(programs.All(), func(e programs.Program) bool { return e.Name == spec.Name })
}

// limit returns the player with the limits of its specification, or as it is if there are none.
func limit(p engine.Player, spec engine.Spec) engine.Player {
	if spec.Nodes == 0 && spec.Depth == 0 {
		return p
	}
	return &limited{p, spec.Nodes, spec.Depth}
}

// limited is a player with its own limits.
type limited struct {
	engine.Player
	nodes uint64
	depth int
}

// Search replaces the caller's limits in nodes and depth, but not whether nodes are exact. The clock stays: the player
// can lose on time.
func (p *limited) Search(ctx context.Context, game *board.Game, lim engine.Limits) (engine.Result, error) {
	lim.Nodes, lim.Depth = p.nodes, p.depth
	return p.Player.Search(ctx, game, lim)
}

// Unwrap implements engine.Wrapper.
func (p *limited) Unwrap() engine.Player { return p.Player }
