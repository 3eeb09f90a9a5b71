package selfplay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/machine"
)

// Openings proposes where games begin; opening.Spec.Open returns such.
type Openings interface {
	// Propose returns the candidate for the opening with the number at its nth try,
	// counted from 1. It depends on its arguments alone. An error means that there is no
	// such candidate, and ends the series there.
	Propose(number uint64, try int) (*board.Game, error)
}

// maxTries is how many candidates for one opening are tried before the series gives
// up with ErrNoOpening.
const maxTries = 1000

// maxCheckFaults is how often a player may fail in the checks of one opening. A candidate whose
// check fails is not played: one position that an engine cannot search must not end the series.
const maxCheckFaults = 10

// ErrNoOpening says that every candidate for an opening was unbalanced or had been
// played before.
var ErrNoOpening = errors.New("no fresh opening found")

// ErrVoid says that a game was void in all its attempts, so that the series cannot continue.
var ErrVoid = errors.New("a game was void in all attempts")

// ErrStop, returned by Series.Deliver, ends the series without an error. It is also the cause of the context of a
// Runner whose series ended by itself.
var ErrStop = errors.New("stop")

// Series plays numbered openings, PerOpening games of each, and delivers the games in
// the order of their numbers. No opening is played twice: a candidate whose position
// is the opening of a lower number is skipped. That is decided in the order of the
// numbers, so it is the same for any Runner.
//
// It runs a bounded number of openings ahead of the lowest one not yet delivered, which
// bounds its memory too.
type Series struct {
	Runner     Runner
	Openings   Openings
	Check      Check
	PerOpening int                   // games an opening: number n has games n*PerOpening + 0, 1, ...
	Job        func(game uint64) Job // the game with the number, without its opening
	First, End uint64                // numbers of openings, End not included
	Used       []uint64              // keys of the openings with numbers below First
	// games that are played already, by number; of no opening all games and one of them void
	Known    map[uint64]Result
	Finished func(game Result) error // called as each game ends, in any order; may be nil
	Failed   func(*Result)           // called with each void game and each with a fault, checks included; may be nil
	Repeats  bool                    // openings may repeat: none is skipped because it was played
	Attempts map[uint64]int          // how often the games of an opening were void and must be played again, by opening

	// Hold, if not nil, reports whether the games of an opening must wait until more
	// games with lower numbers are delivered, because Job needs their results. It is
	// called in the order of the numbers, again after each delivery.
	Hold func(opening uint64) bool

	// Deliver takes the games of one opening, in the order of the openings. All
	// functions of a Series are called from the goroutine that calls Run.
	Deliver func(number uint64, games []Result) error

	// Voided is called when all games of an opening have ended and one of them is void. They
	// are played again, from the same opening. It may be nil.
	Voided func(number uint64)
}

// SeriesReport says what a call of Run did to find openings, and how busy the machine was.
type SeriesReport struct {
	Checks   int64 // searches that checked a candidate
	Lopsided int64 // candidates whose score was too high
	Unscored int64 // candidates that were accepted because the search had no score
	Repeated int64 // candidates that had been played before

	Load machine.Load // see Runner
}

