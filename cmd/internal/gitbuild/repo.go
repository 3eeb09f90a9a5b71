// Package gitbuild builds engines from the commits of a git repository, and keeps what it
// built.
//
// A Repo resolves the names of commits and makes a Source of each: a commit, or the files of
// the working tree by their hash. A Cache builds a Source with a command, in a clone of its
// own (git clone --shared), and never writes into the repository. Each build has a folder in
// the cache that appears whole or not at all, also after kill -9. Two processes that want the
// same build make it once. The last Keep builds stay.
//
// It does not know players or matches: cmd/internal/app turns git:REF into a build.
//
// Start reading at OpenRepo and Cache.Build.
package gitbuild

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/assay-chess/assay/internal/durable"
)

// WorkTree stands for the files of the working tree, in place of a commit's name.
const WorkTree = "."

// ErrNoGit says that a repository or a commit cannot be found.
var ErrNoGit = errors.New("git finds no")

// Repo is a git repository, with or without a working tree.
type Repo struct {
	Top    string // folder of the working tree; empty for a bare repository
	gitDir string // .git; of a further working tree its part of it
	common string // .git; what all working trees share
}

// Source is what an engine is built from.
type Source struct {
	ID      string // of the commit, or of the tree of the working tree's files: 40 or 64 hex digits
	IsTree  bool   // of the working tree
	Subject string // first line of the commit's message
	Bench   uint64 // nodes that the commit's message says bench searches; 0: it says none
	repo    *Repo
	head    string // for a tree: the commit that is checked out
	objects string // for a tree: folder of the git objects of changed files; empty: build it only if it is in the cache
}

// shortID is how many digits of an id are shown and recorded.
const shortID = 12

// Short returns the first digits of the id, after "tree-" for a tree.
func (s *Source) Short() string {
	id := s.ID[:min(shortID, len(s.ID))]
	if s.IsTree {
		return "tree-" + id
	}
	return id
}

// OpenRepo finds the repository that a folder belongs to.
func OpenRepo(ctx context.Context, dir string) (*Repo, error) {
	text, err := runGit(ctx, dir, nil, "rev-parse", "--absolute-git-dir", "--git-common-dir", "--is-bare-repository")
	lines := strings.Split(text, "\n")
	if err == nil && len(lines) != 3 {
		err = fmt.Errorf("git rev-parse: %q", text)
	}
	if err != nil {
		return nil, fmt.Errorf("%w repository in %s: %w", ErrNoGit, dir, err)
	}
	r := &Repo{gitDir: lines[0], common: lines[1]}
	if !filepath.IsAbs(r.common) {
		if r.common, err = filepath.Abs(filepath.Join(dir, r.common)); err != nil {
			return nil, err
		}
	}
	if lines[2] != "true" {
		r.Top, err = runGit(ctx, dir, nil, "rev-parse", "--show-toplevel")
	}
	return r, err
}

// Name returns the name of the repository's folder, made fit for a file's name.
func (r *Repo) Name() string {
	name := filepath.Base(r.Top)
	if r.Top == "" {
		name = strings.TrimSuffix(filepath.Base(r.common), ".git")
	}
	name = strings.Trim(regexp.MustCompile(`[^A-Za-z0-9._-]+`).ReplaceAllString(name, "-"), ".-")
	if name == "" {
		return "engine"
	}
	return name
}

// Resolve returns the commit of a name such as HEAD, main, v1.2 or 1a2b3c4.
func (r *Repo) Resolve(ctx context.Context, ref string) (*Source, error) {
	none := fmt.Errorf("%w commit %q in %s", ErrNoGit, ref, r.folder())
	if strings.HasPrefix(ref, "-") {
		return nil, none
	}
	id, err := runGit(ctx, r.folder(), nil, "rev-parse", "--verify", "--quiet", ref+"^{commit}")
	if err != nil {
		return nil, none
	}
	text, err := runGit(ctx, r.folder(), nil, "cat-file", "commit", id)
	if err != nil {
		return nil, err
	}
	_, message, _ := strings.Cut(text, "\n\n")
	subject, _, _ := strings.Cut(message, "\n")
	return &Source{ID: id, Subject: subject, Bench: benchOf(message), repo: r}, nil
}

