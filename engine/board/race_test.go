//go:build race

package board

// raceEnabled makes long counting tests shorter under the race detector, which is
// ten times slower and has nothing to find in them.
const raceEnabled = true
