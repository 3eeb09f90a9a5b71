package roster

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/selfplay/internal/toy"
)

func TestWeightsName(t *testing.T) {
	for text, want := range map[string]string{
		"assay":                                 "assay",
		"assay:hash=1:nodes=700":                "assay",
		"assay:weights=shannon-1950":            "shannon-1950",
		"assay:depth=3:weights=a/b.json:hash=4": "a/b.json",
		`assay:weights=C:\w\gen2.json:hash=4`:   `C:\w\gen2.json`,
		"assay:weights=x.json:ReverseMargin=95": "x.json",
		"shannon-a:moves=2":                     "shannon-1950",
		"random":                                "",
		"uci:/usr/games/stockfish":              "",
	} {
		if spec, err := Parse(text); err != nil || WeightsName(spec) != want {
			t.Errorf("%s: %q, %v", text, WeightsName(spec), err)
		}
	}
	for _, text := range []string{"", "nobody", "assay:weights=x:weights=y", "assay:color=red", "assay:weights="} {
		if _, err := Parse(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

func TestProgram(t *testing.T) {
	engine := filepath.Join(t.TempDir(), "an engine")
	if err := os.WriteFile(engine, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		`uci:nodes=5:"` + engine + `"?Hash=16`: engine, "uci:nowhere-to-be-found": "nowhere-to-be-found"} {
		if got := Program(toy.Spec(text)); got != want {
			t.Errorf("%s: %q", text, got)
		}
	}
}

func TestCheckPortable(t *testing.T) {
	for text, want := range map[string]string{
		"?Hash=16&Threads=1&Clear Hash": "",
		" --quiet":                      "arguments",
		"?Debug Log File=x":             "Debug Log File",
		"?SyzygyPath=x":                 "SyzygyPath",
		"?OwnBook=true":                 "OwnBook",
		"?Style=/etc/passwd":            "Style",
		`?Hash=1&Style=..\autoexec`:     "Style",
	} {
		err := CheckPortable(toy.Spec("uci:/usr/games/engine" + text))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if CheckPortable(toy.Spec("uci:engine"), options("BookFile", "x")...) == nil {
		t.Error("an option of a job may name a file")
	}
}

// An engine that was built from a commit is identified by what was built.
func TestIdentifyBuilt(t *testing.T) {
	for text, want := range map[string]string{
		"git:HEAD": "git:abc make",
		"git:nodes=500:HEAD~2?Hash=16&Use NNUE=false": "git:abc make?Hash=16&Use NNUE=false:nodes=500",
		"git:timeout=5s:v1.0^{}":                      "git:abc make",
		"git:main?Book='a & b'":                       "git:abc make?Book=a & b",
	} {
		if got := IdentifyBuilt(toy.Spec(text), "abc make"); got != want {
			t.Errorf("%s: %q", text, got)
		}
	}
}
