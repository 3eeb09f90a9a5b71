package coordinator

import (
	"fmt"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A queue without units is created again, one whose servers do not answer is not.
func TestInVain(t *testing.T) {
	failed := func(code int) error { return fmt.Errorf("%w: %w", ErrServers, &jetstream.APIError{Code: code}) }
	for err, want := range map[error]int{nil: 2, failed(500): 2, failed(503): 0, nats.ErrTimeout: 0} {
		s, n := &session{vain: 3}, 0
		s.inVain(true, nil)
		for range 2*maxVain + 1 {
			if s.inVain(false, err) {
				n++
			}
		}
		if n != want {
			t.Errorf("after %v the queue is created again %d times, want %d", err, n, want)
		}
	}
}
