package play

import (
	"testing"

	"github.com/assay-chess/assay/tuner/spsa"
)

// A list of parameters gives an error or parameters that can be formatted, and no panic.
func FuzzList(f *testing.F) {
	f.Add([]byte("lmrBase, float, 0.8, 0.2, 2, 0.1, 0.002\n"))
	f.Add([]byte(`{"x": {"value": 3, "min_value": 1, "max_value": 10, "step": 1}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for form, read := range map[ListForm]func([]byte) ([]FileParameter, error){openBench: readOpenBench,
			weatherFactory: readWeatherFactory} {
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
