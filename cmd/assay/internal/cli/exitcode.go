package cli

import "github.com/assay-chess/assay/selfplay/sprt"

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
