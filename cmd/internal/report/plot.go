package report

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"html/template"
	"image/color"
	"math"
	"regexp"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/assay-chess/assay/engine/quote"
)

// figure is a plot with a table of its numbers, for screen readers and for people who want
// the digits.
type figure struct {
	Title, Note string
	SVG, Broad  template.HTML // the page shows Broad, if there is one, where it has room for it
	Header      []string
	Rows        [][]string
	frame       frame
}

// frame is the size of a plot and of its letters. On a page a plot is as wide as its column:
// onPage down to 340 pixels, broad down to 536, where its letters must still have 12.
type frame struct{ width, height, letters vg.Length }

var (
	onPage = frame{360, 230, 13}
	broad  = frame{560, 250, 13}
	alone  = frame{520, 250, 10} // as a file, for a text
)

// draw draws the plot in the figure's frame; without one as a narrow and as a broad page shows it.
func (f *figure) draw(p *plot.Plot, at frame, entries int) {
	f.SVG = svg(p, f.Title, at, entries)
	if f.frame == (frame{}) {
		wide := broad
		if at.height != onPage.height {
			wide.height = at.height
		}
		f.Broad = svg(p, f.Title, wide, entries)
	}
}

// series is a line or a set of points, with or without intervals.
type series struct {
	name   string
	x, y   []float64
	lo, hi []float64 // intervals of y; nil for none
	line   bool      // joined by a line
	starts []int     // indices at which a line of its own begins, beside the first
	points bool
	guide  bool // a thin dashed line to compare with, without a color of its own
}

// level is a guide at the height y.
func level(name string, y, from, to float64) series {
	return series{name: name, x: []float64{from, to}, y: []float64{y, y}, guide: true}
}

// ink returns a placeholder in the SVG for a color that the stylesheet chooses: #aa000N for
// color N.
func ink(n int) color.Color { return color.RGBA{R: 0xaa, B: uint8(n), A: 255} }

const (
	inkText  = 0
	inkGuide = 9
	inks     = 6 // colors 1 to 6; series also differ by dashes and shapes
)

var (
	dashes = [][]vg.Length{nil, {6, 3}, {2, 2}, {8, 3, 2, 3}, {12, 3}, {4, 6}}
	glyphs = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.RingGlyph{},
		draw.CrossGlyph{}, draw.PlusGlyph{}}
)

// newPlot returns an empty plot in the report's style.
func newPlot(xLabel, yLabel string, letters vg.Length) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = color.Transparent
	p.X.Label.Text, p.Y.Label.Text = plain(xLabel), plain(yLabel)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.LineStyle.Color, a.Tick.LineStyle.Color = ink(inkText), ink(inkText)
		for _, t := range []*draw.TextStyle{&a.Label.TextStyle, &a.Tick.Label} {
			t.Color = ink(inkText)
			t.Font = font.Font{Typeface: "Liberation", Variant: "Sans", Size: letters}
		}
		a.Padding = 4
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = ticks{}, ticks{}
	p.Legend.TextStyle.Color = ink(inkText)
	p.Legend.TextStyle.Font = font.Font{Typeface: "Liberation", Variant: "Sans", Size: letters}
	// Thumbnails to the left: a browser's letters may be wider than those measured here.
	p.Legend.Top, p.Legend.Left, p.Legend.ThumbnailWidth, p.Legend.Padding = true, true, 28, 4
	grid := plotter.NewGrid()
	grid.Horizontal = draw.LineStyle{Color: ink(inkGuide), Width: 0.4}
	grid.Vertical = grid.Horizontal
	p.Add(grid)
	return p
}

// ticks are one, two or five times a power of ten apart.
type ticks struct{ whole bool }

func (t ticks) Ticks(lo, hi float64) (list []plot.Tick) {
	const most, rounding = 6, 1e-9
	step := math.Pow(10, math.Floor(math.Log10((hi-lo)/most)))
	for _, times := range []float64{2, 2.5, 2} {
		if (hi-lo)/step > most {
			step *= times
		}
	}
	if t.whole {
		step = math.Max(1, step)
	}
	digits := int(math.Max(0, math.Ceil(-math.Log10(step)-rounding)))
	first := math.Ceil(lo/step - rounding)
	for i := 0.0; i <= most && first+i <= hi/step+rounding; i++ { // first+1 is first where lo and hi are almost equal
		v := (first+i)*step + 0 // not -0
		list = append(list, plot.Tick{Value: v, Label: fmt.Sprintf("%.*f", digits, v)})
	}
	return list
}

