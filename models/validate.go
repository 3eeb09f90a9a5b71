package models

import (
	"errors"
	"fmt"
	"strings"

	"github.com/assay-chess/assay/eval"
)

// validate checks the terms that were read against the model's, and puts them into its
// order. A file of an evaluation that is none of ours stays as it is.
func (p *parser) validate(f *File) error {
	m, err := eval.Lookup(f.Model)
	if err != nil {
		if p.foreign {
			return p.describeForeign(f)
		}
		return err
	}
	for i, g := range p.group {
		if g != "" {
			return fmt.Errorf("term %q: the group of a term of model %s is not for a file to say", f.Terms[i].Name, m.Name)
		}
	}
	var unknown, missing []string
	for i := range f.Terms {
		if _, ok := m.Term(f.Terms[i].Name); !ok {
			unknown = append(unknown, f.Terms[i].Name)
		}
	}
	for i := range m.Terms {
		if _, ok := p.taken[m.Terms[i].Name]; !ok {
			missing = append(missing, m.Terms[i].Name)
		}
	}
	if len(unknown)+len(missing) > 0 {
		return wrongTerms(m, unknown, missing)
	}
	return p.order(f, m)
}

// order puts the terms into the order of the model's table.
func (p *parser) order(f *File, m *eval.Model) error {
	ordered := make([]TermWeight, len(m.Terms))
	for i, t := range m.Terms {
		at := p.taken[t.Name]
		if t.Tapered && p.single[at] {
			return fmt.Errorf("term %q is tapered: eg is missing", t.Name)
		}
		ordered[i] = f.Terms[at]
	}
	f.Terms = ordered
	_, _, err := f.Weights()
	return err
}

// describeForeign makes a table of the file's own terms.
func (p *parser) describeForeign(f *File) error {
	if f.Model == "" || len(f.Terms) == 0 {
		return errors.New("an evaluation needs a name, as its model, and terms")
	}
	f.Foreign = make([]eval.Term, len(f.Terms))
	for i := range f.Terms {
		t := &f.Terms[i]
		if t.Name == "" {
			return fmt.Errorf("term number %d has no name", i)
		}
		f.Foreign[i] = eval.Term{Name: t.Name, Group: p.group[i], Tapered: !p.single[i], Mirror: i}
		if p.group[i] == "" {
			f.Foreign[i].Group = groupOf(t.Name)
		}
	}
	return nil
}

// groupOf is the group of a foreign term that does not say: what stands before the first
// dot of its name.
func groupOf(name string) string {
	group, _, _ := strings.Cut(name, ".")
	return group
}

// wrongTerms is the error of a file whose terms are not the model's, as those of a file
// that was written before the model's terms changed.
func wrongTerms(m *eval.Model, unknown, missing []string) error {
	var parts []string
	if len(unknown) > 0 {
		parts = append(parts, fmt.Sprintf("model %s has no term %s", m.Name, listNames(unknown)))
	}
	if len(missing) == 1 {
		parts = append(parts, fmt.Sprintf("term %s of model %s is missing", listNames(missing), m.Name))
	} else if len(missing) > 1 {
		parts = append(parts, fmt.Sprintf("%d terms of model %s are missing: %s", len(missing), m.Name, listNames(missing)))
	}
	parts = append(parts, "the file is for another version of the model: fit its weights again with assay tune")
	return errors.New(strings.Join(parts, "; "))
}

// listNames names terms for an error message: one by one, but more than three whose names
// begin alike as a family, and no more than a message can hold.
func listNames(names []string) string {
	var heads []string
	members := map[string][]string{}
	for _, name := range names {
		h := groupOf(name)
		if members[h] == nil {
			heads = append(heads, h)
		}
		members[h] = append(members[h], name)
	}
	const most = 24
	var parts []string
	for i, h := range heads {
		if i == most {
			parts = append(parts, fmt.Sprintf("and more, %d in all", len(names)))
			break
		}
		if len(members[h]) > 3 {
			parts = append(parts, fmt.Sprintf("%s (%d)", quoted(h+".*"), len(members[h])))
			continue
		}
		for _, name := range members[h] {
			parts = append(parts, quoted(name))
		}
	}
	return strings.Join(parts, ", ")
}
