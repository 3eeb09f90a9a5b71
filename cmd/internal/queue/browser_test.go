//go:build browser

// What a browser makes of the page; needs Chromium:
//
//	go test -tags browser ./cmd/internal/queue
//
// REPORT_SHOTS names a folder for the screenshots.
package queue

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/assay-chess/assay/cmd/internal/chrome"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/queue"
)

// await waits until JavaScript says true.
func await(b *chrome.Tab, what, script string) {
	b.Helper()
	for until := time.Now().Add(30 * time.Second); !chrome.Ask[bool](b, script); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(until) {
			b.Fatalf("%s does not happen; the page says %q", what, chrome.Ask[string](b,
				`document.querySelector("#said").textContent`))
		}
	}
}

// clipped lists what is beyond the window, or cut off by its box. On a broad page a table may be wider than
// its region, which scrolls.
const clipped = `(() => {
	const bad = [], wide = document.documentElement.clientWidth;
	if (document.documentElement.scrollWidth > wide) bad.push("the page is " + document.documentElement.scrollWidth + " wide");
	for (const e of document.querySelectorAll("body *:not(script)")) {
		if (!e.checkVisibility() || e.closest(".skip, option")) continue;
		const style = getComputedStyle(e), box = e.getBoundingClientRect();
		if (["hidden", "clip"].includes(style.overflowX) && e.scrollWidth > e.clientWidth + 1) bad.push("cut off: " + e.outerHTML.slice(0, 80));
		if (!(wide >= 1280 && e.closest(".wide table")) && (box.left < -1 || box.right > wide + 1)) bad.push("beyond the window: " + e.outerHTML.slice(0, 80));
		if (e.matches("button") && e.scrollWidth > e.clientWidth + 2) bad.push("a button is too small: " + e.textContent);
	}
	return bad.slice(0, 8);
})()`

// TestPageInABrowser looks at the page as a person with a key does.
func TestPageInABrowser(t *testing.T) {
	web, store, secrets := testServer(t, map[string][]queue.Role{"anna": {queue.Read, queue.Submit},
		"chief": {queue.Read, queue.Submit, queue.Approve}})
	playedTest(t, store)
	b := chrome.New(t)
	b.Do(chromedp.EmulateViewport(1400, 1000), chromedp.Navigate(web.URL+"/"))
	await(b, "asking for a key", `document.querySelector("#said").textContent.includes("your key")`)
	logIn := func(name string) {
		b.Helper()
		chrome.Ask[bool](b, fmt.Sprintf(`(f => { f.key.value = %q; f.requestSubmit(); return true })(document.querySelector("#login"))`, secrets[name]))
		await(b, "the key of "+name, fmt.Sprintf(`document.querySelector("#who").textContent.startsWith(%q)`, name))
	}
	logIn("anna")
	b.Do(chromedp.Reload()) // with the key, and the cookie
	await(b, "the list", `!!document.querySelector("[data-test=played] .badge")`)
	chrome.Ask[bool](b, `(f => { f.args.value = "match assay 'assay:weights=shannon-1950' --games 20"; f.name.value = "mine"; f.requestSubmit(); return true })(document.querySelector("#add form"))`)
	await(b, "a test of anna's", `document.querySelector("[data-test=mine]")?.cells[1].textContent === "unapproved"`)
	press := func(test, label string) {
		b.Helper()
		chrome.Ask[bool](b, fmt.Sprintf(`[...document.querySelectorAll("[data-test=%s] button")].find(x => x.textContent === %q).click(), true`, test, label))
	}
	logIn("chief")
	press("mine", "+")
	await(b, "its priority", `document.querySelector("[data-test=mine]").cells[9].textContent.startsWith("1 ")`)
	press("mine", "approve")
	await(b, "its approval", `document.querySelector("[data-test=mine]").cells[1].textContent === "queued"`)
	press("mine", "stop")
	await(b, "its end", `document.querySelector("[data-test=mine]").cells[1].textContent === "stopped"`)
	if text := chrome.Ask[string](b, `document.querySelector("[data-test=mine]").cells[2].textContent`); text !=
		"stopped by chief" {
		t.Errorf("of a test that was never played, the page says %q", text)
	}
	chrome.Ask[bool](b, `navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve(); }, true`)
	press("played", "copy result")
	await(b, "the copy", `!!window.copied`)
	if text := chrome.Ask[string](b, `window.copied`); !strings.HasPrefix(text, "played: ") ||
		!strings.Contains(text, "pairs ") || !strings.Contains(text, "Elo") || !strings.Contains(text, "assay match") {
		t.Errorf("the copied result is\n%s", text)
	}
	for _, width := range []int64{1280, 768, 390} {
		b.Do(chromedp.EmulateViewport(width, 1000))
		await(b, "the width", `document.querySelector(".wide").classList.contains("stack") === (innerWidth <= 1024)`)
		for _, scheme := range []string{"light", "dark"} {
			b.Scheme(scheme)
			for _, bad := range append(chrome.Ask[[]string](b, clipped),
				b.Pale("p, td, th, a:not(.skip), h1, h2, strong, label, button, span")...) {
				t.Errorf("%d wide, %s: %s", width, scheme, bad)
			}
			b.Shot(fmt.Sprintf("queue-%d-%s", width, scheme), "")
		}
	}
	chrome.Ask[bool](b, `document.querySelector("[data-test=played] a").click(), true`)
	await(b, "the live page of the test", `document.readyState === "complete" && location.pathname === "/runs/run/played" && document.body.innerText.length > 300`)
	b.Shot("queue-run", "")
	b.Quiet(web.URL)
	if events := store.Events(0); events[len(events)-1].Who != "chief" {
		t.Errorf("the last event is %+v", events[len(events)-1])
	}
}

