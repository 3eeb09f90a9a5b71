package newengine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/internal/gitbuild"
	"github.com/assay-chess/assay/cmd/internal/opts"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/tuner/slopes"
)

// New returns the command. Check tries what was written, with lines for each stage.
func New(check func(cmd *cobra.Command, top string) error) *cobra.Command {
	return &cobra.Command{
		Use:   "init [DIR]",
		Short: "Prepare your engine for tuning: assay.toml and its glue",
		Long: `Guess how the engine in a folder is built and where its evaluation is, in C, C++, Rust or Go, and
write two files into it:

  assay.toml   the command that builds the engine, and the files in which its numbers stand
  assay.c      (.cpp, .rs, .go) four functions around yours: start up, read a FEN, evaluate it, and
               remake what depends on the numbers

Then try every stage of assay learn in miniature, and say in one line each what remains to be done by
hand. Files that exist are not changed: correct them and type the command again. Nothing else in the
folder is touched; it must be the top of a git repository.`,
		Example: `  assay init
  assay init ../my-engine
  assay learn --engine . --hours 2.5`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			top := "."
			if len(args) > 0 {
				top = args[0]
			}
			if err := atTop(cmd.Context(), top); err != nil {
				return err
			}
			b := &beginner{top: top, out: cmd.OutOrStdout()}
			if err := b.write(); err != nil {
				return err
			}
			err := check(cmd, top)
			if errors.Is(err, slopes.ErrView) && b.glue != nil { // what was guessed just now
				if err := b.rewrite(); err != nil {
					return err
				}
				err = check(cmd, top)
			}
			if err == nil {
				err = context.Cause(cmd.Context())
			}
			return err
		},
	}
}

// atTop returns an error unless a folder is the top of a git repository, where assay learn reads assay.toml.
func atTop(ctx context.Context, dir string) error {
	_, err := os.Lstat(dir)
	if err == nil {
		_, err = os.ReadDir(dir)
	}
	if err != nil {
		return err
	}
	repo, err := gitbuild.OpenRepo(ctx, dir)
	if err != nil {
		return fmt.Errorf("%w; to make one, type there: git init && git add . && git commit -m engine", err)
	}
	here, _ := os.Stat(dir)
	if top, err := os.Stat(repo.Top); err == nil && !os.SameFile(here, top) {
		return ui.Usagef("%s is not the top of its git repository, where %s belongs; type: %s", dir, opts.ProjectName,
			ui.Words([]string{"assay", "init", repo.Top}))
	}
	return nil
}

// beginner writes the two files.
type beginner struct {
	top  string
	out  io.Writer
	glue *glue // that was written; nil: it was there
	e    *engine
}

func (b *beginner) line(name, format string, args ...any) {
	fmt.Fprintf(b.out, "%-8s %s\n", name, fmt.Sprintf(format, args...))
}

// write writes the files that are not there.
func (b *beginner) write() (err error) {
	project, err := opts.ReadProject(b.top)
	if err != nil {
		return err
	}
	complete := project.Build() != "" && len(project.Numbers) > 0 && project.Value != ""
	if complete {
		if _, err := os.Stat(filepath.Join(b.top, project.Value)); err == nil {
			return nil
		}
	}
	if b.e, err = read(b.top); err != nil {
		return err
	}
	if b.e == nil {
		return ui.Usagef("%s: no source of C, C++, Rust or Go with a main was found; name the engine's folder", b.top)
	}
	g := b.e.guess(false)
	if project.Value != "" {
		g.name = project.Value
	}
	b.line("engine", "%s, its main is in %s", b.e.lang.name, b.e.main.path)
	if err := b.writeProject(project, g.name); err != nil {
		return err
	}
	if err := b.create(g.name, g.text); errors.Is(err, fs.ErrExist) {
		return nil
	} else if err != nil {
		return err
	}
	b.glue = g
	for _, todo := range g.todo {
		b.line("to do", "%s: %s", g.name, todo)
	}
	return nil
}

// create writes a file unless it is there.
func (b *beginner) create(name, text string) error {
	path := filepath.Join(b.top, filepath.FromSlash(name))
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err == nil {
		b.line("written", "%s, %d lines", path, strings.Count(text, "\n"))
	}
	return err
}

// rewrite writes the author's file again, for values from White's view.
func (b *beginner) rewrite() error {
	g := b.e.guess(true)
	b.line("written", "%s again: the evaluation is from White's view already", b.glue.name)
	return os.WriteFile(filepath.Join(b.top, filepath.FromSlash(b.glue.name)), []byte(g.text), 0o666)
}

// writeProject writes assay.toml, or says what one that is there lacks.
func (b *beginner) writeProject(project *opts.Project, value string) error {
	build, how := b.e.build()
	files := b.e.numbers()
	if len(files) == 0 {
		b.line("to do", "%s: numbers: no file was found with the numbers of an evaluation", opts.ProjectName)
		files = []string{b.e.main.path}
	}
	lines := []struct {
		key   string
		value any
		has   bool
	}{
		{"build", build, project.Build() != ""}, {"numbers", files, len(project.Numbers) > 0},
		{"value", value, project.Value != ""},
	}
	var s strings.Builder
	for _, l := range lines {
		if l.has {
			continue
		}
		if err := toml.NewEncoder(&s).Encode(map[string]any{l.key: l.value}); err != nil {
			return err
		}
	}
	path := filepath.Join(b.top, opts.ProjectName)
	if _, err := os.Stat(path); err == nil {
		if s.Len() > 0 {
			return fmt.Errorf("%s lacks settings; add these lines above its first table:\n%s", path, s.String())
		}
		return nil
	}
	b.line("build", "%s (%s)", build, how)
	return b.create(opts.ProjectName, s.String())
}

var (
	numberFiles = regexp.MustCompile(`(?i)(eval|psq|pst|score|weight|param|material|pawn|king|mobility|endgame|term|bonus|value)`)
	otherwise   = regexp.MustCompile(`(?i)(search|trans|cache|trace|movegen|movepick|uci|bitboard|magic|attack|zobrist|hash|time|book|perft|` +
		`bench|main|thread|history)`)
)

// numbers guesses in which files the numbers of the evaluation stand.
func (e *engine) numbers() (files []string) {
	if len(e.files) == 1 {
		return []string{e.files[0].path}
	}
	evaluate := e.evaluation()
	for _, f := range slices.Concat(e.files, e.heads) {
		if evaluate != nil && f == evaluate.file ||
			numberFiles.MatchString(f.path) && !otherwise.MatchString(path.Base(f.path)) {
			files = append(files, f.path)
		}
	}
	slices.SortFunc(files, func(a, b string) int { return cmp.Or(cmp.Compare(depth(a), depth(b)), cmp.Compare(a, b)) })
	return files
}
