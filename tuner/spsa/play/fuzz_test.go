package play

import "testing"

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
