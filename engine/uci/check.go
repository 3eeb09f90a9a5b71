package uci

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/cores"
)

// Verdicts of a Finding.
const (
	checkPassed  = "passed"
	CheckWarning = "warning" // games can be played, but not as they should
	CheckFailed  = "failed"
	CheckSkipped = "skipped" // the engine lacks the option, or does not start
)

// CheckConfig says what Check does beyond the checks that every engine gets.
type CheckConfig struct {
	Clocks   []CheckClock // a game each
	Load     bool         // play the games once more beside a busy thread for each core
	Progress func(done, total int64, note string)
}

// CheckClock is a clock, and its name.
type CheckClock struct {
	Name            string
	Base, Increment time.Duration
	Moves           int // after which Base is added again; 0: never
}

// Finding is what one check found.
type Finding struct {
	Group    string `json:"group"`
	Check    string `json:"check"`
	Verdict  string `json:"verdict"`
	Text     string `json:"text"`
	Dialogue string `json:"dialogue,omitempty"` // of a check that did not pass: milliseconds, > to the engine, < from it
}

// CheckReport is what Check found, in the order of its checks.
type CheckReport struct {
	Name     string    `json:"name"` // as the engine says
	Author   string    `json:"author"`
	Findings []Finding `json:"findings"`
}

// Count returns the number of findings with the verdict.
func (r *CheckReport) Count(verdict string) (n int) {
	for _, f := range r.Findings {
		if f.Verdict == verdict {
			n++
		}
	}
	return n
}

// Check tries whether an engine keeps to the protocol and to its limits. Times are wall-clock times, so they should
// be taken on a machine with nothing else to do. An engine that crashes or hangs is started again for the next check.
// The error is that of a program that cannot be run, or of the context.
func Check(ctx context.Context, command Command, config CheckConfig) (*CheckReport, error) {
	k := &checker{ctx: ctx, command: NewClient(command).command, within: searchWithin, report: new(CheckReport)}
	return k.check(config)
}

func (k *checker) check(config CheckConfig) (*CheckReport, error) {
	steps := k.steps(config)
	for i, s := range steps {
		if config.Progress != nil {
			config.Progress(int64(i), int64(len(steps)), s.group+": "+s.name)
		}
		if err := k.run(s); err != nil {
			return nil, err
		}
	}
	if k.process != nil {
		k.process.kill()
	}
	return k.report, nil
}

// checker is a Check in progress.
type checker struct {
	ctx     context.Context
	command Command
	process *process // nil after it crashed or was killed
	options []option
	within  time.Duration // for a search that has a limit
	silent  int           // how often it did not answer; neverAnswers: no other check is made
	said    string        // the dialogue of a process that is gone
	report  *CheckReport
}

// neverAnswers is how often an engine may not answer before the check ends.
const neverAnswers = 3

// step is one check. It returns what was found; an error is a failure, unless it is a doubt or a lack.
type step struct {
	group, name string
	try         func(k *checker) (string, error)
}

// doubt is an error that is only a warning.
type doubt string

func (d doubt) Error() string { return string(d) }

// tooLate is an error of a time, which on a busy machine is a doubt.
type tooLate string

func (l tooLate) Error() string { return string(l) }

// lack is why a check does not apply.
type lack string

func (l lack) Error() string { return string(l) }

func (k *checker) run(s step) error {
	f := Finding{Group: s.group, Check: s.name, Verdict: checkPassed}
	k.said = ""
	if k.process != nil {
		k.process.log = conversation{}
	} else if err := k.start(); err != nil {
		return err
	}
	var text string
	var err error = lack("the engine does not answer")
	meter := cores.StartMeter()
	if k.silent < neverAnswers {
		if text, err = s.try(k); k.ctx.Err() != nil {
			meter.Stop()
			return context.Cause(k.ctx)
		}
	}
	var d doubt
	var l lack
	var t tooLate
	if load := meter.Stop(); errors.As(err, &t) && load.Busy() {
		err = doubt(fmt.Sprintf("%v; machine busy: %v", t, load))
	}
	switch f.Text = text; {
	case err == nil:
	case errors.As(err, &l):
		f.Verdict, f.Text = CheckSkipped, err.Error()
	case errors.As(err, &d):
		f.Verdict, f.Text = CheckWarning, err.Error()
	default:
		f.Verdict, f.Text = CheckFailed, err.Error()
	}
	if f.Verdict == CheckWarning || f.Verdict == CheckFailed {
		if f.Dialogue = k.said; k.process != nil {
			f.Dialogue = k.process.log.text()
		}
		f.Dialogue = strings.ToValidUTF8(f.Dialogue, "?")
	}
	k.report.Findings = append(k.report.Findings, f)
	if f.Verdict == CheckFailed && k.process != nil {
		k.end() // the next check begins afresh
	}
	return nil
}

// start runs the program. All but the first time it also awaits uciok.
func (k *checker) start() (err error) {
	k.process, err = startProcess(&k.command, anyCore, nil)
	if err != nil || len(k.report.Findings) == 0 || k.silent >= neverAnswers {
		return err
	}
	if _, err := k.ask("uci", "uciok", k.command.StartTimeout, nil); err != nil {
		k.silent = neverAnswers
	}
	return nil
}

