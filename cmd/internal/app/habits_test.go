package app

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-chess/assay/cmd/internal/opts"
	"github.com/assay-chess/assay/cmd/internal/translate"
	"github.com/assay-chess/assay/engine"
	testengine "github.com/assay-chess/assay/engine/uci/testdata"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/roster"
)

// What people type first who come from other programs: it works, or the answer has the line to type.
func TestHabits(t *testing.T) {
	play := " --depth 1 --max-plies 8 --concurrency 1"
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"short.pgn": "[Event \"x\"]\n[Result \"*\"]\n\n1. e4 e5 2. Nf3 *\n\n[Event \"y\"]\n[Result \"*\"]\n\n1. d4 d5 *\n",
		"whole.pgn": "[Event \"x\"]\n[Result \"0-1\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n" +
			"[Event \"y\"]\n[Result \"*\"]\n\n1. d4 d5 *\n",
		"list.epd":    "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2; [1.0]\n",
		"new":         "#!/bin/sh\n",
		"params.json": `{"A": {"value": 75, "min_value": 0, "max_value": 200, "step": 10}}`,
		"tunable": "#!/bin/sh\nwhile read line; do case $line in\n" +
			"uci) echo option name Hash type spin default 16 min 1 max 64\n" +
			"echo option name LMR Base type spin min -9 max 9 default -3\necho uciok;;\n" +
			"isready) echo readyok;;\nquit) exit;;\nesac; done\n",
	} {
		setup.Check(t, os.WriteFile(name, []byte(text), 0o777))
	}
	setup.Check(t, os.Chmod("list.epd", 0o666))
	setup.Check(t, os.Mkdir("my dir", 0o777))
	setup.Check(t, os.WriteFile("assay", nil, 0o777))
	setup.Check(t, os.WriteFile("my dir/new", nil, 0o777))
	if code, _, stderr := call(t, strings.Fields("ladder assay random first-move --games 6 --out l"+play)...); code != 0 {
		t.Fatal(stderr)
	}
	const line = "in assay it is\nassay match "
	// A line and what its answer has. The exit code means wrong usage, unless the answer begins with ok or failed.
	for _, test := range []struct{ line, want string }{
		// First words; TestHabitsAreTrue types the list's.
		{"ordo -a 2800 -p games.pgn", "type assay ladder games.pgn"},
		{"import games.pgn", "type assay data import SRC... --out DIR"},
		{"UCI", "did you mean assay uci?"},
		{"compliance ./engine", "type assay check ./engine"},
		{"data filter", "type assay data positions games --out positions"},
		{"data exprot", "did you mean export?"},
		{"mathc assay random", "did you mean assay match?"},
		{"work --all", "type assay help work --all"},

		// Command lines of other runners.
		{"-engine cmd=./new -engine cmd=./base -each tc=8+0.08 -rounds 100",
			line + "uci:./new uci:./base --tc 8+0.08 --games 200 --win-plies 0"},
		{"cutechess-cli -engine cmd=a -engine cmd=b -each tc=1+0.01 -games 2",
			line + "uci:a uci:b --tc 1+0.01 --games 2"},
		{"match -engine cmd=./new -engine cmd=./base -each tc=8+0.08",
			line + "uci:./new uci:./base --tc 8+0.08 --win-plies 0"},
		{"match ./new ./base --tc 8+0.08 -sprt elo0=0 elo1=5 alpha=0.05 beta=0.05",
			line + "./new ./base --tc 8+0.08 --sprt 0,5"},
		{"match ./new ./base -rounds 100 -each tc=8+0.08", line + "./new ./base --tc 8+0.08 --games 200"},
		{"match ./new ./base --tc 8+0.08 -games 2 -rounds 50 -concurrency 4",
			line + "./new ./base --tc 8+0.08 --games 100 --concurrency 4"},
		{"match ./new ./base -st 0.1 -openings file=b.epd order=random plies=8",
			line + "./new ./base --movetime 100ms --book b.epd --book-order random"},
		{"sprt -engine cmd=a -engine cmd=b -each nodes=9 -rounds 2", line + "uci:a uci:b --nodes 9 --games 4"},
		{"match ./new ./base -openings file=b.epd", "type --book b.epd"}, // no limit to translate
		{"match -games 2 assay random", "flags have two dashes: --games"},
		{"match ./new ./base -concurrency 4", "flags have two dashes: --concurrency"},
		{"match ./new ./base -tc 8+0.08", "flags have two dashes: --tc"},
		{"translate cutechess -engine cmd=a -engine cmd=b -each st=1", "cutechess-cli"},

		// Flags and words after a command.
		{"match a b --st 0.1", "type --movetime 0.1s"},
		{"match a b --resign movecount=3", "type --win-score 400 --win-plies 6 --win-one-sided"},
		{"match a b --draw movecount=8", "type --draw-score 10 --draw-plies 16 --draw-from 68"},
		{"match a b --pgn x.pgn", "type --out x, which keeps its games.pgn"},
		{"match a b --pgnout x.pgn", "type --out x"},
		{"match a b -o x", "type --out x"},
		{"match a b --each tc=1", "type assay match ./new ./base --tc 8+0.08"},
		{"match a b option.Hash=16", "type ./engine?Hash=16"},
		{"match a b --option.Hash=16", "type ./engine?Hash=16"},
		{"match a b tc=3+0.03", "type --tc 3+0.03"},
		{"match cmd=./a cmd=./b", "type ./engine"},
		{"match a b --hash 64", "type ./engine?Hash=64"},
		{"match a b --maxmoves 200", "type --max-plies 400, which is 200 moves"},
		{"match a b --srand 3", "type --seed 3"},
		{"match a b --elo0 0 --elo1 4", "type --sprt 0,4"},
		{"match a b --repeat", "assay always plays both games"},
		{"match a b --tb /x", "type --syzygy /x"},
		{"match a b --cores 1", "type --concurrency 1"},
		{"match a b --openings b.epd", "type --book b.epd"},
		{"ladder a b --rounds 3", "type --games 6, which is 3 pairs"},
		{"match HEAD main", "type git:HEAD git:main"},
		{"ladder games.pgn x", "type assay sprt --pgn games.pgn"},
		{"ladder -p my.pgn", "type assay ladder my.pgn"},
		{"match a b book.epd", "type --book book.epd"},
		{"sprt games.pgn", "type --pgn games.pgn"},
		{"sprt elo0=0 elo1=5", "type --elo0 0 --elo1 5"},
		{"selfplay --engine ./a --out x", "type --players ./a"},
		{"spsa --engine ./a", "type --write engine.toml and the engine: assay spsa ./a"},
		{"uci --hash 64", "type --player assay:hash=64"},
		{"selfplay 1000", "type --games 1000"},
		{"match a b --concurrency all", "want a number"},
		{"tune x --epochs 3", "type --iterations 3"},
		{"tune x --threads 3", "type --workers 3"},
		{"match assay random --gmaes 2", "did you mean --games?"},
		{"match assay random --rounds 1 --games 4" + play, "give one of them"},
		{"match assay random --sprt 0 5 --games 2" + play, "ok LLR"},
		{"match assay random --sprt elo0=0 elo1=5 alpha=0.1 beta=0.1 --games 2" + play,
			"ok bounds -2.20 and 2.20, normalized Elo 0 to 5"},
		{"match assay random --sprt elo1=5 elo0=0 model=logistic --games 2" + play, "ok logistic Elo 0 to 5"},
		{"match assay random --sprt elo0=0 elo1=5 alpha=2 --games 2" + play, "alpha"},
		{"match assay random --sprt [0,5] --games 2" + play, "ok LLR"},
		{"match assay random --preset stc --games 2" + play, "ok LLR"},
		{"match assay random --preset vstc", "stc, ltc or nonreg"},

		{"match a b --threads 2", "type ./engine?Threads=2"},
		{"match a b --plies 8", "type --book-plies 8"},
		{"match a b --resign movecount=4 score=500", "type --win-score 500 --win-plies 8 --win-one-sided"},
		{"match a b --draw movenumber=30 movecount=7 score=20", "type --draw-score 20 --draw-plies 14 --draw-from 60"},
		{"match a b --timemargin 20", "type --time-margin 20ms"},
		{"match a b --proto uci", "every engine speaks UCI"},
		{"match a b --affinity --nodes 50", "--affinity needs a value, but --nodes follows it"},
		{"match a b --sprt --nodes 50", "--sprt needs a value, but --nodes follows it"},
		{"match a b --games --nodes 50", "--games needs a value, but --nodes follows it"},
		{"bench --affinity --json", "--affinity"},
		{"match assay random --out my.pgn", "want a folder, which will have games.pgn; type --out my"},
		{"ladder --pgn whole.pgn", "type assay ladder whole.pgn"},
		{"ladder l", "ok 6 games"},
		{"features l/games --cmd ./new --out f", "failed assay data positions l/games --out positions"},
		{"tune l/games", "failed assay data positions l/games --out positions"},
		{"data stats l", "type assay data stat l"},
		{"data info l", "type assay data stat l"},
		{"spsa params.json", `write parameter_file = "params.json"`},
		{"spsa params.json --iterations 5", "type iterations = 5 in CONFIG"},
		{"data export x --format bulletformat --out y", "failed x"},
		{"data import list.epd --format fenformat --out y", "not one of"},
		{"sprt --ptnml 1,2,3,4,5", "type --penta 1,2,3,4,5"},
		{"sprt --wins 10 --draws 20 --losses 5", "type --wdl 10,20,5"},
		{"sprt 0 3", "type --elo0 0 --elo1 3"},
		{"sprt --wdl 10,20,5 0 3", "type --elo0 0 --elo1 3"},
		{"selfplay ./a --out x", "type --players ./a"},
		{"selfplay 100 --out x", "type --games 100"},
		{"match help", "ok Play pairs of games"},
		{"-version", "ok assay 0"},
		{"match ./new ./base -j4", "type --concurrency 4"},
		{"match ./new ./base --Hash 64", "type ./engine?Hash=64"},
		{"match ./new:Hash=16 assay", "type './new?Hash=16'"},
		{"match ./new, assay", "type ./new"},
		{"data head -5 l/games", "type -n N"},
		{"translate ./fastchess -engine cmd=a -engine cmd=b -each st=1", "ok assay match"},
		{"match assay random --nodes 10k", "type --nodes 10000"},
		{"match assay random --games 2.5", "want a number\n"},
		{"match assay random --games", "--games needs a value: games to play"},
		{"match assay random --movetime 250", "such as 250ms"},
		{"match a b --pgnout file=x.pgn", "type --out x, which keeps its games.pgn"},
		{"learn --hours 8h", "type --hours 8"},
		{"learn ./new", "type --engine ./new"},
		{"-config file=x.json", "assay reads no saved tournament"},
		{"sprt 10 20 30", "type --wdl 10,20,30"},
		{"sprt --penta 1 2 3 2 1", "type --penta 1,2,3,2,1"},
		{"sprt short.pgn", "type --pgn short.pgn"},
		{"ladder short.pgn -A a -a 2800", "type --anchor a=2800"},
		{"ordo -a 2800 -p my.pgn", "type assay ladder my.pgn"},
		{"check -engine cmd=./new", "type assay check ./new"},
		{"data shuf l/games --out s", "type assay data shuffle l/games"},
		{"data export l/games out.pgn", "type --out out.pgn"},
		{"weights assay-1", "type assay weights show assay-1"},
		{"runs list", "want a folder of runs"},
		{"runs l", "l is a run; type assay report l"},
		{"init ./new", "failed name the folder"},
		{"perft 2", "ok 400"},
		{"perft 2 startpos", "ok 400"},
		{"bench ./a", "type assay check ./a to test an engine"},
		{"match ./my dir/new random --games 2", "./my is no file; type './my dir/new'"},

		// Players.
		{"match assai random --games 2", "failed did you mean assay?"},
		{"match sh random --games 2", "failed uci:sh"},
		{"match new random --games 2", `failed "new" is not in PATH; type ./new`},
		{"match uci:new random --games 2", `failed "new" is not in PATH; type ./new`},
		{"match new?Hash=1 random --games 2", "failed type './new?Hash=1'"},
		{"match assay:hash=1 random --rounds 1" + play, "ok 2 games"}, // although there is a file assay
		{"spsa ./tunable", "ok written tunable.toml with the spin options of ./tunable (1)"},
		{"spsa ./tunable", "there is such a file already"},
		{"spsa tunable.toml --write a.toml", "--write is for an ENGINE"},
		{"spsa new", `failed "new" is not in PATH; type ./new`},

		// Books and data.
		{"match assay random --rounds 1 --book short.pgn" + play, "ok 2 games"},
		{"match assay random --rounds 1 --book whole.pgn" + play, "failed --book-plies 16 plays the first 16 plies"},
		{"match assay random --rounds 1 --book whole.pgn --book-plies 2" + play, "ok 2 games"},
		{"match assay random --rounds 1 --book list.epd --book-plies 2" + play, "failed only games can end"},
		{"data import list.epd --out imported", "ok 1 rows"},
		{"tune games.pgn", "failed assay data import games.pgn"},
		{"tune quiet.epd", "failed assay data import quiet.epd"},
		{"tune x.tsv.zst", "failed assay data import x.tsv.zst"},
		{"tune l", "failed l holds a run of assay ladder; type assay report l to see it, or assay data positions l/games"},
		{"weights show l", "failed l holds a run of assay ladder"},
		{"match assay random --rounds 1 --out l" + play, "failed l holds a run of assay ladder"},
		{"spsa l", "failed l holds a run of assay ladder"},
		{"sprt --penta 1,2,3,4,5,6", "ok games  42"},
		{"sprt --penta [1,2,3,4,5]", "ok games  30"},
		{"sprt --penta [1,2,3,4,5] --elo1 9", "ok verdict  UNDECIDED"},
		{"sprt --true-elo x", "want a number"},
		{"help mtach", "did you mean assay match?"},
		{"help data exprot", "did you mean export?"},
		{"help match", "ok Usual flags"},
		{"match assay random --games 0", "--games 0: want 1 or more"},
		{"match assay random --rounds 0", "--rounds 0: want 1 or more"},
		{"match assay random --depth 0", "--depth 0: want 1 or more"},
		{"ladder assay random --games 0", "--games 0: want 1 or more"},
		{"match assay random --rounds 1" + play, "ok NO CLEAR WINNER: assay against random: 1 of 2 points"},
		{"match assay random --rounds 1" + play, "ok match: 2 games, NO CLEAR WINNER"},
		{"match assay random --rounds 1 --sprt 0,5" + play, "ok UNDECIDED: assay against random: 1 of 2 points"},
		{"match assay random --rounds 1 --out m1" + play, "ok nodes a ply of A, 0 of B"},
		{"match assay ./new --games 2", "failed B, ./new: the player does not work: uci:new: no uciok: it ended with"},
		{"match assay ./list.epd?a=1 --games 2", "failed ./list.epd is not executable; if it is an engine, type chmod +x"},
		{"selfplay --games 2 --out s" + play, "ok of them played to the end as a check: 0 ended differently"},
	} {
		code, stdout, stderr := call(t, strings.Fields(test.line)...)
		want, exit := test.want, exitUsage
		for prefix, code := range map[string]int{"ok ": exitDone, "failed ": exitFailed} {
			if text, ok := strings.CutPrefix(want, prefix); ok {
				want, exit = text, code
			}
		}
		if strings.Contains(stdout, " \n") {
			t.Errorf("assay %s: a line ends with a space\n%s", test.line, stdout)
		}
		if code != exit || !strings.Contains(stdout+stderr, want) {
			t.Errorf("assay %s: exit %d, want %d and %q\n%s%s", test.line, code, exit, want, stdout, stderr)
		}
	}
}

