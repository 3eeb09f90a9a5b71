package rows

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"fmt"
	"hash"
	"io"
	"unsafe"
)

// ErrArchive means that an archive of a store is damaged, or was written by
// another version or another kind of machine.
var ErrArchive = errors.New("not an archive of features that this program wrote")

// archiveMagic begins every archive. The columns stand in the order of the
// machine's bytes, which the number behind it shows.
const (
	archiveMagic = "assay features 1\n"
	archiveOrder = uint32(0x01020304)
)

// archiveHead is what an archive holds beside the columns of its chunks.
type archiveHead struct {
	Terms    int
	Pairs    []Entry
	Games    []archiveGame
	Gameless int
	Sources  []SourceInfo
	Pieces   *archivePieces
	Chunks   []archiveChunk
}

type archiveGame struct {
	ID, Opening uint64
	Rows        int32
	TrainOnly   bool
}

type archivePieces struct {
	Count, Phase [PieceTypes]int64
	MG, EG       [PieceTypes][]int64
	Raw          []int64
}

// archiveChunk tells the lengths of a chunk's columns; the last four are there or not.
type archiveChunk struct {
	Phase, Rows, Size, Runs, Wide int
	Weight, Score, Scale, Offset  bool
}

// Archive writes the store to w, to be read by ReadArchive: features extracted
// once serve many fits. It ends with a SHA-256 of itself.
func (s *Store) Archive(ctx context.Context, w io.Writer) error {
	sum := sha256.New()
	b := bufio.NewWriterSize(io.MultiWriter(w, sum), 1<<20)
	var head bytes.Buffer
	if err := gob.NewEncoder(&head).Encode(s.archiveHead()); err != nil {
		return fmt.Errorf("archive of features: %w", err)
	}
	b.WriteString(archiveMagic) // errors stay until Flush
	b.Write(memory([]uint32{archiveOrder, uint32(head.Len())}))
	b.Write(head.Bytes())
	var buf []uint16
	for _, c := range s.Chunks {
		if err := ctx.Err(); err != nil {
			return err
		}
		codes, err := s.Codes(c, &buf)
		if err != nil {
			return err
		}
		for _, column := range [][]byte{
			memory(c.Runs), memory(codes), memory(c.Wide), memory(c.Result), memory(c.Game),
			memory(c.weight), memory(c.Score), memory(c.Scale), memory(c.Offset),
		} {
			b.Write(column)
		}
	}
	if err := b.Flush(); err != nil {
		return err
	}
	_, err := w.Write(sum.Sum(nil))
	return err
}

func (s *Store) archiveHead() *archiveHead {
	h := &archiveHead{Terms: s.terms, Pairs: s.pairs.pairs, Gameless: s.gameless, Sources: s.sources}
	for _, g := range s.games {
		h.Games = append(h.Games, archiveGame{g.id, g.opening, g.rows, g.trainOnly})
	}
	if p := s.Pieces; p != nil {
		h.Pieces = &archivePieces{p.Count, p.Phase, p.MG, p.EG, p.Seen}
	}
	for _, c := range s.Chunks {
		h.Chunks = append(h.Chunks, archiveChunk{c.Phase, c.Rows, c.Size, len(c.Runs), len(c.Wide), c.weight != nil, c.Score != nil, c.Scale != nil, c.Offset != nil})
	}
	return h
}

// memory returns the bytes of a column.
func memory[T any](column []T) []byte {
	if len(column) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&column[0])), len(column)*int(unsafe.Sizeof(column[0])))
}

// ReadArchive reads what Archive wrote, into memory or, if disk is not empty,
// with the entries in a file there. What is wrong with an archive wraps
// ErrArchive.
func ReadArchive(ctx context.Context, r io.Reader, disk string) (*Store, error) {
	a := archiveReader{r: bufio.NewReaderSize(r, 1<<20), sum: sha256.New()}
	h, err := a.head()
	if err != nil {
		return nil, err
	}
	if !h.whole() {
		return nil, ErrArchive
	}
	s := &Store{terms: h.Terms, pairs: dictionary{pairs: h.Pairs}, gameless: h.Gameless, sources: h.Sources}
	if disk != "" {
		if s.disk, err = newSpill(disk); err != nil {
			return nil, err
		}
	}
	for _, g := range h.Games {
		s.games = append(s.games, game{g.ID, g.Opening, g.Rows, g.TrainOnly})
	}
	if p := h.Pieces; p != nil {
		s.Pieces = &Sample{p.Count, p.Phase, p.MG, p.EG, p.Raw}
	}
	for i := range h.Chunks {
		if err = ctx.Err(); err == nil {
			err = a.chunk(s, &h.Chunks[i])
		}
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	if err := a.end(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if s.disk != nil {
		if err := s.disk.flush(); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	return s, nil
}

// archiveReader reads an archive and adds up its checksum.
type archiveReader struct {
	r   *bufio.Reader
	sum hash.Hash
}

func (a *archiveReader) fill(b []byte) error {
	if _, err := io.ReadFull(a.r, b); err != nil {
		return fmt.Errorf("%w: %w", ErrArchive, err)
	}
	a.sum.Write(b)
	return nil
}

func (a *archiveReader) head() (*archiveHead, error) {
	magic, numbers := make([]byte, len(archiveMagic)), make([]uint32, 2)
	if err := a.fill(magic); err != nil {
		return nil, err
	}
	if err := a.fill(memory(numbers)); err != nil {
		return nil, err
	}
	if string(magic) != archiveMagic || numbers[0] != archiveOrder {
		return nil, ErrArchive
	}
	// Grown as it is read: a damaged length must not take all memory.
	var text bytes.Buffer
	if _, err := io.CopyN(&text, a.r, int64(numbers[1])); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrArchive, err)
	}
	a.sum.Write(text.Bytes())
	h := new(archiveHead)
	if err := gob.NewDecoder(&text).Decode(h); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrArchive, err)
	}
	return h, nil
}

