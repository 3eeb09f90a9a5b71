package uci

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

// How long a foreign engine is waited for, where its Command does not say.
const (
	// DefaultStartTimeout is for uciok, and for each readyok until the first game: an
	// engine may read a large network, on a machine that has other things to do.
	DefaultStartTimeout = 10 * time.Second
	DefaultMoveTimeout  = 2 * time.Second // for bestmove, beyond the limit of the search

	stopTimeout = time.Second // for bestmove after stop
	quitTimeout = time.Second // for the process to end after quit
	// clockGrace is how long the answer is awaited after a clock has run out. Whether
	// the game is lost by then is for whoever keeps the clock to say.
	clockGrace = time.Second
	// slowNodes is what the slowest engine searches in a second: it makes a limit in
	// nodes one in time.
	slowNodes = 100_000
)

// Errors that a Client's errors wrap. A move that is not legal, or none at all, wraps
// board.ErrMove.
var (
	ErrStart   = errors.New("the engine does not start")         // no uciok or no readyok at the start
	ErrOption  = errors.New("option")                            // unknown to the engine, or of a value it does not take
	ErrTimeout = errors.New("no answer in time")                 // to anything
	ErrEnded   = errors.New("the engine has closed the channel") // crashed, exited, or closed its output
	ErrClosed  = errors.New("the engine was closed")             // by Close
)

// Option is an option of an engine and its value, empty for a button.
type Option struct{ Name, Value string }

// Command says how a foreign engine is started, and how long it is waited for.
type Command struct {
	Path    string // of the program, as exec.LookPath understands it
	Args    []string
	Options []Option // set at each start, in this order

	StartTimeout time.Duration // for uciok, and for each readyok; 0: DefaultStartTimeout; before a game a quarter of it
	// MoveTimeout is for bestmove, beyond the limit of the search; 0:
	// DefaultMoveTimeout. It counts from the limit of a move in time; from one second
	// for each 100,000 nodes of a limit in nodes; from go for a limit in depth. With a
	// clock the clock counts, and a second more.
	MoveTimeout time.Duration
}

// Client is an engine.Player that a foreign program plays, over UCI.
//
// The program is started when it is first needed, in a process group of its own that
// is killed as one. Every wait for it has an end. A method that fails because of what
// the program does or leaves undone has killed it; the next NewGame starts it afresh.
//
// What is harmless is tolerated: lines without end, of which 64 KiB are looked at,
// floods of them, control characters, upper case, noise on the error output, and a
// bestmove said twice.
type Client struct {
	command Command

	process  *process // nil: not running
	options  []option // that the process announced
	chess960 bool     // as the process was told
	multiPV  int      // likewise
	closed   bool

	setup  setup
	out    []byte // commands being written
	answer answer
	last   string // move of the last bestmove, empty in a new game
}

var _ engine.Player = (*Client)(nil)

// NewClient returns the player of a command. Nothing is started yet.
func NewClient(c Command) *Client {
	if c.StartTimeout <= 0 {
		c.StartTimeout = DefaultStartTimeout
	}
	if c.MoveTimeout <= 0 {
		c.MoveTimeout = DefaultMoveTimeout
	}
	c.Options = slices.Clone(c.Options)
	return &Client{command: c}
}

// Name returns the name of the program, without its folder.
func (c *Client) Name() string { return filepath.Base(c.command.Path) }

// Start starts the program if it is not running, and sets its options. Its error wraps
// ErrStart where the program runs but does not answer as a UCI engine, ErrOption where
// it does not have an option or the option does not take the value.
func (c *Client) Start() error {
	switch {
	case c.closed:
		return fmt.Errorf("uci:%s: %w", c.Name(), ErrClosed)
	case c.process != nil:
		return nil
	}
	p, err := startProcess(c.command.Path, c.command.Args)
	if err != nil {
		return fmt.Errorf("uci:%s: %w", c.Name(), err)
	}
	c.process, c.options, c.chess960, c.multiPV, c.last = p, nil, false, 1, ""
	c.setup.forget()
	if err := c.handshake(); err != nil {
		return err
	}
	commands, err := c.setAll()
	if err != nil {
		c.process.end()
		c.process = nil
		return fmt.Errorf("uci:%s: %w", c.Name(), err)
	}
	if err := c.ready(commands); err != nil {
		return fmt.Errorf("%w: %w", ErrStart, err)
	}
	return nil
}

