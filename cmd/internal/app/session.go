package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/internal/doc"
	"github.com/assay-chess/assay/cmd/internal/opts"
	"github.com/assay-chess/assay/cmd/internal/report"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/machine"
	"github.com/assay-chess/assay/engine/syzygy"
	"github.com/assay-chess/assay/engine/uci"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/opening"
	"github.com/assay-chess/assay/selfplay/roster"
)

// session is one call of a command that plays games: the options that it shares, where it prints, and what it
// made for its games.
type session struct {
	*opts.Play
	git            gitPlayers
	cmd            *cobra.Command
	ctx            context.Context
	name           string // of the command
	stdout, stderr io.Writer
	done           []func() // what close calls
	followed       func()   // ends the page that follows the run; nil before
}

func newSession(cmd *cobra.Command, o *opts.Play) *session {
	return &session{Play: o, cmd: cmd, ctx: cmd.Context(), name: cmd.Name(), stdout: cmd.OutOrStdout(),
		stderr: cmd.ErrOrStderr(), git: gitPlayers{started: selfplay.NewPool(roster.Open)}}
}

func (s *session) leaveReport() {
	if s.followed != nil {
		s.followed()
	}
	report.Leave(s.Out, s.stderr)
}

// show prints the result of a run as its document, or with --json the result itself, with what only this process
// knows as "process".
func (s *session) show(r any, p gamelog.Process, d *doc.Document, more map[string]any) error {
	if !s.JSON {
		return d.Print(s.stdout, s.All)
	}
	more["already"], more["played"], more["seconds"] = p.Already, p.Played, p.Took.Seconds()
	if s.Out != "" {
		more["out"] = s.Out
	}
	if p.Load.Time != 0 {
		more["load"] = p.Load // of the machine
	}
	result, err := json.Marshal(r)
	process, err2 := json.Marshal(more)
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.stdout, "%s,\"process\":%s}\n", result[:len(result)-1], process)
	return err
}

// begin makes a run ready to play: its line of progress, its runner, and how it is resumed.
func (s *session) begin(label string, c *selfplay.Setup, timed bool, args []string, players ...selfplay.Player) (
	p *ui.Progress, err error) {
	if !s.Remote() {
		s.warn(crowdedGames(timed, s.atOnce(), threads(players...), runtime.GOMAXPROCS(0)))
		s.warn(crowdedMemory(s.atOnce(), machine.Memory(), s.hashTables(players)))
	}
	p = ui.NewProgress(s.stderr, label)
	c.Resume, c.Pinned = ui.CommandLine(s.cmd, args), s.git.pinned()
	c.Progress, c.Failed = p.Update, ui.ReportFaults(p.Say, players...)
	c.Runner, err = s.runner(timed, p, players...)
	return p, err
}

// end ends the line of progress of a run that has ended.
func (s *session) end(p *ui.Progress, already bool, format string, args ...any) {
	if already {
		p.Say(s.Out + " is complete; nothing to do")
	} else {
		p.Finish(fmt.Sprintf(format, args...))
	}
}

func (s *session) close() {
	if s.followed != nil {
		s.followed()
	}
	s.git.release()
	for _, f := range slices.Backward(s.done) {
		f()
	}
}

// warn writes a warning to the standard error, unless it is empty.
func (s *session) warn(text string) {
	if text != "" {
		fmt.Fprintf(s.stderr, "%s: warning: %s\n", s.name, text)
	}
}

// complete checks and completes the settings for games between players, which it returns with their own
// limits. It returns the second player's limits.
func (s *session) complete(texts []string) ([]engine.Spec, selfplay.Limits, error) {
	p, err := parsePlayers(texts)
	if err != nil {
		return p, selfplay.Limits{}, err
	}
	if err := s.git.prepare(s, p...); err != nil {
		return p, selfplay.Limits{}, err
	}
	p = s.leaveOwnDepth(p)
	hard := s.Limits.HardNodes && slices.ContainsFunc(p, func(e engine.Spec) bool { return e.Nodes > 0 })
	other, err := s.Complete()
	if hard { // which has no effect without nodes of all
		s.Limits.HardNodes, other.HardNodes = true, true
	}
	if err == nil {
		s.Rule.Tables, err = s.tablebases()
	}
	s.Open, s.Program = s.git.started.Open, ui.Version()
	return p, other, err
}

// tablebases opens the tablebases of --syzygy; nil without it.
func (s *session) tablebases() (*syzygy.Judge, error) {
	if s.Syzygy != "" && s.Remote() {
		return nil, ui.Usagef("--syzygy is for games on this machine: with --serve or --nats workers have no tables")
	}
	return ui.Tables(s.Syzygy, s.SyzygyFifty, s.warn)
}

