package durable

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
)

type testLine struct {
	Pair int    `json:"pair"`
	Text string `json:"text"`
}

// writeJournal returns the path of a journal of n lines.
func writeJournal(t *testing.T, n int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	j := setup.Must(OpenJournal(path, nil))
	for i := range n {
		setup.Check(t, j.Append(testLine{i, "Ng5 \"!?\"\n"}))
	}
	setup.Check(t, j.Close())
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
	j := setup.Must(OpenJournal(path, nil))
	for _, v := range []any{map[string]int{"a": 1}, struct{}{}} {
		setup.Check(t, j.Append(v))
	}
	if err := j.Append([]int{1}); err == nil {
		t.Error("a line that is not an object was accepted")
	}
	setup.Check(t, j.Close())
	got := setup.Must(os.ReadFile(path))
	// CRC-32C of `{"a":1,` and of `{`, computed with another program.
	want := "{\"a\":1,\"crc\":\"6cb98cba\"}\n{\"crc\":\"ba6cac67\"}\n"
	if string(got) != want {
		t.Errorf("journal is\n%swant\n%s", got, want)
	}
}

func TestJournalCutsATornTail(t *testing.T) {
	path := writeJournal(t, 3)
	whole := setup.Must(os.ReadFile(path))
	line := len(whole) / 3
	for cut := range len(whole) + 1 {
		setup.Check(t, os.WriteFile(path, whole[:cut], 0o666))
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
	f := setup.Must(os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0))
	fmt.Fprint(f, `{"pair":2,"te`)
	f.Close()
	j := setup.Must(OpenJournal(path, nil))
	setup.Check(t, j.Append(testLine{Pair: 7}))
	setup.Check(t, j.Close())
	if got, err := pairsOf(path); err != nil || !slices.Equal(got, []int{0, 1, 7}) {
		t.Errorf("got %v, %v", got, err)
	}
}

// No flipped bit goes unnoticed, and none takes a line away in silence.
func TestJournalNoticesEveryFlippedBit(t *testing.T) {
	path := writeJournal(t, 3)
	whole := setup.Must(os.ReadFile(path))
	flipAll(whole, func(bit int, changed []byte) {
		setup.Check(t, os.WriteFile(path, changed, 0o666))
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
	whole := setup.Must(os.ReadFile(path))
	setup.Check(t, os.WriteFile(path, append(whole, `{"pair"`...), 0o666))
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
	setup.Check(t, os.WriteFile(path, make([]byte, maxLine+1<<20), 0o666))
	if _, err := OpenJournal(path, nil); !errors.Is(err, ErrDamaged) {
		t.Errorf("err = %v", err)
	}
}

// A power cut leaves zeros where a write was not synced: the journal ends before them.
func TestJournalEndsBeforeZeros(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	j, err := OpenJournal(path, nil)
	for i := 0; i < 3 && err == nil; i++ {
		err = j.Append(map[string]int{"game": i})
	}
	if err == nil {
		err = j.Close()
	}
	whole, e := os.ReadFile(path)
	if err != nil || e != nil {
		t.Fatal(err, e)
	}
	first := bytes.IndexByte(whole, '\n') + 1
	for _, zero := range [][2]int{{first, first + 2}, {first + 5, 2 * first}, {first, len(whole)},
		{2*first - 2, 2*first + 1}} {
		data := bytes.Clone(whole)
		clear(data[zero[0]:zero[1]])
		setup.Check(t, os.WriteFile(path, data, 0o666))
		n := 0
		j, err := OpenJournal(path, func([]byte) error { n++; return nil })
		if err == nil {
			err = errors.Join(j.Append(map[string]int{"game": 1}), j.Append(map[string]int{"game": 2}), j.Close())
		}
		if now, e := os.ReadFile(path); err != nil || e != nil || n != 1 || !bytes.Equal(now, whole) {
			t.Errorf("zeros at %v: %d lines, %v, %v", zero, n, err, e)
		}
	}
}
