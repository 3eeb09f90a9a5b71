package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"
)

// printJSON writes v as one JSON object on a line of its own.
func printJSON(w io.Writer, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", data)
	return err
}

// plainEvery is how often progress is written if there is no terminal.
const plainEvery = 5 * time.Second

// progress shows how far a long task is: on a terminal as a bar with rate and time left,
// else as a plain line every few seconds. Its methods may be called concurrently. On a nil
// progress they do nothing.
type progress struct {
	w     io.Writer
	label string
	tty   bool

	mu      sync.Mutex
	bar     *progressbar.ProgressBar
	total   int64
	started time.Time
	last    time.Time
	// first is what was already done at the first update. The rate of resumed work does
	// not count it.
	first int64
}

// newProgress returns the progress of a task, shown on w.
func newProgress(w io.Writer, label string) *progress {
	f, ok := w.(*os.File)
	return &progress{w: w, label: label, tty: ok && term.IsTerminal(int(f.Fd())), started: time.Now(), first: -1}
}

// update sets how much of the total is done, and a note to show. A total of 0 is unknown.
func (p *progress) update(done, total int64, note string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.first < 0 {
		p.first, p.started = done, time.Now()
	}
	if p.tty {
		p.updateBar(done, total, note)
		return
	}
	if now := time.Now(); now.Sub(p.last) >= plainEvery && done != total {
		p.last = now
		p.line(done, total, note)
	}
}

func (p *progress) updateBar(done, total int64, note string) {
	if p.bar == nil || total != p.total {
		p.total = total
		p.bar = progressbar.NewOptions64(max(total, 1),
			progressbar.OptionSetWriter(p.w),
			progressbar.OptionShowCount(),
			progressbar.OptionShowIts(),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionFullWidth(),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish(),
		)
	}
	text := p.label
	if note != "" {
		text += "  " + note
	}
	p.bar.Describe(text)
	_ = p.bar.Set64(done) // drawing is best effort
}

func (p *progress) line(done, total int64, note string) {
	text := fmt.Sprintf("%s: %d", p.label, done)
	if total > 0 {
		text += fmt.Sprintf("/%d", total)
	}
	elapsed := time.Since(p.started)
	if rate := float64(done-p.first) / elapsed.Seconds(); rate > 0 {
		text += fmt.Sprintf("  %.1f/s", rate)
		if total > 0 {
			left := time.Duration(float64(total-done) / rate * float64(time.Second))
			text += fmt.Sprintf("  %s left", left.Round(time.Second))
		}
	}
	if note != "" {
		text += "  " + note
	}
	fmt.Fprintln(p.w, text)
}

// finish removes the bar, and prints what was done and how long it took.
func (p *progress) finish(summary string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Clear()
	}
	fmt.Fprintf(p.w, "%s: %s (%s)\n", p.label, summary, time.Since(p.started).Round(100*time.Millisecond))
}

// aliasFlag makes --old another spelling of the flag --current of cmd. Help and errors
// name only the current spelling. Old spellings stay for one version.
func aliasFlag(cmd *cobra.Command, old, current string) {
	fs := cmd.Flags()
	next := fs.GetNormalizeFunc()
	fs.SetNormalizeFunc(func(f *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == old {
			name = current
		}
		return next(f, name)
	})
}

// concurrencyFlag registers --concurrency, how many games are played at once, with the
// spellings that other programs and earlier versions use.
func concurrencyFlag(cmd *cobra.Command, games *int, usage string) {
	cmd.Flags().IntVar(games, "concurrency", 0, usage)
	for _, old := range []string{"workers", "cores", "procs"} {
		aliasFlag(cmd, old, "concurrency")
	}
}

// reportGoroutines writes the number of goroutines to w at each interval, for the soak
// test, which cannot count them from outside. Without an interval it does nothing.
func reportGoroutines(interval string, w io.Writer) {
	every, err := time.ParseDuration(interval)
	if err != nil || every <= 0 {
		return
	}
	go func() {
		for range time.Tick(every) {
			fmt.Fprintf(w, "goroutines: %d\n", runtime.NumGoroutine())
		}
	}()
}