// whole reports whether everything is as long as it should be.
func (h *archiveHead) whole() bool {
	if h.Terms < 0 || h.Terms > 1<<16 || len(h.Pairs) > maxPairs {
		return false
	}
	for _, p := range h.Pairs {
		if int(p.Term) >= h.Terms {
			return false
		}
	}
	if p := h.Pieces; p != nil {
		for t := range PieceTypes {
			if len(p.MG[t]) != h.Terms || len(p.EG[t]) != h.Terms {
				return false
			}
		}
		return len(p.Raw) == h.Terms
	}
	return true
}

// readColumn reads n values, or none.
func readColumn[T any](a *archiveReader, n int, err *error) []T {
	if *err != nil || n == 0 {
		return nil
	}
	column := make([]T, n)
	*err = a.fill(memory(column))
	return column
}

func (a *archiveReader) chunk(s *Store, h *archiveChunk) error {
	if h.Phase < 0 || h.Phase > MaxPhase || h.Rows < 1 || h.Rows > ChunkRows || h.Runs < 1 || h.Runs > h.Rows ||
		h.Size < 0 || h.Size > h.Rows<<16 || h.Wide < 0 || h.Wide > h.Rows<<16 {
		return ErrArchive
	}
	rows := func(there bool) int {
		if there {
			return h.Rows
		}
		return 0
	}
	var err error
	c := &Chunk{Phase: h.Phase, Rows: h.Rows, Size: h.Size, Base: s.rows}
	c.Runs = readColumn[Run](a, h.Runs, &err)
	c.codes = readColumn[uint16](a, h.Size, &err)
	c.Wide = readColumn[Wide](a, h.Wide, &err)
	c.Result, c.Game = readColumn[float32](a, h.Rows, &err), readColumn[uint32](a, h.Rows, &err)
	c.weight, c.Score = readColumn[float32](a, rows(h.Weight), &err), readColumn[int16](a, rows(h.Score), &err)
	c.Scale, c.Offset = readColumn[float32](a, rows(h.Scale), &err), readColumn[float32](a, rows(h.Offset), &err)
	if err != nil {
		return err
	}
	if !c.whole(s) {
		return ErrArchive
	}
	s.rows += c.Rows
	s.entries += int64(c.Size + len(c.Wide))
	s.Chunks = append(s.Chunks, c)
	if s.disk != nil {
		return s.disk.write(c)
	}
	return nil
}

// whole reports whether nothing in the chunk points beyond what is there, which
// the passes do not look at any more.
func (c *Chunk) whole(s *Store) bool {
	rows, size := 0, 0
	for _, r := range c.Runs {
		rows += int(r.Rows)
		size += int(r.Rows) * int(r.Length)
		if rows > c.Rows || size > c.Size {
			return false
		}
	}
	for _, code := range c.codes {
		if int(code) >= len(s.pairs.pairs) {
			return false
		}
	}
	for _, g := range c.Game {
		if int(g) >= len(s.games) {
			return false
		}
	}
	for _, w := range c.Wide {
		if int(w.Row) >= c.Rows || int(w.Term) >= s.terms {
			return false
		}
	}
	return rows == c.Rows && size == c.Size
}

// end compares the checksum.
func (a *archiveReader) end() error {
	want := a.sum.Sum(nil)
	got := make([]byte, len(want))
	if _, err := io.ReadFull(a.r, got); err != nil {
		return fmt.Errorf("%w: %w", ErrArchive, err)
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("%w: its checksum differs", ErrArchive)
	}
	return nil
}
