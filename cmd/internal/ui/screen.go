package ui

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rivo/uniseg"
	"golang.org/x/term"

	"github.com/assay-chess/assay/engine/quote"
)

// usualColumns is the width of a terminal that does not tell its own.
const usualColumns = 80

// typedColumns is the room behind a status line for ^C, which terminals show where it is typed.
const typedColumns = 2

// Screen is standard output or standard error, as commands write to it. On a terminal, a status
// line stands below all that was written: a text takes its place, and the next status follows
// the text. Elsewhere a Screen writes texts as they are, and no status.
type Screen struct {
	w       io.Writer
	columns func() int // of the terminal, asked again for each line; nil if this is none
	fold    bool       // long lines, at spaces
	colour  bool       // verdicts and warnings
	status  *status
	lost    error // the first error of standard output
}

// status is the status line of a terminal. Standard output and standard error share it.
type status struct {
	mu      sync.Mutex
	screen  *Screen // that shows it; nil if none does
	width   int     // of what was shown since the last text
	midline bool    // the last text did not end its line
	ended   bool    // the command is over

	command, task *Progress // task is shown, or else the command; nil: none
	ticking       bool
	wrote         time.Time // of the last text
}

// NewScreens returns the screens of a command. Long lines of standard error are folded on a
// terminal: they are messages. Those of standard output may be data.
func NewScreens(stdout, stderr io.Writer) (out, messages *Screen) {
	s := new(status)
	out = &Screen{w: stdout, columns: terminalColumns(stdout), status: s}
	messages = &Screen{w: stderr, columns: terminalColumns(stderr), status: s, fold: true}
	out.colour, messages.colour = out.columns != nil && wantsColour(), messages.columns != nil && wantsColour()
	return out, messages
}

// terminalColumns returns a function that asks for the width of the terminal, or nil.
func terminalColumns(w io.Writer) func() int {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return func() int {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 {
			return columns
		}
		return usualColumns
	}
}

// Columns returns the width of the terminal, 0 if this is none.
func (s *Screen) Columns() int {
	if s.columns == nil {
		return 0
	}
	return s.columns()
}

// Write implements io.Writer. All that commands print comes here: no control character of a file
// or an engine passes.
func (s *Screen) Write(p []byte) (int, error) {
	s.status.mu.Lock()
	s.status.wrote = time.Now()
	if s.columns != nil {
		defer s.status.mu.Unlock()
		return s.write(p)
	}
	if !s.fold { // standard output
		s.status.command = nil
	}
	s.status.mu.Unlock() // a pipe may block, and the other screen must go on
	return s.write(p)
}

// Lost returns the first error of standard output: a command whose output was not written does not succeed.
func (s *Screen) Lost() error { return s.lost }

// write is Write, on a terminal with the lock held.
func (s *Screen) write(p []byte) (int, error) {
	text := quote.Lines(p)
	if s.columns != nil && len(p) > 0 {
		s.status.erase()
		begins := !s.status.midline
		s.status.midline = p[len(p)-1] != '\n'
		if s.fold {
			text = foldLines(text, s.columns())
		}
		if s.colour && begins {
			for _, c := range colours {
				text = c.words.ReplaceAll(text, []byte("\x1b["+c.code+"m$0\x1b[0m"))
			}
		}
	}
	if _, err := s.w.Write(text); err != nil {
		if !s.fold {
			s.lost = cmp.Or(s.lost, err)
		}
		return 0, err
	}
	return len(p), nil
}

// Raw returns where a command writes data that need not be text, such as an export. They stay as they are, unless out
// is a terminal.
func Raw(out io.Writer) io.Writer {
	if s, ok := out.(*Screen); ok && s.columns == nil {
		Quiet(s)
		return s.w
	}
	return out
}

type field struct {
	text string
	rank int // the lower, the more important
}

// Begin shows the name of the command and the time since now while no task has a progress, until the command
// writes to a standard output that is no terminal: that may be a pager, which has the terminal.
func Begin(w io.Writer, command string) {
	if s, ok := w.(*Screen); ok && s.columns != nil {
		s.status.mu.Lock()
		s.status.command = &Progress{w: w, screen: s, label: command, started: time.Now(), first: -1}
		s.status.mu.Unlock()
		s.status.show(nil, false)
	}
}

