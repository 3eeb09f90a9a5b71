package queue

import (
	"errors"
	"syscall"

	"github.com/nats-io/nats.go"
)

// passing are errors of the machine and of its network. They say nothing about a test.
var passing = []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOSPC, syscall.EDQUOT, syscall.EAGAIN, syscall.ENOMEM,
	nats.ErrConnectionClosed, nats.ErrNoServers, nats.ErrTimeout, nats.ErrDisconnected, nats.ErrNoResponders}

// transient reports whether the same thing may work later.
func transient(err error) bool {
	for _, e := range passing {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
