package ui

import (
	"os"
	"regexp"
	"runtime"
)

// colours of the first words of lines on a terminal: verdicts in green, red and yellow, and warnings
// in yellow. The words stand in match.Result.Headline, of tuner.Result.Headline, of
// assay sprt and of messages.
var colours = []struct {
	words *regexp.Regexp
	code  string
}{
	{regexp.MustCompile(`(?m)^(?:PASSED|STRONGER|Verdict: better\b|verdict +PASSED\b)`), "32"},
	{regexp.MustCompile(`(?m)^(?:FAILED|WEAKER|Verdict: worse\b|verdict +FAILED\b)`), "31"},
	{regexp.MustCompile(`(?m)^(?:(?:verdict +)?UNDECIDED|NO CLEAR WINNER|NO VERDICT|` +
		`Verdict: no(?: difference shown|ne)\b|(?:[a-z]+(?: [a-z]+)*: )?warning\b)`), "33"},
}

// wantsColour reports whether a terminal is to have colours (no-color.org).
func wantsColour() bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" &&
		(runtime.GOOS != "windows" || os.Getenv("WT_SESSION") != "") // older windows show the codes
}

// colourLines colours the first words of lines.
func colourLines(text []byte) []byte {
	for _, c := range colours {
		text = c.words.ReplaceAll(text, []byte("\x1b["+c.code+"m$0\x1b[0m"))
	}
	return text
}
