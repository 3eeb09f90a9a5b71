package arrange

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/assay-chess/assay/dataset/durable"
)

// mixFormat begins a file of mixing weights.
const mixFormat = "assay.mix/1"

// Mix is what multiplies the weights of the rows of each data set, by the id of the set.
type Mix map[string]Mixed

// Mixed is the entry of a data set in a Mix.
type Mixed struct {
	Name   string  `json:"name"` // for people
	Weight float64 `json:"weight"`
}

// mixFile is a file of mixing weights.
type mixFile struct {
	Format string `json:"format"`
	Data   Mix    `json:"data"`
}

// ReadMix reads a file of mixing weights.
func ReadMix(path string) (Mix, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var f mixFile
	if err := json.Unmarshal(text, &f); err != nil || f.Format != mixFormat || len(f.Data) == 0 {
		return nil, fmt.Errorf("%s is no file of mixing weights, or has none: assay data value DATA... --out FILE writes one", path)
	}
	for _, x := range f.Data {
		if !(x.Weight >= 0 && x.Weight < 1e6) {
			return nil, fmt.Errorf("%s: the weight of %s is %v: want a number from 0", path, x.Name, x.Weight)
		}
	}
	return f.Data, nil
}

// Write writes a file of mixing weights.
func (m Mix) Write(path string) error { return durable.WriteJSON(path, mixFile{mixFormat, m}) }

// Of returns the weight of a data set; 1 if there is no mix.
func (m Mix) Of(id string) float32 {
	if x, known := m[id]; known {
		return float32(x.Weight)
	}
	return 1
}

// Check returns an error if a data set has no weight in the mix.
func (m Mix) Check(paths, ids []string) error {
	for i, id := range ids {
		if _, known := m[id]; m != nil && !known {
			return fmt.Errorf("no weight for %s: run assay data value on the same data", paths[i])
		}
	}
	return nil
}
