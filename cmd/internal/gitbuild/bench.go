package gitbuild

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/assay-chess/assay/engine/machine"
)

// benchTimeout is how long an engine's bench may take.
const benchTimeout = 2 * time.Minute

// benchSilence is how long an engine may print nothing before it is asked to quit.
const benchSilence = 2 * time.Second

// talk is what an engine prints; all of it puts off the timer.
type talk struct {
	bytes.Buffer
	quit *time.Timer
}

func (t *talk) Write(p []byte) (int, error) {
	t.quit.Reset(benchSilence)
	return t.Buffer.Write(p)
}

// Bench is what "ENGINE bench" printed.
type Bench struct {
	Nodes uint64 `json:"nodes"`            // 0: it printed none
	NPS   uint64 `json:"nodes_per_second"` // 0: it printed none
	Note  string `json:"note,omitempty"`   // why there are no nodes
	late  bool   // it took too long, as on a busy machine
}

// Bench runs "ENGINE bench" once for each build. An engine without a bench has one without
// nodes.
func (b *Build) Bench(ctx context.Context) (*Bench, error) {
	if b.info.Bench != nil {
		return b.info.Bench, nil
	}
	r, err := b.BenchAgain(ctx)
	if err != nil || r.late {
		return r, err
	}
	b.info.Bench = r
	return r, b.info.write(b.dir)
}

// BenchAgain runs "ENGINE bench", and keeps nothing.
func (b *Build) BenchAgain(ctx context.Context) (*Bench, error) {
	ctx, cancel := context.WithTimeout(ctx, benchTimeout)
	defer cancel()
	cmd := machine.Command(ctx, b.Path, "bench")
	cmd.Env = append(cleanEnvironment(), machine.Mark())
	cmd.WaitDelay = 2 * time.Second
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	// Some engines look for commands while they search, others have no bench and wait for one.
	quit := time.AfterFunc(benchSilence, func() { _, _ = io.WriteString(in, "quit\n"); in.Close() })
	defer quit.Stop()
	said := talk{quit: quit}
	cmd.Stdout, cmd.Stderr = &said, &said
	start := time.Now()
	err = cmd.Run()
	took := time.Since(start)
	if ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil, context.Cause(ctx)
	}
	r := parseBench(said.String())
	switch {
	case ctx.Err() != nil:
		r = Bench{Note: fmt.Sprintf("no end of the bench within %v", benchTimeout), late: true}
	case err != nil && r.Nodes == 0:
		r.Note = fmt.Sprintf("no bench (%v)", err)
	case r.Nodes == 0:
		r.Note = "no bench"
	case r.NPS == 0 && took > 0:
		r.NPS = uint64(float64(r.Nodes) / took.Seconds())
	}
	return &r, nil
}

// Check compares the bench with what the commit's message says.
func (r *Bench) Check(s *Source) error {
	switch {
	case s.Bench == 0 || s.Bench == r.Nodes:
		return nil
	case r.Nodes == 0:
		return fmt.Errorf("the bench differs: the message of %s says %d nodes, but there is %s", s.Short(), s.Bench, r.Note)
	}
	return fmt.Errorf("the bench differs: the build searched %d nodes, but the message of %s says %d", r.Nodes,
		s.Short(), s.Bench)
}

func (r *Bench) String() string {
	if r.Nodes == 0 {
		return r.Note
	}
	return fmt.Sprintf("bench %d nodes, %d nodes/s", r.Nodes, r.NPS)
}

// How engines write their bench, as OpenBench reads it: "123 nodes 456 nps", "Nodes searched:
// 123", "Nodes/second: 456", "Bench: 123". All else than letters and digits is a space by
// then.
var (
	benchNodes = regexp.MustCompile(`\b([0-9]+) nodes\b|\bnodes (?:searched )?([0-9]+)|\bbench ([0-9]+)$`)
	benchSpeed = regexp.MustCompile(`\b([0-9]+) nps\b|\bnps ([0-9]+)|` +
		`\bnodes (?:per )?s(?:ec(?:ond)?)? ([0-9]+)|\b([0-9]+) nodes (?:per )?s(?:ec(?:ond)?)?\b`)
	other   = regexp.MustCompile(`[^a-z0-9.]+`)
	grouped = regexp.MustCompile(`([0-9])[,_']([0-9]{3})\b`)
)

// parseBench reads the output of a bench: the last line that has nodes, and the last that has
// a speed.
func parseBench(text string) (r Bench) {
	lines := strings.Split(strings.ToLower(text), "\n")
	for i := len(lines) - 1; i >= 0 && (r.Nodes == 0 || r.NPS == 0); i-- {
		line := lines[i]
		for again := ""; again != line; {
			again, line = line, grouped.ReplaceAllString(line, "$1$2")
		}
		line = strings.TrimSpace(other.ReplaceAllString(line, " "))
		if r.NPS == 0 {
			r.NPS = firstNumber(benchSpeed.FindStringSubmatch(line))
		}
		// A speed is no count.
		if rest := benchSpeed.ReplaceAllString(line, " "); r.Nodes == 0 {
			r.Nodes = firstNumber(benchNodes.FindStringSubmatch(rest))
		}
	}
	return r
}

func firstNumber(groups []string) uint64 {
	for i := 1; i < len(groups); i++ {
		if n, err := strconv.ParseUint(groups[i], 10, 64); err == nil {
			return n
		}
	}
	return 0
}
