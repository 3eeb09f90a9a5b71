package roster

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A renamed specification is of the same player.
func TestWeightsOf(t *testing.T) {
	for spec, want := range map[string]string{
		"assay":                                    "assay",
		"assay:hash=1:nodes=700":                   "assay",
		"assay:weights=shannon-1950":               "shannon-1950",
		"assay:depth=3:weights=a/b.json:hash=4":    "a/b.json",
		`assay:weights=C:\w\gen2.json:hash=4`:      `C:\w\gen2.json`,
		"assay:weights=x.json:ReverseMargin=95":    "x.json",
		"assay:NullBase=30:weights=x.json:nodes=7": "x.json",
	} {
		name, renamed, err := WeightsOf(spec)
		if err != nil || name != want || renamed == nil {
			t.Errorf("%s: %q, %v", spec, name, err)
			continue
		}
		e, s, err := parse(renamed("sha256-00"))
		if err != nil || s.weights != "sha256-00" {
			t.Errorf("%s: renamed %s: %v", spec, renamed("sha256-00"), err)
			continue
		}
		if before, again := parsed(t, spec), s.format(&e, name); parsed(t, again) != before {
			t.Errorf("%s became %s", spec, again)
		}
	}
	for _, spec := range []string{"random", "uci:/usr/games/stockfish"} {
		if name, renamed, err := WeightsOf(spec); name != "" || renamed != nil || err != nil {
			t.Errorf("%s: %q, %v", spec, name, err)
		}
	}
	for _, spec := range []string{"", "nobody", "assay:weights=x:weights=y", "assay:color=red"} {
		if _, _, err := WeightsOf(spec); err == nil {
			t.Errorf("%q is accepted", spec)
		}
	}
}

// parsed returns a specification in a canonical form.
func parsed(t *testing.T, spec string) string {
	t.Helper()
	e, s, err := parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	return s.format(&e, s.weights)
}

func TestCommand(t *testing.T) {
	dir := t.TempDir()
	engine := filepath.Join(dir, "an engine")
	if err := os.WriteFile(engine, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	const settings = "uci:nodes=5:depth=3:timeout=2s:start=3s:view=white:"
	path, with, err := Command(settings + `"` + engine + `"?Hash=16&Threads=1&Clear Hash`)
	if err != nil || path != engine {
		t.Fatal(path, err)
	}
	spec, err := with("/else where/engine")
	if err != nil {
		t.Fatal(err)
	}
	f, err := parseForeign(spec)
	if err != nil || f.command.Path != "/else where/engine" || f.nodes != 5 || f.depth != 3 || !f.command.WhiteView || len(f.command.Options) != 3 || f.command.Options[0].Value != "16" {
		t.Errorf("%s: %+v, %v", spec, f, err)
	}
	if path, _, err := Command("uci:nowhere-to-be-found"); err != nil || path != "nowhere-to-be-found" {
		t.Errorf("a missing program: %q, %v", path, err)
	}
	for text, want := range map[string]string{
		" --quiet":                  "arguments",
		"?Debug Log File=x":         "Debug Log File",
		"?SyzygyPath=x":             "SyzygyPath",
		"?OwnBook=true":             "OwnBook",
		"?Style=/etc/passwd":        "Style",
		`?Hash=1&Style=..\autoexec`: "Style",
	} {
		_, with, err := Command("uci:/usr/games/engine" + text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if spec, err := with("/x"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %s, %v", text, spec, err)
		}
	}
}
