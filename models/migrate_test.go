package models

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/eval"
)

// TestRevisions pins the table of every model to the last of its revisions.
func TestRevisions(t *testing.T) {
	for _, m := range eval.Models() {
		var names []string
		for i := range m.Terms {
			names = append(names, m.Terms[i].Name)
		}
		known := revisions[m.Name]
		if id := tableID(names); len(known) == 0 || known[len(known)-1] != id {
			t.Errorf("model %s has a new table of %d terms: append %q to its revisions in migrate.go, so that older weight files can be read", m.Name, len(names), id)
		}
	}
	if len(revisions) != len(eval.Models()) {
		t.Errorf("revisions of %d models, but there are %d", len(revisions), len(eval.Models()))
	}
}

// firstTable returns the text of a file of the model assay as its first table had it, with
// weights of its own, and the number of terms.
func firstTable(t *testing.T) (text string, terms int) {
	t.Helper()
	list, err := os.ReadFile("testdata/assay-first-table.txt")
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Fields(string(list))
	full, err := fitted(t).Encode()
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(full)) {
		_, rest, isTerm := strings.Cut(line, `{"name": "`)
		name, _, _ := strings.Cut(rest, `"`)
		if isTerm && !slices.Contains(names, name) {
			continue
		}
		lines = append(lines, line)
	}
	last := &lines[len(lines)-3]
	*last = strings.Replace(*last, "},\n", "}\n", 1)
	return strings.Join(lines, ""), len(names)
}

func TestMigrate(t *testing.T) {
	text, terms := firstTable(t)
	if terms != 498 {
		t.Fatalf("the first table had 498 terms, not %d", terms)
	}
	f, err := Parse("old.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	m, w, err := f.Weights()
	if err != nil {
		t.Fatal(err)
	}
	g := f.Migration
	if g == nil || g.Terms != 498 || len(g.Added) != len(m.Terms)-498 || len(g.Removed) != 0 || !g.Exact() {
		t.Fatalf("migration %+v", g)
	}
	want := fitted(t)
	added := map[string]bool{}
	for _, a := range g.Added {
		added[a.Name] = true
	}
	for i := range m.Terms {
		switch name := m.Terms[i].Name; {
		case added[name] && (w[i] != m.Start[i] || f.Terms[i].Count != 0):
			t.Errorf("%s was added with %v, its start is %v", name, w[i], m.Start[i])
		case !added[name] && f.Terms[i] != want.Terms[i]:
			t.Errorf("%s became %+v", name, f.Terms[i])
		}
	}
	if g.From == f.ID() || f.Provenance.Parent != g.From || len(g.From) != 12 {
		t.Errorf("id %s, parent %s, of the old file %s", f.ID(), f.Provenance.Parent, g.From)
	}
	for _, say := range []string{"498 terms", g.From, "threat.* (16) 0", "king.bare-flank 0", "keeps its value", "before that: gauss-newton"} {
		if !strings.Contains(f.Provenance.Method, say) {
			t.Errorf("the method %q does not say %q", f.Provenance.Method, say)
		}
	}
	if f.Provenance.LossValid != want.Provenance.LossValid {
		t.Error("the losses are gone, though no position's value changed")
	}
	// What is written is a file of today, which needs no migration.
	today, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Parse("today.json", today); err != nil || again.Migration != nil || again.ID() != f.ID() {
		t.Errorf("read again: %v, migration %v", err, again.Migration)
	}
}

// TestMigrateNothingElse: what is no table of the past is an error that names the terms.
func TestMigrateNothingElse(t *testing.T) {
	text, _ := firstTable(t)
	lines := strings.SplitAfter(text, "\n")
	first := slices.IndexFunc(lines, func(s string) bool { return strings.Contains(s, `"psq.pawn.e4"`) })
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"one short":  {strings.Join(slices.Delete(slices.Clone(lines), first, first+1), ""), []string{"terms of model assay are missing", `"psq.pawn.e4"`, `"passed.*" (`, `"threat.*" (`}},
		"one other":  {strings.Replace(text, `"psq.pawn.e4"`, `"psq.pawn.e9"`, 1), []string{`model assay has no term "psq.pawn.e9"`, `"psq.pawn.e4"`}},
		"two of now": {strings.Replace(text, `"psq.pawn.e4"`, `"pin"`, 1), []string{`"psq.pawn.e4"`}},
	} {
		f, err := Parse("old.json", []byte(test.text))
		if err == nil {
			t.Errorf("%s: no error, but %v", name, f.Migration)
			continue
		}
		for _, want := range test.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", name, err, want)
			}
		}
	}
}

// TestMigrateRemoved: terms that are gone are named with their weights, and losses that
// are another evaluation's go with them.
func TestMigrateRemoved(t *testing.T) {
	m, _ := eval.Lookup("shannon-1950")
	f := New(m, m.Start)
	f.Terms[0].Name = "pion"
	f.Provenance = Provenance{Method: "by hand", LossTrain: 0.5, LossValid: 0.6, Parent: "000000000000"}
	id := f.ID()
	f.migrate(m, []string{"pion"}, []string{"pawn"})
	g := f.Migration
	if len(g.Removed) != 1 || g.Removed[0].Name != "pion" || g.Removed[0].MG != 100 || len(g.Added) != 1 || g.Exact() {
		t.Fatalf("%+v", g)
	}
	for _, say := range []string{"9 terms (id " + id + ")", "added since take their start weights: pawn 100", "dropped: pion 100", "tune again", "before that: by hand"} {
		if !strings.Contains(f.Provenance.Method, say) {
			t.Errorf("%q does not say %q", f.Provenance.Method, say)
		}
	}
	if p := f.Provenance; p.LossTrain != 0 || p.LossValid != 0 || p.Parent != id {
		t.Errorf("provenance %+v", p)
	}
}
