package figure

import (
	"bytes"
	"image"
	"image/png"
	"math"
	"strings"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
)

// decode draws a figure and decodes the image.
func decode(t *testing.T, f *Figure) image.Image {
	t.Helper()
	data := setup.Must(f.PNG(300, 200))
	return setup.Must(png.Decode(bytes.NewReader(data)))
}

// count returns the number of pixels in the color of a series.
func count(m image.Image, series int) (n int) {
	r, g, b, _ := colors[series].RGBA()
	for y := m.Bounds().Min.Y; y < m.Bounds().Max.Y; y++ {
		for x := m.Bounds().Min.X; x < m.Bounds().Max.X; x++ {
			if cr, cg, cb, _ := m.At(x, y).RGBA(); cr == r && cg == g && cb == b {
				n++
			}
		}
	}
	return n
}

func TestEverySeriesIsDrawn(t *testing.T) {
	f := New("title", "x", "y")
	x, y := []float64{0, 1, 2}, []float64{1, 3, 2}
	f.Guide("guide", x, y)
	f.Line("line", x, y)
	f.Points("points", x, y, []float64{0, 2, 1}, []float64{2, 4, 3})
	f.Bars("bars", y)
	f.Names("a", "b", "c")
	m := decode(t, f)
	if got := m.Bounds().Size(); got != image.Pt(600, 400) {
		t.Errorf("%v, want twice 300 by 200", got)
	}
	for i := range 3 {
		if n := count(m, i); n < 50 {
			t.Errorf("series %d has %d pixels", i, n)
		}
	}
	if n := count(m, 3); n != 0 {
		t.Errorf("the color of a series that was not drawn has %d pixels", n)
	}
}

func TestErrorBars(t *testing.T) {
	x, y := []float64{0, 1}, []float64{0, 1}
	with, without := New("", "", ""), New("", "", "")
	with.Points("", x, y, []float64{-0.5, 0.5}, []float64{0.5, 1.5})
	without.Points("", x, y, nil, nil)
	for _, f := range []*Figure{with, without} {
		f.Range(-1, 2)
	}
	if a, b := count(decode(t, with), 0), count(decode(t, without), 0); a <= b+20 {
		t.Errorf("%d pixels with error bars, %d without", a, b)
	}
}

func TestErrors(t *testing.T) {
	for name, draw := range map[string]func(f *Figure){
		"no points":    func(f *Figure) { f.Line("", nil, nil) },
		"not a number": func(f *Figure) { f.Points("", []float64{0}, []float64{math.NaN()}, nil, nil) },
		"one too many": func(f *Figure) { f.Guide("", []float64{0, 1}, []float64{0}) },
		"no bars":      func(f *Figure) { f.Bars("", nil) },
	} {
		f := New("", "", "")
		draw(f)
		f.Line("", []float64{0, 1}, []float64{0, 1})
		if _, err := f.PNG(100, 100); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// An axis begins and ends at a tick, and whole numbers have whole ticks.
func TestTicks(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		fine   bool
		want   string
	}{
		{0, 3, false, "0 1 2 3"},
		{1, 2, false, "1 2"},
		{0, 100, true, "0 20 40 60 80 100"},
		{3, 3870, false, "0 1000 2000 3000 4000"},
		{-80, 100, true, "−100 −50 0 50 100"},
		{0.5802, 0.6011, true, "0.580 0.585 0.590 0.595 0.600 0.605"},
		{5, 5, false, "4 5 6"},
	} {
		f, labels := New("", "", ""), []string{}
		a := &f.plot.Y
		a.Min, a.Max = c.lo, c.hi
		f.fit(a, c.fine, 6)
		ticks := a.Tick.Marker.Ticks(a.Min, a.Max)
		for _, tick := range ticks {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(labels, " "); got != c.want || ticks[0].Value != a.Min || ticks[len(ticks)-1].Value != a.Max {
			t.Errorf("%v to %v: %s from %v to %v, want %s", c.lo, c.hi, got, a.Min, a.Max, c.want)
		}
	}
}

// Names stand beside the ends of their series, from top to bottom and never on each other.
func TestNamesStandApart(t *testing.T) {
	f, x := New("", "", ""), []float64{0, 1}
	for _, name := range []string{"a", "b", "c", "d"} {
		f.Line(name, x, []float64{0, 5})
	}
	f.Line("low", x, []float64{9, 0})
	f.Line("also low", x, []float64{10, 0})
	decode(t, f)
	for i := range f.entries[1:] {
		if gap := f.entries[i].at - f.entries[i+1].at; gap < 12.9 {
			t.Errorf("%s is %v above %s", f.entries[i].name, gap, f.entries[i+1].name)
		}
	}
}
