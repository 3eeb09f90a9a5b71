package selfplay

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/machine"
)

// Runner does tasks, in any order and place: Local on this machine's cores, others on
// other machines. A Task contains all it needs and a Result names its task, so a runner
// knows nothing of series, data sets or matches.
type Runner interface {
	// Run does the tasks it receives and sends each result as its game ends, in any
	// order. When tasks is closed it sends the remaining results and returns nil; when
	// ctx ends it drops the games under way and returns ctx's error. Any other error
	// means that a task could not be done at all; a player's fault is not an error but
	// a result. When Run returns, all its goroutines have ended.
	Run(ctx context.Context, tasks <-chan Task, results chan<- Result) error
	// Parallel returns how many tasks are worth having under way at once.
	Parallel() int
	// Load returns the load of this machine during the last Run, zero if the games were not played here.
	Load() machine.Load
}

// Local plays games on this machine, one at a time in each of its workers. A worker
// opens the players that its jobs name and keeps them open for later games.
type Local struct {
	Open    Opener
	Workers int // 0: one a core

	// Cores, if there are any, are pinned to: the players of worker i run on core Cores[i] alone. There must be
	// one for each worker. The games stay the same.
	Cores []int

	load machine.Load
}

// One plays one job, with players that it opens and closes for it. The error says that the job could not be played at
// all.
func (l *Local) One(ctx context.Context, job *Job) (Result, error) {
	s := NewSlot(l.Open)
	defer func() { _ = s.Close() }() // the game is over
	return s.play(ctx, job)
}

// Slot plays one job at a time, and keeps the players open in between.
type Slot struct {
	open    Opener
	players map[string][]engine.Player // by spec; two where a player meets itself
	core    *int                       // that its players are pinned to, if any
	release func()                     // ends the slot's own pinning; nil: it is not pinned
}

// NewSlot returns a slot. Close it when done.
func NewSlot(open Opener) *Slot {
	return &Slot{open: open, players: map[string][]engine.Player{}}
}

// maxOpen is how many different players Slot.Play keeps open.
const maxOpen = 6

// Play plays a job. An error does not spoil the slot.
func (s *Slot) Play(ctx context.Context, job *Job) (Result, error) {
	if len(s.players) > maxOpen {
		_ = s.Close() // their games are over
	}
	return s.play(ctx, job)
}

// Load implements Runner.
func (l *Local) Load() machine.Load { return l.load }

var _ Runner = (*Local)(nil)

// Parallel returns the number of workers.
func (l *Local) Parallel() int {
	if l.Workers > 0 {
		return l.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// Run implements Runner.
func (l *Local) Run(ctx context.Context, tasks <-chan Task, results chan<- Result) error {
	if n := len(l.Cores); n > 0 && n < l.Parallel() {
		return fmt.Errorf("%w: %d cores to pin %d games to", ErrConfig, n, l.Parallel())
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	meter := machine.StartMeter()
	defer func() { l.load = meter.Stop() }()
	var wg sync.WaitGroup
	for i := range l.Parallel() {
		wg.Go(func() {
			s := NewSlot(l.Open)
			if len(l.Cores) > 0 {
				s.core = &l.Cores[i]
			}
			err := errors.Join(s.run(ctx, tasks, results), s.Close())
			if err != nil {
				cancel(err) // the first failure stops the others
			}
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

func (s *Slot) run(ctx context.Context, tasks <-chan Task, results chan<- Result) error {
	for {
		var task Task
		var ok bool
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case task, ok = <-tasks:
			if !ok {
				return nil
			}
		}
		result, err := s.play(ctx, task)
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case results <- result:
		}
	}
}

func (s *Slot) play(ctx context.Context, task Task) (Result, error) {
	job, try := task.Play()
	var players [2]engine.Player
	for side, spec := range job.Players {
		if spec.Name == "" {
			continue
		}
		p, err := s.player(spec, slot(job, side))
		if err != nil {
			return Result{}, fmt.Errorf("open player %q: %w", spec.Shown(), err)
		}
		players[side] = p
		if err := s.pin(p, try); err != nil {
			return Result{}, err
		}
	}
	result, err := playStalled(ctx, job, players)
	if err != nil {
		return Result{}, err
	}
	result.Try = try
	if loser, yes := result.Forfeited(); yes && !result.answered { // to start it again would take other games' time
		s.drop(job.Players[loser].String(), slot(job, int(loser)))
	}
	return result, nil
}

// maxReplays is how often a game is played again because of stalls.
const maxReplays = 2

// playStalled plays a game that is given up at a stall (see Result.Stalls) and played
// again with the same seed, at most twice. The last attempt is played to its end. The
// result has the stalls of all attempts: with three or more, the game itself had one.
//
// Whether a game is played again does not depend on how it goes.
func playStalled(ctx context.Context, job *Job, players [2]engine.Player) (Result, error) {
	var before [2]int
	for replays := 0; ; replays++ {
		result, err := Play(ctx, job, players, replays < maxReplays)
		for side, n := range before {
			result.Stalls[side] += n
		}
		if !errors.Is(err, errStalled) {
			return result, err
		}
		before = result.Stalls
	}
}

// slot returns which of a Slot's players of one spec plays the side.
func slot(job *Job, side int) int {
	if side == 1 && job.Players[0].String() == job.Players[1].String() {
		return 1
	}
	return 0
}

// player returns the slot's player for the spec, opening it at its first use.
func (s *Slot) player(spec engine.Spec, slot int) (engine.Player, error) {
	text := spec.String()
	for len(s.players[text]) <= slot {
		p, err := s.open(spec)
		if err != nil {
			return nil, err
		}
		s.players[text] = append(s.players[text], p)
	}
	return s.players[text][slot], nil
}

// pin pins the player's program to the slot's core, if it has one, or the slot itself for a player
// that searches in this process. A slot that waits for programs is better free: its goroutine then
// needs no thread of its own, to be woken up for each line. A player that checks openings pins nothing.
func (s *Slot) pin(p engine.Player, try int) (err error) {
	if s.core == nil {
		return nil
	}
	if f, ok := engine.As[engine.Pinner](p); ok {
		f.Pin(*s.core)
	} else if s.release == nil && try == 0 {
		s.release, err = machine.Pin(*s.core)
	}
	return err
}

// drop closes a player that failed, also one of a Pool; the next game opens another. An error of
// Close adds nothing to the fault.
func (s *Slot) drop(spec string, slot int) {
	list := s.players[spec]
	_ = discard(list[slot])
	s.players[spec] = append(list[:slot:slot], list[slot+1:]...)
}

// Close closes the players.
func (s *Slot) Close() error {
	if s.release != nil {
		defer s.release()
	}
	defer clear(s.players)
	var all error
	for spec, list := range s.players {
		for _, p := range list {
			if err := p.Close(); err != nil {
				all = errors.Join(all, fmt.Errorf("close player %q: %w", spec, err))
			}
		}
	}
	return all
}