// playedTest puts a test that was played, a list of tests in other states, and a worker into a
// store.
func playedTest(t *testing.T, store *queue.Store) {
	t.Helper()
	for i, state := range []string{"played", "lmr-by-history", "a-rather-long-name-of-a-test-of-a-patch"} {
		test := queue.Test{Name: state, Job: queue.Job{Command: "match", Players: []string{"assay",
			"assay:weights=shannon-1950"},
			Settings: map[string]string{"sprt": "0,400", "elo-model": "logistic"}}, Who: "chief", State: queue.Queued,
			Approved: "chief", Note: "late move reductions by history", Priority: -i}
		if _, err := store.Add(test); err != nil {
			t.Fatal(err)
		}
	}
	for _, what := range []string{"start", "complete"} {
		if err := store.Move(queue.Server, what, "played", "PASSED"); err != nil {
			t.Fatal(err)
		}
	}
	l := selfplay.Limits{Nodes: 100, HardNodes: true}
	c := match.Config{A: selfplay.Entrant{Spec: engine.Spec{Name: "assay",
		Options: []engine.Option{{Name: "hash", Value: "1"}}}},
		B: selfplay.Entrant{Spec: engine.Spec{Name: "assay", Weights: "shannon-1950",
			Options: []engine.Option{{Name: "hash", Value: "1"}}}}, Games: 40,
		Setup: selfplay.Setup{Out: store.RunDir("played"), Limits: l, MaxPlies: 200, Seed: 3, Program: "test",
			Open: roster.Open}}
	if _, err := match.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(store.Dir, coordinator.DirName)
	if err := durable.MakeDir(path); err != nil {
		t.Fatal(err)
	}
	workers := `{"workers": [{"name": "bobs-old-machine", "program": "assay 1.0 (bench 1916628)", "system": "linux/amd64/v1", "cores": 8, "state": "working", "games": 1200, "share": 0.6, "games_per_second": 1.5, "nodes_per_second": 1234567, "failures": 2},
		{"name": "eve", "program": "assay 0.9", "system": "linux/arm64", "cores": 4, "state": "refused", "why": "it is assay 0.9, and this run needs assay 1.0", "games": 0, "share": 0, "games_per_second": 0, "failures": 0}]}`
	if err := os.WriteFile(filepath.Join(path, coordinator.WorkersName), []byte(workers), 0o666); err != nil {
		t.Fatal(err)
	}
}
