package stall

import "time"

// wallTime returns the time of the wall clock.
func wallTime() time.Duration { return time.Duration(time.Now().UnixNano()) }
