package models

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/assay-chess/assay/eval"
)

// Parse reads the text of a weight file of one of the models of package eval. The terms
// must be exactly the model's, in any order; a file written before the model's terms
// changed is an error. Errors name the file, as name, the line and the term. Memory and
// time are bounded by the size of the text, which is at most maxSize.
func Parse(name string, data []byte) (*File, error) { return parse(name, data, false) }

// ParseAny is Parse for weights of any evaluation. File.External is set where the model is
// not one of package eval.
func ParseAny(name string, data []byte) (*File, error) { return parse(name, data, true) }

// document is a weight file as JSON. Pointers are fields that must be there.
type document struct {
	Format     *string     `json:"format"`
	Model      *string     `json:"model"`
	Unit       *string     `json:"unit"`
	Formula    string      `json:"formula"`
	K          *float64    `json:"K"`
	Provenance *Provenance `json:"provenance"`
	Terms      []termJSON  `json:"terms"`
}

// termJSON is a term as JSON. MG must be there; EG is if the term is tapered. Fitted numbers that are
// zero are left out, and so is the group where groupOf gives it.
type termJSON struct {
	Name  string `json:"name"`
	Group string `json:"group,omitzero"` // of an external evaluation only
	MG    *int32 `json:"mg"`
	EG    *int32 `json:"eg,omitzero"`
	FitMG number `json:"fit_mg,omitzero"`
	FitEG number `json:"fit_eg,omitzero"`
	SEMG  number `json:"se_mg,omitzero"`
	SEEG  number `json:"se_eg,omitzero"`
	Count int64  `json:"count,omitzero"`
}

