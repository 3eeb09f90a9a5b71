package queue

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/assay-chess/assay/cmd/internal/report"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/assay-chess/assay/selfplay/queue"
)

// dies names a variable that makes the process of a game end as one without memory does.
const dies = "ASSAY_TEST_GAME_DIES"

// TestMain lets the test binary be the process of a game.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == GameArgument {
		if os.Getenv(dies) != "" {
			fmt.Fprintln(os.Stderr, "fatal error: runtime: out of memory"+strings.Repeat(" and a stack", 500))
			os.Exit(2)
		}
		os.Exit(PlayGame(os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

func aJob(t *testing.T, white, black string) *selfplay.Job {
	t.Helper()
	job := &selfplay.Job{Seed: 5, Plies: 30, Limits: [2]selfplay.Limits{{Nodes: 100}, {Nodes: 100}}}
	for i, text := range []string{white, black} {
		spec, err := roster.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		job.Players[i] = spec
	}
	return job
}

// A game in another process is the same game. What ends that process is an error of the game, and what cannot be
// played says so; the server goes on.
func TestGameInAnotherProcess(t *testing.T) {
	r := newRoom()
	job := aJob(t, "assay:hash=1", "assay:hash=1:weights=shannon-1950")
	here, err := (&selfplay.Local{Open: roster.Open}).One(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	there, err := r.play(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	a, err := wire.Checksum(&here)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := wire.Checksum(&there); err != nil || a != b {
		t.Errorf("the games differ: %s, %s, %v", a, b, err)
	}
	if _, err := r.play(t.Context(), aJob(t, "assay:weights=/none.json", "random")); err == nil ||
		!strings.Contains(err.Error(), "none.json") {
		t.Errorf("a player without its weights: %v", err)
	}
	t.Setenv(dies, "1")
	if _, err := r.play(t.Context(), job); !errors.Is(err, errGame) || !strings.Contains(err.Error(),
		"out of memory") || len(err.Error()) > 1000 {
		t.Errorf("a process that dies: %v", err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := r.play(stopped, job); !errors.Is(err, context.Canceled) {
		t.Errorf("a game that is stopped: %v", err)
	}
}

// No test has a game that the memory does not hold, and games that are played at once share it.
func TestRoomForHash(t *testing.T) {
	r := &room{size: 1000, free: semaphore.NewWeighted(1000)}
	for players, fits := range map[string]bool{
		"assay assay": true, "assay:hash=65536 assay": false, "assay:hash=500 assay:hash=300": true,
		"assay:hash=500 assay:hash=450": false, "assay:hash=450 random assay:hash=500": false, "assay:hash=500": false,
		"assay:hash=430": true, "uci:engine?Hash=2000 assay": false,
	} {
		err := r.check(queue.Job{Command: "match", Players: strings.Fields(players)})
		if (err == nil) != fits || err != nil && !errors.Is(err, ErrJob) {
			t.Errorf("%s: %v", players, err)
		}
	}
	if err := r.free.Acquire(t.Context(), 900); err != nil { // another test's game
		t.Fatal(err)
	}
	soon, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	if _, err := r.play(soon, aJob(t, "assay:hash=1", "random")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a game without room: %v", err)
	}
}

// Files, room and servers that are missing pause a test; its own fault fails it.
func TestPausedTests(t *testing.T) {
	store, err := queue.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	tries := 0
	s := &server{store: store, most: 1, log: func(string) {}, pause: time.Millisecond, active: map[string]*activeTest{},
		pages: &report.Server{Dir: store.RunsDir()}, hooks: &Hooks{Run: func(context.Context, queue.Job, Place) error {
			tries++
			errs := []error{syscall.EMFILE, &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}, errors.New("its fault")}
			return fmt.Errorf("run: %w", errs[tries-1])
		}}}
	t1, err := store.Add(queue.Test{Name: "a", Job: queue.Job{Command: "match", Players: []string{"assay", "random"}},
		State: queue.Queued})
	if err == nil {
		err = store.Move(queue.Server, "start", "a", "")
	}
	if err != nil {
		t.Fatal(err)
	}
	s.play(t.Context(), t1, &activeTest{})
	x, err := store.Test("a")
	if err != nil || tries != 3 || x.State != queue.Failed || !strings.Contains(x.Reason, "its fault") {
		t.Errorf("after %d tries the test is %s: %s; %v", tries, x.State, x.Reason, err)
	}
}
