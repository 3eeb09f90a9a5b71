package ladder

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"unicode/utf8"

	"github.com/assay-chess/assay/engine/quote"
)

// PlotName is the drawing in the folder of a run.
const PlotName = "ladder.svg"

// span returns the lowest and the highest Elo of all intervals that are known.
func (r *Result) span() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for i := range r.Ratings {
		if s := r.Ratings[i].Strength; s.Known() {
			low, high = min(low, float64(s.EloLo)), max(high, float64(s.EloHi))
		}
	}
	if low > high { // nothing is known
		low, high = 0, 0
	}
	if high == low {
		low, high = low-1, high+1
	}
	return low, high
}

// SVG returns a drawing of the ratings and their intervals.
func (r *Result) SVG() []byte {
	const row, left, width, top, right = 24, 330, 520, 40, 110
	low, high := r.span()
	x := func(elo float64) float64 { return left + (elo-low)/(high-low)*width }
	height, all := top+row*len(r.Ratings)+30, left+width+right
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d"`+
		` font-family="sans-serif" font-size="12">`+"\n",
		all, height, all, height)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="#fff"/>`+
		`<text x="10" y="20" font-size="14">Elo with 95 %% intervals, %d games</text>`+"\n", r.Games)
	step := niceStep(high - low)
	for elo := math.Ceil(low/step) * step; elo <= high; elo += step {
		fmt.Fprintf(&b, `<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="#ddd"/>`+
			`<text x="%.1f" y="%d" text-anchor="middle" fill="#666">%g</text>`+"\n",
			x(elo), x(elo), top-8, height-22, x(elo), height-8, elo)
	}
	for i := range r.Ratings {
		p := &r.Ratings[i]
		y := top + row*i + row/2
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text><text x="%d" y="%d" text-anchor="end">%s</text>`+"\n",
			left-12, y+4, html.EscapeString(quote.Text(shortName(p.Name))), all-10, y+4, p.Brief())
		if !p.Known() {
			continue
		}
		fmt.Fprintf(&b, `<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="#36c" stroke-width="3"/>`+
			`<circle cx="%.1f" cy="%d" r="5" fill="#36c"><title>%s: %s</title></circle>`+"\n",
			x(float64(p.EloLo)), x(float64(p.EloHi)), y, y, x(float64(p.Elo)), y, html.EscapeString(quote.Text(p.Name)),
			p.Text(" Elo"))
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// shortName cuts a name to what fits beside the plot.
func shortName(name string) string {
	const most = 48
	if utf8.RuneCountInString(name) <= most {
		return name
	}
	return string([]rune(name)[:most-1]) + "…"
}

// niceStep returns a round number that divides the span into about six parts.
func niceStep(span float64) float64 {
	step := math.Pow(10, math.Floor(math.Log10(span/6)))
	for _, times := range []float64{1, 2, 5, 10} {
		if span/(step*times) <= 8 {
			return step * times
		}
	}
	return step * 10
}
