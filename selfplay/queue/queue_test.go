package queue

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset/durable"
)

func open(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func add(t *testing.T, s *Store, name string, state State, priority int) {
	t.Helper()
	x := Test{Name: name, Job: Job{Command: "match", Players: []string{"a", "b"}}, Who: "anna", State: state,
		Priority: priority}
	if state == Queued {
		x.Approved = "anna"
	}
	if _, err := s.Add(x); err != nil {
		t.Fatal(err)
	}
}

// What a store says is on disk: a process that is killed after a call leaves it, and a line
// that was being written is dropped.
func TestStoreIsOnDisk(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	add(t, s, "one", Queued, 0)
	add(t, s, "two", Unapproved, 0)
	add(t, s, "", Queued, -1)
	add(t, s, "gone", Queued, 0)
	must(t, s.Move("anna", "remove", "gone", ""))
	must(t, s.Move(Server, "start", "one", ""))
	must(t, s.Move("bert", "approve", "two", ""))
	must(t, s.Prioritize("bert", "two", 3))
	must(t, s.Move("bert", "stop", "match-3", ""))
	must(t, s.Note(Server, "ban", "mallory", "it lied"))
	if _, err := Open(dir); !errors.Is(err, durable.ErrLocked) {
		t.Errorf("two processes have the store open: %v", err)
	}
	before := s.Tests()
	must(t, s.Close())
	path := filepath.Join(dir, journalName)
	data, err := os.ReadFile(path)
	must(t, err)
	must(t, os.WriteFile(path, append(data, `{"who":"eve","what":"appr`...), 0o600))
	s = open(t, dir)
	defer s.Close()
	after := s.Tests()
	if !slices.EqualFunc(before, after, func(a, b Test) bool {
		return a.Name == b.Name && a.State == b.State && a.Priority == b.Priority && a.Approved == b.Approved &&
			a.Reason == b.Reason && a.Number == b.Number
	}) || len(after) != 3 {
		t.Errorf("before %+v\nafter %+v", before, after)
	}
	if x, err := s.Test("two"); err != nil || x.State != Queued || x.Approved != "bert" || x.Weight() != 8 {
		t.Errorf("two: %+v, %v", x, err)
	}
	if x, err := s.Test("match-3"); err != nil || x.State != Stopped || x.Reason != "stopped by bert" ||
		x.Weight() != 0.5 {
		t.Errorf("match-3: %+v, %v", x, err)
	}
	if s.Bans()["mallory"] != "it lied" {
		t.Errorf("bans: %v", s.Bans())
	}
	if n := len(s.Events(0)); n != 10 {
		t.Errorf("the audit log has %d events", n)
	}
	if x, err := s.Add(Test{Job: Job{Command: "spsa"}, State: Queued}); err != nil || x.Name != "spsa-5" {
		t.Errorf("numbers go on with %+v, %v", x, err)
	}
}

// A journal of command lines, as older versions kept it, is refused and left alone.
func TestOldJournal(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	old := `{"who":"anna","what":"add","test":"one","new":{"name":"one","number":1,"args":["match","a","b"],"state":"queued"}}`
	must(t, s.journal.Append(json.RawMessage(old)))
	must(t, s.Close())
	path := filepath.Join(dir, journalName)
	before, err := os.ReadFile(path)
	must(t, err)
	if _, err := Open(dir); !errors.Is(err, errOld) || !strings.Contains(err.Error(), "use another folder") {
		t.Errorf("error %v", err)
	}
	if data, err := os.ReadFile(path); err != nil || !bytes.Equal(data, before) {
		t.Errorf("the journal is %q, %v", data, err)
	}
}

// Tests move only as their state allows, and only some names and priorities exist.
func TestStoreRefuses(t *testing.T) {
	s := open(t, t.TempDir())
	defer s.Close()
	add(t, s, "one", Unapproved, 0)
	for what, err := range map[string]error{
		"start":   s.Move(Server, "start", "one", ""),
		"resume":  s.Move("anna", "resume", "one", ""),
		"nothing": s.Move("anna", "nothing", "one", ""),
	} {
		if !errors.Is(err, ErrState) {
			t.Errorf("%s of an unapproved test: %v", what, err)
		}
	}
	if err := s.Move("anna", "stop", "two", ""); !errors.Is(err, ErrNoTest) {
		t.Errorf("no test: %v", err)
	}
	for _, x := range []Test{{Name: "../x"}, {Name: "one"}, {Name: ".x"}, {Name: strings.Repeat("x", 62)},
		{Name: "p", Priority: 11}, {Name: "p", Priority: -11}, {Name: "c", Cores: -1}} {
		x.Command = "match"
		if _, err := s.Add(x); !errors.Is(err, ErrAdd) {
			t.Errorf("%+v: %v", x, err)
		}
	}
	must(t, s.Move("anna", "stop", "one", ""))
	must(t, s.Move("anna", "resume", "one", ""))
	if x, _ := s.Test("one"); x.State != Unapproved {
		t.Errorf("stopping and resuming approves: %s", x.State)
	}
	must(t, os.Mkdir(s.RunDir("old"), 0o777))
	if _, err := s.Add(Test{Name: "old", Job: Job{Command: "match"}}); !errors.Is(err, ErrAdd) {
		t.Errorf("a folder that is kept is used again: %v", err)
	}
}

// Active tests stay active; then come those of the highest priority, the oldest first.
func TestNext(t *testing.T) {
	s := open(t, t.TempDir())
	defer s.Close()
	for _, x := range []struct {
		name     string
		priority int
	}{{"a", 0}, {"b", 2}, {"c", 2}, {"d", -1}} {
		add(t, s, x.name, Queued, x.priority)
	}
	add(t, s, "e", Unapproved, 9)
	must(t, s.Move(Server, "start", "d", ""))
	var names []string
	for _, x := range s.Next(3) {
		names = append(names, x.Name)
	}
	if got := strings.Join(names, " "); got != "d b c" {
		t.Errorf("next are %s", got)
	}
}

// Files are kept by content, and command lines name them.
func TestObjects(t *testing.T) {
	s := open(t, t.TempDir())
	defer s.Close()
	content := []byte("a book")
	raw := sha256.Sum256(content)
	sum := hex.EncodeToString(raw[:])
	ref, err := Ref(sum, "book.epd")
	must(t, err)
	if _, err := s.Expand("name=x:uci:" + ref); !errors.Is(err, ErrObject) {
		t.Errorf("a file that is not there: %v", err)
	}
	if err := s.Put(sum, "book.epd", bytes.NewReader(content[1:])); !errors.Is(err, ErrObject) {
		t.Errorf("another content: %v", err)
	}
	for _, name := range []string{"../x", ".x", "", "a/b", "a b"} {
		if err := s.Put(sum, name, bytes.NewReader(content)); !errors.Is(err, ErrObject) {
			t.Errorf("name %q: %v", name, err)
		}
	}
	must(t, s.Put(sum, "book.epd", bytes.NewReader(content)))
	must(t, s.Put(sum, "book.epd", nil)) // it is there
	word, err := s.Expand("name=x:uci:" + ref + "?Hash=16")
	must(t, err)
	path := strings.TrimSuffix(strings.TrimPrefix(word, "name=x:uci:"), "?Hash=16")
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, content) || !s.IsObject(path) {
		t.Errorf("%s: %q, %v", path, got, err)
	}
	for _, path := range []string{"/bin/sh", s.Dir, filepath.Join(s.Dir, objectsName),
		filepath.Join(path, "..", "..", "..", keysName)} {
		if s.IsObject(path) {
			t.Errorf("%s counts as uploaded", path)
		}
	}
}

