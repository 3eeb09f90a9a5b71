package ui

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/agext/levenshtein"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/selfplay/sprt"
)

// UsageError marks an error in how a command was called: main exits with 2 and names --help.
type UsageError struct{ err error }

func (e UsageError) Error() string { return e.err.Error() }
func (e UsageError) Unwrap() error { return e.err }

// Usage marks err as an error in how a command was called.
func Usage(err error) error { return UsageError{err} }

// Usagef returns a usage error with the message.
func Usagef(format string, args ...any) error { return Usage(fmt.Errorf(format, args...)) }

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

// patience are the timeouts that a command gave to an engine's specification.
var patience = regexp.MustCompile(`\b(uci|git):(?:(?:timeout|start)=[^:\s]+:)+`)

// Plain strips the timeouts that a command added to the texts of players.
func Plain(text string) string { return patience.ReplaceAllString(text, "$1:") }

// Nearest returns the candidate that a mistyped word most likely meant, or "" if none is near:
// at most half of the letters differ, or the word is the beginning of one candidate only.
func Nearest(word string, candidates []string) string {
	word = strings.ToLower(word)
	best, distance, completions := "", len(word)/2+1, []string(nil)
	for _, c := range candidates {
		if len(word) > 1 && strings.HasPrefix(strings.ToLower(c), word) {
			completions = append(completions, c)
		}
		if d := levenshtein.Distance(word, strings.ToLower(c), nil); d < distance {
			best, distance = c, d
		}
	}
	if best == "" && len(completions) == 1 {
		return completions[0]
	}
	return best
}

// DidYouMean returns a question for the end of an error, or "" if no candidate is near.
func DidYouMean(word, prefix string, candidates []string) string {
	near := Nearest(word, candidates)
	return If(near != "", "; did you mean %s%s?", prefix, near)
}

// FaultText is the text of a fault that is no player's of this run, with what to do about it.
func FaultText(err error) string {
	var f *dataset.ViewFault
	if errors.As(err, &f) {
		return fmt.Sprintf("%v; %s", err, ViewCure(f, false))
	}
	return err.Error()
}

// ViewCure says what to do about scores with a fault, which a player reported just now or
// which came from a file.
func ViewCure(f *dataset.ViewFault, player bool) string {
	switch {
	case f.Kind == dataset.OneSide && player:
		return "name the player uci:view=white:COMMAND, and run this again with another --out"
	case f.Kind == dataset.BothSides && player:
		return "correct the player"
	case f.Kind == dataset.OneSide && len(f.Players) > 0:
		return fmt.Sprintf("name them with --other-view %q", f.Players[0])
	case f.Kind == dataset.OneSide && f.Flipped:
		return "set --score-view white"
	case f.Kind == dataset.OneSide:
		return "import them with --score-view mover; an engine that prints White's view plays as uci:view=white:COMMAND"
	case f.Kind == dataset.MoverResults:
		return "import them with --result-view mover"
	case f.Kind == dataset.MoverBoth:
		return "import them with --score-view mover --result-view mover"
	case f.Kind == dataset.TwoScales:
		return "'assay data relabel' gives all positions scores of one engine, wdl --player takes one player's, and tune " +
			"--lambda 1 needs none"
	case f.Kind == dataset.BothSides:
		return "are the values of --results in order: Black won, draw, White won?"
	}
	return "correct the scores, or leave them out (of a table by _ in place of score in --columns)"
}
