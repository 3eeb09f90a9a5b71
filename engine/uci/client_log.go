package uci

import (
	"bytes"
	"strconv"
	"strings"
	"time"
)

const (
	logSize    = 16 << 10 // most bytes kept of a conversation
	logLineMax = 2 << 10  // of one line
)

// conversation keeps the last lines between us and a program.
type conversation struct {
	started time.Time // of the first line
	data    []byte    // at most twice logSize
}

// add adds a line, with the time since the first one in milliseconds.
func (c *conversation) add(direction string, line []byte) {
	now := time.Now()
	if c.started.IsZero() {
		c.started = now
	}
	if len(c.data) > 2*logSize-logLineMax-64 {
		c.data = c.data[:copy(c.data, c.data[len(c.data)-logSize:])]
	}
	var digits [20]byte // not with fmt: this runs twice a move
	ms := strconv.AppendInt(digits[:0], now.Sub(c.started).Milliseconds(), 10)
	c.data = append(c.data, "       "[min(len(ms), 7):]...)
	c.data = append(append(c.data, ms...), ' ')
	c.data = append(c.data, direction...)
	if len(line) > logLineMax {
		const part = logLineMax / 2
		c.data = append(append(c.data, line[:part]...), " ... "...)
		line = line[len(line)-part:]
	}
	c.data = append(append(c.data, line...), '\n')
}

// addLines adds the lines of a text.
func (c *conversation) addLines(direction string, text []byte) {
	for line := range bytes.Lines(text) {
		c.add(direction, bytes.TrimSuffix(line, []byte("\n")))
	}
}

// text returns whole lines, at most logSize bytes of them.
func (c *conversation) text() string {
	data := c.data
	if over := len(data) - logSize; over > 0 {
		data = data[over:]
		data = data[bytes.IndexByte(data, '\n')+1:]
	}
	return string(data)
}

// logText returns the end of the conversation with the process and of its error output.
func (p *process) logText() string {
	text := "milliseconds, > to the engine, < from it\n" + p.log.text()
	if noise := strings.TrimSpace(p.noise.Text()); noise != "" {
		text += "\nlast on its error output\n" + noise + "\n"
	}
	return strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return printable(r)
	}, strings.ToValidUTF8(text, "?"))
}