// handshake introduces us and hears which options there are.
func (c *Client) handshake() error {
	err := c.await("uci\n", "uciok", c.command.StartTimeout, func(line []byte) {
		if word, rest := nextWord(line); equalFold(word, "option") && len(c.options) < maxOptions {
			if o, ok := parseOption(rest); ok {
				c.options = append(c.options, o)
			}
		}
	})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrStart, err)
	}
	return nil
}

// setAll returns the commands that set the options which the command sets. The engine
// is told, too, that nobody will let it ponder, where it expects otherwise.
func (c *Client) setAll() (string, error) {
	var out []byte
	if o := c.find("Ponder"); o != nil && o.preset != "false" {
		out = appendOption(out, o.Name, "false")
	}
	for _, set := range c.command.Options {
		o, value, err := c.check(set.Name, set.Value)
		if err != nil {
			return "", err
		}
		out = appendOption(out, o.Name, value)
	}
	return string(out), nil
}

// ready sends commands, and waits until they are obeyed.
func (c *Client) ready(commands string) error {
	return c.await(commands+"isready\n", "readyok", c.command.StartTimeout, func([]byte) {})
}

// await sends commands and hands on the lines that come until one begins with the
// word.
func (c *Client) await(commands, word string, within time.Duration, each func(line []byte)) error {
	p := c.process
	if err := p.write([]byte(commands), within); err != nil {
		return c.fail(err, word, within)
	}
	p.deadline(time.Now().Add(within))
	for {
		line, err := p.lines.next()
		if err != nil {
			return c.fail(err, word, within)
		}
		if first, _ := nextWord(line); equalFold(first, word) {
			return nil
		}
		each(line)
	}
}

// fail kills the process and says what it failed to say.
func (c *Client) fail(err error, word string, within time.Duration) error {
	end := c.process.end()
	c.process = nil
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("uci:%s: %w: no %s within %v%s", c.Name(), ErrTimeout, word, within.Round(time.Millisecond), end.lastWords())
	case errors.Is(err, io.EOF), isBrokenPipe(err):
		return fmt.Errorf("uci:%s: %w: no %s: %s%s", c.Name(), ErrEnded, word, end.how(), end.lastWords())
	}
	return fmt.Errorf("uci:%s: no %s: %w%s", c.Name(), word, err, end.lastWords())
}

// NewGame implements engine.Player. A foreign program takes no seed.
func (c *Client) NewGame(uint64) error {
	if err := c.Start(); err != nil {
		return err
	}
	c.setup.forget()
	c.last = ""
	return c.await("ucinewgame\nisready\n", "readyok", c.command.StartTimeout/4, func([]byte) {})
}

// SetOption implements engine.Player: it sets an option that the engine announced,
// and sets it again should the program have to be started again.
func (c *Client) SetOption(name, value string) error {
	if err := c.Start(); err != nil {
		return err
	}
	o, value, err := c.check(name, value)
	if err != nil {
		return fmt.Errorf("uci:%s: %w", c.Name(), err)
	}
	if o.kind != "button" {
		c.remember(Option{o.Name, value})
	}
	return c.ready(string(appendOption(nil, o.Name, value)))
}

// remember makes an option one of those that each start sets. What it was set to before
// is forgotten, so that setting it for every game costs no more each time.
func (c *Client) remember(o Option) {
	for i := range c.command.Options {
		if strings.EqualFold(c.command.Options[i].Name, o.Name) {
			c.command.Options[i] = o
			return
		}
	}
	c.command.Options = append(c.command.Options, o)
}

// Options returns the options that the engine announced, as UCI declares them, one a
// line; not those that a Server has itself. It is empty where the engine does not start.
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

// Close asks the program to quit, and kills what is left of it after a second. The
// error is nil: a program that has to be killed is nobody's loss.
func (c *Client) Close() error {
	if p := c.process; p != nil {
		c.process = nil
		p.quit(quitTimeout)
	}
	c.closed = true
	return nil
}

// Search implements engine.Player. An answer that is no legal move is an error that
// wraps board.ErrMove. Result.Time is what the engine says it took, where it says so.
func (c *Client) Search(ctx context.Context, game *board.Game, lim engine.Limits) (engine.Result, error) {
	unbounded := lim.Infinite || lim.Ponder
	if game.Position().CountLegal() == 0 {
		if unbounded {
			<-ctx.Done()
		}
		return engine.Result{}, nil
	}
	if err := c.Start(); err != nil {
		return engine.Result{}, err
	}
	if err := c.compose(game, &lim); err != nil {
		return engine.Result{}, fmt.Errorf("uci:%s: %w", c.Name(), err)
	}
	c.answer.reset(game.Position(), lim.Info)
	word, err := c.converse(ctx, c.command.patience(game.Position().SideToMove(), &lim))
	if err != nil {
		return engine.Result{}, err
	}
	if unbounded {
		<-ctx.Done()
	}
	move, err := game.Position().ParseUCI(word)
	if err != nil {
		return engine.Result{}, fmt.Errorf("uci:%s: bestmove: %w", c.Name(), err)
	}
	c.last = word
	return c.answer.result(move), nil
}

