package features

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/internal/source"
)

// maxRecord is the maximum length of a JSON record, in bytes.
const maxRecord = 1 << 20

// record is an engine's answer to a position.
type record struct {
	dataset.FeatureRow
	halves []int32                   // of the engine: before the taper; nil if it gave none
	lets   *[2][]*dataset.FeatureSet // what the halves may be with a formula, beside the sums of a channel
	leaf   *board.Position           // that it counted instead of the position; nil if it does not resolve

	// In a set whose sides are scaled on their own.
	sides                  []sideCount
	scaleWhite, scaleBlack float32
}

// sideCount is how often a term occurs for each side. A row leaves out terms that add nothing
// to its value; the halves before the taper need them.
type sideCount struct {
	term         uint16
	white, black float32
}

// recordReader reads the output of an engine after its header.
type recordReader struct {
	r      *bufio.Reader
	header *header
	sums   [][2]float64              // of a record's counts, by term: White's (or both sides') and Black's
	terms  []uint16                  // of the record
	lets   *[2][]*dataset.FeatureSet // of the header's formula, once a record has halves
	body   []byte
	head   [recordHead2]byte
}

func newRecordReader(r *bufio.Reader, h *header) recordReader {
	return recordReader{r: r, header: h, sums: make([][2]float64, len(h.Terms))}
}

// next reads the answer to a position.
func (rr *recordReader) next(p *board.Position) (*record, error) {
	rec := &record{FeatureRow: dataset.FeatureRow{Scale: 1, EGScale: 1, Eval: dataset.NoEval}, scaleWhite: 1,
		scaleBlack: 1}
	rr.terms = rr.terms[:0]
	var phase *float32
	var err error
	if rr.header.Records == recordsBinary {
		phase, err = rr.nextBinary(rec)
	} else {
		phase, err = rr.nextJSON(rec)
	}
	if err != nil {
		return nil, err
	}
	if rec.Phase = valueOf(phase); phase == nil {
		if rec.leaf != nil {
			p = rec.leaf
		}
		rec.Phase = float32(eval.Phase(p)) / 24
	}
	if want := rr.halves(); rr.header.Halves && rec.halves == nil || rec.halves != nil && len(rec.halves) != want {
		return nil, fmt.Errorf("%w: a record has %d halves, want %d", ErrProtocol, len(rec.halves), want)
	}
	if rec.halves != nil && rr.header.Bent() {
		if rr.lets == nil {
			set := rr.header.set()
			lets := set.HalfLets()
			rr.lets = &lets
		}
		rec.lets = rr.lets
	}
	rr.take(rec)
	return rec, nil
}

// halves is the number of halves of a record that has them.
func (rr *recordReader) halves() int {
	switch {
	case rr.header.BySide:
		return 3
	case rr.header.Bent() && !rr.header.hasTapered():
		return 0
	}
	return 2
}

// add counts a term of the record.
func (rr *recordReader) add(term uint16, n float32, side int) error {
	if int(term) >= len(rr.sums) {
		return fmt.Errorf("%w: a record has term %d, but there are %d", ErrProtocol, term, len(rr.sums))
	}
	rr.sums[term][side] += float64(n)
	rr.terms = append(rr.terms, term)
	return nil
}

// take moves the sums into the record and clears them.
func (rr *recordReader) take(rec *record) {
	slices.Sort(rr.terms)
	for _, t := range rr.terms {
		n := rr.sums[t]
		rr.sums[t] = [2]float64{}
		for side := range n {
			if math.Abs(n[side]) < 1e-9 { // its counts cancel out, but for their rounding
				n[side] = 0
			}
		}
		rec.append(rr.header.BySide, rr.header.Bent() && rr.header.bySides(), sideCount{t, float32(n[0]), float32(n[1])})
	}
}

// append adds a term that is counted to a record. By side, its halves are scaled on their own; with sides, the
// record has the counts of both.
func (rec *record) append(bySide, sides bool, c sideCount) {
	row := &rec.FeatureRow
	switch {
	case c.white == 0 && c.black == 0:
		return
	case bySide:
		rec.sides = append(rec.sides, c)
		count, egCount := c.white-c.black, rec.scaleWhite*c.white-rec.scaleBlack*c.black
		if count != 0 || egCount != 0 {
			row.Terms, row.Counts, row.EGCounts = append(row.Terms, c.term), append(row.Counts, count),
				append(row.EGCounts, egCount)
		}
		return
	}
	row.Terms, row.Counts = append(row.Terms, c.term), append(row.Counts, c.white)
	if sides {
		row.Blacks = append(row.Blacks, c.black)
	}
}

