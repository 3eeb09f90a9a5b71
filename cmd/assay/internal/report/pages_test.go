//go:build browser

package report

import (
	"context"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// clipped lists text that a reader cannot see in whole: beyond the edge of the window or of
// the plot that it is in, cut off by its own box, or in a box that has to be moved sideways.
// On a phone it also lists letters smaller than 12 pixels.
const clipped = `(phone => {
	const bad = [], wide = document.documentElement.clientWidth, say = (why, e) => bad.push(why + ": " + (e.textContent.trim().replace(/\s+/g, " ").slice(0, 50) || e.outerHTML.slice(0, 80)));
	if (document.documentElement.scrollWidth > wide) bad.push("the page is " + document.documentElement.scrollWidth + " wide");
	for (const e of document.querySelectorAll("body *:not(script)")) {
		if (!e.checkVisibility() || e.closest("option, .skip")) continue;
		const style = getComputedStyle(e);
		if (!(e instanceof SVGElement) && style.overflowX !== "visible" && e.scrollWidth > e.clientWidth + 1) say("wider than its box by " + (e.scrollWidth - e.clientWidth), e);
		if (!(e instanceof SVGElement) && ["hidden", "clip"].includes(style.overflowY) && e.scrollHeight > e.clientHeight + 1) say("higher than its box", e);
		if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
		const box = e.getBoundingClientRect();
		if (box.left < -1 || box.right > wide + 1) say("beyond the window", e);
		if (e instanceof SVGElement) {
			const frame = e.ownerSVGElement.getBoundingClientRect();
			if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1) say("beyond its plot", e);
		}
		const scale = e instanceof SVGElement ? Math.hypot(e.getScreenCTM().a, e.getScreenCTM().b) : 1, size = parseFloat(style.fontSize) * scale;
		if (phone && size < 11.95) say(size.toFixed(1) + " px", e);
	}
	return [...new Set(bad)].slice(0, 12);
})`

// scheme sets the colors that the reader prefers.
func (b *browser) scheme(name string) {
	b.Helper()
	b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}})
		return err
	}))
}
