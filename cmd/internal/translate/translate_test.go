package translate

import (
	"slices"
	"strings"
	"testing"
)

func TestMatch(t *testing.T) {
	for _, test := range []struct{ name, line, want, notes string }{
		{
			"the manual's example",
			"fastchess -engine cmd=Engine1 name=Engine1 -engine cmd=Engine2 name=Engine2 -openings file=book.epd format=epd " +
				"order=random -each tc=60+0.6 option.Hash=64 -rounds 200 -repeat -concurrency 4",
			"assay match 'uci:name=Engine1:Engine1?Hash=64' 'uci:name=Engine2:Engine2?Hash=64' --tc 60+0.6 --games 400 --book " +
				"book.epd --book-order random --concurrency 4 --win-plies 0",
			"order=random: the order follows --seed; give another one for another match",
		},
		{
			"a patch",
			"fastchess -engine cmd=./new -engine cmd=./base -each tc=8+0.08 -sprt elo0=0 elo1=5 alpha=0.05 beta=0.1 -rounds " +
				"10000 -recover -pgnout file=games.pgn",
			"assay match uci:./new uci:./base --tc 8+0.08 --games 20000 --sprt 0,5 --elo-model normalized --beta 0.1 --out " +
				"games --recover --win-plies 0",
			"the games are in games/games.pgn, with scores, depth and time of each move",
		},
		{
			"cutechess adjudication",
			"cutechess-cli -engine cmd=a -engine cmd=b -each proto=uci tc=40/1:30+0.5 timemargin=100 -games 2 " +
				"-rounds 50 -draw movenumber=40 movecount=8 score=10 -resign movecount=3 score=400 -maxmoves 200 -srand 7",
			"assay match uci:a uci:b --tc 40/90+0.5 --time-margin 100ms --games 100 --draw-score 10 --draw-plies 16 " +
				"--draw-from 80 --win-score 400 --win-plies 6 --win-one-sided --max-plies 400 --seed 7",
			"",
		},
		{
			"limits of each engine",
			"c-chess-cli -engine cmd=a nodes=1000 -engine cmd=b depth=5 -games 10",
			"assay match uci:nodes=1000:a uci:depth=5:b --games 10 --win-plies 0",
			"",
		},
		{
			"two clocks, arguments, a value with a quote",
			`fastchess -engine cmd=./a args=--uci tc=10+0.1 option.Path=it's -engine cmd=./b tc=5+0.05 -rounds 2`,
			`assay match 'uci:./a --uci?Path='\''it'\''\'\'''\''s'\''' uci:./b --tc 10+0.1,5+0.05 --games 4 --win-plies 0`,
			"",
		},
		{
			"a gauntlet of four, an odd number of games, what assay does not do",
			"fastchess -engine cmd=a -engine cmd=b -engine cmd=c -engine cmd=d -each st=0.1 -tournament gauntlet -games 1 " +
				"-rounds 1 -noswap -tb /syzygy -tbpieces 5 -tbignore50",
			"assay match uci:a uci:b uci:c uci:d --movetime 100ms --games 4 --gauntlet --syzygy /syzygy --syzygy-50=false " +
				"--win-plies 0",
			"-noswap: assay always plays both games of an opening, with colors reversed|-tbpieces: --syzygy takes the " +
				"tables as they are|assay plays pairs of games: 4",
		},
		{
			"-each wins wherever it stands, and may have the command",
			"fastchess -each cmd=./e nodes=100 -engine name=a nodes=5 -engine name=b option.X=1 -rounds 2",
			"assay match uci:name=a:./e 'uci:name=b:./e?X=1' --nodes 100 --games 4 --win-plies 0",
			"",
		},
		{
			"no clock beside another limit; words without a value",
			"cutechess-cli -engine cmd=a whitepov -engine cmd=b trust -each proto=uci tc=inf nodes=1000 ponder -rounds 5 " +
				"-games 2",
			"assay match uci:view=white:a uci:b --nodes 1000 --games 10 --win-plies 0",
			"trust: assay checks every result by itself|ponder: engines do not ponder in matches of assay",
		},
		{
			"Chess960, Polyglot books, -repeat of cutechess",
			"cutechess-cli -engine cmd=a option.UCI_Chess960=true -engine cmd=b -each tc=1+0.01 -variant chess960 -openings " +
				"file=b.epd format=epd -bookmode disk -games 2 -rounds 10 -repeat -maxmoves 0",
			"assay match uci:a uci:b --tc 1+0.01 --games 20 --book b.epd --win-plies 0",
			"option.UCI_Chess960: assay sets it itself, as the opening needs it|chess960: a book of Chess960 positions is " +
				"enough; assay sets UCI_Chess960 itself|" +
				"-bookmode: it is about Polyglot books of the engines; assay takes openings from --book alone|" +
				"-maxmoves 0: assay ends every game after --max-plies, 400 by default",
		},
		{
			"c-chess-cli: keys of its own, a gauntlet",
			"c-chess-cli -each movetime=0.25 timeout=2 -engine cmd=a -engine cmd=b -engine cmd=c -gauntlet -games 2 -resign " +
				"number=20 count=3 score=700 " +
				"-draw number=40 count=8 score=10 -openings file=b.epd order=random srand=0 -pgn out.pgn 2",
			"assay match uci:timeout=2000ms:a uci:timeout=2000ms:b uci:timeout=2000ms:c --movetime 250ms --games 4 --gauntlet " +
				"--win-score 700 --win-plies 6 " +
				"--win-one-sided --draw-score 10 --draw-plies 16 --draw-from 80 --book b.epd --book-order random --out out",
			"number=20: assay adjudicates wins from the first move|the games are in out/games.pgn, with scores, " +
				"depth and time of each move",
		},
		{
			"folders of engines, a gauntlet of two, a book of positions with plies",
			"fastchess -engine dir=Engines/ cmd=./a name=x -engine dir=/opt cmd=b -each nodes=9 -tournament gauntlet -openings " +
				"file=b.epd plies=16",
			"assay match uci:name=x:./Engines/a uci:/opt/b --nodes 9 --games 4 --book b.epd --win-plies 0",
			"plies=16: the book has positions, which are played as they are|dir=Engines/: assay starts engines in the " +
				"current folder; give the path of what the engine reads, or a script that changes the folder|dir=/opt: assay " +
				"starts engines in the current folder; give the path of what the engine reads, or a script that changes the folder",
		},
		{
			"a command with arguments, and a file whose name has a space",
			"cutechess-cli -engine cmd=java~-jar~a.jar -engine cmd=b -each tc=1+0.1s -games 2",
			"assay match 'uci:java -jar a.jar' uci:b --tc 1+0.1 --games 2 --win-plies 0",
			"",
		},
		{
			"an argument before its command, with a space",
			"cutechess-cli -engine arg=--new~net cmd=a~-x -engine cmd=b -each tc=1 -games 2",
			`assay match 'uci:a -x '\''--new net'\''' uci:b --tc 1 --games 2 --win-plies 0`,
			"",
		},
	} {
		words := strings.Fields(test.line)
		for i := range words {
			words[i] = strings.ReplaceAll(words[i], "~", " ")
		}
		c, err := Match(words[0], words[1:])
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if got := c.Line(); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.name, got, test.want)
		}
		if got := strings.Join(c.Notes, "|"); got != test.notes {
			t.Errorf("%s: notes\n got %s\nwant %s", test.name, got, test.notes)
		}
	}
}

