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
// Everything is from White's view.
package writer

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
)

// Term is a term of the evaluation with the values that the engine plays with. Kind is
// empty for a tapered term, "single" (one value, inside the taper), "flat" (one value, after
// the taper), "mg" or "eg" (of one half alone: the other value is 0 and stays it). Asymmetric
// terms are not the same for both colors on purpose. No fit changes a Fixed term: it stands
// for a part that is not linear, with value 1 and the part as its count.
type Term struct {
	Name       string  `json:"name"`
	Group      string  `json:"group,omitempty"`
	Kind       string  `json:"kind,omitempty"`
	Asymmetric bool    `json:"asymmetric,omitempty"`
	Fixed      bool    `json:"fixed,omitempty"`
	MG         float64 `json:"mg"`
	EG         float64 `json:"eg"`
}

// Header describes the evaluation; see FORMAT.md for its fields. Unit 0 is 100.
type Header struct {
	Format   string  `json:"format"`
	Records  string  `json:"records"`
	Model    string  `json:"model"`
	Unit     float64 `json:"unit"`
	Float    bool    `json:"float,omitempty"`
	EGScale  string  `json:"eg_scale,omitempty"`
	BySide   bool    `json:"by_side,omitempty"`
	Resolves bool    `json:"resolves,omitempty"`
	Terms    []Term  `json:"terms"`
}

// Record is what is known of a position beside its counts.
type Record struct {
	Phase, Scale, EGScale, Offset float32
	Eval                          float32
	HasEval                       bool
	Halves                        []int32 // middlegame and endgame; by side White's and Black's endgame
	ScaleWhite, ScaleBlack        float32 // by side
	Leaf                          string  // FEN, where the header says Resolves
}

// Writer answers positions with records.
type Writer struct {
	in     *bufio.Reader
	out    *bufio.Writer
	header Header
	counts [][2]float32 // by term: White's (or both sides') and Black's
	used   []uint16     // the terms of the record
	seen   []bool       // by term: it is in used
	buf    []byte
	err    error
}

// New prints the header.
func New(in io.Reader, out io.Writer, h Header) *Writer {
	h.Format, h.Records = "assay.features/2", "binary"
	if h.Unit == 0 {
		h.Unit = 100
	}
	w := &Writer{in: bufio.NewReaderSize(in, 1<<16), out: bufio.NewWriterSize(out, 1<<16), header: h, counts: make([][2]float32, len(h.Terms)), seen: make([]bool, len(h.Terms))}
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
func (w *Writer) Add(term int, count float32) { w.AddSides(term, count, 0) }

// AddSides counts a term where sides are scaled on their own.
func (w *Writer) AddSides(term int, white, black float32) {
	if term < 0 || term >= len(w.counts) {
		if w.err == nil {
			w.err = fmt.Errorf("features: term %d of %d", term, len(w.counts))
		}
		return
	}
	if !w.seen[term] {
		w.seen[term] = true
		w.used = append(w.used, uint16(term))
	}
	w.counts[term][0] += white
	w.counts[term][1] += black
}

// Write ends a record. The evaluation is offset + flat terms
// + scale x (phase x MG + (1 - phase) x eg_scale x EG).
func (w *Writer) Write(r Record) {
	if w.err != nil {
		return
	}
	used, wide := w.used[:0], false
	for _, t := range w.used { // what cancels out is left out
		w.seen[t] = false
		if w.counts[t] != [2]float32{} {
			used = append(used, t)
			for _, c := range w.counts[t] {
				wide = wide || c < -128 || c > 127 || c != float32(int8(c))
			}
		}
	}
	flags := byte(0)
	for bit, set := range map[byte]bool{1: r.HasEval, 2: wide, 16: r.Halves != nil, 32: w.header.BySide} {
		if set {
			flags |= bit
		}
	}
	b := w.buf[:0]
	if w.header.Resolves {
		b = append(append(b, r.Leaf...), '\n')
	}
	b = append(u16(b, uint16(len(used))), flags, 0xA6)
	for _, v := range [...]float32{r.Phase, r.Scale, r.EGScale, r.Offset, r.Eval} {
		b = f32(b, v)
	}
	for _, t := range used {
		b = u16(b, t)
	}
	for side := 0; side == 0 || side == 1 && w.header.BySide; side++ {
		for _, t := range used {
			if c := w.counts[t][side]; wide {
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
	for _, t := range used {
		w.counts[t] = [2]float32{}
	}
	w.used, w.buf = w.used[:0], b
	_, w.err = w.out.Write(b)
}

func u16(b []byte, v uint16) []byte { return append(b, byte(v), byte(v>>8)) }

func u32(b []byte, v uint32) []byte { return append(b, byte(v), byte(v>>8), byte(v>>16), byte(v>>24)) }

func f32(b []byte, v float32) []byte { return u32(b, math.Float32bits(v)) }

func (w *Writer) flush() {
	if err := w.out.Flush(); w.err == nil {
		w.err = err
	}
}
