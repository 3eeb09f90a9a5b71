package models

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/assay-chess/assay/eval"
)

// revisions lists the tables of terms that each model has had, oldest first; the last is
// the one it has. A table is known by its tableID. A weight file whose terms are exactly
// those of an older table is brought up to date; any other difference is an error, so
// that nothing is guessed. Whoever changes a model's terms appends the new table, as a
// test will say.
var revisions = map[string][]string{
	"shannon-1950":     {"14bdee8fa579"},
	"shannon-appendix": {"7adc16c523f9"},
	"machack-1967":     {"d1d0e8a6b74e"},
	"assay": {
		"3060b48e9800", // 498 terms
		"d1e347624e42", // 647 terms
	},
}

// tableID identifies a set of terms by their names, in whatever order.
func tableID(names []string) string {
	names = slices.Clone(names)
	slices.Sort(names)
	h := sha256.New()
	for _, name := range names {
		_, _ = io.WriteString(h, name+"\n") // a hash takes everything
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}

// formerTable tells whether the terms are those that the model once had.
func formerTable(model string, terms []TermWeight) bool {
	names := make([]string, len(terms))
	for i := range terms {
		names[i] = terms[i].Name
	}
	return slices.Contains(revisions[model], tableID(names))
}

// Migration says how the weights of an older table of a model were brought up to date.
type Migration struct {
	From    string       // id of the weights as the file has them
	Terms   int          // in the file
	Added   []TermWeight // terms that the model was given since: they have its start weights
	Removed []TermWeight // terms that the model has no more, with what the file gave them
}

// Exact tells whether the weights value every position as they did: what was added is
// worth nothing yet, and what is gone was.
func (m *Migration) Exact() bool {
	for _, t := range slices.Concat(m.Added, m.Removed) {
		if t.MG != 0 || t.EG != 0 {
			return false
		}
	}
	return true
}

// String says what was done, naming the terms by their families.
func (m *Migration) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "migrated from an older table of %d terms (id %s)", m.Terms, m.From)
	if len(m.Added) > 0 {
		fmt.Fprintf(&b, "; %d terms added since take their start weights: %s", len(m.Added), families(m.Added))
	}
	if len(m.Removed) > 0 {
		fmt.Fprintf(&b, "; %d terms are no more, and their weights are dropped: %s", len(m.Removed), families(m.Removed))
	}
	if m.Exact() {
		b.WriteString("; every position keeps its value")
	} else {
		b.WriteString("; positions with these terms change their values: tune again")
	}
	return b.String()
}

// families lists terms with their weights: those with one weight whose names begin alike
// together.
func families(terms []TermWeight) string {
	type family struct {
		head   string
		mg, eg int32
	}
	var order []family
	members := map[family][]string{}
	for _, t := range terms {
		f := family{groupOf(t.Name), t.MG, t.EG}
		if members[f] == nil {
			order = append(order, f)
		}
		members[f] = append(members[f], t.Name)
	}
	var parts []string
	for _, f := range order {
		name := members[f][0]
		if n := len(members[f]); n > 1 {
			name = fmt.Sprintf("%s.* (%d)", f.head, n)
		}
		weight := fmt.Sprint(f.mg)
		if f.eg != f.mg {
			weight = fmt.Sprintf("%d/%d", f.mg, f.eg)
		}
		parts = append(parts, name+" "+weight)
	}
	return strings.Join(parts, ", ")
}

// migrate brings the file's terms up to date and says so in its provenance: the weights
// as they were are the parent.
func (f *File) migrate(m *eval.Model, removed, added []string) {
	g := &Migration{From: f.ID(), Terms: len(f.Terms)}
	f.Terms = slices.DeleteFunc(f.Terms, func(t TermWeight) bool {
		gone := slices.Contains(removed, t.Name)
		if gone {
			g.Removed = append(g.Removed, t)
		}
		return gone
	})
	for _, name := range added {
		i, _ := m.Term(name)
		t := TermWeight{Name: name, MG: m.Start[i].MG, EG: m.Start[i].EG}
		g.Added = append(g.Added, t)
		f.Terms = append(f.Terms, t)
	}
	f.Migration = g
	v := &f.Provenance
	v.Parent = g.From
	if v.Method != "" {
		v.Method = "; before that: " + v.Method
	}
	v.Method = g.String() + v.Method
	if !g.Exact() { // the losses are another evaluation's
		v.LossTrain, v.LossValid = 0, 0
	}
}
