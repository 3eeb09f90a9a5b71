//go:build linux

package selfplay

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/machine"
	foreign "github.com/assay-chess/assay/engine/uci"
	testengine "github.com/assay-chess/assay/engine/uci/testdata"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay/internal/toy"
)

// What becomes of an engine that misbehaves.
const (
	harmless = ""                   // it plays
	refused  = "refused"            // it does not start, or has no first move: no game counts
	illegal  = string(IllegalMove)  // it loses the game
	failed   = string(PlayerFailed) // it loses the game
)

const promotion = "8/P6k/8/8/8/8/p6K/8 w - - 0 1"

// misbehaviours are modes of badengine with what must become of it. Those that end by a
// timeout say so.
var misbehaviours = []struct {
	mode, verdict string
	timeout       bool
	start         string // FEN
}{
	{mode: "good"}, {mode: "late-uciok"}, {mode: "late-readyok"}, {mode: "uciok-twice"}, {mode: "readyok-twice"},
	{mode: "no-options"}, {mode: "odd-options"}, {mode: "no-info"}, {mode: "spaces"}, {mode: "half-lines"},
	{mode: "crlf"}, {mode: "nul"}, {mode: "latin1"}, {mode: "binary"}, {mode: "chatter"},
	{mode: "uppercase"}, {mode: "move-uppercase"}, {mode: "promotion-upper", start: promotion},
	{mode: "doubled"}, {mode: "doubled-late"}, {mode: "long-line"}, {mode: "long-bestmove"}, {mode: "flood"},
	{mode: "absurd"}, {mode: "mate-nonsense"}, {mode: "score-range"}, {mode: "score-word"}, {mode: "nodes-absurd"},
	{mode: "time-absurd"}, {mode: "depth-absurd"}, {mode: "pv-illegal"}, {mode: "pv-endless"},
	{mode: "stderr"}, {mode: "stderr-no-newline"}, {mode: "ignores-quit"}, {mode: "ignores-term"},
	{mode: "fork"}, {mode: "fork-session"}, {mode: "fork-clean"}, {mode: "fork-orphan"},

	{mode: "wrong-start", verdict: refused}, {mode: "exit-at-uci", verdict: refused},
	{mode: "exit-at-isready", verdict: refused},
	{mode: "no-uciok", verdict: refused, timeout: true}, {mode: "invalid-uciok", verdict: refused, timeout: true},
	{mode: "no-readyok", verdict: refused, timeout: true}, {mode: "exit-at-position", verdict: refused},
	{mode: "crash", verdict: refused}, {mode: "segfault", verdict: refused}, {mode: "exit", verdict: refused},
	{mode: "exit-ok", verdict: refused},
	{mode: "fork-crash", verdict: refused}, {mode: "stdout-closed", verdict: refused},
	{mode: "hang", verdict: refused, timeout: true}, {mode: "deaf", verdict: refused, timeout: true},
	{mode: "no-newline", verdict: refused, timeout: true}, {mode: "flood-forever", verdict: refused, timeout: true},
	{mode: "stderr-only", verdict: refused, timeout: true}, {mode: "other-word", verdict: refused, timeout: true},
	{mode: "illegal", verdict: refused}, {mode: "garbage", verdict: refused}, {mode: "empty", verdict: refused},
	{mode: "null", verdict: refused}, {mode: "none", verdict: refused}, {mode: "san", verdict: refused},
	{mode: "own-square", verdict: refused}, {mode: "off-board", verdict: refused},
	{mode: "promotion-wrong", verdict: refused},
	{mode: "other-side", verdict: refused},

	{mode: "promotion-missing", verdict: illegal, start: promotion},
	{mode: "promotion-king", verdict: illegal, start: promotion},
	{mode: "illegal-later", verdict: illegal}, {mode: "null-later", verdict: illegal},
	{mode: "previous", verdict: illegal},
	{mode: "crash-later", verdict: failed}, {mode: "exit-later", verdict: failed}, {mode: "abort", verdict: failed},
	{mode: "killed", verdict: failed}, {mode: "stops-itself", verdict: failed, timeout: true},
	{mode: "hang-later", verdict: failed, timeout: true}, {mode: "not-ready-later", verdict: failed, timeout: true},
	{mode: "exit-after", verdict: failed}, {mode: "exit-after-later", verdict: failed},
	{mode: "stdin-closed", verdict: failed, timeout: true}, {mode: "exit-at-newgame", verdict: failed},
}