// Quiet ends what Begin began: for a command that talks with a person or a program, and for a server.
func Quiet(w io.Writer) {
	if s, ok := w.(*Screen); ok {
		s.status.mu.Lock()
		defer s.status.mu.Unlock()
		s.status.command = nil
	}
}

// Finishing says, unless the command is over or has written something since, that Ctrl-C has not been ignored.
func (s *Screen) Finishing(since time.Time) {
	s.status.mu.Lock()
	p, ignored, what := s.status.shown(), !s.status.ended && !s.status.wrote.After(since), "assay"
	s.status.mu.Unlock()
	if p != nil {
		what = p.label
	}
	if ignored {
		fmt.Fprintln(s, what+": finishing work in progress; Ctrl-C again stops now")
	}
}

// shown returns the task that is not over, or else the command; nil if there is neither.
func (s *status) shown() *Progress {
	if s.task != nil && !s.task.over.Load() {
		return s.task
	}
	return s.command
}

// show puts a task on the line; if the line has one already, only instead of it. It starts the ticker.
func (s *status) show(p *Progress, instead bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if instead || s.shown() == s.command {
		s.task = p
	}
	if !s.ticking && !s.ended {
		s.ticking = true
		go s.tick()
	}
}

// tick draws the line again and again, as long as there is anything to show.
func (s *status) tick() {
	for now := range time.Tick(tickEvery) {
		s.mu.Lock()
		p := s.shown()
		s.ticking = p != nil && !s.ended
		more := s.ticking
		s.mu.Unlock()
		if !more {
			return
		}
		p.mu.Lock()
		p.draw(now, tickEvery)
		p.mu.Unlock()
	}
}

// End removes the status line. No other follows.
func (s *Screen) End() {
	s.status.mu.Lock()
	defer s.status.mu.Unlock()
	s.status.erase()
	s.status.ended = true
	switch { // what follows begins a line, and takes the place of a ^C
	case s.columns != nil && s.status.midline:
		_, _ = io.WriteString(s.w, "\n")
	case s.columns != nil:
		_, _ = io.WriteString(s.w, "\r")
	}
}

// Status shows the fields that fit the line.
func (s *Screen) Status(fields []field) {
	if s.columns == nil {
		return
	}
	s.status.mu.Lock()
	defer s.status.mu.Unlock()
	if s.status.ended || s.status.midline {
		return
	}
	for i := range fields {
		fields[i].text = quote.Text(fields[i].text)
	}
	line := fit(fields, max(1, s.columns()-1-typedColumns)) // a terminal may wrap after its last column
	width, before := uniseg.StringWidth(line), 0
	if s.status.screen == s {
		before = max(0, min(s.status.width, s.columns()-1)-width)
	}
	s.status.screen, s.status.width = s, width+before
	_, _ = io.WriteString(s.w, "\r"+line+strings.Repeat(" ", before)) // drawing is best effort
}

// erase removes the status line. It overwrites it with spaces, as every terminal understands.
func (s *status) erase() {
	if s.screen == nil {
		return
	}
	width := min(s.width+typedColumns, s.screen.columns()-1)
	_, _ = io.WriteString(s.screen.w, "\r"+strings.Repeat(" ", width)+"\r")
	s.screen = nil
}

// fit joins fields in their order. It leaves out those for which there is no room in the
// columns beside more important ones. The first is cut if it is too long alone.
func fit(fields []field, columns int) string {
	order := make([]int, len(fields))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return fields[a].rank - fields[b].rank })
	kept, width := make([]bool, len(fields)), 0
	for _, i := range order {
		if w := 1 + uniseg.StringWidth(fields[i].text); i > 0 && w > 1 && width+w <= columns {
			kept[i], width = true, width+w
		} else if i == 0 {
			width = w - 1
		}
	}
	line := cut(fields[0].text, columns)
	for i, f := range fields {
		if kept[i] {
			line += " " + f.text
		}
	}
	return line
}

// cut returns the beginning of a text that fits the columns.
func cut(text string, columns int) string {
	width, end := 0, 0
	for g := uniseg.NewGraphemes(text); g.Next(); {
		if width += g.Width(); width > columns {
			return text[:end]
		}
		_, end = g.Positions()
	}
	return text
}

