//go:build unix

package processtest

import (
	"os/exec"
	"strings"
	"testing"
)

// The shell starts the command with standard output closed. What was asked for cannot be
// printed, and that is no success. Output that is discarded on purpose is.
func TestJSONWithClosedOutput(t *testing.T) {
	for command, want := range map[string]string{
		"exec assay perft startpos 1 --json >&-":        "standard output is closed",
		"exec assay data stat nothing --json >&-":       "standard output is closed", // has a hook of its own
		"exec assay perft startpos 1 --json >/dev/null": "",
		"exec assay perft startpos 1 --json | cat":      "",
		"exec assay perft startpos 1 >&-":               "",
	} {
		out, err := exec.Command("sh", "-c", command).CombinedOutput()
		text := string(out)
		if want == "" && err != nil || want != "" && (err == nil || exitCodeOf(err) != exitFailed ||
			!strings.Contains(text, want)) {
			t.Errorf("%s: %v, %q", command, err, text)
		}
	}
}

func exitCodeOf(err error) int {
	if exit, ok := err.(*exec.ExitError); ok {
		return exit.ExitCode()
	}
	return -1
}
