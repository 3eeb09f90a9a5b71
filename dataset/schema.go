package dataset

import (
	"encoding/json"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
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

// codec encodes and decodes the rows of a format.
type codec[R any] interface {
	layout() layout
	schema() *arrow.Schema
	check(*R) error                    // returns an error if the row is not valid
	append(*array.RecordBuilder, *R)   // encodes a row that passed check
	bind(*columns) func(int, *R) error // decodes and checks row i of a batch
}

// layout says how the rows of a format are divided into files.
type layout struct {
	format    string // as in metaFormat
	prefix    string // of shard names
	batchRows int    // rows of a record batch
	shardRows int    // rows of a file
}

var (
	gamesLayout     = layout{GamesFormat, "games", 256, 256}
	positionsLayout = layout{PositionsFormat, "positions", 65536, 262144}
	featuresLayout  = layout{FeaturesFormat, "features", 16384, 65536}
)

func column(name string, t arrow.DataType) arrow.Field {
	return arrow.Field{Name: name, Type: t}
}

func nullable(name string, t arrow.DataType) arrow.Field {
	return arrow.Field{Name: name, Type: t, Nullable: true}
}

func metadata(keysAndValues ...string) *arrow.Metadata {
	var keys, values []string
	for i := 0; i < len(keysAndValues); i += 2 {
		keys = append(keys, keysAndValues[i])
		values = append(values, keysAndValues[i+1])
	}
	m := arrow.NewMetadata(keys, values)
	return &m
}

// GamesSchema returns the Arrow schema of assay.games/1.
func GamesSchema() *arrow.Schema {
	return arrow.NewSchema([]arrow.Field{
		column("game", arrow.PrimitiveTypes.Uint64),
		column("variant", arrow.BinaryTypes.String),
		nullable("start", arrow.BinaryTypes.String),
		column("opening", arrow.PrimitiveTypes.Uint64),
		column("opening_plies", arrow.PrimitiveTypes.Uint16),
		column("moves", arrow.ListOfNonNullable(arrow.PrimitiveTypes.Uint16)),
		column("scores", arrow.ListOf(arrow.PrimitiveTypes.Int16)),
		column("nodes", arrow.PrimitiveTypes.Uint32),
		column("result", arrow.PrimitiveTypes.Int8),
		column("termination", arrow.BinaryTypes.String),
		column("white", arrow.BinaryTypes.String),
		column("black", arrow.BinaryTypes.String),
		column("seed", arrow.PrimitiveTypes.Uint64),
	}, metadata(metaFormat, GamesFormat, metaUnits, unitsText, metaMoves, movesText))
}

// boards are the bitboard columns of a position: by color, then by kind.
var boards = [8]string{"white", "black", "pawns", "knights", "bishops", "rooks", "queens", "kings"}

// PositionsSchema returns the Arrow schema of assay.positions/1.
func PositionsSchema() *arrow.Schema {
	var fields []arrow.Field
	for _, name := range boards {
		fields = append(fields, column(name, arrow.PrimitiveTypes.Uint64))
	}
	fields = append(fields,
		column("stm", arrow.PrimitiveTypes.Uint8),
		column("castling", arrow.PrimitiveTypes.Uint64),
		column("ep", arrow.PrimitiveTypes.Uint8),
		column("halfmove", arrow.PrimitiveTypes.Uint8),
		column("ply", arrow.PrimitiveTypes.Uint16),
		nullable("score", arrow.PrimitiveTypes.Int16),
	)
	fields = append(fields, labelFields()...)
	return arrow.NewSchema(fields, metadata(metaFormat, PositionsFormat, metaUnits, unitsText))
}

// labelFields are the last columns of positions and of features.
func labelFields() []arrow.Field {
	return []arrow.Field{
		column("result", arrow.PrimitiveTypes.Float32),
		nullable("game", arrow.PrimitiveTypes.Uint64),
		nullable("opening", arrow.PrimitiveTypes.Uint64),
		column("weight", arrow.PrimitiveTypes.Float32),
	}
}

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

// FeaturesSchema returns the Arrow schema of assay.features/1 for a set of terms.
func FeaturesSchema(s FeatureSet) (*arrow.Schema, error) {
	if err := s.Check(); err != nil {
		return nil, fmt.Errorf("dataset: features of %s: %w", s.Model, err)
	}
	terms, err := json.Marshal(s.Terms)
	if err != nil {
		return nil, fmt.Errorf("dataset: features of %s: %w", s.Model, err)
	}
	count := arrow.DataType(arrow.PrimitiveTypes.Int8)
	if s.Float {
		count = arrow.PrimitiveTypes.Float32
	}
	fields := []arrow.Field{
		column("term", arrow.ListOfNonNullable(arrow.PrimitiveTypes.Uint16)),
		column("count", arrow.ListOfNonNullable(count)),
		column("phase", arrow.PrimitiveTypes.Float32),
		column("scale", arrow.PrimitiveTypes.Float32),
		column("offset", arrow.PrimitiveTypes.Float32),
		nullable("eval", arrow.PrimitiveTypes.Int16),
		nullable("score", arrow.PrimitiveTypes.Int16),
	}
	fields = append(fields, labelFields()...)
	return arrow.NewSchema(fields, metadata(metaFormat, FeaturesFormat, metaUnits, unitsText,
		metaModel, s.Model, metaTerms, string(terms))), nil
}

// featureSetOf reads the set of terms from the metadata that FeaturesSchema wrote.
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
