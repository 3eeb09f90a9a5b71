//go:build browser

package chrome

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// Tab is a page that is watched: what it asks for and what it complains of.
type Tab struct {
	*testing.T
	ctx context.Context

	mu       sync.Mutex
	requests []string
	errors   []string
}

// New opens a tab until the test ends.
func New(t *testing.T) *Tab {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.DisableGPU)
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if end, ok := t.Deadline(); ok { // so that a page that hangs is named
		ctx, cancel = context.WithDeadline(ctx, end.Add(-10*time.Second))
		t.Cleanup(cancel)
	}
	b := &Tab{T: t, ctx: ctx}
	requests, console := chromedp.Events(ctx, network.RequestWillBeSent), chromedp.Console(ctx)
	go func() {
		for e, err := range requests {
			if err != nil {
				return
			}
			b.note(&b.requests, e.Request.URL)
		}
	}()
	go func() {
		for m, err := range console {
			if err != nil {
				return
			}
			b.note(&b.errors, fmt.Sprintf("%s: %s", m.Type, m.Text))
		}
	}()
	return b
}

func (b *Tab) note(list *[]string, text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	*list = append(*list, text)
}

// Do does the steps.
func (b *Tab) Do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.Fatal(err)
	}
}

// Ask evaluates JavaScript in the page.
func Ask[T any](b *Tab, script string) T {
	b.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](script))
	if err != nil {
		b.Fatalf("%s: %v", script, err)
	}
	return v
}

// Shot keeps a picture of the page, from an element on unless the selector is empty, in the folder that REPORT_SHOTS
// names, to be looked at. Without such a folder it only scrolls.
func (b *Tab) Shot(name, selector string) {
	b.Helper()
	if selector != "" {
		Ask[bool](b, fmt.Sprintf("document.querySelector(%q).scrollIntoView({block: 'start', behavior: 'instant'}), true",
			selector))
	}
	folder := os.Getenv("REPORT_SHOTS")
	if folder == "" {
		return
	}
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, name+".png"), png, 0o666)
	}
	if err != nil {
		b.Fatal(err)
	}
}

// Quiet fails if the page complained, or asked for anything but itself.
func (b *Tab) Quiet(origin string) {
	b.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.errors {
		b.Errorf("console: %s", e)
	}
	for _, r := range b.requests {
		if !strings.HasPrefix(r, origin) && !strings.HasPrefix(r, "data:") {
			b.Errorf("a request for %s", r)
		}
	}
	if len(b.requests) == 0 {
		b.Error("no request was seen at all, not even for the page")
	}
}

// Scheme sets the colors that the reader prefers: light or dark.
func (b *Tab) Scheme(name string) {
	b.Helper()
	b.Do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia,
			emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}})
		return err
	}))
}

// Pale computes the contrast of the selected texts on their background by WCAG 2, and returns those that
// have less than 4.5.
func (b *Tab) Pale(selector string) []string {
	b.Helper()
	return Ask[[]string](b, fmt.Sprintf(pale, selector))
}

const pale = `(selector => {
	const parse = c => { const m = c.match(/[\d.]+/g).map(Number); return m.length < 4 ? [...m, 1] : m; };
	const over = (a, b) => [0, 1, 2].map(i => a[i] * a[3] + b[i] * (1 - a[3])).concat(1);
	const linear = v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
	const light = c => 0.2126 * linear(c[0] / 255) + 0.7152 * linear(c[1] / 255) + 0.0722 * linear(c[2] / 255);
	const bad = [];
	for (const e of document.querySelectorAll(selector)) {
		if (!e.textContent.trim() || !e.getClientRects().length) continue;
		const style = getComputedStyle(e), stack = [];
		for (let a = e; a; a = a.parentElement) stack.push(parse(getComputedStyle(a).backgroundColor));
		let back = [255, 255, 255, 1];
		for (const c of stack.reverse()) back = over(c, back);
		const text = over(parse(e instanceof SVGElement ? style.fill : style.color), back);
		const [x, y] = [light(text), light(back)].sort((a, b) => b - a), ratio = (x + 0.05) / (y + 0.05);
		if (ratio < 4.5) bad.push(ratio.toFixed(2) + " " + e.tagName + " " + e.textContent.trim().slice(0, 30));
	}
	return bad.slice(0, 8);
})(%q)`
