package ui

import (
	"bytes"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assay-chess/assay/internal/setup"
	"github.com/spf13/cobra"
)

func TestFit(t *testing.T) {
	fields := []field{{"match 62/400", 0}, {"16%", 1}, {"LLR 1.21/2.94", 2}, {"", 2}, {"Elo +31±40", 2},
		{"+30 =20 -12", 4}, {"7/s", 3}, {"48s", 3}}
	for columns, want := range map[int]string{
		79: "match 62/400 16% LLR 1.21/2.94 Elo +31±40 +30 =20 -12 7/s 48s",
		49: "match 62/400 16% LLR 1.21/2.94 Elo +31±40 7/s 48s",
		48: "match 62/400 16% LLR 1.21/2.94 Elo +31±40 7/s",
		30: "match 62/400 16% LLR 1.21/2.94",
		20: "match 62/400 16% 7/s",
		5:  "match",
	} {
		if got := fit(fields, columns); got != want {
			t.Errorf("%d columns: got %q, want %q", columns, got, want)
		}
	}
	if got := fit([]field{{"日本語 1/2", 0}}, 5); got != "日本" { // of two columns each
		t.Errorf("wide letters: got %q", got)
	}
}

func TestFoldLines(t *testing.T) {
	for text, want := range map[string]string{
		"short\n":             "short\n",
		"ab cd ef gh ij kl\n": "ab cd ef\n  gh ij kl\n",
		"  ab cd ef gh":       "  ab cd ef\n    gh",
		"a /a/path/too/long/to/be/broken z\nnext\n": "a\n  /a/path/too/long/to/be/broken\n  z\nnext\n",
		"± ± ± ± ±\n":                               "± ± ± ± ±\n", // ten bytes more than columns
	} {
		if got := string(foldLines([]byte(text), 10)); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestStatus draws on a terminal that becomes narrower: each line fits, and texts take the
// place of the status.
func TestStatus(t *testing.T) {
	var b bytes.Buffer
	columns := 20
	shared := new(status)
	width := func() int { return columns }
	out := &Screen{w: &b, columns: width, status: shared}
	messages := &Screen{w: &b, columns: width, status: shared, fold: true}
	draw := func() { messages.Status([]field{{"match 1/9", 0}, {"50%", 1}, {"7/s", 2}}) }
	draw()
	columns = 12
	draw()
	setup.Must(out.Write([]byte("text\n")))
	draw()
	messages.End()
	want := "\rmatch 1/9 50% 7/s" + // 17 columns
		"\rmatch 1/9  " + // erased up to 11 columns of 12
		"\r" + strings.Repeat(" ", 11) + "\rtext\n" +
		"\rmatch 1/9\r" + strings.Repeat(" ", 11) + "\r\r"
	if got := b.String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestFold folds a text on a terminal, and nowhere else.
func TestFold(t *testing.T) {
	const text = "rank  1200 long-name\nnext\n"
	for columns, want := range map[int]string{10: "rank  1200\n  long-name\nnext\n", 0: text} {
		var b bytes.Buffer
		s := &Screen{w: &b, status: new(status)}
		if columns > 0 {
			s.columns = func() int { return columns }
		}
		if err := Fold(s, text); err != nil || b.String() != want {
			t.Errorf("%d columns: %q, %v; want %q", columns, b.String(), err, want)
		}
	}
}

// TestScreenQuotes writes escape sequences of others on a terminal and elsewhere; only data pass as
// they are, and not to a terminal.
func TestScreenQuotes(t *testing.T) {
	const hostile = "a\x1b[2J\tb\u009bc\n"
	for _, columns := range []int{0, 80} {
		var b bytes.Buffer
		s := &Screen{w: &b, status: new(status), fold: columns > 0}
		if columns > 0 {
			s.columns = func() int { return columns }
		}
		s.Status([]field{{"x\x1b\n", 0}})
		n, err := s.Write([]byte(hostile))
		if err != nil || n != len(hostile) || strings.ContainsAny(b.String(), "\x1b\u009b") ||
			!strings.Contains(b.String(), "a\\u001b[2J\tb\\u009bc\n") {
			t.Errorf("%d columns: %q, %d, %v", columns, b.String(), n, err)
		}
		b.Reset()
		if _, err := Raw(s).Write([]byte(hostile)); err != nil || strings.Contains(b.String(), "\x1b") != (columns == 0) {
			t.Errorf("%d columns: data are %q, %v", columns, b.String(), err)
		}
	}
}

// TestBar draws bars of any width and share; the library must not write to the terminal.
func TestBar(t *testing.T) {
	for _, tt := range []struct {
		done, total int64
		columns     int
		want        string
	}{
		{0, 400, 10, "0% [          ]"}, {62, 400, 10, "15% [>         ]"}, {200, 400, 10, "50% [====>     ]"},
		{399, 400, 10, "99% [========> ]"}, {400, 400, 10, "100% [==========]"}, {500, 400, 4, "100% [====]"},
		{1, 3, 0, "33% []"},
	} {
		if got := barText(tt.done, tt.total, tt.columns); got != tt.want {
			t.Errorf("%d of %d in %d columns: %q, want %q", tt.done, tt.total, tt.columns, got, tt.want)
		}
	}
}

// TestTick: the line goes on while nothing is done, and ends with the task or the command.
func TestTick(t *testing.T) {
	for _, end := range []func(*Progress, *Screen){
		func(p *Progress, _ *Screen) { p.Finish("done") },
		func(_ *Progress, s *Screen) { s.End() },
	} {
		synctest.Test(t, func(t *testing.T) {
			var b bytes.Buffer
			s := &Screen{w: &b, columns: func() int { return 80 }, status: new(status)}
			p := NewProgress(s, "match")
			p.Update(0, 400, "")
			time.Sleep(3100 * time.Millisecond)
			synctest.Wait()
			if n := strings.Count(b.String(), "match 0/400"); n < 5 || !strings.Contains(b.String(), "0% [          ] 3s") {
				t.Errorf("%d lines in three seconds: %q", n, b.String())
			}
			end(p, s)
			synctest.Wait()
			before := b.Len()
			time.Sleep(3 * time.Second)
			synctest.Wait()
			if b.Len() != before {
				t.Errorf("a line after the end: %q", b.String()[before:])
			}
		})
	}
}

// TestBegin: a command shows its name while it has no progress, and not after data went to a pipe.
func TestBegin(t *testing.T) {
	for _, end := range []func(out *Screen){
		func(out *Screen) { _, _ = out.Write([]byte("{}\n")) },
		func(out *Screen) { Raw(out) },
		func(out *Screen) { out.End() },
	} {
		synctest.Test(t, func(t *testing.T) {
			var b bytes.Buffer
			out, messages := NewScreens(io.Discard, io.Discard)
			messages.w, messages.columns = &b, func() int { return 80 }
			written := func() string { // since the last call
				synctest.Wait()
				out.status.mu.Lock()
				defer out.status.mu.Unlock()
				defer b.Reset()
				return b.String()
			}
			Begin(messages, "data stat")
			time.Sleep(1600 * time.Millisecond)
			if text := written(); !strings.HasSuffix(text, "\rdata stat 2s") {
				t.Errorf("the command: %q", text)
			}
			p := NewProgress(messages, "reading")
			p.Waiting("a file under way")
			p.Update(0, 9, "")
			time.Sleep(time.Second)
			if text := written(); !strings.Contains(text, "\rreading 0/9 0% [          ] a file under way 1s") {
				t.Errorf("a task that waits: %q", text)
			}
			p.Update(1, 9, "")
			p.Finish("done")
			written()
			time.Sleep(time.Second)
			if text := written(); !strings.Contains(text, "data stat ") {
				t.Errorf("after the task: %q", text)
			}
			end(out)
			written()
			time.Sleep(time.Second)
			if text := written(); text != "" {
				t.Errorf("after the end: %q", text)
			}
		})
	}
}

// TestPlainLines counts the lines of an hour in a pipe.
func TestPlainLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		p := NewProgress(&b, "match")
		p.Waiting("2 games under way")
		for i := range int64(3600) {
			p.Update(i, 4000, "LLR 1.00/2.94")
			time.Sleep(time.Second)
		}
		lines := strings.Split(b.String(), "\n")
		if n := len(lines); n < 60 || n > 100 || lines[0] != "match: 0/4000  2 games under way  LLR 1.00/2.94" ||
			lines[1] != "match: 5/4000  1.0/s  1h7m left  LLR 1.00/2.94" {
			t.Errorf("%d lines: %q", n, lines[:3])
		}
	})
}

