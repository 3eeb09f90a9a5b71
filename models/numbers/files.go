package numbers

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// edit replaces bytes of a file.
type edit struct {
	from, to int
	text     string
}

// splice is text from one byte to another with the edits inside.
func splice(text string, from, to int, edits []edit) string {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Or(a.from-b.from, a.to-b.to) })
	var b strings.Builder
	for _, e := range edits {
		if from <= e.from && e.to <= to {
			b.WriteString(text[from:e.from])
			b.WriteString(e.text)
			from = e.to
		}
	}
	b.WriteString(text[from:to])
	return b.String()
}

// insert inserts text once, for two declarators of one declaration too.
func (s *source) insert(at int, text string) {
	if e := (edit{at, at, text}); !slices.Contains(s.edits, e) {
		s.edits = append(s.edits, e)
	}
}

// write writes a file that has edits to the tree at dir.
func (s *source) write(dir string) error {
	if len(s.edits) == 0 {
		return nil
	}
	return writeNew(dir, s.path, splice(s.text, 0, len(s.text), s.edits))
}

// sources are the files below root with one of the extensions, with slashes and in order, but for folders of a build
// and hidden ones.
func sources(root string, extensions ...string) (files []string, err error) {
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != root && (strings.HasPrefix(d.Name(), ".") ||
			d.Name() == "target" && slices.Contains(extensions, ".rs")) { // Cargo's builds
			return fs.SkipDir
		}
		if !d.Type().IsRegular() || !slices.Contains(extensions, filepath.Ext(name)) {
			return nil
		}
		rel, err := filepath.Rel(root, name)
		files = append(files, filepath.ToSlash(rel))
		return err
	})
	return files, err
}

// writeNew writes a file of the tree at dir.
func writeNew(dir, name, text string) error {
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(text), 0o666)
}