// benchOf returns the nodes of bench in a commit's message, written as for OpenBench: "Bench:
// 123456", in any case, also "bench 123456" and "Bench=123,456". The last one counts.
func benchOf(message string) uint64 {
	list := benchInMessage.FindAllStringSubmatch(message, -1)
	if list == nil {
		return 0
	}
	n, err := strconv.ParseUint(strings.ReplaceAll(list[len(list)-1][1], ",", ""), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// At least four digits: "bench 3 times" is not meant.
var benchInMessage = regexp.MustCompile(`(?i)\bbench[ :=]+([0-9][0-9,]{3,})`)

// Dirty returns how many files of the working tree differ from the commit that is checked
// out. New files that git does not track are not counted.
func (r *Repo) Dirty(ctx context.Context) (int, error) {
	if r.Top == "" {
		return 0, nil
	}
	text, err := runGit(ctx, r.Top, nil, "status", "--porcelain", "--untracked-files=no")
	if text == "" || err != nil {
		return 0, err
	}
	return strings.Count(text, "\n") + 1, nil
}

// Snapshot returns the files of the working tree, new ones included, without those that
// .gitignore names, and without some folders, as far as these are in the repository. Git objects of changed files are
// written to the folder temp, not to the repository.
func (r *Repo) Snapshot(ctx context.Context, temp string, without ...string) (*Source, error) {
	if r.Top == "" {
		return nil, fmt.Errorf("%w working tree: %s is a bare repository", ErrNoGit, r.common)
	}
	s := &Source{IsTree: true, Subject: "the working tree", repo: r, objects: filepath.Join(temp, "objects")}
	env, err := s.environment()
	if err != nil {
		return nil, err
	}
	index := filepath.Join(temp, "index")
	env = append(env, "GIT_INDEX_FILE="+index)
	if err := copyIndex(filepath.Join(r.gitDir, "index"), index); err != nil {
		return nil, err
	}
	words := []string{"add", "--all", "."}
	for _, dir := range without {
		parent, _ := filepath.EvalSymlinks(filepath.Dir(dir)) // as Top is; what does not exist needs no exclusion
		target, _ := filepath.EvalSymlinks(dir)               // it may itself be a link into the repository
		for _, place := range []string{filepath.Join(parent, filepath.Base(dir)), target} {
			if inside, err := filepath.Rel(r.Top, place); err == nil && filepath.IsLocal(inside) && inside != "." {
				words = append(words, ":(exclude,literal)"+filepath.ToSlash(inside))
			}
		}
	}
	if _, err := runGit(ctx, r.Top, env, words...); err != nil {
		return nil, err
	}
	if s.ID, err = runGit(ctx, r.Top, env, "write-tree"); err != nil {
		return nil, err
	}
	if s.head, err = runGit(ctx, r.Top, nil, "rev-parse", "--verify", "--quiet", "HEAD"); err != nil {
		err = fmt.Errorf("%s has no commit yet: git add . && git commit", r.Top)
	}
	return s, err
}

// copyIndex copies git's list of files, if there is one, so that files that have not changed are
// not read again. It keeps the time of the list: git reads files again that were written
// after it or at the same moment, and with a later time it would take them for unchanged.
func copyIndex(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return nil // all files are read
	}
	old, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.WriteFile(to, old, 0o666); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

// Built returns the source of a tree that was built before. It can be taken from the cache
// but not be built again.
func (r *Repo) Built(id string) *Source {
	return &Source{ID: id, IsTree: true, Subject: "the working tree as it was", repo: r}
}

// environment makes git read the objects of a tree.
func (s *Source) environment() ([]string, error) {
	if s.objects == "" {
		return nil, nil
	}
	if err := os.MkdirAll(s.objects, 0o777); err != nil {
		return nil, err
	}
	own := strconv.Quote(filepath.Join(s.repo.common, "objects"))
	return []string{"GIT_OBJECT_DIRECTORY=" + s.objects, "GIT_ALTERNATE_OBJECT_DIRECTORIES=" + own}, nil
}

// Checkout writes the source's files into the new folder dir, a clone of the repository.
func (s *Source) Checkout(ctx context.Context, dir string) error {
	if _, err := runGit(ctx, filepath.Dir(dir), nil, "clone", "--quiet", "--shared", "--no-checkout", s.repo.common,
		dir); err != nil {
		return err
	}
	if !s.IsTree {
		_, err := runGit(ctx, dir, nil, "checkout", "--quiet", "--detach", s.ID)
		return err
	}
	env, err := s.environment()
	if err != nil {
		return err
	}
	if _, err := runGit(ctx, dir, nil, "update-ref", "--no-deref", "HEAD", s.head); err != nil {
		return err
	}
	_, err = runGit(ctx, dir, env, "read-tree", "-u", "--reset", s.ID)
	return err
}

var gitlink = regexp.MustCompile(`(?m)^160000 .*\t(.*)$`)

// Unfilled adds the source's submodules to the error of a command that failed: a checkout leaves their folders empty.
func (s *Source) Unfilled(ctx context.Context, err error) error {
	env, e := s.environment()
	if !errors.Is(err, ErrBuild) || e != nil {
		return err
	}
	tree, _ := runGit(ctx, s.repo.folder(), env, "ls-tree", "-r", s.ID) // without it the error is what it was
	var paths []string
	for _, m := range gitlink.FindAllStringSubmatch(tree, -1) {
		paths = append(paths, m[1])
	}
	if paths == nil {
		return err
	}
	return fmt.Errorf("%w\nthe engine is built in a copy whose submodules are not filled: %s; if it needs them, commit "+
		"their files instead, or let the build command copy them there", err, strings.Join(paths, ", "))
}

// folder returns a folder to run git in.
func (r *Repo) folder() string {
	if r.Top != "" {
		return r.Top
	}
	return r.common
}

// runGit runs git in a folder, and returns its output without the last newline. Programs that the repository's own
// settings name do not run: the repository may be a stranger's.
func runGit(ctx context.Context, dir string, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.fsmonitor=", "-c", "core.hooksPath=" + os.DevNull},
		args...)...)
	cmd.Dir = dir
	cmd.Env = append(append(cleanEnvironment(), "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C"), env...)
	out, err := cmd.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		said := strings.TrimSpace(string(failed.Stderr))
		return "", fmt.Errorf("git %s: %s", args[0], strings.TrimPrefix(said, "fatal: "))
	}
	if err != nil {
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}

