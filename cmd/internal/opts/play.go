package opts

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/engine/uci"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
	"github.com/assay-chess/assay/selfplay/opening"
)

// DefaultNodes limits each move if no limit is given.
const DefaultNodes = 5000

// Play is the options that commands of games share. A command adds the parts that it has.
type Play struct {
	selfplay.Setup
	Flags *pflag.FlagSet // of the command

	Games     uint64
	BookOrder string // sequential or random

	Build, Repo string
	NoBench     bool

	Clock, MoveTime                       string // of a match for A and B, with a comma between them
	TimeMargin, MoveTimeout, StartTimeout time.Duration

	Syzygy      string
	SyzygyFifty bool

	Affinity       string // empty: the command does not pin
	Serve, NATS    string
	Lease          time.Duration
	ReplayShare    float64
	ReferenceSpeed float64

	JSON, All bool

	maxForfeits float64
}

// New returns options for the flags of a command.
func New(fs *pflag.FlagSet) *Play { return &Play{Flags: fs} }

// Given reports whether one of the options has a value that is not its default by omission.
func (o *Play) Given(names ...string) bool { return slices.ContainsFunc(names, o.Flags.Changed) }

// Limited reports whether a limit of the searches was given.
func (o *Play) Limited() bool { return o.Given("nodes", "depth", "movetime", "tc") }

// Remote reports whether games are played on other machines.
func (o *Play) Remote() bool { return o.Serve != "" || o.NATS != "" }

// Put gives an option a value, as a flag does.
func (o *Play) Put(name, value string) error {
	if err := o.Flags.Set(name, value); err != nil {
		return ui.Usage(err)
	}
	return nil
}

// AddGames adds what all commands have that play games by flags. Games is their help for the number of games.
func (o *Play) AddGames(games string) {
	o.AddPlayers()
	Add(o.Flags, OfPlayers, func(fs *pflag.FlagSet) {
		fs.DurationVar(&o.StartTimeout, "start-timeout", uci.DefaultStartTimeout, "time for an external engine to start")
		inProject(fs, "start-timeout", "start-timeout")
	})
	o.AddLimits()
	Add(o.Flags, OfLimits, func(fs *pflag.FlagSet) {
		fs.DurationVar(&o.TimeMargin, "time-margin", selfplay.ClockMargin,
			"how far a player may overstep its time before it loses; raise it on a busy machine")
		fs.DurationVar(&o.MoveTimeout, "move-timeout", uci.DefaultMoveTimeout,
			"how long to wait for an external engine's move beyond its limit, if that is not a clock")
		inProject(fs, "time-margin", "time-margin")
		inProject(fs, "move-timeout", "move-timeout")
	})
	Add(o.Flags, OfTest, func(fs *pflag.FlagSet) {
		fs.Uint64Var(&o.Games, "games", 0, games)
		ui.ShortHelp(fs, "games")
	})
	o.AddOpenings()
	o.AddAdjudication()
	Add(o.Flags, OfAdjudication, func(fs *pflag.FlagSet) {
		fs.Float64Var(&o.Rule.PlayOn, "play-on", 0,
			"share of adjudicated games that are played on, to check the adjudication")
	})
	o.AddTables()
	o.AddMachines()
	Add(o.Flags, Others, func(fs *pflag.FlagSet) {
		fs.StringVar(&o.Out, "out", "", "folder for the result (default: keep nothing)")
		ui.ShortHelp(fs, "out")
	})
}

