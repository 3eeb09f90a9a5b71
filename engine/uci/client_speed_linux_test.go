//go:build experiment

package uci

import (
	"flag"
	"math"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/uci/sandbox"
)

var (
	speedOf     = flag.String("speed-of", "", "engines, as COMMAND?OPTION=VALUE, with ; between them")
	speedNodes  = flag.Uint64("speed-nodes", 200_000, "nodes of a search")
	speedRounds = flag.Int("speed-rounds", 30, "rounds, in each of which an engine searches inside and outside")
)

// TestSpeedInside compares the nodes a second of processor time that engines search in a sandbox and outside. Both
// are started again in each round, and take turns in being the first.
func TestSpeedInside(t *testing.T) {
	for _, text := range strings.FieldsFunc(*speedOf, func(r rune) bool { return r == ';' }) {
		t.Run(text, func(t *testing.T) { compareSpeed(t, text) })
	}
}

func compareSpeed(t *testing.T, text string) {
	command, options, _ := strings.Cut(text, "?")
	words := strings.Fields(command)
	c := Command{Path: words[0], Args: words[1:]}
	for _, o := range strings.FieldsFunc(options, func(r rune) bool { return r == '&' }) {
		name, value, _ := strings.Cut(o, "=")
		c.Options = append(c.Options, engine.Option{Name: name, Value: value})
	}
	var sum, squares float64
	for round := range *speedRounds {
		var rate [2]float64
		for i := range 2 {
			inside := (i + round) % 2
			c.Sandbox = []*sandbox.Limits{nil, {Memory: sandbox.DefaultMemory}}[inside]
			rate[inside] = nodesPerSecond(t, c)
		}
		x := math.Log(rate[1] / rate[0])
		sum, squares = sum+x, squares+x*x
	}
	n := float64(*speedRounds)
	half := 2.05 * math.Sqrt((squares/n-sum*sum/n/n)/(n-1)) // t distribution for the default of 30 rounds; more rounds need less
	t.Logf("%s: inside %.2f %% of outside [%.2f, %.2f], %.0f rounds of %d nodes", text, 100*math.Exp(sum/n),
		100*math.Exp(sum/n-half), 100*math.Exp(sum/n+half), n, *speedNodes)
}

// nodesPerSecond starts an engine, and returns the nodes of a search by the processor time of all its threads.
func nodesPerSecond(t *testing.T, command Command) float64 {
	t.Helper()
	c := NewClient(command)
	defer c.Close()
	if err := c.NewGame(1); err != nil {
		t.Fatal(err)
	}
	used := func() time.Duration {
		const processClock = 2
		var at unix.Timespec
		if err := unix.ClockGettime(^int32(c.process.box.Pid(c.process.pid))<<3|processClock, &at); err != nil {
			t.Fatal(err)
		}
		return time.Duration(at.Nano())
	}
	before := used()
	r, err := c.Search(t.Context(), board.NewGame(board.StartPosition()), engine.Limits{Nodes: *speedNodes})
	if err != nil || r.Nodes == 0 {
		t.Fatalf("%s: %d nodes, %v", command.Path, r.Nodes, err)
	}
	return float64(r.Nodes) / (used() - before).Seconds()
}
