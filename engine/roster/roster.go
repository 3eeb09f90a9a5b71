// Package roster finds players by name: the one list of all players in the program,
// and the language in which commands, configurations and result files name them.
//
// A specification is a name and settings, divided by colons:
//
//	assay
//	assay:weights=shannon-1950
//	assay:weights=runs/first/weights.json:nodes=5000:hash=1
//	shannon-a:moves=2
//
// A foreign engine is a command, perhaps with settings before it and options of the
// engine behind it:
//
//	uci:stockfish
//	uci:/usr/games/stockfish?Hash=16&Use NNUE=false
//	uci:nodes=5000:timeout=10s:gnuchess --uci
//	uci:'/engines of mine/new' --quiet?EvalFile=/nets/a b.nnue
//
// Colons divide only as long as what stands before them is KEY=VALUE with one of the
// keys that Open lists; the first that is not begins the command, which may hold any
// number of them. The command is divided into words at blanks, with quotes and
// backslashes as in a shell but without expansion. An unquoted ? ends it; options follow,
// divided by &, each NAME=VALUE, or NAME alone for a button. Names and values may hold
// blanks.
//
// It holds no player itself: see engine/search for the modern engine, engine/historic for
// the programs of the papers, and engine/uci for the client that speaks to foreign ones.
//
// Start reading at Open.
package roster

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/search"
	"github.com/assay-chess/assay/models"
)

// ErrUnknownPlayer is wrapped by Open's error where the name is in no list.
var ErrUnknownPlayer = errors.New("no such player")

// entry is a player that can be opened.
type entry struct {
	name     string
	settings []string              // that it takes
	options  func(key string) bool // whether another setting is an option of the player; nil: none is
	weights  string                // that it plays by unless told otherwise
	open     func(*settings) (engine.Player, error)
	// identity names the player in files: the same name plays the same moves.
	identity func(*settings) (string, error)
}

// entries is the roster.
func entries() []entry {
	return append([]entry{
		{"assay", []string{"weights", "hash", "nodes", "depth"}, search.IsParameter, models.Default, openAssay, identifyAssay},
	}, historicEntries()...)
}

// Names returns the names of all players but the foreign ones.
func Names() []string {
	var names []string
	for _, e := range entries() {
		names = append(names, e.name)
	}
	return names
}

// Open returns a new player by its specification: NAME[:KEY=VALUE]..., with the keys
//
//	weights  weight file or name of embedded weights (default: assay)
//	hash     size of the transposition table in megabytes (default: 16)
//	nodes    nodes a move, whatever limits its searches are given
//	depth    plies a move, likewise
//
// and the parameters of its search by name (assay:ReverseMargin=90; search.Parameters).
// Of the keys the programs of the papers take nodes and depth, and beside them their own
// options by name (shannon-a:moves=2).
//
// A foreign engine is opened by uci:[KEY=VALUE:]...COMMAND[?OPTIONS], with the keys
//
//	nodes, depth  as above
//	timeout       time for a move beyond its limit (default: 2s; see uci.Command)
//	start         time to be ready (default: 10s)
//
// A foreign engine is looked for, but not started: see uci.Client.
func Open(spec string) (engine.Player, error) {
	if Foreign(spec) {
		return openForeign(spec)
	}
	e, s, err := parse(spec)
	if err != nil {
		return nil, err
	}
	p, err := e.open(s)
	if err != nil {
		return nil, fmt.Errorf("player %q: %w", spec, err)
	}
	if err := s.apply(p); err != nil {
		return nil, fmt.Errorf("player %q: %w", spec, err)
	}
	if s.nodes > 0 || s.depth > 0 {
		p = &limited{Player: p, nodes: s.nodes, depth: s.depth}
	}
	return p, nil
}

// Identify returns the name under which files record the player of a specification.
// Weights are told by their id, so that a file renamed stays who it was and a file
// changed does not; foreign programs by their name and the beginning of their SHA-256.
func Identify(spec string) (string, error) {
	if Foreign(spec) {
		return identifyForeign(spec)
	}
	e, s, err := parse(spec)
	if err != nil {
		return "", err
	}
	id, err := e.identity(s)
	if err != nil {
		return "", fmt.Errorf("player %q: %w", spec, err)
	}
	id += s.optionsIdentity()
	if s.nodes > 0 {
		id += fmt.Sprintf(":nodes=%d", s.nodes)
	}
	if s.depth > 0 {
		id += fmt.Sprintf(":depth=%d", s.depth)
	}
	return id, nil
}

func find(name string) (entry, error) {
	for _, e := range entries() {
		if e.name == name {
			return e, nil
		}
	}
	hint := ""
	if _, err := models.Embedded(name); err == nil {
		hint = fmt.Sprintf("; %s are weights: assay:weights=%s", name, name)
	} else if _, err := exec.LookPath(name); err == nil {
		hint = fmt.Sprintf("; %s is a program: uci:%s", name, name)
	}
	return entry{}, fmt.Errorf("%w: %q (there are: %s, uci:COMMAND%s)", ErrUnknownPlayer, name, strings.Join(Names(), ", "), hint)
}

func openAssay(s *settings) (engine.Player, error) {
	return newReweighed(s.weights, s.hash)
}

func identifyAssay(s *settings) (string, error) {
	f, err := models.Open(s.weights)
	if err != nil {
		return "", err
	}
	id := "assay:weights=" + f.ID()
	if s.hash != search.DefaultHashMB {
		id += fmt.Sprintf(":hash=%d", s.hash)
	}
	return id, nil
}
