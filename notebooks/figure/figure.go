// Package figure draws the plots of the notebooks with gonum/plot, as PNG images, which every
// viewer of notebooks can show. It computes nothing and knows nothing about chess. The plots
// in the reports of runs are drawn by cmd/assay/internal/report.
//
// Start reading at New.
package figure

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
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
	plot  *plot.Plot
	drawn int  // number of series, each with its own color, shape and dashes
	cut   bool // the range of the vertical axis is set
	err   error
}

// Series differ in shape and dashes as well as in color. The colors are those of Okabe and
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
		a.Padding, a.Tick.Marker = 4, ticks{}
	}
	p.Legend.TextStyle.Font = sans(9)
	p.Legend.Top, p.Legend.Padding, p.Legend.ThumbnailWidth = true, 3, 24
	grid := plotter.NewGrid()
	grid.Horizontal = draw.LineStyle{Color: color.Gray{Y: 215}, Width: 0.5}
	grid.Vertical = grid.Horizontal
	p.Add(grid)
	return &Figure{plot: p}
}

// ticks are the default ticks without trailing zeros.
type ticks struct{}

func (ticks) Ticks(lo, hi float64) []plot.Tick {
	list := plot.DefaultTicks{}.Ticks(lo, hi)
	for i, t := range list {
		if strings.Contains(t.Label, ".") && !strings.Contains(t.Label, "e") {
			list[i].Label = strings.TrimSuffix(strings.TrimRight(t.Label, "0"), ".")
		}
	}
	return list
}

func sans(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

// LegendBottom moves the legend to the bottom.
func (f *Figure) LegendBottom() { f.plot.Legend.Top = false }

// LegendLeft moves the legend to the left.
func (f *Figure) LegendLeft() { f.plot.Legend.Left = true }

// Range sets the range of the vertical axis.
func (f *Figure) Range(lo, hi float64) { f.plot.Y.Min, f.plot.Y.Max, f.cut = lo, hi, true }

// Names labels 0, 1, 2 ... on the horizontal axis.
func (f *Figure) Names(names ...string) { f.plot.NominalX(names...) }

// Line draws a line through points.
func (f *Figure) Line(name string, x, y []float64) {
	l, err := plotter.NewLine(f.points(x, y))
	if f.fail(err) {
		return
	}
	l.LineStyle = draw.LineStyle{Color: f.color(), Width: 1.6, Dashes: dashes[f.drawn%len(dashes)]}
	f.add(name, l, l)
}

// Points draws points with error bars of the given half-lengths; nil draws none.
func (f *Figure) Points(name string, x, y, errors []float64) {
	xy := f.points(x, y)
	s, err := plotter.NewScatter(xy)
	if f.fail(err) {
		return
	}
	s.GlyphStyle = draw.GlyphStyle{Color: f.color(), Radius: 3.2, Shape: glyphs[f.drawn%len(glyphs)]}
	if errors != nil {
		e := errorPoints{xy, make(plotter.YErrors, len(errors))}
		for i, r := range errors {
			e.YErrors[i].Low, e.YErrors[i].High = r, r
		}
		bars, err := plotter.NewYErrorBars(e)
		if f.fail(err) {
			return
		}
		bars.LineStyle = draw.LineStyle{Color: f.color(), Width: 1.2}
		f.plot.Add(bars)
	}
	f.add(name, s, s)
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
	if name != "" {
		f.plot.Legend.Add(name, l)
	}
}

// Bars draws a bar for each value, at 0, 1, 2 ...
func (f *Figure) Bars(name string, values []float64) {
	b, err := plotter.NewBarChart(plotter.Values(values),
		vg.Length(math.Max(3, math.Min(36, 400/float64(max(1, len(values)))))))
	if f.fail(err) {
		return
	}
	b.Color, b.LineStyle.Width = f.color(), 0
	f.add(name, b, b)
}

func (f *Figure) color() color.Color { return colors[f.drawn%len(colors)] }

func (f *Figure) add(name string, p plot.Plotter, thumb plot.Thumbnailer) {
	f.plot.Add(p)
	if name != "" {
		f.plot.Legend.Add(name, thumb)
	}
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
	if margin := (f.plot.Y.Max - f.plot.Y.Min) / 25; !f.cut {
		f.plot.Y.Min, f.plot.Y.Max, f.cut = f.plot.Y.Min-margin, f.plot.Y.Max+margin, true
	}
	c := vgimg.NewWith(vgimg.UseWH(vg.Length(width), vg.Length(height)), vgimg.UseDPI(144),
		vgimg.UseBackgroundColor(color.White))
	f.plot.Draw(draw.Crop(draw.New(c), 4, -12, 4, -6))
	var b bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: c}).WriteTo(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
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
	}
	return xy
}
