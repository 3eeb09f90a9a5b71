package translate

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/selfplay/sprt"
)

// translation is what the options said so far.
type translation struct {
	runner        string
	engines       []engine
	each          engine
	rounds, games uint64
	seeds         uint64 // the players who play the others in a gauntlet
	gauntlet      bool
	sprt, win     bool   // --sprt and --win-plies are given
	book, format  string // the file of openings, and its format as the command line has it
	random        bool   // the order of the openings
	chess960      bool
	recover       bool
	seeded        bool
	flags         []string
	notes         []string
}

func (t *translation) note(format string, args ...any) {
	t.notes = append(t.notes, fmt.Sprintf(format, args...))
}

func (t *translation) flag(words ...string) { t.flags = append(t.flags, words...) }

// amount adds a flag with a number of times a value, a whole number from least to a billion.
func (t *translation) amount(flag, value string, least, times uint64) error {
	n, err := whole(value, least)
	if err == nil {
		t.flag(flag, strconv.FormatUint(times*n, 10))
	}
	return err
}

// whole reads a whole number, from least to a billion.
func whole(text string, least uint64) (uint64, error) {
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil || n < least || n > 1e9 {
		return 0, fmt.Errorf("%q: want a whole number from %d", text, least)
	}
	return n, nil
}

// option is what translates an option with the words after it.
type option func(t *translation, values []string) error

// options are the runners' options that become flags; the others are in noFlag. Options of one name mean the same in
// all runners, unless the function asks.
var options = map[string]option{
	"-engine": func(t *translation, values []string) error {
		t.engines = append(t.engines, engine{})
		return t.engines[len(t.engines)-1].read(t, values)
	},
	"-each":        func(t *translation, values []string) error { return t.each.read(t, values) },
	"-quick":       quick,
	"-rounds":      count(1, func(t *translation) *uint64 { return &t.rounds }),
	"-games":       count(1, func(t *translation) *uint64 { return &t.games }),
	"-seeds":       count(0, func(t *translation) *uint64 { return &t.seeds }),
	"-repeat":      repeat,
	"-concurrency": concurrency,
	"-srand":       func(t *translation, values []string) error { return t.seed(one(values)) },
	"-openings":    openings,
	"-sprt":        test,
	"-draw":        draw,
	"-resign":      resign,
	"-maxmoves":    maxMoves,
	"-pgnout":      folder,
	"-pgn":         folder,
	"-tournament": choice("roundrobin round-robin gauntlet", func(t *translation, kind string) {
		t.gauntlet = kind == "gauntlet"
	}),
	"-gauntlet": func(t *translation, _ []string) error { t.gauntlet = true; return nil },
	"-use-affinity": func(t *translation, values []string) error {
		if t.flag("--affinity", "on"); len(values) > 0 {
			t.note("-use-affinity %s: assay chooses the cores; to use some of them only, start it with taskset -c", values[0])
		}
		return nil
	},
	"-recover": func(t *translation, _ []string) error { t.recover = true; return nil },
	"-variant": choice("standard fischerandom chess960", func(t *translation, name string) {
		if t.chess960 = name != "standard"; t.chess960 {
			t.note("%s: a book of Chess960 positions is enough; assay sets UCI_Chess960 itself", name)
		}
	}),
	"-tb":         func(t *translation, values []string) error { t.flag("--syzygy", one(values)); return nil },
	"-tbignore50": func(t *translation, _ []string) error { t.flag("--syzygy-50=false"); return nil },
	"-st":         limit("st"), // after assay match A B people type limits as options
	"-tc":         limit("tc"),
	"-movetime":   limit("movetime"),
	"-nodes":      limit("nodes"),
	"-depth":      limit("depth"),
}

func one(values []string) string { return strings.Join(values, " ") }

func limit(key string) option {
	return func(t *translation, values []string) error { return t.each.set(t, key, one(values)) }
}