// chart draws series over x.
func chart(f figure, xLabel, yLabel string, list ...series) figure {
	p := newPlot(xLabel, yLabel, onPage.letters)
	n, names := 0, 0
	for _, s := range list {
		if s.name != "" && len(s.x) > 0 {
			names++
		}
		s.addTo(p, n)
		if !s.guide {
			n++
		}
	}
	if slices.ContainsFunc(list, func(s series) bool { return s.points }) {
		widen(&p.X)
		widen(&p.Y)
	}
	if slices.Contains([]string{"generation", "iteration", "step", "games"}, xLabel) {
		p.X.Tick.Marker = ticks{whole: true}
	}
	f.draw(p, onPage, names)
	if f.Header == nil {
		f.numbers(xLabel, list)
	}
	return f
}

// widen makes room at the ends of an axis, so that no point is cut in half.
func widen(a *plot.Axis) {
	room := 0.04 * (a.Max - a.Min)
	a.Min, a.Max = a.Min-room, a.Max+room
}

// numbers fills the table below the plot.
func (f *figure) numbers(xLabel string, list []series) {
	const maxRows = 60
	f.Header = []string{"series", xLabel, "value", "interval"}
	for _, s := range list {
		if s.guide {
			continue
		}
		step := max(1, (len(s.x)+maxRows-1)/maxRows)
		for i := range s.x {
			if i%step != 0 && i != len(s.x)-1 {
				continue
			}
			row := []string{s.name, short(s.x[i]), short(s.y[i]), ""}
			if s.lo != nil && !math.IsNaN(s.lo[i]) {
				row[3] = short(s.lo[i]) + " to " + short(s.hi[i])
			}
			f.Rows = append(f.Rows, row)
		}
	}
}

func (s *series) addTo(p *plot.Plot, n int) {
	if len(s.x) == 0 {
		return
	}
	xy := make(plotter.XYs, len(s.x))
	for i := range xy {
		xy[i] = plotter.XY{X: s.x[i], Y: finite(s.y[i])}
	}
	c, thumbs := ink(1+n%inks), []plot.Thumbnailer(nil)
	if s.line || s.guide {
		from := 0
		for _, to := range append(slices.Clone(s.starts), len(xy)) {
			l, err := plotter.NewLine(xy[from:to])
			if from = to; err != nil { // no points
				continue
			}
			l.LineStyle = draw.LineStyle{Color: c, Width: 1.6, Dashes: dashes[n%len(dashes)]}
			if s.guide {
				l.LineStyle = draw.LineStyle{Color: ink(inkText), Width: 0.8, Dashes: []vg.Length{3, 3}}
			}
			p.Add(l)
			thumbs = []plot.Thumbnailer{l}
		}
	}
	if s.points {
		if sc, err := plotter.NewScatter(xy); err == nil {
			sc.GlyphStyle = draw.GlyphStyle{Color: c, Radius: 3, Shape: glyphs[n%len(glyphs)]}
			p.Add(sc)
			thumbs = append(thumbs, sc)
		}
	}
	if s.lo != nil {
		s.addIntervals(p, xy, c)
	}
	if s.name != "" && len(thumbs) > 0 {
		p.Legend.Add(plain(s.name), thumbs...)
	}
}

// addIntervals draws whiskers, or the two edges of a band if there are many points.
func (s *series) addIntervals(p *plot.Plot, xy plotter.XYs, c color.Color) {
	if len(xy) > 40 {
		for _, edge := range [][]float64{s.lo, s.hi} {
			var line plotter.XYs
			for i, y := range edge {
				if !math.IsInf(y, 0) {
					line = append(line, plotter.XY{X: s.x[i], Y: finite(y)})
				}
			}
			if l, err := plotter.NewLine(line); err == nil {
				l.LineStyle = draw.LineStyle{Color: c, Width: 0.8, Dashes: []vg.Length{2, 2}}
				p.Add(l)
			}
		}
		return
	}
	e := plotutil.ErrorPoints{XYs: xy, YErrors: make(plotter.YErrors, len(xy))}
	for i := range xy {
		low, high := xy[i].Y-s.lo[i], s.hi[i]-xy[i].Y
		e.YErrors[i].Low, e.YErrors[i].High = finite(low), finite(high)
		if math.IsInf(high, 1) {
			p.Add(openEnd{xy[i], finite(low), c})
		}
		if math.IsInf(low, 1) {
			p.Add(openEnd{xy[i], -finite(high), c})
		}
	}
	if bars, err := plotter.NewYErrorBars(e); err == nil {
		bars.LineStyle = draw.LineStyle{Color: c, Width: 1}
		p.Add(bars)
	}
}

