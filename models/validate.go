package models

import (
	"errors"
	"fmt"
	"strings"

	"github.com/assay-chess/assay/eval"
)

// validate checks the terms that were read against the model's, and puts them into the
// model's order. The terms of a foreign evaluation keep the file's order.
func (p *parser) validate(f *File) error {
	if err := eval.CheckName(f.Model); err != nil {
		return fmt.Errorf("model: %w", err)
	}
	m, err := eval.Lookup(f.Model)
	if err != nil {
		if p.foreign {
			return p.describeForeign(f)
		}
		return err
	}
	for i, g := range p.group {
		if g != "" {
			return fmt.Errorf("term %q: remove its group: model %s defines the groups of its terms", f.Terms[i].Name, m.Name)
		}
	}
	var unknown, missing []string
	for i := range f.Terms {
		if _, ok := m.Term(f.Terms[i].Name); !ok {
			unknown = append(unknown, f.Terms[i].Name)
		}
	}
	for i := range m.Terms {
		if _, ok := p.index[m.Terms[i].Name]; !ok {
			missing = append(missing, m.Terms[i].Name)
		}
	}
	if len(unknown)+len(missing) > 0 {
		return wrongTerms(m, unknown, missing)
	}
	return p.order(f, m)
}

// order puts the terms into the order of the model's term table.
func (p *parser) order(f *File, m *eval.Model) error {
	ordered := make([]TermWeight, len(m.Terms))
	for i, t := range m.Terms {
		at := p.index[t.Name]
		if t.Tapered && p.single[at] {
			return fmt.Errorf("term %q is tapered: eg is missing", t.Name)
		}
		ordered[i] = f.Terms[at]
	}
	f.Terms = ordered
	_, err := f.Table()
	return err
}

// describeForeign makes the term table of a foreign evaluation from the file.
func (p *parser) describeForeign(f *File) error {
	if len(f.Terms) == 0 {
		return errors.New("a foreign evaluation needs terms")
	}
	f.Foreign = make([]eval.Term, len(f.Terms))
	for i := range f.Terms {
		t := &f.Terms[i]
		f.Foreign[i] = eval.Term{Name: t.Name, Group: p.group[i], Tapered: !p.single[i], Mirror: i}
		if p.group[i] == "" {
			f.Foreign[i].Group = groupOf(t.Name)
		}
	}
	_, err := f.Table()
	return err
}

// checkForeignNames checks the names of a foreign evaluation, its terms and its groups.
func checkForeignNames(f *File) error {
	if err := eval.CheckName(f.Model); err != nil {
		return fmt.Errorf("model: %w", err)
	}
	for i := range f.Foreign {
		t := &f.Foreign[i]
		if err := eval.CheckName(t.Name); err != nil {
			return fmt.Errorf("term %d: %w", i, err)
		}
		if err := eval.CheckName(t.Group); t.Group != "" && err != nil {
			return fmt.Errorf("term %q: group: %w", t.Name, err)
		}
	}
	return nil
}

// groupOf returns the group of a foreign term without a field group: its name up to the
// first dot.
func groupOf(name string) string {
	group, _, _ := strings.Cut(name, ".")
	return group
}

// wrongTerms returns the error of a file whose terms are not the model's, for example of a
// file written before the model's terms changed.
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

// listNames names terms in an error message. More than three whose names have the same
// first part are listed as one entry, and at most 24 entries are listed.
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
			parts = append(parts, fmt.Sprintf("and more, %d in total", len(names)))
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
