package app

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/assay-chess/assay/cmd/internal/opts"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/machine"
	"github.com/assay-chess/assay/engine/quote"
	testengine "github.com/assay-chess/assay/engine/uci/testdata"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/datagen"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/match"
)

var badMarks atomic.Int64

// badPlayer returns the specification of the engine in a mode, and what its processes
// can be found by.
func badPlayer(path, mode string) (spec, mark string) {
	mark = fmt.Sprintf("mark-%d-%d-", os.Getpid(), badMarks.Add(1))
	return fmt.Sprintf("uci:'%s' %s %s", path, mode, mark), mark
}

// playForeign plays a match of four games against the player in the folder, whatever it
// forfeits, and returns the result, the faults in the journal, and the standard error.
func playForeign(t *testing.T, dir, spec string, flags ...string) (r match.Result, faults []string, stderr string) {
	t.Helper()
	args := append([]string{"match", "assay:hash=1", spec, "--games", "4", "--max-plies", "10", "--opening-nodes", "500",
		"--concurrency", "2", "--recover", "--json", "--out", dir}, flags...)
	code, stdout, stderr := call(t, args...)
	if code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	setup.Check(t, json.Unmarshal([]byte(stdout), &r))
	setup.Check(t, durable.ReadJournal(filepath.Join(dir, gamelog.JournalName), func(line []byte) error {
		var g selfplay.Result
		if err := json.Unmarshal(line, &g); err != nil {
			return err
		}
		if g.FaultLog != "" {
			t.Errorf("the journal has the log of game %d", g.Number)
		}
		if g.Fault != "" {
			faults = append(faults, string(g.Termination)+": "+g.Fault)
		}
		return nil
	}))
	return r, faults, stderr
}

// An engine that crashes loses its own games, and the match is played to its end.
func TestMatchAgainstBadEngine(t *testing.T) {
	spec, mark := badPlayer(testengine.Build(t, "badengine"), "crash-later")
	dir := filepath.Join(t.TempDir(), "m")
	r, faults, stderr := playForeign(t, dir, spec, "--nodes", "50", "--start-timeout", "1m", "--move-timeout", "1m")
	if r.Games != 4 || r.Forfeits != [2]int64{0, 4} || len(faults) != 4 {
		t.Fatalf("%d games, forfeits %v, faults %q", r.Games, r.Forfeits, faults)
	}
	const want = `player-failed: B: uci:badengine: no bestmove for "go nodes 50": it ended with`
	for _, fault := range faults {
		as := strings.NewReplacer(": white: ", ": B: ", ": black: ", ": B: ").Replace(fault)
		if !strings.Contains(as, want) {
			t.Errorf("fault %q, want %q in it", as, want)
		}
	}
	logs, err := filepath.Glob(filepath.Join(dir, gamelog.FaultsName, "game-*.txt"))
	if err != nil || len(logs) != 4 {
		t.Errorf("%d logs of faults, %v", len(logs), err)
	}
	if text := ui.FaultsText(dir, 4); text != "logs of 4 in "+filepath.Join(dir, "faults") {
		t.Errorf("the report says %q", text)
	}
	if _, why, _ := strings.Cut(faults[0], "uci:badengine: "); why == "" || !strings.Contains(stderr, why) {
		t.Errorf("the command does not say %q: %s", why, stderr)
	}
	testengine.NoneLeft(t, mark)
}

// By default a game of external engines has a core of its own if that makes it faster and nothing else
// can come of it.
func TestAffinity(t *testing.T) {
	player := func(text string) selfplay.Player { return selfplay.Player{Spec: setup.Must(engine.ParseSpec(text))} }
	foreign, own := player("uci:engine"), player("assay")
	for _, tt := range []struct {
		affinity string
		remote   string
		timed    bool
		players  []selfplay.Player
		want     int
	}{
		{"auto", "", false, []selfplay.Player{foreign, own}, 1},
		{"auto", "", false, []selfplay.Player{own, own}, 0},
		{"auto", "", true, []selfplay.Player{foreign, foreign}, 0},
		{"auto", "", false, []selfplay.Player{foreign, player("uci:engine?Threads=2")}, 0},
		{"auto", "127.0.0.1:0", false, []selfplay.Player{foreign}, 0},
		{"on", "", true, []selfplay.Player{own, own}, 1},
		{"off", "", false, []selfplay.Player{foreign}, 0},
	} {
		l := &selfplay.Local{Workers: 1}
		s := session{Play: &opts.Play{}}
		s.Affinity, s.Serve = tt.affinity, tt.remote
		err := s.pin(l, tt.timed, tt.players)
		_, release, errFree := machine.Claim(1)
		if errFree != nil {
			t.Skip("no core is free: ", errFree)
		}
		release()
		if err != nil || len(l.Cores) != tt.want {
			t.Errorf("%+v: cores %v, %v; want %d", tt, l.Cores, err, tt.want)
		}
		s.close()
	}
}

