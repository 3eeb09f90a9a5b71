package weights

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/models"
)

// intoSources replaces the numbers of source files.
func (f *exportFlags) intoSources(x *Opened, stderr io.Writer) error {
	sources := make([]models.Source, len(f.into))
	for i, name := range f.into {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(sources[:i],
			func(s models.Source) bool { return filepath.Clean(s.Name) == filepath.Clean(name) }) {
			return ui.Usagef("--into %s is given twice", name)
		}
		sources[i] = models.Source{Name: name, Text: text}
	}
	p, err := x.File.Paste(sources, x.held, beside(f.into)...)
	if err != nil {
		what := "it is not changed"
		if len(f.into) > 1 {
			what = "none of them is changed"
		}
		return fmt.Errorf("%s: %w; %s", strings.Join(f.into, ", "), err, what)
	}
	printRounding(x, stderr)
	changed := false
	for i, s := range sources {
		if bytes.Equal(s.Text, p.Files[i]) {
			fmt.Fprintf(stderr, "%s has these weights already\n", s.Name)
			continue
		}
		changed = true
		if err := durable.ReplaceFile(s.Name, p.Files[i]); err != nil {
			return err
		}
	}
	f.report(p, stderr)
	if changed && x.Model == nil && x.File.K > 0 {
		fmt.Fprintf(stderr, "last step: build the engine, and check it: assay features --check %s --cmd 'ENGINE dump'\n",
			x.Name)
	}
	return nil
}

// beside reads the other files of the same language and folder, whose code may use the coefficients. It leaves out what
// it cannot read, and the dump.
func beside(names []string) (others []models.Source) {
	seen := map[string]bool{}
	for _, name := range names {
		seen[filepath.Clean(name)] = true
	}
	for _, name := range names {
		patterns := []string{filepath.Ext(name)}
		if slices.Contains(cFamily, patterns[0]) {
			patterns = cFamily
		}
		for _, ext := range patterns {
			found, _ := filepath.Glob(filepath.Join(filepath.Dir(name), "*"+ext)) // a folder with a [ in its name has none
			for _, path := range found {
				text, err := os.ReadFile(path)
				if err == nil && !seen[path] && len(text) < 1<<20 && !bytes.Contains(text, []byte("assay")) {
					others = append(others, models.Source{Name: path, Text: text})
				}
				seen[path] = true
			}
		}
	}
	return others
}

var cFamily = []string{".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".inc"}

// mostListed is how many lines of one kind are printed.
const mostListed = 20

// report prints what a person should know about what was written, and what was not.
func (f *exportFlags) report(p *models.Patch, stderr io.Writer) {
	list := func(title string, lines []string) {
		if len(lines) == 0 {
			return
		}
		fmt.Fprintln(stderr, title)
		for i, line := range lines {
			if i == mostListed && len(lines) > mostListed+1 {
				fmt.Fprintf(stderr, "  and %d more\n", len(lines)-mostListed)
				break
			}
			fmt.Fprintf(stderr, "  %s\n", line)
		}
	}
	if len(p.Missing) > 0 {
		fmt.Fprintf(stderr, "not in %s, and held by the fit: %s\n",
			strings.Join(f.into, ", "), strings.Join(p.Missing, ", "))
	}
	list("separate values for Black, written too:", p.Copies)
	list("warning: other code, such as margins or the phase, uses these values too and will behave differently:",
		p.Shared)
	list("not written, but equal to old values of written terms; check whether they should change too:", p.Stale)
}
