package app

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/internal/gitbuild"
	"github.com/assay-chess/assay/cmd/internal/opts"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/arrange"
	"github.com/assay-chess/assay/dataset/convert"
	"github.com/assay-chess/assay/dataset/features"
	"github.com/assay-chess/assay/dataset/lines"
	"github.com/assay-chess/assay/dataset/positions"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/engine/uci"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/source"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/opening"
	"github.com/assay-chess/assay/selfplay/roster"
	"github.com/assay-chess/assay/selfplay/sprt"
	"github.com/assay-chess/assay/tuner"
	"github.com/assay-chess/assay/tuner/learn"
	"github.com/assay-chess/assay/tuner/rows"
)

// hint is what a user can do about an error. Packages know no flags: this table does.
type hint struct {
	is   error  // a sentinel, or a type by errType
	on   string // words of commands, such as "match data"; empty: all
	cure string // empty: the error says what is wrong with the command line
	kept string // the cure where the run has a folder, if that differs
}

// Commands that play, and those that read data sets.
const (
	onGames = "match ladder selfplay screen"
	onData  = "data features tune wdl"
)

const (
	damageCure = "delete the folder of that file (of " + durable.RunResultName + ", " + durable.RunInfoName + " and " +
		durable.RunEventsName + " the file alone); the command of the run makes again what was in it"
	fewGames = "these are too few games to learn from: begin again with more --games and, if you gave one, another " +
		"--out"
)

type errType struct {
	error
	fits func(error) bool
}

func typed[T error]() error {
	return errType{fits: func(err error) bool { return errors.As(err, new(T)) }}
}

var changed, noProgram, refused = typed[*durable.ConfigChangedError](), typed[*exec.Error](), typed[*convert.Refusal]()

