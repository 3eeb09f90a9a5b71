package models

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"github.com/assay-chess/assay/eval"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Encode returns the text of the file, with one line for each term, in table order. The
// same content has the same text, and Parse of the text returns the same content. It
// fails for weights that Parse would refuse.
func (f *File) Encode() ([]byte, error) {
	table, err := f.Table()
	if err != nil {
		return nil, err
	}
	if err := checkSlope(f.K); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	var failed error
	line := func(indent, name string, v any, end string) {
		text, err := json.Marshal(v, jsontext.EscapeForHTML(true))
		if err != nil && failed == nil {
			failed = fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintf(&b, "%s%q: %s%s\n", indent, name, text, end)
	}
	b.WriteString("{\n")
	line("  ", "format", formatName, ",")
	line("  ", "model", f.Model, ",")
	line("  ", "unit", f.unitField(), ",")
	if f.Formula != "" {
		line("  ", "formula", f.Formula, ",")
	}
	line("  ", "K", number(f.K), ",")
	b.WriteString("  \"provenance\": {\n")
	p := &f.Provenance
	for _, x := range []struct {
		name string
		v    any
	}{
		{"parent", p.Parent}, {"data", p.Data}, {"rows", p.Rows}, {"games", p.Games}, {"split", p.Split},
		{"loss_train", number(p.LossTrain)}, {"loss_valid", number(p.LossValid)}, {"method", p.Method},
		{"seed", p.Seed}, {"program", p.Program}, {"config", p.Config},
	} {
		line("    ", x.name, x.v, ",")
	}
	line("    ", "time", p.Time, "")
	b.WriteString("  },\n  \"terms\": [\n")
	for i := range f.Terms {
		text, err := json.Marshal(f.term(i, &table[i]), jsontext.SpaceAfterColon(true), jsontext.SpaceAfterComma(true),
			jsontext.EscapeForHTML(true))
		if err != nil && failed == nil {
			failed = fmt.Errorf("term %q: %w", f.Terms[i].Name, err)
		}
		b.WriteString("    " + string(text))
		if i < len(f.Terms)-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString("  ]\n}\n")
	return b.Bytes(), failed
}

// term returns a term as JSON, with one value where it is not tapered.
func (f *File) term(i int, about *eval.Term) *termJSON {
	w := &f.Terms[i]
	t := &termJSON{
		Name: w.Name, MG: &w.MG, Count: w.Count,
		FitMG: number(w.FitMG), FitEG: number(w.FitEG), SEMG: number(w.SEMG), SEEG: number(w.SEEG),
	}
	if about.Tapered {
		t.EG = &w.EG
	}
	if f.External != nil && about.Group != groupOf(w.Name) {
		t.Group = about.Group
	}
	return t
}

// number is written with the fewest digits that give it back.
type number float64

// MarshalJSON implements json.Marshaler.
func (x number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
		return nil, fmt.Errorf("%v cannot be written as JSON", float64(x))
	}
	return strconv.AppendFloat(nil, float64(x), 'g', -1, 64), nil
}

// checkSlope returns an error unless K can be the slope of a sigmoid over centipawns or engine units.
func checkSlope(k float64) error {
	if !(k > 0 && k <= 1) {
		return fmt.Errorf("slope K is %v, want a number above 0 and at most 1 per unit", k)
	}
	return nil
}

// Change is a term whose weights differ between two files, A and B.
type Change struct {
	Name string `json:"name"`
	MGA  int32  `json:"mg_a"`
	EGA  int32  `json:"eg_a"`
	MGB  int32  `json:"mg_b"`
	EGB  int32  `json:"eg_b"`
	// Significant: one of the values differs by more than two standard errors, where
	// either file states them.
	Significant bool `json:"significant"`
}

// Diff returns the terms whose weights differ, in the order of a. Terms that only one of
// the files has are left out: see Missing.
func Diff(a, b *File) []Change {
	changes, inB := []Change{}, b.byName()
	for i := range a.Terms {
		x, y := &a.Terms[i], inB[a.Terms[i].Name]
		if y == nil || x.MG == y.MG && x.EG == y.EG {
			continue
		}
		far := func(from, to int32, seA, seB float64) bool {
			se := math.Hypot(seA, seB)
			return se > 0 && math.Abs(float64(to-from)) > 2*se
		}
		changes = append(changes, Change{
			x.Name, x.MG, x.EG, y.MG, y.EG,
			far(x.MG, y.MG, x.SEMG, y.SEMG) || far(x.EG, y.EG, x.SEEG, y.SEEG),
		})
	}
	return changes
}

// Missing returns the first term of a that b does not have, and whether there is one.
func Missing(a, b *File) (name string, missing bool) {
	in := b.byName()
	for i := range a.Terms {
		if in[a.Terms[i].Name] == nil {
			return a.Terms[i].Name, true
		}
	}
	return "", false
}

func (f *File) byName() map[string]*TermWeight {
	m := make(map[string]*TermWeight, len(f.Terms))
	for i := range f.Terms {
		m[f.Terms[i].Name] = &f.Terms[i]
	}
	return m
}
