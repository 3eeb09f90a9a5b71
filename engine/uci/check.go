package uci

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/machine"
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
// It fails if the program cannot be run, or with the context.
func Check(ctx context.Context, command Command, config CheckConfig) (*CheckReport, error) {
	k := &checker{ctx: ctx, command: NewClient(command).command, within: searchWithin, report: new(CheckReport)}
	return k.check(steps(config), config.Progress)
}

func (k *checker) check(steps []step, progress func(done, total int64, note string)) (*CheckReport, error) {
	defer func() {
		if k.process != nil {
			k.process.kill()
		}
	}()
	for i, s := range steps {
		if progress != nil {
			progress(int64(i), int64(len(steps)), s.group+": "+s.name)
		}
		if err := k.run(s); err != nil {
			return nil, err
		}
	}
	return k.report, nil
}

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

// step is one check. It returns what was found, or panics with a fault.
type step struct {
	group, name string
	try         func(k *checker) string
}

// fault ends a check that does not pass.
type fault struct {
	verdict, text string
	late          bool // it is a time, which a busy machine excuses
}

func fail(format string, values ...any) {
	panic(fault{CheckFailed, fmt.Sprintf(format, values...), false})
}
func warn(format string, values ...any) {
	panic(fault{CheckWarning, fmt.Sprintf(format, values...), false})
}
func skip(why string)     { panic(fault{CheckSkipped, why, false}) }
func tooLate(text string) { panic(fault{CheckFailed, text, true}) }

// try returns what the step finds.
func (k *checker) try(s step) (found fault) {
	if k.silent >= neverAnswers {
		return fault{verdict: CheckSkipped, text: "the engine does not answer"}
	}
	defer func() {
		switch f := recover().(type) {
		case nil:
		case fault:
			found = f
		default:
			panic(f)
		}
	}()
	return fault{verdict: checkPassed, text: s.try(k)}
}

func (k *checker) run(s step) error {
	k.said = ""
	if k.process != nil {
		k.process.log = conversation{}
	} else if err := k.start(); err != nil {
		return err
	}
	meter := machine.StartMeter()
	found := k.try(s)
	load := meter.Stop()
	if k.ctx.Err() != nil {
		return context.Cause(k.ctx)
	}
	if found.late && load.Busy() {
		found.verdict, found.text = CheckWarning, fmt.Sprintf("%s; machine busy: %v", found.text, load)
	}
	f := Finding{Group: s.group, Check: s.name, Verdict: found.verdict, Text: found.text}
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
	k.process, err = startProcess(&k.command, anyCore)
	if err != nil || len(k.report.Findings) == 0 || k.silent >= neverAnswers {
		return err
	}
	if k.try(step{try: func(k *checker) string { return k.syncs("uci", "uciok") + k.configure() }}).verdict != checkPassed {
		k.silent = neverAnswers
	}
	return nil
}

// configure sets the options of the command, as a Client does.
func (k *checker) configure() string {
	c, set := &Client{options: k.options}, []byte(nil)
	for _, o := range k.command.Options {
		has, value, err := c.checkOption(o.Name, o.Value)
		if err != nil {
			fail("%v", err)
		}
		set = c.appendOption(set, has, value)
	}
	if len(set) == 0 {
		return ""
	}
	return k.syncs(string(set)+"isready", "readyok")
}

// end kills the program and keeps the dialogue.
func (k *checker) end() exit {
	p := k.process
	k.process = nil
	e := p.kill()
	k.said = p.log.text()
	return e
}

func (k *checker) say(text string) {
	if k.process == nil {
		fail("%v", errEnded)
	}
	if k.process.write([]byte(text+"\n"), k.command.StartTimeout) != nil {
		exit := k.end()
		fail("%s%s", exit.how(), exit.lastWords())
	}
}

// ask sends commands and reads lines until one begins with the word. It returns how long that took. An engine that
// does not answer is killed.
func (k *checker) ask(text, word string, within time.Duration, each func(line []byte)) time.Duration {
	started := time.Now()
	k.say(text)
	err := k.process.listen(k.ctx, word, within, each)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		k.silent++
		exit := k.end()
		fail("no %s within %v%s", word, within, exit.lastWords())
	} else if err != nil {
		exit := k.end()
		fail("no %s: %s%s", word, exit.how(), exit.lastWords())
	}
	return time.Since(started)
}

// syncs asks for a word that must come before a timeout, and says after how long it came.
func (k *checker) syncs(text, word string) string {
	return fmt.Sprintf("after %v", k.ask(text, word, k.command.StartTimeout, nil).Round(time.Millisecond))
}

// needs returns an announced option, without which the check is skipped.
func (k *checker) needs(name string) *option {
	o := (&Client{options: k.options}).findOption(name)
	if o == nil {
		skip("it has no option " + name)
	}
	return o
}

// heard is what an engine said in one search.
type heard struct {
	position board.Position
	word     string // of bestmove
	took     time.Duration
	infos    int
	scored   bool
	last     engine.Info // the last one with a score
	nodes    uint64
	illegal  string // the first move of a variation that is not legal
}

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
		if words := bytes.Fields(pv); len(words) > len(i.PV) && len(i.PV) < maxPV && s.illegal == "" {
			s.illegal = fmt.Sprintf("move %d of a variation is not legal: %s", len(i.PV)+1, clip(string(words[len(i.PV)])))
		}
		s.last = i
	}
}

// begin sets up a position, "startpos" or a FEN, perhaps with " moves ...", without a search.
func (k *checker) begin(setup string) *heard {
	words := "position fen " + setup
	if strings.HasPrefix(setup, "startpos") {
		words = "position " + setup
	}
	game, err := parsePosition(strings.Fields(words)[1:])
	if err != nil {
		fail("%v", err)
	}
	k.say(words)
	return &heard{position: *game.Position()}
}

// searchWithin bounds a search that has a limit, however slow the machine is.
const searchWithin = 10 * time.Second

// search sets up a position and searches it. The move and all variations must be legal.
func (k *checker) search(setup, limit string) *heard {
	s := k.begin(setup)
	k.ends(s, "go "+limit)
	return s
}

// ends sends a command that has a search end with a legal move.
func (k *checker) ends(s *heard, command string) {
	s.took = k.ask(command, "bestmove", k.within, s.hear)
	if s.position.CountLegal() == 0 {
		return
	}
	if _, err := s.position.ParseUCI(strings.ToLower(s.word)); err != nil {
		fail("bestmove %s is not a legal move", clip(s.word))
	}
	if s.illegal != "" {
		fail("%s", s.illegal)
	}
}

// waits begins a search that must not end by itself, and waits a little.
func (k *checker) waits(limit string, wait time.Duration) *heard {
	s := k.begin(busy)
	k.say("go " + limit)
	if err := k.process.listen(k.ctx, "bestmove", wait, s.hear); err == nil {
		fail("bestmove before it was asked for, after go %s", limit)
	} else if !errors.Is(err, os.ErrDeadlineExceeded) {
		fail("%v", err)
	}
	return s
}
