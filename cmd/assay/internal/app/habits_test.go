package app

import (
	"strings"
	"testing"
)

// What people type who come from other programs: it works, or the answer says what to type.
// The habits are those of the manuals of fastchess, cutechess-cli, c-chess-cli, OpenBench,
// texel-tuner and weather-factory.
func TestHabits(t *testing.T) {
	play := " --depth 1 --max-plies 8 --concurrency 1"
	for _, test := range []struct{ line, want string }{ // want begins with ok: it works
		{"match -engine cmd=./new -engine cmd=./base -each tc=8+0.08", "assay translate fastchess"},
		{"match -each tc=8+0.08", "assay translate fastchess"},
		{"match -games 2 assay random", "--games"},
		{"match assay random --gmaes 2", "did you mean --games?"},
		{"match assay random --rounds 1" + play, "ok 2 games"},
		{"match assay random --rounds 1 --games 4" + play, "give one of them"},
		{"match assay random --openings nosuch.epd --rounds 1" + play, "did you mean --book?"},
		{"match assay random --sprt 0 5 --games 2" + play, "ok LLR"},
		{"match assay random --sprt elo0=0 elo1=5 --games 2" + play, "ok LLR"},
		{"match assay random --sprt [0,5] --games 2" + play, "ok LLR"},
		{"match assay random --sprt 0", "want elo0,elo1"},
		{"match assay random --sprt 5,0", "elo0"},
		{"match assay random --cores 1 --games 2", "did you mean --concurrency?"},
		{"match assay random --preset stc --games 2" + play, "ok LLR"},
		{"match assay random --preset vstc", "stc, ltc and nonreg"},
		{"match ./nosuch random --games 2", "./nosuch"},
		{"match assai random --games 2", "did you mean assay?"},
		{"match sh random --games 2", "uci:sh"},
		{"match assay", "B is missing"},
		{"mathc assay random", "match"},
		{"translate fastchess -engine cmd=a -engine cmd=b -each st=1", "ok assay match"},
		{"translate cutechess -engine cmd=a -engine cmd=b -each st=1", "cutechess-cli"},
		{"sprt --penta 1,2,3,4,5,6", "ok LLR"},
		{"sprt --penta [1,2,3,4,5]", "ok LLR"},
		{"sprt --wdl 10,20,15 --elo-model bayesian", "ok LLR"},
		{"sprt --penta 1,2,3", "3 counts, not 5"},
		{"tune games.pgn", "assay data import games.pgn"},
		{"tune quiet.epd", "assay data import quiet.epd"},
		{"tune x.tsv.zst", "assay data import x.tsv.zst"},
		{"tune", "DATA is missing"},
		{"spsa", "--model"},
		{"data import", "SRC is missing"},
	} {
		code, stdout, stderr := call(t, strings.Fields(test.line)...)
		want, ok := strings.CutPrefix(test.want, "ok ")
		if ok != (code == exitDone) || !strings.Contains(stdout+stderr, want) {
			t.Errorf("assay %s: exit %d, want %q\n%s%s", test.line, code, test.want, stdout, stderr)
		}
	}
}

func TestLevelAdvice(t *testing.T) {
	for _, c := range []struct{ build, level, want string }{
		{"amd64/v1", "v4", "this machine runs amd64/v4: the build for amd64/v3 is faster"},
		{"amd64/v1", "v2", "this machine runs amd64/v2"},
		{"amd64/v3", "v3", "this machine runs amd64/v3"},
		{"arm64/v8.0", "", ""},
	} {
		if got := levelAdvice(c.build, c.level); got != c.want {
			t.Errorf("levelAdvice(%q, %q) = %q, want %q", c.build, c.level, got, c.want)
		}
	}
}
