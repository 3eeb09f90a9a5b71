//go:build browser

// What a browser makes of the pages; needs Chromium:
//
//	go test -tags browser ./cmd/internal/report
//
// REPORT_RUN names a learning run to look at instead of making one, REPORT_SHOTS a
// folder for the screenshots.
package report

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/assay-chess/assay/cmd/internal/chrome"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/roster"
	"github.com/assay-chess/assay/tuner"
	"github.com/assay-chess/assay/tuner/learn"
)

// smallRun is the folder of a real learning run, with its page.
func smallRun(t *testing.T) (dir string) {
	if dir = os.Getenv("REPORT_RUN"); dir == "" {
		dir = filepath.Join(t.TempDir(), "learned")
		plan := learn.DefaultPlan(2, 24, 60, 3)
		plan.Final.Games = 8
		for i := range plan.Generations {
			plan.Generations[i].Gate.Games = 8
		}
		if _, err := learn.Run(t.Context(), learn.Config{Program: "test", Plan: plan,
			Stage: func(name string) learn.StageProgress { return ui.NewProgress(io.Discard, name) },
			Place: selfplay.Place{Out: dir, Resume: "assay learn", Open: roster.Open}}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Write(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestLearnReportInABrowser(t *testing.T) {
	t.Parallel()
	dir := setup.Must(filepath.Abs(smallRun(t)))
	url := "file://" + filepath.Join(dir, Name)
	b := chrome.New(t)
	b.Do(chromedp.EmulateViewport(1200, 1500), chromedp.Navigate(url))
	b.Shot("top", "")
	for _, id := range []string{"generations", "final", "coefficients", "boards", "calibration", "gate-1",
		"games", "replay", "settings"} {
		if !chrome.Ask[bool](b, fmt.Sprintf("document.getElementById(%q)?.innerText.length > 40", id)) {
			t.Errorf("section %s is missing or empty", id)
		}
	}
	// Every plot has a name and marks within its frame, and its numbers stand below.
	for _, bad := range chrome.Ask[[]string](b, `[...document.querySelectorAll("figure")].filter(f => {
		const s = [...f.querySelectorAll("svg.plot")].find(s => s.checkVisibility()), box = s?.getBoundingClientRect();
		return !s || !s.getAttribute("aria-label") || s.querySelectorAll("path").length < 5 || box.width < 100 ||
			box.height < 60 || f.querySelectorAll("tbody tr").length < 1;
	}).map(f => f.innerText)`) {
		t.Errorf("an empty plot: %.80s", bad)
	}
	if n := chrome.Ask[int](b, `document.querySelectorAll("svg.plot").length`); n < 12 {
		t.Errorf("%d plots", n)
	}
	b.Shot("generations", "#generations")
	checkTable(b)
	b.Shot("coefficients", "#coefficients")
	b.Shot("boards", "#boards")
	b.Shot("calibration", "#calibration")
	b.Shot("games", "#games")
	checkReplay(b)
	b.Shot("replay", "#replay")
	chrome.Ask[bool](b, `document.querySelector("details.fold").open = true`)
	checkNames(b)
	checkKeyboard(b)
	checkDark(b, "generations", "boards", "replay", "coefficients")
	checkPhone(b, "generations", "replay")
	b.Quiet(url)
}

// checkTable sorts and searches the coefficients.
func checkTable(b *chrome.Tab) {
	b.Helper()
	column := `[...document.querySelectorAll("#terms tbody tr")].map(r => Number(r.cells[2].textContent))`
	button := `document.querySelectorAll("#terms thead th")[2].querySelector("button")`
	for _, want := range []string{"ascending", "descending"} {
		chrome.Ask[bool](b, button+".focus(), "+button+".click(), true")
		values := chrome.Ask[[]float64](b, column)
		for i := 1; i < len(values); i++ {
			if (want == "ascending") != (values[i-1] <= values[i]) && values[i-1] != values[i] {
				b.Fatalf("%s: row %d has %v after %v", want, i, values[i], values[i-1])
			}
		}
		if got := chrome.Ask[string](b, `document.querySelectorAll("#terms thead th")[2].getAttribute("aria-sort")`); got !=
			want {
			b.Errorf("aria-sort is %q, want %q", got, want)
		}
	}
	all := chrome.Ask[int](b, `document.querySelectorAll("#terms tbody tr").length`)
	chrome.Ask[bool](b, `(i => { i.value = "knight mobility"; i.dispatchEvent(new Event("input"));
		return true })(document.querySelector("input.filter"))`)
	if shown := chrome.Ask[int](b, `[...document.querySelectorAll("#terms tbody tr")].filter(r => !r.hidden).length`); shown == 0 || shown >= all/2 {
		b.Errorf("a search shows %d of %d rows", shown, all)
	}
	chrome.Ask[bool](b, `(i => { i.value = ""; i.dispatchEvent(new Event("input"));
		return true })(document.querySelector("input.filter"))`)
}

// A choice sorts the coefficients where no heading can be clicked, and a board can begin at a8.
func TestSortAndFlipInABrowser(t *testing.T) {
	t.Parallel()
	r := &tuner.Report{}
	for i := range 64 {
		r.Terms = append(r.Terms, tuner.TermFit{Name: fmt.Sprintf("pst.%d", i), StartMG: 30, MG: int32(i * 37 % 64),
			SEMG: num.Float(math.NaN())})
	}
	dir := writeRun(t, "numbered", durable.RunInfo{Command: "tune"}, map[string]any{}, r)
	write(t, dir)
	b := chrome.New(t)
	b.Do(chromedp.EmulateViewport(390, 800), chromedp.Navigate("file://"+filepath.Join(dir, Name)))
	time.Sleep(300 * time.Millisecond) // for the tables to be fitted
	chrome.Ask[bool](b, `(s => { s.value = [...s.options].find(o => o.text === "mg new ▼").value;
		s.dispatchEvent(new Event("change")); return true })(document.querySelector("select.sorter"))`)
	first := chrome.Ask[string](b, `document.querySelector("#terms tbody tr").cells[2].textContent`)
	if first != "63" {
		t.Errorf("the largest change is to %s, want 63", first)
	}
	corner := `document.querySelectorAll(".numbered .psq")[1].tBodies[0].rows[0]`
	for _, want := range []string{"8 pst.56", "8 pst.0"} {
		if got := chrome.Ask[string](b, corner+`.cells[0].textContent + " " + `+corner+`.cells[1].title`); got != want {
			t.Errorf("the corner is %q, want %q", got, want)
		}
		chrome.Ask[bool](b, `document.querySelector("input.flip").click(), true`)
	}
	b.Shot("numbered-390", "#boards")
}

// checkReplay plays a game through, by keys, and compares with our own board.
func checkReplay(b *chrome.Tab) {
	b.Helper()
	placement := `[8,7,6,5,4,3,2,1].map(r => "abcdefgh".split("").map(f => {
		const e = document.querySelector('[data-square="' + f + r + '"]');
		const piece = e.textContent.replace("\uFE0E", "");
			return piece === "" ? "." : (c => e.classList.contains("W") ? c : c.toLowerCase())("PNBRQK"["♟♞♝♜♛♚".indexOf(piece)]) }).join("")).join("/")`
	type game struct {
		Start string   `json:"f"`
		SAN   []string `json:"a"`
	}
	press := func(key string) {
		b.Helper()
		chrome.Ask[bool](b, fmt.Sprintf(`document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: %q,
			bubbles: true}))`, key))
	}
	for set := range chrome.Ask[int](b, `document.querySelectorAll(".set option").length`) {
		chrome.Ask[bool](b, fmt.Sprintf(`(s => { s.value = %d; s.dispatchEvent(new Event("change"));
			return true })(document.querySelector(".set"))`, set))
		g := chrome.Ask[game](b, fmt.Sprintf(`(g => ({f: g.f || "",
			a: g.a.split(" ")}))(JSON.parse(document.querySelector("#game-data").textContent)[%d].games[0])`, set))
		position := board.StartPosition()
		if g.Start != "" {
			var err error
			if position, err = board.ParseFEN(g.Start); err != nil {
				b.Fatal(err)
			}
		}
		chrome.Ask[bool](b, `document.querySelector(".chessboard").focus(), true`)
		press("Home")
		for i, san := range g.SAN {
			m := setup.Must(position.ParseSAN(san))
			position.Make(m)
			press("ArrowRight")
			if i%7 != 0 && i != len(g.SAN)-1 {
				continue
			}
			if got, want := chrome.Ask[string](b, placement), expand(position.FEN()); got != want {
				b.Fatalf("set %d after %d plies: %s, want %s", set, i+1, got, want)
			}
		}
		if d := chrome.Ask[string](b, `document.querySelector(".scores path.curve").getAttribute("d")`); strings.Count(d,
			"L") < 3 {
			b.Errorf("the score graph is %q", d)
		}
	}
	chrome.Ask[bool](b, `document.querySelector("[data-go=back]").click(),
		document.querySelector("[data-go=back]").click(), true`)
}

// expand writes the placement of a FEN with a dot for each empty square.
func expand(fen string) string {
	placement, _, _ := strings.Cut(fen, " ")
	for n := 8; n > 0; n-- {
		placement = strings.ReplaceAll(placement, fmt.Sprint(n), strings.Repeat(".", n))
	}
	return placement
}

// With a hundred thousand games between players of hostile names and two thousand
// coefficients, a page has less than 20 MB.
func TestLargeHostileReportInABrowser(t *testing.T) {
	t.Parallel()
	r := learnResult()
	r.Learned.Generation = 0
	for i := range 2000 {
		r.Terms = append(r.Terms, tuner.TermFit{Name: fmt.Sprintf("term.%d", i), MG: int32(i % 300), SEMG: 5, EG: -3,
			SEEG: 1, Count: int64(i), EffectiveGames: 40, DataShare: 0.5, Rescale: 1})
	}
	dir := writeRun(t, "<img src=x onerror=alert(3)> \u202e", durable.RunInfo{Command: "learn", Resume: hostile},
		map[string]any{"plan": r.Plan}, r)
	writeGames(t, filepath.Join(dir, "gen-1", "games"), 100_000)
	started := time.Now()
	page := write(t, dir)
	t.Logf("%d bytes, made in %v", len(page), time.Since(started))
	if len(page) > 20<<20 {
		t.Errorf("%d bytes", len(page))
	}
	noMarkup(t, page)
	b := chrome.New(t)
	url := "file://" + strings.NewReplacer("<", "%3C", ">", "%3E", " ", "%20", "\u202e",
		"%E2%80%AE").Replace(filepath.Join(dir, Name))
	b.Do(chromedp.EmulateViewport(1200, 1500), chromedp.Navigate(url))
	ms := chrome.Ask[float64](b, `performance.getEntriesByType("navigation")[0].loadEventEnd`)
	t.Logf("opened in %.0f ms", ms)
	if note := chrome.Ask[string](b, `document.querySelector(".list .note").textContent`); !strings.Contains(note,
		"of 100000 games are on this page") {
		t.Errorf("%q does not give the number of all games", note)
	}
	if n := chrome.Ask[int](b, `document.querySelectorAll("#terms tbody tr").length`); n < 2000 {
		t.Errorf("%d coefficients", n)
	}
	if n := chrome.Ask[int](b, `document.querySelectorAll("img").length + document.scripts.length`); n != 2 {
		t.Errorf("%d scripts and images, want the page's script and the games", n)
	}
	if wide := chrome.Ask[int](b, `document.documentElement.scrollWidth`); wide > 1200 {
		t.Errorf("the page is %d pixels wide", wide)
	}
	b.Shot("hostile", "")
	b.Shot("hostile-replay", "#replay")
	b.Quiet(url)
}

// writeGames writes a data set of random games of hostile players.
func writeGames(t *testing.T, dir string, games int) {
	t.Helper()
	w := setup.Must(dataset.NewGameWriter(dir, dataset.WriterConfig{Config: map[string]int{"games": games},
		Program: "test"}))
	rng := rand.New(rand.NewPCG(1, 2))
	var moves []board.Move
	for n := range games {
		game := board.NewGame(board.StartPosition())
		for range 60 {
			if _, _, over := game.Outcome(); over {
				break
			}
			moves = game.Position().LegalMoves(moves[:0])
			game.Push(moves[rng.IntN(len(moves))])
		}
		row := setup.Must(dataset.NewGameRow(game))
		row.Game, row.White, row.Black, row.Termination = dataset.GameID("x", uint64(n)), hostile[:1000], "b",
			"move-limit" // longer ones no data set takes
		for i := range row.Scores {
			row.Scores[i] = int16(rng.IntN(400) - 200)
		}
		if result, why, over := game.Outcome(); over {
			row.Result, row.Termination = int8(result), string(why)
		} else if row.Result = int8(rng.IntN(3) - 1); row.Result != 0 {
			row.Termination = "adjudicated-win"
		}
		setup.Check(t, w.Append(&row))
	}
	if _, err := w.Finish(nil); err != nil {
		t.Fatal(err)
	}
}

// wait waits until a script says true. The page may be loading again meanwhile.
func wait(b *chrome.Tab, script string) {
	b.Helper()
	for until := time.Now().Add(time.Minute); !chrome.Ask[bool](b, script); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(until) {
			b.Fatalf("not %s: %s", script, chrome.Ask[string](b, `document.body?.innerText.slice(0, 600)`))
		}
	}
}

// An open page follows a match, and shows that it was stopped.
func TestServedPageFollowsARun(t *testing.T) {
	runs := t.TempDir()
	server := httptest.NewServer(Handler(runs))
	t.Cleanup(server.Close)
	c := longMatch(filepath.Join(runs, "match"))
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = match.Run(ctx, c) // it is stopped
	}()
	b := chrome.New(t)
	for durable.Status(c.Out).State != durable.Running {
		time.Sleep(50 * time.Millisecond)
	}
	b.Do(chromedp.Navigate(server.URL + "/run/match"))
	const games = `parseInt([...document.querySelectorAll("#match tbody tr")].find(r => r.cells[0].textContent === "games")?.cells[1].textContent)`
	wait(b, games+" > 0")
	wait(b, fmt.Sprint(games, " > ", chrome.Ask[int](b, games)))
	wait(b, `document.querySelector("#status strong")?.textContent === "running"`)
	stop()
	<-ended
	wait(b, `!!document.querySelector("#status")?.innerText.includes("interrupted") &&
		document.querySelector("#status pre")?.innerText === "assay match --out match"`)
	b.Shot("interrupted", "")
	b.Quiet(server.URL)
}

// An open page follows the workers of a run.
func TestWorkersInABrowser(t *testing.T) {
	runs := t.TempDir()
	dir := filepath.Join(runs, "games")
	end := runWithWorkers(t, dir)
	roster := someWorkers()
	writeRoster(t, dir, roster)
	server := httptest.NewServer(Handler(runs))
	t.Cleanup(server.Close)
	b := chrome.New(t)
	b.Do(chromedp.EmulateViewport(1200, 1500), chromedp.Navigate(server.URL+"/run/games"))
	b.Shot("workers", "#workers")
	checkNames(b)
	checkDark(b, "workers")
	checkPhone(b, "workers")

	anna := &roster.Workers[1]
	anna.Units, anna.Failures, roster.Updated = 9925, 4321, roster.Updated.Add(3*time.Second)
	writeRoster(t, dir, roster)
	wait(b, `!!document.querySelector("#workers")?.innerText.includes("9925") &&
		document.querySelector("#workers").innerText.includes("4321")`)
	end()
	wait(b, `!!document.querySelector("#workers")?.innerText.includes("No worker is at work") &&
		!document.querySelector("#workers").innerText.includes("working")`)
	b.Quiet(server.URL)
}
