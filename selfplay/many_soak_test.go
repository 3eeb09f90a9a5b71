//go:build linux && soak

package selfplay

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/machine"
	foreign "github.com/assay-chess/assay/engine/uci"
	testengine "github.com/assay-chess/assay/engine/uci/testdata"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay/internal/toy"
)

// Sixty-four games at once at a short clock, of engines that sleep up to 5 ms, some of which crash and are started
// again, lose no game on time: where the runner itself is late, the game is void.
func TestManySleepingGames(t *testing.T) {
	const atOnce, games = 64, 640
	const walls = "3k4/8/8/pppppppp/PPPPPPPP/8/8/4K3 w - - 0 1" // the sleeper moves its king behind them
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("needs a C compiler; on Debian: apt-get install gcc")
	}
	meter := machine.StartMeter()
	time.Sleep(time.Second)
	if before := meter.Stop(); before.Threads > 1 {
		t.Skipf("other programs take the processor (%v): run this on an idle machine", before)
	}
	dir := t.TempDir()
	sleeper := filepath.Join(dir, "sleeper")
	if out, err := exec.Command("cc", "-O2", "-o", sleeper, "../cmd/bench/testdata/sleeper.c").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	crashing := testengine.Build(t, "badengine")
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(24<<20 + atOnce*512<<10))
	commands := map[string]foreign.Command{
		"sleeper":  {Path: sleeper},
		"crashing": {Path: crashing, Args: []string{"crash-often"}},
	}
	open := func(spec engine.Spec) (engine.Player, error) {
		c := commands[spec.Name]
		c.StartTimeout, c.MoveTimeout = time.Minute, 10*time.Second
		return foreign.NewClient(c), nil
	}
	clock := Limits{Clock: Clock{Base: 200 * time.Millisecond, Increment: 2 * time.Millisecond}}
	jobs, results := make(chan Task), make(chan Result, games)
	go func() {
		defer close(jobs)
		for i := range games {
			white := "sleeper"
			if i%8 == 7 {
				white = "crashing"
			}
			jobs <- &Job{Number: uint64(i), Players: toy.Specs(white, "sleeper"), Seed: uint64(i),
				Start: walls, Limits: [2]Limits{clock, clock}, Plies: 90}
		}
	}()
	local := &Local{Open: open, Workers: atOnce}
	setup.Check(t, local.Run(t.Context(), jobs, results))
	close(results)
	ends, void := map[string]int{}, 0
	for r := range results {
		ends[fmt.Sprint(r.Termination)]++
		switch {
		case r.Void != "":
			void++
		case r.Termination == TimeForfeit && !strings.Contains(r.Fault, "exit status"): // a crash takes its own time
			t.Errorf("game %d: %s", r.Number, r.Fault)
		}
	}
	t.Logf("%v; %v", ends, local.Load())
	if void > games/100 {
		t.Errorf("%d of %d games are void", void, games)
	}
}