// Each misbehaviour is either harmless, or keeps the engine from its first game, or costs
// the engine, never its opponent, a game; and no process is left behind.
func TestMisbehaviours(t *testing.T) {
	if n := len(misbehaviours); n < 60 {
		t.Errorf("%d misbehaviours, want at least 60", n)
	}
	path := testengine.Build(t, "badengine")
	for i, tt := range misbehaviours {
		t.Run(tt.mode, func(t *testing.T) {
			t.Parallel()
			mark := fmt.Sprintf("mark-%d-%d-", os.Getpid(), i)
			c := foreign.Command{Path: path, Args: []string{tt.mode, mark}, StartTimeout: time.Minute, MoveTimeout: time.Minute}
			if tt.timeout {
				c.StartTimeout, c.MoveTimeout = 2*time.Second, 2*time.Second
			}
			if verdict, why := becomes(t, c, tt.start); verdict != tt.verdict {
				t.Errorf("%q: %s; want %q", verdict, why, tt.verdict)
			}
			testengine.NoneLeft(t, mark)
		})
	}
}

// becomes runs the preflight, and plays a game of each color.
func becomes(t *testing.T, command foreign.Command, start string) (verdict, why string) {
	t.Helper()
	open := func(engine.Spec) (engine.Player, error) { return foreign.NewClient(command), nil }
	if err := (&Place{Open: open}).Preflight(t.Context(), func(int) Limits { return anyLimits[0] },
		Player{Spec: toy.Spec("bad")}); err != nil {
		if !errors.Is(err, ErrPreflight) {
			t.Error(err)
		}
		return refused, err.Error()
	}
	job := Job{Start: start, Plies: 8, Limits: anyLimits}
	if start != "" {
		job.Plies = 1
	}
	c := foreign.NewClient(command)
	defer c.Close()
	for own := range board.Color(2) {
		pair := players(t, "a", "a")
		pair[own] = c
		r := setup.Must(Play(t.Context(), &job, pair, false))
		loser, forfeited := r.Forfeited()
		switch {
		case forfeited && loser != own:
			t.Errorf("the opponent lost: %s", r.Fault)
		case forfeited && !strings.Contains(r.FaultLog, "< uciok\n"):
			t.Errorf("%s: log %q", r.Fault, r.FaultLog)
			fallthrough
		case forfeited:
			return string(r.Termination), r.Fault
		case r.Void != "":
			return string(VoidGame), r.Void
		case r.FaultLog != "":
			t.Errorf("a log without a fault: %q", r.FaultLog)
		}
	}
	return harmless, ""
}

