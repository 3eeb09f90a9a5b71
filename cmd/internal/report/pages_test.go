//go:build browser

package report

import (
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/assay-chess/assay/cmd/internal/chrome"
	"github.com/assay-chess/assay/internal/setup"
)

// clipped lists text that a reader cannot see in whole: beyond the edge of the window or of
// the plot that it is in, cut off by its own box, or in a box that has to be moved sideways.
// On a phone it also lists letters smaller than 12 pixels.
const clipped = `(phone => {
	const bad = [], wide = document.documentElement.clientWidth, say = (why,
		e) => bad.push(why + ": " + (e.textContent.trim().replace(/\s+/g, " ").slice(0, 50) || e.outerHTML.slice(0, 80)));
	if (document.documentElement.scrollWidth > wide) bad.push("the page is " + document.documentElement.scrollWidth + " wide");
	for (const e of document.querySelectorAll("body *:not(script)")) {
		if (!e.checkVisibility() || e.closest("option, .skip")) continue;
		const style = getComputedStyle(e);
		if (!(e instanceof SVGElement) && style.overflowX !== "visible" &&
			e.scrollWidth > e.clientWidth + 1) say("wider than its box by " + (e.scrollWidth - e.clientWidth), e);
		if (!(e instanceof SVGElement) && ["hidden", "clip"].includes(style.overflowY) &&
			e.scrollHeight > e.clientHeight + 1) say("higher than its box", e);
		if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
		const box = e.getBoundingClientRect();
		if (box.left < -1 || box.right > wide + 1) say("beyond the window", e);
		if (e instanceof SVGElement) {
			const frame = e.ownerSVGElement.getBoundingClientRect();
			if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 ||
				box.bottom > frame.bottom + 1) say("beyond its plot", e);
		}
		const scale = e instanceof SVGElement ? Math.hypot(e.getScreenCTM().a, e.getScreenCTM().b) : 1,
			size = parseFloat(style.fontSize) * scale;
		if (phone && size < 11.95) say(size.toFixed(1) + " px", e);
	}
	return [...new Set(bad)].slice(0, 12);
})`

// checkWidths looks at the page at three widths and in both colors, as it opens (false) or
// with everything unfolded (true), and keeps pictures.
func checkWidths(b *chrome.Tab, name string, folded ...bool) {
	b.Helper()
	for _, width := range []int64{1280, 768, 390} {
		b.Do(chromedp.EmulateViewport(width, 1200))
		for _, open := range folded {
			chrome.Ask[bool](b, fmt.Sprintf(`document.querySelectorAll("details").forEach(d => { d.open = %t;
				}), scrollTo(0, 0), true`, open))
			time.Sleep(300 * time.Millisecond) // for the tables to be fitted
			for _, bad := range chrome.Ask[[]string](b, fmt.Sprintf("%s(%t)", clipped, width == 390)) {
				b.Errorf("%s at %d pixels, unfolded %t: %s", name, width, open, bad)
			}
			for _, scheme := range []string{"dark", "light"} {
				if b.Scheme(scheme); open {
					continue
				}
				b.Shot(fmt.Sprintf("%s-%d-%s", name, width, scheme), "")
				for _, bad := range b.Pale(texts) {
					b.Errorf("%s at %d pixels, %s: contrast %s", name, width, scheme, bad)
				}
			}
		}
	}
}

// someRuns is a folder with a run of each kind, made by the program itself.
func someRuns(t *testing.T) string {
	if dir := os.Getenv("REPORT_RUNS"); dir != "" {
		return dir
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "assay")
	run := func(name string, args ...string) {
		t.Helper()
		c := exec.CommandContext(t.Context(), name, args...)
		c.Dir = dir
		if name == "go" {
			c.Dir = ""
		}
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
	}
	run("go", "build", "-o", program, "github.com/assay-chess/assay/cmd/assay")
	if err := os.WriteFile(filepath.Join(dir, "spsa.toml"),
		[]byte("player = \"assay\"\niterations = 30\nnodes = 20\nvalidation = 24\n[[parameter]]\nname = \"queen\"\nstart "+
			"= 500\nmin = 100\nmax = 2000\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	run(program, "learn", "--out", "runs/learn", "--games", "60", "--nodes", "60", "--final-games", "24",
		"--gate-games", "24")
	run(program, "match", "name=new:assay", "name=base:random", "--sprt", "0,10", "--nodes", "20", "--out", "runs/match")
	run(program, "tune", "runs/learn/gen-1/positions", "runs/learn/gen-2/positions", "--out", "runs/tune")
	run(program, "ladder", "assay", "random", "assay:weights=shannon-1950", "--games", "24", "--nodes", "20", "--out",
		"runs/ladder")
	run(program, "spsa", "spsa.toml", "--out", "runs/spsa")
	return filepath.Join(dir, "runs")
}

// The list of runs, and the report of each kind of run, hide no text at
// three widths in either color, complain of nothing, and ask no other host for anything.
func TestPagesAtThreeWidths(t *testing.T) {
	t.Parallel()
	runs := someRuns(t)
	entries := setup.Must(os.ReadDir(runs))
	server := httptest.NewServer(Handler(runs))
	t.Cleanup(server.Close)
	look := func(t *testing.T, name, url, origin string, folded ...bool) *chrome.Tab {
		b := chrome.New(t)
		b.Do(chromedp.EmulateViewport(1400, 1200), chromedp.Navigate(url))
		checkWidths(b, name, folded...)
		b.Quiet(origin)
		return b
	}
	t.Run("list", func(t *testing.T) {
		t.Parallel()
		checkNames(look(t, "list", server.URL+"/", server.URL, false))
	})
	for _, e := range entries {
		t.Run(e.Name(), func(t *testing.T) {
			t.Parallel()
			path := setup.Must(Write(filepath.Join(runs, e.Name())))
			look(t, e.Name()+"-report", "file://"+path, "file://"+path, false, true)
		})
	}
}