// AddPlayers adds the options of players, and of those from git.
func (o *Play) AddPlayers() {
	Add(o.Flags, OfPlayers, func(fs *pflag.FlagSet) {
		fs.StringVar(&o.Build, "build", "",
			"build command for players git:REF, such as 'make -j EXE={out}' (default: assay.toml's)")
		fs.StringVar(&o.Repo, "repo", "", "for players git:REF: folder of the repository (default: the current folder)")
		fs.BoolVar(&o.NoBench, "no-bench", false,
			"for players git:REF: do not run bench after the build to compare its nodes with the commit message")
		fs.Float64Var(&o.maxForfeits, "max-forfeits", selfplay.DefaultMaxForfeits,
			"share of its games a player may forfeit; beyond it (tested at level 0.001) there is no verdict")
		fs.BoolVar(&o.Tolerance.Recover, "recover", false, "count forfeits as losses, however many there are")
		ui.ShortHelp(fs, "build")
		inProject(fs, "build", "build")
		inProject(fs, "bench", "no-bench")
	})
}

// AddLimits adds the limits of a move.
func (o *Play) AddLimits() {
	Add(o.Flags, OfLimits, func(fs *pflag.FlagSet) {
		fs.StringVar(&o.Clock, "tc", "", clock)
		fs.StringVar(&o.MoveTime, "movetime", "", "time per move, such as 100ms")
		fs.Uint64Var(&o.Limits.Nodes, "nodes", 0, fmt.Sprintf("nodes per move; soft: a search may use up to 8 times as "+
			"many to finish its iteration (default %d without --depth)", DefaultNodes))
		fs.BoolVar(&o.Limits.HardNodes, "hard-nodes", false, "stop at exactly --nodes, or nodes= of a player")
		fs.IntVar(&o.Limits.Depth, "depth", 0, "depth per move, in plies")
		ui.ShortHelp(fs, "tc", "nodes")
		inProject(fs, "limit", "tc", "movetime", "nodes", "hard-nodes", "depth")
	})
}

const clock = "clock, [MOVES/]SECONDS[+INCREMENT], such as 8+0.08"

// AddOpenings adds the options of openings, and the seed.
func (o *Play) AddOpenings() {
	Add(o.Flags, OfOpenings, func(fs *pflag.FlagSet) {
		fs.StringVar(&o.Opening.Book, "book", "", "opening book: EPD, FEN or PGN, compressed or not (default: random plies)")
		ui.Choice(fs, &o.BookOrder, "book-order", "sequential", "sequential or random (by the seed)", "sequential", "random")
		fs.IntVar(&o.Opening.Skip, "book-start", 0, "openings to skip at the start of the book")
		fs.IntVar(&o.Opening.BookPlies, "book-plies", 0, "plies of each game in a PGN book to play; 0: all of them")
		fs.IntVar(&o.Opening.Plies, "random-plies", opening.DefaultPlies,
			"random plies of an opening, or one more at random")
		ui.Choice(fs, &o.Opening.Variant, "variant", opening.Standard, "start of random openings: standard, chess960 "+
			"(960 starts), or dfrc (one of 960 for each side)", opening.Standard, opening.Chess960, opening.DFRC)
		fs.IntVar(&o.Check.MaxScore, "opening-score", selfplay.DefaultMaxOpeningScore,
			"largest score of a random opening, in centipawns; -1: no check")
		fs.Uint64Var(&o.Check.Nodes, "opening-nodes", 0,
			"nodes of the search that checks a random opening (default: 4 times --nodes, at most 20000)")
		inProject(fs, "openings", Names(fs)...)
		fs.Uint64Var(&o.Seed, "seed", 1, "seed of openings and games")
		ui.ShortHelp(fs, "book", "seed")
	})
}

// AddAdjudication adds the rules that end games.
func (o *Play) AddAdjudication() {
	std := selfplay.StandardAdjudication()
	Add(o.Flags, OfAdjudication, func(fs *pflag.FlagSet) {
		fs.IntVar(&o.Rule.WinScore, "win-score", std.WinScore,
			"adjudicate a win if both players' scores reach this many centipawns ...")
		fs.IntVar(&o.Rule.WinPlies, "win-plies", std.WinPlies, "... for this many plies in a row; 0: never")
		fs.BoolVar(&o.Rule.OneSided, "win-one-sided", false,
			"... by the loser's scores alone, as a resignation, for half as many of its own moves")
		fs.IntVar(&o.Rule.DrawScore, "draw-score", 10,
			"adjudicate a draw if both players' scores stay within this many centipawns ...")
		fs.IntVar(&o.Rule.DrawPlies, "draw-plies", 0, "... for this many plies in a row; 0: never")
		fs.IntVar(&o.Rule.DrawFrom, "draw-from", 60, "... after this many plies of play")
		fs.IntVar(&o.MaxPlies, "max-plies", selfplay.DefaultMaxPlies, "plies of play after which a game is a draw")
		inProject(fs, "win", "win-score", "win-plies", "win-one-sided")
		inProject(fs, "draw", "draw-score", "draw-plies", "draw-from")
		inProject(fs, "max-plies", "max-plies")
	})
}

