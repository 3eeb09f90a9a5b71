//go:build !linux

package uci

import (
	"fmt"
	"os"
	"time"
)

// newPipes returns our and the program's ends of its standard input, output and error output.
func newPipes() (ours [3]pipe, theirs [3]*os.File, err error) {
	defer func() {
		if err != nil {
			closeAll(ours[:]...)
			closeAll(theirs[:]...)
		}
	}()
	for i := range ours {
		reader, writer, err := os.Pipe()
		if err != nil {
			return ours, theirs, err
		}
		if i == 0 { // we write its input
			reader, writer = writer, reader
		}
		ours[i], theirs[i] = reader, writer
	}
	if err := ours[1].SetReadDeadline(time.Time{}); err != nil {
		return ours, theirs, fmt.Errorf("external engines need pipes with deadlines, which this system lacks: %w", err)
	}
	return ours, theirs, nil
}
