package ui

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"
)

const (
	// plainEvery is how often progress is written at most if there is no terminal; after some minutes, every
	// plainLater.
	plainEvery, plainLater = 5 * time.Second, time.Minute
	// drawEvery is how often the line on a terminal is drawn at most.
	drawEvery = 100 * time.Millisecond
	// tickEvery is how often it is drawn at least: the elapsed time goes on while nothing is done.
	tickEvery = 500 * time.Millisecond
)

// Progress shows how far a long task is: on a terminal as one line that is updated, else as a
// plain line every few seconds. Its methods may be called concurrently.
type Progress struct {
	w      io.Writer
	screen *Screen // nil without a terminal
	label  string

	mu          sync.Mutex
	started     time.Time
	last        time.Time // that it was shown
	done, total int64
	note, idle  string
	over        atomic.Bool
	// first is what was already done at the first update, at the time begun; -1 before it. The rate of
	// resumed work does not count it.
	first int64
	begun time.Time
}

// NewProgress returns the progress of a task, shown on w.
func NewProgress(w io.Writer, label string) *Progress {
	p := &Progress{w: w, label: label, started: time.Now(), first: -1}
	if s, ok := w.(*Screen); ok && s.Columns() > 0 {
		p.screen = s
		s.status.show(p, false)
	}
	return p
}

// Waiting sets what the line says while nothing is done, such as "2 games under way".
func (p *Progress) Waiting(note string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = note
}

// Update sets how much of the total is done, and a note to show. A total of 0 is unknown. A
// note has fields with two spaces between them, the most important first: a terminal shows
// those that fit its line.
func (p *Progress) Update(done, total int64, note string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if p.first < 0 {
		p.first, p.begun = done, now
	}
	p.done, p.total, p.note = done, total, note
	every := min(max(plainEvery, now.Sub(p.started)/12), plainLater)
	switch {
	case p.screen != nil:
		p.screen.status.show(p, true)
		p.draw(now, drawEvery)
	case now.Sub(p.last) >= every && done != total:
		p.last = now
		p.line()
	}
}

// draw draws the line, unless something else has just now.
func (p *Progress) draw(now time.Time, every time.Duration) {
	if now.Sub(p.last) >= every && !p.over.Load() {
		p.last = now
		p.screen.Status(p.fields())
	}
}

// fields returns what the line on a terminal shows: how much is done, a bar, the note, speed, time
// elapsed and left. Speed and time are more important than all but the first two fields of the note.
func (p *Progress) fields() []field {
	var bar, speed string
	if p.total > 0 {
		bar = barText(p.done, p.total, p.screen.Columns()/8)
	}
	times := leftText(time.Since(p.started).Seconds())
	rate := p.rate()
	if rate > 0 {
		speed = rateText(rate)
		if p.total > p.done {
			times += "<" + leftText(float64(p.total-p.done)/rate)
		}
	}
	list := []field{{p.head(), 0}, {bar, 1}}
	if rate == 0 {
		list = append(list, field{p.idle, 1})
	}
	if p.note != p.label {
		for i, n := range strings.Split(strings.TrimSpace(p.note), "  ") {
			list = append(list, field{n, 2 + 2*(i/2)})
		}
	}
	return append(list, field{speed, 3}, field{times, 3})
}

// head returns the name of the task, and how much is done.
func (p *Progress) head() string {
	switch {
	case p.total > 0:
		return fmt.Sprintf("%s %d/%d", p.label, p.done, p.total)
	case p.done > 0:
		return fmt.Sprintf("%s %d", p.label, p.done)
	}
	return p.label
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

// rate returns how much was done a second; 0 while nothing is.
func (p *Progress) rate() float64 {
	if elapsed := time.Since(p.begun).Seconds(); p.first >= 0 && elapsed > 0 {
		return float64(p.done-p.first) / elapsed
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

func (p *Progress) line() {
	text := p.label + ":" + strings.TrimPrefix(p.head(), p.label)
	if rate := p.rate(); rate > 0 {
		text += "  " + rateText(rate)
		if p.total > 0 {
			text += "  " + leftText(float64(p.total-p.done)/rate) + " left"
		}
	} else if p.idle != "" {
		text += "  " + p.idle
	}
	if p.note != "" {
		text += "  " + p.note
	}
	fmt.Fprintln(p.w, text)
}

// Finish removes the line, and prints what was done and how long it took.
func (p *Progress) Finish(summary string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over.Store(true)
	fmt.Fprintf(p.w, "%s: %s (%s)\n", p.label, summary, time.Since(p.started).Round(100*time.Millisecond))
}

// Stopped prints the state of games that the user interrupted.
func (p *Progress) Stopped() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over.Store(true); p.done > 0 {
		of := If(p.total > 0, " of %d", p.total)
		fmt.Fprintf(p.w, "%s: stopped after %d%s games  %s\n", p.label, p.done, of, p.note)
	}
}

// Say prints a line between lines of the progress.
func (p *Progress) Say(text string) { fmt.Fprintf(p.w, "%s: %s\n", p.label, text) }
