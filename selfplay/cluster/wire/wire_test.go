package wire

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay"
)

// Whatever is in a list of keys, reading it fails, or returns keys that are valid and names that are unique.
func FuzzKeys(f *testing.F) {
	_, worker, err := NewKey("anna")
	setup.Check(f, err)
	for _, list := range []string{worker, worker + "\n" + worker, "# none\n", worker + " # since May\r\n", worker[:40],
		strings.Replace(worker, "anna", "\u202e", 1), "anna\x00 " + worker[5:]} {
		f.Add([]byte(list))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "list")
		setup.Check(t, os.WriteFile(path, data, 0o600))
		keys, err := ReadKeys(path)
		if (err == nil) != (len(keys) > 0) {
			t.Fatal(keys, err)
		}
		seen := map[string]bool{}
		for _, k := range keys {
			if CheckName(k.Name) != nil || len(k.Public) != 56 || strings.ContainsAny(k.Public, "\r\n\"{}") ||
				seen[k.Name] || seen[k.Public] {
				t.Errorf("%q", keys)
			}
			seen[k.Name], seen[k.Public] = true, true
		}
		if name, err := KeyName(path); err == nil && name != "" && CheckName(name) != nil {
			t.Errorf("the name of a key file is %q", name)
		}
	})
}

// The ids of units stay: what an earlier version left in the queue is recognized.
func TestUnitIDs(t *testing.T) {
	check := &selfplay.Check{Player: selfplay.Player{Spec: engine.Spec{Name: "a"}}, Nodes: 9, Seed: 3}
	probe := &selfplay.Probe{Number: 7, Try: 2, Attempt: 1, Check: check, Opening: board.NewGame(board.StartPosition())}
	job, _ := probe.Play()
	for id, task := range map[string]selfplay.Task{
		"80c1cb99db4ab5cf09a1a8e8f8bf929f": probe, "6938c55baf9de158ce19dafe0e694fb9": job} {
		data := setup.Must(json.Marshal(&Unit{Job: JobOf(task)}))
		if got := Digest(data); got != id {
			t.Errorf("%s has the id %s, want %s", data, got, id)
		}
		if u := setup.Must(ReadUnit(data)); u.Job.Number != 7 {
			t.Errorf("%s is read as %+v", data, u)
		}
	}
}

// The checksum depends on the game, and on nothing that differs between machines.
func TestChecksum(t *testing.T) {
	sum := func(r selfplay.Result) string { return Checksum(&r) }
	want := sum(selfplay.Result{Number: 1, Fault: "crashed"})
	for _, same := range []selfplay.Result{
		{Number: 1, Fault: "crashed", FaultLog: "> go", Worker: "anna"},
		{Number: 1, Fault: "crashed", Players: [2]string{"a", "b"}, Time: [2]time.Duration{1, 2}},
	} {
		if sum(same) != want {
			t.Errorf("%+v has another checksum", same)
		}
	}
	if sum(selfplay.Result{Number: 1, Fault: "hung"}) == want {
		t.Error("another fault has the same checksum")
	}
}
