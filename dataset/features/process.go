package features

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync/atomic"
	"time"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/machine"
)

// ErrSilent says that an engine did not answer in time.
var ErrSilent = errors.New("no answer")

// process is a running engine.
type process struct {
	cmd     *exec.Cmd
	in      *bufio.Writer
	pipe    io.Closer
	records recordReader
	header  *header
	skipped []string // lines before the header
	stderr  machine.Tail
	kill    context.CancelFunc
	timeout time.Duration
}

// start starts the command and reads its header.
func start(ctx context.Context, command []string, timeout time.Duration) (*process, error) {
	ctx, kill := context.WithCancel(ctx)
	p := &process{cmd: machine.Command(ctx, command[0], command[1:]...), kill: kill, timeout: timeout}
	p.cmd.Stderr = &p.stderr
	p.cmd.WaitDelay = time.Second // for its own children that keep stderr open
	in, err := p.cmd.StdinPipe()
	if err == nil {
		p.pipe, p.in = in, bufio.NewWriterSize(in, 1<<16)
		var out io.ReadCloser
		if out, err = p.cmd.StdoutPipe(); err == nil {
			p.records.r = bufio.NewReaderSize(out, 1<<16)
			err = p.cmd.Start()
		}
	}
	if err != nil {
		kill()
		return nil, fmt.Errorf("features: %w", err)
	}
	if err := p.readHeader(); err != nil {
		return nil, p.end(err)
	}
	return p, nil
}

// maxBanner is the number of lines that may stand before the header.
const maxBanner = 100

// readHeader reads the header, and keeps the lines before it.
func (p *process) readHeader() error {
	late := p.watch()
	defer late.Stop()
	r := p.records.r
	for {
		line, err := readLine(r)
		if err = p.reason(err, late); err != nil {
			if len(p.skipped) > 0 {
				err = fmt.Errorf("%w; it printed %d lines and no header, the first line is %.80q",
					err, len(p.skipped), p.skipped[0])
			}
			return err
		}
		if bytes.HasPrefix(line, []byte("{")) {
			if p.header, err = parseHeader(line); err == nil {
				p.records = newRecordReader(r, p.header)
			}
			return err
		}
		if p.skipped = append(p.skipped, string(line)); len(p.skipped) > maxBanner {
			return fmt.Errorf("%w: no header in its first %d lines, the first line is %.80q", ErrProtocol, len(p.skipped),
				p.skipped[0])
		}
	}
}

// watchdog kills a process that does not answer in time.
type watchdog struct {
	timer *time.Timer
	fired atomic.Bool
}

// watch kills the process unless the watchdog is reset or stopped in time.
func (p *process) watch() *watchdog {
	w := &watchdog{}
	w.timer = time.AfterFunc(p.timeout, func() {
		w.fired.Store(true)
		p.kill()
	})
	return w
}

// Stop stops the watchdog and reports whether it killed the process.
func (w *watchdog) Stop() bool {
	w.timer.Stop()
	return w.fired.Load()
}

// ask sends positions, reads the answers at the same time, and passes them to take. An error names
// the position that it is about.
func (p *process) ask(examples []*example, take func(x *example, row *dataset.FeatureRow) error) error {
	wrote := make(chan error, 1)
	go func() {
		for _, x := range examples {
			p.in.WriteString(x.board.FEN())
			p.in.WriteByte('\n')
		}
		p.in.WriteByte('\n')
		wrote <- p.in.Flush()
	}()
	dog := p.watch()
	for _, x := range examples {
		row, err := p.records.next(&x.board)
		if err == nil {
			dog.timer.Reset(p.timeout)
			err = take(x, row)
		}
		if err = p.reason(err, dog); err != nil {
			p.kill() // this also ends the writing goroutine
			<-wrote
			return fmt.Errorf("%s: %w", x, err)
		}
	}
	dog.Stop()
	return <-wrote
}

// reason returns the cause of err, and stops the watchdog if there is one.
func (p *process) reason(err error, dog *watchdog) error {
	switch {
	case err == nil:
		return nil
	case dog.Stop():
		return fmt.Errorf("%w in %v; does it flush its output at an empty line?", ErrSilent, p.timeout)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errEnded
	}
	return err
}

var errEnded = fmt.Errorf("%w: its output ended", ErrProtocol)

// end closes the engine's input and waits for it to exit. After an error the engine is
// killed, and the last line of its standard error is added to the error.
func (p *process) end(err error) error {
	p.pipe.Close()
	if err != nil {
		p.kill()
	}
	late := p.watch()
	more, _ := p.records.r.Peek(1) // to the end of its output
	exit := p.cmd.Wait()
	late.Stop()
	p.kill()
	switch {
	case err == nil && len(more) > 0:
		return fmt.Errorf("%w: it printed more than one record per position: %.20q after the last", ErrProtocol, more)
	case err == nil:
		return nil // all its answers are there; its exit status does not matter
	case errors.Is(err, errEnded):
		err = fmt.Errorf("%w (%v)", err, exit)
	}
	if said := p.stderr.Last(); said != "" {
		return fmt.Errorf("%w; its last message: %s", err, said)
	}
	return err
}
