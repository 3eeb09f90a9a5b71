package worker

import (
	"sync"
)

// wakeup wakes all goroutines of a worker that wait for a coordinator.
type wakeup struct {
	mu   sync.Mutex
	next chan struct{}
}

// wait returns a channel that the next fire closes.
func (w *wakeup) wait() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.next == nil {
		w.next = make(chan struct{})
	}
	return w.next
}

// fire wakes those that wait.
func (w *wakeup) fire() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.next != nil {
		close(w.next)
	}
	w.next = nil
}
