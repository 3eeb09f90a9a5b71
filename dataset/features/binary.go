package features

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/assay-chess/assay/dataset"
)

// Layout of a binary record, in version 1 and 2.
const (
	recordHead1 = 18
	recordHead2 = 24
	recordMark1 = 0xA5
	recordMark2 = 0xA6

	flagEval     = 1
	flagFloat    = 2
	flagChannels = 4
	flagColumns  = 8
	flagHalves   = 16
	flagBySide   = 32
	flagSkip     = 64
)

func (rr *recordReader) nextBinary(rec *record) (phase *float32, err error) {
	if rr.header.Resolves {
		line, err := readLine(rr.r)
		if err != nil {
			return nil, err
		}
		if err := rec.setLeaf(string(line)); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrProtocol, err)
		}
	}
	h := rr.head[:recordHead2]
	if rr.header.version() == 1 {
		h = h[:recordHead1]
	}
	if _, err := io.ReadFull(rr.r, h); err != nil {
		return nil, err
	}
	if err := rr.checkHead(h); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrProtocol, err)
	}
	rec.Phase, rec.Scale = floatAt(h[4:]), floatAt(h[8:])
	flags := h[2]
	if rr.header.version() == 1 {
		rec.Offset = floatAt(h[12:])
		if eval := int16(binary.LittleEndian.Uint16(h[16:])); flags&flagEval != 0 && eval != dataset.NoScore {
			rec.Eval = float32(eval)
		}
	} else {
		rec.EGScale, rec.Offset = floatAt(h[12:]), floatAt(h[16:])
		if flags&flagEval != 0 {
			rec.Eval = floatAt(h[20:])
		}
	}
	return &rec.Phase, rr.nextBody(rec, int(binary.LittleEndian.Uint16(h)), flags)
}

// checkHead checks flags and mark of a record.
func (rr *recordReader) checkHead(h []byte) error {
	mark, known := byte(recordMark2), byte(flagEval|flagFloat|flagChannels|flagColumns|flagHalves|flagBySide|flagSkip)
	if rr.header.version() == 1 {
		mark, known = recordMark1, flagEval|flagFloat
	}
	switch flags := h[2]; {
	case h[3] != mark || flags&^known != 0:
		return fmt.Errorf("a record begins with % x, want flags of at most %d and %x in the third and fourth byte%s", h[:4],
			known, mark, textMode(h))
	case flags&flagSkip != 0 && (!rr.header.Bent() || binary.LittleEndian.Uint16(h) != 0 || flags != flagSkip):
		return fmt.Errorf("a record is skipped (flag %d), which needs a formula, no terms and no other flags", flagSkip)
	case flags&flagSkip != 0:
		return nil
	case (flags&flagChannels != 0) != (rr.header.Bent() && rr.header.bySides()):
		return fmt.Errorf("a record counts each side (flag %d) where no channel of the header does, or the other way round",
			flagChannels)
	case (flags&flagColumns != 0) != (rr.header.Bent() && rr.header.Numbers() > 0):
		return fmt.Errorf("a record has columns (flag %d) where the header has none, or the other way round", flagColumns)
	case flags&flagHalves != 0 && rr.halves() == 0:
		return fmt.Errorf("a record has halves (flag %d), but no channel of the header is tapered", flagHalves)
	case (flags&flagBySide != 0) != rr.header.BySide:
		return fmt.Errorf(`a record is by side (flag %d) where the header does not say "by_side", or the other way round`,
			flagBySide)
	}
	return nil
}

// textMode is a hint at the usual cause of records that end in the wrong place.
func textMode(h []byte) string {
	if slices.Contains(h, '\r') {
		return "; is the output in text mode, in which Windows writes 0d before each 0a?"
	}
	return "; does something else print to the standard output?"
}

// nextBody reads the terms of a record and what follows.
func (rr *recordReader) nextBody(rec *record, n int, flags byte) error {
	size, sides, halves, scales, columns := 1, 1, 0, 0, 0
	if flags&flagSkip != 0 {
		return rr.nextSkip(rec)
	}
	if flags&flagChannels != 0 {
		sides = 2
	}
	if flags&flagColumns != 0 {
		columns = rr.header.Numbers()
	}
	if flags&flagFloat != 0 {
		size = 4
	}
	if flags&flagBySide != 0 {
		sides, scales = 2, 2
	}
	if flags&flagHalves != 0 {
		halves = rr.halves()
	}
	bytes := (2+sides*size)*n + 4*(halves+scales+columns)
	rr.body = slices.Grow(rr.body[:0], bytes)[:bytes]
	if _, err := io.ReadFull(rr.r, rr.body); err != nil {
		return io.ErrUnexpectedEOF
	}
	terms, counts, rest := rr.body[:2*n], rr.body[2*n:], rr.body[(2+sides*size)*n:]
	for side := range sides {
		for i := range n {
			var count float32
			if at := side*n + i; size == 4 {
				count = floatAt(counts[4*at:])
			} else {
				count = float32(int8(counts[at]))
			}
			if err := rr.add(binary.LittleEndian.Uint16(terms[2*i:]), count, side); err != nil {
				return err
			}
		}
	}
	for range halves {
		rec.halves, rest = append(rec.halves, int32(binary.LittleEndian.Uint32(rest))), rest[4:]
	}
	if scales > 0 {
		rec.scaleWhite, rec.scaleBlack = floatAt(rest), floatAt(rest[4:])
	}
	for range columns {
		rec.Columns, rest = append(rec.Columns, floatAt(rest)), rest[4:]
	}
	return nil
}

// nextSkip reads why a record is skipped: a byte with the length of a text, and the text.
func (rr *recordReader) nextSkip(rec *record) error {
	n, err := rr.r.ReadByte()
	if err != nil {
		return io.ErrUnexpectedEOF
	}
	if n == 0 {
		return fmt.Errorf("%w: a record is skipped without a reason", ErrProtocol)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(rr.r, text); err != nil {
		return io.ErrUnexpectedEOF
	}
	rec.Skip = strings.ToValidUTF8(string(text), "?")
	return nil
}