// An engine that plays no move ends the command before the first game: no command counts its
// losses, and none says that its opponent passes.
func TestEnginesThatNeverWork(t *testing.T) {
	path := testengine.Build(t, "badengine")
	for mode, says := range map[string]string{
		"illegal":     `illegal-move: uci:badengine: bestmove: not a legal move: "e1e8"`,
		"hang":        `no bestmove for "go nodes 50" within 1.001s`,
		"no-uciok":    "the player does not work: uci:badengine: no answer in time: no uciok within 700ms",
		"wrong-start": "cannot find my network",
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			spec, mark := badPlayer(path, mode)
			start, move := "1m", "1m"
			switch mode {
			case "no-uciok":
				start = "700ms"
			case "hang":
				move = "1s"
			}
			dir := filepath.Join(t.TempDir(), "m")
			for _, args := range [][]string{
				{"match", "assay:hash=1", spec, "--sprt", "0,10"},
				{"match", "assay:hash=1", spec, "--games", "4", "--recover"},
				{"ladder", spec, "assay:hash=1", "--games", "4"},
			} {
				args = append(args, "--nodes", "50", "--start-timeout", start, "--move-timeout", move, "--json", "--out", dir)
				code, stdout, stderr := call(t, args...)
				if code != exitFailed || stdout != "" || !strings.Contains(stderr, "the player does not work: ") ||
					!strings.Contains(stderr, says) {
					t.Errorf("%q: exit %d, %s%s; want %q", args, code, stdout, stderr, says)
				}
				if _, err := os.Stat(dir); err == nil {
					t.Errorf("%q: there is a folder", args)
				}
			}
			testengine.NoneLeft(t, mark)
		})
	}
}

// A player that crashes in half of its games gives no verdict and no Elo, and such a match can be resumed.
func TestForfeitsAndVerdict(t *testing.T) {
	path := testengine.Build(t, "badengine")
	often, mark := badPlayer(path, "crash-often")
	dir := filepath.Join(t.TempDir(), "m")
	play := func(spec string, flags ...string) (code int, r match.Result, stderr string) {
		t.Helper()
		args := append([]string{"match", "assay:hash=1", spec, "--nodes", "50", "--max-plies", "10", "--opening-nodes", "500",
			"--concurrency", "2", "--start-timeout", "1m", "--move-timeout", "1m", "--json"}, flags...)
		code, stdout, stderr := call(t, args...)
		if err := json.Unmarshal([]byte(stdout), &r); err != nil {
			t.Fatalf("%v: %s", err, stderr)
		}
		return code, r, stderr
	}
	code, r, stderr := play(often, "--sprt", "0,10", "--games", "100", "--out", dir)
	if code != exitFailed || r.Verdict != match.NoVerdict || r.Games > 32 || r.Strength.Known() ||
		!strings.Contains(r.Reason, "(B) forfeited ") ||
		!strings.Contains(stderr, r.Reason) || !strings.Contains(stderr, "the games are kept in "+quote.Word(dir)) {
		t.Errorf("exit %d, %s after %d games: %s; %s", code, r.Verdict, r.Games, r.Reason, stderr)
	}
	if page, err := os.ReadFile(filepath.Join(dir, "report.html")); err != nil ||
		!strings.Contains(string(page), "<strong>NO VERDICT: ") || !strings.Contains(string(page), "(B) forfeited ") ||
		strings.Contains(string(page), "<bdi>Elo</bdi>") {
		t.Errorf("the report does not say that there is no verdict: %v", err)
	}
	if code, stdout, stderr := call(t, "runs", filepath.Dir(dir)); code != exitDone ||
		!strings.Contains(stdout, "m     no verdict  match") || !strings.Contains(stdout, "assay match assay:hash=1") {
		t.Errorf("runs: exit %d, %s%s", code, stdout, stderr)
	}
	code, r, stderr = play(often, "--sprt", "0,10", "--games", "100", "--out", dir, "--recover")
	if code != exitDone || r.Verdict == match.NoVerdict || r.Games < 10 || r.Forfeits[1] < r.Games/4 {
		t.Errorf("with --recover: exit %d, %s after %d games, forfeits %v; %s", code, r.Verdict, r.Games, r.Forfeits, stderr)
	}
	if _, stdout, _ := call(t, "runs", filepath.Dir(dir)); !strings.Contains(stdout, "m     complete  match") {
		t.Errorf("runs: %s", stdout)
	}
	code, stdout, stderr := call(t, "ladder", "assay:hash=1", often, "--nodes", "50", "--max-plies", "10",
		"--opening-nodes", "500", "--start-timeout", "1m", "--move-timeout", "1m")
	if code != exitFailed || !strings.HasPrefix(stdout, "NO VERDICT: "+often+" forfeited ") ||
		!strings.Contains(stderr, "no verdict: ") {
		t.Errorf("ladder: exit %d, %s%s", code, stdout, stderr)
	}
	testengine.NoneLeft(t, mark)
}

