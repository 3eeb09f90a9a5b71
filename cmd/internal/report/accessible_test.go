//go:build browser

package report

import (
	"strings"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/assay-chess/assay/cmd/internal/chrome"
)

// texts selects all text whose contrast matters.
const texts = "p, td, th, a, h1, h2, h3, caption, figcaption, summary, strong, code, svg.plot text, .moves button"

// nameless lists what a person without sight or mouse cannot use:
// controls, plots and scrolling regions without a name, tables without headings, headings
// that leave out a level, ids given twice, and colored squares without their number.
const nameless = `(() => {
	const bad = [], all = s => [...document.querySelectorAll(s)], seen = new Set();
	const name = e => (e.getAttribute("aria-label") || e.innerText || e.title || e.closest("label")?.innerText ||
		"").trim();
	if (!document.documentElement.lang || !document.title) bad.push("no language, or no title");
	for (const e of all("a, button, input, select, summary, [tabindex='0'], svg[role=img], nav")) if (!name(e)) bad.push("no name: " + e.outerHTML.slice(0, 80));
	for (const e of all("section")) if (!document.getElementById(e.getAttribute("aria-labelledby"))?.innerText) bad.push("no label: " + e.id);
	for (const e of all("table")) if (!e.querySelector("th[scope]")) bad.push("no headings: " + e.innerText.slice(0, 40));
	for (const e of all("[id]")) seen.has(e.id) ? bad.push("twice: " + e.id) : seen.add(e.id);
	for (const e of all("td[style]")) if (!e.textContent.trim()) bad.push("color alone: " + e.title);
	for (const e of all("svg:not([role=img]):not([aria-hidden=true])")) bad.push("a drawing without a role: " + e.outerHTML.slice(0, 60));
	let level = 0;
	for (const h of all("h1, h2, h3")) { const n = Number(h.tagName[1]);
		if (n > level + 1) bad.push("heading after level " + level + ": " + h.innerText); level = n; }
	return bad.slice(0, 10);
})()`

func checkNames(b *chrome.Tab) {
	b.Helper()
	for _, bad := range chrome.Ask[[]string](b, nameless) {
		b.Error(bad)
	}
}

// checkKeyboard goes through the page with the tabulator: the skip link comes first, what
// has the focus shows it, and everything that does something is reached.
func checkKeyboard(b *chrome.Tab) {
	b.Helper()
	b.Do(chromedp.Reload()) // where nothing has the focus
	chrome.Ask[bool](b, `document.querySelectorAll("details.fold").forEach(d => { d.open = true; }), true`)
	const moves = 300
	reached, first := map[string]bool{}, ""
	for range moves {
		b.Do(chromedp.KeyEvent("\t"))
		at := chrome.Ask[string](b, `(e => { const s = getComputedStyle(e);
			return (s.outlineStyle === "none" && s.boxShadow === "none" ? "unseen " : "") +
			(e.matches(".skip") ? "skip" : e.matches("nav a") ? "nav" : e.matches("th button") ? "sort" : e.matches("input.filter") ? "filter" : e.matches(".chessboard") ? "board" :
			e.matches("[data-go]") ? "moves" : e.matches("select.set") ? "set" : e.matches("ul.games a") ? "game" : e.matches("input.number") ? "number" : e.matches("a.pgn") ? "pgn" : e.matches("summary") ? "numbers" : e.matches("input.ply") ? "slider" : e.matches("body") ? "end" : "other") })(document.activeElement)`)
		if first == "" {
			first = at
		}
		if strings.HasPrefix(at, "unseen ") && at != "unseen end" {
			b.Errorf("the focus cannot be seen: %s", chrome.Ask[string](b, `document.activeElement.outerHTML.slice(0, 100)`))
			break
		}
		if reached[at] = true; at == "end" || at == "unseen end" {
			break
		}
	}
	if first != "skip" {
		b.Errorf("the first stop is %q, want the skip link", first)
	}
	for _, want := range []string{"nav", "sort", "filter", "board", "moves", "set", "game", "number", "pgn", "numbers",
		"slider"} {
		if !reached[want] {
			b.Errorf("the keyboard does not reach %s", want)
		}
	}
}

// checkDark compares contrasts in both schemes, and keeps pictures of sections.
func checkDark(b *chrome.Tab, sections ...string) {
	b.Helper()
	for _, scheme := range []string{"light", "dark"} {
		b.Scheme(scheme)
		for _, bad := range b.Pale(texts) {
			b.Errorf("%s: contrast %s", scheme, bad)
		}
	}
	for _, id := range sections {
		b.Shot("dark-"+id, "#"+id)
	}
}

// checkPhone fails if a narrow page hides text, and keeps pictures of sections.
func checkPhone(b *chrome.Tab, sections ...string) {
	b.Helper()
	b.Do(chromedp.EmulateViewport(390, 800))
	time.Sleep(300 * time.Millisecond) // for the tables to be fitted
	for _, bad := range chrome.Ask[[]string](b, clipped+"(true)") {
		b.Error(bad)
	}
	for _, id := range sections {
		b.Shot("phone-"+id, "#"+id)
	}
}