// What a habit says to type exists: its command, and the flags in it.
func TestHabitsAreTrue(t *testing.T) {
	seen, firsts, rows, parsed := map[string]bool{}, map[string]bool{}, 0, 0
	for line := range strings.Lines(translate.Habits) {
		words, say, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		rows++
		say = translate.Fill(say, nil)
		for word := range strings.FieldsSeq(words) {
			if strings.Contains(word, ":") {
				continue // of one command
			}
			if cmd, _, err := newRootCommand().Find([]string{word}); err == nil && cmd.HasParent() {
				t.Errorf("%q is a command", word)
			}
			if strings.HasPrefix(say, "assay ") && !firsts[word] && !strings.ContainsAny(word[:1], "-.") {
				firsts[word] = true
				if code, stdout, stderr := call(t, word); code != exitUsage || !strings.Contains(stderr, "type "+say) {
					t.Errorf("assay %s: exit %d\n%s%s", word, code, stdout, stderr)
				}
			}
			if key := word + " " + say; seen[key] {
				t.Errorf("%q: twice", key)
			} else {
				seen[key] = true
			}
		}
		for _, part := range strings.Split(say, "assay ")[1:] {
			args := strings.Fields(strings.TrimRight(regexp.MustCompile(`[,;] .*| (to|for|in|lists|shows|instead|adds) .*`).
				ReplaceAllString(part, ""), ","))
			cmd, rest, err := newRootCommand().Find(args)
			if err != nil || !cmd.HasParent() {
				continue // assay as a player, or in a sentence
			}
			if err := cmd.ParseFlags(rest); err != nil {
				t.Errorf("%q: %v", say, err)
			}
			parsed++
		}
	}
	if rows < 60 || parsed < 40 {
		t.Errorf("%d habits, %d command lines in them", rows, parsed)
	}
}

