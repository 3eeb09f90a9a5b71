//go:build unix

package durable

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// crashDirEnv makes the test program the victim of TestKilledAtAnyMoment.
const crashDirEnv = "ASSAY_STORE_CRASH_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(crashDirEnv); dir != "" {
		fmt.Fprintln(os.Stderr, workUntilKilled(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// workUntilKilled writes a journal line, then a file, then says on standard
// output that both are on disk, for ever.
func workUntilKilled(dir string) error {
	n := 0
	j, err := OpenJournal(filepath.Join(dir, "journal"), func([]byte) error { n++; return nil })
	if err != nil {
		return err
	}
	for ; ; n++ {
		if err := j.Append(testLine{Pair: n, Text: strings.Repeat("x", n%5000)}); err != nil {
			return err
		}
		if err := j.Sync(); err != nil {
			return err
		}
		if err := WriteFile(filepath.Join(dir, "file"), fileOf(n)); err != nil {
			return err
		}
		fmt.Println(n)
	}
}

func fileOf(n int) []byte {
	return bytes.Repeat([]byte(strconv.Itoa(n)+"\n"), 1+n%20000)
}

// A process is killed at random moments and started again; nothing that it had
// acknowledged is ever missing, and the file is always one that it wrote.
func TestKilledAtAnyMoment(t *testing.T) {
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(1, 2))
	acked, lines := -1, 0
	for round := range 15 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), crashDirEnv+"="+dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(30*time.Millisecond+time.Duration(rng.IntN(70_000))*time.Microsecond, func() { cmd.Process.Kill() })
		for acks := bufio.NewScanner(out); acks.Scan(); {
			if acked, err = strconv.Atoi(acks.Text()); err != nil {
				t.Fatal(err)
			}
		}
		cmd.Wait()

		pairs, err := pairsOf(filepath.Join(dir, "journal"))
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		for i, p := range pairs {
			if p != i {
				t.Fatalf("round %d: line %d is pair %d", round, i, p)
			}
		}
		least := max(lines, acked+1)
		if lines = len(pairs); lines < least || lines > least+1 {
			t.Fatalf("round %d: %d lines, acknowledged up to %d", round, lines, acked)
		}
		checkFile(t, filepath.Join(dir, "file"), acked, lines-1)
	}
	if acked < 15 {
		t.Errorf("only %d steps: the test has shown nothing", acked)
	}
}

// checkFile wants the file whole, and one of those written from acked to last.
func checkFile(t *testing.T, path string, acked, last int) {
	t.Helper()
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) && acked < 0 {
		return
	}
	head, _, _ := strings.Cut(string(data), "\n")
	n, err2 := strconv.Atoi(head)
	if err != nil || err2 != nil || n < acked || n > last || !bytes.Equal(data, fileOf(n)) {
		t.Fatalf("file of %d bytes begins with %q (%v), acknowledged %d", len(data), head, err, acked)
	}
}

// smallDisk returns a folder on a file system of size bytes, or skips the test.
func smallDisk(t *testing.T, size string) string {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("cannot mount a small tmpfs (needs root): %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, 0) })
	return dir
}

func TestFullDisk(t *testing.T) {
	dir := smallDisk(t, "128k")
	path := filepath.Join(dir, "file")
	if err := WriteFile(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	j, err := OpenJournal(filepath.Join(dir, "journal"), nil)
	if err != nil {
		t.Fatal(err)
	}
	err = WriteFile(path, make([]byte, 1<<20))
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), path) {
		t.Errorf("err = %v", err)
	}
	if got, _ := os.ReadFile(path); string(got) != "old" {
		t.Errorf("file is %d bytes", len(got))
	}
	lines := 0
	for ; lines < 1000 && err != nil; lines++ {
		if err = j.Append(testLine{Pair: lines, Text: strings.Repeat("y", 3000)}); err != nil {
			break
		}
		err = errors.New("go on")
	}
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), j.Path()) {
		t.Errorf("after %d lines: %v", lines, err)
	}
	j.Close()
	pairs, err := pairsOf(j.Path())
	if err != nil || len(pairs) != lines || lines < 10 {
		t.Errorf("%d lines of %d, %v", len(pairs), lines, err)
	}
	if names := namesIn(t, dir); len(names) != 2 {
		t.Errorf("left behind: %v", names)
	}
}