// AddTables adds the options of tablebases.
func (o *Play) AddTables() {
	Add(o.Flags, OfAdjudication, func(fs *pflag.FlagSet) {
		fs.StringVar(&o.Syzygy, "syzygy", "", "end games by the Syzygy tablebases in this folder (or several, with "+
			string(filepath.ListSeparator)+" between them)")
		fs.BoolVar(&o.SyzygyFifty, "syzygy-50", true,
			"with --syzygy: by the 50-move rule; =false: a win counts however long it takes")
	})
}

// AddMachines adds the options of where games are played.
func (o *Play) AddMachines() {
	const remote = "with --serve or --nats: "
	Add(o.Flags, OfMachines, func(fs *pflag.FlagSet) {
		fs.IntVar(&o.Concurrency, "concurrency", 0, "games at once (default: one per core); does not change results")
		fs.StringVar(&o.Serve, "serve", "",
			"play on other machines: start a server for workers (see assay work) at HOST:PORT")
		fs.StringVar(&o.NATS, "nats", "", "play on other machines: use running NATS servers, nats://HOST:PORT,nats://... "+
			"(setup: assay help work --all)")
		fs.DurationVar(&o.Lease, "lease", coordinator.DefaultLease,
			remote+"how long a worker may be silent before its games go to others, 1s or more")
		fs.Float64Var(&o.ReplayShare, "replay-share", coordinator.DefaultReplayShare,
			remote+"share of the games that a second worker replays as a check; 0: none")
		fs.Float64Var(&o.ReferenceSpeed, "reference-speed", 0,
			"with --serve or --nats, for games by the clock: nodes/s of a core (assay bench) for which the clocks "+
				"are meant; slower workers get more time (default: this machine's)")
		ui.ShortHelp(fs, "concurrency")
	})
}

// AddAffinity adds the option that pins games to cores.
func (o *Play) AddAffinity() {
	Add(o.Flags, OfMachines, func(fs *pflag.FlagSet) {
		ui.Choice(fs, &o.Affinity, "affinity", "auto",
			"pin each running game, with its engines and all their threads, to a core of its own (Linux): on, off, "+
				"or auto: on for single-threaded external engines without time limits, if enough cores are free",
			"on", "off", "auto")
	})
}

// AddOutput adds the options of the output. Without a help for --all there is none.
func (o *Play) AddOutput(all string) {
	Add(o.Flags, Others, func(fs *pflag.FlagSet) {
		if fs.BoolVar(&o.JSON, "json", false, "print one JSON object"); all != "" {
			fs.BoolVar(&o.All, "all", false, all)
		}
		ui.Silent(fs, Names(fs)...)
	})
}

