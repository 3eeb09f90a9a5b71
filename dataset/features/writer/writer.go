// Package writer prints the features of an evaluation for assay features: the writer in Go for
// engines in Go, to import or to copy. It uses the standard library alone. Its siblings
// are assay_features.py and assay_features.rs in this folder, and ../assay_features.h for C
// and C++. It builds with Go 1.18 and later. The protocol, assay.features/2, is described in dataset/FORMAT.md.
//
//	w := writer.New(os.Stdin, os.Stdout, writer.Header{Model: "myengine", Terms: terms})
//	for fen, ok := w.Next(); ok; fen, ok = w.Next() {
//		w.Add(pawn, +1) // for each feature: + White's, - Black's
//		w.Write(writer.Record{Phase: phase, Scale: 1, EGScale: 1, Eval: eval, HasEval: true})
//	}
//	if err := w.Err(); err != nil { ... }
//
// An evaluation that is not linear has channels, sums of terms, and a formula of them:
//
//	h := writer.Header{Model: "myengine", Terms: terms,
//		Channels: []writer.Channel{{Name: "main"}, {Name: "danger", Kind: "plain", Sides: true}},
//		Columns:  []writer.Column{{Name: "f", Sides: true}},
//		Formula:  "value = main.mg*phase + main.eg*f.white*(1 - phase) + balance(max(danger, 0)^2)/divisor"}
//
// Its terms name their channel, its scalars ("divisor") have the kind "scalar" and none; AddSides counts
// the terms of channels of each side, and Record.Columns has the numbers of the columns.
//
// Load gives terms the weights of a fit, to play with them without new source.
//
// Everything is from White's view.
package writer

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
)

// Term is a term of the evaluation with the values that the engine plays with. Kind is
// empty for a tapered term, "single" (one value, inside the taper), "flat" (one value, after
// the taper), "mg" or "eg" (of one half alone: the other value is 0 and stays it). Asymmetric
// terms are not the same for both colors on purpose. No fit changes a Fixed term: it stands
// for a part that is not linear, with value 1 and the part as its count. With a formula a term
// has the name of its Channel (empty: the first); a term of a plain channel has one value, MG, and
// so has a number of the formula, of kind "scalar", which a fit rounds to a multiple of Step (0: 1).
// Scalars NAME.0, NAME.1 and so on are a table.
type Term struct {
	Name       string  `json:"name"`
	Group      string  `json:"group,omitempty"`
	Kind       string  `json:"kind,omitempty"`
	Asymmetric bool    `json:"asymmetric,omitempty"`
	Fixed      bool    `json:"fixed,omitempty"`
	MG         float64 `json:"mg"`
	EG         float64 `json:"eg"`
	Channel    string  `json:"channel,omitempty"`
	Step       float64 `json:"step,omitempty"`
}

// Load gives the terms the values of a weight file. It must have all of them, by name, and no others; after an error
// the terms are as before.
func Load(path string, terms []Term) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var file struct {
		Format string `json:"format"`
		Terms  []struct {
			Name string   `json:"name"`
			MG   float64  `json:"mg"`
			EG   *float64 `json:"eg"`
		} `json:"terms"`
	}
	if err := json.Unmarshal(text, &file); err != nil || file.Format != "assay.weights/1" {
		return fmt.Errorf("%s is no weight file of assay (%v)", path, err)
	}
	at := map[string]int{}
	for i, v := range file.Terms {
		at[v.Name] = i
	}
	loaded := append([]Term(nil), terms...)
	for i := range loaded {
		t := &loaded[i]
		k, ok := at[t.Name]
		if !ok {
			return fmt.Errorf("%s has no term %q", path, t.Name)
		}
		delete(at, t.Name)
		v := file.Terms[k]
		if t.MG, t.EG = v.MG, v.MG; v.EG != nil {
			t.EG = *v.EG
		}
		if t.Kind == "scalar" && t.Step != 0 {
			t.MG, t.EG = t.MG*t.Step, t.EG*t.Step
		}
	}
	for name := range at {
		return fmt.Errorf("%s: the engine has no term %q", path, name)
	}
	copy(terms, loaded)
	return nil
}

