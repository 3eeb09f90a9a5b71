package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/models"
)

// olderWeights writes weights of the first table of the model assay.
func olderWeights(t *testing.T, path string) {
	t.Helper()
	list, err := os.ReadFile(filepath.Join("..", "..", "models", "testdata", "assay-first-table.txt"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := models.Open("assay-start")
	if err != nil {
		t.Fatal(err)
	}
	full, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	var file map[string]any
	if err := json.Unmarshal(full, &file); err != nil {
		t.Fatal(err)
	}
	names := strings.Fields(string(list))
	file["terms"] = slices.DeleteFunc(file["terms"].([]any), func(w any) bool {
		return !slices.Contains(names, w.(map[string]any)["name"].(string))
	})
	text, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestOlderWeights gives weights of an older table to every command that plays by
// weights: each says that they were migrated.
func TestOlderWeights(t *testing.T) {
	dir := t.TempDir()
	olderWeights(t, filepath.Join(dir, "old.json"))
	const says = "old.json: migrated from an older table of 498 terms"
	games := []string{"--games", "2", "--nodes", "50", "--max-plies", "20", "--seed", "1"}
	for _, args := range [][]string{
		append([]string{"selfplay", "--weights", "old.json", "--out", "games"}, games...),
		append([]string{"match", "assay:weights=old.json:depth=1", "first-move"}, games...),
		{"data", "positions", "games", "--out", "positions", "--weights", "old.json"},
		{"learn", "--from", "old.json", "--generations", "1", "--games", "2", "--nodes", "50", "--gate-games", "2", "--final-games", "2"},
	} {
		cmd := exec.Command("assay", args...)
		cmd.Dir = dir
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		err := cmd.Run()
		if !strings.Contains(stderr.String(), says) {
			t.Errorf("assay %s: %v; stderr says nothing of the migration:\n%s", strings.Join(args, " "), err, &stderr)
		}
	}
	e := startEngine(t)
	e.send("setoption name EvalFile value " + filepath.Join(dir, "old.json") + "\nquit\n")
	said := false
	for line := range e.lines {
		said = said || strings.HasPrefix(line, "info string ") && strings.Contains(line, says)
	}
	if !said {
		t.Error("EvalFile says nothing of the migration")
	}
}
