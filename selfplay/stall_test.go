//go:build linux

package selfplay

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	foreign "github.com/assay-chess/assay/engine/uci"
	testengine "github.com/assay-chess/assay/engine/uci/testdata"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay/internal/toy"
)

// stalledVariable makes the test binary play a game and be stopped during it; its value is
// what limits the game.
const stalledVariable = "ASSAY_TEST_STALLED"

func TestMain(m *testing.M) {
	if kind := os.Getenv(stalledVariable); kind != "" {
		if err := playStopped(kind, os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	flag.Parse()
	if err := flag.Set("test.parallel", "16"); err != nil { // most tests in parallel wait for engines that hang
		panic(err)
	}
	os.Exit(testengine.Tests{M: m}.Run())
}

// stopped is a player during whose third search of the first game the process is stopped.
// It says so on standard output and waits until it has been, if it is not an external engine.
type stopped struct {
	engine.Player
	searches int
	foreign  bool
}

func (p *stopped) Search(ctx context.Context, game *board.Game, lim engine.Limits) (engine.Result, error) {
	if p.searches++; p.searches == 3 {
		fmt.Println("searching")
		if !p.foreign {
			if _, err := io.ReadFull(os.Stdin, make([]byte, 1)); err != nil {
				return engine.Result{}, err
			}
		}
	}
	return p.Player.Search(ctx, game, lim)
}

// stopMark is an argument of the engine of the process.
func stopMark(pid int) string { return fmt.Sprintf("stopped-%d-", pid) }

// playStopped plays one game against an external engine and prints its result.
func playStopped(kind, path string) error {
	mode := "late"
	if kind == "short stop" {
		mode = "good"
	}
	client := foreign.NewClient(foreign.Command{Path: path, Args: []string{mode, stopMark(os.Getpid())},
		StartTimeout: time.Minute, MoveTimeout: 700 * time.Millisecond})
	open := func(spec engine.Spec) (engine.Player, error) {
		return &stopped{Player: client, foreign: kind == "nodes"}, nil
	}
	job := Job{Players: toy.Specs("", "stopped"), Seed: 1, Plies: 1}
	position, err := board.ParseFEN("4k3/8/8/8/8/8/4P3/4K3 b - - 0 1")
	if err != nil {
		return err
	}
	job.setOpening(board.NewGame(position))
	lim := Limits{Nodes: 1}
	switch kind {
	case "clock":
		lim = Limits{Clock: Clock{Base: 900 * time.Millisecond}}
	case "short stop":
		lim = Limits{Clock: Clock{Base: 50 * time.Millisecond}}
	}
	job.Limits = [2]Limits{lim, lim}
	jobs, results := make(chan Task, 5), make(chan Result, 5)
	for range cap(jobs) {
		jobs <- &job
	}
	close(jobs)
	local := &Local{Open: open, Workers: 1}
	if err := local.Run(context.Background(), jobs, results); err != nil {
		return err
	}
	close(results)
	var all []Result
	for r := range results {
		all = append(all, r)
	}
	return json.NewEncoder(os.Stdout).Encode(all)
}

// While the process that plays the games is stopped no player loses. With a clock the game
// is played again, without one only the engine's timeout is extended. A stop too short for that voids a game that was
// lost on time by less.
func TestNoOneLosesWhileStopped(t *testing.T) {
	path := testengine.Build(t, "badengine")
	self := setup.Must(os.Executable())
	for _, kind := range []string{"clock", "nodes", "short stop"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(self, path)
			cmd.Env = append(os.Environ(), stalledVariable+"="+kind)
			cmd.Stderr = os.Stderr
			in := setup.Must(cmd.StdinPipe())
			out := setup.Must(cmd.StdoutPipe())
			setup.Check(t, cmd.Start())
			lines := bufio.NewReader(out)
			if line, err := lines.ReadString('\n'); err != nil || line != "searching\n" {
				t.Fatalf("%q, %v", line, err)
			}
			// With a clock only the process is stopped: the engine answers, and the clock runs. In
			// the other game the engine stops too, as when a machine is suspended.
			stop := []int{cmd.Process.Pid}
			if kind == "nodes" {
				stop = append(stop, testengine.Processes(stopMark(cmd.Process.Pid))...)
			}
			signal := func(s syscall.Signal) {
				for _, pid := range stop {
					if err := syscall.Kill(pid, s); err != nil {
						t.Error(err)
					}
				}
			}
			signal(syscall.SIGSTOP)
			if _, err := in.Write([]byte("x")); err != nil { // read when it continues
				t.Error(err)
			}
			if kind == "short stop" {
				time.Sleep(240 * time.Millisecond)
			} else {
				time.Sleep(time.Second)
			}
			signal(syscall.SIGCONT)
			var games []Result
			setup.Check(t, json.NewDecoder(lines).Decode(&games))
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
			stalls := 0
			if kind == "short stop" {
				if g := games[2]; !strings.Contains(g.Void, "ran up to") && g.Stalls == [2]int{} {
					t.Errorf("the game ended by %s: %s%s", g.Termination, g.Fault, g.Void)
				}
				return
			}
			for _, g := range games {
				if _, yes := g.Forfeited(); yes || g.Void != "" || len(g.Moves) != 1 {
					t.Errorf("game of %d moves ended by %s: %s%s", len(g.Moves), g.Termination, g.Fault, g.Void)
				}
				stalls += g.Stalls[board.Black]
				if g.Stalls[board.White] > 0 {
					t.Error("a stall while White's clock ran")
				}
			}
			if clock := kind == "clock"; len(games) != 5 || clock != (stalls > 0) {
				t.Errorf("%d games with %d stalls", len(games), stalls)
			}
		})
	}
}
