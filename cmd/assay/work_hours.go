package main

import (
	"fmt"
	"time"
)

// hours is a span of the day, local time, that may go over midnight.
type hours struct{ from, to int }

// parseHours reads FROM-TO.
func parseHours(text string) (hours, error) {
	var h hours
	if n, err := fmt.Sscanf(text+" ", "%d-%d ", &h.from, &h.to); n != 2 || err != nil || h.from < 0 || h.from > 23 || h.to < 0 || h.to > 24 || h.from == h.to {
		return h, usagef("--hours %s: want FROM-TO, hours from 0 to 23, as 22-7", text)
	}
	return h, nil
}

// hold tells whether an hour of the day is one of them.
func (h hours) hold(hour int) bool {
	if h.from < h.to {
		return h.from <= hour && hour < h.to
	}
	return hour >= h.from || hour < h.to
}

// rest returns a function that tells whether it is another hour now. What it tells first,
// and when that changes, it says.
func (h hours) rest(say func(string)) func() bool {
	resting := false
	return func() bool {
		before := resting
		if resting = !h.hold(time.Now().Hour()); resting && !before {
			say(fmt.Sprintf("outside --hours %d-%d: resting until %02d:00", h.from, h.to, h.from))
		}
		return resting
	}
}
