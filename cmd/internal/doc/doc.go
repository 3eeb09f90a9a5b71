// Package doc describes the result of a run for people: a headline, what it rests on, tables, warnings. A document is
// derived from a result and never stored. A command prints it, and the page of the run shows it beside its plots.
//
// Start reading at Document, then at Match.
package doc

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/ui"
)

// Class is the color of a headline.
type Class string

// The classes of headlines.
const (
	Open Class = "open"
	Good Class = "good"
	Bad  Class = "bad"
)

// Document is the description of a run.
type Document struct {
	Headline    string // begins with the verdict in capitals, if there is one
	Class       Class
	Text        []string // what follows from the headline
	Parts       []Part
	Warnings    []string
	LLR, WDL    string // for lists of runs
	Done, Total int64  // 0: not known
}

// Part is a part of a document: text, tables, notes.
type Part struct {
	Title  string // pages show it
	Text   []string
	Code   string // to copy, or as it stands
	Tables []ui.Table
	Notes  []string
	More   bool // terminals show it with --all, pages folded
}

// Empty reports whether all tables of the part are empty: then its text and notes say nothing.
func (p *Part) Empty() bool {
	return len(p.Tables) > 0 && !slices.ContainsFunc(p.Tables, func(t ui.Table) bool { return len(t.Rows) > 0 })
}

// New returns a document whose class follows from its headline.
func New(headline string) *Document {
	d := &Document{Headline: headline, Class: Open}
	switch word, _ := d.Verdict(); word {
	case "PASSED", "STRONGER", "BETTER", "GAIN PROVED":
		d.Class = Good
	case "FAILED", "WEAKER", "WORSE", "NO VERDICT":
		d.Class = Bad
	}
	return d
}

// Verdict splits the headline into its verdict and the rest.
func (d *Document) Verdict() (word, rest string) {
	word, rest, ok := strings.Cut(strings.TrimPrefix(d.Headline, "Verdict: "), ": ")
	if text, isFit := strings.CutPrefix(d.Headline, "Verdict: "); isFit {
		word, rest, ok = strings.Cut(strings.TrimSuffix(text, ")"), " (")
		word = strings.ToUpper(word)
	}
	if !ok || word != strings.ToUpper(word) {
		return "", d.Headline
	}
	return word, rest
}

// Add adds a part without a title.
func (d *Document) Add(tables ...ui.Table) { d.Parts = append(d.Parts, Part{Tables: tables}) }

// Note adds what a command says at the end.
func (d *Document) Note(format string, args ...any) {
	d.Parts = append(d.Parts, Part{Notes: []string{fmt.Sprintf(format, args...)}})
}

// Printer returns a function that prints the document, for ui.Show.
func (d *Document) Printer(all bool) func(io.Writer) error {
	return func(w io.Writer) error { return d.Print(w, all) }
}

// Print writes the document for a terminal; with all also the parts that are seldom wanted.
func (d *Document) Print(w io.Writer, all bool) error {
	var b strings.Builder
	for _, text := range append([]string{d.Headline}, d.Text...) {
		if text != "" {
			fmt.Fprintln(&b, text)
		}
	}
	for _, text := range d.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", text)
	}
	facts := true // a list of facts follows the headline without a gap
	gap := func(isFacts bool) {
		if b.Len() > 0 && !(facts && isFacts) {
			b.WriteByte('\n')
		}
		facts = isFacts
	}
	lines := func(list []string) {
		if list = slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == "" }); len(list) > 0 {
			gap(false)
			fmt.Fprintln(&b, strings.Join(list, "\n"))
		}
	}
	for _, p := range d.Parts {
		if p.More && !all || p.Empty() {
			continue
		}
		lines(append(slices.Clone(p.Text), strings.TrimSuffix(p.Code, "\n")))
		for i := range p.Tables {
			t := &p.Tables[i]
			if len(t.Rows) == 0 {
				continue
			}
			gap(t.Head == nil && t.Caption == "")
			if t.Caption != "" {
				fmt.Fprintln(&b, t.Caption)
			}
			if err := t.Print(&b); err != nil {
				return err
			}
		}
		lines(p.Notes)
	}
	return ui.Fold(w, b.String())
}
