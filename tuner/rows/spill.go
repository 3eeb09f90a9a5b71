package rows

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"unsafe"
)

// spill is a file that holds the codes of a store's chunks. What a pass needs
// beside them, about ten bytes a row, stays in memory.
type spill struct {
	f    *os.File
	w    *bufio.Writer
	size int64
	// named: the file still has its name, and has to be removed.
	named bool
}

// newSpill makes a file in dir that is gone when the program ends, however it ends, where a system lets an open
// file lose its name; elsewhere close removes it.
func newSpill(dir string) (*spill, error) {
	f, err := os.CreateTemp(dir, ".features-*")
	if err != nil {
		return nil, fmt.Errorf("features on disk: %w", err)
	}
	named := os.Remove(f.Name()) != nil
	return &spill{f: f, w: bufio.NewWriterSize(f, 1<<20), named: named}, nil
}

// write moves the chunk's codes to disk.
func (d *spill) write(c *Chunk) error {
	c.at = d.size
	n, err := d.w.Write(memory(c.codes))
	d.size += int64(n)
	c.codes = nil
	if err != nil {
		return fmt.Errorf("features on disk: %w", err)
	}
	return nil
}

// flush ends the writing.
func (d *spill) flush() error {
	err := d.w.Flush()
	d.w = nil
	if err != nil {
		return fmt.Errorf("features on disk: %w", err)
	}
	return nil
}

// read returns the chunk's codes in buf, which grows as needed.
func (d *spill) read(c *Chunk, buf *[]uint16) ([]uint16, error) {
	if cap(*buf) < c.Size {
		*buf = make([]uint16, c.Size, c.Size+c.Size/4)
	}
	codes := (*buf)[:c.Size]
	if _, err := d.f.ReadAt(memory(codes), c.at); err != nil && (err != io.EOF || c.Size > 0) {
		return nil, fmt.Errorf("features on disk: %w", err)
	}
	return codes, nil
}

func (d *spill) close() error {
	err := d.f.Close()
	if d.named {
		err = errors.Join(err, os.Remove(d.f.Name()))
	}
	return err
}

// memory returns the bytes of a column, in the machine's order.
func memory[T any](column []T) []byte {
	if len(column) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&column[0])), len(column)*int(unsafe.Sizeof(column[0])))
}
