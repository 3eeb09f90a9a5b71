package processtest

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
)

// engineProcess is assay uci at the other end of real pipes. What the server answers is
// tested in engine/uci; these tests are of the process.
type engineProcess struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr bytes.Buffer
}

func startEngine(t *testing.T, args ...string) *engineProcess {
	t.Helper()
	e := &engineProcess{t: t, cmd: exec.Command("assay", append([]string{"uci", "--player", "assay:hash=1"}, args...)...)}
	var err error
	if e.in, err = e.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out := setup.Must(e.cmd.StdoutPipe())
	e.out = bufio.NewReader(out)
	e.cmd.Stderr = &e.stderr
	setup.Check(t, e.cmd.Start())
	t.Cleanup(func() { _ = e.cmd.Process.Kill() })
	return e
}

func (e *engineProcess) send(text string) {
	e.t.Helper()
	if _, err := io.WriteString(e.in, text); err != nil {
		e.t.Fatalf("sending %.40q: %v\n%s", text, err, &e.stderr)
	}
}

// expect reads up to a line that begins with the prefix.
func (e *engineProcess) expect(prefix string) {
	e.t.Helper()
	for {
		line, err := e.out.ReadString('\n')
		if strings.HasPrefix(line, prefix) {
			return
		}
		if err != nil {
			e.t.Fatalf("no %q: %v\n%s", prefix, err, &e.stderr)
		}
	}
}

// ends reads to the end and returns the number of bestmove lines. The process must exit
// without an error.
func (e *engineProcess) ends() (answers int) {
	e.t.Helper()
	rest, err := io.ReadAll(e.out)
	if err != nil {
		e.t.Error(err)
	}
	if err := e.cmd.Wait(); err != nil || e.stderr.Len() > 0 {
		e.t.Errorf("the engine ends with %v\n%s", err, &e.stderr)
	}
	return strings.Count(string(rest), "bestmove ")
}

func TestUCIOverPipes(t *testing.T) {
	e := startEngine(t)
	e.send("uci\n")
	e.expect("uciok")
	e.send("position startpos moves" + strings.Repeat(" g1f3 g8f6 f3g1 f6g8", 1<<18) + "\ngo depth 1\n")
	e.expect("info string ignored a line")
	e.expect("bestmove 0000")
	e.send("position startpos moves e2e4\r\ngo infinite\r\n")
	e.expect("info depth 3")
	e.send("stop\n")
	e.expect("bestmove ")
	e.send("quit\n")
	if n := e.ends(); n != 0 {
		t.Errorf("%d more answers", n)
	}
}

// The process ends with quit or the end of its input, even during a search.
func TestUCIEnds(t *testing.T) {
	for _, last := range []string{"quit\n", ""} {
		e := startEngine(t)
		e.send("go infinite\n")
		e.expect("info depth 1 ")
		e.send(last)
		setup.Check(t, e.in.Close())
		if n := e.ends(); n != 1 {
			t.Errorf("%d answers after go infinite and %q, want 1", n, last)
		}
	}
}

// When the GUI has died and reads no more, the engine ends with an error.
func TestUCIReaderGone(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("assay", "uci", "--player", "assay:hash=1")
	in := setup.Must(cmd.StdinPipe())
	cmd.Stdout = w
	setup.Check(t, cmd.Start())
	w.Close()
	r.Close()
	if _, err := io.WriteString(in, "go infinite\nisready\n"); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("no error though the output could not be written")
	}
}