func parse(name string, data []byte, foreign bool) (*File, error) {
	if len(data) > maxSize {
		return nil, fmt.Errorf("%s: larger than %d bytes, the most that a weight file may have", name, maxSize)
	}
	var d document
	err := UnmarshalStrict(data, &d, notNull)
	if err == nil {
		err = d.check(data)
	}
	var wrong *JSONError
	if errors.As(err, &wrong) {
		return nil, fmt.Errorf("%s:%d: %w", name, wrong.Line, d.nameTerm(wrong))
	}
	var f *File
	if err == nil {
		f, err = d.file(foreign)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

// nameTerm puts the name of a term in place of its number.
func (d *document) nameTerm(err *JSONError) error {
	at := slices.Collect(err.Pointer.Tokens())
	if len(at) < 2 || at[0] != "terms" {
		return err
	}
	name := at[1]
	if i, e := strconv.Atoi(name); e == nil && i < len(d.Terms) && d.Terms[i].Name != "" {
		name = strconv.Quote(d.Terms[i].Name)
	}
	return fmt.Errorf("term %s: %s", strings.Join(append([]string{name}, at[2:min(4, len(at))]...), ": "), err.What)
}

// check finds fields that are missing, repeated or out of range.
func (d *document) check(text []byte) error {
	for _, field := range []struct {
		name    string
		missing bool
	}{
		{"format", d.Format == nil}, {"model", d.Model == nil}, {"unit", d.Unit == nil}, {"K", d.K == nil},
		{"provenance", d.Provenance == nil}, {"terms", d.Terms == nil},
	} {
		if field.missing {
			return jsonErrorf(text, "", "field %q is missing", field.name)
		}
	}
	if *d.Format != formatName {
		return jsonErrorf(text, "/format", "want %q, got %.60q", formatName, *d.Format)
	}
	if _, err := parseUnit(*d.Unit); err != nil {
		return jsonErrorf(text, "/unit", "%v", err)
	}
	if err := checkSlope(*d.K); err != nil {
		return jsonErrorf(text, "/K", "%v", err)
	}
	if d.Provenance.Rows < 0 || d.Provenance.Games < 0 {
		return jsonErrorf(text, "/provenance", "rows and games cannot be below 0")
	}
	seen := make(map[string]bool, len(d.Terms))
	for i := range d.Terms {
		t := &d.Terms[i]
		at := jsontext.Pointer("/terms").AppendToken(strconv.Itoa(i))
		switch {
		case i == maxTerms:
			return jsonErrorf(text, at, "more than %d terms", maxTerms)
		case t.Name == "":
			return jsonErrorf(text, at, `field "name" is missing`)
		case seen[t.Name]:
			return jsonErrorf(text, at, "it is given twice")
		case t.MG == nil:
			return jsonErrorf(text, at, `field "mg" is missing`)
		case t.Count < 0:
			return jsonErrorf(text, at+"/count", "want 0 or more, got %d", t.Count)
		}
		seen[t.Name] = true
		if w := t.weight(); max(w.MG, -w.MG, w.EG, -w.EG) > eval.MaxCoef {
			return jsonErrorf(text, at, "mg and eg: want -%d to %[1]d, got %d and %d", eval.MaxCoef, w.MG, w.EG)
		}
	}
	return nil
}

// file makes the file, with the terms in the order of the model's table. The terms of a foreign
// evaluation keep their order.
func (d *document) file(foreign bool) (*File, error) {
	f := &File{Model: *d.Model, Formula: d.Formula, K: *d.K, Provenance: *d.Provenance}
	f.Unit, _ = parseUnit(*d.Unit)
	if len(f.Provenance.Data) == 0 {
		f.Provenance.Data = nil
	}
	if err := eval.CheckName(f.Model); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	m, err := eval.Lookup(f.Model)
	switch {
	case err == nil:
		err = d.order(f, m)
	case foreign:
		err = d.foreign(f)
	}
	if err == nil {
		_, err = f.Table()
	}
	return f, err
}

// order takes the terms in the order of the model's term table.
func (d *document) order(f *File, m *eval.Model) error {
	index := make(map[string]*termJSON, len(d.Terms))
	var unknown, missing []string
	for i := range d.Terms {
		t := &d.Terms[i]
		if t.Group != "" {
			return fmt.Errorf("term %q: remove its group: model %s defines the groups of its terms", t.Name, m.Name)
		}
		if _, ok := m.Term(t.Name); !ok {
			unknown = append(unknown, t.Name)
		}
		index[t.Name] = t
	}
	for i := range m.Terms {
		if index[m.Terms[i].Name] == nil {
			missing = append(missing, m.Terms[i].Name)
		}
	}
	if len(unknown)+len(missing) > 0 {
		return wrongTerms(m, unknown, missing)
	}
	for _, t := range m.Terms {
		if t.Tapered && index[t.Name].EG == nil {
			return fmt.Errorf("term %q is tapered: eg is missing", t.Name)
		}
		f.Terms = append(f.Terms, index[t.Name].weight())
	}
	return nil
}

// foreign makes the term table of an external evaluation from the file.
func (d *document) foreign(f *File) error {
	if len(d.Terms) == 0 || f.Formula != "" {
		return errors.New("an external evaluation needs terms, and has no formula")
	}
	for i := range d.Terms {
		t := &d.Terms[i]
		f.Terms = append(f.Terms, t.weight())
		about := eval.Term{Name: t.Name, Group: cmp.Or(t.Group, groupOf(t.Name)), Tapered: t.EG != nil, Mirror: i}
		f.External = append(f.External, about)
	}
	return nil
}

func (t *termJSON) weight() TermWeight {
	return TermWeight{
		Name: t.Name, MG: *t.MG, EG: *cmp.Or(t.EG, t.MG), Count: t.Count,
		FitMG: float64(t.FitMG), FitEG: float64(t.FitEG), SEMG: float64(t.SEMG), SEEG: float64(t.SEEG),
	}
}

// groupOf returns the group of an external term without a field group: its name up to the
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
	var heads, parts []string
	members := map[string][]string{}
	for _, name := range names {
		h := groupOf(name)
		if members[h] == nil {
			heads = append(heads, h)
		}
		members[h] = append(members[h], name)
	}
	const most = 24
	for _, h := range heads[:min(most, len(heads))] {
		if len(members[h]) > 3 {
			members[h] = []string{fmt.Sprintf("%.60q (%d)", h+".*", len(members[h]))}
			parts = append(parts, members[h]...)
			continue
		}
		for _, name := range members[h] {
			parts = append(parts, fmt.Sprintf("%.60q", name))
		}
	}
	if len(heads) > most {
		parts = append(parts, fmt.Sprintf("and more, %d in total", len(names)))
	}
	return strings.Join(parts, ", ")
}
