package durable

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

type testLine struct {
	Pair int    `json:"pair"`
	Text string `json:"text"`
}

// writeJournal returns the path of a journal of n lines.
func writeJournal(t *testing.T, n int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	j, err := OpenJournal(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if err := j.Append(testLine{i, "Ng5 \"!?\"\n"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// pairsOf opens the journal for appending and lists what it holds.
func pairsOf(path string) ([]int, error) {
	pairs := []int{}
	j, err := OpenJournal(path, func(line []byte) error {
		var l testLine
		if err := json.Unmarshal(line, &l); err != nil {
			return err
		}
		pairs = append(pairs, l.Pair)
		return nil
	})
	if err != nil {
		return pairs, err
	}
	return pairs, j.Close()
}

func TestJournalLinesAreJSONWithAChecksum(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	j, err := OpenJournal(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []any{map[string]int{"a": 1}, struct{}{}} {
		if err := j.Append(v); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Append([]int{1}); err == nil {
		t.Error("a line that is not an object was accepted")
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// CRC-32C of `{"a":1,` and of `{`, computed with another program.
	want := "{\"a\":1,\"crc\":\"6cb98cba\"}\n{\"crc\":\"ba6cac67\"}\n"
	if string(got) != want {
		t.Errorf("journal is\n%swant\n%s", got, want)
	}
}

func TestJournalCutsATornTail(t *testing.T) {
	path := writeJournal(t, 3)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	line := len(whole) / 3
	for cut := range len(whole) + 1 {
		if err := os.WriteFile(path, whole[:cut], 0o666); err != nil {
			t.Fatal(err)
		}
		got, err := pairsOf(path)
		want := []int{0, 1, 2}[:cut/line]
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("cut at %d of %d: %v, %v; want %v", cut, len(whole), got, err, want)
		}
		if info, _ := os.Stat(path); info.Size() != int64(cut/line*line) {
			t.Fatalf("cut at %d: %d bytes left", cut, info.Size())
		}
	}
}

func TestJournalResumesAfterATornTail(t *testing.T) {
	path := writeJournal(t, 2)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(f, `{"pair":2,"te`)
	f.Close()
	j, err := OpenJournal(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Append(testLine{Pair: 7}); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := pairsOf(path); err != nil || !slices.Equal(got, []int{0, 1, 7}) {
		t.Errorf("got %v, %v", got, err)
	}
}

// No flipped bit goes unnoticed, and none takes a line away in silence.
func TestJournalNoticesEveryFlippedBit(t *testing.T) {
	path := writeJournal(t, 3)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	flipAll(whole, func(bit int, changed []byte) {
		if err := os.WriteFile(path, changed, 0o666); err != nil {
			t.Fatal(err)
		}
		got, err := pairsOf(path)
		if !errors.Is(err, ErrDamaged) {
			t.Fatalf("bit %d: %v, %v", bit, got, err)
		}
		if want := fmt.Sprintf("%s, line %d", path, len(got)+1); !strings.Contains(err.Error(), want) {
			t.Fatalf("bit %d: %v does not say %q", bit, err, want)
		}
		if now, _ := os.ReadFile(path); string(now) != string(changed) {
			t.Fatalf("bit %d: the damaged journal was changed", bit)
		}
	})
}

func TestReadJournalLeavesTheTailAlone(t *testing.T) {
	path := writeJournal(t, 2)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(whole, `{"pair"`...), 0o666); err != nil {
		t.Fatal(err)
	}
	n := 0
	if err := ReadJournal(path, func([]byte) error { n++; return nil }); err != nil || n != 2 {
		t.Errorf("%d lines, %v", n, err)
	}
	if info, _ := os.Stat(path); info.Size() != int64(len(whole)+7) {
		t.Error("reading changed the journal")
	}
	stop := errors.New("stop")
	if err := ReadJournal(path, func([]byte) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("err = %v", err)
	}
}

func TestJournalRefusesEndlessLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	if err := os.WriteFile(path, make([]byte, maxLine+1<<20), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenJournal(path, nil); !errors.Is(err, ErrDamaged) {
		t.Errorf("err = %v", err)
	}
}

// Whatever a journal's file holds, its repaired form opens and has the whole lines, each once.
// If there was nothing to repair, an unfinished last line goes.
func FuzzRepairJournal(f *testing.F) {
	path := filepath.Join(f.TempDir(), "j")
	j, err := OpenJournal(path, nil)
	for i := 0; i < 3 && err == nil; i++ {
		err = j.Append(map[string]int{"game": i})
	}
	if err == nil {
		err = j.Close()
	}
	data, e := os.ReadFile(path)
	if err != nil || e != nil {
		f.Fatal(err, e)
	}
	f.Add(data)
	f.Add(append(data[:len(data)-1], data[3:]...))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "j")
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		var whole, got []string
		if _, err := WholeLines(path, func(line []byte) error {
			whole = append(whole, string(line))
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		r, err := RepairJournal(path)
		if err != nil {
			t.Fatal(err)
		}
		j, err := OpenJournal(path, func(line []byte) error { got = append(got, string(line)); return nil })
		if err != nil {
			t.Fatalf("%+v: %v", r, err)
		}
		if r == nil && len(got) == len(whole)-1 {
			whole = whole[:len(got)]
		}
		if err := j.Close(); err != nil || !slices.Equal(got, whole) || r != nil && r.Kept != int64(len(whole)) {
			t.Errorf("%+v, %v: lines %q, want %q", r, err, got, whole)
		}
	})
}
