package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/assay/internal/cli"
	"github.com/assay-chess/assay/cmd/assay/internal/gitbuild"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/selfplay"
)

// gitHelp is the help of commands whose players may be built from commits.
const gitHelp = `A player git:[nodes=N:][depth=N:][timeout=TIME:]REF[?OPTION=VALUE&...] is a foreign engine that
--build makes of a commit of --repo: git:HEAD, git:main, git:v1.2, git:1a2b3c4; git:. is the
working tree. A build is kept (the last 20, in assay/builds of the user's cache folder or in
$ASSAY_CACHE) and made once. It is identified by the commit, the command and the options. Its
bench must give the nodes that the commit's message says ("Bench: 123456"). A run that is
resumed keeps the commits that it began with. The file assay.toml at the top of the repository
can hold the command, options, limits and openings: see assay guide test-my-patch.`

// gitFlags are the flags of commands whose players may be built from commits, and builds
// these players.
type gitFlags struct {
	build   string
	dir     string
	noBench bool

	ctx     context.Context
	name    string // of the command
	stderr  io.Writer
	out     string // folder of the run
	repo    *gitbuild.Repo
	cache   *gitbuild.Cache
	project *project
	was     []gitPin // of the run in out
	pins    []gitPin
	sources map[string]*gitbuild.Source // by name
	started *selfplay.Pool              // see opener
	done    []func()
}

// gitPin is a line of "pinned" in run.json: what a player stood for when the run started.
type gitPin struct {
	Player string `json:"player"` // git:REF, without settings
	Commit string `json:"commit"` // or the tree of the working tree's files
	SHA256 string `json:"sha256"` // of the engine that was built
}

func (f *gitFlags) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.build, "build", "", "for players git:REF: command that builds the engine, such as 'make -j EXE={out}'; {out} is the file to write (default: build in assay.toml)")
	fs.StringVar(&f.dir, "repo", "", "for players git:REF: folder of the repository (default: the current folder)")
	fs.BoolVar(&f.noBench, "no-bench", false, "for players git:REF: do not run bench after a build, nor compare its nodes with the commit's message")
}

// prepare finds the repository of the players, if one of them is git:REF, and sets the flags
// that are not on the command line from its assay.toml. Out is the folder of the run. The
// caller must call close.
func (f *gitFlags) prepare(cmd *cobra.Command, out string, specs ...string) error {
	if !slices.ContainsFunc(specs, roster.FromGit) {
		for _, name := range []string{"build", "repo", "no-bench"} {
			if cmd.Flags().Changed(name) {
				return cli.Usagef("--%s is for players git:REF, and there is none", name)
			}
		}
		return nil
	}
	for _, spec := range specs {
		if _, err := roster.ParseSource(spec); err != nil && roster.FromGit(spec) {
			return cli.Usage(err)
		}
	}
	f.ctx, f.name, f.stderr, f.out, f.sources = cmd.Context(), cmd.Name(), cmd.ErrOrStderr(), out, map[string]*gitbuild.Source{}
	dir := f.dir
	if dir == "" {
		dir = "."
	}
	var err error
	if f.repo, err = gitbuild.OpenRepo(f.ctx, dir); err != nil {
		return fmt.Errorf("%w; --repo names its folder", err)
	}
	if f.project, err = readProject(f.repo.Top); err != nil {
		return err
	}
	if err := f.project.apply(cmd, specs); err != nil {
		return err
	}
	switch {
	case f.build == "":
		return cli.Usagef("no command that builds %s: pass --build 'make -j EXE={out}', or write it to %s", firstGit(specs), projectName)
	case !strings.Contains(f.build, gitbuild.Out):
		return cli.Usagef("the build command %q has no %s: that is the file to which it must write the engine", f.build, gitbuild.Out)
	}
	if f.cache, err = gitbuild.OpenCache(f.log); err != nil {
		return err
	}
	if bound, err := durable.Bound(out); bound && err == nil {
		if info, err := durable.ReadRunInfo(out); err == nil && info.Pinned != nil {
			if err := json.Unmarshal(info.Pinned, &f.was); err != nil {
				return fmt.Errorf("%s: %w: %w", out, durable.ErrDamaged, err)
			}
		}
	}
	return f.warnDirty(specs)
}

func firstGit(specs []string) string { return specs[slices.IndexFunc(specs, roster.FromGit)] }

// log writes a line to the standard error.
func (f *gitFlags) log(format string, args ...any) {
	fmt.Fprintf(f.stderr, "%s: %s\n", f.name, fmt.Sprintf(format, args...))
}

// warnDirty warns if git:HEAD is a player and has not the changes of the working tree.
func (f *gitFlags) warnDirty(specs []string) error {
	head := ""
	for _, spec := range specs {
		if s, err := roster.ParseSource(spec); err == nil && roster.FromGit(spec) {
			switch s.Ref {
			case gitbuild.WorkTree:
				return nil
			case "HEAD", "@":
				head = s.Ref
			}
		}
	}
	if head == "" || f.was != nil {
		return nil
	}
	n, err := f.repo.Dirty(f.ctx)
	if n > 0 {
		f.log("warning: git:%s is the last commit, without the changes of %d files in the working tree; git:. has them", head, n)
	}
	return err
}

