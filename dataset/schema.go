package dataset

import (
	"encoding/json"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
)

// Keys of the schema metadata of every file.
const (
	metaFormat = "assay.format" // GamesFormat, PositionsFormat or FeaturesFormat
	metaUnits  = "assay.units"  // for a person who finds the file
	metaMoves  = "assay.moves"  // games: how a move is packed
	metaModel  = "assay.model"  // features: name of the evaluation
	metaTerms  = "assay.terms"  // features: JSON array of FeatureTerm
)

const (
	unitsText = "White's view; scores in centipawns, a mate in n plies is 32000 - n; null where there is none"
	movesText = "from | to<<6 | promotion<<12 with a1 = 0, b1 = 1, h8 = 63 and promotion 0 none, 1 knight, 2 bishop, 3 rook, 4 queen; castling is king takes own rook"
)

// FeatureTerm is one term of another engine's evaluation.
type FeatureTerm struct {
	Name  string  `json:"name"`
	Group string  `json:"group,omitempty"`
	MG    float64 `json:"mg"` // start value in the middlegame: centipawns
	EG    float64 `json:"eg"` // start value in the endgame; equal to MG where not tapered
}

// FeatureSet is the set of terms that the features of a data set count.
type FeatureSet struct {
	Model string        // name of the evaluation
	Terms []FeatureTerm // FeatureRow.Terms are indices into it
	// Float stores the counts as float32. Otherwise they are int8, and a count that
	// is not a whole number from -128 to 127 is an error: nothing is rounded.
	Float bool
}

// SameTerms returns an error that names the first difference if rows of the two sets
// cannot be fitted together.
func (s *FeatureSet) SameTerms(other *FeatureSet) error {
	if s.Model != other.Model || len(s.Terms) != len(other.Terms) {
		return fmt.Errorf("features of %s with %d terms, before it came %s with %d", other.Model, len(other.Terms), s.Model, len(s.Terms))
	}
	for i := range s.Terms {
		if s.Terms[i] != other.Terms[i] {
			return fmt.Errorf("term %d is %+v, before it came %+v", i, other.Terms[i], s.Terms[i])
		}
	}
	return nil
}

// Check returns an error if the set is not valid.
func (s *FeatureSet) Check() error {
	if len(s.Terms) > 65536 {
		return fmt.Errorf("%d terms are more than 65536", len(s.Terms))
	}
	seen := make(map[string]bool, len(s.Terms))
	for i, t := range s.Terms {
		if t.Name == "" || seen[t.Name] {
			return fmt.Errorf("term %d: the name %q is empty or used twice", i, t.Name)
		}
		seen[t.Name] = true
	}
	return nil
}

// featureSetOf reads the set of terms from the metadata of a file.
func featureSetOf(schema *arrow.Schema) (FeatureSet, error) {
	var s FeatureSet
	meta := schema.Metadata()
	s.Model, _ = meta.GetValue(metaModel)
	terms, ok := meta.GetValue(metaTerms)
	if !ok {
		return s, fmt.Errorf("the schema metadata have no %s", metaTerms)
	}
	if err := json.Unmarshal([]byte(terms), &s.Terms); err != nil {
		return s, fmt.Errorf("%s in the schema metadata: %w", metaTerms, err)
	}
	if f, ok := schema.FieldsByName("count"); ok && len(f) == 1 {
		if list, ok := f[0].Type.(*arrow.ListType); ok {
			s.Float = list.Elem().ID() == arrow.FLOAT32
		}
	}
	return s, s.Check()
}

// checkSchema compares a file's schema with that of its format: the same columns in any
// order. Nullability is checked in the data.
func checkSchema(got, want *arrow.Schema) error {
	format, _ := want.Metadata().GetValue(metaFormat)
	if f, ok := got.Metadata().GetValue(metaFormat); ok && f != format {
		return fmt.Errorf("the file's format is %.40q, not %q", f, format)
	}
	for _, w := range want.Fields() {
		g, _ := got.FieldsByName(w.Name)
		if len(g) != 1 {
			return fmt.Errorf("%s needs one column %q, the file has %d", format, w.Name, len(g))
		}
		if !sameType(g[0].Type, w.Type) {
			return fmt.Errorf("%s needs column %q as %s, the file has %s", format, w.Name, w.Type, g[0].Type)
		}
	}
	if g, w := len(got.Fields()), len(want.Fields()); g != w {
		return fmt.Errorf("%s has %d columns, the file has %d", format, w, g)
	}
	return nil
}

// compareSchemas compares two schemas of one format. The error is checkSchema's; key is the
// first metadata key whose values differ, or empty.
func compareSchemas(got, want *arrow.Schema) (key string, err error) {
	if err := checkSchema(got, want); err != nil {
		return "", err
	}
	gm, wm := got.Metadata(), want.Metadata()
	for _, key := range []string{metaModel, metaTerms} {
		g, _ := gm.GetValue(key)
		if w, _ := wm.GetValue(key); g != w {
			return key, nil
		}
	}
	return "", nil
}

func sameType(got, want arrow.DataType) bool {
	w, ok := want.(*arrow.ListType)
	if !ok {
		return arrow.TypeEqual(got, want)
	}
	g, ok := got.(*arrow.ListType)
	return ok && arrow.TypeEqual(g.Elem(), w.Elem())
}