// leaveOwnDepth returns the players so that historic programs search to their own depth if no
// limit is given: they do not count nodes. If only historic programs play, the limit of all is
// beyond their depth; beside others each has it in its specification.
func (s *session) leaveOwnDepth(players []engine.Spec) []engine.Spec {
	if s.Limited() {
		return players
	}
	if !slices.ContainsFunc(players, func(p engine.Spec) bool { return !roster.IsHistoric(p) }) {
		s.Limits.Depth = roster.OwnDepth
		return players
	}
	own := make([]engine.Spec, len(players))
	for i, spec := range players {
		own[i] = roster.WithOwnDepth(spec)
	}
	return own
}

// limitMemory leaves the memory to the players if all are external engines.
func (s *session) limitMemory(players ...selfplay.Player) {
	if allForeign(players) {
		ui.LimitMemory(s.atOnce())
	}
}

// atOnce returns how many games this machine plays at once.
func (s *session) atOnce() int { return cmp.Or(s.Concurrency, runtime.GOMAXPROCS(0)) }

func allForeign(players []selfplay.Player) bool {
	return !slices.ContainsFunc(players, func(e selfplay.Player) bool { return !e.Spec.External() })
}

// runner returns the runner for the games, on this machine or elsewhere. Close ends it.
func (s *session) runner(timed bool, p *ui.Progress, players ...selfplay.Player) (selfplay.Runner, error) {
	if s.Rule.Tables != nil {
		s.Rule.Tables.Say = p.Say
	}
	s.followed = report.Follow(s.Out)
	local := &selfplay.Local{Open: s.Open, Workers: s.atOnce()}
	if s.Affinity != "" {
		if err := s.pin(local, timed, players); err != nil {
			return nil, err
		}
	}
	r, done, err := s.remote(local, p.Say, players...)
	if err != nil {
		return nil, err
	}
	s.done = append(s.done, done)
	if r != selfplay.Runner(local) {
		s.git.release() // the engines that the check started play nothing
		return r, nil
	}
	if allForeign(players) {
		s.done = append(s.done, ui.LimitThreads(local.Parallel()))
	}
	if n := uint64(local.Parallel()); s.Games == 0 || n <= s.Games {
		p.Waiting(fmt.Sprintf("%d games under way", n))
	}
	return r, nil
}

// pin gives each game at once a core of its own, with its engines, by --affinity.
func (s *session) pin(l *selfplay.Local, timed bool, players []selfplay.Player) error {
	switch a := s.Affinity; {
	case a == "on" && s.Remote():
		return ui.Usagef("--affinity is for games on this machine, not with --serve or --nats")
	case a == "off" || a == "auto" && (s.Remote() || timed || !pinnable(players)):
		return nil
	}
	list, release, err := machine.Claim(l.Parallel())
	switch {
	case err == nil:
		l.Cores = list
		s.done = append(s.done, release)
	case s.Affinity == "on":
		return ui.Usagef("--affinity: %w; play fewer at once with --concurrency", err)
	}
	return nil
}

// pinnable reports whether the players gain by a core of their own: the programs of a game take turns,
// and on one core the next one need not be woken up on another.
func pinnable(players []selfplay.Player) bool {
	return slices.ContainsFunc(players, func(p selfplay.Player) bool { return p.Spec.External() }) &&
		!slices.ContainsFunc(players, func(p selfplay.Player) bool { return p.Spec.Threaded() })
}

// parsePlayers parses the players of a command line. Two of them may have one name only if they are the same.
func parsePlayers(texts []string) ([]engine.Spec, error) {
	if err := onlyPlayers(texts); err != nil {
		return nil, err
	}
	var players []engine.Spec
	first := map[string]string{}
	for _, text := range texts {
		spec, err := ui.Player(text)
		if errors.Is(err, engine.ErrLabel) || err != nil && spec.FromGit() {
			return nil, ui.Usage(err)
		}
		if err != nil {
			return nil, err
		}
		if other, taken := first[spec.Label]; taken && other != spec.String() {
			if strings.Contains(text, "name=") || spec.Label == text {
				return nil, ui.Usagef("two players are named %q: give one of them another name=", spec.Label)
			}
			spec.Label = text // they differ in timeouts alone
		}
		first[spec.Label] = spec.String()
		players = append(players, spec)
	}
	return players, nil
}

