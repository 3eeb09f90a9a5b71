package ui

import (
	"github.com/assay-chess/assay/selfplay/sprt"
)

// The exit codes of the process. A lost match or a rejected candidate is a result, not a failure; with
// --exit-status it has a code of its own (ExitCode).
const (
	ExitDone        = 0
	ExitFailed      = 1
	ExitUsage       = 2
	ExitInterrupted = 130 // by Ctrl-C or SIGTERM, as shells have it; work that was done all the same is 0
)

// ExitCode is an error that is no failure: the process ends with the code, and nothing is printed.
type ExitCode int

func (ExitCode) Error() string { return "ended with the exit code of its result" }

// The exit codes of --exit-status, beside 0 for a test that passed. A match without a verdict is
// a failure: 1.
const (
	exitTestFailed ExitCode = 3
	exitUndecided  ExitCode = 4
)

// TestExit returns the exit code of a sequential test's verdict as an error; nil if A passed.
func TestExit(verdict string) error {
	switch verdict {
	case sprt.AcceptH1.String():
		return nil
	case sprt.AcceptH0.String():
		return exitTestFailed
	}
	return exitUndecided
}

// Interrupted is the error of a command that Ctrl-C ended. It says what the command kept, and how to go on.
type Interrupted string

func (i Interrupted) Error() string { return "interrupted; " + string(i) }

// Kept is the error of an interrupted command that goes on in the folder with a command line.
func Kept(dir, resume string) error {
	return Interrupted("finished work is in " + dir + ", resume with: " + resume)
}
