package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/assay-chess/assay/cmd/internal/report"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/machine"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/sprt"
)

// scripted is a runner that plays no game: the results are given, from A's view, one a game.
// The first attempt at each game of void is void.
type scripted struct {
	results string // W, D or L, from A's view, or F: A forfeits; beyond the end as the last one
	void    map[uint64]bool
}

func (s *scripted) Parallel() int      { return 1 }
func (s *scripted) Load() machine.Load { return machine.Load{} }

func (s *scripted) Run(ctx context.Context, tasks <-chan selfplay.Task, results chan<- selfplay.Result) error {
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case task, ok := <-tasks:
			if !ok {
				return nil
			}
			job, _ := task.Play()
			r, err := s.play(job)
			if err != nil {
				return err
			}
			select {
			case results <- r:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	}
}

func (s *scripted) play(job *selfplay.Job) (r selfplay.Result, err error) {
	r = selfplay.Result{Number: job.Number, Players: job.Specs(), Start: job.Start, Opening: len(job.Opening),
		Moves:       job.Opening,
		Termination: selfplay.AdjudicatedWin, Seed: job.Seed}
	game, _, err := r.Replay()
	if err != nil {
		return r, err
	}
	r.Moves = append(r.Moves[:r.Opening:r.Opening], game.Position().LegalMoves(nil)[0])
	for range r.Moves {
		r.Scores, r.Depths = append(r.Scores, engine.NoScore), append(r.Depths, 0)
	}
	result := s.results[min(int(job.Number), len(s.results)-1)]
	r.Result = map[byte]board.GameResult{'W': 1, 'D': 0, 'L': -1, 'F': -1}[result]
	if job.Number%2 == 1 { // A has Black
		r.Result = -r.Result
	}
	switch {
	case s.void[job.Number] && job.Attempt == 0:
		r.Void, r.Result, r.Termination, r.Moves = "could not be started", 0, selfplay.VoidGame, r.Moves[:r.Opening]
		r.Scores, r.Depths = r.Scores[:r.Opening], r.Depths[:r.Opening]
	case result == 'F':
		r.Termination, r.Fault = selfplay.TimeForfeit, "White: 300 ms late"
	case result == 'D':
		r.Termination = selfplay.AdjudicatedDraw
	}
	return r, nil
}

// command carries out a command whose games are scripted.
func (s *scripted) command(t *testing.T, args ...string) (stdout string, err error) {
	t.Helper()
	stdout, _, err = s.commandBoth(t, args...)
	return stdout, err
}

func (s *scripted) commandBoth(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, errs bytes.Buffer
	root := newRootCommand()
	root.SetArgs(args)
	root.SetOut(&out)
	root.SetErr(&errs)
	err = root.ExecuteContext(context.WithValue(t.Context(), scriptedRunner{}, selfplay.Runner(s)))
	return out.String(), errs.String(), err
}

// eloRow is the row of a command's table with the Elo.
var eloRow = regexp.MustCompile(`(?m)^Elo +(.*?)(?:, bias-corrected for early stopping|, if the test is to end the match)?$`)

func eloOf(t *testing.T, what, text string) string {
	t.Helper()
	m := eloRow.FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("%s has no Elo:\n%s", what, text)
	}
	return m[1]
}

// TestOneElo plays, writes, reads and prints every kind of result, and compares the Elo in the terminal, twice,
// in JSON, as it is computed from the PGN, on the page, on the live page and in the list of runs.
func TestOneElo(t *testing.T) {
	const w, d, l = "WWWWWWWWWWWWWWWWWWWWWWWWWWWWWW", "DDDDDDDDDDDDDDDDDDDDDDDDDDDDDD", "LLLLLLLLLLLLLLLLLLLLLLLLLLLLLL"
	mixed := strings.Repeat("WDLWWDLDDWLWDWWL", 20)
	fast := []string{"--sprt", "0,400"}
	for name, c := range map[string]struct {
		results string
		games   int
		flags   []string
		want    string
	}{
		"won":            {w, 30, nil, "more than +222"},
		"lost":           {l, 30, nil, "less than -222"},
		"won-sprt":       {w, 30, []string{"--sprt", "0,5"}, "more than +222"},
		"lost-sprt":      {l, 30, []string{"--sprt", "0,5"}, "less than -222"},
		"won-stopped":    {w, 400, fast, ""},
		"lost-stopped":   {l, 400, fast, ""},
		"two-drawn":      {"DD" + w[:20], 22, nil, ""},
		"two-drawn-sprt": {"DD" + w[:20], 22, []string{"--sprt", "0,5"}, ""},
		"drawn":          {d, 30, nil, "+0 [-77, +77]"},
		"drawn-sprt":     {d, 400, fast, ""},
		"one-loss":       {"L" + w, 30, nil, ""},
		"undecided":      {mixed, 320, []string{"--sprt", "0,5"}, ""},
		"stopped":        {strings.Repeat("WWDLWDWDWL", 50), 500, []string{"--sprt", "0,30"}, ""},
		"corrected": {strings.Repeat("WWDLWDWDWL", 50), 500, []string{"--sprt", "0,30", "--corrected", "--elo-model",
			"logistic"}, ""},
		"failed":   {strings.Repeat("LLDWLDLDLW", 50), 500, []string{"--sprt", "0,30"}, ""},
		"fixed":    {mixed, 320, nil, ""},
		"void":     {mixed, 320, nil, ""},
		"few":      {"WD", 2, nil, "- (fewer than 20 games)"},
		"few-won":  {w, 18, nil, "- (fewer than 20 games)"},
		"few-sprt": {w, 18, []string{"--sprt", "0,5"}, "- (fewer than 20 games)"},
		"twenty":   {w, 20, nil, "more than +140"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &scripted{results: c.results}
			if name == "void" {
				s.void = map[uint64]bool{31: true}
			}
			runs := t.TempDir()
			dir := filepath.Join(runs, name)
			args := append([]string{"match", "name=G:assay:hash=1", "name=E:assay:hash=1:weights=shannon-1950", "--nodes",
				"50", "--opening-score", "-1",
				"--out", dir, "--games", fmt.Sprint(c.games)}, c.flags...)
			first := setup.Must(s.command(t, args...))
			elo := eloOf(t, "match", first)
			if c.want != "" && elo != c.want {
				t.Errorf("got %q, want %q", elo, c.want)
			}
			if strings.Contains(first, "NaN") || strings.Contains(first, "by -\n") {
				t.Errorf("the match ends with\n%s", first)
			}
			again, err := s.command(t, args...)
			if headline, _, _ := strings.Cut(first, "\n"); err != nil || !strings.HasPrefix(again, headline+"\n") ||
				eloOf(t, "match again", again) != elo {
				t.Errorf("match again, %v:\n%s\nwant\n%s", err, again, first)
			}
			sameInJSON(t, s, args, first, elo)
			counted, err := s.command(t, "sprt", "--pgn", filepath.Join(dir, gamelog.PGNName))
			if err != nil || eloOf(t, "sprt", counted) != elo {
				t.Errorf("sprt --pgn, %v:\n%s\nwant %s", err, counted, elo)
			}
			if word, _, _ := strings.Cut(first, ":"); (word == "PASSED" || word == "FAILED") &&
				!strings.Contains(counted, "verdict  "+word) {
				t.Errorf("sprt --pgn has another verdict:\n%s\nthan\n%s", counted, first)
			}
			samePages(t, runs, name, first, elo)
		})
	}
}

