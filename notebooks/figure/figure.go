// Package figure draws the plots of the notebooks with gonum/plot, as PNG images, which every
// viewer of notebooks can show. It computes nothing and knows nothing about chess. The plots
// in the reports of runs are drawn by cmd/internal/report.
//
// Start reading at New.
package figure

import (
	"bytes"
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// Figure is a plot to which series are added. PNG returns the first error of any method.
type Figure struct {
	plot    *plot.Plot
	drawn   int     // number of series, each with its own color, shape and dashes
	cut     bool    // the range of the vertical axis is set
	named   bool    // the horizontal axis has names
	fine    [2]bool // an axis, x or y, has values that are not whole
	entries []entry
	err     error
}

// entry is the name of a series, to be drawn beside its end.
type entry struct {
	name  string
	end   float64 // y of its last point
	thumb plot.Thumbnailer
	at    vg.Length
}

// Series differ in shape and dashes as well as in color. The colors are from Okabe and
// Ito (2008), which color-blind people can distinguish.
var (
	colors = []color.Color{color.RGBA{0, 114, 178, 255}, color.RGBA{213, 94, 0, 255}, color.RGBA{0, 158, 115, 255},
		color.RGBA{204, 121, 167, 255}, color.RGBA{120, 94, 0, 255}}
	dashes = [][]vg.Length{nil, {6, 3}, {2, 2}, {8, 3, 2, 3}, {12, 3}}
	glyphs = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.RingGlyph{},
		draw.CrossGlyph{}}
	gray = color.Gray{Y: 110}
)

// New returns an empty figure with a title and labels of the axes.
func New(title, xLabel, yLabel string) *Figure {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, xLabel, yLabel
	p.Title.TextStyle.Font = sans(12)
	p.Title.Padding = 8
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font, a.Tick.Label.Font = sans(10), sans(9)
		a.Padding = 0
	}
	grid := plotter.NewGrid()
	grid.Horizontal = draw.LineStyle{Color: color.Gray{Y: 215}, Width: 0.5}
	grid.Vertical = grid.Horizontal
	p.Add(grid)
	return &Figure{plot: p}
}

// fit lets an axis begin and end at a tick. Ticks are one, two or five times a power of ten apart.
func (f *Figure) fit(a *plot.Axis, fine bool, most float64) {
	if !(a.Max > a.Min) {
		a.Min, a.Max = a.Min-1, a.Max+1
	}
	step := math.Pow(10, math.Floor(math.Log10((a.Max-a.Min)/most)))
	for _, times := range []float64{2, 2.5, 2} { // 1, 2, 5, 10
		if (a.Max-a.Min)/step > most {
			step *= times
		}
	}
	if !fine {
		step = math.Max(1, step)
	}
	const rounding = 1e-9
	a.Min, a.Max = step*math.Floor(a.Min/step+rounding), step*math.Ceil(a.Max/step-rounding)
	var list plot.ConstantTicks
	digits := int(math.Max(0, math.Ceil(-math.Log10(step)-rounding)))
	for i := range int(math.Round((a.Max-a.Min)/step)) + 1 {
		v := a.Min + float64(i)*step
		list = append(list, plot.Tick{Value: v, Label: strings.Replace(fmt.Sprintf("%.*f", digits, v+0), "-", "−", 1)})
	}
	a.Tick.Marker = list
}

