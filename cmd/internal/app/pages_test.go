package app

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-chess/assay/cmd/assay/guide"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/internal/setup"
)

// root is the folder of the module.
const root = "../../.."

// pageBlock is a block of commands of a page.
type pageBlock struct {
	Mark string   // of the comment <!-- ci: MARK --> above it, if there is one
	Text []string // its lines, joined where they end in a backslash
	// Output are lines that its commands print: a fence of text below it. Three dots at the end of one
	// stand for the rest of it.
	Output []string
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
		case fence == "```text" && len(blocks) > 0:
			blocks[len(blocks)-1].Output = append(blocks[len(blocks)-1].Output, line)
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
			words := append(setup.Must(quote.Split(args)), "|")
			return words[:slices.IndexFunc(words, regexp.MustCompile(`^(>|\||&&|2>)`).MatchString)]
		}
	}
	return nil
}

// parses reports a command whose subcommand, flags or number of arguments are wrong. It returns the arguments.
func parses(t *testing.T, where string, args []string) []string {
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
	return cmd.Flags().Args()
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
			continue // names removed commands
		}
		text := setup.Must(os.ReadFile(filepath.Join(root, name)))
		for _, b := range pageBlocks(string(text)) {
			for _, line := range b.Text {
				if args := command(line); args != nil {
					inBlocks++
					parses(t, name, args)
				}
			}
		}
		for _, found := range inline.FindAllStringSubmatch(string(text), -1) {
			args := setup.Must(quote.Split(strings.ReplaceAll(found[1], "\n", " ")))
			cmd, rest, err := newRootCommand().Find(args)
			if err != nil {
				t.Errorf("%s: %s: %v", name, found[0], err)
			}
			inText++
			for _, arg := range rest {
				flag, _, _ := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
				if strings.HasPrefix(arg, "--") && flag != "help" && cmd.Flags().Lookup(flag) == nil &&
					cmd.InheritedFlags().Lookup(flag) == nil {
					t.Errorf("%s: %s: there is no --%s", name, found[0], flag)
				}
			}
		}
	}
	if inBlocks < 60 || inText < 35 {
		t.Errorf("%d commands in blocks, %d in text", inBlocks, inText)
	}
}

// TestResults finds below each table of measurements the command of .ci/results that makes it again,
// the seed and the version, and parses the commands that this command runs.
func TestResults(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("needs bash")
	}
	results := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(bash, append([]string{".ci/results"}, args...)...)
		cmd.Dir = root
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf(".ci/results %q: %v", args, err)
		}
		return string(out)
	}
	known, named := map[string]bool{}, map[string]bool{}
	for name := range strings.FieldsSeq(results()) {
		known[name] = true
		commands := 0
		for line := range strings.Lines(results("--print", name, "0.01")) {
			line = strings.TrimPrefix(line, "+ ")
			if args := command(line); args != nil {
				parses(t, ".ci/results "+name, args)
			}
			commands++
		}
		if commands == 0 {
			t.Errorf(".ci/results %s runs nothing", name)
		}
	}
	pedigree := regexp.MustCompile("(?s)^`\\.ci/results ([a-z-]+)`.*seed.*(bench [0-9]{7}|commit [0-9a-f]{7})")
	tables := 0
	for _, page := range []string{"RESULTS.md", "internal/historic/README.md"} {
		text := setup.Must(os.ReadFile(filepath.Join(root, page)))
		paragraphs := strings.Split(string(text), "\n\n")
		for i, p := range paragraphs {
			if !strings.HasPrefix(p, "|") || strings.HasPrefix(p, "| program | year |") {
				continue
			}
			tables++
			found := pedigree.FindStringSubmatch(paragraphs[min(i+1, len(paragraphs)-1)])
			if found == nil || !known[found[1]] {
				t.Errorf("%s: the paragraph below this table does not begin with .ci/results NAME in backquotes, then seed and version:\n%s", page, p)
				continue
			}
			named[found[1]] = true
		}
		for _, found := range regexp.MustCompile("`\\.ci/results ([a-z-]+)").FindAllStringSubmatch(string(text), -1) {
			if named[found[1]] = true; !known[found[1]] {
				t.Errorf("%s: .ci/results %s does not exist", page, found[1])
			}
		}
	}
	for name := range known {
		if !named[name] {
			t.Errorf(".ci/results %s makes no table of a page", name)
		}
	}
	if tables < 10 {
		t.Errorf("%d tables", tables)
	}
}