func TestMatchErrors(t *testing.T) {
	for line, want := range map[string]string{
		"arena -engine cmd=a": "no such runner",
		"fastchess -engine cmd=a -engine cmd=b -each tc=1+0.01 -nosuch 3": "-nosuch: unknown fastchess option",
		"fastchess -engine cmd=a":                                                     "want two engines",
		"fastchess -engine cmd=a -engine name=b -each nodes=10":                       "no cmd=",
		"fastchess -engine cmd=a -engine cmd=b":                                       "no limit",
		"fastchess -engine cmd=a -engine cmd=b -each tc=inf":                          "no limit",
		"fastchess -engine cmd=a -engine cmd=b -each tc=1:x":                          "want [MOVES/]",
		"fastchess -engine cmd=a -engine cmd=b -each nodes=1e4":                       "want a whole number",
		"fastchess -engine cmd=a -engine cmd=b -each tc=1 -sprt elo0=x":               "want a number",
		"fastchess -engine cmd=a -engine cmd=b -each tc=1 -sprt model=bayesian":       "neither normalized nor logistic",
		"fastchess -engine cmd=a proto=xboard -engine cmd=b -each tc=1":               "UCI engines only",
		"fastchess -engine cmd=a tc=1 -engine cmd=b st=1":                             "tc: a has 1, b has none",
		"fastchess -engine cmd=a -engine cmd=b -each tc=1 -rounds":                    "want a whole number",
		"cutechess-cli -engine cmd=a -engine cmd=b -each tc=1 -variant suicide":       "standard, fischerandom",
		"fastchess -engine cmd=a -engine cmd=b -each tc=5+-1":                         "want [MOVES/]",
		"fastchess -engine cmd=a -engine cmd=b -each tc=nan":                          "want [MOVES/]",
		"fastchess -engine cmd=a -engine cmd=b -each tc=1.2.3+0.1":                    "want [MOVES/]",
		"fastchess -engine cmd=a -engine cmd=b -each tc=0":                            "no limit",
		"fastchess -engine cmd=a -engine cmd=b -each tc=1 st=1":                       "one of them",
		"fastchess -engine cmd=a -engine cmd=b -each tc=1 -sprt elo0=5 elo1=0":        "not above elo0",
		"fastchess -engine cmd=a -engine cmd=b -each tc=1 -sprt alpha=1":              "alpha (1)",
		"fastchess -engine cmd=a -engine cmd=b -engine cmd=c -each tc=1 -sprt elo1=5": "two engines, got 3",
		"fastchess -engine cmd=a -engine cmd=b -each tc=1 -resign movecount=3":        "from 1",
		"fastchess -engine cmd=a -engine cmd=b -each tc=1 -resign score=0":            "from 1",
		"fastchess -engine cmd=a -engine cmd=b -each tc=1 -draw score=-5":             "from 0",
		"fastchess -engine cmd=a -engine cmd=b -each tc=1 -rounds 0":                  "from 1",
		"fastchess -engine cmd=a -engine cmd=b -each tc=1 -variant fischerandom":      "needs a book",
		"fastchess -config file=config.json -rounds 100":                              "got 0; -config: assay reads no saved",
		"cutechess-cli -engine conf=x -engine cmd=b -each tc=1":                       "engines.json",
		"cutechess-cli -engine cmd=a -engine cmd=b -engine cmd=c -each tc=1 -tournament gauntlet -seeds 2": "one engine " +
			"against the others",
		"cutechess-cli -engine cmd=a -engine cmd=b -each tc=1 -tournament knockout": "round-robin",
	} {
		words := strings.Fields(line)
		if _, err := Match(words[0], words[1:]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", line, err, want)
		}
	}
}