// sameInJSON reads the match's JSON, of the command and of the folder, and has it say the result again.
func sameInJSON(t *testing.T, s *scripted, args []string, first, elo string) {
	t.Helper()
	text := setup.Must(s.command(t, append(args, "--json")...))
	kept := setup.Must(os.ReadFile(filepath.Join(args[8], "result.json")))
	for _, doc := range []string{text, string(kept)} {
		var r match.Result
		setup.Check(t, json.Unmarshal([]byte(doc), &r))
		if r.Strength.Text("") != elo || !strings.HasPrefix(first, r.Headline()+"\n") {
			t.Errorf("read from JSON: %s; Elo %s, want %s\n%s", r.Headline(), r.Strength.Text(""), elo, doc)
		}
	}
}

// samePages looks for the Elo on the page of the run, on the live page and in the list of runs; then on the live pages
// of the same games without a result, as of a match in progress.
func samePages(t *testing.T, runs, name, first, elo string) {
	t.Helper()
	headline, _, _ := strings.Cut(first, "\n")
	_, headline, _ = strings.Cut(headline, ": ")
	page := setup.Must(os.ReadFile(filepath.Join(runs, name, "report.html")))
	get := func(path string) string {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", "http://127.0.0.1"+path, nil)
		report.Handler(runs).ServeHTTP(w, r)
		return w.Body.String()
	}
	has := func(what, text, want string) {
		t.Helper()
		if !strings.Contains(html.UnescapeString(text), want) {
			t.Errorf("%s does not say %q", what, want)
		}
	}
	for what, text := range map[string]string{"the page": string(page), "the live page": get("/run/" + name)} {
		has(what, text, headline)
		has(what, text, "<bdi>"+elo+"</bdi>")
	}
	has("the list", get("/"), headline)
	setup.Check(t, os.Remove(filepath.Join(runs, name, "result.json")))
	has("the live page of a match in progress", get("/run/"+name), "<bdi>"+elo+"</bdi>")
	has("the list with a match in progress", get("/"), "Elo ")
}

// TestOneEloElsewhere: a ladder says the same again, in JSON and on its page.
func TestOneEloElsewhere(t *testing.T) {
	t.Chdir(t.TempDir())
	args := strings.Fields("ladder name=G:assay:hash=1 name=E:assay:hash=1:weights=shannon-1950 --nodes 50 " +
		"--opening-score -1 --games 30 --out runs/ladder")
	s := &scripted{results: "WWWWWWWWWD"}
	first, err := s.command(t, args...)
	m := regexp.MustCompile(`(?m)^ +1 +(\S.*?\]) +\d`).FindStringSubmatch(first)
	if err != nil || m == nil {
		t.Fatalf("%v\n%s", err, first)
	}
	if again, err := s.command(t, args...); err != nil || again != first {
		t.Errorf("again: %v\n%s\nwant\n%s", err, again, first)
	}
	var r struct{ Ratings []struct{ sprt.Strength } }
	doc, err := s.command(t, append(args, "--json")...)
	if err = errors.Join(err, json.Unmarshal([]byte(doc), &r)); err != nil || r.Ratings[0].Text("") != m[1] {
		t.Errorf("JSON says %s, want %s, %v", doc, m[1], err)
	}
	w := httptest.NewRecorder()
	report.Handler("runs").ServeHTTP(w, httptest.NewRequest("GET", "http://127.0.0.1/run/ladder", nil))
	if page := html.UnescapeString(w.Body.String()); !strings.Contains(page, m[1]) &&
		!strings.Contains(page, r.Ratings[0].Text(" Elo")) {
		t.Errorf("the page does not say %q", m[1])
	}
}