// count is an option that takes a whole number.
func count(least uint64, field func(*translation) *uint64) option {
	return func(t *translation, values []string) (err error) {
		*field(t), err = whole(one(values), least)
		return err
	}
}

// choice is an option that takes one of some words.
func choice(words string, take func(*translation, string)) option {
	return func(t *translation, values []string) error {
		if !slices.Contains(strings.Fields(words), one(values)) {
			return fmt.Errorf("assay knows %s", strings.ReplaceAll(words, " ", ", "))
		}
		take(t, one(values))
		return nil
	}
}

// Reasons of noFlag that several options have.
const (
	bothGames     = "assay always plays both games of an opening, with colors reversed"
	keepsDialogue = "with --out, the dialogue of a forfeited game is kept in the folder"
	showsProgress = "assay shows the result so far in its progress line"
	startTimeout  = "assay waits for engines as long as --start-timeout says"
)

// noFlag are the options that need no flag, or have no counterpart, with the reason.
var noFlag = map[string]string{
	"-noswap":            bothGames,
	"-reverse":           bothGames,
	"-config":            "assay reads no saved tournament; with --out, the same command resumes the match",
	"-epdout":            "with --out, assay data export writes EPD from the folder's games",
	"-log":               keepsDialogue,
	"-debug":             keepsDialogue,
	"-tbpieces":          "--syzygy takes the tables as they are",
	"-tbadjudicate":      "--syzygy ends won and drawn games",
	"-bookmode":          "it is about Polyglot books of the engines; assay takes openings from --book alone",
	"-sample":            "assay data positions samples positions from the games in --out",
	"-event":             "the PGN of assay has an Event tag of its own",
	"-site":              "the PGN of assay has no Site",
	"-output":            "assay prints its own report",
	"-report":            "assay always counts pairs (pentanomial)",
	"-resultformat":      "assay prints its own table",
	"-ratinginterval":    showsProgress,
	"-scoreinterval":     showsProgress,
	"-outcomeinterval":   showsProgress,
	"-autosaveinterval":  "with --out, every finished game is saved at once",
	"-randomseed":        "the openings follow --seed; give another one for another match",
	"-wait":              "assay does not wait between games",
	"-show-latency":      "assay does not time its own work",
	"-check-mate-pvs":    "assay does not check the lines of mates",
	"-strict":            "a broken rule of the protocol that matters to a game is always a forfeit",
	"-testEnv":           "it changes the output of the other runner only",
	"-force-concurrency": "assay takes any --concurrency",
	"-crc32":             "the files of assay have checksums of their own",
	"-startup-ms":        startTimeout,
	"-ucinewgame-ms":     startTimeout,
	"-ping-ms":           "assay waits for engines as long as --move-timeout says",
}

// repeat: fastchess plays as many games of an opening as it says, two by default; for the others
// it says that the games of an encounter share openings, which is what assay does.
func repeat(t *translation, values []string) error {
	n, err := whole(cmp.Or(one(values), "2"), 1)
	if n != 2 && err == nil {
		t.note("-repeat %d: assay plays each opening twice, with colors reversed", n)
	}
	if t.runner == "fastchess" {
		t.games = n
	}
	return err
}

// concurrency: fastchess counts numbers up to 0 from the number of cores.
func concurrency(t *translation, values []string) error {
	if n, err := strconv.Atoi(one(values)); err == nil && n <= 0 && t.runner == "fastchess" {
		t.note("-concurrency %d: assay plays one game a core at once; for fewer, give --concurrency", n)
		return nil
	}
	return t.amount("--concurrency", one(values), 1, 1)
}

// seed: in c-chess-cli, 0 asks for a random one.
func (t *translation) seed(text string) error {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return fmt.Errorf("%q: want a whole number", text)
	}
	if t.seeded = true; n > 0 || t.runner != "c-chess-cli" {
		t.flag("--seed", strconv.FormatUint(n, 10))
	}
	return nil
}

