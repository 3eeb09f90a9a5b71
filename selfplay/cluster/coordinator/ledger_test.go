package coordinator

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/assay-chess/assay/dataset/durable"
)

func reopen(t *testing.T, dir string) (*ledger, *pastAnswers) {
	t.Helper()
	l, m, err := openLedger(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.close() })
	return l, m
}

func enter(t *testing.T, l *ledger, lines ...*line) {
	t.Helper()
	for _, x := range lines {
		if err := l.write(x); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.sync(); err != nil {
		t.Fatal(err)
	}
}

func answered(id, worker string) *line {
	return &line{Unit: id, Worker: worker, Sum: "sum of " + id, Result: json.RawMessage(`{"number":1}`)}
}

// A ledger that is opened again knows the answers, which of them count, which are void, and
// who is banned.
func TestLedgerRemembers(t *testing.T) {
	dir := t.TempDir()
	l, m := reopen(t, dir)
	if len(m.answers)+len(m.banned) != 0 {
		t.Fatal("a new ledger is not empty")
	}
	enter(t, l, answered("a", "anna"), answered("b", "anna"), answered("c", "mallory"),
		&line{Counts: []string{"a", "unknown"}},
		&line{Worker: "mallory", Banned: "it lied"}, &line{Void: []string{"c", "unknown"}}, answered("d",
			"bert"), &line{Void: []string{"d"}}, answered("d", "anna"))
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
	_, m = reopen(t, dir)
	if len(m.answers) != 3 || !m.answers["a"].counted || m.answers["b"].counted || m.answers["d"].Worker != "anna" {
		t.Errorf("answers: %v", m.answers)
	}
	if a := m.answers["b"]; a.Worker != "anna" || a.Sum != "sum of b" || string(a.Result) != `{"number":1}` {
		t.Errorf("answer b: %+v", a)
	}
	if len(m.banned) != 1 || m.banned["mallory"] != "it lied" {
		t.Errorf("banned: %v", m.banned)
	}
}

// The last line may be incomplete after a crash: no worker has got a reply to it.
// Other damage is an error.
func TestLedgerOfACrash(t *testing.T) {
	dir := t.TempDir()
	l, _ := reopen(t, dir)
	enter(t, l, answered("a", "anna"), answered("b", "anna"))
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
	path := ledgerFiles(dir)[0]
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := 1; cut <= 20; cut += 6 {
		if err := os.WriteFile(path, whole[:len(whole)-cut], 0o666); err != nil {
			t.Fatal(err)
		}
		l, m := reopen(t, dir)
		if len(m.answers) != 1 || m.answers["a"] == nil {
			t.Errorf("%d bytes short: answers %v", cut, m.answers)
		}
		if err := l.close(); err != nil {
			t.Fatal(err)
		}
	}
	whole[10] ^= 1
	if err := os.WriteFile(path, whole, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, err := openLedger(dir); !errors.Is(err, durable.ErrDamaged) {
		t.Errorf("a flipped bit: %v", err)
	}
}

// A ledger has two files at most, and what was kept is in the last one.
func TestLedgerRotates(t *testing.T) {
	dir := t.TempDir()
	l, _ := reopen(t, dir)
	l.limit = 10
	pages := 0
	for i := range 100 {
		enter(t, l, answered(fmt.Sprint(i), "anna"))
		if l.isFull(0) != (l.lines >= 1024) || l.isFull(100) {
			t.Fatalf("full after %d lines", l.lines)
		}
		if i%10 == 9 {
			pages++
			if err := l.rotate([]*line{answered(fmt.Sprint(i), "anna"),
				{Worker: "mallory", Banned: "why"}}); err != nil {
				t.Fatal(err)
			}
		}
		if n := len(ledgerFiles(dir)); n > 2 {
			t.Fatalf("%d files", n)
		}
	}
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
	l, m := reopen(t, dir)
	if l.number != pages+1 || m.answers["99"] == nil || m.answers["95"] == nil ||
		m.answers["10"] != nil || m.banned["mallory"] == "" {
		t.Errorf("file %d of %d: %d answers, banned %v", l.number, pages+1, len(m.answers), m.banned)
	}
	enter(t, l, answered("more", "anna"))
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
	if _, m := reopen(t, dir); m.answers["more"] == nil {
		t.Error("a line after the rotation is lost")
	}
}