// end kills the program and keeps the dialogue.
func (k *checker) end() exit {
	p := k.process
	k.process = nil
	e := p.kill()
	k.said = p.log.text()
	return e
}

// say sends a command.
func (k *checker) say(text string) error {
	if k.process == nil {
		return errEnded
	}
	if err := k.process.write([]byte(text+"\n"), k.command.StartTimeout); err != nil {
		exit := k.end()
		return fmt.Errorf("%s%s", exit.how(), exit.lastWords())
	}
	return nil
}

// ask sends commands and reads lines until one begins with the word. It returns how long that took. An engine that
// does not answer is killed.
func (k *checker) ask(text, word string, within time.Duration, each func(line []byte)) (time.Duration, error) {
	started := time.Now()
	if err := k.say(text); err != nil {
		return 0, err
	}
	heard, err := k.listen(word, within, each)
	took := time.Since(started)
	switch {
	case err != nil:
		exit := k.end()
		return took, fmt.Errorf("no %s: %s%s", word, exit.how(), exit.lastWords())
	case !heard:
		k.silent++
		exit := k.end()
		return took, fmt.Errorf("no %s within %v%s", word, within, exit.lastWords())
	}
	return took, nil
}

// listen reads lines until one begins with the word, which it reports, or the time is over. The error is that of a
// program that has ended.
func (k *checker) listen(word string, within time.Duration, each func(line []byte)) (bool, error) {
	p := k.process
	p.beginWait()
	defer p.watch.Stop()
	p.readUntil(k.ctx, time.Now().Add(within))
	for {
		line, err := p.next()
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return false, nil
		} else if err != nil {
			return false, err
		}
		if each != nil {
			each(line)
		}
		if first, _ := nextWord(line); bytes.EqualFold(first, []byte(word)) {
			return true, nil
		}
	}
}

// ready awaits readyok.
func (k *checker) ready() (time.Duration, error) {
	return k.ask("isready", "readyok", k.command.StartTimeout, nil)
}

// option returns an announced option, or nil.
func (k *checker) option(name string) *option { return (&Client{options: k.options}).findOption(name) }

// heard is what an engine said in one search.
type heard struct {
	position board.Position
	word     string // of bestmove
	took     time.Duration
	infos    int
	scored   bool
	last     engine.Info // the last one with a score
	nodes    uint64
	fault    string // of the first wrong variation
}

// hear takes a line.
func (s *heard) hear(line []byte) {
	word, rest := nextWord(line)
	switch strings.ToLower(string(word)) {
	case "bestmove":
		move, _ := nextWord(rest)
		s.word = string(move)
	case "info":
		i, scored, pv := parseInfo(rest)
		s.infos++
		s.scored, s.nodes = s.scored || scored, max(s.nodes, i.Nodes)
		if !scored {
			return
		}
		i.PV = (&answer{position: s.position}).line(pv)
		if words := bytes.Fields(pv); len(words) > len(i.PV) && len(i.PV) < maxPV && s.fault == "" {
			s.fault = fmt.Sprintf("move %d of a variation is not legal: %s", len(i.PV)+1, clip(string(words[len(i.PV)])))
		}
		s.last = i
	}
}

// begin sets up a position, "startpos" or a FEN, perhaps with " moves ...", without a search.
func (k *checker) begin(setup string) (*heard, error) {
	words := "position fen " + setup
	if strings.HasPrefix(setup, "startpos") {
		words = "position " + setup
	}
	game, err := parsePosition(strings.Fields(words)[1:])
	if err != nil {
		return nil, err
	}
	return &heard{position: *game.Position()}, k.say(words)
}

// searchWithin bounds a search that has a limit, however slow the machine is.
const searchWithin = 10 * time.Second

// search sets up a position and searches it. The move and all variations must be legal.
func (k *checker) search(setup, limit string) (*heard, error) {
	s, err := k.begin(setup)
	if err != nil {
		return nil, err
	}
	if s.took, err = k.ask("go "+limit, "bestmove", k.within, s.hear); err != nil {
		return s, err
	}
	return s, s.check()
}

// check returns what is wrong with the answer, if the position has legal moves.
func (s *heard) check() error {
	if s.position.CountLegal() == 0 {
		return nil
	}
	if _, err := s.position.ParseUCI(strings.ToLower(s.word)); err != nil {
		return fmt.Errorf("bestmove %s is not a legal move", clip(s.word))
	}
	if s.fault != "" {
		return errors.New(s.fault)
	}
	return nil
}

// spin keeps every core busy until it is stopped.
func spin() (stop func()) {
	var stopped atomic.Bool
	for range runtime.GOMAXPROCS(0) {
		go func() {
			for !stopped.Load() {
			}
		}()
	}
	return func() { stopped.Store(true) }
}

// ends awaits the end of a program that was asked to end.
func (k *checker) ends(within time.Duration) (string, error) {
	started := time.Now()
	_, err := k.listen("\x00", within, nil)
	took := time.Since(started).Round(time.Millisecond)
	exit := k.end()
	switch {
	case !errors.Is(err, io.EOF):
		return "", fmt.Errorf("it still runs after %v", within)
	case exit.state != nil && !exit.state.Success():
		return "", doubt(exit.how() + exit.lastWords())
	}
	return fmt.Sprintf("ended after %v", took), nil
}
