package report

import (
	"context"
	"encoding/json"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/ladder"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/tuner"
	"github.com/assay-chess/assay/tuner/learn"
	"github.com/assay-chess/assay/tuner/spsa"
	"github.com/assay-chess/assay/tuner/spsa/play"
)

// folders returns the files of a run of each kind, by its command.
func folders(f *testing.F) map[string]map[string][]byte {
	dir := filepath.Join(f.TempDir(), "match")
	c := longMatch(dir)
	c.Games = 4
	if _, err := match.Run(context.Background(), c); err != nil {
		f.Fatal(err)
	}
	played := map[string][]byte{}
	setup.Check(f, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			played[strings.TrimPrefix(path, dir+string(filepath.Separator))], err = os.ReadFile(path)
		}
		return err
	}))
	fit := &tuner.Report{}
	fit.Terms = learnResult().Terms
	text := func(v any) []byte {
		return setup.Must(json.Marshal(v))
	}
	played[coordinator.DirName+"/"+coordinator.WorkersName] = text(someWorkers())
	all := map[string]map[string][]byte{"match": played, "selfplay": maps.Clone(played)}
	for command, r := range map[string]struct{ config, result any }{
		"learn":  {map[string]any{"plan": learn.DefaultPlan(2, 40, 300, 7)}, learnResult()},
		"tune":   {map[string]any{}, fit},
		"spsa":   {map[string]any{"spsa": spsa.Config{Iterations: 2}}, &play.Result{Iterations: 2, Games: 4}},
		"ladder": {map[string]any{"games": 12}, &ladder.Result{Games: 4, Ratings: []ladder.Rating{{Rank: 1, Name: "a"}}}},
	} {
		all[command] = map[string][]byte{durable.RunConfigName: text(r.config), durable.RunResultName: text(r.result)}
	}
	all["spsa"][play.LogName] = []byte(`{"iteration":1}` + "\n")
	for command, files := range all {
		files[durable.RunInfoName] = text(durable.RunInfo{Command: command, Resume: "assay " + command})
	}
	return all
}

// FuzzFolder puts any bytes in the place of a file of a run's folder. The list of runs says what it is, and its page is
// an error or shows text. The lines of a journal have their checksums, so that not all are refused for that.
func FuzzFolder(f *testing.F) {
	all := folders(f)
	for _, command := range slices.Sorted(maps.Keys(all)) {
		for _, name := range slices.Sorted(maps.Keys(all[command])) {
			f.Add(command, name, all[command][name])
		}
	}
	f.Add("match", gamelog.JournalName, []byte(`{"number":18446744073709551615,"moves":[65535],"opening":-1,"result":7}`))
	f.Fuzz(func(t *testing.T, command, name string, data []byte) {
		if _, known := all[command][name]; !known && (!filepath.IsLocal(name) || len(name) > 60) {
			return
		}
		dir := filepath.Join(t.TempDir(), "run")
		files := maps.Clone(all[command])
		if files == nil {
			files = map[string][]byte{}
		}
		files[name] = data
		for name, data := range files {
			path := filepath.Join(dir, name)
			if os.MkdirAll(filepath.Dir(path), 0o777) != nil || os.WriteFile(path, data, 0o666) != nil {
				return // the name of a folder, or of no file
			}
		}
		if path := filepath.Join(dir, name); strings.HasSuffix(name, ".jsonl") && json.Valid(data) {
			_ = os.Remove(path)
			j, err := durable.OpenJournal(path, nil)
			if err == nil {
				_ = j.Append(json.RawMessage(data))
				err = j.Close()
			}
			setup.Check(t, err)
		}
		code, list := get(filepath.Dir(dir), "/")
		if code != http.StatusOK {
			t.Fatalf("the list of runs: %d %s", code, list)
		}
		noMarkup(t, list)
		if path, err := Write(dir); err == nil {
			page := setup.Must(os.ReadFile(path))
			noMarkup(t, string(page))
		}
	})
}
