package settings

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/assay-chess/assay/cmd/internal/runs"
	"github.com/assay-chess/assay/cmd/internal/weights"
	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/uci"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
	"github.com/assay-chess/assay/selfplay/ladder"
	"github.com/assay-chess/assay/selfplay/opening"
	"github.com/assay-chess/assay/tuner/learn"
)

// Headings of the help.
const (
	ofRun          = "Run" // those of one command have no other
	ofPlayers      = "Players"
	ofLimits       = "Limits"
	ofTest         = "Test"
	ofOpenings     = "Openings"
	ofAdjudication = "Adjudication"
	ofMachines     = "Machines"
	Others         = "Output and others"
)

// groups are the headings in the order of the help.
var groups = []string{ofRun, ofPlayers, ofLimits, ofTest, ofOpenings, ofAdjudication, ofMachines}

// DefaultNodes limits each move if no limit is given.
const DefaultNodes = 5000

// Lengths without --games.
const (
	DefaultMatchGames  = 400
	DefaultLadderGames = 100 // for each player
	DefaultScreenGames = 8000
)

// ExitStatus describes --exit-status.
const ExitStatus = "with --sprt: exit code 0 if A passed, 3 if it failed, 4 if the test is undecided"

// Parts of several help texts.
const (
	forGit    = "for players git:REF: "
	remote    = "with --serve or --nats: "
	softNodes = "nodes per move; soft: a search may use up to 8 times as many to finish its iteration"
	bothSides = "; or one for A and one for B: "
	moveTime  = "time per move, such as 100ms"
	clock     = "clock, [MOVES/]SECONDS[+INCREMENT], such as 8+0.08"
)

var (
	std         = selfplay.StandardAdjudication()
	nodeDefault = fmt.Sprintf(" (default %d without --depth)", DefaultNodes)
)

