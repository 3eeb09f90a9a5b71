package uci

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/machine"
)

// Timeouts of an external engine.
const (
	// DefaultStartTimeout is the timeout for uciok and for each readyok. An engine may
	// load a large network, or clear a large hash table, on a busy machine.
	DefaultStartTimeout = 10 * time.Second
	// DefaultMoveTimeout is the timeout for bestmove, beyond the limit of the search: the
	// longest that a busy machine may stop an engine which is not at fault.
	DefaultMoveTimeout = 10 * time.Second

	stopTimeout = time.Second // for bestmove after stop
	quitTimeout = time.Second // for the process to exit after quit
	// clockGrace is how long to wait for an answer after a clock has run out. The caller
	// keeps the clock and decides whether the game is lost.
	clockGrace = time.Second
	// slowNodes is the speed of the slowest engine, in nodes per second. It turns a limit
	// in nodes into a timeout.
	slowNodes = 100_000
)

// Errors that a Client's errors wrap. An illegal or missing move wraps board.ErrMove.
var (
	ErrStart  = errors.New("the engine does not start")         // no uciok or no readyok at the start
	ErrOption = errors.New("option")                            // unknown, or the engine refuses the value
	errEnded  = errors.New("the engine has closed the channel") // it crashed, exited, or closed its output
	errClosed = errors.New("the engine was closed")             // by Close
)

// Command says how to start an external engine and how long to wait for its answers.
type Command struct {
	Path    string // of the program, as exec.LookPath takes it
	Args    []string
	Options []engine.Option // set at each start, in this order

	// StartTimeout is the timeout for uciok and for each readyok, those before a game
	// included, where a longer MoveTimeout replaces it. 0 means DefaultStartTimeout.
	StartTimeout time.Duration
	// MoveTimeout is the timeout for bestmove beyond the limit of the search; 0 means
	// DefaultMoveTimeout. It begins after the time of a limit in time, after one second
	// per 100,000 nodes of a limit in nodes, and at once for a limit in depth. With a
	// clock the timeout is one second after the clock runs out.
	MoveTimeout time.Duration
	// FullHistory sends all moves of a game with each position. Without it the moves begin after
	// the last capture or pawn move, which is all that repetitions and the rule of fifty moves need.
	FullHistory bool
	// WhiteView says that the engine reports scores from White's view, and not, as the protocol
	// wants it, from the side to move's.
	WhiteView bool
}

// Client is an engine.Player that plays by running a foreign program over UCI.
//
// The program is started when it is first needed, in its own process group, which is
// killed as a whole; on Linux so are processes that have left the group, and all of them
// if this process is killed (machine.Mark says what escapes). Every wait has a timeout, which
// is extended while this process itself does not run. When a method fails because the program
// misbehaves, it has killed the program, and the next NewGame starts it again.
//
// Harmless faults are accepted: endless lines (64 KiB of each are read), floods of lines,
// control characters, upper case, output on standard error, and a repeated bestmove.
type Client struct {
	command     Command
	quitTimeout time.Duration
	// start is startProcess but in tests.
	start func(c *Command, core int) (*process, error)
	core  int // that the process is pinned to; anyCore: none

	process  *process // nil if not running
	options  []option // that the process announced
	chess960 bool     // value of UCI_Chess960 in the process
	multiPV  int      // value of MultiPV in the process
	closed   bool

	writer   positionWriter
	out      []byte // commands to be written
	answer   answer
	lastMove string // of the last bestmove; empty in a new game
	log      string // of the last process
}

var _ interface {
	engine.Player
	engine.Starter
	engine.OptionLister
	engine.Logger
	engine.Pinner
} = (*Client)(nil)

// NewClient returns a player that runs the command. It starts nothing yet.
func NewClient(c Command) *Client {
	if c.StartTimeout <= 0 {
		c.StartTimeout = DefaultStartTimeout
	}
	if c.MoveTimeout <= 0 {
		c.MoveTimeout = DefaultMoveTimeout
	}
	c.Options = slices.Clone(c.Options)
	return &Client{command: c, quitTimeout: quitTimeout, start: startProcess, core: anyCore}
}

// anyCore stands for no core that a process is pinned to.
const anyCore = -1

// Pin implements engine.Pinner. A program that runs elsewhere moves to the core; if it has children it
// is ended, and started again when it is next needed.
func (c *Client) Pin(core int) {
	if c.process != nil && c.core != core && !machine.PinProcess(c.process.pid, core) {
		c.quit()
	}
	c.core = core
}

// Name returns the name of the program, without its folder.
func (c *Client) Name() string { return filepath.Base(c.command.Path) }

// Start implements engine.Starter. It starts the program if it is not running, and sets
// its options. The error wraps ErrStart if the program runs but does not answer as a UCI
// engine, and ErrOption if it lacks an option or refuses the value.
func (c *Client) Start() error {
	switch {
	case c.closed:
		return fmt.Errorf("uci:%s: %w", c.Name(), errClosed)
	case c.process != nil:
		return nil
	}
	defer machine.Starting()()
	starting <- struct{}{}
	defer func() { <-starting }()
	p, err := c.start(&c.command, c.core)
	if err != nil {
		return fmt.Errorf("uci:%s: %w: %w", c.Name(), engine.ErrNotStarted, err)
	}
	c.process, c.options, c.chess960, c.multiPV, c.lastMove = p, nil, false, 1, ""
	c.writer.reset()
	if err := c.handshake(); err != nil {
		return err
	}
	commands, err := c.optionCommands()
	if err != nil {
		c.end()
		return fmt.Errorf("uci:%s: %w", c.Name(), err)
	}
	if err := c.sync(commands); err != nil {
		return marked{err, ErrStart}
	}
	p.lookForStrays()
	return nil
}

