package worker

import (
	"sync"
)

// call tells all parts of a worker that wait for a coordinator that one has come.
type wakeup struct {
	mu   sync.Mutex
	next chan struct{}
}

// wait returns what is closed when the next call comes.
func (c *wakeup) wait() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next == nil {
		c.next = make(chan struct{})
	}
	return c.next
}

// come is a call.
func (c *wakeup) fire() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next != nil {
		close(c.next)
	}
	c.next = nil
}
