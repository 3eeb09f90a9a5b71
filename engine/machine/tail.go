package machine

import (
	"bytes"
	"strings"
	"sync"
)

// Tail keeps the end of what is written to it, such as a program's standard error.
type Tail struct {
	mu   sync.Mutex
	data []byte
}

// tailSize is how much is kept, in bytes.
const tailSize = 1024

func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, p[max(0, len(p)-tailSize):]...)
	t.data = t.data[max(0, len(t.data)-tailSize):]
	return len(p), nil
}

// Last returns the last line that is not empty.
func (t *Tail) Last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := bytes.Split(bytes.TrimSpace(t.data), []byte("\n"))
	return strings.ToValidUTF8(string(lines[len(lines)-1]), "?")
}
