package selfplay

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/assay-chess/assay/engine"
)

// Player is a player that takes part in games, and its names.
type Player struct {
	Spec engine.Spec
	ID   string // in files; players of the same ID play the same moves. Empty: the text of Spec
	Name string // for people, in reports, results and PGN. Empty: ID
	Same string // equal for copies of one program with the same settings, whatever their files are called. Empty: ID

	Options []engine.Option // set before each game; ID must contain them
}

// Identity returns the ID, or what stands for it.
func (p Player) Identity() string { return cmp.Or(p.ID, p.Spec.String()) }

// IsSame reports whether the players are the same program with the same settings and options.
func (p Player) IsSame(other Player) bool {
	return cmp.Or(p.Same, p.Identity()) == cmp.Or(other.Same, other.Identity()) && slices.Equal(p.Options, other.Options)
}

// Label returns the Name, or what stands for it.
func (p Player) Label() string { return cmp.Or(p.Name, p.Identity()) }

// Ignores says that a program searched far less than its limit of nodes, as one does that does not know "go nodes";
// mean is over its searches. It is empty where all is well.
func (p Player) Ignores(l Limits, mean float64) string {
	ends := p.Spec.Nodes != 0 || p.Spec.Depth != 0 || l.Depth != 0 || !l.Deterministic() // by something else
	if !p.Spec.External() && !p.Spec.FromGit() || ends || mean == 0 || mean > float64(l.Nodes)/10 {
		return ""
	}
	return fmt.Sprintf("%s searched %.0f nodes a ply, and its limit is %d: it does not seem to know \"go nodes\"; "+
		"limit its time instead", p.Label(), mean, l.Nodes)
}

// Opener opens players.
type Opener func(spec engine.Spec) (engine.Player, error)

// Pool opens players, and keeps those with a program of their own when they are closed, so that
// what the check of a player and the preflight have started plays the games, too. Who takes such
// a player must call NewGame before it searches. A Pool may be used by several goroutines.
type Pool struct {
	open Opener

	mu     sync.Mutex
	idle   map[string][]engine.Player // by spec
	closed bool
}

// NewPool returns an empty pool of players that open opens.
func NewPool(open Opener) *Pool {
	return &Pool{open: open, idle: map[string][]engine.Player{}}
}

// Open is an Opener. It returns an idle player of the spec, if there is one, or else opens one.
// To close the player makes it idle, until the pool is closed.
func (p *Pool) Open(spec engine.Spec) (engine.Player, error) {
	text := spec.String()
	if player := p.take(text); player != nil {
		return &lent{Player: player, pool: p, spec: text}, nil
	}
	player, err := p.open(spec)
	if err != nil {
		return nil, err
	}
	if _, starts := engine.As[engine.Starter](player); !starts {
		return player, nil // nothing to start is nothing to save
	}
	return &lent{Player: player, pool: p, spec: text}, nil
}

func (p *Pool) take(spec string) engine.Player {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.idle[spec]
	if len(list) == 0 {
		return nil
	}
	last := len(list) - 1
	player := list[last]
	p.idle[spec] = list[:last]
	return player
}

// keep makes a player idle. It returns false if the pool is closed.
func (p *Pool) keep(spec string, player engine.Player) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.idle[spec] = append(p.idle[spec], player)
	return true
}

// Close closes the idle players, all at once: a program may take its time to quit. Players that
// are in use are closed when their users close them, and the pool opens others as before.
func (p *Pool) Close() error {
	p.mu.Lock()
	idle := p.idle
	p.idle, p.closed = map[string][]engine.Player{}, true
	p.mu.Unlock()
	var players []engine.Player
	for _, list := range idle {
		players = append(players, list...)
	}
	failed := make([]error, len(players))
	var wg sync.WaitGroup
	for i, player := range players {
		wg.Go(func() { failed[i] = player.Close() })
	}
	wg.Wait()
	return errors.Join(failed...)
}

// lent is a player of a pool in use.
type lent struct {
	engine.Player
	pool *Pool
	spec string
}

// Unwrap implements engine.Wrapper.
func (l *lent) Unwrap() engine.Player { return l.Player }

// Close gives the player back.
func (l *lent) Close() error {
	if l.pool.keep(l.spec, l.Player) {
		return nil
	}
	return l.Player.Close()
}

// discard closes a player that must not be used again.
func discard(p engine.Player) error {
	if l, ok := p.(*lent); ok {
		p = l.Player
	}
	return p.Close()
}