// cleanEnvironment returns the environment without variables that point git to another
// repository, as in a hook, and without the secrets of assay's own.
func cleanEnvironment() (env []string) {
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		switch name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
			"GIT_PREFIX", "GIT_COMMON_DIR", "GIT_NAMESPACE":
			continue
		}
		if !strings.HasPrefix(name, "ASSAY_") {
			env = append(env, e)
		}
	}
	return env
}

// diffOf returns a change as git apply reads it, whatever the user's settings of git diff are.
func diffOf(ctx context.Context, dir, from, to string) (string, error) {
	return runGit(ctx, dir, nil, "diff", "--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/",
		"--dst-prefix=b/", "--unified=3", "--submodule=short", "--binary", "--full-index", from, to)
}

// ErrPatch is wrapped by the error of a patch that does not apply.
var ErrPatch = errors.New("does not apply")

// Patch is a change of a repository's files.
type Patch struct {
	Name string // for errors
	ID   string // digest of the change
	diff string
}

// newPatch returns the patch of a diff as git apply reads it.
func newPatch(name, diff string) (*Patch, error) {
	if strings.TrimSpace(diff) == "" {
		return nil, fmt.Errorf("%s: the patch is empty", name)
	}
	return &Patch{name, durable.SumBytes([]byte(diff))[:shortID], strings.TrimRight(diff, "\n") + "\n"}, nil
}

// ReadPatch reads a patch from a file, as git diff or git format-patch wrote it.
func ReadPatch(path string) (*Patch, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return newPatch(path, string(text))
}

// Patch returns what a commit changed, against its first parent.
func (s *Source) Patch(ctx context.Context, name string) (*Patch, error) {
	if s.IsTree {
		return nil, fmt.Errorf("%s: %w commit: the working tree has none", name, ErrNoGit)
	}
	if _, err := runGit(ctx, s.repo.folder(), nil, "rev-parse", "--verify", "--quiet", s.ID+"^"); err != nil {
		return nil, fmt.Errorf("%s: %w parent of %s", name, ErrNoGit, s.Short())
	}
	diff, err := diffOf(ctx, s.repo.folder(), s.ID+"^", s.ID)
	if err != nil {
		return nil, err
	}
	return newPatch(name, diff)
}

// Patched returns the source with patches applied, in their order. Git objects are written to the folder temp, which
// must stay until the source is built. An error that wraps ErrPatch names the patch.
func (s *Source) Patched(ctx context.Context, temp string, patches ...*Patch) (*Source, error) {
	if len(patches) == 0 {
		return s, nil
	}
	p := &Source{IsTree: true, Subject: s.Subject, repo: s.repo, head: s.head, objects: s.objects}
	if !s.IsTree {
		p.head, p.objects = s.ID, filepath.Join(temp, "objects")
	}
	env, err := p.environment()
	if err != nil {
		return nil, err
	}
	file := filepath.Join(temp, "patch")
	env = append(env, "GIT_INDEX_FILE="+filepath.Join(temp, "patched"))
	if _, err := runGit(ctx, s.repo.folder(), env, "read-tree", s.ID); err != nil {
		return nil, err
	}
	for _, patch := range patches {
		if err := os.WriteFile(file, []byte(patch.diff), 0o666); err != nil {
			return nil, err
		}
		if _, err := runGit(ctx, s.repo.folder(), env, "apply", "--cached", "--3way", file); err != nil {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			said := strings.ReplaceAll(strings.TrimPrefix(err.Error(), "git apply: "), "\n", "; ")
			return nil, fmt.Errorf("%s %w: %s", patch.Name, ErrPatch, said)
		}
	}
	p.ID, err = runGit(ctx, s.repo.folder(), env, "write-tree")
	return p, err
}

