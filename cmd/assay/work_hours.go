package main

import (
	"fmt"
	"time"
)

// hours is a span of the day in local time. It may extend past midnight.
type hours struct{ from, to int }

// parseHours reads FROM-TO.
func parseHours(text string) (hours, error) {
	var h hours
	if n, err := fmt.Sscanf(text+" ", "%d-%d ", &h.from, &h.to); n != 2 || err != nil || h.from < 0 || h.from > 23 || h.to < 0 || h.to > 24 || h.from == h.to {
		return h, usagef("--hours %s: want FROM-TO, two different hours from 0 to 23, for example 22-7", text)
	}
	return h, nil
}

// contains reports whether an hour of the day is one of them.
func (h hours) contains(hour int) bool {
	if h.from < h.to {
		return h.from <= hour && hour < h.to
	}
	return hour >= h.from || hour < h.to
}

// rest returns a function that reports whether the worker should rest now, and that logs
// when it begins to.
func (h hours) rest(now func() time.Time, log func(string)) func() bool {
	resting := false
	return func() bool {
		before := resting
		if resting = !h.contains(now().Hour()); resting && !before {
			log(fmt.Sprintf("outside --hours %d-%d: resting until %02d:00", h.from, h.to, h.from))
		}
		return resting
	}
}
