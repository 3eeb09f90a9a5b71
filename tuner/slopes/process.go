package slopes

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/assay-chess/assay/engine/machine"
	"github.com/assay-chess/assay/models/numbers"
)

type process struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	ctx  context.Context // of cmd; its cause is errHung if it was silent for too long
	kill context.CancelCauseFunc
	said machine.Tail // on standard error

	limit time.Duration // of silence
	timer *time.Timer
}

// launch starts a process, and reads its numbers and what it prints before them.
func (p *Program) launch() error {
	c := &p.command
	ctx, kill := context.WithCancelCause(p.ctx)
	r := &process{cmd: machine.Command(ctx, c.Path), ctx: ctx, kill: kill}
	r.cmd.Env = append(r.cmd.Environ(), numbers.MeasureVariable+"=1")
	if c.Numbers != "" {
		r.cmd.Env = append(r.cmd.Env, numbers.FileVariable+"="+c.Numbers)
	}
	r.cmd.Stderr = &r.said
	r.cmd.WaitDelay = time.Second // for its own children that keep stderr open
	in, err := r.cmd.StdinPipe()
	if err == nil {
		var out io.ReadCloser
		if out, err = r.cmd.StdoutPipe(); err == nil {
			r.in, r.out = in, bufio.NewReaderSize(awake{r, out}, 1<<16)
			err = r.cmd.Start()
		}
	}
	if err != nil {
		kill(nil)
		return err
	}
	p.process = r
	names, values, err := r.numbers(c.Timeout)
	if p.names == nil {
		p.names, p.start = names, values
	} else if err == nil && !(slices.Equal(p.names, names) && slices.Equal(p.start, values)) {
		err = errors.New("started again, it has other numbers")
	}
	if err != nil {
		p.Close()
	}
	return err
}

// awake is the output of a process; each piece of it starts the time limit again.
type awake struct {
	r *process
	io.Reader
}

func (a awake) Read(b []byte) (int, error) {
	n, err := a.Reader.Read(b)
	if n > 0 {
		a.r.timer.Reset(a.r.limit)
	}
	return n, err
}

// ask sends a request and takes the lines of the answer at the same time, so that no pipe fills up.
func (r *process) ask(request []byte, limit time.Duration, take func(line []byte) (more bool, err error)) error {
	wrote := make(chan struct{})
	go func() {
		r.in.Write(request) // if it fails, so does reading
		close(wrote)
	}()
	r.limit, r.timer = limit, time.AfterFunc(limit, func() { r.kill(errHung) })
	defer r.timer.Stop()
	for more := true; more; {
		line, err := r.out.ReadSlice('\n')
		if err == nil {
			more, err = take(bytes.TrimRight(line, "\r\n"))
		}
		if err != nil {
			r.kill(nil) // this also ends the writing goroutine
			<-wrote
			return r.reason(err)
		}
	}
	<-wrote
	return nil
}

func (r *process) reason(err error) error {
	switch {
	case context.Cause(r.ctx) == errHung:
		return fmt.Errorf("%w: %v", errHung, r.limit)
	case errors.Is(err, bufio.ErrBufferFull):
		return fmt.Errorf("%w: a line of more than 65,536 bytes", errAnswer)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		status := "exit status 0"
		if err := r.cmd.Wait(); err != nil {
			status = err.Error()
		}
		err = fmt.Errorf("%w (%s)", errDied, status)
		if said := r.said.Last(); said != "" {
			err = fmt.Errorf("%w; its last message: %s", err, said)
		}
	}
	return err
}

// end ends the process and waits for it.
func (r *process) end() {
	r.in.Close()
	r.kill(nil)
	r.cmd.Wait()
}

// maxBanner is the number of lines that a program may print before its first answer.
const maxBanner = 100

// numbers asks for names and values.
func (r *process) numbers(limit time.Duration) (names []string, values []float64, err error) {
	banner := 0
	err = r.ask([]byte("numbers\n"), limit, func(line []byte) (more bool, err error) {
		name, value, ok := strings.Cut(string(line), " ")
		v, isValue := parseValue([]byte(value))
		switch {
		case string(line) == ".":
			return false, nil
		case ok && isValue:
			names, values = append(names, name), append(values, v)
		case len(names) == 0 && banner < maxBanner:
			banner++
		default:
			return false, fmt.Errorf("%w: %.80q is not NAME VALUE", errAnswer, line)
		}
		return true, nil
	})
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("%w: it has no numbers", errAnswer)
	}
	return names, values, err
}
