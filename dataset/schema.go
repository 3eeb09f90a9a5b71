package dataset

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
)

// Keys of the schema metadata of every file.
const (
	metaFormat = "assay.format"     // GamesFormat, PositionsFormat or FeaturesFormat
	metaUnits  = "assay.units"      // for a person who finds the file
	metaMoves  = "assay.moves"      // games: how a move is packed
	metaModel  = "assay.model"      // features: name of the evaluation
	metaTerms  = "assay.terms"      // features: JSON array of FeatureTerm
	metaEval   = "assay.evaluation" // features from version 2 on: JSON of an evaluation
)

const (
	unitsText = "White's view; scores in centipawns, a mate in n plies is 32000 - n; null where there is none"
	movesText = "from | to<<6 | promotion<<12 with a1 = 0, b1 = 1, h8 = 63 and promotion 0 none, 1 knight, " +
		"2 bishop, 3 rook, 4 queen; castling is king takes own rook"
)

// checkSchema compares a file's schema with its format's: the same columns in any
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
	for _, key := range []string{metaModel, metaTerms, metaEval} {
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
