package opening

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/group"
)

// errGenfens says that an engine did not give the openings that it was asked for.
var errGenfens = errors.New("the engine gives no openings")

// Genfens is an engine that makes openings, asked as OpenBench does: its command is run with
// the arguments "genfens N seed S book BOOK" and "quit", and prints a line
//
//	info string genfens FEN
//
// for each. Its other lines do not matter.
type Genfens struct {
	Command []string
	Book    string        // file from which the engine makes openings; empty: None
	Timeout time.Duration // between two openings; 0: a minute
}

// genfensPrefix begins a line with an opening.
const genfensPrefix = "info string genfens "

// Request returns the argument that asks for n openings.
func (g *Genfens) Request(n int, seed uint64) string {
	return fmt.Sprintf("genfens %d seed %d book %s", n, seed, cmp.Or(g.Book, "None"))
}

// Ask returns n different positions in the order of the engine, as FENs. A few more are asked
// for, in place of those that occur twice. Errors wrap ErrGenfens or the context's.
func (g *Genfens) Ask(ctx context.Context, n int, seed uint64) ([]string, error) {
	asked := n + n/8 + 16
	inner, stop := context.WithCancel(ctx)
	defer stop()
	timer := time.AfterFunc(cmp.Or(g.Timeout, time.Minute), stop)
	defer timer.Stop()
	args := append(g.Command[1:len(g.Command):len(g.Command)], g.Request(asked, seed), "quit")
	cmd := group.Command(inner, g.Command[0], args...)
	cmd.WaitDelay = time.Second // for a child that keeps the output open
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("opening: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("opening: %w: %w", errGenfens, err)
	}
	fens, given := []string(nil), 0
	seen := map[uint64]bool{}
	lines := bufio.NewScanner(stdout)
	for len(fens) < n && err == nil && lines.Scan() {
		fen, ok := strings.CutPrefix(strings.TrimSpace(lines.Text()), genfensPrefix)
		if !ok {
			continue
		}
		timer.Reset(cmp.Or(g.Timeout, time.Minute))
		given++
		var p board.Position
		if p, err = playable(fen); err == nil && !seen[p.Key()] {
			seen[p.Key()] = true
			fens = append(fens, p.FEN())
		}
	}
	silent := inner.Err() != nil
	if err != nil || len(fens) == n {
		stop() // it has said enough
	}
	ended := cmd.Wait()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("opening: %w: opening %d: %w", errGenfens, given, err)
	case len(fens) == n:
		return fens, nil
	case lines.Err() != nil:
		return nil, fmt.Errorf("opening: %w: %w", errGenfens, lines.Err())
	case silent:
		return nil, fmt.Errorf("opening: %w: %d of %d after %q, then nothing for %v", errGenfens, given, asked,
			g.Request(asked, seed), cmp.Or(g.Timeout, time.Minute))
	case given == 0:
		return nil, fmt.Errorf("opening: %w: no line %q after %q%s", errGenfens, genfensPrefix+"FEN", g.Request(asked, seed),
			lastWords(ended, stderr.Bytes()))
	}
	return nil, fmt.Errorf("opening: %w: %d after %q, %d of them different, but %d are needed%s", errGenfens, given,
		g.Request(asked, seed), len(fens), n, lastWords(ended, stderr.Bytes()))
}

// playable parses a FEN of a game that is not over.
func playable(fen string) (board.Position, error) {
	p, err := board.ParseFEN(fen)
	if err != nil {
		return p, fmt.Errorf("%q: %w", fen, err)
	}
	if _, why, over := board.NewGame(p).Outcome(); over {
		return p, fmt.Errorf("%q: the game is over: %s", fen, why)
	}
	return p, nil
}

// lastWords says how a program ended, with the last line of its error output.
func lastWords(err error, stderr []byte) string {
	text := ""
	if err != nil {
		text = "; it ended with " + err.Error()
	}
	if lines := strings.Split(strings.TrimSpace(string(stderr)), "\n"); lines[len(lines)-1] != "" {
		text += fmt.Sprintf("; its last words: %.200s", lines[len(lines)-1])
	}
	return text
}
