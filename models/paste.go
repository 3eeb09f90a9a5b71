package models

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// errInto is wrapped by the errors of Paste: the sources and the weights do not fit.
var errInto = errors.New("the source does not fit the weights")

// Source is a file of an engine's source into which weights are written.
type Source struct {
	Name string
	Text []byte
}

// Patch is what Paste makes of sources.
type Patch struct {
	Files [][]byte // the new text of each source
	// Missing are the held terms that no source defines, arrays by their name alone.
	Missing []string
	// Copies says which other numbers were written: those of Black, where the source has them apart.
	Copies []string
	// Shared says which written names other code uses too. Stale lists numbers that were not written
	// and are old values of written terms, or their negatives. Both are for a person to judge.
	Shared, Stale []string
}

// Paste writes the weights into sources. Of each term the numbers of the definition that has its name
// are replaced (see numbers.go), in one of the sources; declarations, layout, comments and line
// endings stay. In a source with the comments assay:begin and assay:end, only what is between them
// counts.
//
// If a source has the values of Black apart, in rows or in definitions that are the written ones
// with another sign or seen from the other side, they are written too. It is an error
// (errInto) if this is not certain, if a term that is not held has no definition or two, or if an
// element is missing or is computed.
//
// The others are files of the engine that are not written, but may use what is.
func (f *File) Paste(sources []Source, held func(t *TermWeight) bool, others ...Source) (*Patch, error) {
	table, err := f.Table()
	if err != nil {
		return nil, err
	}
	c := newCode(sources)
	p, err := c.paste(f, held, func(i int) bool { return table[i].Tapered })
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errInto, err)
	}
	p.Shared = newCode(append(slices.Clip(sources), others...)).shared(c.edits)
	return p, nil
}

func (c *code) paste(f *File, held func(t *TermWeight) bool, tapered func(i int) bool) (*Patch, error) {
	p := &Patch{}
	var missing, heldBack []string
	for i := range f.Terms {
		t := &f.Terms[i]
		found, err := c.place(t, tapered(i))
		switch {
		case err != nil:
			return nil, fmt.Errorf("term %s: %w", t.Name, err)
		case found:
		case held(t):
			heldBack = append(heldBack, t.Name)
		default:
			missing = append(missing, t.Name)
		}
	}
	if len(missing)+len(heldBack) == len(f.Terms) {
		return nil, fmt.Errorf("it defines nothing that is named as a term of %s, such as %s", f.Model, f.Terms[0].Name)
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("no file given defines %s: give all files that define terms, and name terms as the "+
			"source does", strings.Join(arrays(missing), ", "))
	}
	p.Missing = arrays(heldBack)
	err := c.sortEdits()
	if err != nil {
		return nil, err
	}
	if p.Copies, err = c.copies(); err != nil {
		return nil, err
	}
	if err := c.sortEdits(); err != nil {
		return nil, err
	}
	p.Files = c.replaced()
	// The reading is no compiler's. Where a second replacement would change something, the
	// first one did not write what it read.
	if !c.holds(p.Files, f, tapered) {
		return nil, fmt.Errorf("its numbers cannot be told from the expressions around them; put the comments %s and "+
			"%s around the definitions", markBegin, markEnd)
	}
	p.Stale = c.stale()
	return p, nil
}

// Held reports whether a fit made the file and held the term at its start value.
func (f *File) Held(t *TermWeight) bool {
	fitted := func(t TermWeight) bool { return t.FitMG != 0 || t.FitEG != 0 || t.SEMG != 0 || t.SEEG != 0 }
	return !fitted(*t) && slices.ContainsFunc(f.Terms, fitted)
}

// arrays names terms, an array's together.
func arrays(terms []string) (names []string) {
	count := map[string]int{}
	for _, t := range terms {
		name := withoutIndices(t)
		if count[name]++; count[name] == 1 {
			names = append(names, name)
		}
	}
	for i, name := range names {
		if n := count[name]; n > 1 {
			names[i] = fmt.Sprintf("%s (%d terms)", name, n)
		}
	}
	if n := len(names) - 12; n > 1 {
		names = append(names[:12:12], fmt.Sprintf("%d more", n))
	}
	return names
}

// sortEdits sorts the edits. No two terms share a number.
func (c *code) sortEdits() error {
	slices.SortFunc(c.edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	for i := 1; i < len(c.edits); i++ {
		if a, b := &c.edits[i-1], &c.edits[i]; b.from < a.to {
			return fmt.Errorf("%s: the number is that of two terms, %s and %s", c.where(b.from), a.term, b.term)
		}
	}
	return nil
}

// holds reports whether the new texts have the weights where the old ones were read.
func (c *code) holds(files [][]byte, f *File, tapered func(i int) bool) bool {
	sources := make([]Source, len(files))
	for i, text := range files {
		sources[i] = *c.files[i].Source
		sources[i].Text = text
	}
	again := newCode(sources)
	for i := range f.Terms {
		if _, err := again.place(&f.Terms[i], tapered(i)); err != nil {
			return false
		}
	}
	return !slices.ContainsFunc(again.edits, func(e edit) bool { return e.old != e.value })
}

// replaced applies the edits, and returns the texts of the files.
func (c *code) replaced() (files [][]byte) {
	pieces := c.edits
	for _, f := range c.files {
		var b strings.Builder
		at := f.from
		for ; len(pieces) > 0 && pieces[0].from < f.to; pieces = pieces[1:] {
			e := &pieces[0]
			b.WriteString(e.after(c.text[at:e.from]) + e.text)
			at = e.to
		}
		b.WriteString(c.text[at:f.to])
		files = append(files, []byte(b.String()))
	}
	return files
}

// after returns the text that comes before the edit, with as many blanks as keep columns: a number that
// gets longer takes blanks before it, and one that gets shorter in a column leaves some.
func (e *edit) after(before string) string {
	n := len(e.text) - (e.to - e.from)
	for pad := n; pad > 0 && strings.HasSuffix(before, "  "); pad-- {
		before = before[:len(before)-1]
	}
	if n > 0 && strings.HasSuffix(before, "( ") {
		before = before[:len(before)-1]
	}
	if n < 0 && e.aligned && (strings.HasSuffix(before, " ") || strings.HasSuffix(before, "(")) {
		before += strings.Repeat(" ", -n)
	}
	return before
}