// openPlayers builds each player that is git:REF, and starts each once. What begins the name of a player in errors.
func (s *session) openPlayers(players []engine.Spec, what func(i int) string) (list []selfplay.Player, err error) {
	for i, spec := range players {
		e, err := s.git.openPlayer(spec.WithTimeouts(s.MoveTimeout, s.StartTimeout))
		if errors.Is(err, uci.ErrStart) {
			err = fmt.Errorf("%s, %s: %w: %w", what(i), spec.Label, selfplay.ErrPreflight, err)
		}
		if err != nil && !strings.Contains(err.Error(), spec.Label) {
			err = fmt.Errorf("%s: %w", spec.Label, err)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, nil
}

// try sets options of a player once, so that errors appear before the first game.
func (s *session) try(spec engine.Spec, kind string, options []engine.Option) error {
	p, err := s.Open(spec)
	if err != nil {
		return err
	}
	defer p.Close()
	if starter, ok := engine.As[engine.Starter](p); ok {
		if err := starter.Start(); err != nil {
			return err
		}
	}
	for _, o := range options {
		if err := p.SetOption(o.Name, o.Value); err != nil {
			return fmt.Errorf("%s %s: the player refuses %s: %w", kind, o.Name, cmp.Or(o.Value, "an empty value"), err)
		}
	}
	return p.NewGame(0)
}

// openingChecker returns who checks random openings: the first of the players that is
// assay, or else a small assay. An external engine could fail in a check, where it has no
// game to lose, and the scores of historic programs need not be centipawns.
func openingChecker(players ...selfplay.Player) (selfplay.Player, error) {
	for _, e := range players {
		if e.Spec.Name == "assay" {
			return e, nil
		}
	}
	return ui.OpenPlayer(nil, ui.SmallChecker)
}

func crowdedGames(timed bool, games, threads, cores int) string {
	most := max(1, cores/threads)
	return ui.If(timed && games > most, "%d timed games at once on %d cores%s slow each other down; use --concurrency %d "+
		"or less", games, cores, ui.If(threads > 1, " with engines of %d threads", threads), most)
}

// threads returns the most threads that a player has, as typed.
func threads(players ...selfplay.Player) int {
	most := 1
	for _, p := range players {
		most = max(most, setting(p.Spec, "threads", 1))
	}
	return most
}

// setting returns the value of an option with a number; preset if there is none.
func setting(spec engine.Spec, name string, preset int) int {
	for _, o := range spec.Options {
		if n, err := strconv.Atoi(o.Value); err == nil && strings.EqualFold(o.Name, name) {
			preset = n
		}
	}
	return preset
}

// hashTables returns the sizes of the hash tables, in MiB, that each game at once keeps: of every player, as typed or
// by the engine's default, and two of one that plays against itself.
func (s *session) hashTables(players []selfplay.Player) (tables []int) {
	if len(players) == 1 {
		players = append(players, players...)
	}
	for _, p := range players {
		tables = append(tables, setting(p.Spec, "hash", s.presetHash(p.Spec)))
	}
	return tables
}

// presetHash returns the default of a player's option Hash; 0 if it has none.
func (s *session) presetHash(spec engine.Spec) int {
	p, err := s.Open(spec)
	if err != nil {
		return 0 // the preflight says so
	}
	defer p.Close()
	if lister, ok := engine.As[engine.OptionLister](p); ok {
		for _, line := range lister.Options() {
			if name, v := spin(line); strings.EqualFold(name, "hash") {
				return int(v["default"])
			}
		}
	}
	return 0
}

// crowdedMemory returns a warning if games at once with these hash tables each, in MiB, need more memory than this
// process may use.
func crowdedMemory(games int, memory int64, tables []int) string {
	each := int64(0)
	for _, mb := range tables {
		each += int64(mb) << 20
	}
	need := int64(games) * each
	if memory == 0 || need <= memory {
		return ""
	}
	what := fmt.Sprintf("%d games at once", games)
	if games == 1 {
		what = "a game"
	}
	fit := memory / each
	return fmt.Sprintf("the hash tables of %s need %d MiB, but there are %d MiB of memory; use a smaller Hash%s", what,
		need>>20, memory>>20, ui.If(fit > 0, ", or --concurrency %d or less", fit))
}

// sharedOpenings returns a warning if the new run has the players and the openings of another run of the command in
// the same folder: then its games are not independent of those. It is empty if there is none.
func sharedOpenings(ctx context.Context, command string, s selfplay.Setup, players ...selfplay.Player) string {
	if s.Out == "" || report.Exists(s.Out) {
		return ""
	}
	source, err := s.Openings(ctx, 0)
	if err != nil {
		return "" // the run itself says so
	}
	want, same := source.Describe(), []string(nil)
	for _, p := range players {
		same = append(same, p.Identity())
	}
	slices.Sort(same)
	others, _ := durable.List(filepath.Dir(filepath.Clean(s.Out)))
	for _, run := range others {
		var c struct {
			Opening opening.Description `json:"opening"`
			Seed    uint64              `json:"seed,string"`
			Players []string
			A, B    string // of a match
			Base    string // of a screen
		}
		path := filepath.Join(run.Dir, durable.RunConfigName)
		if run.Info.Command != command || durable.ReadJSON(path, &c) != nil || c.Opening != want {
			continue
		}
		players := slices.DeleteFunc(append(c.Players, c.A, c.B, c.Base), func(id string) bool { return id == "" })
		if slices.Sort(players); !slices.Equal(players, same) {
			continue
		}
		switch seeded := want.Order != "sequential"; {
		case seeded && c.Seed == s.Seed:
			return fmt.Sprintf("%s has the same openings, of seed %d, so the two results are not independent; give another "+
				"--seed", run.Dir, c.Seed)
		case !seeded:
			return fmt.Sprintf("%s has the same openings, so the two results are not independent; give --book-start N, or "+
				"--book-order random and another --seed", run.Dir)
		}
	}
	return ""
}