// Table is all settings, in the order of the help.
var Table = []Setting{
	{Name: "players", In: Selfplay, Group: ofPlayers, Use: Often, Field: func(v *Values) any { return &v.Players },
		Help: "one player (against itself) or two: NAME[:weights=FILE][:hash=MB]..., or uci:COMMAND"},
	{Name: "build", In: flags, Group: ofPlayers, Use: Often, Project: "build",
		Field: func(v *Values) any { return &v.Build },
		Help:  "build command for players git:REF, such as 'make -j EXE={out}' (default: that of assay.toml)"},
	{Name: "repo", In: flags, Group: ofPlayers, Field: func(v *Values) any { return &v.Repo },
		Help: forGit + "folder of the repository (default: the current folder)"},
	{Name: "no-bench", In: flags, Group: ofPlayers, Project: "bench",
		Field: func(v *Values) any { return &v.NoBench },
		Help:  forGit + "do not run bench after the build to compare its nodes with the commit message"},
	{Name: "start-timeout", In: games, Group: ofPlayers, Project: "start-timeout",
		Field: func(v *Values) any { return &v.StartTimeout }, Default: uci.DefaultStartTimeout,
		Help: "time for a foreign engine to start"},
	{Name: "max-forfeits", In: flags, Group: ofPlayers,
		Field: func(v *Values) any { return &v.Tolerance.MaxForfeits }, Default: selfplay.DefaultMaxForfeits,
		Help: "share of its games a player may forfeit; beyond it (tested at level 0.001) there is no verdict"},
	{Name: "recover", In: flags, Group: ofPlayers,
		Field: func(v *Values) any { return &v.Tolerance.Recover },
		Help:  "count forfeits as losses, however many there are"},
	{Name: "gauntlet", In: Match, Group: ofPlayers, Field: func(v *Values) any { return &v.Gauntlet },
		Help: "with more than two players: A plays all others (default: a round robin)"},

	{Name: "tc", In: Match, Group: ofLimits, Use: Often, Project: "limit",
		Field: func(v *Values) any { return &v.Clock }, Help: clock + bothSides + "8+0.08,4+0.04"},
	{Name: "tc", In: Ladder | Selfplay | Config | Screen | Engine, Group: ofLimits,
		Use: Often, Project: "limit",
		Field: func(v *Values) any { return &v.Clock }, Help: clock},
	{Name: "movetime", In: Match, Group: ofLimits, Project: "limit",
		Field: func(v *Values) any { return &v.MoveTime }, Help: moveTime + bothSides + "100ms,50ms"},
	{Name: "movetime", In: Ladder | Selfplay | Config | Screen, Group: ofLimits,
		Project: "limit", Field: func(v *Values) any { return &v.MoveTime }, Help: moveTime},
	{Name: "nodes", In: Match | Ladder | Config | Screen, Group: ofLimits, Use: Often,
		Project: "limit", Field: func(v *Values) any { return &v.Limits.Nodes }, Help: softNodes + nodeDefault},
	{Name: "nodes", In: Selfplay | Engine, Group: ofLimits, Use: Often, Project: "limit",
		Field: func(v *Values) any { return &v.Limits.Nodes }, Help: "nodes per move" + nodeDefault},
	{Name: "hard-nodes", In: Match | Ladder | Config | Screen, Group: ofLimits,
		Project: "limit", Field: func(v *Values) any { return &v.Limits.HardNodes }, Help: "stop at exactly --nodes, or nodes= of a player"},
	{Name: "hard-nodes", In: Selfplay, Group: ofLimits, Project: "limit",
		Field: func(v *Values) any { return &v.Limits.HardNodes }, Default: true,
		Help: "stop at exactly --nodes; =false: a search may use up to 8 times as many to finish its iteration"},
	{Name: "depth", In: play, Group: ofLimits, Project: "limit",
		Field: func(v *Values) any { return &v.Limits.Depth }, Help: "depth per move, in plies"},
	{Name: "time-margin", In: games, Group: ofLimits, Project: "time-margin",
		Field: func(v *Values) any { return &v.TimeMargin }, Default: selfplay.ClockMargin,
		Help: "how far a player may overstep its time before it loses; raise it on a busy machine"},
	{Name: "move-timeout", In: games, Group: ofLimits, Project: "move-timeout",
		Field: func(v *Values) any { return &v.MoveTimeout }, Default: uci.DefaultMoveTimeout,
		Help: "how long to wait for a foreign engine's move beyond its limit, if that is not a clock"},

	{Name: "games", In: Match, Group: ofTest, Use: Often, Project: "end",
		Field: func(v *Values) any { return &v.Games },
		Help: "games to play (even); with --sprt, the maximum" +
			fmt.Sprintf(" (default %d without --sprt)", DefaultMatchGames)},
	{Name: "games", In: Ladder, Group: ofTest, Use: Often, Field: func(v *Values) any { return &v.Games },
		Help: "games to play (even); with --within, the maximum" +
			fmt.Sprintf(" (default %d for each player)", DefaultLadderGames)},
	{Name: "games", In: Selfplay, Group: ofTest, Use: Often, Field: func(v *Values) any { return &v.Games },
		Default: 1000, Help: "number of games"},
	{Name: "games", In: Screen, Group: ofTest, Use: Often, Field: func(v *Values) any { return &v.Games },
		Help: fmt.Sprintf("games to play, a multiple of 8 (default %d)", DefaultScreenGames)},
	{Name: "rounds", In: Match, Group: ofTest, Field: func(v *Values) any { return &v.Rounds },
		Help: "pairs of games to play: --rounds 100 is --games 200"},
	{Name: "sprt", In: Match, Group: ofTest, Use: Often, Project: "end",
		Field: func(v *Values) any { return &v.SPRT },
		Help:  "elo0,elo1: play until a sequential test decides between them"},
	{Name: "preset", In: Match, Group: ofTest, Use: Often, Field: func(v *Values) any { return &v.Preset },
		Help: PresetHelp()},
	{Name: "elo-model", In: Match, Group: ofTest, Project: "end",
		Field: func(v *Values) any { return &v.EloModel }, Default: "normalized",
		Help: "unit of --sprt: normalized or logistic Elo"},
	{Name: "alpha", In: Match, Group: ofTest, Project: "end",
		Field: func(v *Values) any { return &v.Alpha }, Default: 0.05,
		Help: "probability that a player of strength elo0 passes"},
	{Name: "beta", In: Match, Group: ofTest, Project: "end",
		Field: func(v *Values) any { return &v.Beta }, Default: 0.05,
		Help: "probability that a player of strength elo1 fails"},
	{Name: "corrected", In: Match, Group: ofTest, Project: "end",
		Field: func(v *Values) any { return &v.Corrected },
		Help:  "correct the bounds of --sprt for overshoot: shorter tests with exactly --alpha and --beta"},
	{Name: "within", In: Ladder, Group: ofTest, Use: Often, Field: func(v *Values) any { return &v.Within },
		Help: "end when every 95 % interval is within ± this many Elo"},
	{Name: "within", In: Screen, Group: ofTest, Use: Often, Field: func(v *Values) any { return &v.Within },
		Help: "in place of --games: effects within ± this many Elo"},
	{Name: "group", In: Screen, Group: ofPlayers, Use: Often, Field: func(v *Values) any { return &v.Grouped },
		Help: "factors that go together: A,B; two groups: 'A,B C,D'"},
	{Name: "at", In: Screen, Group: ofTest, Field: func(v *Values) any { return &v.At },
		Help: "base: play nothing; print how exactly effects with all others off could be known"},
	{Name: "confirm", In: Screen, Group: ofTest, Use: Often, Field: func(v *Values) any { return &v.Confirm },
		Help: "then play an SPRT [0, 5] of what is recommended"},
	{Name: "confirm-tc", In: Screen, Group: ofTest, Field: func(v *Values) any { return &v.ConfirmTC }, Default: "4+0.04",
		Help: "with --confirm, for patches with limits of nodes: clock of a second match; none: no such match"},
	{Name: "schedule", In: Ladder, Group: ofTest, Use: Often, Field: func(v *Values) any { return &v.Schedule },
		Default: ladder.Widest, Help: "who plays whom: widest, round-robin, gauntlet or chain"},
	{Name: "anchor", In: Ladder, Group: ofTest, Use: Often, Field: func(v *Values) any { return &v.Anchor },
		Help: "PLAYER=ELO fixes the rating of a player, named as on the command line or by its number from 1 " +
			"(default: the mean of all is 0)"},

	{Name: "book", In: play | Engine, Group: ofOpenings, Use: File | Often, Project: "openings",
		Field: func(v *Values) any { return &v.Opening.Book },
		Help:  "opening book: EPD, FEN or PGN, compressed or not (default: random plies)"},
	{Name: "book-order", In: play, Group: ofOpenings, Project: "openings", Default: sequential,
		Field: func(v *Values) any { return (*bookOrder)(&v.Opening.Random) }, Help: "sequential or random (by the seed)"},
	{Name: "book-start", In: play, Group: ofOpenings, Project: "openings",
		Field: func(v *Values) any { return &v.Opening.Skip }, Help: "openings to skip at the start of the book"},
	{Name: "book-plies", In: play, Group: ofOpenings, Project: "openings",
		Field: func(v *Values) any { return &v.Opening.BookPlies },
		Help:  "plies of each game in a PGN book to play; 0: all of them"},
	{Name: "random-plies", In: play, Group: ofOpenings, Project: "openings",
		Field: func(v *Values) any { return &v.Opening.Plies }, Default: opening.DefaultPlies,
		Help: "random plies of an opening, or one more at random"},
	{Name: "opening-score", In: play, Group: ofOpenings, Project: "openings",
		Field: func(v *Values) any { return &v.Check.MaxScore }, Default: selfplay.DefaultMaxOpeningScore,
		Help: "largest score of a random opening, in centipawns; -1: no check"},
	{Name: "opening-nodes", In: play, Group: ofOpenings, Project: "openings",
		Field: func(v *Values) any { return &v.Check.Nodes },
		Help:  "nodes of the search that checks a random opening (default: 4 times --nodes, at most 20000)"},
	{Name: "seed", In: play, Group: ofOpenings, Use: Often, Field: func(v *Values) any { return &v.Seed },
		Default: 1, Help: "seed of openings and games"},

	{Name: "win-score", In: play, Group: ofAdjudication, Project: "win",
		Field: func(v *Values) any { return &v.Rule.WinScore }, Default: std.WinScore,
		Help: "adjudicate a win if both players' scores reach this many centipawns ..."},
	{Name: "win-plies", In: play, Group: ofAdjudication, Project: "win",
		Field: func(v *Values) any { return &v.Rule.WinPlies }, Default: std.WinPlies,
		Help: "... for this many plies in a row; 0: never"},
	{Name: "win-one-sided", In: play, Group: ofAdjudication, Project: "win",
		Field: func(v *Values) any { return &v.Rule.OneSided },
		Help:  "... by the loser's scores alone, as a resignation, for half as many of its own moves"},
	{Name: "draw-score", In: play, Group: ofAdjudication, Project: "draw",
		Field: func(v *Values) any { return &v.Rule.DrawScore }, Default: 10,
		Help: "adjudicate a draw if both players' scores stay within this many centipawns ..."},
	{Name: "draw-plies", In: play, Group: ofAdjudication, Project: "draw",
		Field: func(v *Values) any { return &v.Rule.DrawPlies }, Help: "... for this many plies in a row; 0: never"},
	{Name: "draw-from", In: play, Group: ofAdjudication, Project: "draw",
		Field: func(v *Values) any { return &v.Rule.DrawFrom }, Default: 60, Help: "... after this many plies of play"},
	{Name: "play-on", In: Match | Ladder | Screen, Group: ofAdjudication,
		Field: func(v *Values) any { return &v.Rule.PlayOn }, Help: playOn},
	{Name: "play-on", In: Selfplay, Group: ofAdjudication,
		Field: func(v *Values) any { return &v.Rule.PlayOn }, Default: std.PlayOn, Help: playOn},
	{Name: "syzygy", In: flags | Learn, Group: ofAdjudication, Field: func(v *Values) any { return &v.Syzygy },
		Help: "end games by the Syzygy endgame tables in this folder (or several, with " +
			string(filepath.ListSeparator) + " between them)"},
	{Name: "syzygy-50", In: flags | Learn, Group: ofAdjudication, Default: true,
		Field: func(v *Values) any { return &v.SyzygyFifty },
		Help:  "with --syzygy: by the 50-move rule; =false: a win counts however long it takes"},
	{Name: "max-plies", In: play, Group: ofAdjudication, Project: "max-plies",
		Field: func(v *Values) any { return &v.MaxPlies }, Default: selfplay.DefaultMaxPlies,
		Help: "plies of play after which a game is a draw"},

	{Name: "concurrency", In: flags | Learn, Group: ofMachines, Use: Often,
		Field: func(v *Values) any { return &v.Concurrency },
		Help:  "games at once (default: one per core); does not change results"},
	{Name: "affinity", In: Match | Ladder | SPSA | Screen, Group: ofMachines,
		Field: func(v *Values) any { return &v.Affinity }, Default: "auto",
		Help: "pin each running game, with its engines and all their threads, to a core of its own (Linux): on, off, " +
			"or auto: on for single-threaded foreign engines without time limits, if enough cores are free"},
	{Name: "serve", In: flags | Learn, Group: ofMachines, Field: func(v *Values) any { return &v.Serve },
		Help: "play on other machines: start a server for workers (see assay work) at HOST:PORT"},
	{Name: "nats", In: flags | Learn, Group: ofMachines, Field: func(v *Values) any { return &v.NATS },
		Help: "play on other machines: use running NATS servers, nats://HOST:PORT,nats://... " +
			"(setup: assay help work --all)"},
	{Name: "lease", In: flags | Learn, Group: ofMachines, Field: func(v *Values) any { return &v.Lease },
		Default: coordinator.DefaultLease,
		Help:    remote + "how long a worker may be silent before its games go to others, 1s or more"},
	{Name: "replay-share", In: flags | Learn, Group: ofMachines,
		Field: func(v *Values) any { return &v.ReplayShare }, Default: coordinator.DefaultReplayShare,
		Help: remote + "share of the games that a second worker replays as a check; 0: none"},
	{Name: "reference-speed", In: flags | Learn, Group: ofMachines,
		Field: func(v *Values) any { return &v.ReferenceSpeed },
		Help: "with --serve or --nats, for games by the clock: nodes/s of a core (assay bench) for which the clocks " +
			"are meant; slower workers get more time (default: this machine's)"},
	{Name: "out", In: Match | Ladder | Screen, Group: Others, Use: Often,
		Field: func(v *Values) any { return &v.Out }, Help: "folder for the result (default: keep nothing)"},
	{Name: "out", In: Selfplay, Group: Others, Use: Often, Field: func(v *Values) any { return &v.Out },
		Help: "folder to write (required)"},
	{Name: "out", In: SPSA, Use: Often, Field: func(v *Values) any { return &v.Out },
		Help: "folder for the run (default: " + runs.Dir + "/spsa-NAME, after CONFIG or the model)"},
	{Name: "weights", In: Selfplay, Group: Others, Use: File | Often,
		Field: func(v *Values) any { return &v.Weights },
		Help:  `weight file, or the name of embedded weights, of the player assay (default "assay")`},
	{Name: "json", In: flags, Group: Others, Use: Silent, Field: func(v *Values) any { return &v.JSON },
		Help: "print one JSON object"},
	{Name: "json", In: Learn, Group: Others, Use: Silent, Field: func(v *Values) any { return &v.JSON },
		Help: "print one JSON object: the run's result"},
	{Name: "all", In: Match, Group: Others, Use: Silent, Field: func(v *Values) any { return &v.All },
		Help: "print other measures of strength too: normalized Elo, other intervals, and the cost of the runner"},
	{Name: "all", In: Ladder, Group: Others, Use: Silent, Field: func(v *Values) any { return &v.All },
		Help: "print the cost of the runner too"},
	{Name: "all", In: SPSA, Use: Silent, Field: func(v *Values) any { return &v.All },
		Help: "print the regression of each parameter too"},
	{Name: "all", In: Learn, Group: Others, Use: Silent, Field: func(v *Values) any { return &v.All },
		Help: "print every coefficient, generation and file too"},
	{Name: "exit-status", In: Match, Group: Others, Field: func(v *Values) any { return &v.ExitStatus }, Help: ExitStatus},

	// What CONFIG has beside limits, openings and adjudication.
	{Name: "iterations", In: Config, Field: func(v *Values) any { return &v.Iterations }},
	{Name: "pairs", In: Config, Field: func(v *Values) any { return &v.Pairs }},
	{Name: "ahead", In: Config, Field: func(v *Values) any { return &v.Ahead }},
	{Name: "validation", In: Config, Field: func(v *Values) any { return &v.Validation }},

	{Name: "write", In: SPSA, Use: Often, Field: func(v *Values) any { return &v.Write },
		Help: "for an ENGINE: write its spin options to this new TOML file (default: its name with .toml)"},
	{Name: "sim-elo", In: SPSA, Field: func(v *Values) any { return &v.SimElo }, Default: 30,
		Help: "for what the games can find: Elo of the optimum above the start values"},
	{Name: "sim-draws", In: SPSA, Field: func(v *Values) any { return &v.SimDraws }, Default: 0.5,
		Help: "for what the games can find: share of draws among equal players"},

	// What the table [learn] of an assay.toml has beside nodes, tc and book.
	{Name: "games", In: Engine, Field: func(v *Values) any { return &v.TuneGames }, Help: "games of a generation"},
	{Name: "generations", In: Engine, Field: func(v *Values) any { return &v.Generations }, Help: "most generations"},
	{Name: "lambda", In: Engine, Field: func(v *Values) any { return &v.Lambda }, Default: 0.3,
		Help: "share of the result in the target of the fit; the rest is the engine's own search"},
	{Name: "decay", In: Engine, Field: func(v *Values) any { return &v.Decay }, Default: 0.5,
		Help: "weight of positions from before a promotion, for each promotion since, and of those of --add"},
	{Name: "tolerance", In: Engine, Field: func(v *Values) any { return &v.Drift }, Default: dataset.DefaultTolerance,
		Help: "how far the terms of a position and the engine's own value may differ, in centipawns"},
	{Name: "freeze", In: Engine, Field: func(v *Values) any { return &v.Freeze },
		Help: "terms or groups that keep their values"},
	{Name: "gate", In: Engine, Field: func(v *Values) any { return &v.Gate }, Default: "0,10",
		Help: "elo0,elo1 of the SPRT that promotes a generation"},

	{Name: "relabel-nodes", In: Engine, Field: func(v *Values) any { return &v.RelabelNodes },
		Help: "nodes of the engine's own deeper search that labels the positions; 0: the search that played"},
	{Name: "rows", In: Engine, Field: func(v *Values) any { return &v.Rows },
		Help: "positions of a generation, drawn at random; 0: all"},
	{Name: "per-game", In: Engine, Field: func(v *Values) any { return &v.PerGame },
		Help: "most positions of a game, drawn at random; 0: all"},
	{Name: "final-games", In: Engine, Field: func(v *Values) any { return &v.FinalGames }, Default: 1000,
		Help: "games of the match at the end, and of the test before it; with hours at most"},
	{Name: "deep-games", In: Learn | Engine, Field: func(v *Values) any { return &v.DeepGames }, Default: 200,
		Help: "with --engine: most games of the match at 8 times the nodes, at the end; 0: none"},
	{Name: "clock-games", In: Learn | Engine, Field: func(v *Values) any { return &v.ClockGames }, Default: 200,
		Help: "with --engine: most games of the match at --clock, at the end; 0: none"},
	{Name: "clock", In: Learn | Engine, Field: func(v *Values) any { return &v.FinalClock }, Default: "4+0.04",
		Help: "with --engine: " + clock},
	{Name: "add", In: Learn, Use: File, Field: func(v *Values) any { return &v.Added },
		Help: "with --engine: more positions to learn from, as assay data positions makes them"},
	{Name: "accept-not-weaker", In: Learn, Field: func(v *Values) any { return &v.AcceptNotWeaker },
		Help: "with --engine: write the patch also if the engine is only shown not to be 10 Elo weaker"},

	{Name: "engine", In: Learn, Use: Often, Field: func(v *Values) any { return &v.OwnEngine },
		Help: "your own engine: a folder of its git repository, or git:REF"},
	{Name: "check", In: Learn, Use: Often, Field: func(v *Values) any { return &v.CheckOnly },
		Help: "with --engine: try every stage in miniature"},
	{Name: "hours", In: Learn | Engine, Use: Often, Field: func(v *Values) any { return &v.Hours },
		Help: "with --engine: time for the whole run (default 2.5)"},
	{Name: "run", In: Learn, Use: Often, Field: func(v *Values) any { return &v.Run },
		Help: "name of the run's folder in " + runs.Dir + " (default: from the settings)"},
	{Name: "games", In: Learn, Use: Often, Field: func(v *Values) any { return &v.TuneGames }, Default: 1000,
		Help: "games of the first generation; later: a fifth more"},
	{Name: "nodes", In: Learn, Use: Often, Field: func(v *Values) any { return &v.Limits.Nodes }, Default: 1000,
		Help: "nodes per move, in every game"},
	{Name: "hard-nodes", In: Learn, Field: func(v *Values) any { return &v.Limits.HardNodes },
		Help: "stop at exactly --nodes; without it up to 8 times as many, to finish an iteration"},
	{Name: "generations", In: Learn, Use: Often, Field: func(v *Values) any { return &v.Generations }, Default: 2,
		Help: "number of generations; of models with few terms 1"},
	{Name: "seed", In: Learn, Use: Often, Field: func(v *Values) any { return &v.Seed }, Default: 1, Help: "random seed"},
	{Name: "gate-games", In: Learn, Field: func(v *Values) any { return &v.GateGames }, Default: 200,
		Help: "maximum number of games of the SPRT after each generation"},
	{Name: "final-games", In: Learn, Field: func(v *Values) any { return &v.FinalGames }, Default: 400,
		Help: "games of the final match"},
	{Name: "model", In: Learn, Use: Often, Field: func(v *Values) any { return &v.Model }, Default: "assay",
		Help: "model: " + weights.ModelNames()},
	{Name: "method", In: Learn, Field: func(v *Values) any { return &v.Method }, Default: learn.Methods()[0],
		Help: "how each generation learns: " + strings.Join(learn.Methods(), ", ")},
	{Name: "from", In: Learn, Field: func(v *Values) any { return &v.From },
		Help: "weights of the first champion: a file, or the name of embedded weights " +
			"(default: those of the model; assay: assay-start)"},
	{Name: "opponent", In: Learn, Field: func(v *Values) any { return &v.Opponent },
		Help: "weights that the last champion plays against: a file, or the name of embedded weights " +
			"(default: the start weights of the model; assay: shannon-1950)"},
	{Name: "plan", In: Learn, Field: func(v *Values) any { return &v.Plan },
		Help: "file with the plan: the config.json of a run, or its object \"plan\""},
	{Name: "scale", In: Learn, Field: func(v *Values) any { return &v.Scale }, Default: 1,
		Help: "with --plan: factor on its numbers of games, above 0 and up to 1"},
}

const playOn = "share of adjudicated games that are played on, to check the adjudication"

// Presets are ways to test of the field, by name.
var Presets = []struct{ Name, Clock, SPRT string }{
	{"stc", "8+0.08", "0,5"},
	{"ltc", "40+0.4", "0,5"},
	{"nonreg", "8+0.08", "-5,0"},
}

// PresetHelp describes the presets.
func PresetHelp() string {
	var list []string
	for _, p := range Presets {
		list = append(list, fmt.Sprintf("%s: --tc %s --sprt %s", p.Name, p.Clock, p.SPRT))
	}
	return strings.Join(list, "; ") + "; other flags win"
}

// bookOrder is whether the openings of a book are drawn at random.
type bookOrder bool

const sequential, random = "sequential", "random"

var _ pflag.Value = new(bookOrder)

func (o *bookOrder) Type() string { return "string" }

func (o *bookOrder) String() string {
	if *o {
		return random
	}
	return sequential
}

// Set takes a text. An empty one is the default.
func (o *bookOrder) Set(text string) error {
	if text != random && text != sequential && text != "" {
		return fmt.Errorf("want %s or %s", sequential, random)
	}
	*o = text == random
	return nil
}
