package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/assay-chess/assay/cmd/assay/internal/cli"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine/cores"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/opening"
)

// defaultNodes is the limit of each move if no limit is given.
const defaultNodes = 5000

// playFlags are the flags of all commands that play games: limits, adjudication, openings.
type playFlags struct {
	selfplay.Setup
	bookOrder   string
	randomPlies int
	asJSON      bool
	cluster     clusterFlags
	git         gitFlags
}

// register registers the flags. With hard the limit of nodes is exact unless the user says otherwise.
func (f *playFlags) register(cmd *cobra.Command, playOn float64, hard bool) {
	fs := cmd.Flags()
	std := selfplay.StandardAdjudication()
	nodes, exactly := "nodes a move; the iteration is finished, with up to 8 times as many", "stop at exactly --nodes"
	if hard {
		nodes, exactly = "nodes a move", "stop at exactly --nodes; with =false the iteration is finished, with up to 8 times as many"
	}
	fs.Uint64Var(&f.Limits.Nodes, "nodes", 0, fmt.Sprintf("%s (default %d without --depth)", nodes, defaultNodes))
	fs.BoolVar(&f.Limits.HardNodes, "hard-nodes", hard, exactly)
	fs.IntVar(&f.Limits.Depth, "depth", 0, "plies of iterative deepening a move")
	cli.AliasFlag(cmd, "openings", "book")
	fs.StringVar(&f.Opening.Book, "book", "", "openings from a file, packed or not: EPD or FEN lines, or games (PGN); default: random plies")
	fs.StringVar(&f.bookOrder, "book-order", "sequential", "sequential or random (by the seed)")
	fs.IntVar(&f.Opening.Skip, "book-start", 0, "openings to skip at the start of the book")
	fs.IntVar(&f.randomPlies, "random-plies", opening.DefaultPlies, "random plies of an opening, or one more at random")
	fs.IntVar(&f.Check.MaxScore, "opening-score", selfplay.DefaultMaxOpeningScore, "largest score of a random opening, in centipawns; -1: no check")
	fs.Uint64Var(&f.Check.Nodes, "opening-nodes", 0, "nodes of the search that checks a random opening (default: 4 times --nodes, at most 20000)")
	fs.IntVar(&f.Rule.WinScore, "win-score", std.WinScore, "adjudicate a win if both players' scores reach this many centipawns ...")
	fs.IntVar(&f.Rule.WinPlies, "win-plies", std.WinPlies, "... for this many plies in a row; 0: never")
	fs.BoolVar(&f.Rule.OneSided, "win-one-sided", false, "... by the loser's scores alone, as a resignation, for half as many of its own moves")
	fs.IntVar(&f.Rule.DrawScore, "draw-score", 10, "adjudicate a draw if both players' scores stay within this many centipawns ...")
	fs.IntVar(&f.Rule.DrawPlies, "draw-plies", 0, "... for this many plies in a row; 0: never")
	fs.IntVar(&f.Rule.DrawFrom, "draw-from", 60, "... after this many plies of play")
	fs.Float64Var(&f.Rule.PlayOn, "play-on", playOn, "share of adjudicated games that are played on, to check the adjudication")
	fs.IntVar(&f.MaxPlies, "max-plies", selfplay.DefaultMaxPlies, "plies of play after which a game is a draw")
	fs.Uint64Var(&f.Seed, "seed", 1, "seed of openings and games")
	cli.ConcurrencyFlag(cmd, &f.Concurrency, "games at once (default: one a core); changes no result")
	fs.BoolVar(&f.asJSON, "json", false, "print one JSON object")
	cli.AliasFlag(cmd, "check-nodes", "opening-nodes")
	f.git.register(cmd)
	f.cluster.register(cmd)
}

// parse completes the flags. Its errors are usage errors.
func (f *playFlags) parse(cmd *cobra.Command) error {
	given := cmd.Flags().Changed
	if !given("nodes") && f.Limits.Depth == 0 && f.Limits.Deterministic() {
		f.Limits.Nodes = defaultNodes
	}
	if err := f.Limits.Validate(); err != nil {
		return cli.Usagef("no limit of a search: give --nodes or --depth")
	}
	if err := f.notNegative(cmd); err != nil {
		return err
	}
	switch f.bookOrder {
	case "random":
		f.Opening.Random = true
	case "sequential":
	default:
		return cli.Usagef("--book-order %s: want sequential or random", f.bookOrder)
	}
	if strings.HasPrefix(f.Opening.Book, genfensPrefix) && cmd.Name() != "selfplay" {
		return cli.Usagef("--book %s is for assay selfplay, which knows how many openings it needs; elsewhere give a file", f.Opening.Book)
	}
	if f.Opening.Book == "" {
		if given("book-order") || given("book-start") {
			return cli.Usagef("--book-order and --book-start need a --book")
		}
		f.Opening.Plies = f.randomPlies
	} else if given("random-plies") || given("opening-nodes") || given("opening-score") {
		return cli.Usagef("--random-plies, --opening-nodes and --opening-score are for openings without a --book")
	}
	if f.randomPlies < 1 || f.randomPlies >= opening.MaxRandomPlies {
		return cli.Usagef("--random-plies %d: want 1 to %d", f.randomPlies, opening.MaxRandomPlies-1)
	}
	if !(f.Rule.PlayOn >= 0 && f.Rule.PlayOn <= 1) { // NaN too
		return cli.Usagef("--play-on %v: want a share between 0 and 1", f.Rule.PlayOn)
	}
	if f.Check.MaxScore == 0 {
		return cli.Usagef("--opening-score 0 would refuse nearly every opening; -1 turns the check off")
	}
	f.clearUnused()
	f.Open, f.Program = f.git.opener(), cli.Version()
	return nil
}