// compose puts the commands of a search into c.out.
func (c *Client) compose(game *board.Game, lim *engine.Limits) error {
	c.out = c.out[:0]
	start := game.Start()
	if chess960 := start.Chess960(); chess960 != c.chess960 {
		o := c.find("UCI_Chess960")
		if o == nil {
			return fmt.Errorf("%w UCI_Chess960 is unknown to it, and the game is one of Chess960", ErrOption)
		}
		c.out = appendOption(c.out, o.Name, strconv.FormatBool(chess960))
		c.chess960 = chess960
	}
	if lines := max(lim.MultiPV, 1); lines != c.multiPV {
		if o := c.find("MultiPV"); o != nil {
			c.out = appendOption(c.out, o.Name, strconv.Itoa(lines))
			c.multiPV = lines
		}
	}
	c.out = c.setup.appendPosition(c.out, game)
	c.out = appendGo(c.out, game.Position(), c.chess960, lim)
	return nil
}

// converse sends what compose prepared and returns the move of bestmove. When the
// context ends the engine is stopped, and still answers. A patience of 0 has no end
// but the context's.
func (c *Client) converse(ctx context.Context, patience time.Duration) (string, error) {
	p := c.process
	p.lines.discard() // what was said after the last bestmove
	begun := time.Now()
	if err := p.write(c.out, c.command.StartTimeout); err != nil {
		return "", c.failSearch(err, c.command.StartTimeout)
	}
	var end time.Time
	if patience > 0 {
		end = begun.Add(patience)
	}
	p.deadline(end)
	woken := make(chan struct{})
	unwatch := context.AfterFunc(ctx, func() {
		p.deadline(begun)
		close(woken)
	})
	defer func() {
		if !unwatch() {
			<-woken // else it would cut short the next wait
		}
	}()
	stopped := false
	for {
		line, err := p.lines.next()
		switch {
		case err == nil:
			if word, ok := c.answer.take(line); ok && !c.stale(word) {
				return word, nil
			}
		case errors.Is(err, os.ErrDeadlineExceeded) && ctx.Err() != nil && !stopped:
			stopped = true
			<-woken
			patience = stopTimeout
			p.deadline(time.Now().Add(patience))
			if err := p.write([]byte("stop\n"), patience); err != nil {
				return "", c.failSearch(err, patience)
			}
		default:
			return "", c.failSearch(err, patience)
		}
	}
}

// failSearch is fail for the search that compose prepared.
func (c *Client) failSearch(err error, within time.Duration) error {
	lines := strings.Split(strings.TrimSpace(string(c.out)), "\n")
	what := fmt.Sprintf("bestmove for %q", lines[len(lines)-1])
	if n := c.answer.nodes; n > 0 { // more than a limit in nodes: it knows none
		what += fmt.Sprintf(" after %d nodes", n)
	}
	return c.fail(err, what, within)
}

// stale tells whether a bestmove is the last one, said twice. It can be no answer: the
// square which a man has just left holds none of his colour at his next move.
func (c *Client) stale(word string) bool {
	if word == "" || word != c.last || c.answer.heard {
		return false
	}
	_, err := c.answer.position.ParseUCI(word)
	return err != nil
}

// patience returns how long a search within the limits may take; 0 for ever.
func (c *Command) patience(us board.Color, lim *engine.Limits) time.Duration {
	if lim.Infinite || lim.Ponder {
		return 0
	}
	var shortest time.Duration
	allow := func(d time.Duration) {
		if shortest == 0 || d < shortest {
			shortest = d
		}
	}
	if lim.MoveTime > 0 {
		allow(lim.MoveTime + c.MoveTimeout)
	}
	if left := lim.Clock[us&1]; left > 0 {
		allow(left + clockGrace)
	}
	if lim.Nodes > 0 {
		const most = 1 << 32 // nodes: half a day
		allow(time.Duration(min(lim.Nodes, most))*(time.Second/slowNodes) + c.MoveTimeout)
	}
	if shortest == 0 && lim.Depth > 0 {
		return c.MoveTimeout
	}
	return shortest
}