// TestColours colours verdicts and warnings on a terminal only.
func TestColours(t *testing.T) {
	const text = "PASSED: new beats old\nFAILED: x\nmatch: warning: slow\nVerdict: no difference shown\nno warning: here\n"
	const want = "\x1b[32mPASSED\x1b[0m: new beats old\n\x1b[31mFAILED\x1b[0m: x\n\x1b[33mmatch: warning\x1b[0m: slow\n" +
		"\x1b[33mVerdict: no difference shown\x1b[0m\nno warning: here\n"
	for _, colour := range []bool{true, false} {
		var b bytes.Buffer
		s := &Screen{w: &b, columns: func() int { return 80 }, status: new(status), colour: colour}
		_, _ = s.Write([]byte("x: "))
		_, _ = s.Write([]byte("PASSED\n")) // does not begin a line
		_, _ = s.Write([]byte(text))
		if got := b.String(); colour && got != "x: PASSED\n"+want || !colour && got != "x: PASSED\n"+text {
			t.Errorf("colours %v: %q", colour, got)
		}
	}
	for name, value := range map[string]string{"NO_COLOR": "1", "TERM": "dumb"} {
		t.Setenv("TERM", "xterm")
		t.Setenv("NO_COLOR", "")
		t.Setenv(name, value)
		if wantsColour() {
			t.Errorf("colours with %s=%s", name, value)
		}
	}
}