// TestGuideNames finds every guide in the list of them, and the README names them with their numbers.
func TestGuideNames(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "cmd/assay/guide/*.md"))
	if err != nil || len(files) != len(guide.Names) {
		t.Errorf("%d guides, %d of them in the list, %v", len(files), len(guide.Names), err)
	}
	readme := setup.Must(os.ReadFile(filepath.Join(root, "README.md")))
	for i, name := range guide.Names {
		want := fmt.Sprintf(`\[%d [^]]+\]\(cmd/assay/guide/%s\.md\)`, i+1, name)
		if !regexp.MustCompile(want).Match(readme) {
			t.Errorf("README.md has no link to guide %d, %s", i+1, name)
		}
		code, byName, errs := call(t, "guide", name)
		_, byNumber, _ := call(t, "guide", strconv.Itoa(i+1))
		if code != 0 || byName == "" || byName != byNumber {
			t.Errorf("guide %s ends with %d, %s; by number it is another: %t", name, code, errs, byName != byNumber)
		}
	}
}

// TestPagesLink opens what the pages link to within this repository.
func TestPagesLink(t *testing.T) {
	tracked, err := exec.Command("git", "-C", root, "ls-files", "*.md").Output()
	if err != nil {
		t.Skip("needs git and a clone: ", err)
	}
	for _, name := range strings.Fields(string(tracked)) {
		text := setup.Must(os.ReadFile(filepath.Join(root, name)))
		for _, found := range regexp.MustCompile(`\]\(([^)\s]+)\)`).FindAllStringSubmatch(string(text), -1) {
			path, anchor, _ := strings.Cut(found[1], "#")
			if strings.Contains(path, "://") {
				continue
			}
			target := filepath.Join(root, filepath.Dir(name), path)
			if path == "" {
				target = filepath.Join(root, name)
			}
			page, err := os.ReadFile(target)
			if _, missing := os.Stat(target); missing != nil {
				t.Errorf("%s: %v", name, missing)
			} else if anchor != "" && (err != nil || !anchors(string(page))[anchor]) {
				t.Errorf("%s: %s has no heading #%s", name, path, anchor)
			}
		}
	}
}

// TestWorkedChanges applies the diffs of CONTRIBUTING to the tree, without writing.
func TestWorkedChanges(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	text := string(setup.Must(os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))))
	diffs := strings.Split(text, "\n```diff\n")[1:]
	for _, diff := range diffs {
		diff, _, _ = strings.Cut(diff, "```")
		cmd := exec.Command("git", "apply", "--check", "-")
		cmd.Dir, cmd.Stdin = root, strings.NewReader(diff)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %s\n%s", err, out, diff)
		}
	}
	if len(diffs) != 3 {
		t.Errorf("%d diffs", len(diffs))
	}
}

func anchors(page string) map[string]bool {
	list := map[string]bool{}
	for line := range strings.Lines(page) {
		if heading, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && line[0] == '#' {
			kept := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(strings.TrimSpace(heading)), "")
			list[strings.ReplaceAll(kept, " ", "-")] = true
		}
	}
	return list
}

// TestReadme says what the marks of the README's blocks may be, and that its three recipes are run.
func TestReadme(t *testing.T) {
	text := setup.Must(os.ReadFile(filepath.Join(root, "README.md")))
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
	for _, want := range []string{"go run ./cmd/assay learn --games", "assay tune runs/positions",
		"assay learn --engine runs/flint --check"} {
		if !strings.Contains(run, want) {
			t.Errorf("CI does not run %q, but\n%s", want, run)
		}
	}
}

// readmeLine returns what CI runs of a line of the README: nothing if its block is only parsed or the line clones,
// a command of assay with the flags of the mark, which replace its own, another line as it stands.
func readmeLine(b pageBlock, line string) string {
	switch {
	case strings.HasPrefix(b.Mark, "only parsed"), strings.HasPrefix(line, "git clone "):
		return ""
	case strings.HasPrefix(b.Mark, "--") && command(line) != nil:
		return line + " " + b.Mark
	}
	return line
}