// Every option of the three manuals has a row: with a flag, or with the reason why there is none.
func TestEveryOption(t *testing.T) {
	for _, name := range strings.Fields(`
		engine each variant concurrency draw resign maxmoves tb tbpieces tbignore50 tournament event games rounds sprt
		ratinginterval outcomeinterval resultformat debug openings bookmode pgnout epdout recover repeat noswap reverse
		seeds site srand wait tbadjudicate autosaveinterval log config report output crc32 force-concurrency scoreinterval
		quick use-affinity check-mate-pvs show-latency testEnv strict startup-ms ucinewgame-ms ping-ms gauntlet pgn sample`) {
		if options["-"+name] == nil && noFlag["-"+name] == "" {
			t.Errorf("-%s has no row", name)
		}
	}
	for name, why := range noFlag {
		words := append(strings.Fields("-engine cmd=a -engine cmd=b -each nodes=9"), name)
		if c, err := Match("fastchess", words); err != nil || len(c.Notes) != 1 || !strings.Contains(c.Notes[0], why) {
			t.Errorf("%s: %v %v", name, c, err)
		}
	}
}

// Each -option belongs to one group, and negative numbers to the option before them.
func TestGroup(t *testing.T) {
	list := group(strings.Fields("-sprt elo0=-5 -3 --rounds 2"))
	if len(list) != 2 || list[0].name != "-sprt" || !slices.Equal(list[0].values, []string{"elo0=-5", "-3"}) ||
		list[1].name != "-rounds" {
		t.Error(list)
	}
}

func FuzzMatch(f *testing.F) {
	f.Add("-engine cmd=./new -engine cmd=./base -each tc=8+0.08 option.Hash=16 -sprt elo0=0 elo1=5")
	f.Add("-quick cmd=a cmd=b book=c.epd")
	f.Fuzz(func(t *testing.T, line string) {
		for _, runner := range Runners {
			if c, err := Match(runner, strings.Fields(line)); err == nil && (c.Args[0] != "match" || len(c.Args) < 4) {
				t.Error(c.Args)
			}
		}
	})
}