// Complete checks the options of a command that plays games, and completes them. LimitsB limit the second
// player, which a match may give another time.
func (o *Play) Complete() (limitsB selfplay.Limits, err error) {
	switch {
	case o.MoveTimeout <= 0 || o.StartTimeout <= 0:
		return limitsB, ui.Usagef("--move-timeout and --start-timeout must be above zero")
	case o.TimeMargin < 0 || o.TimeMargin > time.Second:
		return limitsB, ui.Usagef("--time-margin %v: want a time from 0 to 1s", o.TimeMargin)
	}
	o.TimeMargin = max(o.TimeMargin, 1) // as good as none: 0 stands for the default in a clock
	if dir, ok := strings.CutSuffix(o.Out, ".pgn"); ok {
		if _, err := os.Stat(o.Out); err != nil {
			return limitsB, ui.Usagef("--out %s: want a folder, which will have games.pgn; type --out %s",
				o.Out, quote.Word(dir))
		}
	}
	times, err := o.Times("--")
	if err != nil {
		return limitsB, ui.Usage(err)
	}
	o.Limits.MoveTime, o.Limits.Clock = times[0].MoveTime, times[0].Clock
	if !o.Given("nodes") && o.Limits.Depth == 0 && o.Limits.Deterministic() {
		o.Limits.Nodes = DefaultNodes
	}
	for _, check := range []func() error{o.numbers, o.openings, o.CheckTolerance, o.CheckMachines} {
		if err := check(); err != nil {
			return limitsB, err
		}
	}
	if err := o.Limits.Validate(); err != nil {
		return limitsB, ui.Usagef("no limit of a search: give --nodes or --depth")
	}
	o.clearUnused()
	limitsB = o.Limits
	limitsB.MoveTime, limitsB.Clock = times[1].MoveTime, times[1].Clock
	return limitsB, nil
}

// Times returns A's and B's limits of time. Errors name the settings after a prefix.
func (o *Play) Times(prefix string) (lim [2]selfplay.Limits, err error) {
	moveTimes, clocks := strings.Split(o.MoveTime, ","), strings.Split(o.Clock, ",")
	switch {
	case o.MoveTime != "" && o.Clock != "":
		return lim, fmt.Errorf("%smovetime and %[1]stc both limit the time: give one of them", prefix)
	case len(moveTimes) > 2 || len(clocks) > 2:
		return lim, fmt.Errorf("%smovetime and %[1]stc have one value, or one for each of two players", prefix)
	}
	if increment := meantIncrement(clocks); increment != "" {
		return lim, fmt.Errorf("%stc %s: for an increment type %[1]stc %[3]s; two clocks that far apart are %[1]stc %[4]s+0,%[5]s+0",
			prefix, o.Clock, increment, clocks[0], clocks[1])
	}
	for side := range lim {
		if text := moveTimes[min(side, len(moveTimes)-1)]; text != "" {
			lim[side].MoveTime, err = time.ParseDuration(text)
			if err != nil || lim[side].MoveTime < time.Millisecond {
				such := "100ms"
				if n, e := strconv.ParseFloat(text, 64); e == nil { // st=0.1 elsewhere, or UCI's movetime 100
					such = text + map[bool]string{true: "s", false: "ms"}[n < 10]
				}
				return lim, fmt.Errorf("%smovetime %s: want a time of at least 1ms, such as %s", prefix, text, such)
			}
		}
		if text := clocks[min(side, len(clocks)-1)]; text != "" {
			c, err := selfplay.ParseClock(text)
			if err != nil {
				return lim, fmt.Errorf("%stc: %w", prefix, err)
			}
			lim[side].Clock = c
		}
		if !lim[side].Deterministic() && o.TimeMargin != 0 && o.TimeMargin != selfplay.ClockMargin {
			lim[side].Clock.Margin = o.TimeMargin
		}
	}
	return lim, nil
}

// meantIncrement returns the clock that 10,0.1 was meant for, 10+0.1; empty if two clocks were meant.
func meantIncrement(clocks []string) string {
	if len(clocks) != 2 {
		return ""
	}
	const odds = 20 // nobody gives such odds
	a, err := strconv.ParseFloat(clocks[0], 64)
	b, err2 := strconv.ParseFloat(clocks[1], 64)
	if err != nil || err2 != nil || a < odds*b {
		return ""
	}
	return clocks[0] + "+" + clocks[1]
}

// OneClock refuses two limits of time, for A and B.
func (o *Play) OneClock() error {
	if strings.Contains(o.MoveTime+o.Clock, ",") {
		return ui.Usagef("--tc and --movetime are the same for all players here: give one value")
	}
	return nil
}