// leaveOwnDepth returns the players so that historic programs search to their own depth if no
// limit is given: they do not count nodes. If only historic programs play, the limit of all is
// beyond their depth; beside others each has it in its specification.
func (f *playFlags) leaveOwnDepth(cmd *cobra.Command, players []string) []string {
	for _, name := range []string{"nodes", "depth", "movetime", "tc"} {
		if cmd.Flags().Changed(name) {
			return players
		}
	}
	if !slices.ContainsFunc(players, func(spec string) bool { return !roster.IsHistoric(spec) }) {
		f.Limits.Depth = roster.OwnDepth
		return players
	}
	own := make([]string, len(players))
	for i, spec := range players {
		own[i] = roster.WithOwnDepth(spec)
	}
	return own
}

// notNegative refuses negative numbers. Zero is the default, or never.
func (f *playFlags) notNegative(cmd *cobra.Command) error {
	for name, value := range map[string]int{"depth": f.Limits.Depth, "book-start": f.Opening.Skip, "max-plies": f.MaxPlies, "concurrency": f.Concurrency,
		"win-score": f.Rule.WinScore, "win-plies": f.Rule.WinPlies, "draw-score": f.Rule.DrawScore, "draw-plies": f.Rule.DrawPlies, "draw-from": f.Rule.DrawFrom} {
		if value < 0 && cmd.Flags().Changed(name) {
			return cli.Usagef("--%s %d: want 0 or more", name, value)
		}
	}
	return nil
}

// clearUnused clears what has no effect, so that equal runs have equal configurations.
func (f *playFlags) clearUnused() {
	if f.Rule.WinPlies <= 0 {
		f.Rule.WinPlies, f.Rule.WinScore, f.Rule.OneSided = 0, 0, false
	}
	if f.Limits.Nodes == 0 {
		f.Limits.HardNodes = false
	}
	if f.Rule.DrawPlies <= 0 {
		f.Rule.DrawPlies, f.Rule.DrawScore, f.Rule.DrawFrom = 0, 0, 0
	}
	if f.Rule.WinPlies == 0 && f.Rule.DrawPlies == 0 {
		f.Rule.PlayOn = 0
	}
}

// playAdvice adds to an error what the user can do. Out is the folder of the run, or empty.
func playAdvice(err error, out string) error {
	var changed *durable.ConfigChangedError
	switch {
	case errors.As(err, &changed):
		return fmt.Errorf("%w; use the flags it was started with, or another --out", err)
	case errors.Is(err, durable.ErrNotRun):
		return fmt.Errorf("%w; choose a new or empty folder with --out", err)
	case errors.Is(err, durable.ErrLocked):
		return fmt.Errorf("%w; wait for that process, or stop it", err)
	case errors.Is(err, durable.ErrDamaged):
		return fmt.Errorf("%w; 'assay runs repair %s' keeps what is whole, and the same command plays the rest again", err, cli.ShellQuote(out))
	case errors.Is(err, opening.ErrExhausted):
		return fmt.Errorf("%w; use a larger --book, or none for random openings%s", err, elsewhere(out))
	case errors.Is(err, selfplay.ErrNoOpening):
		return fmt.Errorf("%w; raise --random-plies or --opening-score, or play fewer --games%s", err, elsewhere(out))
	case errors.Is(err, selfplay.ErrConfig):
		return cli.Usage(err)
	case errors.Is(err, selfplay.ErrPreflight), errors.Is(err, selfplay.ErrNoVerdict):
		return verdictAdvice(err, out)
	case errors.Is(err, context.Canceled) && out != "":
		return fmt.Errorf("%w; the same command resumes the run", err)
	}
	return err
}

// elsewhere ends a cure that changes the flags of a run: with games in its folder, another
// folder is needed.
func elsewhere(out string) string {
	if bound, err := durable.Bound(out); bound || err != nil {
		return ", with another --out"
	}
	return ""
}

// affinity says whether each game at once is pinned to a core of its own, with its engines.
type affinity string

func (a *affinity) register(fs *pflag.FlagSet) {
	fs.StringVar((*string)(a), "affinity", "auto", "pin each game at once to a core of its own, with its engines and all their threads (Linux): on, off, or auto: "+
		"on for foreign engines of one thread without limits of time, if enough cores are free")
	fs.Lookup("affinity").NoOptDefVal = "on"
}