// openEnd is an interval without an end: an arrow from a point, as long as the other half of the interval.
type openEnd struct {
	plotter.XY
	length float64 // below zero: down
	color  color.Color
}

// DataRange makes room for the arrow.
func (o openEnd) DataRange() (x0, x1, y0, y1 float64) {
	return o.X, o.X, min(o.Y, o.Y+o.length), max(o.Y, o.Y+o.length)
}

// Plot draws the arrow.
func (o openEnd) Plot(c draw.Canvas, p *plot.Plot) {
	const wing = 4
	x, y := p.Transforms(&c)
	from, to, back := y(o.Y), y(o.Y+o.length), vg.Length(math.Copysign(wing, -o.length))
	c.StrokeLines(draw.LineStyle{Color: o.color, Width: 1}, []vg.Point{{X: x(o.X), Y: from}, {X: x(o.X), Y: to}},
		[]vg.Point{{X: x(o.X) - wing, Y: to + back}, {X: x(o.X), Y: to}, {X: x(o.X) + wing, Y: to + back}})
}

// bars draws a value for each label: words on the left, one below the other, numbers below.
func bars(f figure, valueLabel string, labels []string, values []float64) figure {
	at, lying := onPage, len(labels) <= 8
	axes := [2]string{"", valueLabel}
	if lying {
		axes = [2]string{valueLabel, ""}
		at.height = vg.Length(50 + 26*len(labels))
	}
	p := newPlot(axes[0], axes[1], at.letters)
	width := vg.Points(min(18, 260/float64(max(1, len(values)))))
	list := slices.Clone(values)
	if lying {
		slices.Reverse(list) // the first on top
	}
	b, err := plotter.NewBarChart(plotter.Values(list), width)
	if err != nil {
		return f
	}
	b.Horizontal = lying
	b.Color, b.LineStyle.Color, b.LineStyle.Width = ink(1), ink(inkText), 0.5
	p.Add(b)
	var marks []plot.Tick
	if lying {
		p.X.Min, p.X.Tick.Marker = min(0, p.X.Min), ticks{whole: true}
		for i, l := range labels {
			marks = append(marks, plot.Tick{Value: float64(len(labels) - 1 - i), Label: label(l)})
		}
		p.Y.Tick.Marker = plot.ConstantTicks(marks)
	} else {
		p.Y.Min, p.Y.Tick.Marker = min(0, p.Y.Min), ticks{whole: true}
		for i := 0; i < len(labels); i += (len(labels) + 7) / 8 {
			marks = append(marks, plot.Tick{Value: float64(i), Label: label(labels[i])})
		}
		p.X.Tick.Marker = plot.ConstantTicks(marks)
	}
	f.draw(p, at, 0)
	f.Header = []string{"", valueLabel}
	for i, l := range labels {
		f.Rows = append(f.Rows, []string{l, short(values[i])})
	}
	return f
}

// label is a name at the edge of a plot. A long one loses its middle: names of players and
// terms often begin alike.
func label(s string) string {
	const most = 24
	r := []rune(plain(s))
	if len(r) <= most {
		return string(r)
	}
	return string(r[:most/2]) + "…" + string(r[len(r)-most/2+1:])
}

// estimate is a named value with its interval.
type estimate struct {
	name          string
	value, lo, hi float64
}

