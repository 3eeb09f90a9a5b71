package gitbuild

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

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
	sum := sha256.Sum256([]byte(diff))
	return &Patch{name, hex.EncodeToString(sum[:])[:shortID], strings.TrimRight(diff, "\n") + "\n"}, nil
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
	diff, err := runGit(ctx, s.repo.folder(), nil, "diff", "--binary", "--full-index", s.ID+"^", s.ID)
	if err != nil {
		return nil, err
	}
	return newPatch(name, diff)
}

// Changed returns the source with what was changed in the folder of its Checkout; temp is as for Patched.
func (s *Source) Changed(ctx context.Context, dir, temp string) (*Source, error) {
	env, err := s.environment()
	if err != nil {
		return nil, err
	}
	diff, err := runGit(ctx, dir, env, "diff", "--binary", "--full-index")
	if err != nil || strings.TrimSpace(diff) == "" {
		return s, err
	}
	p, err := newPatch(dir, diff)
	if err != nil {
		return nil, err
	}
	return s.Patched(ctx, temp, p)
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

// Has reports whether there is a tag.
func (c *Clone) Has(ctx context.Context, tag string) bool {
	_, err := runGit(ctx, c.Dir, nil, "rev-parse", "--verify", "--quiet", "refs/tags/"+tag)
	return err == nil
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
	diff, err := runGit(ctx, c.Dir, nil, "diff", "--binary", "--full-index", from, to)
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
