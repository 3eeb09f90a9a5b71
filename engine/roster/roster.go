// Package roster opens players by name. It has the only list of all players, and parses
// the specifications by which commands, configurations and result files name them.
//
// A specification is a name and settings, separated by colons:
//
//	assay
//	assay:weights=shannon-1950
//	assay:weights=runs/first/weights.json:nodes=5000:hash=1
//	shannon-a:moves=2
//
// A foreign engine is "uci:", settings, a command line and options of the engine:
//
//	uci:stockfish
//	uci:/usr/games/stockfish?Hash=16&Use NNUE=false
//	uci:nodes=5000:timeout=10s:gnuchess --uci
//	uci:'/my engines/new' --quiet?EvalFile=/nets/a b.nnue
//
// With history=full an engine gets all moves of a game; without it, those since the last capture
// or pawn move. With view=white its scores are from White's view. With sandbox=MB it runs in a sandbox with that much memory (engine/uci/sandbox).
//
// Settings are KEY=VALUE with the keys that Open lists. The command line starts after the
// last of them and may contain colons itself. Spaces separate its words, with quotes and
// backslashes as in a shell but without expansion. An unquoted ? ends it. The options
// follow, separated by &, each NAME=VALUE, or only NAME for a button. Names and values may
// contain spaces.
//
// A Source is git: in place of uci:, and a commit in place of the command line. It has to be
// built before it can be opened.
//
// The players are elsewhere: the modern engine in engine/search, the historic programs in
// engine/historic, the client for foreign engines in engine/uci.
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

// ErrUnknownPlayer is wrapped by Open's error if no player has the name.
var ErrUnknownPlayer = errors.New("no such player")

// entry is a player that can be opened.
type entry struct {
	name     string
	settings []string              // that it takes
	options  func(key string) bool // whether another setting is an option of the player; nil means none is
	weights  string                // default weights; empty if it has none
	open     func(*settings) (engine.Player, error)
	// identity returns the player's name in files. Players with the same identity play
	// the same moves.
	identity func(*settings) (string, error)
}

// entries returns all players but foreign engines.
func entries() []entry {
	return append([]entry{
		{"assay", []string{"weights", "hash", "nodes", "depth"}, search.IsParameter, models.Default, openAssay, identifyAssay},
	}, historicEntries()...)
}

// Names returns the names of all players but foreign engines.
func Names() []string {
	var names []string
	for _, e := range entries() {
		names = append(names, e.name)
	}
	return names
}

// Open opens a player by its specification NAME[:KEY=VALUE]... The keys of assay are
//
//	weights  weight file or name of embedded weights (default: assay)
//	hash     size of the transposition table in MiB (default: 16)
//	nodes    nodes per move; replaces the limits of each search
//	depth    plies per move, likewise
//
// and the parameters of its search by name (assay:ReverseMargin=90); assay uci --tunable
// lists them. Historic programs take nodes and depth, and their own options by name
// (shannon-a:moves=2).
//
// The specification of a foreign engine is uci:[KEY=VALUE:]...COMMAND[?OPTIONS] with the
// keys
//
//	nodes, depth  as above
//	timeout       timeout of a move beyond its limit (default: 2s; see uci.Command)
//	start         timeout of the start (default: 10s)
//
// Open checks that a foreign engine's program exists, but does not start it: see
// uci.Client.
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
	return s.limit(p), nil
}

// Identify returns the identity of a player, under which files record it. It has the id of
// the player's weights in place of their name, so it does not change when a file is
// renamed, and does when a file is changed. Foreign programs have their name and the first
// digits of their SHA-256.
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
	return id + s.optionsIdentity() + s.limits.String(), nil
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
	return newAssayPlayer(s.weights, s.hash)
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
