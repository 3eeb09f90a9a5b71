//go:build linux

package uci

import (
	"errors"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/assay-chess/assay/engine/board"
	testengine "github.com/assay-chess/assay/engine/uci/testdata"
	"github.com/assay-chess/assay/internal/setup"
)

// A process whose parents have all ended is ended with the engine that it came from, and
// with no other. Children of this process that are not engines are left alone.
func TestStraysEndWithTheirEngine(t *testing.T) {
	other := exec.Command("/bin/sh", "-c", "read x; exit 5") // not an engine
	other.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	in := setup.Must(other.StdinPipe())
	setup.Check(t, other.Start())

	stays, leaves := openBad(t, "fork-orphan"), openBad(t, "fork-orphan")
	for _, c := range []*Client{stays, leaves} {
		setup.Check(t, c.NewGame(1))
	}
	mark := leaves.command.Args[1]
	if n := len(testengine.Processes(mark)); n != 2 {
		t.Errorf("%d processes, want the engine and its child", n)
	}
	if err := leaves.Close(); err != nil {
		t.Error(err)
	}
	testengine.NoneLeft(t, mark)
	if n := len(testengine.Processes(stays.command.Args[1])); n != 2 {
		t.Errorf("%d processes of the other engine, want 2", n)
	}

	in.Close()
	var exit *exec.ExitError
	if err := other.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 5 {
		t.Errorf("wait for a child that is not an engine: %v, want exit status 5", err)
	}
}

// The log has the last lines both ways and the error output, also after the engine ended.
func TestLog(t *testing.T) {
	c := openBad(t, "chatter,stderr,crash-later")
	_, err := playSome(t, c, 0)
	if !errors.Is(err, errEnded) {
		t.Fatal(err)
	}
	log := c.Log()
	for _, want := range []string{"> uci\n", "< uciok\n", "> go movetime 1\n", "< info string heard go\n",
		"last on its error output\n", "goroutine 1 [running]"} {
		if !strings.Contains(log, want) {
			t.Errorf("the log does not have %q:\n%s", want, log)
		}
	}
	if len(log) > logSize+2*4096 {
		t.Errorf("the log has %d bytes", len(log))
	}
}

// The log is bounded, whatever an engine writes.
func TestLogIsBounded(t *testing.T) {
	c := openBad(t, "flood,long-line,long-bestmove")
	setup.Check(t, c.NewGame(1))
	if _, err := c.Search(t.Context(), board.NewGame(board.StartPosition()), searchLimits); err != nil {
		t.Fatal(err)
	}
	if n := cap(c.process.log.data); n > 3*logSize {
		t.Errorf("the log takes %d bytes", n)
	}
	if log := c.Log(); len(log) > logSize+2*4096 || !strings.Contains(log, " ... ") {
		t.Errorf("the log has %d bytes", len(log))
	}
}