// A match that the user interrupts says how it stood; one without a game says nothing.
func TestStopped(t *testing.T) {
	var b strings.Builder
	p := NewProgress(&b, "match")
	p.Stopped()
	p.Update(98, 400, "Elo +12  +50 =20 -28")
	p.Stopped()
	if _, text, _ := strings.Cut(b.String(), "-28\n"); text !=
		"match: stopped after 98 of 400 games  Elo +12  +50 =20 -28\n" {
		t.Error(b.String())
	}
}

// TestReflow: paragraphs, items and definitions with wide lines are broken again; code, tables and headings stay.
func TestReflow(t *testing.T) {
	const text = "one two three\nfour five\n\n- an item that goes\n  on here\n- short\n\n  word   what it " +
		"means at length\n  {\"a\":[1]}\n\n    some code that is long\n| a table that is long |\n```c\nint main(int " +
		"argc);\n```\n# A heading too long"
	const want = "one two\nthree four\nfive\n\n- an item\n  that goes\n  on here\n- short\n\n  word   " +
		"what\n         it\n         means\n         at\n         length\n" +
		"  {\"a\":[1]}\n\n    some code that is long\n| a table that is long |\n```c\nint main(int argc);\n```\n# " +
		"A heading too long"
	if got := Reflow(text, 12); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := Reflow(text, 100); got != text {
		t.Errorf("at 100 columns\n%s", got)
	}
}

// The words of the command line are read as the same values again.
func TestCommandLineIsReadAgain(t *testing.T) {
	type flags struct {
		players, engines []string
		weights          []float64
		shares           []int
		nodes            int
		json, keep       bool
	}
	command := func(f *flags) *cobra.Command {
		c := &cobra.Command{Use: "selfplay", Run: func(*cobra.Command, []string) {}}
		c.Flags().StringSliceVar(&f.players, "players", nil, "")
		c.Flags().StringArrayVar(&f.engines, "engine", nil, "")
		c.Flags().Float64SliceVar(&f.weights, "weight", nil, "")
		c.Flags().IntSliceVar(&f.shares, "shares", nil, "")
		c.Flags().IntVar(&f.nodes, "nodes", 0, "")
		c.Flags().BoolVar(&f.json, "json", false, "")
		c.Flags().BoolVar(&f.keep, "keep", true, "")
		Silent(c.Flags(), "json")
		return c
	}
	var a, b flags
	c := command(&a)
	c.SetArgs([]string{"data", "--players=uci:./e?Hash=1,[x]", "--engine", "a,b", "--engine", `c"d`, "--nodes", "9",
		"--json", "--keep=false", "--weight", "1,0.5", "--shares", "1,2"})
	setup.Check(t, c.Execute())
	line := CommandLine(c, c.Flags().Args())
	want := "selfplay data --engine a,b --engine 'c\"d' --keep=false --nodes 9 --players 'uci:./e?Hash=1,[x]' " +
		"--shares 1,2 --weight 1.000000,0.500000"
	if line != want {
		t.Errorf("got  %s\nwant %s", line, want)
	}
	again := command(&b)
	again.SetArgs(strings.Fields(strings.ReplaceAll(line, "'", ""))[1:])
	setup.Check(t, again.Execute())
	a.json = false
	if !reflect.DeepEqual(a, b) {
		t.Errorf("read again: %+v, want %+v", b, a)
	}
}

// A path with spaces is one word, whatever stands before and after it.
func TestPlayerWithSpaces(t *testing.T) {
	t.Chdir(t.TempDir())
	setup.Check(t, os.Mkdir("my dir", 0o777))
	setup.Check(t, os.WriteFile("my dir/engine", nil, 0o777))
	for _, text := range []string{"my dir/engine", "./my dir/engine", "uci:my dir/engine", "my dir/engine?Hash=16",
		"name=new:./my dir/engine", "uci:name=new:my dir/engine?SyzygyPath=a:b", "uci:'my dir/engine' --uci"} {
		spec, err := Player(text)
		if path := spec.Command; err != nil || len(path) == 0 || !slices.Contains([]string{"my dir/engine",
			"./my dir/engine"}, path[0]) {
			t.Errorf("%s: %q, %v", text, path, err)
		}
	}
}

func TestNearest(t *testing.T) {
	candidates := []string{"games", "book", "book-order", "concurrency", "sprt"}
	for word, want := range map[string]string{"gmaes": "games", "game": "games", "Sprt": "sprt",
		"concurency": "concurrency", "boko": "book", "conc": "concurrency", "zzz": "", "b": "", "": ""} {
		if got := Nearest(word, candidates); got != want {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
}
