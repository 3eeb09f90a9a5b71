package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// find returns the program that an environment variable names, or the one of PATH, or "".
func find(variable, name string) string {
	if path := os.Getenv(variable); path != "" {
		name = path
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return ""
	}
	if path, err = filepath.Abs(path); err != nil {
		return ""
	}
	return path
}

// seconds runs a command and returns its output and CPU time, which includes the processes
// that it has waited for.
func seconds(path string, args ...string) ([]byte, float64, error) {
	cmd := exec.Command(path, args...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, lastLine(out))
	}
	return out, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), nil
}

func lastLine(text []byte) []byte {
	text = bytes.TrimSpace(text)
	return text[bytes.LastIndexByte(text, '\n')+1:]
}

// process is a side that is a whole process.
func process(name, path string, args ...string) side {
	if path == "" {
		return side{name: name, missing: "not installed"}
	}
	return side{name: name, start: func() ([]byte, float64, error) { return seconds(path, args...) }}
}

// always is the work of a job that is always the same.
func always(work float64) func([]byte) (float64, error) {
	return func([]byte) (float64, error) { return work, nil }
}

// run does the job once and returns its work and its CPU time.
func (s *side) run() (work, cpu float64, err error) {
	if s.prepare != nil {
		if err := s.prepare(); err != nil {
			return 0, 0, err
		}
	}
	out, cpu, err := s.start()
	if err != nil {
		return 0, 0, err
	}
	if work, err = s.work(out); err == nil && (work <= 0 || cpu <= 0) {
		err = fmt.Errorf("%g pieces of work in %g s", work, cpu)
	}
	return work, cpu, err
}

// exchange is what to say to an engine, and how the line begins that ends its answer.
type exchange struct{ ask, end string }

// dialogue is a side that speaks UCI. Its start is not counted.
func dialogue(name string, work func([]byte) (float64, error), path string, args []string, talk []exchange) side {
	if path == "" {
		return side{name: name, missing: "not installed"}
	}
	return side{name: name, work: work, start: func() ([]byte, float64, error) {
		cmd := exec.Command(path, args...)
		in, err := cmd.StdinPipe()
		if err != nil {
			return nil, 0, err
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			return nil, 0, err
		}
		if err := cmd.Start(); err != nil {
			return nil, 0, err
		}
		defer func() {
			in.Close()
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}()
		var text bytes.Buffer
		lines := bufio.NewScanner(io.TeeReader(out, &text))
		before := 0.
		for i, x := range append([]exchange{{"uci", "uciok"}}, talk...) {
			if i == 1 {
				if before, err = threadSeconds(cmd.Process.Pid); err != nil {
					return nil, 0, err
				}
			}
			if err := say(in, lines, x); err != nil {
				return nil, 0, fmt.Errorf("%s: %w", path, err)
			}
		}
		after, err := threadSeconds(cmd.Process.Pid)
		return text.Bytes(), after - before, err
	}}
}

func say(in io.Writer, lines *bufio.Scanner, x exchange) error {
	if _, err := fmt.Fprintln(in, x.ask); err != nil {
		return err
	}
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), x.end) {
			return nil
		}
	}
	return fmt.Errorf("no %q after %q", x.end, x.ask)
}

// threadSeconds returns the CPU time of a running process, from Linux's schedstats.
func threadSeconds(pid int) (sum float64, err error) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if len(files) == 0 {
		return 0, fmt.Errorf("no /proc/%d/task/*/schedstat: needs Linux with schedstats", pid)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			continue // a thread that has ended
		}
		ns, err := strconv.ParseFloat(strings.Fields(string(text))[0], 64)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", f, err)
		}
		sum += ns / 1e9
	}
	return sum, nil
}

// ratio is a ratio of two rates with its 95 % interval.
type ratio struct{ value, lo, hi float64 }

func (r ratio) String() string { return fmt.Sprintf("%.3f [%.3f, %.3f]", r.value, r.lo, r.hi) }

// paired returns the ratio of a to b, which were measured in turn: the mean of the rounds'
// log ratios, with Student's t.
func paired(a, b []float64) ratio {
	d := make([]float64, len(a))
	for i := range a {
		d[i] = math.Log(a[i] / b[i])
	}
	mean, sd := stat.MeanStdDev(d, nil)
	n := float64(len(d))
	half := sd / math.Sqrt(n) * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975)
	return ratio{math.Exp(mean), math.Exp(mean - half), math.Exp(mean + half)}
}

func median(x []float64) float64 {
	s := slices.Clone(x)
	slices.Sort(s)
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// measure does the job of a row round after round, its sides in turn, and in every other
// round backwards. A side that fails is left out, with its error.
func (r *row) measure(rounds int) {
	for round := range rounds {
		for i := range r.sides {
			if round%2 == 1 {
				i = len(r.sides) - 1 - i
			}
			s := &r.sides[i]
			if s.missing != "" {
				continue
			}
			work, cpu, err := s.run()
			if err != nil {
				s.missing, s.rates = err.Error(), nil
				continue
			}
			s.rates = append(s.rates, work/cpu/r.scale)
		}
	}
}

// print writes a line for each side, separated by tabs.
func (r *row) print(w io.Writer) {
	for i, s := range r.sides {
		text := "-"
		if i > 0 && s.missing == "" && r.sides[0].missing == "" {
			text = paired(r.sides[0].rates, s.rates).String()
		}
		rate := "not measured: " + s.missing
		if s.missing == "" {
			rate = fmt.Sprintf("%.4g %s", median(s.rates), r.unit)
		}
		fmt.Fprintf(w, "%s, %s\t%s\t%s\n", r.name, s.name, rate, text)
	}
}

// log writes a line for each round of each side, as a Go benchmark prints it.
func (r *row) log(w io.Writer) {
	word := func(s string) string { return strings.ReplaceAll(s, " ", "_") }
	for _, s := range r.sides {
		for _, rate := range s.rates {
			fmt.Fprintf(w, "Benchmark%s/%s 1 %g %s/s\n", word(strings.ToUpper(r.name[:1])+r.name[1:]), word(s.name), rate,
				word(r.unit))
		}
	}
}
