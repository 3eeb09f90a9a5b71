package app

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/spf13/pflag"

	"github.com/assay-chess/assay/cmd/internal/opts"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay/roster"
	"github.com/assay-chess/assay/tuner/spsa/play"
)

// What --write writes is read as it was.
func TestConfigIsReadAgain(t *testing.T) {
	m, err := eval.Lookup("machack-1967")
	setup.Check(t, err)
	const player = `assay:hash=1:weights=a "b" c.json`
	list := play.TermParameters(m, m.Start)
	path := filepath.Join(t.TempDir(), "config.toml")
	setup.Check(t, os.WriteFile(path, spinsConfig(player, list), 0o666))
	got, err := readSpsaConfig(path)
	if err != nil || got.Player != player || got.iterations != 500 || got.pairs != 1 || got.Clock != "8+0.08" ||
		got.Seed != 1 || !reflect.DeepEqual(got.Parameters, list) {
		t.Errorf("%v\n%+v", err, got)
	}
}

// Draws that a CONFIG asks for by plies alone are adjudicated as by assay match.
func TestDrawsOfAConfig(t *testing.T) {
	for text, want := range map[string][3]int{"": {}, "draw_plies = 8\n": {8, 10, 60},
		"draw_plies = 8\ndraw_from = 0\n": {8, 10, 0}} {
		path := filepath.Join(t.TempDir(), "config.toml")
		setup.Check(t, os.WriteFile(path, []byte("player = 'assay'\niterations = 9\nnodes = 9\n"+text+
			"[[parameter]]\nname = 'queen'\nstart = 900\nmin = 500\nmax = 1300\n"), 0o666))
		c := setup.Must(setup.Must(readSpsaConfig(path)).run())
		if got := [3]int{c.Rule.DrawPlies, c.Rule.DrawScore, c.Rule.DrawFrom}; got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// Factors that are grouped go on and off together, the others alone.
func TestGroupsOfFactors(t *testing.T) {
	base := setup.Must(roster.Parse("git:main"))
	s := setup.Must(parseFactors([]string{"A=0,1", "B=2,3", "c=git:idea", "D=4,5", "e=x.diff"}, base, "A,c D,e"))
	if want := []string{"A+c", "B", "D+e"}; !reflect.DeepEqual(s.names(), want) {
		t.Errorf("%v, want %v", s.names(), want)
	}
	if s.built() != 0b101 {
		t.Errorf("patches in %b", s.built())
	}
	if got := optionsText(s.set(0b101)); got != "?A=1&B=2&D=5" {
		t.Errorf("%s", got)
	}
	ids := s.identities(func(text string) string { return map[string]string{"git:idea": "0123", "x.diff": "4567"}[text] })
	if ids[0].Off != "A=0" || ids[0].On != "A=1 0123" || ids[2].On != "D=5 4567" {
		t.Errorf("%+v", ids)
	}
	s = setup.Must(parseFactors([]string{"Null Move=0,1", "B=2,3", "Late=4,5", "D=6,7"}, base, "Null Move,Late B,D"))
	if want := []string{"Null Move+Late", "B+D"}; !reflect.DeepEqual(s.names(), want) {
		t.Errorf("%v, want %v", s.names(), want)
	}
}

// The match that a screen recommends has another folder and other lines of the book.
func TestRecommendedMatch(t *testing.T) {
	play := opts.New(pflag.NewFlagSet("", pflag.ContinueOnError))
	play.AddGames("")
	setup.Check(t, play.Flags.Parse([]string{"--out", "ideas", "--games", "80", "--book", "a.epd", "--book-start", "5"}))
	x := &screening{session: &session{Play: play}, spec: setup.Must(roster.Parse("assay"))}
	const want = "assay match assay:hash=1 assay --sprt 0,5 --seed 2 --book a.epd --book-start 55"
	if got := x.matchLine(setup.Must(roster.Parse("assay:hash=1")), 1); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