// hints has all cures. The first row that fits counts. {again} is ", with another --out" where the run has games, {dir}
// its folder, {resume} the command that resumes it, and {data} the arguments.
var hints = []hint{
	{is: changed, on: onGames, cure: "use the flags it was started with, or another --out"},
	{is: changed, on: "spsa", cure: "use the CONFIG it was started with, or another --out"},
	{is: changed, on: "learn", cure: "use another --out, or delete {dir}"},
	{is: changed, on: onData, cure: "use the same flags and data as when it was started, or another --out"},
	{is: durable.ErrNotRun, on: onGames + " spsa tune", cure: "choose a new or empty folder with --out"},
	{is: durable.ErrLocked, on: onData, cure: "wait for it to end, or use another --out"},
	{is: durable.ErrLocked, cure: "wait for it, or stop it"},
	{is: durable.ErrDamaged, on: onData, cure: "'assay data verify' lists all damage; take another copy of the data, or " +
		"delete the folder and run the command that wrote it again"},
	{is: durable.ErrDamaged, on: "learn", cure: damageCure + ": {resume}"},
	{is: durable.ErrDamaged, cure: damageCure},

	{is: opening.ErrWholeGames, on: "spsa", cure: "book_plies = 16 in CONFIG plays the first 16 plies of each{again}"},
	{is: selfplay.ErrNoOpening, on: "spsa", cure: "raise random_plies or opening_score in CONFIG{again}"},
	{is: selfplay.ErrPreflight, on: "spsa", cure: "if it knows only clocks, write tc in CONFIG ('assay check' says more)"},
	{is: selfplay.ErrBusy, on: "spsa", cure: "play again when the machine is free, with a lower --concurrency, or " +
		"with nodes in CONFIG{again}"},
	{is: opening.ErrWholeGames, cure: "--book-plies 16 plays the first 16 plies of each{again}"},
	{is: opening.ErrExhausted, cure: "use a larger --book, or none for random openings{again}"},
	{is: selfplay.ErrNoOpening, cure: "raise --random-plies or --opening-score, or play fewer --games{again}"},
	{is: selfplay.ErrPreflight, on: "learn work", cure: "'assay check' shows what the engine says"},
	{is: selfplay.ErrPreflight, cure: "no game was played. Is it a UCI engine (assay check shows what it says)? Does it " +
		"need a longer --start-timeout? If it knows only clocks, use --tc"},
	{is: selfplay.ErrBusy, on: "learn", cure: "play again when the machine is free, with a lower --concurrency, or with " +
		"nodes in [learn] of assay.toml", kept: "finished work is in {dir}, resume with: {resume}"},
	{is: selfplay.ErrBusy, cure: busyCure, kept: busyCure + ". The games are kept in {dir}: use another folder"},
	{is: selfplay.ErrNoVerdict, on: "learn",
		cure: "correct what fails and delete that folder; the same command plays its games again"},
	{is: selfplay.ErrNoVerdict, cure: "correct what fails and play again",
		kept: "the games are kept in {dir}. Correct what fails and play in another folder, or resume this run with " +
			"--recover (forfeits are losses) or a larger --max-forfeits"},
	{is: uci.ErrOption, on: "spsa", cure: "see the options that the engine announces"},
	{is: roster.ErrSetting, cure: "'assay uci --tunable' lists the parameters of assay's search"},
	{is: gitbuild.ErrBuild, cure: "\ncorrect the command (--build, or build in " + opts.ProjectName + ") or the commit"},
	{is: match.ErrPlayers, cure: "name the two with --player and --opponent"},

	{is: coordinator.ErrOpen, cure: "make a key for each worker (assay work --new-key) and set " + keysEnv + " to their " +
		"list, or set " + tokenEnv + " here and at the workers"},
	{is: wire.ErrCredentials, cure: "a worker needs the key whose public half is in the coordinator's list " +
		"(--credentials or " + credentialsEnv + "), or the coordinator's " + tokenEnv},
	{is: coordinator.ErrNoCoordinator, cure: "make it with assay work --new-key coordinator.key --name coordinator, and " +
		"add its line to the list"},
	{is: coordinator.ErrNoServer, cure: "choose another address with --serve: port 0 chooses a free one"},
	{is: nats.ErrSecureConnWanted, cure: "the server was started without " + tlsCertEnv + " and " + tlsKeyEnv +
		". In a network that you trust, connect to nats:// and unset " + tlsCAEnv},
	{is: wire.ErrKey, cure: "assay work --new-key FILE --name NAME makes a key"},
	{is: coordinator.ErrSpeed, cure: "resume it without --reference-speed, or use another --out"},
	{is: wire.ErrEncryption, cure: "set " + tlsCAEnv + " to a PEM file with the certificate that signed the server's, " +
		"and use an address with a name that is in the server's certificate"},

	{is: dataset.ErrFormat, on: "features tune", cure: "make positions of games with assay data positions {data} --out " +
		"positions"},
	{is: dataset.ErrFormat, on: "wdl", cure: "give the games that the positions are of"},
	{is: dataset.ErrUngrouped, cure: "import it with --infer-games, if its rows are in game order; after a shuffle, use " +
		"the data from before it"},
	{is: dataset.ErrDuplicate, cure: "pass each only once: rows that occur twice would count double"},
	{is: arrange.ErrSchemas, cure: "all data sets must have the same schema"},
	{is: lines.ErrHeader, cure: "name them, for example with --columns fen,score,result,ply,_ (_ is ignored)"},
	{is: lines.ErrResultScale, cure: "set --results -1,0,1" + listToo},
	{is: lines.ErrHalfPoints, cure: "set --results 0,1,2" + listToo},
	{is: convert.ErrUnordered, cure: "leave out --infer-games"},
	{is: convert.ErrMixed, cure: "import each kind with its own --out"},
	{is: convert.ErrNothing, cure: "are --format and --columns right?"},
	{is: convert.ErrStream, cure: "use another --out"},
	{is: refused, cure: "fix the file, or leave out --strict to import the rest"},
	{is: io.ErrUnexpectedEOF, on: "import", cure: "the file is truncated: get a complete copy"},
	{is: convert.ErrExists, cure: "use another --out, or remove the file"},
	{is: convert.ErrKind, cure: "games can be exported as pgn and jsonl, positions as anything but pgn; 'assay data " +
		"positions' makes positions of games"},
	{is: lines.ErrSpelling, cure: "export as fen or csv, which have numbers"},
	{is: convert.ErrNoScore, cure: "export as csv, or use data in which every position has a score: 'assay data " +
		"positions --preset nnue --need-score' makes such, and 'assay data relabel' adds scores"},
	{is: positions.ErrOtherScores,
		cure: "run the command that searched them again, to resume it, or use another --out"},
	{is: positions.ErrNoMoves, cure: "leave out --quiet-move, and drop noisy positions by --resolve drop or --max-noise"},
	{is: dataset.ErrOtherData, cure: "set --out to an empty or a new folder"},
	{is: dataset.ErrIncomplete, cure: "to resume it, run the command that writes it again"},

	{is: dataset.ErrDrift, on: "features", cure: "\nFix the dump, or put the part that is not tuned into offset"},
	{is: dataset.ErrDrift, cure: "the engine that wrote the features evaluates something else: count every term, or put " +
		"the rest into offset"},
	{is: dataset.ErrCountRange, cure: "set \"float\":true in the engine's header"},
	{is: features.ErrProtocol, cure: "see 'assay help features --all'"},
	{is: features.ErrSilent, cure: "see 'assay help features --all'"},
	{is: noProgram, on: "features", cure: "--cmd must start a program, such as './engine dump'"},

	{is: rows.ErrEmpty, on: "learn", cure: fewGames},
	{is: tuner.ErrOneClass, on: "learn", cure: fewGames},
	{is: tuner.ErrScale, on: "learn", cure: fewGames},
	{is: tuner.ErrScores, on: "learn", cure: fewGames},
	{is: rows.ErrEmpty, cure: "give a data set with positions"},
	{is: tuner.ErrOneClass, cure: "play more games, or games of more equal players"},
	{is: tuner.ErrNoFeatures, cure: "is this the right --model for these positions?"},
	{is: tuner.ErrScale,
		cure: "give --k (Elo's scale is 0.0058 per centipawn: 0.58 / unit for features with a unit) or start " +
			"--from weights that know the value of the pieces"},
	{is: tuner.ErrScores, cure: "give --k-score, or --lambda 1 to leave them out"},
	{is: tuner.ErrAllFrozen, cure: "freeze less"},

	{is: selfplay.ErrConfig, on: onGames},
	{is: learn.ErrPlan, on: "learn"},
	{is: tuner.ErrConfig, on: "tune"},
	{is: tuner.ErrName, on: "tune"},
	{is: tuner.ErrMethod, on: "tune"},
	{is: sprt.ErrTest, on: "sprt"},
	{is: sprt.ErrCounts, on: "sprt"},

	{is: dataset.ErrNoData, cure: "a data set is a folder with " + durable.ManifestName + ", or an .arrow file"},
	{is: syscall.ENOTDIR, on: "init", cure: "name the folder of the engine's sources"},
	{is: fs.ErrNotExist, on: "report", cure: "assay runs lists the runs in this folder"},
	{is: syscall.ENOSPC, cure: "free some space, then run the same command again"},
	{is: syscall.EDQUOT, cure: "free some space, then run the same command again"},
	{is: syscall.EROFS, cure: "make the disk writable, then run the same command again"},
	{is: fs.ErrPermission, cure: "check its permissions, then run the same command again"},
	{is: typed[error](), on: "learn", kept: "finished work is in {dir}, resume with: {resume}"},
}

