package report

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/cmd/internal/ownengine"
	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay/ladder"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/sprt"
	"github.com/assay-chess/assay/tuner"
	"github.com/assay-chess/assay/tuner/learn"
	"github.com/assay-chess/assay/tuner/spsa"
	"github.com/assay-chess/assay/tuner/spsa/play"
)

// hostile is a name with everything that can do harm: markup, quotes, emoji, right-to-left
// text with a character that changes the direction, the end of a script, and 10 kB of it.
var hostile = `</script><script>alert(1)</script>"'&<img src=x onerror=alert(2)> 😀 שלום ` + "\u202e\x01" +
	strings.Repeat("x<b>", 2500)

// writeRun makes the folder of a run.
func writeRun(t *testing.T, name string, info durable.RunInfo, config, result any) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), name)
	r := setup.Must(durable.OpenRun(dir, info, config))
	defer r.Close()
	if result != nil {
		setup.Check(t, r.Finish(result))
	}
	return dir
}

// noMarkup fails if text that others wrote has become markup.
func noMarkup(t testing.TB, page string) {
	t.Helper()
	for _, bad := range []string{"<script>alert", "<img", "onerror=alert(2)>", "<b>", "http://", "https://", "ZgotmplZ",
		"z9\">"} {
		if i := strings.Index(page, bad); i >= 0 {
			t.Errorf("the page holds %q: ...%.200q", bad, page[max(0, i-60):])
		}
	}
	if n := strings.Count(page, "</script>"); n != strings.Count(page, "<script") {
		t.Errorf("%d scripts end, %d begin", n, strings.Count(page, "<script"))
	}
}

func learnResult() *learn.Result {
	loss := 0.5
	return &learn.Result{
		Format: learn.Format,
		Plan:   learn.Plan{Model: "assay", From: hostile, Opponent: "shannon-1950", Generations: make([]learn.Generation, 1)},
		Generations: []learn.GenerationResult{{
			Number: 1, Gate: &match.Result{Games: 20, Strength: sprt.Strength{Elo: 12.34}}, Promoted: true, Reason: "passed",
			Fit: learn.Fit{Result: &tuner.Result{Rounded: tuner.Losses{Valid: num.Float(loss)}}},
		}},
		Terms: []tuner.TermFit{
			{Name: "psq.knight.e5", StartMG: 30, MG: 37, EG: -21},
			{Name: "psq.knight.z9", MG: 1},
			{Name: "tempo", MG: 9, SEMG: 2, EffectiveGames: 50, DataShare: 0.5, Rescale: 1},
			{Name: "unseen", MG: 9, SEMG: 2, Rescale: 1},
			{Name: hostile, MG: 99, SEMG: 2, EffectiveGames: 50, DataShare: 0.5, Rescale: 1},
		},
		Final: &match.Result{Games: 400, Strength: sprt.Strength{Elo: 123.4, EloLo: 100.1, EloHi: 147.9},
			Pentanomial: sprt.Pentanomial{1, 2, 3, 4, 5}},
	}
}

func write(t *testing.T, dir string) string {
	t.Helper()
	path := setup.Must(Write(dir))
	data := setup.Must(os.ReadFile(path))
	return string(data)
}

