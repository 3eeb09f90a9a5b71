package dataset

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// Detect returns the format of a data set: GamesFormat, PositionsFormat, FeaturesFormat or
// FeaturesFormat1.
// It looks at the manifest, else at the metadata of the first file, else at its columns.
func Detect(path string) (string, error) {
	m, files, err := listFiles(path)
	if err != nil {
		return "", err
	}
	if m != nil {
		return known(path, m.Schema)
	}
	r := &Reader[GameRow]{path: path, files: files, mem: memory.NewGoAllocator()}
	f, done, err := r.openFile(0)
	if err != nil {
		return "", inFile(files[0].path, err)
	}
	defer done()
	schema := f.reader.Schema()
	meta := schema.Metadata()
	if format, ok := meta.GetValue(metaFormat); ok {
		return known(files[0].path, format)
	}
	for _, f := range [][2]string{{GamesFormat, "moves"}, {PositionsFormat, "kings"}, {FeaturesFormat1, "term"}} {
		if schema.HasField(f[1]) {
			return f[0], nil
		}
	}
	return "", fmt.Errorf("dataset: %s: %w: its columns are %s", files[0].path, ErrNoData, columnNames(schema))
}

func known(path, format string) (string, error) {
	switch format {
	case GamesFormat, PositionsFormat, FeaturesFormat, FeaturesFormat1:
		return format, nil
	}
	return "", fmt.Errorf("dataset: %s: %w: its format is %.60q, this program knows %s, %s and %s",
		path, ErrNoData, format, GamesFormat, PositionsFormat, FeaturesFormat)
}

func columnNames(s *arrow.Schema) string {
	text := ""
	for i, f := range s.Fields() {
		if i > 20 {
			return text + " ..."
		}
		text += " " + f.Name
	}
	return text
}