func TestKeys(t *testing.T) {
	dir := t.TempDir()
	secret, err := SetKey(dir, Key{Name: "anna", Roles: []Role{Read, Submit}})
	must(t, err)
	if none, err := SetKey(dir, Key{Name: "bert", Roles: []Role{Work}, Public: "U1"}); err != nil || none != "" {
		t.Errorf("a worker's key has the secret %q, %v", none, err)
	}
	list, err := Keys(dir)
	must(t, err)
	k, err := Find(list, secret)
	if err != nil || k.Name != "anna" || !k.May(Submit) || k.May(Approve) {
		t.Errorf("%+v, %v", k, err)
	}
	for _, wrong := range []string{"", "assay-", secret + "x", k.SHA256} {
		if _, err := Find(list, wrong); !errors.Is(err, errKey) {
			t.Errorf("%q opens: %v", wrong, err)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, keysName))
	if err != nil || bytes.Contains(data, []byte(secret)) {
		t.Errorf("the secret is on disk, %v", err)
	}
	if _, err := SetKey(dir, Key{Name: "anna"}); err != nil {
		t.Fatal(err)
	}
	if list, _ = Keys(dir); len(list) != 1 {
		t.Errorf("a deleted key stays: %+v", list)
	}
	for _, k := range []Key{{Name: "x/y", Roles: Roles}, {Name: "x", Roles: []Role{"all"}}, {Name: Server, Roles: Roles}} {
		if _, err := SetKey(dir, k); !errors.Is(err, errKey) {
			t.Errorf("%+v: %v", k, err)
		}
	}
}

