package translate

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/spf13/cobra"
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

// table returns the options of the runners: what translates them, or why they have no flag. Those
// of one name mean the same in all runners, unless the function asks.
func table() map[string]func(*translation, []string) error {
	options := map[string]func(*translation, []string) error{
		"-engine": func(t *translation, values []string) error {
			t.engines = append(t.engines, engine{})
			return t.engines[len(t.engines)-1].read(t, values)
		},
		"-each":         func(t *translation, values []string) error { return t.each.read(t, values) },
		"-quick":        quick,
		"-rounds":       func(t *translation, values []string) error { return count(values, 1, &t.rounds) },
		"-games":        func(t *translation, values []string) error { return count(values, 1, &t.games) },
		"-repeat":       repeat,
		"-concurrency":  concurrency,
		"-srand":        func(t *translation, values []string) error { return t.seed(strings.Join(values, " ")) },
		"-openings":     openings,
		"-sprt":         sprt,
		"-draw":         draw,
		"-resign":       resign,
		"-maxmoves":     maxMoves,
		"-pgnout":       folder,
		"-pgn":          folder,
		"-tournament":   tournament,
		"-gauntlet":     func(t *translation, _ []string) error { t.gauntlet = true; return nil },
		"-seeds":        func(t *translation, values []string) error { return count(values, 0, &t.seeds) },
		"-use-affinity": affinity,
		"-recover":      func(t *translation, _ []string) error { t.recover = true; return nil },
		"-variant":      variant,
		"-tb": func(t *translation, values []string) error {
			t.flag("--syzygy", strings.Join(values, " "))
			return nil
		},
		"-tbignore50": func(t *translation, _ []string) error { t.flag("--syzygy-50=false"); return nil },
	}
	for _, key := range append([]string{"st"}, limitKeys...) { // after assay match A B people type them as options
		options["-"+key] = func(t *translation, values []string) error {
			return t.each.set(t, key, strings.Join(values, " "))
		}
	}
	for name, why := range noFlag {
		options[name] = func(t *translation, _ []string) error {
			t.note("%s: %s", name, why)
			return nil
		}
	}
	return options
}

// noFlag are the options that need no flag, or have no counterpart, with the reason.
var noFlag = map[string]string{
	"-noswap":            "assay always plays both games of an opening, with colors reversed",
	"-reverse":           "assay always plays both games of an opening, with colors reversed",
	"-config":            "assay reads no saved tournament; with --out, the same command resumes the match",
	"-epdout":            "with --out, assay data export writes EPD from the folder's games",
	"-log":               "with --out, the dialogue of a forfeited game is kept in the folder",
	"-debug":             "with --out, the dialogue of a forfeited game is kept in the folder",
	"-tbpieces":          "--syzygy takes the tables as they are",
	"-tbadjudicate":      "--syzygy ends won and drawn games",
	"-bookmode":          "it is about Polyglot books of the engines; assay takes openings from --book alone",
	"-sample":            "assay data positions samples positions from the games in --out",
	"-event":             "the PGN of assay has an Event tag of its own",
	"-site":              "the PGN of assay has no Site",
	"-output":            "assay prints its own report",
	"-report":            "assay always counts pairs (pentanomial)",
	"-resultformat":      "assay prints its own table",
	"-ratinginterval":    "assay shows the result so far in its progress line",
	"-scoreinterval":     "assay shows the result so far in its progress line",
	"-outcomeinterval":   "assay shows the result so far in its progress line",
	"-autosaveinterval":  "with --out, every finished game is saved at once",
	"-randomseed":        "the openings follow --seed; give another one for another match",
	"-wait":              "assay does not wait between games",
	"-show-latency":      "assay reports its own time a ply",
	"-check-mate-pvs":    "assay does not check the lines of mates",
	"-strict":            "a broken rule of the protocol that matters to a game is always a forfeit",
	"-testEnv":           "it changes the output of the other runner only",
	"-force-concurrency": "assay takes any --concurrency",
	"-crc32":             "the files of assay have checksums of their own",
	"-startup-ms":        "assay waits for engines as long as --start-timeout says",
	"-ucinewgame-ms":     "assay waits for engines as long as --start-timeout says",
	"-ping-ms":           "assay waits for engines as long as --move-timeout says",
}

// count reads the one whole number of an option, from least to a billion.
func count(values []string, least uint64, n *uint64) (err error) {
	if *n, err = strconv.ParseUint(strings.Join(values, " "), 10, 63); err != nil || *n < least || *n > 1e9 {
		return fmt.Errorf("want a whole number from %d", least)
	}
	return nil
}

