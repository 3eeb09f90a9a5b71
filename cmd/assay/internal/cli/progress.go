package cli

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// plainEvery is how often progress is written if there is no terminal.
const plainEvery = 5 * time.Second

// Progress shows how far a long task is: on a terminal as a bar with rate and time left,
// else as a plain line every few seconds. Its methods may be called concurrently. On a nil
// Progress they do nothing.
type Progress struct {
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

// NewProgress returns the progress of a task, shown on w.
func NewProgress(w io.Writer, label string) *Progress {
	f, ok := w.(*os.File)
	return &Progress{w: w, label: label, tty: ok && term.IsTerminal(int(f.Fd())), started: time.Now(), first: -1}
}

// Update sets how much of the total is done, and a note to show. A total of 0 is unknown.
func (p *Progress) Update(done, total int64, note string) {
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

func (p *Progress) updateBar(done, total int64, note string) {
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

func (p *Progress) line(done, total int64, note string) {
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

// Finish removes the bar, and prints what was done and how long it took.
func (p *Progress) Finish(summary string) {
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

// Say prints a line between those of the progress bar.
func (p *Progress) Say(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Clear() // it is drawn again at the next update
	}
	fmt.Fprintf(p.w, "%s: %s\n", p.label, text)
}
