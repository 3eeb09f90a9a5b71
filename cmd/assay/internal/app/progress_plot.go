package app

import (
	"bytes"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/assay-chess/assay/engine/quote"
)

// points are versions with their Elo and intervals, for a plot.
type points struct {
	plotter.XYs
	plotter.YErrors
}

// picture draws the ratings by version, with their intervals, as SVG. Infinite ends are left out.
func (p *progressReport) picture() ([]byte, error) {
	chart := plot.New()
	chart.Title.Text, chart.Y.Label.Text = "Elo by version, with 95 % intervals", "Elo"
	var known points
	var names []plot.Tick
	every := (len(p.Versions) + 29) / 30 // names that there is room for
	for i, v := range p.Versions {
		name := ""
		if i%every == 0 || i == len(p.Versions)-1 {
			name = quote.Text(v.Name)
		}
		names = append(names, plot.Tick{Value: float64(i), Label: name})
		elo, lo, hi := float64(v.Elo), float64(v.EloLo), float64(v.EloHi)
		if math.IsInf(hi-lo, 0) || math.IsNaN(hi-lo) {
			continue
		}
		known.XYs = append(known.XYs, plotter.XY{X: float64(i), Y: elo})
		known.YErrors = append(known.YErrors, struct{ Low, High float64 }{elo - lo, hi - elo})
	}
	blue := color.RGBA{R: 0x33, G: 0x66, B: 0xcc, A: 255}
	if len(known.XYs) > 0 {
		line, dots, err := plotter.NewLinePoints(known.XYs)
		if err != nil {
			return nil, err
		}
		bars, err := plotter.NewYErrorBars(known)
		if err != nil {
			return nil, err
		}
		line.Color, dots.Color, bars.Color = blue, blue, blue
		bars.Width, line.Width = vg.Points(1.5), vg.Points(0.7)
		dots.Radius = vg.Points(3)
		chart.Add(plotter.NewGrid(), line, bars, dots)
	}
	chart.X.Tick.Marker = plot.ConstantTicks(names)
	chart.X.Tick.Label.Rotation, chart.X.Tick.Label.XAlign, chart.X.Tick.Label.YAlign = math.Pi/4, -1, -0.5
	chart.X.Min, chart.X.Max = -0.5, float64(len(p.Versions))-0.5
	width := min(4*vg.Inch+vg.Length(len(p.Versions))*0.4*vg.Inch, 14*vg.Inch)
	picture, err := chart.WriterTo(width, 4.5*vg.Inch, "svg")
	var b bytes.Buffer
	if err == nil {
		_, err = picture.WriteTo(&b)
	}
	return b.Bytes(), err
}