// The tables of all games that are played at once are added up, the engines' defaults too.
func TestCrowdedMemory(t *testing.T) {
	engine := "'" + testengine.Build(t, "badengine") + "' good" // its default is 16
	for _, c := range []struct {
		games   int
		players []string
		want    string
	}{
		{10, []string{"assay:hash=16", "assay"}, ""},
		{64, []string{"turing-1951", "assay"}, ""},
		{64, []string{engine, "assay"}, ""},
		{65, []string{engine, "assay"}, "the hash tables of 65 games at once need 2080 MiB, but there are 2048 " +
			"MiB of memory; use a smaller Hash, or --concurrency 64 or less"},
		{65, []string{"assay"}, "the hash tables of 65 games at once need 2080 MiB, but there are 2048 MiB of memory; " +
			"use a smaller Hash, or --concurrency 64 or less"},
		{3, []string{engine + "?Hash=512", engine}, ""},
		{10, []string{engine + "?hash=512", engine + "?Hash=1024", "assay"}, "the hash tables of 10 games at " +
			"once need 15520 MiB, but there are 2048 MiB of memory; use a smaller Hash, or --concurrency 1 or less"},
		{1, []string{engine + "?Hash=1024", engine + "?Hash=1025"}, "the hash tables of a game need 2049 MiB, but there " +
			"are 2048 MiB of memory; use a smaller Hash"},
	} {
		s := &session{Play: &opts.Play{}}
		s.Open = roster.Open
		var players []selfplay.Player
		for _, text := range c.players {
			players = append(players, selfplay.Player{Spec: setup.Must(roster.Parse(text))})
		}
		tables := s.hashTables(players)
		if got := crowdedMemory(c.games, 2<<30, tables); got != c.want {
			t.Errorf("%d games of %q: %q, want %q", c.games, c.players, got, c.want)
		}
		if got := crowdedMemory(c.games, 0, tables); got != "" { // of an unknown memory
			t.Error(got)
		}
	}
}

