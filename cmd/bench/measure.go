package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
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

// seconds runs a command in a folder and returns its output and processor time, which includes
// the processes that it has waited for.
func seconds(dir, path string, args ...string) ([]byte, float64, error) {
	cmd := exec.Command(path, args...)
	cmd.Dir = dir
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
	return side{name: name, start: func(dir string) ([]byte, float64, error) { return seconds(dir, path, args...) }}
}

// always is the work of a job that is always the same.
func always(work float64) func([]byte) (float64, error) {
	return func([]byte) (float64, error) { return work, nil }
}

// run does the job once and returns its work and its processor time.
func (s *side) run() (work, cpu float64, err error) {
	if s.prepare != nil {
		if err := s.prepare(); err != nil {
			return 0, 0, err
		}
	}
	out, cpu, err := s.start(s.dir)
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
	return side{name: name, work: work, start: func(string) ([]byte, float64, error) {
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

// threadSeconds returns the processor time of a running process, from Linux's schedstats.
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