func TestMatchAtAClock(t *testing.T) {
	spec, mark := badPlayer(testengine.Build(t, "badengine"), "late")
	r, faults, _ := playForeign(t, filepath.Join(t.TempDir(), "m"), spec, "--tc", "60+0,0.05+0", "--start-timeout", "1m")
	if r.Forfeits != [2]int64{0, 4} || r.Terminations[string(selfplay.TimeForfeit)] != 4 {
		t.Errorf("forfeits %v, ended by %v", r.Forfeits, r.Terminations)
	}
	for _, fault := range faults {
		if !strings.Contains(fault, "with 50ms on the clock (margin 50ms)") {
			t.Errorf("fault %q", fault)
		}
	}
	r, faults, _ = playForeign(t, filepath.Join(t.TempDir(), "m"), spec, "--movetime", "5ms", "--start-timeout", "1m",
		"--move-timeout", "1m")
	if len(faults) != 4 || !strings.Contains(faults[0], "for a move of 5ms (margin 50ms)") {
		t.Errorf("%d games, faults %q", r.Games, faults)
	}
	testengine.NoneLeft(t, mark)
}

// A runner that is killed takes its engines with it, even those that neither read nor answer, and what they started,
// in their process group or not.
func TestKilledRunnerLeavesNoEngine(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ties the life of an engine to ours")
	}
	path := testengine.Build(t, "badengine")
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGINT} {
		spec, mark := badPlayer(path, "deaf-later,fork,fork-session,fork-orphan")
		cmd := exec.Command("assay", "match", "assay:hash=1", spec, "--games", "8", "--tc", "100", "--opening-nodes", "500",
			"--concurrency", "2")
		setup.Check(t, cmd.Start())
		const want = 1 + 2*4 // assay, and two engines with three children each
		n := 0               // passes the number while an orphan's parent is still there
		for until := time.Now().Add(3 * time.Minute); n != want && time.Now().Before(until); n = len(testengine.Processes(mark)) {
			time.Sleep(50 * time.Millisecond)
		}
		if n != want {
			t.Errorf("%d processes before the end, want %d", n, want)
		}
		if err := cmd.Process.Signal(signal); err != nil {
			t.Error(err)
		}
		_ = cmd.Wait() // it failed: it was killed
		testengine.NoneLeft(t, mark)
	}
}

// Two games at once of two engines start four programs: those that were checked play, too.
func TestEnginesAreStartedOnce(t *testing.T) {
	path, dir := testengine.Build(t, "badengine"), t.TempDir()
	starts := filepath.Join(dir, "starts")
	engine := func(name string) string {
		return fmt.Sprintf(`uci:sh -c "echo %s >> '%s'; exec '%s' good"`, name, starts, path)
	}
	for i, args := range [][]string{{"match", engine("a"), engine("b")}, {"match", engine("a"), engine("a")},
		{"ladder", engine("a"), engine("b")}} {
		args = append(args, "--nodes", "10", "--games", "8", "--max-plies", "4", "--opening-score", "-1", "--concurrency",
			"2")
		if code, _, stderr := call(t, args...); code != exitDone {
			t.Fatalf("exit %d: %s", code, stderr)
		}
		text := setup.Must(os.ReadFile(starts))
		if n := strings.Count(string(text), "\n"); n > 4 || n < 2 {
			t.Errorf("%d: %d starts of engines, want four at most", i, n)
		}
		setup.Check(t, os.Remove(starts))
	}
}

// Games that an external engine forfeits count with their termination, each is announced, and self-play goes on.
func TestSelfplayWithAnEngineThatForfeits(t *testing.T) {
	spec, mark := badPlayer(testengine.Build(t, "badengine"), "crash-rarely")
	out := filepath.Join(t.TempDir(), "rarely")
	code, stdout, stderr := call(t, "selfplay", "--players", spec, "--games", "200", "--nodes", "5", "--max-plies", "6",
		"--opening-score", "-1", "--json", "--out", out)
	var r datagen.Summary
	if err := json.Unmarshal([]byte(stdout), &r); code != exitDone || err != nil {
		t.Fatalf("exit %d, %v: %s", code, err, stderr)
	}
	n := r.Terminations["player-failed"]
	if n < 1 || n > 8 || r.Games != 200 || r.Forfeits() != n || gamelog.FaultLogs(out) != int(n) ||
		strings.Count(stderr, ": player-failed: ") != int(n) {
		t.Errorf("%d forfeits of %d games, %d logs: %s", n, r.Games, gamelog.FaultLogs(out), stderr)
	}
	testengine.NoneLeft(t, mark)
}
