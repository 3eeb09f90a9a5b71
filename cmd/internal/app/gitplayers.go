package app

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assay-chess/assay/cmd/internal/gitbuild"
	"github.com/assay-chess/assay/cmd/internal/opts"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/roster"
)

// gitPlayers builds players from commits.
type gitPlayers struct {
	*session
	repo    *gitbuild.Repo
	cache   *gitbuild.Cache
	project *opts.Project
	was     []gitPin // of the run in Out
	pins    []gitPin
	sources map[string]*gitbuild.Source // by name
	started *selfplay.Pool              // engines that the check of the players starts play the games, too
}

// gitPin is a line of "pinned" in run.json: what a player stood for when the run started.
type gitPin struct {
	Player string `json:"player"` // git:REF, without settings
	Commit string `json:"commit"` // or the tree of the working tree's files
	SHA256 string `json:"sha256"` // of the engine that was built
}

// prepare finds the repository of the players, if one of them is git:REF, and gives the options
// that were not typed the values of its assay.toml.
func (f *gitPlayers) prepare(s *session, players ...engine.Spec) error {
	f.session = s
	at := slices.IndexFunc(players, engine.Spec.FromGit)
	if at < 0 {
		for _, name := range []string{"build", "repo", "no-bench"} {
			if s.Given(name) {
				return ui.Usagef("--%s is for players git:REF, and there is none", name)
			}
		}
		return nil
	}
	f.sources = map[string]*gitbuild.Source{}
	var err error
	if f.repo, err = gitbuild.OpenRepo(f.ctx, cmp.Or(s.Repo, ".")); err != nil {
		return fmt.Errorf("%w; --repo names its folder", err)
	}
	if f.project, err = opts.ReadProject(f.repo.Top); err != nil {
		return err
	}
	if err := f.project.Apply(s.Flags, len(players)); err != nil {
		return err
	}
	switch {
	case f.Build == "":
		return ui.Usagef("no command that builds %s: pass --build 'make -j EXE={out}', or write it to %s",
			players[at].Shown(), opts.ProjectName)
	case !strings.Contains(f.Build, gitbuild.Out):
		return ui.Usagef("the build command %q has no %s: that is the file to which it must write the engine", f.Build,
			gitbuild.Out)
	}
	if f.cache, err = gitbuild.OpenCache(f.log); err != nil {
		return err
	}
	if bound, err := durable.Bound(f.Out, gamelog.Loose); bound && err == nil {
		if info, err := durable.ReadRunInfo(f.Out); err == nil && info.Pinned != nil {
			if err := json.Unmarshal(info.Pinned, &f.was); err != nil {
				return fmt.Errorf("%s: %w: %w", f.Out, durable.ErrDamaged, err)
			}
		}
	}
	return f.warnDirty(players)
}

func (f *gitPlayers) log(format string, args ...any) {
	fmt.Fprintf(f.stderr, "%s: %s\n", f.name, fmt.Sprintf(format, args...))
}

// warnDirty warns if git:HEAD is a player and lacks changes of the working tree.
func (f *gitPlayers) warnDirty(players []engine.Spec) error {
	head := ""
	for _, p := range players {
		if !p.FromGit() {
			continue
		}
		switch ref := p.Command[0]; ref {
		case gitbuild.WorkTree:
			return nil
		case "HEAD", "@":
			head = ref
		}
	}
	if head == "" || f.was != nil {
		return nil
	}
	n, err := f.repo.Dirty(f.ctx)
	if n > 0 {
		f.log("warning: git:%s is the last commit, without the changes of %d files in the working tree; git:. has them",
			head, n)
	}
	return err
}

// openPlayer is the function of that name for players that may be git:REF.
func (f *gitPlayers) openPlayer(spec engine.Spec) (selfplay.Player, error) {
	if !spec.FromGit() {
		return ui.OpenPlayer(f.started.Open, spec)
	}
	ref := spec.Command[0]
	source, err := f.source(ref)
	if err != nil {
		return selfplay.Player{}, err
	}
	b, err := f.cache.Build(f.ctx, source, f.Build)
	if err != nil {
		return selfplay.Player{}, fmt.Errorf("git:%s (%s): %w", ref, source.Short(), err)
	}
	f.done = append(f.done, b.Close)
	if err := f.check(ref, source, b); err != nil {
		return selfplay.Player{}, err
	}
	f.pin(gitPin{Player: "git:" + ref, Commit: source.ID, SHA256: b.SHA256})
	for _, o := range f.project.Options {
		if !slices.ContainsFunc(spec.Options, func(p engine.Option) bool { return strings.EqualFold(p.Name, o.Name) }) {
			spec.Options = append(slices.Clip(spec.Options), engine.Option{Name: o.Name, Value: o.Text})
		}
	}
	e, err := ui.OpenPlayer(f.started.Open, spec.WithProgram(b.Path))
	e.ID = roster.IdentifyBuilt(spec, source.Short()+" "+f.Build) // e.Same identifies the contents
	return e, err
}

// check runs the bench of a build and says what was built.
func (f *gitPlayers) check(ref string, source *gitbuild.Source, b *gitbuild.Build) error {
	how := "built before"
	if b.New {
		how = fmt.Sprintf("built in %v", b.Took.Round(100*time.Millisecond))
	}
	said, failed := "", error(nil)
	if !f.NoBench {
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
func (f *gitPlayers) source(ref string) (*gitbuild.Source, error) {
	if s := f.sources[ref]; s != nil {
		return s, nil
	}
	s, err := f.now(ref)
	if i := slices.IndexFunc(f.was, func(p gitPin) bool { return p.Player == "git:"+ref }); i >= 0 &&
		(err != nil || s.ID != f.was[i].Commit) {
		was := f.repo.Built(f.was[i].Commit)
		if ref != gitbuild.WorkTree {
			if was, err = f.repo.Resolve(f.ctx, f.was[i].Commit); err != nil {
				return nil, fmt.Errorf("%w: git:%s when the run in %s started", err, ref, f.Out)
			}
		}
		f.log("git:%s was %s when the run in %s started, and has changed since: the run keeps it; for the new one use "+
			"another --out", ref, was.Short(), f.Out)
		s, err = was, nil
	}
	if err != nil {
		return nil, fmt.Errorf("git:%s: %w", ref, err)
	}
	f.sources[ref] = s
	return s, nil
}

// now returns what a name stands for now.
func (f *gitPlayers) now(ref string) (*gitbuild.Source, error) {
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

func (f *gitPlayers) pin(p gitPin) {
	if !slices.ContainsFunc(f.pins, func(q gitPin) bool { return p.Player == q.Player }) {
		f.pins = append(f.pins, p)
	}
}

// pinned returns what the players stand for, for run.json; nil if none is git:REF.
func (f *gitPlayers) pinned() json.RawMessage {
	if f.pins == nil {
		return nil
	}
	doc, err := json.Marshal(f.pins)
	if err != nil {
		panic(err) // strings can be marshaled
	}
	return doc
}

// release ends the engines that were started and do not play.
func (f *gitPlayers) release() {
	if f.started != nil {
		_ = f.started.Close() // they have played, or their fault was reported
	}
}