// SameFiles reports whether two sources of a repository have the same files.
func (s *Source) SameFiles(ctx context.Context, other *Source) (bool, error) {
	trees := [2]string{}
	for i, x := range []*Source{s, other} {
		trees[i] = x.ID
		if !x.IsTree {
			var err error
			if trees[i], err = runGit(ctx, x.repo.folder(), nil, "rev-parse", x.ID+"^{tree}"); err != nil {
				return false, err
			}
		}
	}
	return trees[0] == trees[1], nil
}

// Clone is a repository of a run's own, in which it keeps what it tries as commits with tags. It borrows objects from
// the repository of the source.
type Clone struct{ Dir string }

// NewClone makes a clone in the folder dir, or opens it if it is there. The files of the source are its first commit,
// with the tag.
func NewClone(ctx context.Context, dir string, s *Source, tag string) (*Clone, error) {
	c := &Clone{dir}
	if _, err := os.Stat(dir); err == nil {
		return c, nil
	}
	making := Clone{dir + ".new"}
	if err := os.RemoveAll(making.Dir); err != nil {
		return nil, err
	}
	if err := s.Checkout(ctx, making.Dir); err != nil {
		return nil, err
	}
	if s.IsTree { // its objects are in a folder that will go: read the files again
		if err := os.Remove(filepath.Join(making.Dir, ".git", "index")); err != nil {
			return nil, err
		}
	}
	if err := making.Keep(ctx, "the working tree", tag); err != nil {
		return nil, err
	}
	return c, os.Rename(making.Dir, dir)
}

// Restore brings the files back to what they were at a tag.
func (c *Clone) Restore(ctx context.Context, tag string) error {
	_, err := runGit(ctx, c.Dir, nil, "checkout", "--quiet", "--force", "--detach", "refs/tags/"+tag)
	return err
}

// Keep makes a commit of all files as they are, with a tag. Files as in the commit before are that commit. Equal files
// after equal commits have equal ids, since builds are called after them.
func (c *Clone) Keep(ctx context.Context, message, tag string) error {
	if _, err := runGit(ctx, c.Dir, nil, "add", "--all", "--force"); err != nil {
		return err
	}
	if _, err := runGit(ctx, c.Dir, nil, "diff", "--cached", "--quiet"); err != nil {
		date := []string{"GIT_AUTHOR_DATE=2000-01-01T00:00:00Z", "GIT_COMMITTER_DATE=2000-01-01T00:00:00Z"}
		if _, err := runGit(ctx, c.Dir, date, "-c", "user.name=assay", "-c", "user.email=assay@localhost", "-c",
			"commit.gpgsign=false", "commit", "--quiet", "--no-verify", "--message", message); err != nil {
			return err
		}
	}
	_, err := runGit(ctx, c.Dir, nil, "-c", "tag.gpgsign=false", "tag", "--force", tag)
	return err
}

// Mail returns the change from one tag to another as a mail of the author of a repository with the message, as git am
// and git apply read it; empty if there is none.
func (c *Clone) Mail(ctx context.Context, author *Repo, from, to, message string) (string, error) {
	diff, err := diffOf(ctx, c.Dir, from, to)
	if err != nil || diff == "" {
		return "", err
	}
	who := [2]string{"assay", "assay@localhost"}
	for i, key := range []string{"user.name", "user.email"} {
		if own, err := runGit(ctx, author.folder(), nil, "config", key); err == nil && own != "" {
			who[i] = own
		}
	}
	return fmt.Sprintf("From %040d Mon Sep 17 00:00:00 2001\nFrom: %s <%s>\nSubject: [PATCH] %s\n---\n%s\n", 0, who[0],
		who[1], message, diff), nil
}

// Applies reports whether a patch in a file, an absolute path, applies to the files of the repository as they are.
func (r *Repo) Applies(ctx context.Context, path string) (bool, error) {
	_, err := runGit(ctx, r.folder(), nil, "apply", "--check", path)
	return err == nil, errors.Join(ctx.Err())
}
