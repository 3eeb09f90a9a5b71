package dataset

import (
	"os"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/assay-chess/assay/internal/setup"
)

// FORMAT.md is what outsiders implement: its tables are the schemas.
func TestFormatDescribesTheSchemas(t *testing.T) {
	data := setup.Must(os.ReadFile("FORMAT.md"))
	text := string(data)
	features := func(set FeatureSet) *arrow.Schema {
		set.Version, set.Unit = 2, 100
		codec := setup.Must(newFeaturesCodec(set))
		return codec.schema
	}
	for _, tt := range []struct {
		format string
		schema *arrow.Schema
	}{
		{GamesFormat, gamesCodec.schema},
		{PositionsFormat, positionsCodec.schema},
		{FeaturesFormat, features(FeatureSet{Evaluation: Evaluation{BySide: true}})},
	} {
		format, schema := tt.format, tt.schema
		_, section, found := strings.Cut(text, "\n## "+format+"\n")
		if !found {
			t.Errorf("no section for %s", format)
			continue
		}
		section, _, _ = strings.Cut(section, "\n## ")
		var got []string
		for line := range strings.Lines(section) {
			if strings.HasPrefix(line, "| `") {
				cells := strings.SplitN(line, "|", 5)
				for i := range cells {
					cells[i] = strings.TrimSpace(cells[i])
				}
				got = append(got, strings.Join(cells[1:4], " "))
			}
		}
		var want []string
		for _, f := range schema.Fields() {
			want = append(want, strings.TrimSpace("`"+f.Name+"` "+typeText(f.Type)+" "+nullText(f)))
		}
		for i := range got {
			got[i] = strings.TrimSpace(got[i])
		}
		if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
			t.Errorf("%s is described as\n%s\nbut is\n%s", format, g, w)
		}
	}
	for _, l := range []layout{gamesCodec.layout, positionsCodec.layout, featuresLayout(FeaturesFormat)} {
		if row := "| `" + l.format + "` |"; !strings.Contains(text, row) ||
			!strings.Contains(text, "| "+thousands(l.shardRows)+" rows | "+thousands(l.batchRows)+" rows |") {
			t.Errorf("the layout of %s is not described", l.format)
		}
	}
}

func typeText(t arrow.DataType) string {
	if l, ok := t.(*arrow.ListType); ok {
		return "list<" + typeText(l.Elem()) + ">"
	}
	return t.Name()
}

func nullText(f arrow.Field) string {
	if l, ok := f.Type.(*arrow.ListType); ok && l.ElemField().Nullable {
		return "items"
	}
	if f.Nullable {
		return "null"
	}
	return ""
}

func thousands(n int) string {
	s := ""
	for ; n >= 1000; n /= 1000 {
		s = "," + string([]byte{byte('0' + n/100%10), byte('0' + n/10%10), byte('0' + n%10)}) + s
	}
	return strings.TrimLeft(string([]byte{byte('0' + n/100%10), byte('0' + n/10%10), byte('0' + n%10)}), "0") + s
}
