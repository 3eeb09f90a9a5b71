// Command assay generates self-play data for a chess engine, tunes its evaluation
// on them, and proves the gain with matches.
//
// Each subcommand has a file with a newXxxCommand function, which root.go lists. Commands
// parse flags, call a package, and print. The packages compute; advice to the user belongs
// here. See cmd/README.md.
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
	reportGoroutines(os.Getenv("ASSAY_GOROUTINES"), os.Stderr)
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// Exit codes. A lost match or a rejected candidate is a result, not a failure.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// run executes one command line and returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// After the first Ctrl-C, a second one ends the process at once.
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
	if err == context.Canceled { // an error with more to say wraps it
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

// checkedWriter remembers the first error, so that a command whose output was not written
// does not exit with success.
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