// quick is fastchess's short form: two commands, a book, and its own limits.
func quick(t *translation, values []string) error {
	for _, word := range values {
		switch key, value, _ := strings.Cut(word, "="); key {
		case "cmd":
			t.engines = append(t.engines, engine{command: value})
		case "book":
			t.flag("--book", value, "--book-order", "random")
			t.book, t.random = value, true
		default:
			return fmt.Errorf("%q is not known", key)
		}
	}
	t.rounds, t.games, t.recover = 25000, 2, true
	t.note("-quick: 10+0.1 and 50,000 games at most; assay plays one game a core at once")
	return cmp.Or(t.each.set(t, "tc", "10+0.1"), draw(t, []string{"movenumber=30", "movecount=8", "score=8"}))
}

// keyed reads KEY=VALUE words with known keys. Of two names of a key, with | between them, the first belongs to the
// result.
func keyed(words []string, known string) (map[string]string, error) {
	values := map[string]string{}
	for _, word := range words {
		key, value, ok := strings.Cut(word, "=")
		if !ok {
			return nil, fmt.Errorf("%q: want KEY=VALUE", word)
		}
		names := slices.IndexFunc(strings.Fields(known), func(names string) bool {
			return slices.Contains(strings.Split(names, "|"), key)
		})
		if names < 0 {
			return nil, fmt.Errorf("%q is not known", key)
		}
		name, _, _ := strings.Cut(strings.Fields(known)[names], "|")
		values[name] = value
	}
	return values, nil
}

func openings(t *translation, words []string) error {
	v, err := keyed(words, "file order start srand format policy plies")
	if err != nil {
		return err
	}
	if t.book, t.format = v["file"], v["format"]; t.book != "" {
		t.flag("--book", t.book)
	}
	switch order := v["order"]; order {
	case "":
	case "random", "sequential":
		t.random = order == "random"
		t.flag("--book-order", order)
	default:
		return fmt.Errorf("order=%s: want random or sequential", order)
	}
	if start := v["start"]; start != "" {
		n, e := whole(start, 1)
		t.flag("--book-start", strconv.FormatUint(n-1, 10))
		err = e
	}
	switch p := v["plies"]; {
	case p == "":
	case t.format == "epd" || t.format == "" && strings.Contains(t.book, ".epd"):
		t.note("plies=%s: the book has positions, which are played as they are", p)
	default:
		err = cmp.Or(err, t.amount("--book-plies", p, 1, 1))
	}
	if v["srand"] != "" {
		err = cmp.Or(err, t.seed(v["srand"]))
	}
	if !slices.Contains([]string{"", "epd", "pgn"}, t.format) {
		err = fmt.Errorf("format=%s: want epd or pgn", t.format)
	}
	if p := v["policy"]; p != "" && p != "default" && p != "round" {
		t.note("policy=%s: assay takes a new opening for each pair of games", p)
	}
	return err
}

// test translates -sprt. Only fastchess has normalized Elo by default.
func test(t *translation, words []string) error {
	v, err := keyed(words, "elo0 elo1 alpha beta model")
	if err != nil {
		return err
	}
	model := map[bool]string{true: "normalized", false: "logistic"}[t.runner == "fastchess"]
	var s sprt.Test
	if s.Model, err = sprt.ParseModel(cmp.Or(v["model"], model)); err != nil {
		return err
	}
	for _, x := range []struct {
		key, standard string
		to            *float64
	}{{"elo0", "0", &s.Elo0}, {"elo1", "4", &s.Elo1}, {"alpha", "0.05", &s.Alpha}, {"beta", "0.05", &s.Beta}} {
		if *x.to, err = strconv.ParseFloat(cmp.Or(v[x.key], x.standard), 64); err != nil {
			return fmt.Errorf("%s=%s: want a number", x.key, v[x.key])
		}
	}
	t.sprt = true
	t.flag("--sprt", fmt.Sprintf("%g,%g", s.Elo0, s.Elo1), "--elo-model", s.Model.String())
	if s.Alpha != 0.05 {
		t.flag("--alpha", fmt.Sprint(s.Alpha))
	}
	if s.Beta != 0.05 {
		t.flag("--beta", fmt.Sprint(s.Beta))
	}
	return s.Validate()
}

