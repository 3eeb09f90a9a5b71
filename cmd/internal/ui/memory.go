package ui

import (
	"os"
	"runtime"
	"runtime/debug"

	"github.com/assay-chess/assay/engine"
)

// The memory limit, in bytes, of a run that plays external engines only. The heap needs a few megabytes, and a tenth
// of one for each game, except while a shard of games is compressed; without a limit it would stay that large
// afterwards. A limit near the live heap would have the collector run all the time, and engines lose on time.
const foreignMemory, gameMemory = 24 << 20, 512 << 10

// SmallChecker is the engine that checks openings in such a run. Its hash table is small for the same reason.
var SmallChecker = engine.Spec{Name: "assay", Options: []engine.Option{{Name: "hash", Value: "1"}}}

// LimitMemory limits the memory of this process, which plays that many games at once, to leave it to external engines.
// GOMEMLIMIT overrides it.
func LimitMemory(games int) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(foreignMemory + int64(games)*gameMemory)
	}
}

// LimitThreads limits the threads that run Go at once, until end is called. It is for a run that plays that many
// games at once, all of them between external engines, and so only waits: a second thread would wake up for each
// line of an engine, to look for more work. GOMAXPROCS in the environment overrides it.
func LimitThreads(games int) (end func()) {
	if os.Getenv("GOMAXPROCS") != "" {
		return func() {}
	}
	const gamesEach = 8
	runtime.GOMAXPROCS(min(1+games/gamesEach, runtime.GOMAXPROCS(0)))
	return runtime.SetDefaultGOMAXPROCS
}