// repeat: fastchess plays as many games of an opening as it says, two by default; for the others
// it says that the games of an encounter share openings, which is what assay does.
func repeat(t *translation, values []string) error {
	n := uint64(2)
	if len(values) > 0 {
		if err := count(values, 1, &n); err != nil {
			return err
		}
	}
	if n != 2 {
		t.note("-repeat %d: assay plays each opening twice, with colors reversed", n)
	}
	if t.runner == "fastchess" {
		t.games = n
	}
	return nil
}

// concurrency: fastchess counts numbers up to 0 from the number of cores.
func concurrency(t *translation, values []string) error {
	if n, err := strconv.Atoi(strings.Join(values, " ")); err == nil && n <= 0 && t.runner == "fastchess" {
		t.note("-concurrency %d: assay plays one game a core at once; for fewer, give --concurrency", n)
		return nil
	}
	var n uint64
	if err := count(values, 1, &n); err != nil {
		return err
	}
	t.flag("--concurrency", strconv.FormatUint(n, 10))
	return nil
}

// seed: in c-chess-cli, 0 asks for a random one.
func (t *translation) seed(text string) error {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return errors.New("want a whole number")
	}
	t.seeded = true
	if n > 0 || t.runner != "c-chess-cli" {
		t.flag("--seed", strconv.FormatUint(n, 10))
	}
	return nil
}

func affinity(t *translation, values []string) error {
	t.flag("--affinity", "on")
	if len(values) > 0 {
		t.note("-use-affinity %s: assay chooses the cores; to use some of them only, start it with taskset -c", values[0])
	}
	return nil
}

// quick is fastchess's short form: two commands, a book, and its own limits.
func quick(t *translation, values []string) error {
	list, err := pairs(values)
	if err != nil {
		return err
	}
	for _, kv := range list {
		switch kv[0] {
		case "cmd":
			t.engines = append(t.engines, engine{command: kv[1]})
		case "book":
			t.flag("--book", kv[1], "--book-order", "random")
			t.book, t.random = kv[1], true
		default:
			return fmt.Errorf("%q is not known", kv[0])
		}
	}
	if err := t.each.set(t, "tc", "10+0.1"); err != nil {
		return err
	}
	t.rounds, t.games, t.recover = 25000, 2, true
	t.note("-quick: 10+0.1 and 50,000 games at most; assay plays one game a core at once")
	return draw(t, []string{"movenumber=30", "movecount=8", "score=8"})
}

func openings(t *translation, values []string) error {
	list, err := pairs(values)
	if err != nil {
		return err
	}
	for _, kv := range list {
		if err := t.opening(kv[0], kv[1]); err != nil {
			return err
		}
	}
	return nil
}

func (t *translation) opening(key, value string) error {
	switch key {
	case "file":
		t.book = value
		t.flag("--book", value)
	case "order":
		if value != "random" && value != "sequential" {
			return fmt.Errorf("order=%s: want random or sequential", value)
		}
		t.random = value == "random"
		t.flag("--book-order", value)
	case "start":
		n, err := strconv.ParseUint(value, 10, 32)
		if err != nil || n == 0 {
			return fmt.Errorf("start=%s: want a number from 1", value)
		}
		t.flag("--book-start", strconv.FormatUint(n-1, 10))
	case "srand":
		return t.seed(value)
	case "format":
		if value != "epd" && value != "pgn" {
			return fmt.Errorf("format=%s: want epd or pgn", value)
		}
		t.format = value
	case "policy":
		if value != "default" && value != "round" {
			t.note("policy=%s: assay takes a new opening for each pair of games", value)
		}
	case "plies":
		n, err := strconv.ParseUint(value, 10, 16)
		if err != nil || n == 0 {
			return fmt.Errorf("plies=%s: want a number from 1", value)
		}
		t.flag("--book-plies", value)
	default:
		return fmt.Errorf("%q is not known", key)
	}
	return nil
}

