package dataset

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// featuresCodec encodes and decodes the features of one set of terms.
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
	meta := []string{metaFormat, set.Format(), metaUnits, unitsText, metaModel, set.Model, metaTerms, string(terms)}
	f := &featuresCodec{set: set, fields: fields[FeatureRow]{
		list("term", nil, func(f *FeatureRow) []uint16 { return f.Terms }, func(f *FeatureRow, v []uint16) { f.Terms = append([]uint16(nil), v...) }),
	}}
	add := func(columns ...field[FeatureRow]) { f.fields = append(f.fields, columns...) }
	if set.Float {
		add(list("count", nil, func(f *FeatureRow) []float32 { return f.Counts }, func(f *FeatureRow, v []float32) { f.Counts = append([]float32(nil), v...) }))
	} else {
		add(list("count", nil, int8Counts, setInt8Counts))
	}
	if set.BySide {
		add(list("eg_count", nil, func(f *FeatureRow) []float32 { return f.EGCounts }, func(f *FeatureRow, v []float32) { f.EGCounts = append([]float32(nil), v...) }))
	}
	if set.BySides() {
		add(list("black", nil, func(f *FeatureRow) []float32 { return f.Blacks }, func(f *FeatureRow, v []float32) { f.Blacks = append([]float32(nil), v...) }))
	}
	add(plain("phase", func(f *FeatureRow) *float32 { return &f.Phase }),
		plain("scale", func(f *FeatureRow) *float32 { return &f.Scale }))
	if set.Version < 2 {
		add(plain("offset", func(f *FeatureRow) *float32 { return &f.Offset }), int16Eval())
	} else {
		evaluation, err := json.Marshal(set.Evaluation)
		if err != nil {
			return nil, fmt.Errorf("dataset: features of %s: %w", set.Model, err)
		}
		meta = append(meta, metaEval, string(evaluation))
		add(plain("eg_scale", func(f *FeatureRow) *float32 { return &f.EGScale }),
			plain("offset", func(f *FeatureRow) *float32 { return &f.Offset }),
			optional("eval", NoEval, func(f *FeatureRow) *float32 { return &f.Eval }))
	}
	if set.Bent() {
		bend, err := json.Marshal(set.Bend)
		if err != nil {
			return nil, fmt.Errorf("dataset: features of %s: %w", set.Model, err)
		}
		meta = append(meta, metaBend, string(bend))
		add(list("columns", nil, func(f *FeatureRow) []float32 { return f.Columns }, func(f *FeatureRow, v []float32) { f.Columns = append([]float32(nil), v...) }),
			text("skip", true, func(f *FeatureRow) *string { return &f.Skip }))
	}
	add(optional("score", NoScore, func(f *FeatureRow) *int16 { return &f.Score }),
		plain("result", func(f *FeatureRow) *float32 { return &f.Result }),
		optional("game", 0, func(f *FeatureRow) *uint64 { return &f.Game }),
		optional("opening", 0, func(f *FeatureRow) *uint64 { return &f.Opening }),
		plain("weight", func(f *FeatureRow) *float32 { return &f.Weight }))
	f.sch = f.fields.schema(meta...)
	return f, nil
}

// int16Eval is the column eval of version 1.
func int16Eval() field[FeatureRow] {
	return field[FeatureRow]{arrow.Field{Name: "eval", Type: arrow.PrimitiveTypes.Int16, Nullable: true},
		func(b array.Builder, r *FeatureRow) {
			eval := int16(NoScore)
			if r.Eval != NoEval {
				eval = int16(r.Eval)
			}
			appendOr(b.(appender[int16]), eval, NoScore)
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

func (f *featuresCodec) layout() layout        { return featuresLayout(f.set.Format()) }
func (f *featuresCodec) schema() *arrow.Schema { return f.sch }

func (f *featuresCodec) check(r *FeatureRow) error {
	if err := r.check(&f.set); err != nil {
		return err
	}
	return f.set.checkCounts(r)
}

func (f *featuresCodec) bind(c *columns) func(int, *FeatureRow) error {
	read := f.fields.bind(c)
	return func(i int, r *FeatureRow) error {
		read(i, r)
		return r.check(&f.set)
	}
}
