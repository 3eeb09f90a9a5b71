package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

const (
	// plainEvery is how often progress is written if there is no terminal.
	plainEvery = 5 * time.Second
	// drawEvery is how often the line on a terminal is drawn at most.
	drawEvery = 100 * time.Millisecond
	// tickEvery is how often it is drawn at least: the elapsed time goes on while nothing is done.
	tickEvery = 500 * time.Millisecond
)

// Progress shows how far a long task is: on a terminal as one line that is updated, else as a
// plain line every few seconds. Its methods may be called concurrently. On a nil Progress they
// do nothing.
type Progress struct {
	w      io.Writer
	screen *Screen // nil without a terminal
	label  string

	mu      sync.Mutex
	started time.Time
	last    time.Time
	shown   func() []field // what the last update shows, at the time of the call; nil before it
	over    bool
	// first is what was already done at the first update. The rate of resumed work does
	// not count it.
	first int64
}

// NewProgress returns the progress of a task, shown on w.
func NewProgress(w io.Writer, label string) *Progress {
	p := &Progress{w: w, label: label, started: time.Now(), first: -1}
	if s, ok := w.(*Screen); ok && s.Columns() > 0 {
		p.screen = s
	}
	return p
}

// Update sets how much of the total is done, and a note to show. A total of 0 is unknown. A
// note has fields with two spaces between them, the most important first: a terminal shows
// those that fit its line.
func (p *Progress) Update(done, total int64, note string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if p.first < 0 {
		p.first, p.started = done, now
	}
	switch since := now.Sub(p.last); {
	case p.screen != nil:
		if p.shown == nil {
			go p.tick()
		}
		p.shown = func() []field { return p.fields(done, total, note) }
		if since >= drawEvery {
			p.draw(now)
		}
	case p.screen == nil && since >= plainEvery && done != total:
		p.last = now
		p.line(done, total, note)
	}
}

// draw draws the line. It reports whether there is still one to draw.
func (p *Progress) draw(now time.Time) bool {
	p.last = now
	return !p.over && p.screen.Status(p.shown())
}

// tick draws the line again and again, until the task or the command is over.
func (p *Progress) tick() {
	for now := range time.Tick(tickEvery) {
		p.mu.Lock()
		more := !p.over && (now.Sub(p.last) < tickEvery || p.draw(now))
		p.mu.Unlock()
		if !more {
			return
		}
	}
}

// fields returns what the line on a terminal shows: how much is done, a bar, the note, speed, time
// elapsed and left. Speed and time are more important than all but the first two fields of the note.
func (p *Progress) fields(done, total int64, note string) []field {
	head := p.label
	var bar, speed string
	if total > 0 {
		head += fmt.Sprintf(" %d/%d", done, total)
		bar = barText(done, total, p.screen.Columns()/8)
	} else if done > 0 {
		head += fmt.Sprintf(" %d", done)
	}
	times := leftText(time.Since(p.started).Seconds())
	if rate := p.rate(done); rate > 0 {
		speed = rateText(rate)
		if total > done {
			times += "<" + leftText(float64(total-done)/rate)
		}
	}
	list := []field{{head, 0}, {bar, 1}}
	if note != p.label {
		for i, n := range strings.Split(strings.TrimSpace(note), "  ") {
			list = append(list, field{n, 2 + 2*(i/2)})
		}
	}
	return append(list, field{speed, 3}, field{times, 3})
}

// barText returns the share that is done, and a bar of that many columns. The library draws it; the screen
// decides where.
func barText(done, total int64, columns int) string {
	bar := progressbar.NewOptions64(total, progressbar.OptionSetWriter(io.Discard), progressbar.OptionSetWidth(columns),
		progressbar.OptionSetElapsedTime(false), progressbar.OptionSetPredictTime(false),
		progressbar.OptionSetTheme(progressbar.Theme{Saucer: "=", SaucerHead: ">", SaucerPadding: " ", BarStart: "[",
			BarEnd: "]"}))
	draw := bar.RenderBlank
	if done > 0 {
		draw = func() error { return bar.Set64(min(done, total)) }
	}
	if err := draw(); err != nil {
		return ""
	}
	return strings.TrimSpace(bar.String())
}

// rate returns how much was done a second.
func (p *Progress) rate(done int64) float64 {
	if elapsed := time.Since(p.started).Seconds(); elapsed > 0 {
		return float64(done-p.first) / elapsed
	}
	return 0
}

func rateText(rate float64) string {
	switch {
	case rate >= 9.95:
		return fmt.Sprintf("%.0f/s", rate)
	case rate >= 0.1:
		return fmt.Sprintf("%.1f/s", rate)
	}
	return fmt.Sprintf("%.1f/min", 60*rate)
}

// leftText returns a time in seconds as 48s, 3m12s or 2h5m.
func leftText(seconds float64) string {
	const year = 365 * 24 * 3600
	d := time.Duration(min(seconds, year) * float64(time.Second))
	if d < time.Hour {
		return d.Round(time.Second).String()
	}
	return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
}

func (p *Progress) line(done, total int64, note string) {
	text := p.label + ":"
	if total > 0 {
		text += fmt.Sprintf(" %d/%d", done, total)
	} else if done > 0 {
		text += fmt.Sprintf(" %d", done)
	}
	if rate := p.rate(done); rate > 0 {
		text += fmt.Sprintf("  %.1f/s", rate)
		if total > 0 {
			text += "  " + leftText(float64(total-done)/rate) + " left"
		}
	}
	if note != "" {
		text += "  " + note
	}
	fmt.Fprintln(p.w, text)
}

// Finish removes the line, and prints what was done and how long it took.
func (p *Progress) Finish(summary string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	fmt.Fprintf(p.w, "%s: %s (%s)\n", p.label, summary, time.Since(p.started).Round(100*time.Millisecond))
}

// Say prints a line between those of the progress.
func (p *Progress) Say(text string) { fmt.Fprintf(p.w, "%s: %s\n", p.label, text) }