func sprt(t *translation, values []string) error {
	list, err := pairs(values)
	if err != nil {
		return err
	}
	set := map[string]string{"elo0": "0", "elo1": "4", "alpha": "0.05", "beta": "0.05", "model": "logistic"}
	if t.runner == "fastchess" {
		set["model"] = "normalized"
	}
	for _, kv := range list {
		if _, known := set[kv[0]]; !known {
			return fmt.Errorf("%q is not known", kv[0])
		}
		if kv[0] != "model" && !decimal(strings.TrimPrefix(kv[1], "-")) {
			return fmt.Errorf("%s=%s: want a number", kv[0], kv[1])
		}
		set[kv[0]] = kv[1]
	}
	elo0, _ := strconv.ParseFloat(set["elo0"], 64)
	if elo1, _ := strconv.ParseFloat(set["elo1"], 64); elo0 >= elo1 {
		return fmt.Errorf("want elo0 below elo1, got %s and %s", set["elo0"], set["elo1"])
	}
	if model := set["model"]; model != "normalized" && model != "logistic" {
		return fmt.Errorf("model=%s: want normalized or logistic", model)
	}
	for _, key := range []string{"alpha", "beta"} {
		if p, _ := strconv.ParseFloat(set[key], 64); !(p > 0 && p < 0.5) {
			return fmt.Errorf("%s=%s: want a probability above 0 and below 0.5", key, set[key])
		}
	}
	t.sprt = true
	t.flag("--sprt", set["elo0"]+","+set["elo1"], "--elo-model", set["model"])
	for _, key := range []string{"alpha", "beta"} {
		if set[key] != "0.05" {
			t.flag("--"+key, set[key])
		}
	}
	return nil
}

// rule is a rule of adjudication. c-chess-cli names the keys number and count.
type rule struct {
	score, moves, from int
	twoSided           bool
}

func readRule(values []string) (r rule, err error) {
	list, err := pairs(values)
	if err != nil {
		return r, err
	}
	r = rule{score: -1, moves: 1}
	for _, kv := range list {
		n, err := strconv.Atoi(kv[1])
		switch key := kv[0]; {
		case key == "twosided":
			if r.twoSided, err = strconv.ParseBool(kv[1]); err != nil {
				return r, fmt.Errorf("twosided=%s: want true or false", kv[1])
			}
		case err != nil || n < 0 || n > 1e6:
			return r, fmt.Errorf("%s=%s: want a whole number from 0", key, kv[1])
		case key == "score":
			r.score = n
		case key == "movecount" || key == "count":
			r.moves = max(n, 1)
		case key == "movenumber" || key == "number":
			r.from = n
		default:
			return r, fmt.Errorf("%q is not known", key)
		}
	}
	return r, nil
}

// draw: moves of both players are two plies each.
func draw(t *translation, values []string) error {
	r, err := readRule(values)
	if err != nil {
		return err
	}
	if r.score < 0 {
		return errors.New("want score=CENTIPAWNS")
	}
	t.flag("--draw-score", strconv.Itoa(r.score), "--draw-plies", strconv.Itoa(2*r.moves), "--draw-from",
		strconv.Itoa(2*r.from))
	return nil
}

func resign(t *translation, values []string) error {
	r, err := readRule(values)
	if err != nil {
		return err
	}
	if r.score <= 0 {
		return errors.New("want score=CENTIPAWNS above 0")
	}
	t.win = true
	t.flag("--win-score", strconv.Itoa(r.score), "--win-plies", strconv.Itoa(2*r.moves))
	if !r.twoSided {
		t.flag("--win-one-sided")
	}
	if r.from > 0 {
		t.note("number=%d: assay adjudicates wins from the first move", r.from)
	}
	return nil
}

func maxMoves(t *translation, values []string) error {
	var n uint64
	if err := count(values, 0, &n); err != nil {
		return err
	}
	if n == 0 {
		t.note("-maxmoves 0: assay ends every game after --max-plies, 400 by default")
		return nil
	}
	t.flag("--max-plies", strconv.FormatUint(2*n, 10))
	return nil
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

func tournament(t *translation, values []string) error {
	switch strings.Join(values, " ") {
	case "gauntlet":
		t.gauntlet = true
	case "roundrobin", "round-robin":
	default:
		return errors.New("assay plays round robins and gauntlets")
	}
	return nil
}

func variant(t *translation, values []string) error {
	switch strings.Join(values, " ") {
	case "fischerandom", "chess960":
		t.chess960 = true
		t.note("%s: a book of Chess960 positions is enough; assay sets UCI_Chess960 itself", values[0])
	case "standard":
	default:
		return errors.New("assay match plays standard and fischerandom")
	}
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
				return ui.Usagef("no command line: give that of %s", strings.Join(Runners, ", "))
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
