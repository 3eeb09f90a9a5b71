package main

import (
	"fmt"
	"io"
	"runtime"
	"time"
)

// reportGoroutines writes the number of goroutines to w at each interval, for the soak
// test, which cannot count them from outside. Without an interval it does nothing.
func reportGoroutines(interval string, w io.Writer) {
	every, err := time.ParseDuration(interval)
	if err != nil || every <= 0 {
		return
	}
	go func() {
		for range time.Tick(every) {
			fmt.Fprintf(w, "goroutines: %d\n", runtime.NumGoroutine())
		}
	}()
}