// forest draws estimates one below the other, the first on top.
func forest(f figure, xLabel string, list []estimate) figure {
	n := len(list)
	at := cmp.Or(f.frame, onPage)
	at.height = vg.Length(60 + 22*n)
	p := newPlot(xLabel, "", at.letters)
	xy := make(plotter.XYs, n)
	e := plotutil.ErrorPoints{XYs: xy, XErrors: make(plotter.XErrors, n)}
	ticks := make([]plot.Tick, n)
	f.Header = []string{"", "value", "95 % interval"}
	for i, v := range list {
		y := float64(n - 1 - i)
		xy[i] = plotter.XY{X: finite(v.value), Y: y}
		e.XErrors[i].Low, e.XErrors[i].High = finite(v.value-v.lo), finite(v.hi-v.value)
		ticks[i] = plot.Tick{Value: y, Label: label(v.name)}
		f.Rows = append(f.Rows, []string{v.name, short(v.value), short(v.lo) + " to " + short(v.hi)})
	}
	if b, err := plotter.NewXErrorBars(e); err == nil {
		b.LineStyle = draw.LineStyle{Color: ink(1), Width: 1.4}
		p.Add(b)
	}
	if sc, err := plotter.NewScatter(xy); err == nil {
		sc.GlyphStyle = draw.GlyphStyle{Color: ink(1), Radius: 3.4, Shape: glyphs[0]}
		p.Add(sc)
	}
	p.Y.Tick.Marker = plot.ConstantTicks(ticks)
	if n == 0 {
		p.X.Min, p.X.Max = -1, 1
	}
	widen(&p.X)
	p.Y.Min, p.Y.Max = -0.6, float64(n)-0.4
	f.draw(p, at, 0)
	return f
}

// svg draws a plot as an element of a page, without fixed size and colors, and with a
// label. The legend with its entries is above the plot, where it hides nothing.
func svg(p *plot.Plot, title string, at frame, entries int) template.HTML {
	const margin = 16
	entry := at.letters + 3
	above := entry*vg.Length(entries) + 8
	width, height := at.width, at.height+above
	c := vgsvg.New(width, height)
	whole := draw.New(c)
	p.Legend.Draw(draw.Crop(whole, 0, -margin, 0, -2))
	legend := p.Legend
	p.Legend = plot.NewLegend()
	p.Draw(draw.Crop(whole, 4, -margin, 0, -above))
	p.Legend = legend
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return ""
	}
	text := b.String()
	_, text, _ = strings.Cut(text, "<svg")
	_, text, _ = strings.Cut(text, ">")
	pairs := []string{
		"#AA0000", "var(--ink)", "#AA0009", "var(--grid)",
		"font-family:Liberation Sans;", "", ";font-variant:none;font-weight:normal;font-style:normal", "",
	}
	for i := 1; i <= inks; i++ {
		hex, name := fmt.Sprintf("#AA%04X", i), fmt.Sprintf("var(--c%d)", i)
		// Hollow points are drawn so thin that they are hard to see.
		pairs = append(pairs, hex+";stroke-width:0.5", name+";stroke-width:1.3", hex, name)
	}
	text = strings.NewReplacer(pairs...).Replace(text)
	text = svgText.ReplaceAllStringFunc(text, func(t string) string { return stretched(t, at.letters) })
	return template.HTML(fmt.Sprintf(`<svg class="plot" role="img" aria-label="%s" viewBox="0 0 %g %g">`,
		template.HTMLEscapeString(plain(title)), width.Points(), height.Points()) + text)
}

var svgText = regexp.MustCompile(`<text ([^>]*)>([^<]+)</text>`)

// stretched makes a text as wide as it was when the plot was laid out: a browser may lack
// the font, and wider letters would run into the axes.
func stretched(element string, letters vg.Length) string {
	m := svgText.FindStringSubmatch(element)
	face := font.DefaultCache.Lookup(font.Font{Typeface: "Liberation", Variant: "Sans"}, letters)
	wide := face.Width(html.UnescapeString(m[2])).Points()
	return fmt.Sprintf(`<text textLength="%.1f" lengthAdjust="spacingAndGlyphs" %s>%s</text>`, wide, m[1], m[2])
}

// finite replaces NaN and infinities, at which plots panic, by 0.
func finite(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return v
}

// plain makes one harmless line of text that others wrote.
func plain(s string) string { return quote.Text(shorten(s, 200)) }

// shorten cuts text to a number of characters, and marks the cut with an ellipsis.
func shorten(s string, most int) string {
	n := 0
	for i := range s {
		if n++; n > most {
			return strings.ToValidUTF8(s[:i], "\uFFFD") + "…"
		}
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// short formats a number with about four digits.
func short(v float64) string {
	switch a := math.Abs(v); {
	case math.IsInf(a, 1):
		return strings.Replace(fmt.Sprintf("%.0f", v), "Inf", "∞", 1)
	case v == math.Trunc(v) && a < 1e9:
		return fmt.Sprintf("%.0f", v)
	case a >= 100:
		return fmt.Sprintf("%.1f", v)
	case a >= 1:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.5f", v)
}