func TestCrowdedGames(t *testing.T) {
	for _, c := range []struct {
		games, threads int
		want           string
	}{{16, 1, ""}, {17, 1, "--concurrency 16 "}, {16, 4, "of 4 threads slow each other down; use --concurrency 4"}} {
		wide := engine.Spec{Options: []engine.Option{{Name: "threads", Value: strconv.Itoa(c.threads)}}}
		got := crowdedGames(true, c.games, threads(selfplay.Player{}, selfplay.Player{Spec: wide}), 16)
		if !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%d games of %d threads: %q, want %q", c.games, c.threads, got, c.want)
		}
	}
}

func TestLevelAdvice(t *testing.T) {
	for _, c := range []struct {
		build string
		level int
		want  string
	}{
		{"amd64/v1", 4, "this machine runs amd64/v4: the build for amd64/v3 is faster"},
		{"amd64/v1", 2, "this machine runs amd64/v2"},
		{"amd64/v3", 3, "this machine runs amd64/v3"},
		{"arm64/v8.0", 0, ""},
	} {
		if got := levelAdvice(c.build, c.level); got != c.want {
			t.Errorf("levelAdvice(%q, %d) = %q, want %q", c.build, c.level, got, c.want)
		}
	}
}

// What the translation prints is a command that assay match can parse.
func TestTranslationsParse(t *testing.T) {
	for _, line := range []string{
		"fastchess -engine cmd=./new name=new -engine cmd=./base name=base -each tc=8+0.08 option.Hash=16 timemargin=50 " +
			"-rounds 10000 -sprt elo0=0 elo1=5 alpha=0.1 -concurrency 4 -recover -use-affinity -srand 3",
		"cutechess-cli -engine cmd=a nodes=100 -engine cmd=b depth=3 -games 2 -rounds 50 -draw movenumber=40 movecount=8 " +
			"score=10 -resign movecount=3 score=400 twosided=true -maxmoves 200",
		"fastchess -engine cmd=a -engine cmd=b -engine cmd=c -each st=0.1 -tournament gauntlet -openings file=b.epd " +
			"order=random start=5 -pgnout file=x.pgn",
		"fastchess -quick cmd=a cmd=b book=c.epd",
	} {
		words := strings.Fields(line)
		c, err := translate.Match(words[0], words[1:])
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if _, err := parsePlayers(parses(t, line, c.Args)); err != nil || c.Args[0] != "match" {
			t.Errorf("%s: %s: %v", line, c.Line(), err)
		}
	}
}
