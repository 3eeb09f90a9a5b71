package figure

import (
	"bytes"
	"image"
	"image/png"
	"math"
	"testing"
)

// decode draws a figure and decodes the image.
func decode(t *testing.T, f *Figure) image.Image {
	t.Helper()
	data, err := f.PNG(300, 200)
	if err != nil {
		t.Fatal(err)
	}
	m, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return m
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
	f.Points("points", x, y, []float64{1, 1, 1})
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
	with.Points("", x, y, []float64{0.5, 0.5})
	without.Points("", x, y, nil)
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
		"not a number": func(f *Figure) { f.Points("", []float64{0}, []float64{math.NaN()}, nil) },
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
