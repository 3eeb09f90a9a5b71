package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"github.com/assay-chess/assay/engine/roster"
)

const (
	// foreignMemory is what a run of foreign engines alone keeps its own memory to, in
	// bytes: its heap is a few megabytes, but for the moments in which a shard of games
	// is compressed, after which it would stay as large as it was then.
	foreignMemory = 24 << 20
	// smallChecker checks openings where no player does: small for the same reason.
	smallChecker = "assay:hash=1"
)

// thrifty bounds the memory of a process that only runs other programs: it should be
// theirs. Whoever sets GOMEMLIMIT knows better. It reports whether all players are
// foreign.
func thrifty(specs ...string) bool {
	for _, spec := range specs {
		if !roster.Foreign(spec) {
			return false
		}
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(foreignMemory)
	}
	return true
}

// runnerCost says what running foreign engines cost beside the engines: games and plies
// a second, own time of the processor a ply and its share of all, memory. It is empty
// where the system does not tell.
func runnerCost(games, plies int64, took time.Duration) string {
	own, children, memory := processorTime()
	if own+children == 0 || plies == 0 || took <= 0 {
		return ""
	}
	return fmt.Sprintf("%.1f games/s, %.0f plies/s; the runner took %.1f µs of the processor a ply (%.0f %% of all) and %d MiB",
		float64(games)/took.Seconds(), float64(plies)/took.Seconds(), float64(own.Microseconds())/float64(plies),
		100*own.Seconds()/(own+children).Seconds(), memory>>20)
}
