package play

import (
	"testing"

	"github.com/assay-chess/assay/tuner/spsa"
)

// Whatever a configuration says, reading it gives an error or a Config, and no panic.
func FuzzFile(f *testing.F) {
	const parameter = "[[parameter]]\nname = \"queen\"\nstart = 500\nmin = 100\nmax = 2000\n"
	f.Add([]byte("player = \"assay\"\niterations = 20\npairs = 2\nnodes = 30\nseed = 1\n"+parameter), true)
	f.Add([]byte("player = \"assay\"\nwin_score = -1\ntc = \"1+0.01\"\n"+parameter+parameter), true)
	f.Add([]byte(`{"player": "assay", "iterations": 21, "nodes": 30, "parameter": [{"name": "queen", "start": 500, "min": 100, "max": 2000, "c_end": 120, "r_end": 0.02}]}`), false)
	f.Fuzz(func(t *testing.T, data []byte, isTOML bool) {
		file := &File{}
		decode := decodeJSON
		if isTOML {
			decode = decodeTOML
		}
		if decode(data, file) == nil {
			_, _ = file.Config() // an error is fine
		}
	})
}

// A list of parameters gives an error or parameters that can be formatted, and no panic.
func FuzzList(f *testing.F) {
	f.Add([]byte("lmrBase, float, 0.8, 0.2, 2, 0.1, 0.002\n"))
	f.Add([]byte(`{"x": {"value": 3, "min_value": 1, "max_value": 10, "step": 1}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for form, read := range map[ListForm]func([]byte) ([]FileParameter, error){OpenBench: readOpenBench, WeatherFactory: readWeatherFactory} {
			list, err := read(data)
			for i := range list {
				if p, perr := list[i].checked(); err == nil && perr == nil {
					form.Format([]spsa.Parameter{p}, []float64{p.Start})
				} else if err == nil {
					t.Errorf("%+v: %v", list[i], perr)
				}
			}
		}
	})
}
