package app

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/assay-chess/assay/cmd/internal/ui"
)

// TestExitStatus: with --exit-status the exit code is the verdict of a test, and nothing is printed about it.
func TestExitStatus(t *testing.T) {
	for _, c := range []struct {
		counts string
		flags  []string
		want   int
	}{
		{"39,2226,31451,2412,40", []string{"--elo1", "4", "--exit-status"}, 0},
		{"40,2412,31451,2226,39", []string{"--elo1", "4", "--exit-status"}, 3},
		{"3,30,60,41,6", []string{"--exit-status"}, 4},
		{"3,30,60,41,6", []string{"--exit-status", "--json"}, 4},
		{"40,2412,31451,2226,39", []string{"--elo1", "4"}, 0},
		{"3,30,60,41", []string{"--exit-status"}, exitUsage},
	} {
		code, stdout, stderr := call(t, append([]string{"sprt", "--penta", c.counts}, c.flags...)...)
		if code != c.want || c.want != exitUsage && (stdout == "" || stderr != "") {
			t.Errorf("%s %v: exit %d, want %d; %s%s", c.counts, c.flags, code, c.want, stdout, stderr)
		}
	}
	for _, args := range []string{"sprt --exit-status", "match assay random --exit-status",
		"match assay random turing-1951 --exit-status"} {
		if code, _, stderr := call(t, strings.Fields(args)...); code != exitUsage ||
			!strings.Contains(stderr, "--exit-status needs") && !strings.Contains(stderr, "--sprt") {
			t.Errorf("%s: exit %d, %s", args, code, stderr)
		}
	}
}

// TestMatchExitStatus plays matches that pass, fail, stay undecided and have no verdict.
func TestMatchExitStatus(t *testing.T) {
	for name, c := range map[string]struct {
		results string
		want    ui.ExitCode
	}{"passed": {"W", 0}, "failed": {"L", 3}, "undecided": {"WL", 4}, "none": {strings.Repeat("WF", 200), -1}} {
		s := &scripted{results: strings.Repeat(c.results, 200)}
		args := []string{"match", "name=G:assay:hash=1", "name=E:assay:hash=1:depth=3", "--nodes", "50", "--opening-score",
			"-1", "--games", "400", "--sprt", "-200,200", "--elo-model", "logistic"}
		if _, err := s.command(t, args...); err != nil && c.want != -1 {
			t.Errorf("%s, without the flag: %v", name, err)
		}
		for range 2 {
			_, err := s.command(t, append(args, "--exit-status")...)
			var code ui.ExitCode
			if is := errors.As(err, &code); c.want == -1 && (is || err == nil) || c.want >= 0 &&
				(code != c.want || err != nil != (c.want > 0)) {
				t.Errorf("%s: %v (%d), want %d", name, err, code, c.want)
			}
		}
	}
}

// TestSharedOpenings: a second match in one folder with the openings of the first says so.
func TestSharedOpenings(t *testing.T) {
	runs := t.TempDir()
	for i, c := range []struct {
		out, more string
		want      bool
	}{
		{"first", "", false},
		{"first", "", false}, // again
		{"second", "--nodes 60", true},
		{"others", "--nodes 60 assay:hash=2", false},
		{"third", "--seed 2", false},
		{"plies", "--random-plies 7", false},
		{"fourth", "--seed 2", true},
		{"apart/first", "", false},
	} {
		s := &scripted{results: "WL"}
		args := append(strings.Fields("match assay:hash=1 assay:hash=1:depth=3 --nodes 50 --opening-score -1 --games 2 "+
			c.more), "--out", runs+"/"+c.out)
		_, stderr, err := s.commandBoth(t, args...)
		if err != nil || strings.Contains(stderr, "has the same openings") != c.want {
			t.Errorf("%d, %s: %v, %s", i, fmt.Sprint(args), err, stderr)
		}
	}
}

// TestToken: every stage of a run has the token, and the engines that it starts do not.
func TestToken(t *testing.T) {
	t.Setenv(tokenEnv, "secret")
	defer func() { token = "" }()
	first, again, left := takeToken(), takeToken(), os.Getenv(tokenEnv)
	if first != "secret" || again != first || left != "" {
		t.Errorf("%q, then %q; %q is left", first, again, left)
	}
}
