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
	"testing"
	"time"

	"github.com/assay-chess/assay/internal/setup"
)

// crashDirEnv makes the test program the victim of TestKilledAtAnyMoment.
const crashDirEnv = "ASSAY_STORE_CRASH_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(crashDirEnv); dir != "" {
		fmt.Fprintln(os.Stderr, workUntilKilled(dir))
		os.Exit(1)
	}
	if os.Getenv("TMPDIR") == "" { // a folder where a sync takes no time: no test looks at the disk itself
		if dir, err := os.MkdirTemp("/dev/shm", "durable"); err == nil {
			os.Setenv("TMPDIR", dir)
			defer os.RemoveAll(dir)
		}
	}
	m.Run()
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
	lifetime := 100 * time.Millisecond // at most; doubled after a round without a step, as on a busy machine
	for round := 0; round < 15 || acked < 15; round++ {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), crashDirEnv+"="+dir)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.StdoutPipe()
		setup.Check(t, err)
		setup.Check(t, cmd.Start())
		time.AfterFunc(lifetime*3/10+time.Duration(rng.Int64N(int64(lifetime*7/10))), func() { cmd.Process.Kill() })
		before := acked
		for acks := bufio.NewScanner(out); acks.Scan(); {
			if acked, err = strconv.Atoi(acks.Text()); err != nil {
				t.Fatal(err)
			}
		}
		if acked == before {
			lifetime *= 2
		}
		cmd.Wait()
		if stderr.Len() > 0 {
			t.Fatalf("round %d: %s", round, stderr.String())
		}

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