// A program that the system cannot start makes a game void, for either side.
func TestNoProgramIsVoid(t *testing.T) {
	for side := range board.Color(2) {
		pair := players(t, "a", "a")
		pair[side] = foreign.NewClient(foreign.Command{Path: "/no/such/engine"})
		r := setup.Must(Play(t.Context(), &Job{Limits: anyLimits}, pair, false))
		if _, yes := r.Forfeited(); yes || r.Termination != VoidGame || !strings.Contains(r.Void,
			side.String()+": new game: ") {
			t.Errorf("ended by %s: %s%s", r.Termination, r.Fault, r.Void)
		}
		if err := r.Verify(&Job{Limits: anyLimits}); err != nil {
			t.Error(err)
		}
	}
}

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
			cmd := exec.CommandContext(t.Context(), self, path)
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
					setup.Check(t, syscall.Kill(pid, s))
				}
			}
			signal(syscall.SIGSTOP)
			var status syscall.WaitStatus // its threads run on for a moment after the signal
			if _, err := syscall.Wait4(cmd.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
				t.Fatalf("status %v, %v", status, err)
			}
			setup.Must(in.Write([]byte("x"))) // read when it continues
			if kind == "short stop" {
				time.Sleep(240 * time.Millisecond)
			} else {
				time.Sleep(time.Second)
			}
			signal(syscall.SIGCONT)
			var games []Result
			setup.Check(t, json.NewDecoder(lines).Decode(&games))
			setup.Check(t, cmd.Wait())
			stalls := 0
			if kind == "short stop" {
				if !slices.ContainsFunc(games, func(g Result) bool {
					return strings.Contains(g.Void, "ran up to") || g.Stalls != [2]int{}
				}) {
					t.Errorf("no game was stopped: %+v", games)
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

// pinned is a player that notes where it is pinned to, and the cores that its thread may use.
type pinned struct {
	engine.Player
	note func(pinned, allowed int)
	core int
}

func (p *pinned) Pin(core int) { p.core = core }

func (p *pinned) Search(ctx context.Context, g *board.Game, lim engine.Limits) (engine.Result, error) {
	allowed, err := machine.AllowedCores()
	if len(allowed) != 1 {
		allowed = []int{-2}
	}
	p.note(p.core, allowed[0])
	r, errSearch := p.Player.Search(ctx, g, lim)
	return r, errors.Join(err, errSearch)
}

// Each worker of a Local has one core of the list: the programs of its players run there, and the worker
// itself if a player that has no program, b, plays in it, not if b only checks openings.
func TestLocalPins(t *testing.T) {
	allowed := setup.Must(machine.AllowedCores())
	var mu sync.Mutex
	var seen []int
	inside := true // some player has no program
	open := func(spec engine.Spec) (engine.Player, error) {
		p := &pinned{Player: slowPlayer(t, 0), core: -1, note: func(pinned, thread int) {
			mu.Lock()
			defer mu.Unlock()
			switch {
			case spec.Name == "b" && !inside:
				return
			case spec.Name == "b":
				pinned = thread
			case inside && pinned != thread, !inside && thread >= 0 && len(allowed) > 1:
				t.Errorf("the program is pinned to %d, its thread to %d", pinned, thread)
			}
			seen = append(seen, pinned)
		}}
		if spec.Name == "b" {
			return struct{ engine.Player }{p}, nil
		}
		return limiting{p}, nil
	}
	for _, names := range [][2]string{{"w", "b"}, {"w", "c"}} {
		seen, inside = nil, names[1] == "b"
		l := &Local{Open: open, Workers: len(allowed), Cores: allowed}
		jobs, results := make(chan Task, 40), make(chan Result, 40)
		for n := range uint64(20) {
			if !inside {
				jobs <- &Probe{Number: n, Try: 1, Check: &Check{Player: Player{Spec: toy.Spec("b")}, Nodes: 1},
					Opening: board.NewGame(board.StartPosition())}
			}
			jobs <- &Job{Number: n, Players: toy.Specs(names[0], names[1]), Limits: anyLimits, Plies: 4}
		}
		close(jobs)
		setup.Check(t, l.Run(t.Context(), jobs, results))
		if len(seen) != 80 || slices.ContainsFunc(seen, func(core int) bool { return !slices.Contains(allowed, core) }) {
			t.Errorf("%v: %d searches on cores %v, want 80 on some of %v", names, len(seen), seen, allowed)
		}
		if now, err := machine.AllowedCores(); err != nil || !slices.Equal(now, allowed) {
			t.Errorf("%v: afterwards %v, %v", names, now, err)
		}
	}
	l := &Local{Open: open, Workers: 2, Cores: allowed[:1]}
	if err := l.Run(t.Context(), nil, nil); !errors.Is(err, ErrConfig) {
		t.Errorf("one core for two workers: %v", err)
	}
}
