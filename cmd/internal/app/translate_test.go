package app

import (
	"strings"
	"testing"

	"github.com/assay-chess/assay/cmd/internal/translate"
)

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
		cmd, rest, err := newRootCommand().Find(c.Args)
		if err != nil || cmd.Name() != "match" {
			t.Fatal(cmd.Name(), err)
		}
		if err := cmd.ParseFlags(rest); err != nil {
			t.Errorf("%s: %s: %v", line, c.Line(), err)
			continue
		}
		if _, err := parsePlayers(cmd.Flags().Args()); err != nil {
			t.Errorf("%s: %s: %v", line, c.Line(), err)
		}
	}
}