// foldLines breaks lines that are longer than the columns at spaces. A broken line goes on below
// its own indentation and two spaces. Words are never broken: they may be paths to copy.
func foldLines(text []byte, columns int) []byte {
	var out bytes.Buffer
	for line := range bytes.Lines(text) {
		body := strings.TrimSuffix(string(line), "\n")
		command := strings.HasPrefix(body, "assay ") || strings.Contains(body, ": assay ") // to be copied
		if command || uniseg.StringWidth(body) <= columns {
			out.Write(line)
			continue
		}
		text := strings.TrimLeft(body, " ")
		indent := body[:len(body)-len(text)]
		out.WriteString(wrap(strings.Split(text, " "), columns, indent, indent+"  ") + string(line[len(body):]))
	}
	return out.Bytes()
}

// Columns returns the width of the terminal that out is, 0 if it is none.
func Columns(out io.Writer) int {
	if t, ok := out.(interface{ Columns() int }); ok {
		return t.Columns()
	}
	return 0
}

// hanging is what stands before a paragraph whose other lines are indented: an item of a list, or a definition.
var hanging = regexp.MustCompile(`^(?:- |\d+\. | {1,3}\S+(?: \S+)*?  +)`)

// Reflow breaks the paragraphs of a text again that have lines beyond the columns. Code, tables and headings stay.
func Reflow(text string, columns int) string {
	var out, open []string // open are the lines of a paragraph
	first, indent := "", ""
	end := func() {
		wide := slices.ContainsFunc(open, func(l string) bool { return uniseg.StringWidth(l) > columns })
		if wide {
			words := strings.Fields(strings.TrimPrefix(strings.Join(open, " "), first))
			open = []string{wrap(words, columns, first, indent)}
		}
		out, open = append(out, open...), nil
	}
	fenced := false
	for line := range strings.SplitSeq(text, "\n") {
		fence, marker := strings.HasPrefix(line, "```"), hanging.FindString(line)
		leading := len(line) - len(strings.TrimLeft(line, " "))
		switch {
		case fence || fenced || line == "" || line[0] == '|' || line[0] == '#' || strings.HasPrefix(line, "    "):
			end()
			out = append(out, line)
			fenced = fenced != fence
		case marker != "" || len(open) == 0 || leading != len(indent) || leading > 0 && first == indent:
			end()
			if first = marker; marker == "" {
				first = line[:leading]
			}
			open, indent = []string{line}, strings.Repeat(" ", len(first))
		default:
			open = append(open, line)
		}
	}
	end()
	return strings.Join(out, "\n")
}

// wrap joins words to lines that fit the columns. The first line has an indentation, the others another.
func wrap(words []string, columns int, first, indent string) string {
	var b strings.Builder
	b.WriteString(first)
	width := len(first)
	for i, word := range words {
		w := uniseg.StringWidth(word)
		switch {
		case i == 0:
		case width+1+w > columns:
			b.WriteString("\n" + indent)
			width = len(indent)
		default:
			b.WriteByte(' ')
			width++
		}
		b.WriteString(word)
		width += w
	}
	return b.String()
}

// Fold writes a text that people read, with long lines folded if out is a terminal.
func Fold(out io.Writer, text string) error {
	if columns := Columns(out); columns > 0 {
		text = string(foldLines([]byte(text), columns))
	}
	_, err := io.WriteString(out, text)
	return err
}

// colours of the first words of lines on a terminal: verdicts in green, red and yellow, and warnings
// in yellow. The words stand in match.Result.Headline, of tuner.Result.Headline, of
// assay sprt and of messages.
var colours = []struct {
	words *regexp.Regexp
	code  string
}{
	{regexp.MustCompile(`(?m)^(?:PASSED|STRONGER|Verdict: better\b|verdict +PASSED\b)`), "32"},
	{regexp.MustCompile(`(?m)^(?:FAILED|WEAKER|Verdict: worse\b|verdict +FAILED\b)`), "31"},
	{regexp.MustCompile(`(?m)^(?:(?:verdict +)?UNDECIDED|NO CLEAR WINNER|NO VERDICT|` +
		`Verdict: no(?: difference shown|ne)\b|(?:[a-z]+(?: [a-z]+)*: )?warning\b)`), "33"},
}

// wantsColour reports whether a terminal is to have colours (no-color.org).
func wantsColour() bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" &&
		(runtime.GOOS != "windows" || os.Getenv("WT_SESSION") != "") // older windows show the codes
}
