// Command assay generates self-play data for a chess engine, tunes its evaluation
// on them, and proves the gain with matches.
//
// One file a subcommand, each with a newXxxCommand function that root.go lists.
// Commands parse, call a package, and print; what is computed lives in the packages,
// and advice to the user lives here.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// Exit codes: a rejected promotion or a lost match is done, not failed.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// run executes one command line and returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// After the first Ctrl-C a second one ends the process the hard way.
	context.AfterFunc(ctx, stop)

	root := newRootCommand()
	root.SetArgs(args)
	root.SetIn(stdin)
	out := &checkedWriter{w: stdout}
	root.SetOut(out)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil && out.err != nil {
		err = fmt.Errorf("writing the output: %w", out.err)
	}
	if err == nil {
		return exitDone
	}
	var usage usageError
	if errors.As(err, &usage) || strings.HasPrefix(err.Error(), "unknown command") {
		fmt.Fprintf(stderr, "assay: %v\nSee '%s --help'.\n", err, cmd.CommandPath())
		return exitUsage
	}
	if err == context.Canceled { // who had more to say wrapped it
		err = errors.New("interrupted")
	}
	fmt.Fprintf(stderr, "assay: %v\n", err)
	return exitFailed
}

// usageError marks an error in how a command was called.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

// usagef returns a usage error with the message.
func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// checkedWriter remembers the first error, so that a table nobody could write is not
// taken for one that was.
type checkedWriter struct {
	w   io.Writer
	err error
}

func (c *checkedWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	if err != nil && c.err == nil {
		c.err = err
	}
	return n, err
}
