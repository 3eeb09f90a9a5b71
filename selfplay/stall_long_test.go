//go:build linux && experiment

package selfplay

import "time"

// stopTime is how long the process is stopped.
const stopTime = 5 * time.Second