func sans(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

// Range sets the range of the vertical axis.
func (f *Figure) Range(lo, hi float64) { f.plot.Y.Min, f.plot.Y.Max, f.cut = lo, hi, true }

// Names labels 0, 1, 2 ... on the horizontal axis, aslant if the names are long.
func (f *Figure) Names(names ...string) {
	f.plot.NominalX(names...)
	f.plot.X.Padding = 0
	f.plot.X.Min, f.plot.X.Max, f.named = -0.6, float64(len(names))-0.4, true
	if len(strings.Join(names, "   ")) > 100 {
		t := &f.plot.X.Tick.Label
		t.Rotation, t.XAlign, t.YAlign = math.Pi/4, draw.XRight, draw.YCenter
	}
}

// Band fills the interval from lo to hi around the line that is drawn next, in its color.
func (f *Figure) Band(name string, x, lo, hi []float64) {
	edge := append(f.points(x, lo), reversed(f.points(x, hi))...)
	b, err := plotter.NewPolygon(edge)
	if f.fail(err) {
		return
	}
	c := f.color().(color.RGBA)
	b.Color, b.LineStyle.Width = color.NRGBA{c.R, c.G, c.B, 45}, 0
	f.plot.Add(b)
	f.entries = append(f.entries, entry{name: name, end: hi[len(hi)-1], thumb: b})
}

func reversed(xy plotter.XYs) plotter.XYs {
	slices.Reverse(xy)
	return xy
}

// Line draws a line through points.
func (f *Figure) Line(name string, x, y []float64) {
	l, err := plotter.NewLine(f.points(x, y))
	if f.fail(err) {
		return
	}
	l.LineStyle = draw.LineStyle{Color: f.color(), Width: 1.6, Dashes: dashes[f.drawn%len(dashes)]}
	f.add(entry{name: name, end: y[len(y)-1], thumb: l}, l)
}

// Points draws points with intervals from lo to hi; nil draws none.
func (f *Figure) Points(name string, x, y, lo, hi []float64) {
	xy := f.points(x, y)
	s, err := plotter.NewScatter(xy)
	if f.fail(err) {
		return
	}
	s.GlyphStyle = draw.GlyphStyle{Color: f.color(), Radius: 3.2, Shape: glyphs[f.drawn%len(glyphs)]}
	if lo != nil {
		e := errorPoints{xy, make(plotter.YErrors, len(lo))}
		for i := range lo {
			e.YErrors[i].Low, e.YErrors[i].High = y[i]-lo[i], hi[i]-y[i]
		}
		bars, err := plotter.NewYErrorBars(e)
		if f.fail(err) {
			return
		}
		bars.LineStyle = draw.LineStyle{Color: f.color(), Width: 1.2}
		f.plot.Add(bars)
	}
	f.add(entry{name: name, end: y[len(y)-1], thumb: s}, s)
}

type errorPoints struct {
	plotter.XYs
	plotter.YErrors
}

// Guide draws a thin gray reference line.
func (f *Figure) Guide(name string, x, y []float64) {
	l, err := plotter.NewLine(f.points(x, y))
	if f.fail(err) {
		return
	}
	l.LineStyle = draw.LineStyle{Color: gray, Width: 1, Dashes: []vg.Length{4, 3}}
	f.plot.Add(l)
	f.entries = append(f.entries, entry{name: name, end: y[len(y)-1], thumb: l})
}

// Bars draws a bar for each value, at 0, 1, 2 ...
func (f *Figure) Bars(name string, values []float64) {
	b, err := plotter.NewBarChart(plotter.Values(values),
		vg.Length(math.Max(3, math.Min(36, 400/float64(max(1, len(values)))))))
	if f.fail(err) {
		return
	}
	b.Color, b.LineStyle.Width = f.color(), 0
	f.plot.Y.Min = math.Min(0, f.plot.Y.Min)
	f.add(entry{name: name, end: values[len(values)-1], thumb: b}, b)
}

func (f *Figure) color() color.Color { return colors[f.drawn%len(colors)] }

func (f *Figure) add(e entry, p plot.Plotter) {
	f.plot.Add(p)
	f.entries = append(f.entries, e)
	f.drawn++
}

func (f *Figure) fail(err error) bool {
	if f.err == nil {
		f.err = err
	}
	return f.err != nil
}

// PNG returns the figure as a PNG image. Sizes are in 1/72 inch, at two pixels each.
func (f *Figure) PNG(width, height float64) ([]byte, error) {
	if f.err != nil {
		return nil, f.err
	}
	if !f.named {
		f.fit(&f.plot.X, f.fine[0], 8)
	}
	f.fit(&f.plot.Y, f.fine[1] || f.cut, 6)
	c := vgimg.NewWith(vgimg.UseWH(vg.Length(width), vg.Length(height)), vgimg.UseDPI(144),
		vgimg.UseBackgroundColor(color.White))
	whole := draw.New(c)
	f.entries = slices.DeleteFunc(f.entries, func(e entry) bool { return e.name == "" })
	style := draw.TextStyle{Color: color.Black, Font: sans(9), YAlign: draw.YCenter, Handler: plot.DefaultTextHandler}
	margin := vg.Length(0)
	for _, e := range f.entries {
		margin = max(margin, style.Width(e.name)+thumbWidth+22)
	}
	inner := draw.Crop(whole, 4, -max(margin, 12), 4, -6)
	f.plot.Draw(inner)
	f.place(f.plot.DataCanvas(inner))
	for _, e := range f.entries {
		left := inner.Max.X + 14
		thumb := draw.Canvas{Canvas: c, Rectangle: vg.Rectangle{Min: vg.Point{X: left, Y: e.at - 4},
			Max: vg.Point{X: left + thumbWidth, Y: e.at + 4}}}
		e.thumb.Thumbnail(&thumb)
		whole.FillText(style, vg.Point{X: left + thumbWidth + 4, Y: e.at}, e.name)
	}
	var b bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: c}).WriteTo(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

const thumbWidth = vg.Length(18)

// place gives each name the height of its series' end, or one near it that is free.
func (f *Figure) place(data draw.Canvas) {
	const apart = vg.Length(13)
	_, y := f.plot.Transforms(&data)
	slices.SortStableFunc(f.entries, func(a, b entry) int { return cmp.Compare(b.end, a.end) })
	top := data.Max.Y
	for i := range f.entries {
		e := &f.entries[i]
		e.at = min(y(e.end), top)
		top = e.at - apart
	}
	bottom := data.Min.Y
	for i := len(f.entries) - 1; i >= 0; i-- {
		f.entries[i].at = max(f.entries[i].at, bottom)
		bottom = f.entries[i].at + apart
	}
}

// points combines coordinates. If their numbers differ it sets the error and returns nil.
func (f *Figure) points(x, y []float64) plotter.XYs {
	if len(x) != len(y) || len(x) == 0 {
		f.fail(fmt.Errorf("figure: %d x and %d y values: want equal numbers, at least one", len(x), len(y)))
		return nil
	}
	xy := make(plotter.XYs, len(x))
	for i := range xy {
		xy[i] = plotter.XY{X: x[i], Y: y[i]}
		f.fine[0], f.fine[1] = f.fine[0] || x[i] != math.Trunc(x[i]), f.fine[1] || y[i] != math.Trunc(y[i])
	}
	return xy
}