// listToo completes a cure by --results, which is for tables.
const listToo = "; a list is read so with --format table and its columns, such as --columns fen,score,result"

const busyCure = "play again when the machine is free, by --nodes, with fewer games at once " +
	"(--concurrency), or with a larger --time-margin (or --move-timeout)"

// advise adds to an error of a command what the user can do about it.
func advise(cmd *cobra.Command, err error) error {
	if errors.As(err, new(ui.UsageError)) || errors.As(err, new(ui.Interrupted)) {
		return err
	}
	var other *source.OtherError
	if errors.As(err, &other) && other.Advice != "" {
		return other
	}
	if other != nil {
		return fmt.Errorf("%w: assay data import %s --out DIR", other, quote.Word(other.Path))
	}
	words, dir := strings.Fields(cmd.CommandPath()), runFolder(cmd)
	info := runInfo(dir)
	for _, h := range hints {
		t, byType := h.is.(errType)
		fits := byType && t.fits(err) || !byType && errors.Is(err, h.is)
		if on := strings.Fields(h.on); !fits || h.on != "" &&
			!slices.ContainsFunc(words, func(w string) bool { return slices.Contains(on, w) }) {
			continue
		}
		if h.kept != "" && info.Resume != "" {
			h.cure = h.kept
		}
		bound, e := durable.Bound(dir, gamelog.Loose)
		again := ui.If(bound || e != nil, ", with another --out")
		switch {
		case h.cure == "" && h.kept != "":
			return err
		case h.cure == "":
			return ui.Usage(err)
		case !strings.HasPrefix(h.cure, "\n"):
			h.cure = "; " + h.cure
		}
		return fmt.Errorf("%w%s", err, strings.NewReplacer("{dir}", quote.Word(dir), "{again}", again,
			"{resume}", info.Resume,
			"{data}", ui.Words(cmd.Flags().Args())).Replace(h.cure))
	}
	return err
}

// runInfo returns what the run in a folder says of itself; nothing if there is none.
func runInfo(dir string) (info durable.RunInfo) {
	if dir != "" {
		info, _ = durable.ReadRunInfo(dir)
	}
	return info
}

// runFolder returns the folder of the run that a command writes; empty if there is none.
func runFolder(cmd *cobra.Command) string {
	if out := cmd.Flags().Lookup("out"); out != nil {
		return out.Value.String()
	}
	return ""
}

// interruptedBy returns what a command prints last after Ctrl-C, where err ended it.
func interruptedBy(cmd *cobra.Command, err error) error {
	var own ui.Interrupted
	if errors.As(err, &own) {
		return own
	}
	dir := runFolder(cmd)
	if info := runInfo(dir); info.Resume != "" {
		return ui.Kept(dir, info.Resume)
	}
	if files, err := os.ReadDir(dir); err == nil && len(files) > 0 {
		return ui.Kept(dir, ui.CommandLine(cmd, cmd.Flags().Args()))
	}
	return ui.Interrupted("nothing was written")
}
