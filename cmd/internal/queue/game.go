package queue

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sync/semaphore"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/cores"
	"github.com/assay-chess/assay/engine/group"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/assay-chess/assay/selfplay/queue"
)

// GameArgument makes assay a process that plays one game for a server: it reads a wire.Unit and writes a wire.Answer.
const GameArgument = "play-a-unit"

// PlayGame plays the unit that it reads, and returns the exit code. If memory runs out, the system ends this process
// before others.
func PlayGame(in io.Reader, out, errs io.Writer) int {
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("500"), 0) // Linux alone has it
	var u wire.Unit
	err := json.NewDecoder(in).Decode(&u)
	if err == nil {
		var a wire.Answer
		if result, failed := (&selfplay.Local{Open: roster.Open}).One(context.Background(), &u.Job); failed != nil {
			a.Failed = failed.Error()
		} else if a.Sum, err = wire.Checksum(&result); err == nil {
			a.Result, err = json.Marshal(&result)
		}
		err = cmp.Or(err, json.NewEncoder(out).Encode(&a))
	}
	if err != nil {
		fmt.Fprintln(errs, err)
		return 1
	}
	return 0
}

// room is the memory that the games of a server's own may take for hash tables, in MB. All tests share it.
type room struct {
	size int64
	free *semaphore.Weighted
}

// Memory for games. Where that of the machine is unknown, it is taken for 8 GB.
const (
	defaultRoom = 4096
	defaultHash = 16  // of a player that names none
	processRoom = 128 // of a process, beside its hash tables
)

func newRoom() *room {
	size := cmp.Or(cores.Memory()>>21, defaultRoom) // half of the machine's
	return &room{size, semaphore.NewWeighted(size)}
}

// need returns the memory of a game of two players.
func need(a, b engine.Spec) int64 { return hashOf(a) + hashOf(b) + processRoom }

// hashOf returns the size of a player's hash table in MB.
func hashOf(spec engine.Spec) int64 {
	for _, o := range spec.Options {
		if n, err := strconv.ParseInt(o.Value, 10, 64); err == nil && strings.EqualFold(o.Name, "hash") {
			return max(0, n)
		}
	}
	return defaultHash
}

// check refuses a test with a game that there is no room for.
func (r *room) check(j queue.Job) error {
	if r == nil {
		return nil // of a test
	}
	var first, second engine.Spec
	for _, text := range j.Players {
		spec, err := roster.Parse(text)
		if err != nil {
			continue // of a screen, a factor
		}
		if hashOf(spec) > hashOf(first) {
			first, second = spec, first
		} else if hashOf(spec) > hashOf(second) {
			second = spec
		}
	}
	if len(j.Players) == 1 {
		second = first // it plays itself
	}
	if n := need(first, second); n > r.size {
		return Refusef("a game of %s takes %d MB, and the server has %d MB for games: give its players less hash",
			first.Shown(), n, r.size)
	}
	return nil
}

// errGame means that the process of a game ended without an answer.
var errGame = errors.New("the process that played the game on the server ended without a result")

// play plays a job in a process of its own, as soon as there is room for its hash tables: the server lives on
// if it ends. It is a selfplay.PlayFunc.
func (r *room) play(ctx context.Context, job *selfplay.Job) (result selfplay.Result, err error) {
	n := min(need(job.Players[0], job.Players[1]), r.size)
	if err := r.free.Acquire(ctx, n); err != nil {
		return result, err
	}
	defer r.free.Release(n)
	self, err := os.Executable()
	if err != nil {
		return result, err
	}
	text, err := json.Marshal(&wire.Unit{Job: *job})
	if err != nil {
		return result, err
	}
	cmd := group.Command(ctx, self, GameArgument)
	cmd.Args[0] = "assay"
	said := &head{}
	cmd.Stdin, cmd.Stderr = bytes.NewReader(text), said
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return result, context.Cause(ctx)
	}
	var a wire.Answer
	switch {
	case cmd.Process == nil:
		return result, fmt.Errorf("starting a process for a game: %w", err)
	case err != nil:
		return result, fmt.Errorf("%w: %w: %s", errGame, err, bytes.TrimSpace(said.text))
	case json.Unmarshal(out, &a) != nil:
		return result, fmt.Errorf("%w: it wrote %.100q", errGame, out)
	case a.Failed != "":
		return result, errors.New(a.Failed)
	}
	if err := json.Unmarshal(a.Result, &result); err != nil {
		return result, fmt.Errorf("%w: %w", errGame, err)
	}
	if sum, err := wire.Checksum(&result); err != nil || sum != a.Sum {
		return result, fmt.Errorf("%w: the checksum of its result is wrong", errGame)
	}
	return result, nil
}

// head keeps the beginning of what is written: of a runtime's fatal error, its name.
type head struct{ text []byte }

// Write implements io.Writer.
func (h *head) Write(p []byte) (int, error) {
	h.text = append(h.text, p[:min(len(p), 500-len(h.text))]...)
	return len(p), nil
}
