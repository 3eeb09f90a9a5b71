package wire

import (
	"time"
)

// HelloEvery is how often a worker says that it is there; after three times as long
// without a word it is gone.
const HelloEvery = 5 * time.Second

// MaxReplays bounds the replays that wait at a worker. The coordinator sends those that a
// worker does not have to another.
const MaxReplays = 64

const (
	// RequestTimeout is how long one request to JetStream may take.
	RequestTimeout = 10 * time.Second
	// PollTimeout is how long a look at the queue, or a hello, may take.
	PollTimeout = 2 * time.Second
	// RetryPause is the pause before another request after one without an answer.
	RetryPause = time.Second
	// MaxSilences is how many requests in a row may stay without an answer before the
	// connection is made again.
	MaxSilences = 2
)