// Channel is a sum of terms that a formula uses. Kind is "tapered" or empty, or "plain": one sum,
// not two halves. With Sides there is a sum of White's counts and one of Black's.
type Channel struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`
	Sides bool   `json:"sides,omitempty"`
}

// Column is a number of each position that a formula uses; with Sides two, White's and Black's.
type Column struct {
	Name  string `json:"name"`
	Sides bool   `json:"sides,omitempty"`
}

// Header describes the evaluation; see FORMAT.md for its fields. Unit 0 is 100.
type Header struct {
	Format   string    `json:"format"`
	Records  string    `json:"records"`
	Model    string    `json:"model"`
	Unit     float64   `json:"unit"`
	Float    bool      `json:"float,omitempty"`
	EGScale  string    `json:"eg_scale,omitempty"`
	BySide   bool      `json:"by_side,omitempty"`
	Resolves bool      `json:"resolves,omitempty"`
	Formula  string    `json:"formula,omitempty"`
	Channels []Channel `json:"channels,omitempty"`
	Columns  []Column  `json:"columns,omitempty"`
	Terms    []Term    `json:"terms"`
}

// sides reports whether records count each side on its own.
func (h *Header) sides() bool {
	sides := h.BySide
	for _, c := range h.Channels {
		sides = sides || c.Sides
	}
	return sides
}

// sided reports which terms count each side.
func (h *Header) sided() []bool {
	sides := map[string]bool{}
	for i, c := range h.Channels {
		if sides[c.Name] = c.Sides; i == 0 {
			sides[""] = c.Sides
		}
	}
	out := make([]bool, len(h.Terms))
	for i, t := range h.Terms {
		out[i] = h.BySide || t.Kind != "scalar" && sides[t.Channel]
	}
	return out
}

// numbers returns how many numbers a record has in its columns.
func (h *Header) numbers() int {
	n := len(h.Columns)
	for _, c := range h.Columns {
		if c.Sides {
			n++
		}
	}
	return n
}

// complete fills in what may be left out. The caller's slices stay as they are.
func (h Header) complete() Header {
	h.Format, h.Records = "assay.features/2", "binary"
	if h.Unit == 0 {
		h.Unit = 100
	}
	plain := map[string]bool{}
	channels := append([]Channel(nil), h.Channels...)
	for i := range channels {
		c := &channels[i]
		if c.Kind == "" {
			c.Kind = "tapered"
		}
		plain[c.Name] = c.Kind == "plain"
		plain[""] = channels[0].Kind == "plain"
	}
	terms := append([]Term(nil), h.Terms...)
	for i := range terms {
		if t := &terms[i]; t.Kind == "scalar" || plain[t.Channel] {
			t.EG = t.MG
		}
	}
	h.Channels, h.Terms = channels, terms
	return h
}

// Record is what is known of a position beside its counts.
type Record struct {
	Phase, Scale, EGScale, Offset float32
	Eval                          float32
	HasEval                       bool
	Halves                        []int32 // middlegame and endgame; by side White's and Black's endgame
	ScaleWhite, ScaleBlack        float32 // by side
	Leaf                          string  // FEN, where the header says Resolves
	// With a formula: the numbers of the columns in order, White's before Black's, and why no fit takes
	// the position, if so (all else but Leaf is then left out).
	Columns []float32
	Skip    string
}

// Writer answers positions with records.
type Writer struct {
	in     *bufio.Reader
	out    *bufio.Writer
	header Header
	sides  bool
	sided  []bool       // by term: each side is counted
	counts [][2]float64 // by term: White's (or both sides') and Black's; a sum of float32 would depend on the order
	used   []uint16     // the terms of the record
	seen   []bool       // by term: it is in used
	kept   []uint16     // used without what cancels out
	buf    []byte
	err    error
}

// New prints the header.
func New(in io.Reader, out io.Writer, h Header) *Writer {
	h = h.complete()
	w := &Writer{in: bufio.NewReaderSize(in, 1<<16), out: bufio.NewWriterSize(out, 1<<16), header: h,
		counts: make([][2]float64, len(h.Terms)), seen: make([]bool, len(h.Terms)), sides: h.sides(), sided: h.sided()}
	doc, err := json.Marshal(h)
	w.err = err
	w.out.Write(append(doc, '\n'))
	w.flush()
	return w
}

// Next returns the FEN of the next position, false at the end or after an error.
func (w *Writer) Next() (fen string, ok bool) {
	for w.err == nil {
		line, err := w.in.ReadString('\n')
		if line = strings.TrimRight(line, "\r\n"); line != "" {
			return line, true
		}
		w.flush()
		if err != nil {
			if err != io.EOF {
				w.err = err
			}
			break
		}
	}
	return "", false
}

// Err returns the first error.
func (w *Writer) Err() error { return w.err }

// Add counts a term: White's count minus Black's.
func (w *Writer) Add(term int, count float32) {
	if term >= 0 && term < len(w.sided) && w.sided[term] && w.err == nil {
		w.err = fmt.Errorf("features: each side of term %d is counted: use AddSides(term, white, black), not Add", term)
	}
	w.count(term, count, 0)
}

// AddSides counts a term where sides are scaled on their own, or one of a channel of each side.
func (w *Writer) AddSides(term int, white, black float32) {
	if term >= 0 && term < len(w.sided) && !w.sided[term] && w.sides && black != 0 && w.err == nil {
		w.err = fmt.Errorf("features: the channel of term %d does not count each side: use Add(term, white - black), "+
			"not AddSides", term)
	}
	w.count(term, white, black)
}

func (w *Writer) count(term int, white, black float32) {
	if term < 0 || term >= len(w.counts) {
		if w.err == nil {
			w.err = fmt.Errorf("features: term %d of %d", term, len(w.counts))
		}
		return
	}
	if black != 0 && !w.sides && w.err == nil {
		w.err = fmt.Errorf("features: a count of Black for term %d, but neither the header is BySide nor a channel has "+
			"Sides", term)
	}
	if !w.seen[term] {
		w.seen[term] = true
		w.used = append(w.used, uint16(term))
	}
	w.counts[term][0] += float64(white)
	w.counts[term][1] += float64(black)
}

// Write ends a record. The evaluation is the formula's value or, without one, offset + flat terms
// + scale x (phase x MG + (1 - phase) x eg_scale x EG).
func (w *Writer) Write(r Record) {
	if n := w.header.numbers(); w.err == nil && r.Skip == "" && len(r.Columns) != n {
		w.err = fmt.Errorf("features: %d numbers in columns, want %d", len(r.Columns), n)
	}
	if w.err != nil {
		return
	}
	b := w.buf[:0]
	if w.header.Resolves {
		b = append(append(b, r.Leaf...), '\n')
	}
	if r.Skip != "" {
		b = w.skip(b, r.Skip)
	} else {
		b = w.record(b, &r)
	}
	for _, t := range w.used {
		w.counts[t], w.seen[t] = [2]float64{}, false
	}
	w.used, w.buf = w.used[:0], b
	_, w.err = w.out.Write(b)
}

// skip appends a record that says why a position is left out.
func (w *Writer) skip(b []byte, reason string) []byte {
	if len(reason) > 255 {
		reason = reason[:255]
	}
	b = append(u16(b, 0), 64, 0xA6)
	b = append(b, make([]byte, 20)...)
	return append(append(b, byte(len(reason))), reason...)
}

// record appends a record.
func (w *Writer) record(b []byte, r *Record) []byte {
	used, wide := w.kept[:0], false
	for _, t := range w.used { // what cancels out is left out
		if n := w.counts[t]; math.Abs(n[0]) > 1e-9 || math.Abs(n[1]) > 1e-9 {
			used = append(used, t)
			for _, n := range n {
				c := float32(n)
				wide = wide || c < -128 || c > 127 || c != float32(int8(c))
			}
		}
	}
	w.kept = used
	flags := byte(0)
	for bit, set := range map[byte]bool{1: r.HasEval, 2: wide, 16: r.Halves != nil, 32: w.header.BySide,
		4: w.sides && !w.header.BySide, 8: len(r.Columns) > 0} {
		if set {
			flags |= bit
		}
	}
	b = append(u16(b, uint16(len(used))), flags, 0xA6)
	for _, v := range [...]float32{r.Phase, r.Scale, r.EGScale, r.Offset, r.Eval} {
		b = f32(b, v)
	}
	for _, t := range used {
		b = u16(b, t)
	}
	for side := 0; side == 0 || side == 1 && w.sides; side++ {
		for _, t := range used {
			if c := float32(w.counts[t][side]); wide {
				b = f32(b, c)
			} else {
				b = append(b, byte(int8(c)))
			}
		}
	}
	for _, h := range r.Halves {
		b = u32(b, uint32(h))
	}
	if w.header.BySide {
		b = f32(f32(b, r.ScaleWhite), r.ScaleBlack)
	}
	for _, v := range r.Columns {
		b = f32(b, v)
	}
	return b
}

func u16(b []byte, v uint16) []byte { return append(b, byte(v), byte(v>>8)) }

func u32(b []byte, v uint32) []byte { return append(b, byte(v), byte(v>>8), byte(v>>16), byte(v>>24)) }

func f32(b []byte, v float32) []byte { return u32(b, math.Float32bits(v)) }

func (w *Writer) flush() {
	if err := w.out.Flush(); w.err == nil {
		w.err = err
	}
}