// Run plays the series to its end, to ErrStop or until ctx ends. It returns after
// everything it started has ended.
func (s *Series) Run(ctx context.Context) (SeriesReport, error) {
	if s.PerOpening < 1 {
		return SeriesReport{}, errors.New("a series needs at least one game an opening")
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r := &seriesRun{Series: s, next: s.First, resolved: s.First, end: s.End, used: make(map[uint64]bool, len(s.Used))}
	for _, key := range s.Used {
		r.used[key] = true
	}
	tasks, results := make(chan Task), make(chan Result)
	runner := make(chan error, 1)
	go func() { runner <- s.Runner.Run(ctx, tasks, results) }()
	err := r.loop(tasks, results, runner)
	cancel(ErrStop)
	if !r.runnerEnded {
		<-runner // games under way when the series ends do not count
	}
	r.report.Load = s.Runner.Load()
	if errors.Is(err, ErrStop) {
		err = nil
	}
	return r.report, err
}

// loop sends tasks to the runner and takes results, until everything is delivered.
func (r *seriesRun) loop(tasks chan<- Task, results <-chan Result, runner <-chan error) error {
	for {
		if err := r.advance(); err != nil {
			return err
		}
		if r.next >= r.end {
			return r.ending
		}
		var first Task
		var send chan<- Task
		if len(r.queue) > 0 {
			first, send = r.queue[0].Task, tasks
		}
		select {
		case send <- first:
			r.queue = r.queue[1:]
		case result := <-results:
			if err := r.take(result); err != nil {
				return err
			}
		case err := <-runner:
			r.runnerEnded = true
			if err == nil {
				err = errors.New("the runner ended before its tasks")
			}
			return err
		}
	}
}

type seriesRun struct {
	*Series
	next     uint64 // lowest opening not delivered
	resolved uint64 // lowest opening not yet settled
	end      uint64
	ending   error // why the series ends at end, if not because that was asked for
	open     []*unit
	used     map[uint64]bool // keys of settled openings
	queue    []queued        // the tasks that no worker has taken yet, in the order of their keys
	report   SeriesReport

	runnerEnded bool
}

// unit is an opening with its games.
type unit struct {
	number  uint64
	try     int
	checks  int         // how often its check was void
	faults  int         // how often the player failed in a check
	attempt int         // how often its games were void
	opening *board.Game // the candidate; nil before the first
	passed  bool        // the candidate's check
	known   bool        // an earlier process played the opening: nothing to check
	games   []Result
	missing int
}

// ahead is how many openings may be open at once: enough that no worker waits for a
// long game.
func (r *seriesRun) ahead() int { return 16 + 8*max(1, r.Runner.Parallel()) }

// advance opens units, settles their openings in order, and delivers whole units.
func (r *seriesRun) advance() error {
	for {
		for r.next+uint64(len(r.open)) < r.end && len(r.open) < r.ahead() {
			if err := r.begin(r.next + uint64(len(r.open))); err != nil {
				return err
			}
		}
		r.settle()
		if len(r.open) == 0 || r.resolved <= r.next || r.open[0].missing > 0 {
			return nil
		}
		u := r.open[0]
		r.open = r.open[1:]
		r.next++
		if err := r.Deliver(u.number, u.games); err != nil {
			return err
		}
	}
}

// begin opens the unit with the number and finds its first candidate.
func (r *seriesRun) begin(number uint64) error {
	u := &unit{number: number, attempt: r.Attempts[number], games: make([]Result, r.PerOpening), missing: r.PerOpening}
	r.open = append(r.open, u)
	for i := range u.games {
		game, ok := r.Known[number*uint64(r.PerOpening)+uint64(i)]
		if !ok {
			continue
		}
		opening, err := game.OpeningGame()
		if err != nil {
			return err
		}
		u.opening, u.known, u.passed = opening, true, true
		u.games[i] = game
		u.missing--
	}
	if !u.known {
		r.propose(u)
	}
	return nil
}

// propose moves the unit to its next candidate that is not known to be taken, and
// queues its check.
func (r *seriesRun) propose(u *unit) {
	for {
		u.try++
		if u.try > maxTries {
			r.endAt(u.number, fmt.Errorf("opening %d: %w in %d tries", u.number, ErrNoOpening, maxTries))
			return
		}
		candidate, err := r.Openings.Propose(u.number, u.try)
		if err != nil {
			r.endAt(u.number, err)
			return
		}
		u.opening, u.passed = candidate, r.Check.MaxScore <= 0
		if r.Repeats || !r.used[candidate.Position().Key()] {
			break
		}
		r.report.Repeated++
	}
	if !u.passed {
		r.check(u)
	}
}

// check queues the check of the unit's candidate.
func (r *seriesRun) check(u *unit) {
	r.insert(checks+u.number,
		&Probe{Number: u.number, Try: u.try, Attempt: u.checks, Check: &r.Check, Opening: u.opening})
}

// endAt makes the series end before the number, because it has no opening.
func (r *seriesRun) endAt(number uint64, why error) {
	if number >= r.end {
		return
	}
	r.end, r.ending = number, why
	r.open = r.open[:number-r.next]
	r.queue = slices.DeleteFunc(r.queue, func(t queued) bool {
		return t.key >= checks+number || t.key < checks && t.key >= number*uint64(r.PerOpening)
	})
}

// settle decides on openings in the order of their numbers, and queues their games.
func (r *seriesRun) settle() {
	for r.resolved < r.next+uint64(len(r.open)) {
		u := r.open[r.resolved-r.next]
		if !u.passed || r.Hold != nil && r.Hold(u.number) {
			return
		}
		key := u.opening.Position().Key()
		if r.used[key] && !u.known && !r.Repeats {
			r.report.Repeated++
			r.propose(u)
			continue
		}
		r.used[key] = true
		r.resolved++
		for i := range u.games {
			if _, ok := r.Known[u.number*uint64(r.PerOpening)+uint64(i)]; !ok {
				r.play(u, i)
			}
		}
	}
}

// play queues the unit's ith game.
func (r *seriesRun) play(u *unit, i int) {
	number := u.number*uint64(r.PerOpening) + uint64(i)
	job := r.Job(number)
	job.Number, job.Attempt = number, u.attempt
	job.setOpening(u.opening)
	r.insert(number, &job)
}

func (r *seriesRun) take(result Result) error {
	if r.Failed != nil && (result.Fault != "" || result.Void != "") {
		r.Failed(&result)
	}
	number := result.Number
	if result.Try == 0 {
		number /= uint64(r.PerOpening)
	}
	if number < r.next || number >= r.next+uint64(len(r.open)) {
		return nil // beyond the end: the series was cut short
	}
	u := r.open[number-r.next]
	if result.Try > 0 {
		return r.takeCheck(u, &result)
	}
	if r.Finished != nil {
		if err := r.Finished(result); err != nil {
			return err
		}
	}
	u.games[result.Number%uint64(r.PerOpening)] = result
	if u.missing--; u.missing > 0 {
		return nil
	}
	return r.replayVoid(u)
}

// replayVoid queues all games of the unit again if one of them is void. It waits until all
// have ended, so that a runner never has a game twice.
func (r *seriesRun) replayVoid(u *unit) error {
	at := slices.IndexFunc(u.games, func(g Result) bool { return g.Void != "" })
	if at < 0 {
		return nil
	}
	if r.Voided != nil {
		r.Voided(u.number)
	}
	if u.attempt++; u.attempt > maxAttempt {
		return fmt.Errorf("game %d: %w: %s", u.games[at].Number, ErrVoid, u.games[at].Void)
	}
	u.games, u.missing = make([]Result, r.PerOpening), r.PerOpening
	for i := range u.games {
		r.play(u, i)
	}
	return nil
}

func (r *seriesRun) takeCheck(u *unit, result *Result) error {
	if result.Void != "" {
		if u.checks++; u.checks > maxAttempt {
			return fmt.Errorf("check of opening %d by %s: %w: %s", u.number, r.Check.Player.Label(), ErrVoid, result.Void)
		}
		r.check(u)
		return nil
	}
	if result.Fault != "" {
		if u.faults++; u.faults < maxCheckFaults {
			r.propose(u)
			return nil
		}
		return fmt.Errorf("check of opening %d by %s: %s", u.number, r.Check.Player.Label(), result.Fault)
	}
	if len(result.Scores) <= result.Opening {
		return fmt.Errorf("opening %d is over before the first move: %s", u.number, result.Termination)
	}
	r.report.Checks++
	switch score := int(result.Scores[len(result.Scores)-1]); {
	case score == engine.NoScore: // refusing every candidate would never end
		r.report.Unscored++
	case max(score, -score) > r.Check.MaxScore:
		r.report.Lopsided++
		r.propose(u)
		return nil
	}
	u.passed = true
	return nil
}

// queued is a task with the number of its game, or checks + the number of its opening: games come before checks.
type queued struct {
	key uint64
	Task
}

const checks = 1 << 63

func (r *seriesRun) insert(key uint64, task Task) {
	at, _ := slices.BinarySearchFunc(r.queue, key, func(t queued, key uint64) int { return cmp.Compare(t.key, key) })
	r.queue = slices.Insert(r.queue, at, queued{key, task})
}
