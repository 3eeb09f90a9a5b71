package uci

import (
	"bytes"
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"github.com/assay-chess/assay/internal/setup"
)

// newTestPipes returns our ends of pipes, and the program's, until the end of the test.
func newTestPipes(t *testing.T) (ours [3]pipe, theirs [3]*os.File) {
	t.Helper()
	ours, theirs, err := newPipes()
	setup.Check(t, err)
	t.Cleanup(func() {
		closeAll(ours[:]...)
		closeAll(theirs[:]...)
	})
	return ours, theirs
}

func TestPipesCarryText(t *testing.T) {
	ours, theirs := newTestPipes(t)
	buf := make([]byte, 100)
	for i, ends := range []struct {
		from io.Writer
		to   io.Reader
	}{{ours[0], theirs[0]}, {theirs[1], ours[1]}, {theirs[2], ours[2]}} {
		if _, err := ends.from.Write([]byte("isready\n")); err != nil {
			t.Fatal(err)
		}
		if n, err := ends.to.Read(buf); err != nil || string(buf[:n]) != "isready\n" {
			t.Errorf("pipe %d: read %q, %v", i, buf[:n], err)
		}
	}
	theirs[0].Close()
	if _, err := ours[0].Write([]byte("go\n")); !isBrokenPipe(err) {
		t.Errorf("write to a closed input: %v, want a broken pipe", err)
	}
	theirs[1].Close()
	if n, err := ours[1].Read(buf); n != 0 || err != io.EOF {
		t.Errorf("read from a closed output: %d, %v, want io.EOF", n, err)
	}
}

// A deadline ends a read that waits with a later one or with none, and a read after it. Text that
// arrives after that is read under the next deadline.
func TestPipeReadDeadlines(t *testing.T) {
	ours, theirs := newTestPipes(t)
	buf := make([]byte, 100)
	for _, first := range []time.Time{{}, time.Now().Add(time.Hour)} {
		setup.Check(t, ours[1].SetReadDeadline(first))
		read := make(chan error)
		go func() {
			_, err := ours[1].Read(buf)
			read <- err
		}()
		select {
		case err := <-read:
			t.Fatalf("the read ended before its deadline: %v", err)
		case <-time.After(5 * time.Millisecond):
		}
		setup.Check(t, ours[1].SetReadDeadline(time.Unix(1, 0)))
		for range 2 {
			if err := <-read; !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("error %v, want that the deadline is exceeded", err)
			}
			go func() {
				_, err := ours[1].Read(buf)
				read <- err
			}()
		}
		<-read
	}
	start := time.Now()
	setup.Check(t, ours[1].SetReadDeadline(start.Add(10*time.Millisecond)))
	if _, err := ours[1].Read(buf); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(start) < 10*time.Millisecond {
		t.Errorf("error %v after %v, want the deadline after 10 ms", err, time.Since(start))
	}
	setup.Check(t, ours[1].SetReadDeadline(time.Now().Add(time.Hour)))
	if _, err := theirs[1].WriteString("readyok\n"); err != nil {
		t.Fatal(err)
	}
	if n, err := ours[1].Read(buf); err != nil || string(buf[:n]) != "readyok\n" {
		t.Errorf("read %q, %v", buf[:n], err)
	}
	ours[1].Close()
	if err := ours[1].SetReadDeadline(time.Time{}); err == nil {
		t.Error("no error for the deadline of a closed pipe")
	}
}

// A program that does not read fills its input, and must not stop us for longer than the deadline.
func TestPipeWriteDeadline(t *testing.T) {
	ours, theirs := newTestPipes(t)
	text := bytes.Repeat([]byte("position\n"), 1<<17)
	setup.Check(t, ours[0].SetWriteDeadline(time.Now().Add(100*time.Millisecond)))
	written, err := ours[0].Write(text)
	if !errors.Is(err, os.ErrDeadlineExceeded) || written == 0 {
		t.Fatalf("wrote %d bytes, %v, want some and then the deadline", written, err)
	}
	read := make(chan int64)
	go func() {
		n, _ := io.Copy(io.Discard, theirs[0])
		read <- n
	}()
	setup.Check(t, ours[0].SetWriteDeadline(time.Time{}))
	if _, err := ours[0].Write(text[written:]); err != nil {
		t.Fatal(err)
	}
	ours[0].Close()
	if n := <-read; n != int64(len(text)) {
		t.Errorf("%d bytes arrived, want %d", n, len(text))
	}
}