// notNegative are options with numbers of 0 or more.
var notNegative = []string{"depth", "book-start", "book-plies", "max-plies", "win-score", "win-plies", "draw-score",
	"draw-plies", "draw-from"}

// numbers refuses negative numbers, and zero where it would mean the default.
func (o *Play) numbers() error {
	for _, name := range []string{"games", "rounds", "depth", "max-plies"} {
		if o.Given(name) && o.Flags.Lookup(name).Value.String() == "0" {
			return ui.Usagef("--%s 0: want 1 or more", name)
		}
	}
	for _, name := range notNegative {
		if value := o.Flags.Lookup(name).Value.String(); strings.HasPrefix(value, "-") {
			return ui.Usagef("--%s %s: want 0 or more", name, value)
		}
	}
	if o.Rule.DrawPlies <= 0 && o.Given("draw-score", "draw-from") {
		return ui.Usagef("--draw-score and --draw-from need --draw-plies")
	}
	if !(o.Rule.PlayOn >= 0 && o.Rule.PlayOn <= 1) { // NaN too
		return ui.Usagef("--play-on %v: want a share between 0 and 1", o.Rule.PlayOn)
	}
	return nil
}

// openings checks the options of openings. With a book there are no random plies.
func (o *Play) openings() error {
	o.Opening.Random = o.BookOrder == "random"
	switch {
	case o.Opening.Book == "" && o.Given("book-order", "book-start", "book-plies"):
		return ui.Usagef("--book-order, --book-start and --book-plies need a --book")
	case o.Opening.Book != "" && o.Given("random-plies", "variant", "opening-nodes", "opening-score"):
		return ui.Usagef("--random-plies, --variant, --opening-nodes and --opening-score are for openings without a --book")
	case o.Opening.Book != "":
		o.Opening.Plies = 0
	case o.Opening.Plies < 1 || o.Opening.Plies >= opening.MaxRandomPlies:
		return ui.Usagef("--random-plies %d: want 1 to %d", o.Opening.Plies, opening.MaxRandomPlies-1)
	}
	if o.Check.MaxScore == 0 {
		return ui.Usagef("--opening-score 0 would refuse nearly every opening; -1 turns the check off")
	}
	return nil
}

// CheckTolerance checks the share of forfeits. A Setup says "none" by a number below 0.
func (o *Play) CheckTolerance() error {
	if !(o.maxForfeits >= 0 && o.maxForfeits <= 1) { // NaN too
		return ui.Usagef("--max-forfeits %v: want a share from 0 to 1, such as 0.02", o.maxForfeits)
	}
	o.Tolerance.MaxForfeits = cmp.Or(o.maxForfeits, -1)
	return nil
}

// CheckMachines refuses a negative number of games at once, and options of other machines if games are played on this
// one.
func (o *Play) CheckMachines() error {
	switch {
	case o.Concurrency < 0:
		return ui.Usagef("--concurrency %d: want 0 or more", o.Concurrency)
	case !o.Remote() && o.Given("lease", "replay-share", "reference-speed"):
		return ui.Usagef("--lease, --replay-share and --reference-speed need --serve or --nats")
	}
	return nil
}

// clearUnused clears what has no effect, so that equal runs have equal configurations.
func (o *Play) clearUnused() {
	if o.Rule.WinPlies <= 0 {
		o.Rule.WinPlies, o.Rule.WinScore, o.Rule.OneSided = 0, 0, false
	}
	if o.Limits.Nodes == 0 {
		o.Limits.HardNodes = false
	}
	if o.Rule.DrawPlies <= 0 {
		o.Rule.DrawPlies, o.Rule.DrawScore, o.Rule.DrawFrom = 0, 0, 0
	}
	if o.Rule.WinPlies == 0 && o.Rule.DrawPlies == 0 {
		o.Rule.PlayOn = 0
	}
}
