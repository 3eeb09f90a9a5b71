//go:build browser

package report

import (
	"strings"
	"time"

	"github.com/chromedp/chromedp"
)

// contrast computes the contrast of all text on its background by WCAG 2, and returns
// what has less than 4.5.
const contrast = `(() => {
	const parse = c => { const m = c.match(/[\d.]+/g).map(Number); return m.length < 4 ? [...m, 1] : m; };
	const over = (a, b) => [0, 1, 2].map(i => a[i] * a[3] + b[i] * (1 - a[3])).concat(1);
	const light = c => { const l = [0, 1, 2].map(i => { const v = c[i] / 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4 }); return 0.2126 * l[0] + 0.7152 * l[1] + 0.0722 * l[2] };
	const bad = [];
	for (const e of document.querySelectorAll("p, td, th, a, h1, h2, h3, caption, figcaption, summary, strong, code, svg.plot text, .moves button")) {
		if (!e.textContent.trim() || !e.getClientRects().length) continue;
		const style = getComputedStyle(e), stack = [];
		for (let a = e; a; a = a.parentElement) stack.push(parse(getComputedStyle(a).backgroundColor));
		let back = [255, 255, 255, 1];
		for (const c of stack.reverse()) back = over(c, back);
		const text = over(parse(e instanceof SVGElement ? style.fill : style.color), back);
		const [x, y] = [light(text), light(back)].sort((a, b) => b - a);
		if ((x + 0.05) / (y + 0.05) < 4.5) bad.push(((x + 0.05) / (y + 0.05)).toFixed(2) + " " + e.tagName + " " + e.textContent.trim().slice(0, 30));
	}
	return bad.slice(0, 8);
})()`

// nameless lists what a person without sight or mouse cannot use:
// controls, plots and scrolling regions without a name, tables without headings, headings
// that leave out a level, ids given twice, and colored squares without their number.
const nameless = `(() => {
	const bad = [], all = s => [...document.querySelectorAll(s)], seen = new Set();
	const name = e => (e.getAttribute("aria-label") || e.innerText || e.title || e.closest("label")?.innerText || "").trim();
	if (!document.documentElement.lang || !document.title) bad.push("no language, or no title");
	for (const e of all("a, button, input, select, summary, [tabindex='0'], svg[role=img], nav")) if (!name(e)) bad.push("no name: " + e.outerHTML.slice(0, 80));
	for (const e of all("section")) if (!document.getElementById(e.getAttribute("aria-labelledby"))?.innerText) bad.push("no label: " + e.id);
	for (const e of all("table")) if (!e.querySelector("th[scope]")) bad.push("no headings: " + e.innerText.slice(0, 40));
	for (const e of all("[id]")) seen.has(e.id) ? bad.push("twice: " + e.id) : seen.add(e.id);
	for (const e of all("td[style]")) if (!e.textContent.trim()) bad.push("color alone: " + e.title);
	for (const e of all("svg:not([role=img]):not([aria-hidden=true])")) bad.push("a drawing without a role: " + e.outerHTML.slice(0, 60));
	let level = 0;
	for (const h of all("h1, h2, h3")) { const n = Number(h.tagName[1]); if (n > level + 1) bad.push("heading after level " + level + ": " + h.innerText); level = n; }
	return bad.slice(0, 10);
})()`

func checkNames(b *browser) {
	b.Helper()
	for _, bad := range ask[[]string](b, nameless) {
		b.Error(bad)
	}
}

// checkKeyboard goes through the page with the tabulator: the skip link comes first, what
// has the focus shows it, and everything that does something is reached.
func checkKeyboard(b *browser) {
	b.Helper()
	b.do(chromedp.Reload()) // where nothing has the focus
	ask[bool](b, `document.querySelectorAll("details.fold").forEach(d => { d.open = true; }), true`)
	const moves = 300
	reached, first := map[string]bool{}, ""
	for range moves {
		b.do(chromedp.KeyEvent("\t"))
		at := ask[string](b, `(e => { const s = getComputedStyle(e); return (s.outlineStyle === "none" && s.boxShadow === "none" ? "unseen " : "") +
			(e.matches(".skip") ? "skip" : e.matches("nav a") ? "nav" : e.matches("th button") ? "sort" : e.matches("input.filter") ? "filter" : e.matches(".chessboard") ? "board" :
			e.matches("[data-go]") ? "moves" : e.matches("select.set") ? "set" : e.matches("ul.games a") ? "game" : e.matches("input.number") ? "number" : e.matches("a.pgn") ? "pgn" : e.matches("summary") ? "numbers" : e.matches("input.ply") ? "slider" : e.matches("body") ? "end" : "other") })(document.activeElement)`)
		if first == "" {
			first = at
		}
		if strings.HasPrefix(at, "unseen ") && at != "unseen end" {
			b.Errorf("the focus cannot be seen: %s", ask[string](b, `document.activeElement.outerHTML.slice(0, 100)`))
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
func checkDark(b *browser, sections ...string) {
	b.Helper()
	for _, scheme := range []string{"light", "dark"} {
		b.scheme(scheme)
		for _, bad := range ask[[]string](b, contrast) {
			b.Errorf("%s: contrast %s", scheme, bad)
		}
	}
	for _, id := range sections {
		b.shot("dark-"+id, "#"+id)
	}
}

// checkPhone fails if a narrow page hides text, and keeps pictures of sections.
func checkPhone(b *browser, sections ...string) {
	b.Helper()
	b.do(chromedp.EmulateViewport(390, 800))
	time.Sleep(300 * time.Millisecond) // for the tables to be fitted
	for _, bad := range ask[[]string](b, clipped+"(true)") {
		b.Error(bad)
	}
	for _, id := range sections {
		b.shot("phone-"+id, "#"+id)
	}
}