func TestPageShowsTheResult(t *testing.T) {
	r := learnResult()
	page := write(t, writeRun(t, "a <b> run's \"name\"", durable.RunInfo{Command: "learn", Resume: hostile},
		map[string]any{"plan": r.Plan}, r))
	for _, want := range []string{
		"&#43;123 Elo [&#43;100, &#43;148]", "<bdi>psq.knight</bdi>", "middlegame, learned", "endgame, start",
		"endgame, difference", `title="psq.knight.e5">37<`, `title="psq.knight.e5">-21<`, "<bdi>tempo</bdi>", "Nothing was learned", "a &lt;b&gt; run",
		"&lt;script&gt;alert(1)",
		`content="default-src &#39;none&#39;`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	noMarkup(t, page)
	if n := strings.Count(page, "<td class=\"left text\"><bdi>*</bdi>"); n < 2 {
		t.Errorf("%d stars, want one for each of the two terms that moved", n)
	}
}

func TestInterruptedRunShowsHowToResume(t *testing.T) {
	dir := writeRun(t, "night", durable.RunInfo{Command: "learn", Resume: "assay learn --out night --seed 7"},
		map[string]any{"plan": learn.DefaultPlan(2, 40, 300, 7)}, nil)
	page := write(t, dir)
	for _, want := range []string{`class="interrupted">interrupted`, "assay learn --out night --seed 7",
		"0 of 2 generations"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestFoldersWithoutARunAreRefused(t *testing.T) {
	empty := t.TempDir()
	damaged := writeRun(t, "damaged", durable.RunInfo{Command: "learn"}, map[string]any{}, map[string]any{})
	setup.Check(t, os.WriteFile(filepath.Join(damaged, durable.RunResultName), []byte("{"), 0o666))
	for name, c := range map[string]struct{ dir, says string }{
		"nothing there": {filepath.Join(empty, "none"), "none"},
		"no run":        {empty, durable.RunConfigName},
		"damaged":       {damaged, durable.RunResultName},
		"another format": {writeRun(t, "other", durable.RunInfo{Command: "learn"}, map[string]any{},
			map[string]any{"format": "assay.match/1"}), durable.RunResultName},
		"no final match": {writeRun(t, "unfinished", durable.RunInfo{Command: "learn"}, map[string]any{},
			learn.Result{Format: learn.Format}), "no final match"},
		"no object": {writeRun(t, "list", durable.RunInfo{Command: "match"}, map[string]any{}, []int{1}),
			durable.RunResultName},
	} {
		if _, err := Write(c.dir); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want an error that names %s", name, err, c.says)
		}
		if _, err := os.Stat(filepath.Join(c.dir, Name)); err == nil {
			t.Errorf("%s: a page was written", name)
		}
	}
}

func TestNamesThatFillAPlot(t *testing.T) {
	for _, s := range []string{hostile, "\xff\xfe", strings.Repeat("\u202e", 9), ""} {
		f := forest(figure{Title: s, Note: s}, "Elo", []estimate{{name: s, value: 1, lo: 0, hi: 2}})
		if svg := string(f.SVG); strings.Contains(svg, "<script") || strings.ContainsAny(svg, "\x01\u202e") ||
			len(svg) > 30_000 {
			t.Errorf("%.40q: %d bytes %.300q", s, len(svg), svg)
		}
		body := setup.Must(render("figure", f))
		noMarkup(t, string(body))
	}
}

// A table of terms that began at zero is drawn once for each half: what was learned is the difference.
func TestBoardsFromZero(t *testing.T) {
	terms := []tuner.TermFit{{Name: "psq.knight.e5", MG: 37, EG: -21}}
	if list := boards(terms); len(list) != 1 || len(list[0].Boards) != 2 || list[0].Boards[1].Title != "endgame, learned" {
		t.Errorf("from zero: %+v", list)
	}
	terms[0].StartEG = 5
	if list := boards(terms); len(list) != 1 || len(list[0].Boards) != 6 {
		t.Errorf("from 5: %+v", list)
	}
}

func TestFlattenKeepsLargeNumbers(t *testing.T) {
	list, err := flatten(json.RawMessage(`{"b":{"c":[1,null,"x"]},"a":18446744073709551615}`))
	want := [][]string{{"a", "18446744073709551615"}, {"b, c 1", "1"}, {"b, c 2", "none"}, {"b, c 3", "x"}}
	if err != nil || !reflect.DeepEqual(list.Rows, want) {
		t.Errorf("%v, %v", list, err)
	}
}

// A fit under another design effect is a fit of its own: the curves of its losses do not
// continue the one before.
func TestSeparateFitsAreNotJoined(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tuned")
	run := setup.Must(durable.OpenRun(dir, durable.RunInfo{Command: "tune"}, map[string]any{}))
	defer run.Close()
	// The last two are of a fit under the same design effect from another start.
	for i, stage := range []string{"D = 10", "D = 10", "D = 13", "D = 13", "D = 13", "D = 13", "D = 13"} {
		if err := run.Event("step", tuner.Step{Stage: stage, Iteration: []int{1, 2, 1, 2, 3, 1, 2}[i], Objective: 0.5,
			Losses: tuner.Losses{Train: num.Float(0.5 - 0.01*float64(i)), Valid: 0.6}}); err != nil {
			t.Fatal(err)
		}
	}
	p := newBuilder(dir).steps()
	for _, s := range []series{p.train, p.valid} {
		if len(s.x) != 7 || !slices.Equal(s.starts, []int{2, 5}) {
			t.Errorf("%+v", s)
		}
	}
	paths := func(s series) int { return strings.Count(string(chart(figure{}, "step", "loss", s).SVG), "<path") }
	joined := p.train
	joined.starts = nil
	if got, one := paths(p.train), paths(joined); got != one+2 {
		t.Errorf("%d paths with three lines, %d with one", got, one)
	}
}

// An axis has ticks, and an end, also between losses that differ in their last bits.
func TestTicks(t *testing.T) {
	for hi, want := range map[float64]int{0.7: 6, 6.6: 7, math.Nextafter(0.6, 1): 7} {
		if got := (ticks{}).Ticks(0.6, hi); len(got) == 0 || len(got) > want {
			t.Errorf("from 0.6 to %v: %d ticks", hi, len(got))
		}
	}
}

// The color of a square says how well its value is known.
func TestTintFadesWithTheError(t *testing.T) {
	for _, c := range []struct {
		v, se float64
		want  string
	}{{60, 0, "0.70"}, {60, 30, "0.35"}, {-60, 15, "0.52"}, {60, 60, "0.00"}, {20, 90, "0.00"}, {0, 0, "0.00"},
		{60, math.NaN(), "0.00"}} {
		if got := string(tint(c.v, num.Float(c.se), 60)); !strings.HasSuffix(got, ","+c.want+")") {
			t.Errorf("%v ± %v: %s, want %s", c.v, c.se, got, c.want)
		}
	}
}

// The result comes before the plots, and these before the games.
func TestOrderOfSections(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "match")
	c := longMatch(dir)
	c.Games = 40
	if _, err := match.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	page, last := write(t, dir), 0
	for _, part := range []string{`id="headline"`, `aria-label="Sections"`, `<section id="match"`, `<svg class="plot"`,
		`<section id="games"`, `<section id="replay"`, `<section id="settings"`} {
		at := strings.Index(page, part)
		if at < last {
			t.Errorf("%s is at %d, what should come before it at %d", part, at, last)
		}
		last = at
	}
}

func TestCrossTable(t *testing.T) {
	r := &ladder.Result{Games: 12,
		Ratings: []ladder.Rating{{Rank: 1, Name: hostile}, {Rank: 2, Name: "second"}, {Rank: 3, Name: "third"}},
		Scores: [][]ladder.Score{{{}, {Wins: 5, Draws: 3, Losses: 1}, {}}, {{Wins: 1, Draws: 3, Losses: 5}, {}, {Draws: 3}},
			{{}, {Draws: 3}, {}}}}
	page := write(t, writeRun(t, "three", durable.RunInfo{Command: "ladder"}, map[string]any{"games": 12}, r))
	for _, want := range []string{"<td>6.5/9</td>", "<td>2.5/9</td>", "<td>1.5/3</td>", "<td>-</td>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	noMarkup(t, page)
}

// Terms named NAME.0 to NAME.63 are a board that begins with a1, in the reports of tune too.
func TestNumberedBoards(t *testing.T) {
	r := &tuner.Report{}
	for i := range 64 {
		r.Terms = append(r.Terms, tuner.TermFit{Name: fmt.Sprintf("pst.4.%d", i), StartMG: 900, StartEG: 900,
			MG: 900 + int32(i), EG: 900})
	}
	page := write(t, writeRun(t, "numbered", durable.RunInfo{Command: "tune"}, map[string]any{}, r))
	for _, want := range []string{"<bdi>pst.4</bdi>", `class="boards numbered"`, `class="flip"`, "their mean, 908",
		`<th scope="row">1</th><td style="background:rgba(40,100,210,`, `title="pst.4.0">900<`, "middlegame, difference",
		"endgame, learned",
		`<th scope="row">8</th><td style="background:rgba(210,90,20,0.62)" title="pst.4.56">56<`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	r.Terms = r.Terms[:63]
	page = write(t, writeRun(t, "short", durable.RunInfo{Command: "tune"}, map[string]any{}, r))
	if strings.Contains(page, `id="boards"`) {
		t.Error("63 terms are a board")
	}
}

// The matches of a run for an engine share the room that a page has for games.
func TestGamesOfAnEngine(t *testing.T) {
	dir := writeRun(t, "engine", durable.RunInfo{Command: ownengine.Command},
		ownengine.RunConfig{Plan: ownengine.Plan{Generations: 3}}, nil)
	setup.Check(t, os.Mkdir(filepath.Join(dir, learn.Folder(1)), 0o777))
	b := newBuilder(dir)
	b.config = json.RawMessage("{}")
	setup.Check(t, b.build())
	if b.report.Document.Done != 1 || b.maxGames != galleryBytes/5 {
		t.Errorf("%+v, %d bytes a match", b.report.Document, b.maxGames)
	}
}

// A long tuning is drawn to its end, whatever the length of a line: every fourth of 1700 iterations.
func TestIterations(t *testing.T) {
	var log strings.Builder
	for k := range 1700 {
		results := "0"
		if k == 4 {
			results += strings.Repeat(",0", 40_000)
		}
		fmt.Fprintf(&log, `{"iteration":%d,"results":[%s]}`+"\n", k+1, results)
	}
	dir := t.TempDir()
	setup.Check(t, os.WriteFile(filepath.Join(dir, play.LogName), []byte(log.String()), 0o666))
	list, err := (&builder{dir: dir}).iterations()
	if n := len(list); err != nil || n != 425 || list[n-1].Iteration != 1697 {
		t.Errorf("%d iterations, %v", n, err)
	}
}

// A tuning by games begins with its verdict. What too few results say is not an error of zero.
func TestVerdictOfSPSA(t *testing.T) {
	r := &play.Result{Iterations: 2, Games: 4, Parameters: []spsa.Estimate{{Name: "queen", Start: 500, Value: 510}}}
	config := map[string]any{"spsa": spsa.Config{Iterations: 2}}
	for _, c := range []struct {
		validation *match.Result
		want       string
	}{{nil, "<strong>NOT VALIDATED: "},
		{&match.Result{Verdict: match.Stronger}, `<div class="good"><p class="verdict"><strong>BETTER: the answer`}} {
		r.Validation = c.validation
		page := write(t, writeRun(t, "tuned", durable.RunInfo{Command: "spsa"}, config, r))
		headline, rest, _ := strings.Cut(page[strings.Index(page, `id="headline"`):], "</section>")
		if !strings.Contains(headline, c.want) || strings.Contains(rest, "<td>0</td>") ||
			!strings.Contains(page, "<td>510</td><td>too few</td><td>too few</td>") {
			t.Errorf("%.900s", headline)
		}
	}
}
