// Package gitbuild builds engines from the commits of a git repository, and keeps what it
// built.
//
// A Repo resolves the names of commits and makes a Source of each: a commit, or the files of
// the working tree by their hash. A Cache builds a Source with a command, in a clone of its
// own (git clone --shared), and never writes into the repository. Each build has a folder in
// the cache that appears whole or not at all, also after kill -9. Two processes that want the
// same build make it once. The last Keep builds stay.
//
// It does not know players or matches: cmd/assay turns git:REF into a build.
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
		if inside, err := filepath.Rel(r.Top, dir); err == nil && filepath.IsLocal(inside) && inside != "." {
			words = append(words, ":(exclude,literal)"+filepath.ToSlash(inside))
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
