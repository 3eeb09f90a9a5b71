package durable

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
)

func testManifest() *Manifest {
	return &Manifest{
		Schema: "assay.games/1", Complete: true, Rows: 300, Seed: 1<<63 + 7, Program: "assay 0.1",
		Config:  json.RawMessage(`{"games":300,"nodes":5000}`),
		Parents: []string{strings.Repeat("ab", 32)},
		Shards: []Shard{
			{Name: "games-00000.arrow", Rows: 256, Size: 3, SHA256: SumBytes([]byte("abc")).SHA256},
			{Name: "games-00001.arrow", Rows: 44, Size: 2, SHA256: SumBytes([]byte("de")).SHA256},
		},
	}
}

func TestManifestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	m := testManifest()
	if _, err := LoadManifest(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no manifest: %v", err)
	}
	setup.Check(t, m.Save(dir))
	got := setup.Must(LoadManifest(dir))
	want, id, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, id2, err := got.Encode()
	if err != nil || string(again) != string(want) || id != id2 || len(id) != 64 {
		t.Errorf("%v\n%s\nbecame\n%s", err, want, again)
	}
	if got.Seed != m.Seed || got.Rows != 300 || !got.Complete || got.Shards[1] != m.Shards[1] {
		t.Errorf("read back %+v", got)
	}
	var plain map[string]any // as another program reads it
	if err := json.Unmarshal(want, &plain); err != nil || plain["sha256"] != id {
		t.Errorf("as plain JSON: %v, %v", plain, err)
	}
}

func TestManifestNoticesEveryFlippedBitAndCut(t *testing.T) {
	data, _, err := testManifest().Encode()
	if err != nil {
		t.Fatal(err)
	}
	flipAll(data, func(bit int, changed []byte) {
		if _, err := parseManifest(changed); err == nil {
			t.Fatalf("bit %d unnoticed:\n%s", bit, changed)
		}
	})
	for n := range data {
		if _, err := parseManifest(data[:n]); !errors.Is(err, ErrDamaged) {
			t.Fatalf("cut to %d bytes: %v", n, err)
		}
	}
	if _, err := parseManifest(append(data, ' ')); err == nil {
		t.Error("something after the end unnoticed")
	}
}

func TestManifestUnknownFieldsAreRefused(t *testing.T) {
	data, _, err := testManifest().Encode()
	if err != nil {
		t.Fatal(err)
	}
	head := strings.Replace(string(data[:strings.LastIndex(string(data), sumField)]), `"rows"`, `"rowz"`, 1)
	bad := head + sumField + SumBytes([]byte(head)).SHA256 + "\"\n}\n"
	if _, err := parseManifest([]byte(bad)); err == nil || !strings.Contains(err.Error(), "rowz") {
		t.Errorf("err = %v", err)
	}
}

func TestReadShard(t *testing.T) {
	dir := t.TempDir()
	s := Shard{Name: "x", Rows: 1, Size: 3, SHA256: SumBytes([]byte("abc")).SHA256}
	path := filepath.Join(dir, "x")
	for content, good := range map[string]bool{"abc": true, "abd": false, "ab": false, "abcd": false, "": false} {
		setup.Check(t, os.WriteFile(path, []byte(content), 0o666))
		got, err := ReadShard(dir, s)
		if good && (err != nil || string(got) != content) {
			t.Errorf("%q: %q, %v", content, got, err)
		}
		if !good && (!errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), path)) {
			t.Errorf("%q: %v", content, err)
		}
	}
}