// localRunner returns the runner for games on this machine, and what to call when they are played.
func (a affinity) localRunner(f *clusterFlags, s *selfplay.Setup, timed bool, players ...selfplay.Entrant) (l *selfplay.Local, done func(), err error) {
	l, done = &selfplay.Local{Open: s.Open, Workers: s.Concurrency}, func() {}
	remote := f.serve != "" || f.nats != ""
	switch {
	case a != "on" && a != "off" && a != "auto":
		return nil, nil, cli.Usagef("--affinity %s: want on, off or auto", a)
	case a == "on" && remote:
		return nil, nil, cli.Usagef("--affinity is for games on this machine, not with --serve or --nats")
	case a == "off" || a == "auto" && (remote || timed || !pinnable(players)):
		return l, done, nil
	}
	list, release, err := cores.Claim(l.Parallel())
	switch {
	case err == nil:
		l.Cores, done = list, release
	case a == "on":
		return nil, nil, cli.Usagef("--affinity: %w; play fewer at once with --concurrency", err)
	}
	return l, done, nil
}

// pinnable reports whether the players gain by a core of their own: the programs of a game take turns,
// and on one core the next one need not be woken up on another.
func pinnable(players []selfplay.Entrant) bool {
	programs := false
	for _, p := range players {
		if roster.Threaded(p.Spec) {
			return false
		}
		programs = programs || roster.Foreign(p.Spec)
	}
	return programs
}

// toleranceFlags say how many games may fail before there is no verdict.
type toleranceFlags struct {
	maxForfeits float64
	recover     bool
}

func (f *toleranceFlags) register(fs *pflag.FlagSet) {
	fs.Float64Var(&f.maxForfeits, "max-forfeits", selfplay.DefaultMaxForfeits, "share of its games that a player may forfeit; no verdict if it forfeits more, by a test at level 0.001")
	fs.BoolVar(&f.recover, "recover", false, "count forfeits as losses, however many there are")
}

func (f *toleranceFlags) parse() (selfplay.Tolerance, error) {
	if !(f.maxForfeits >= 0 && f.maxForfeits <= 1) { // NaN too
		return selfplay.Tolerance{}, cli.Usagef("--max-forfeits %v: want a share from 0 to 1, such as 0.02", f.maxForfeits)
	}
	t := selfplay.Tolerance{MaxForfeits: f.maxForfeits, Recover: f.recover}
	if t.MaxForfeits == 0 {
		t.MaxForfeits = -1 // none
	}
	return t, nil
}

// verdictAdvice adds to an error about players or games that failed what the user can do.
func verdictAdvice(err error, out string) error {
	switch {
	case errors.Is(err, selfplay.ErrPreflight):
		return fmt.Errorf("%w; no game was played: is it a UCI engine? does it need a longer --start-timeout? if it knows only clocks, use --tc", err)
	case errors.Is(err, selfplay.ErrBusy):
		kept := ""
		if out != "" {
			kept = fmt.Sprintf(". The games are kept in %s: use another folder", out)
		}
		return fmt.Errorf("%w; play again when the machine is free, by --nodes, with fewer games at once (--concurrency), or with a larger --time-margin (or --move-timeout)%s", err, kept)
	case errors.Is(err, selfplay.ErrNoVerdict) && out == "":
		return fmt.Errorf("%w; correct what fails and play again", err)
	case errors.Is(err, selfplay.ErrNoVerdict):
		return fmt.Errorf("%w; the games are kept in %s. Correct what fails and play in another folder, or resume this run with --recover (forfeits are losses) or a larger --max-forfeits", err, out)
	}
	return err
}

// players are the players of a command line.
type players struct {
	shown []string // names for people
	specs []string // as the roster takes them
}

// namePlayers splits players as typed into names and specifications. Two players may have
// one name only if they are the same.
func namePlayers(texts []string) (p players, err error) {
	first := map[string]string{}
	for _, text := range texts {
		shown, spec, err := roster.Named(text)
		if err != nil {
			return p, cli.Usage(err)
		}
		if other, taken := first[shown]; taken && other != spec && shown != text && !strings.Contains(text, "name=") {
			shown = text // they differ in timeouts alone
		} else if taken && other != spec {
			return p, cli.Usagef("two players are named %q: give one of them another name=", shown)
		}
		first[shown] = spec
		p.shown, p.specs = append(p.shown, shown), append(p.specs, spec)
	}
	return p, nil
}

// entrants opens each player once. What begins the name of a player in errors.
func (p *players) entrants(times *timeFlags, git *gitFlags, what func(i int) string) (list []selfplay.Entrant, err error) {
	for i, spec := range p.specs {
		e, err := times.entrant(git, spec, what(i))
		if err != nil {
			return nil, cli.Named(err, roster.WithTimeouts(spec, times.moveTimeout, times.startTimeout), p.shown[i])
		}
		e.Shown = p.shown[i]
		list = append(list, e)
	}
	return list, nil
}

// numbered names players in errors by their number.
func numbered(command string) func(int) string {
	return func(i int) string { return fmt.Sprintf("%s: player %d", command, i+1) }
}
