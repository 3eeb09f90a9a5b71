package wire

import (
	"time"
)

// HelloEvery is how often a worker says hello. A worker that is silent for three times as
// long counts as gone.
const HelloEvery = 5 * time.Second

// MaxReplays bounds the replays that wait at a worker. The coordinator sends what does not
// fit to another worker.
const MaxReplays = 64

const (
	// PollTimeout bounds a hello, and a request for weights.
	PollTimeout = 2 * time.Second
	// RetryPause is the pause after a request that got no answer.
	RetryPause = time.Second
	// MaxSilences is how many requests in a row may get no answer before the caller
	// reconnects.
	MaxSilences = 2
)
