package dataset

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// newFeaturesCodec returns the codec of the features of one set of terms.
func newFeaturesCodec(set FeatureSet) (*codec[FeatureRow], error) {
	if err := set.Check(); err != nil {
		return nil, fmt.Errorf("dataset: features of %s: %w", set.Model, err)
	}
	fields := []field[FeatureRow]{
		copied("term", nil, func(f *FeatureRow) *[]uint16 { return &f.Terms }),
		copied("count", nil, func(f *FeatureRow) *[]float32 { return &f.Counts }),
	}
	if !set.Float {
		fields[1] = list("count", nil, int8Counts, setInt8Counts)
	}
	add := func(f ...field[FeatureRow]) { fields = append(fields, f...) }
	if set.BySide {
		add(copied("eg_count", nil, func(f *FeatureRow) *[]float32 { return &f.EGCounts }))
	}
	add(plain("phase", func(f *FeatureRow) *float32 { return &f.Phase }),
		plain("scale", func(f *FeatureRow) *float32 { return &f.Scale }))
	offset := plain("offset", func(f *FeatureRow) *float32 { return &f.Offset })
	if set.Version < 2 {
		add(offset, int16Eval())
	} else {
		add(plain("eg_scale", func(f *FeatureRow) *float32 { return &f.EGScale }), offset,
			optional("eval", NoEval, func(f *FeatureRow) *float32 { return &f.Eval }))
	}
	add(optional("score", NoScore, func(f *FeatureRow) *int16 { return &f.Score }),
		plain("result", func(f *FeatureRow) *float32 { return &f.Result }),
		optional("game", 0, func(f *FeatureRow) *uint64 { return &f.Game }),
		optional("opening", 0, func(f *FeatureRow) *uint64 { return &f.Opening }),
		plain("weight", func(f *FeatureRow) *float32 { return &f.Weight }))
	meta, err := set.metadata()
	if err != nil {
		return nil, fmt.Errorf("dataset: features of %s: %w", set.Model, err)
	}
	c := newCodec(featuresLayout(set.Format()), fields, func(r *FeatureRow) error {
		if err := r.check(&set); err != nil {
			return err
		}
		return set.checkCounts(r)
	}, meta...)
	c.finish = func(*columns) func(int, *FeatureRow) error {
		return func(_ int, r *FeatureRow) error { return r.check(&set) }
	}
	return c, nil
}

func featuresLayout(format string) layout { return layout{format, "features", 16384, 65536} }

// metadata returns the keys and values that describe the set.
func (s *FeatureSet) metadata() ([]string, error) {
	meta := []string{metaUnits, unitsText, metaModel, s.Model}
	add := func(key string, v any) error {
		text, err := json.Marshal(v)
		meta = append(meta, key, string(text))
		return err
	}
	err := add(metaTerms, s.Terms)
	if err == nil && s.Version >= 2 {
		err = add(metaEval, s.Evaluation)
	}
	return meta, err
}

// int16Eval is the column eval of version 1.
func int16Eval() field[FeatureRow] {
	return field[FeatureRow]{arrow.Field{Name: "eval", Type: arrow.PrimitiveTypes.Int16, Nullable: true},
		func(b array.Builder) func(*FeatureRow) {
			values := b.(appender[int16])
			return func(r *FeatureRow) {
				eval := int16(NoScore)
				if r.Eval != NoEval {
					eval = int16(r.Eval)
				}
				appendOr(values, eval, NoScore)
			}
		},
		func(c *columns) func(int, *FeatureRow) {
			values := long(c, "eval", valuesOr[int16](c.array("eval", true), NoScore))
			return func(i int, r *FeatureRow) {
				if r.Eval = NoEval; values[i] != NoScore {
					r.Eval = float32(values[i])
				}
			}
		}}
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
