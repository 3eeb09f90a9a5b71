package app

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/assay-chess/assay/cmd/internal/queue"
	"github.com/assay-chess/assay/cmd/internal/settings"
	"github.com/assay-chess/assay/eval"
	store "github.com/assay-chess/assay/selfplay/queue"
	"github.com/assay-chess/assay/tuner/spsa/play"
)

// A test of a queue is checked by the command's own errors, and has only settings that a queue takes.
func TestJobsAreChecked(t *testing.T) {
	parameters := []byte(`[{"name":"queen","start":500,"min":100,"max":2000}]`)
	for _, c := range []struct {
		command, players, settings, want string
	}{
		{"match", "assay random", "nodes=30 games=4", ""},
		{"match", "assay random", "preset=stc", ""},
		{"match", "assay random", "games=3", "--games 3: pairs need an even number"},
		{"match", "assay random", "nodes=x", `invalid argument "x" for "--nodes"`},
		{"match", "assay random", "alpha=.1", "--alpha needs --sprt"},
		{"match", "assay random", "out=/tmp/x", `no setting "out" in a queue`},
		{"match", "assay random", "build=make", `no setting "build" in a queue`},
		{"match", "assay random", "affinity=on", `no setting "affinity" in a queue`},
		{"match", "assay", "", "a match needs two players or more"},
		{"ladder", "assay random", "schedule=none", "none"},
		{"selfplay", "", "games=10 play-on=2", "--play-on 2: want a share"},
		{"selfplay", "", "games=10", ""},
		{"spsa", "assay", "iterations=4 nodes=10 max-forfeits=.1", ""},
		{"spsa", "assay", "iterations=4", "no limit of a search"},
		{"spsa", "assay", "iterations=4 nodes=10 write=3", `no setting "write" in a queue`},
		{"screen", "assay LateBase=122,400 ReverseMargin=122,60", "nodes=30 games=16", ""},
		{"screen", "assay LateBase=122,400 ReverseMargin=122,60", "games=12", "want a multiple of 8"},
		{"screen", "assay LateBase=122,400 ReverseMargin=122,60", "confirm=true", `no setting "confirm" in a queue`},
		{"screen", "assay LateBase=122,400", "", "two factors or more"},
		{"learn", "", "", `"learn" is not one of match`},
	} {
		j := store.Job{Command: c.command, Players: strings.Fields(c.players), Settings: map[string]string{},
			Parameters: parameters}
		for _, pair := range strings.Fields(c.settings) {
			name, text, _ := strings.Cut(pair, "=")
			j.Settings[name] = text
		}
		if err := checkJob(j); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// A command line becomes values: a CONFIG too, which needs no file of the client any more.
func TestParseJob(t *testing.T) {
	config := filepath.Join(t.TempDir(), "two.toml")
	text := "player = 'assay'\niterations = 4\nnodes = 30\nbook = 'b.epd'\n[[parameter]]\nname = 'queen'\nstart = 5\nmin " +
		"= 1\nmax = 9\n"
	if err := os.WriteFile(config, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		words string
		want  store.Job
	}{
		{"match a b --sprt 0 5 --tc 1+1", store.Job{Command: "match", Players: []string{"a", "b"},
			Settings: map[string]string{"sprt": "0,5", "tc": "1+1"}}},
		{"selfplay --players a,b --hard-nodes=false", store.Job{Command: "selfplay", Players: []string{"a", "b"},
			Settings: map[string]string{"hard-nodes": "false"}}},
		{"spsa " + config + " --recover", store.Job{Command: "spsa", Players: []string{"assay"},
			Settings:   map[string]string{"iterations": "4", "nodes": "30", "book": "b.epd", "recover": "true"},
			Parameters: []byte(`[{"name":"queen","start":5,"min":1,"max":9}]`)}},
	} {
		got, err := parseJob(strings.Fields(c.words), func(string, string) error { return nil })
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, %v\nwant %+v", c.words, got, err, c.want)
		}
	}
	refuse := queue.Allow(func(player, file string) error { return queue.Refusef("%s%s", player, file) })
	if _, err := parseJob([]string{"spsa", config}, refuse); err == nil || !strings.Contains(err.Error(), config) {
		t.Errorf("a file of the server: %v", err)
	}
}

// What --write writes is read as it was.
func TestConfigIsReadAgain(t *testing.T) {
	m, err := eval.Lookup("machack-1967")
	if err != nil {
		t.Fatal(err)
	}
	want := &spsaConfig{Set: settings.NewConfig(), Player: `assay:hash=1:weights=a "b" c.json`}
	if want.Parameters, err = play.TermParameters(m, m.Start); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"iterations": "500", "pairs": "1", "nodes": "300", "validation": "1000",
		"seed": "3"} {
		if err := want.Put(name, text); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := want.save(path); err != nil {
		t.Fatal(err)
	}
	got, err := readSpsaConfig(path)
	if err != nil || got.Player != want.Player || !reflect.DeepEqual(got.Values, want.Values) ||
		!reflect.DeepEqual(got.Parameters, want.Parameters) {
		t.Errorf("%v\n%+v", err, got)
	}
}
