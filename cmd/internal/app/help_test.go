package app

import (
	"bytes"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/rivo/uniseg"
	"github.com/spf13/pflag"

	"github.com/assay-chess/assay/cmd/assay/guide"
	"github.com/assay-chess/assay/cmd/internal/ui"
)

// helpLines is the most that --help may print, on a terminal of 80 columns or more; textLines, what a command may
// say beside its flags.
const helpLines, textLines = 40, 12

// terminal is a writer of a number of columns.
type terminal struct {
	bytes.Buffer
	columns int
}

func (t *terminal) Columns() int { return t.columns }

// lines counts the lines of the terminal that show the text.
func (t *terminal) lines() (n int) {
	for line := range strings.Lines(t.String()) {
		n += 1 + max(0, uniseg.StringWidth(strings.TrimRight(line, "\n"))-1)/t.columns
	}
	return n
}

// helpAt returns what a command line prints on a terminal.
func helpAt(t *testing.T, columns int, args ...string) *terminal {
	t.Helper()
	out := &terminal{columns: columns}
	root := newRootCommand()
	root.SetArgs(args)
	root.SetOut(out)
	if err := root.Execute(); err != nil {
		t.Errorf("assay %s: %v", strings.Join(args, " "), err)
	}
	return out
}

// The help of every command fits a screen, and names its flags and commands that are left out.
func TestHelpIsShort(t *testing.T) {
	for _, cmd := range allCommands(newRootCommand()) {
		path := strings.Fields(cmd.CommandPath())[1:]
		if n := strings.Count(cmd.Long, "\n") + 1; n > textLines {
			t.Errorf("%s: a text of %d lines, more than %d: say it in a guide", cmd.CommandPath(), n, textLines)
		}
		for _, columns := range []int{80, 100} {
			out := helpAt(t, columns, append(path, "--help")...)
			if n := out.lines(); n > helpLines {
				t.Errorf("%s --help: %d lines at %d columns, more than %d", cmd.CommandPath(), n, columns, helpLines)
			}
			t.Logf("%-30s %3d columns: %2d lines", cmd.CommandPath(), columns, out.lines())
		}
		for _, child := range cmd.Commands() {
			if out := helpAt(t, 80, append(path, "--help")...); !strings.Contains(out.String(), child.Name()) {
				t.Errorf("%s --help does not name %s", cmd.CommandPath(), child.Name())
			}
		}
	}
}

// assay help COMMAND --all has the whole text and all flags, each once, and so has the short help of
// what it shows.
func TestHelpHasEverything(t *testing.T) {
	for _, cmd := range allCommands(newRootCommand()) {
		if !cmd.HasParent() {
			continue
		}
		path := strings.Fields(cmd.CommandPath())[1:]
		all := helpAt(t, 500, append([]string{"help", "--all"}, path...)...).String()
		short := helpAt(t, 500, append(path, "--help")...).String()
		if text := strings.TrimSpace(cmd.Long); !strings.HasPrefix(all, text) {
			t.Errorf("help %s --all does not begin with the whole text", cmd.CommandPath())
		}
		left := 0
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			line := regexp.MustCompile(`(?m)^ {2,6}(-\w, )?--` + f.Name + `[ \[]`)
			if n := len(line.FindAllString(all, -1)); n != 1 {
				t.Errorf("help %s --all shows --%s %d times", cmd.CommandPath(), f.Name, n)
			}
			if !line.MatchString(short) {
				left++
			}
			if _, shown := f.Annotations[ui.ShortHelpFlag]; shown && !line.MatchString(short) {
				t.Errorf("%s --help leaves out --%s", cmd.CommandPath(), f.Name)
			}
		})
		if more := "assay help " + strings.Join(path, " ") + " --all"; left > 1 && !strings.Contains(short, more) {
			t.Errorf("%s --help leaves out %d flags and does not name %q", cmd.CommandPath(), left, more)
		}
	}
}

// The script of assay completion bash completes in a bash that has nothing else, also words with = and :.
func TestCompletionInBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	_, script, _ := call(t, "completion", "bash")
	for line, want := range map[string]string{
		"assay mat":                  "match",
		"assay data sh":              "shuffle",
		"assay match a:b=c --conc":   "--concurrency",
		"assay completion f":         "fish",
		"assay help data imp":        "import",
		"assay match --elo-model=x ": "",
	} {
		cmd := exec.Command(bash, "--norc", "--noprofile", "-c", script+`
COMP_LINE=$1 COMP_POINT=${#1} COMP_TYPE=9 COMP_KEY=9
compopt() { :; }
read -ra COMP_WORDS <<<"$1"; COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
__start_assay assay "${COMP_WORDS[COMP_CWORD]}" ""
printf '%s\n' "${COMPREPLY[@]}"`, "bash", line)
		out, err := cmd.CombinedOutput()
		if got := strings.Fields(string(out)); err != nil || want != "" && (len(got) == 0 || got[0] != want) ||
			strings.Contains(string(out), "not found") {
			t.Errorf("%q completes to %q, want %q: %v", line, out, want, err)
		}
	}
}

// Nothing that help and guides print is wider than a terminal, but for commands and code in guides.
func TestHelpFitsColumns(t *testing.T) {
	check := func(args ...string) {
		t.Helper()
		fenced := false
		for line := range strings.Lines(helpAt(t, 80, args...).String()) {
			line = strings.TrimRight(line, "\n")
			fenced = fenced != strings.HasPrefix(line, "```")
			code := args[0] == "guide" && (fenced || strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "|"))
			if uniseg.StringWidth(line) > 80 && !code {
				t.Errorf("assay %s: wider than 80 columns: %s", strings.Join(args, " "), line)
			}
		}
	}
	for _, cmd := range allCommands(newRootCommand()) {
		path := strings.Fields(cmd.CommandPath())[1:]
		check(append(path, "--help")...)
		if len(path) > 0 {
			check(append([]string{"help", "--all"}, path...)...)
		}
	}
	for _, name := range guide.Names {
		check("guide", name)
	}
}
