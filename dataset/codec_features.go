package dataset

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// featuresCodec encodes and decodes features of one set of terms.
type featuresCodec struct {
	set FeatureSet
	sch *arrow.Schema
}

func newFeaturesCodec(set FeatureSet) (*featuresCodec, error) {
	sch, err := FeaturesSchema(set)
	return &featuresCodec{set, sch}, err
}

func (f *featuresCodec) layout() layout        { return featuresLayout }
func (f *featuresCodec) schema() *arrow.Schema { return f.sch }

func (f *featuresCodec) check(r *FeatureRow) error {
	if err := r.check(len(f.set.Terms)); err != nil {
		return err
	}
	return f.set.checkCounts(r)
}

func (f *featuresCodec) append(b *array.RecordBuilder, r *FeatureRow) {
	terms := b.Field(0).(*array.ListBuilder)
	terms.Append(true)
	terms.ValueBuilder().(*array.Uint16Builder).AppendValues(r.Terms, nil)
	counts := b.Field(1).(*array.ListBuilder)
	counts.Append(true)
	if f.set.Float {
		counts.ValueBuilder().(*array.Float32Builder).AppendValues(r.Counts, nil)
	} else {
		for _, c := range r.Counts {
			counts.ValueBuilder().(*array.Int8Builder).Append(int8(c))
		}
	}
	b.Field(2).(*array.Float32Builder).Append(r.Phase)
	b.Field(3).(*array.Float32Builder).Append(r.Scale)
	b.Field(4).(*array.Float32Builder).Append(r.Offset)
	appendScore(b.Field(5).(*array.Int16Builder), r.Eval)
	appendScore(b.Field(6).(*array.Int16Builder), r.Score)
	b.Field(7).(*array.Float32Builder).Append(r.Result)
	appendID(b.Field(8).(*array.Uint64Builder), r.Game)
	appendID(b.Field(9).(*array.Uint64Builder), r.Opening)
	b.Field(10).(*array.Float32Builder).Append(r.Weight)
}

func (f *featuresCodec) bind(c *columns) func(int, *FeatureRow) error {
	var (
		terms    = lists(c, "term", false, uint16sOf)
		counts   = lists(c, "count", false, countsOf)
		phases   = c.float32s("phase")
		scales   = c.float32s("scale")
		offsets  = c.float32s("offset")
		evals    = c.scores("eval")
		scores   = c.scores("score")
		results  = c.float32s("result")
		games    = c.ids("game")
		openings = c.ids("opening")
		weights  = c.float32s("weight")
	)
	return func(i int, r *FeatureRow) error {
		*r = FeatureRow{
			Terms:  append([]uint16(nil), terms.at(i)...),
			Counts: append([]float32(nil), counts.at(i)...),
			Phase:  phases[i], Scale: scales[i], Offset: offsets[i], Eval: evals[i],
			Score: scores[i], Result: results[i], Game: games[i], Opening: openings[i], Weight: weights[i],
		}
		return r.check(len(f.set.Terms))
	}
}
