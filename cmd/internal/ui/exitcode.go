package ui

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/dataset/durable"
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
	return Interrupted("what is finished is in " + dir + ", resume with: " + resume)
}

// InterruptedBy returns what a command prints last after Ctrl-C, where err ended it.
func InterruptedBy(cmd *cobra.Command, err error) error {
	var own Interrupted
	if errors.As(err, &own) {
		return own
	}
	if out := cmd.Flags().Lookup("out"); out != nil && out.Value.String() != "" {
		dir := out.Value.String()
		if info, err := durable.ReadRunInfo(dir); err == nil && info.Resume != "" {
			return Kept(dir, info.Resume)
		}
		if files, err := os.ReadDir(dir); err == nil && len(files) > 0 {
			return Kept(dir, CommandLine(cmd, cmd.Flags().Args()))
		}
	}
	return Interrupted("nothing was written")
}