// starting bounds how many programs start at once: the clocks of other games may run meanwhile.
var starting = make(chan struct{}, runtime.NumCPU())

// handshake sends uci and reads the options that the engine announces.
func (c *Client) handshake() error {
	err := c.await("uci\n", "uciok", c.command.StartTimeout, func(line []byte) {
		if word, rest := nextWord(line); bytes.EqualFold(word, []byte("option")) && len(c.options) <= maxOptions {
			if o, ok := parseOption(rest); ok {
				c.options = append(c.options, o)
			}
		}
	})
	if err == nil && len(c.options) > maxOptions {
		c.end()
		err = fmt.Errorf("uci:%s: the engine announces more than %d options", c.Name(), maxOptions)
	}
	if err != nil {
		return marked{err, ErrStart}
	}
	return nil
}

// marked is an error that is another too, without its words: the text says as much.
type marked struct {
	error
	is error
}

func (m marked) Unwrap() []error { return []error{m.error, m.is} }

// optionCommands returns the commands that set the options of c.command. It also turns
// off Ponder if that is on by default: a Client never lets an engine ponder. It notes the
// defaults that a search depends on.
func (c *Client) optionCommands() (string, error) {
	var out []byte
	for i := range c.options {
		c.follow(&c.options[i], c.options[i].preset)
	}
	if o := c.findOption("Ponder"); o != nil && o.preset != "false" {
		out = c.appendOption(out, o, "false")
	}
	for _, set := range c.command.Options {
		o, value, err := c.checkOption(set.Name, set.Value)
		if err != nil {
			return "", err
		}
		out = c.appendOption(out, o, value)
	}
	return string(out), nil
}

// sync sends commands and waits until the engine has processed them.
func (c *Client) sync(commands string) error {
	return c.await(commands+"isready\n", "readyok", c.command.StartTimeout, nil)
}

// await sends commands and passes each line of the answer to each, which may be nil, up to the line that
// begins with the word.
func (c *Client) await(commands, word string, within time.Duration, each func(line []byte)) error {
	err := c.process.write([]byte(commands), within)
	if err == nil {
		err = c.process.listen(context.Background(), word, within, each)
	}
	if err != nil {
		return c.fail(err, word, within)
	}
	return nil
}

// fail kills the process and returns the error that says which answer is missing.
func (c *Client) fail(err error, missing string, within time.Duration) error {
	exit := c.end()
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("uci:%s: %w: no %s within %v%s%s", c.Name(), engine.ErrTimeout, missing,
			within.Round(time.Millisecond), c.setting(missing, within), exit.lastWords())
	case errors.Is(err, io.EOF), isBrokenPipe(err):
		return marked{fmt.Errorf("uci:%s: no %s: %s%s", c.Name(), missing, exit.how(), exit.lastWords()), errEnded}
	}
	return fmt.Errorf("uci:%s: no %s: %w%s", c.Name(), missing, err, exit.lastWords())
}

// setting names the setting that a timeout comes from, if it is one for the start.
func (c *Client) setting(missing string, timeout time.Duration) string {
	if timeout == c.command.StartTimeout && !strings.HasPrefix(missing, "bestmove") {
		return ", its time to start"
	}
	return ""
}

// end kills the process and keeps its log.
func (c *Client) end() exit {
	p := c.process
	c.process = nil
	e := p.kill()
	c.log = p.logText()
	return e
}

// Log implements engine.Logger: the last lines to ("> ") and from ("< ") the program, and
// what it wrote on its error output.
func (c *Client) Log() string {
	if c.process != nil {
		return c.process.logText()
	}
	return c.log
}

// NewGame implements engine.Player. UCI has no way to pass a seed, so it is not used.
func (c *Client) NewGame(uint64) error {
	if err := c.Start(); err != nil {
		return err
	}
	c.writer.reset()
	c.lastMove = ""
	return c.await("ucinewgame\nisready\n", "readyok", max(c.command.StartTimeout, c.command.MoveTimeout), nil)
}

// SetOption implements engine.Player. It sets an option that the engine announced, and
// sets it again whenever the program is restarted.
func (c *Client) SetOption(name, value string) error {
	if err := c.Start(); err != nil {
		return err
	}
	o, value, err := c.checkOption(name, value)
	if err != nil {
		return fmt.Errorf("uci:%s: %w", c.Name(), err)
	}
	if o.kind != "button" {
		c.remember(engine.Option{Name: o.Name, Value: value})
	}
	return c.sync(string(c.appendOption(nil, o, value)))
}

// remember adds an option to those that each start sets, in place of its earlier value.
func (c *Client) remember(o engine.Option) {
	for i := range c.command.Options {
		if strings.EqualFold(c.command.Options[i].Name, o.Name) {
			c.command.Options[i] = o
			return
		}
	}
	c.command.Options = append(c.command.Options, o)
}

// Options implements engine.OptionLister. It returns the options that the engine
// announced, but for those that a Server handles itself, and none if the engine does not
// start.
func (c *Client) Options() []string {
	if c.Start() != nil {
		return nil
	}
	var lines []string
	for _, o := range c.options {
		switch strings.ToLower(o.Name) {
		case "multipv", "ponder", "uci_chess960":
		default:
			lines = append(lines, "option "+o.text)
		}
	}
	return lines
}

// Close asks the program to quit, and kills it if it has not exited after a second. The
// error is always nil.
func (c *Client) Close() error {
	if c.process != nil {
		c.quit()
	}
	c.closed = true
	return nil
}

func (c *Client) quit() {
	p := c.process
	c.process = nil
	p.quit(c.quitTimeout)
}
