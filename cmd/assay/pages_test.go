package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// root is the folder of the module.
const root = "../.."

// pageBlock is a block of commands of a page.
type pageBlock struct {
	Mark string   // of the comment <!-- ci: MARK --> above it, if there is one
	Text []string // its lines, joined where they end in a backslash
}

// pageBlocks returns the blocks of a page in Markdown that hold commands: indented ones, and
// fenced ones of a shell.
func pageBlocks(page string) (blocks []pageBlock) {
	var mark, fence string
	open := false // whether the line before was in the last block
	add := func(line string) {
		if !open {
			blocks, mark, open = append(blocks, pageBlock{Mark: mark}), "", true
		}
		text := &blocks[len(blocks)-1].Text
		if n := len(*text) - 1; n >= 0 && strings.HasSuffix((*text)[n], "\\") {
			(*text)[n] = strings.TrimSuffix((*text)[n], "\\") + strings.TrimSpace(line)
			return
		}
		*text = append(*text, line)
	}
	for line := range strings.Lines(page) {
		line = strings.TrimRight(line, "\n")
		rest, isFence := strings.CutPrefix(strings.TrimSpace(line), "```")
		code, indented := strings.CutPrefix(line, "    ")
		switch found := strings.HasPrefix(line, "<!-- ci: "); {
		case isFence && fence == "":
			fence, open = "```"+rest, false
		case isFence:
			fence, open = "", false
		case fence == "```sh":
			add(line)
		case fence == "" && indented:
			add(code)
		case found:
			mark = strings.TrimSuffix(strings.TrimPrefix(line, "<!-- ci: "), " -->")
		default:
			open = false
		}
	}
	return blocks
}

// command returns the arguments of a line that calls assay, and nil of another line.
func command(line string) []string {
	line, _, _ = strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "$ "), " #")
	if regexp.MustCompile(`^[A-Z_]+=\S+ `).MatchString(line) {
		_, line, _ = strings.Cut(line, " ")
	}
	for _, program := range []string{"assay ", "./assay ", "go run ./cmd/assay "} {
		if args, ok := strings.CutPrefix(line, program); ok {
			args = regexp.MustCompile(` (>|>>|\||&&|2>) ?.*`).ReplaceAllString(args, "")
			return quotedFields(strings.ReplaceAll(args, `"`, "'"))
		}
	}
	return nil
}

// parses reports a command whose subcommand, flags or number of arguments are wrong.
func parses(t *testing.T, where string, args []string) {
	t.Helper()
	cmd, rest, err := newRootCommand().Find(args)
	if err == nil {
		err = cmd.ParseFlags(rest)
	}
	if err == nil {
		err = cmd.ValidateArgs(cmd.Flags().Args())
	}
	if err != nil {
		t.Errorf("%s: assay %s: %v", where, strings.Join(args, " "), err)
	}
}

// TestPagesParse parses every command in the blocks of every page, and every command within
// its text as far as its flags go.
func TestPagesParse(t *testing.T) {
	tracked, err := exec.Command("git", "-C", root, "ls-files", "*.md").Output()
	if err != nil {
		t.Skip("needs git and a clone: ", err)
	}
	inline := regexp.MustCompile("`assay ([^`]+)`")
	inBlocks, inText := 0, 0
	for _, name := range strings.Fields(string(tracked)) {
		if name == "CHANGELOG.md" {
			continue // names what is gone
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range pageBlocks(string(text)) {
			for _, line := range b.Text {
				if args := command(line); args != nil {
					inBlocks++
					parses(t, name, args)
				}
			}
		}
		for _, found := range inline.FindAllStringSubmatch(string(text), -1) {
			args := quotedFields(strings.ReplaceAll(found[1], "\n", " "))
			cmd, rest, err := newRootCommand().Find(args)
			if err != nil {
				t.Errorf("%s: %s: %v", name, found[0], err)
			}
			inText++
			for _, arg := range rest {
				flag, _, _ := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
				if strings.HasPrefix(arg, "--") && flag != "help" && cmd.Flags().Lookup(flag) == nil && cmd.InheritedFlags().Lookup(flag) == nil {
					t.Errorf("%s: %s: there is no --%s", name, found[0], flag)
				}
			}
		}
	}
	if inBlocks < 80 || inText < 50 {
		t.Errorf("%d commands in blocks, %d in text", inBlocks, inText)
	}
}

// TestReadme says what the marks of the README's blocks may be, and that its three recipes are run.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	run := ""
	for _, b := range pageBlocks(string(text)) {
		for _, line := range b.Text {
			line := readmeLine(b, line)
			if args := command(line); args != nil {
				parses(t, "README.md", args)
			}
			run += line + "\n"
		}
	}
	for _, want := range []string{"go run ./cmd/assay learn --games", "assay tune runs/features", "assay match runs/new runs/base"} {
		if !strings.Contains(run, want) {
			t.Errorf("CI does not run %q, but\n%s", want, run)
		}
	}
	lines := 0
	for s := bufio.NewScanner(strings.NewReader(string(text))); s.Scan(); {
		lines++
	}
	if lines > 120 {
		t.Errorf("README.md has %d lines; at most 120 are read", lines)
	}
}

// readmeLine returns what CI runs of a line of the README: nothing if its block is only parsed,
// a command of assay with the flags of the mark, which replace its own, another line as it stands.
func readmeLine(b pageBlock, line string) string {
	switch {
	case strings.HasPrefix(b.Mark, "only parsed"):
		return ""
	case strings.HasPrefix(b.Mark, "--") && command(line) != nil:
		return line + " " + b.Mark
	}
	return line
}
