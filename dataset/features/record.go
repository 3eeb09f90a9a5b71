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
	"github.com/assay-chess/assay/dataset/internal/text"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/eval"
)

// maxRecord is the maximum length of a JSON record, in bytes.
const maxRecord = 1 << 20

// Layout of a binary record.
const (
	recordHead = 18
	recordMark = 0xA5
	flagEval   = 1
	flagFloat  = 2
)

// recordReader reads the output of an engine after its header.
type recordReader struct {
	r      *bufio.Reader
	binary bool
	sums   []float32 // of a record's counts, by term
	terms  []uint16  // of the record
	head   [recordHead]byte
	body   []byte
}

// next reads the answer to a position.
func (rr *recordReader) next(p *board.Position) (dataset.FeatureRow, error) {
	row := dataset.FeatureRow{Phase: float32(eval.Phase(p)) / 24, Scale: 1, Eval: dataset.NoScore}
	rr.terms = rr.terms[:0]
	var err error
	if rr.binary {
		err = rr.nextBinary(&row)
	} else {
		err = rr.nextJSON(&row)
	}
	if err == nil {
		rr.take(&row)
	}
	return row, err
}

// add counts a term of the record.
func (rr *recordReader) add(term uint16, n float32) error {
	if int(term) >= len(rr.sums) {
		return fmt.Errorf("%w: a record has term %d, but there are %d", ErrProtocol, term, len(rr.sums))
	}
	rr.sums[term] += n
	rr.terms = append(rr.terms, term)
	return nil
}

// take moves the sums into the row and clears them.
func (rr *recordReader) take(row *dataset.FeatureRow) {
	slices.Sort(rr.terms)
	for _, t := range rr.terms {
		if n := rr.sums[t]; n != 0 { // 0: its counts cancel out, or it was moved already
			row.Terms, row.Counts = append(row.Terms, t), append(row.Counts, n)
			rr.sums[t] = 0
		}
	}
}

// jsonRecord is a record in JSON. Pointers are nil for missing fields.
type jsonRecord struct {
	Term   []uint16  `json:"term"`
	Count  []float32 `json:"count"`
	Phase  *float32  `json:"phase"`
	Scale  *float32  `json:"scale"`
	Offset float32   `json:"offset"`
	Eval   *int16    `json:"eval"`
}

func (rr *recordReader) nextJSON(row *dataset.FeatureRow) error {
	line, err := readLine(rr.r)
	if err != nil {
		return err
	}
	var rec jsonRecord
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&rec); err != nil {
		return fmt.Errorf("%w: record %.80q: %w", ErrProtocol, line, err)
	}
	if len(rec.Term) != len(rec.Count) {
		return fmt.Errorf("%w: record %.80q: %d terms, but %d counts", ErrProtocol, line, len(rec.Term), len(rec.Count))
	}
	for i, t := range rec.Term {
		if err := rr.add(t, rec.Count[i]); err != nil {
			return err
		}
	}
	if rec.Phase != nil {
		row.Phase = *rec.Phase
	}
	if rec.Scale != nil {
		row.Scale = *rec.Scale
	}
	if rec.Eval != nil {
		row.Eval = *rec.Eval
	}
	row.Offset = rec.Offset
	return nil
}

func (rr *recordReader) nextBinary(row *dataset.FeatureRow) error {
	h := rr.head[:]
	if _, err := io.ReadFull(rr.r, h); err != nil {
		return err
	}
	n, flags := int(binary.LittleEndian.Uint16(h)), h[2]
	if h[3] != recordMark || flags&^(flagEval|flagFloat) != 0 {
		return fmt.Errorf("%w: a record begins with % x, want flags of 0 to 3 and a5 in the third and fourth byte", ErrProtocol, h[:4])
	}
	float := func(at int) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(h[at:])) }
	row.Phase, row.Scale, row.Offset = float(4), float(8), float(12)
	if flags&flagEval != 0 {
		row.Eval = int16(binary.LittleEndian.Uint16(h[16:]))
	}
	size := 1
	if flags&flagFloat != 0 {
		size = 4
	}
	rr.body = slices.Grow(rr.body[:0], (2+size)*n)[:(2+size)*n]
	if _, err := io.ReadFull(rr.r, rr.body); err != nil {
		return io.ErrUnexpectedEOF
	}
	terms, counts := rr.body[:2*n], rr.body[2*n:]
	for i := range n {
		var count float32
		if size == 4 {
			count = math.Float32frombits(binary.LittleEndian.Uint32(counts[4*i:]))
		} else {
			count = float32(int8(counts[i]))
		}
		if err := rr.add(binary.LittleEndian.Uint16(terms[2*i:]), count); err != nil {
			return err
		}
	}
	return nil
}

// readLine reads a line of at most maxRecord bytes, without its newline. The error is
// io.EOF if the input ends before the first byte.
func readLine(r *bufio.Reader) ([]byte, error) {
	line, err := text.ReadLine(r, maxRecord)
	switch {
	case errors.Is(err, text.ErrLong):
		err = fmt.Errorf("%w: a line is longer than %d bytes", ErrProtocol, maxRecord)
	case errors.Is(err, io.EOF) && len(line) > 0:
		err = io.ErrUnexpectedEOF
	}
	return bytes.TrimRight(line, "\r"), err
}