// rules are the keys of adjudications; c-chess-cli has names of its own.
const rules = "score movecount|count movenumber|number twosided"

// draw: moves of both players are two plies each.
func draw(t *translation, words []string) error {
	v, err := keyed(words, rules)
	return cmp.Or(err, t.amount("--draw-score", v["score"], 0, 1),
		t.amount("--draw-plies", cmp.Or(v["movecount"], "1"), 1, 2),
		t.amount("--draw-from", cmp.Or(v["movenumber"], "0"), 0, 2))
}

func resign(t *translation, words []string) error {
	v, err := keyed(words, rules)
	if err != nil {
		return err
	}
	t.win = true
	if from := v["movenumber"]; from != "" && from != "0" {
		t.note("number=%s: assay adjudicates wins from the first move", from)
	}
	err = cmp.Or(t.amount("--win-score", v["score"], 1, 1), t.amount("--win-plies", cmp.Or(v["movecount"], "1"), 1, 2))
	both, e := strconv.ParseBool(cmp.Or(v["twosided"], "false"))
	if !both {
		t.flag("--win-one-sided")
	}
	return cmp.Or(err, e)
}

func maxMoves(t *translation, values []string) error {
	if one(values) == "0" {
		t.note("-maxmoves 0: assay ends every game after --max-plies, 400 by default")
		return nil
	}
	return t.amount("--max-plies", one(values), 1, 2)
}

// folder keeps the match in a folder named like the PGN file. What else is said of the file
// (notation, min, append) has no counterpart.
func folder(t *translation, values []string) error {
	name := ""
	for i, v := range values {
		if file, ok := strings.CutPrefix(v, "file="); ok {
			name = file
		} else if i == 0 && !strings.Contains(v, "=") {
			name = v
		}
	}
	if name == "" {
		return errors.New("want a file")
	}
	dir := strings.TrimSuffix(name, filepath.Ext(name))
	t.flag("--out", dir)
	t.note("the games are in %s/games.pgn, with scores, depth and time of each move", dir)
	return nil
}

// New returns the command assay
func New() *cobra.Command {
	return &cobra.Command{
		Use:   "translate RUNNER ARGUMENTS...",
		Short: "Turn a command line of fastchess or cutechess-cli into one of assay",
		Long: `Print the assay match command for a command line of ` + strings.Join(Runners, ", ") + `.
Each option becomes a flag, or a note on standard error: what assay does by itself, does
differently or cannot do. Nothing is run.

As in the other runners, -each wins over -engine. They play until mate unless an option asks
for adjudication; assay adjudicates lost games by default, so --win-plies 0 is added.`,
		Example: `  assay translate fastchess -engine cmd=./new -engine cmd=./base \
      -each tc=8+0.08 option.Hash=16 -rounds 10000 -sprt elo0=0 elo1=5`,
		DisableFlagParsing: true, // the flags are another program's
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && (args[0] == "--help" || args[0] == "-h") {
				return cmd.Help()
			}
			if len(args) == 0 {
				return ui.Usagef("no command line: give one of %s", strings.Join(Runners, ", "))
			}
			if words, err := quote.Split(args[0]); err == nil && len(args) == 1 && len(words) > 1 { // the line in quotes
				args = words
			}
			c, err := Match(filepath.Base(args[0]), args[1:])
			if err != nil {
				return ui.Usage(err)
			}
			for _, note := range c.Notes {
				fmt.Fprintf(cmd.ErrOrStderr(), "note: %s\n", note)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), c.Line())
			return err
		},
	}
}
