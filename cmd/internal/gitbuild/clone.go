package gitbuild

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

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