// A test that was active when three servers in a row crashed is paused; one that was not goes on, and a server that
// ends well begins a new count.
func TestCrashLoop(t *testing.T) {
	dir := t.TempDir()
	open := func() (*Store, []string) {
		t.Helper()
		s, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		paused, err := s.Serve()
		if err != nil {
			t.Fatal(err)
		}
		return s, paused
	}
	crash := func(s *Store) { // what the process has written stays, and its lock goes
		_ = s.journal.Close()
		s.lock.Unlock()
	}
	s, _ := open()
	for _, name := range []string{"bomb", "waits"} {
		if _, err := s.Add(Test{Name: name, Job: Job{Command: "match"}, State: Queued, Approved: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Move(Server, "start", "bomb", ""); err != nil {
		t.Fatal(err)
	}
	for n := 1; n < maxCrashes; n++ {
		crash(s)
		var paused []string
		if s, paused = open(); len(paused) != 0 {
			t.Fatalf("after %d crashes %q is paused", n, paused)
		}
		if x, _ := s.Test("bomb"); x.Crashes != n {
			t.Errorf("%d crashes are counted as %d", n, x.Crashes)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= maxCrashes; n++ {
		var paused []string
		if s, paused = open(); len(paused) != 0 {
			t.Fatalf("%q is paused after %d crashes since a server ended well", paused, n-1)
		}
		crash(s)
	}
	s, paused := open()
	defer s.Close()
	if !slices.Equal(paused, []string{"bomb"}) {
		t.Errorf("paused: %q", paused)
	}
	bomb, _ := s.Test("bomb")
	waits, _ := s.Test("waits")
	if bomb.State != Stopped || !strings.Contains(bomb.Reason, "3 crashes") || waits.State != Queued {
		t.Errorf("bomb is %s (%s), and the other %s", bomb.State, bomb.Reason, waits.State)
	}
	if err := s.Move("x", "resume", "bomb", ""); err != nil {
		t.Error(err)
	}
}

// After a full disk the store takes events again, and has lost none that it took.
func TestStoreAfterAFullDisk(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	add := func(name string) error {
		_, err := s.Add(Test{Name: name, Job: Job{Command: "match"}, State: Queued})
		return err
	}
	if err := add("before"); err != nil {
		t.Fatal(err)
	}
	_ = s.journal.Close() // its next write fails, as on a full disk
	if err := add("meanwhile"); err == nil {
		t.Fatal("a closed journal takes a line")
	}
	if err := add("after"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(dir); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var names []string
	for _, x := range s.Tests() {
		names = append(names, x.Name)
	}
	if !slices.Equal(names, []string{"before", "after"}) {
		t.Errorf("%q", names)
	}
}
