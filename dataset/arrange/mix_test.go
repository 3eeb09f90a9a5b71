package arrange

import (
	"os"
	"path/filepath"
	"testing"
)

// Whatever is in a file of mixing weights, reading it fails, or there are weights and rows can be multiplied by each.
func FuzzMix(f *testing.F) {
	f.Add([]byte(`{"format":"assay.mix/1","data":{"a":{"name":"x","weight":1.5},"b":{"weight":0}}}`))
	f.Add([]byte(`{"format":"assay.mix/1","data":{"a":{"weight":-1}}}`))
	f.Add([]byte(`{"format":"assay.mix/1","data":{"a":{"weight":1e999}}}`))
	f.Add([]byte(`{"format":"assay.mix/1","data":[]}`))
	f.Add([]byte(`{"format":"assay.mix/1"}`)) // no weights are not a mix that changes nothing
	f.Add([]byte(`{"format":"assay.mix/1","data":{}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "mix.json")
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		m, err := ReadMix(path)
		if err == nil && len(m) == 0 {
			t.Error("a file without weights was read")
		}
		for id := range m {
			if w := m.Of(id); err != nil || !(w >= 0 && w <= 1e6) {
				t.Errorf("the weight of %q is %v, %v", id, w, err)
			}
		}
	})
}
