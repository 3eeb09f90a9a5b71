package dataset

import (
	"encoding/json"
	"fmt"
	"github.com/apache/arrow/go/v15/arrow"
	"slices"
)

// featuresCodec encodes and decodes assay.features/1 of one set of terms.
type featuresCodec struct {
	fields[FeatureRow]
	set FeatureSet
	sch *arrow.Schema
}

func newFeaturesCodec(set FeatureSet) (*featuresCodec, error) {
	if err := set.Check(); err != nil {
		return nil, fmt.Errorf("dataset: features of %s: %w", set.Model, err)
	}
	terms, err := json.Marshal(set.Terms)
	if err != nil {
		return nil, fmt.Errorf("dataset: features of %s: %w", set.Model, err)
	}
	counts := list("count", nil, int8Counts, setInt8Counts)
	if set.Float {
		counts = list("count", nil, func(f *FeatureRow) []float32 { return f.Counts }, func(f *FeatureRow, v []float32) { f.Counts = append([]float32(nil), v...) })
	}
	f := &featuresCodec{set: set, fields: fields[FeatureRow]{
		list("term", nil, func(f *FeatureRow) []uint16 { return f.Terms }, func(f *FeatureRow, v []uint16) { f.Terms = append([]uint16(nil), v...) }),
		counts,
		plain("phase", func(f *FeatureRow) *float32 { return &f.Phase }),
		plain("scale", func(f *FeatureRow) *float32 { return &f.Scale }),
		plain("offset", func(f *FeatureRow) *float32 { return &f.Offset }),
		optional("eval", NoScore, func(f *FeatureRow) *int16 { return &f.Eval }),
		optional("score", NoScore, func(f *FeatureRow) *int16 { return &f.Score }),
		plain("result", func(f *FeatureRow) *float32 { return &f.Result }),
		optional("game", 0, func(f *FeatureRow) *uint64 { return &f.Game }),
		optional("opening", 0, func(f *FeatureRow) *uint64 { return &f.Opening }),
		plain("weight", func(f *FeatureRow) *float32 { return &f.Weight }),
	}}
	f.sch = f.fields.schema(metaFormat, FeaturesFormat, metaUnits, unitsText, metaModel, set.Model, metaTerms, string(terms))
	return f, nil
}

func int8Counts(f *FeatureRow) []int8 {
	counts := make([]int8, len(f.Counts))
	for i, c := range f.Counts {
		counts[i] = int8(c)
	}
	return counts
}

func setInt8Counts(f *FeatureRow, counts []int8) {
	f.Counts = slices.Grow([]float32(nil), len(counts)) // nil where there are none, as Terms
	for _, c := range counts {
		f.Counts = append(f.Counts, float32(c))
	}
}

func (f *featuresCodec) layout() layout        { return featuresLayout }
func (f *featuresCodec) schema() *arrow.Schema { return f.sch }

func (f *featuresCodec) check(r *FeatureRow) error {
	if err := r.check(len(f.set.Terms)); err != nil {
		return err
	}
	return f.set.checkCounts(r)
}

func (f *featuresCodec) bind(c *columns) func(int, *FeatureRow) error {
	read := f.fields.bind(c)
	return func(i int, r *FeatureRow) error {
		read(i, r)
		return r.check(len(f.set.Terms))
	}
}
