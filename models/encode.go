package models

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/assay-chess/assay/eval"
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
	var e encoder
	e.WriteString("{\n")
	e.line(1, "format", Format, ",")
	e.line(1, "model", f.Model, ",")
	e.line(1, "unit", f.unitField(), ",")
	if f.Formula != "" {
		e.line(1, "formula", f.Formula, ",")
	}
	e.line(1, "K", f.K, ",")
	e.provenance(&f.Provenance)
	e.WriteString("  \"terms\": [\n")
	for i := range f.Terms {
		e.term(&table[i], &f.Terms[i], f.Foreign != nil, i == len(f.Terms)-1)
	}
	e.WriteString("  ]\n}\n")
	return e.Bytes(), e.err
}

// encoder writes JSON in a layout for people, and keeps the first error.
type encoder struct {
	bytes.Buffer
	err error
}

func (e *encoder) line(depth int, name string, v any, end string) {
	for range depth {
		e.WriteString("  ")
	}
	e.field(name, v)
	e.WriteString(end + "\n")
}

func (e *encoder) field(name string, v any) {
	var text []byte
	var err error
	if x, ok := v.(float64); ok {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			err = fmt.Errorf("%v cannot be written as JSON", x)
		}
		text = strconv.AppendFloat(nil, x, 'g', -1, 64)
	} else {
		text, err = json.Marshal(v)
	}
	if err != nil && e.err == nil {
		e.err = fmt.Errorf("%s: %w", name, err)
	}
	fmt.Fprintf(e, "%q: %s", name, text)
}

func (e *encoder) provenance(p *Provenance) {
	data := p.Data
	if data == nil {
		data = []string{}
	}
	e.WriteString("  \"provenance\": {\n")
	e.line(2, "parent", p.Parent, ",")
	e.line(2, "data", data, ",")
	e.line(2, "rows", p.Rows, ",")
	e.line(2, "games", p.Games, ",")
	e.line(2, "split", p.Split, ",")
	e.line(2, "loss_train", p.LossTrain, ",")
	e.line(2, "loss_valid", p.LossValid, ",")
	e.line(2, "method", p.Method, ",")
	e.line(2, "seed", p.Seed, ",")
	e.line(2, "program", p.Program, ",")
	e.line(2, "config", p.Config, ",")
	e.line(2, "time", p.Time, "")
	e.WriteString("  },\n")
}

// term writes a term, with one value where it is not tapered. It omits fitted numbers that
// are zero, and the group of a foreign term where groupOf gives it.
func (e *encoder) term(t *eval.Term, w *TermWeight, foreign, last bool) {
	before := e.err
	e.WriteString("    {")
	e.field("name", w.Name)
	field := func(name string, v any) {
		e.WriteString(", ")
		e.field(name, v)
	}
	if foreign && t.Group != groupOf(t.Name) {
		field("group", t.Group)
	}
	field("mg", w.MG)
	if t.Tapered {
		field("eg", w.EG)
	}
	if w.Step != 0 {
		field("step", w.Step)
	}
	for _, x := range []struct {
		name string
		v    float64
	}{{"fit_mg", w.FitMG}, {"fit_eg", w.FitEG}, {"se_mg", w.SEMG}, {"se_eg", w.SEEG}} {
		if x.v != 0 {
			field(x.name, x.v)
		}
	}
	if w.Count != 0 {
		field("count", w.Count)
	}
	if last {
		e.WriteString("}\n")
	} else {
		e.WriteString("},\n")
	}
	if before == nil && e.err != nil {
		e.err = fmt.Errorf("term %q: %w", w.Name, e.err)
	}
}

// checkSlope returns an error unless K can be the slope of a sigmoid over centipawns or engine units.
func checkSlope(k float64) error {
	if !(k > 0 && k <= 1) {
		return fmt.Errorf("slope K is %v, want a number above 0 and at most 1 per unit", k)
	}
	return nil
}