// entrant is the function of that name for players that may be git:REF.
func (f *gitFlags) entrant(spec string) (selfplay.Entrant, error) {
	if !roster.FromGit(spec) {
		return cli.EntrantOf(f.opener(), spec)
	}
	p, err := roster.ParseSource(spec)
	if err != nil {
		return selfplay.Entrant{}, err
	}
	source, err := f.source(p.Ref)
	if err != nil {
		return selfplay.Entrant{}, err
	}
	b, err := f.cache.Build(f.ctx, source, f.build)
	if err != nil {
		return selfplay.Entrant{}, gitAdvice(fmt.Errorf("git:%s (%s): %w", p.Ref, source.Short(), err))
	}
	f.done = append(f.done, b.Close)
	if err := f.check(p.Ref, source, b); err != nil {
		return selfplay.Entrant{}, err
	}
	f.pin(gitPin{Player: "git:" + p.Ref, Commit: source.ID, SHA256: b.SHA256})
	for _, o := range f.project.options {
		p.SetDefault(o.name, o.text)
	}
	built, name := p.Built(b.Path, source.Short()+" "+f.build)
	e, err := cli.EntrantOf(f.opener(), built)
	e.Name = name
	return e, err
}

// check runs the bench of a build and says what was built.
func (f *gitFlags) check(ref string, source *gitbuild.Source, b *gitbuild.Build) error {
	how := "built before"
	if b.New {
		how = fmt.Sprintf("built in %v", b.Took.Round(100*time.Millisecond))
	}
	said, failed := "", error(nil)
	if !f.noBench {
		bench, err := b.Bench(f.ctx)
		if err != nil {
			return err
		}
		said = "; " + bench.String()
		if failed = bench.Check(source); failed == nil && source.Bench > 0 {
			said += " (the nodes of its message)"
		}
	}
	if !slices.ContainsFunc(f.pins, func(p gitPin) bool { return p.Player == "git:"+ref }) {
		f.log("git:%s is %s %q, %s%s; %s, SHA-256 %.12s", ref, source.Short(), source.Subject, how, said, b.Path, b.SHA256)
	}
	if failed != nil {
		return fmt.Errorf("git:%s: %w; correct the build or the message, or use --no-bench", ref, failed)
	}
	return nil
}

// source returns the commit of a name: the one that the run began with, if it is resumed.
func (f *gitFlags) source(ref string) (*gitbuild.Source, error) {
	if s := f.sources[ref]; s != nil {
		return s, nil
	}
	s, err := f.now(ref)
	if i := slices.IndexFunc(f.was, func(p gitPin) bool { return p.Player == "git:"+ref }); i >= 0 && (err != nil || s.ID != f.was[i].Commit) {
		was := f.repo.Built(f.was[i].Commit)
		if ref != gitbuild.WorkTree {
			if was, err = f.repo.Resolve(f.ctx, f.was[i].Commit); err != nil {
				return nil, fmt.Errorf("%w: git:%s when the run in %s started", err, ref, f.out)
			}
		}
		f.log("git:%s was %s when the run in %s started, and has changed since: the run keeps it; for the new one use another --out", ref, was.Short(), f.out)
		s, err = was, nil
	}
	if err != nil {
		return nil, fmt.Errorf("git:%s: %w", ref, err)
	}
	f.sources[ref] = s
	return s, nil
}

// now returns what a name stands for now.
func (f *gitFlags) now(ref string) (*gitbuild.Source, error) {
	if ref != gitbuild.WorkTree {
		return f.repo.Resolve(f.ctx, ref)
	}
	temp, done, err := f.cache.Temp()
	if err != nil {
		return nil, err
	}
	f.done = append(f.done, done)
	return f.repo.Snapshot(f.ctx, temp)
}

// pin remembers what a player stands for.
func (f *gitFlags) pin(p gitPin) {
	if !slices.ContainsFunc(f.pins, func(q gitPin) bool { return p.Player == q.Player }) {
		f.pins = append(f.pins, p)
	}
}

// pinned returns what the players stand for, for run.json; nil if none is git:REF.
func (f *gitFlags) pinned() json.RawMessage {
	if f.pins == nil {
		return nil
	}
	doc, err := json.Marshal(f.pins)
	if err != nil {
		panic(err) // strings can be marshaled
	}
	return doc
}

// close lets the engines go that were built.
func (f *gitFlags) close() {
	f.release()
	for _, done := range f.done {
		done()
	}
	f.done = nil
}

// opener returns the opener of the players of the run. The engines that the check of the players
// starts play the games, too.
func (f *gitFlags) opener() selfplay.Opener {
	if f.started == nil {
		f.started = selfplay.NewPool(roster.Open)
	}
	return f.started.Open
}

// keepFor keeps the engines that were started if the games are played here, by local.
func (f *gitFlags) keepFor(r, local selfplay.Runner) {
	if r != local {
		f.release()
	}
}

// release ends the engines that were started and do not play.
func (f *gitFlags) release() {
	if f.started != nil {
		_ = f.started.Close() // they have played, or their fault was reported
	}
}

// gitAdvice adds to an error of a build what the user can do.
func gitAdvice(err error) error {
	if errors.Is(err, gitbuild.ErrBuild) {
		return fmt.Errorf("%w\ncorrect the command (--build, or build in %s) or the commit", err, projectName)
	}
	return err
}