// jsonRecord is a record in JSON. Pointers are nil for missing fields.
type jsonRecord struct {
	Term   []uint16  `json:"term"`
	Count  []float32 `json:"count"`
	Phase  *float32  `json:"phase"`
	Scale  *float32  `json:"scale"`
	Offset float32   `json:"offset"`
	Eval   *float32  `json:"eval"`

	// From version 2 on.
	EGScale    *float32  `json:"eg_scale"`
	White      []float32 `json:"white"`
	Black      []float32 `json:"black"`
	ScaleWhite *float32  `json:"scale_white"`
	ScaleBlack *float32  `json:"scale_black"`
	Halves     []int32   `json:"halves"`
	Leaf       *string   `json:"leaf"`

	// With a formula.
	Columns []float32 `json:"columns"`
	Skip    string    `json:"skip"`
}

func (rr *recordReader) nextJSON(rec *record) (phase *float32, err error) {
	line, err := readLine(rr.r)
	if err != nil {
		return nil, err
	}
	var j jsonRecord
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err = d.Decode(&j); err == nil {
		err = rr.checkJSON(&j)
	}
	if err == nil && j.Leaf != nil {
		err = rec.setLeaf(*j.Leaf)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: record %.80q: %w", ErrProtocol, line, err)
	}
	counts := [][]float32{j.Count}
	if rr.header.bySides() {
		counts = [][]float32{j.White, j.Black}
	}
	for side, list := range counts {
		for i, t := range j.Term {
			if err := rr.add(t, list[i], side); err != nil {
				return nil, err
			}
		}
	}
	for _, f := range []struct{ from, to *float32 }{
		{j.Scale, &rec.Scale}, {j.EGScale, &rec.EGScale}, {j.Eval, &rec.Eval}, {j.ScaleWhite, &rec.scaleWhite},
		{j.ScaleBlack, &rec.scaleBlack},
	} {
		if f.from != nil {
			*f.to = *f.from
		}
	}
	rec.Offset, rec.halves = j.Offset, j.Halves
	rec.Columns, rec.Skip = j.Columns, j.Skip
	return j.Phase, nil
}

// checkJSON compares the fields that are present with what the header declares.
func (rr *recordReader) checkJSON(j *jsonRecord) error {
	h := rr.header
	sides := h.bySides()
	switch {
	case !h.Bent() && (j.Columns != nil || j.Skip != ""):
		return errors.New("columns and skip need a formula in the header")
	case h.Bent() && (j.ScaleWhite != nil || j.ScaleBlack != nil):
		return errors.New("scale_white and scale_black are columns of a formula's header")
	case j.Skip != "" && (len(j.Term) > 0 || j.Columns != nil):
		return errors.New("a skipped record has neither terms nor columns")
	case h.version() == 1 && (j.EGScale != nil || j.White != nil || j.Black != nil || j.ScaleWhite != nil ||
		j.ScaleBlack != nil || j.Halves != nil || j.Leaf != nil):
		return fmt.Errorf("eg_scale, white, black, scale_white, scale_black, halves and leaf need the format %q in the "+
			"header", dataset.FeaturesFormat)
	case h.version() == 1 && j.Eval != nil && *j.Eval != float32(int16(*j.Eval)):
		return fmt.Errorf("eval %v does not fit int16", *j.Eval)
	case h.BySide && (j.Count != nil || j.EGScale != nil):
		return errors.New(`"by_side" in the header: want white, black, scale_white and scale_black ` +
			"instead of count and eg_scale")
	case sides && j.Count != nil:
		return errors.New("a channel counts each side: want white and black instead of count")
	case !sides && (j.White != nil || j.Black != nil || j.ScaleWhite != nil || j.ScaleBlack != nil):
		return errors.New(`white, black, scale_white and scale_black need "by_side":true in the header`)
	case sides && (len(j.Term) != len(j.White) || len(j.Term) != len(j.Black)):
		return fmt.Errorf("%d terms, but %d and %d counts", len(j.Term), len(j.White), len(j.Black))
	case !sides && len(j.Term) != len(j.Count):
		return fmt.Errorf("%d terms, but %d counts", len(j.Term), len(j.Count))
	case h.Resolves != (j.Leaf != nil):
		return errors.New(`every record names its leaf where the header says "resolves", and else none does`)
	}
	return nil
}

// setLeaf notes that the record is about another position.
func (rec *record) setLeaf(fen string) error {
	p, err := board.ParseFEN(fen)
	if err != nil {
		return fmt.Errorf("leaf: %w", err)
	}
	rec.leaf = &p
	return nil
}

// readLine reads a line of at most maxRecord bytes, without its newline. The error is
// io.EOF if the input ends before the first byte.
func readLine(r *bufio.Reader) ([]byte, error) {
	line, err := source.ReadLine(r, maxRecord)
	switch {
	case errors.Is(err, source.ErrLong):
		err = fmt.Errorf("%w: a line is longer than %d bytes", ErrProtocol, maxRecord)
	case errors.Is(err, io.EOF) && len(line) > 0:
		err = io.ErrUnexpectedEOF
	}
	return bytes.TrimRight(line, "\r"), err
}

// floatAt reads a little-endian float32.
func floatAt(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }
