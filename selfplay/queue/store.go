// Package queue keeps the tests that wait for machines: who submitted, approved and stopped
// what, in which order the tests are active, the keys of people and their roles, and the
// files that tests need. All of it is on disk before a call returns. It plays no games and
// listens to no network: the command assay queue serve does.
//
// Start reading at Store.
//
// No promise of stability.
package queue

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/assay-chess/assay/dataset/durable"
)

// State is the state of a test.
type State string

// The states of a test.
const (
	Unapproved State = "unapproved" // someone with the role approve has to agree
	Queued     State = "queued"     // waits until fewer tests are active
	Active     State = "active"
	Stopped    State = "stopped" // by a person; it can be resumed
	Complete   State = "complete"
	Failed     State = "failed" // it ended with an error; it can be resumed
)

// Ended reports whether a test in this state plays no more games by itself.
func (s State) Ended() bool { return s == Complete || s == Failed || s == Stopped }

// Job is what a test plays, as values.
type Job struct {
	Command    string            `json:"command"`              // match, spsa, selfplay or ladder
	Settings   map[string]string `json:"settings,omitempty"`   // by the names of the command's flags, or of its CONFIG
	Players    []string          `json:"players,omitempty"`    // as they are typed, with files by their names in the store
	Parameters json.RawMessage   `json:"parameters,omitempty"` // that spsa tunes, as its CONFIG has them
}

// Words returns the job in the form of a command line.
func (j *Job) Words() []string {
	words := append([]string{j.Command}, j.Players...)
	for _, name := range slices.Sorted(maps.Keys(j.Settings)) {
		words = append(words, "--"+name+"="+j.Settings[name])
	}
	return words
}

// Test is a run that is submitted to a queue.
type Test struct {
	Name   string `json:"name"` // of its folder
	Number int    `json:"number"`
	Job
	Who      string    `json:"who"`
	Added    time.Time `json:"added"`
	Note     string    `json:"note,omitempty"`     // what it is about, by its submitter
	Priority int       `json:"priority"`           // each step doubles the share of the machines
	Cores    int       `json:"cores,omitempty"`    // that it may use at once; 0: any number
	Then     string    `json:"then,omitempty"`     // preset of the test that follows if this one passes
	After    string    `json:"after,omitempty"`    // the test that this one follows
	State    State     `json:"state"`              //
	Approved string    `json:"approved,omitempty"` // by whom
	Changed  time.Time `json:"changed"`            // its state
	Reason   string    `json:"reason,omitempty"`   // of the state: the result, the error, or who stopped it
	Crashes  int       `json:"crashes,omitempty"`  // of the server in a row, during which the test was active
}

// Weight is the test's share of the machines, relative to other tests.
func (t *Test) Weight() float64 {
	return math.Ldexp(1, t.Priority)
}

// MaxPriority bounds priorities, from above and below.
const MaxPriority = 10

// Event is a line of the audit log, from which the tests are read again.
type Event struct {
	Time time.Time `json:"time"`
	Who  string    `json:"who"` // name of a key; Server for what the server did by itself
	// add, approve, stop, resume, priority, remove, start, complete, fail, ban, keys, upload, crash, open, close
	What string `json:"what"`
	Test string `json:"test,omitempty"` // or the worker that is banned
	Text string `json:"text,omitempty"` // reason, result or new value
	New  *Test  `json:"new,omitempty"`  // of add
}

// Upload is what an event says that a person uploaded: its Test is the name of the file, its Text the size in bytes.
const Upload = "upload"

// Server is who did what no person did.
const Server = "server"

// Names in the folder of a store.
const (
	journalName = "queue.jsonl"
	lockName    = ".lock"
	keysName    = "keys.json"
	objectsName = "objects"
	testsName   = "tests"
	logsName    = "logs"
)

// Errors that callers distinguish.
var (
	ErrNoTest = errors.New("queue: there is no such test")
	ErrState  = errors.New("queue: the test's state does not allow that")
	ErrAdd    = errors.New("queue: the test cannot be added")
	errOld    = errors.New("queue: a journal that this version cannot read")
)

// Store is a queue on disk. One process at a time has it open. It is safe for concurrent use.
type Store struct {
	Dir string

	lock    *durable.Lock
	mu      sync.Mutex
	journal *durable.Journal
	tests   map[string]*Test
	served  bool // a process plays the tests, or did until it crashed
	serving bool // this one does
	bans    map[string]string
	uploads map[string]int64 // bytes, by who uploaded them
	events  []Event
	last    int           // number of the last test
	changed chan struct{} // closed at the next change
}

// Open opens the store in a folder, and makes a new one if there is none.
func Open(dir string) (*Store, error) {
	s := &Store{Dir: dir, tests: map[string]*Test{}, bans: map[string]string{},
		uploads: map[string]int64{}, changed: make(chan struct{})}
	for _, name := range []string{"", objectsName, testsName, logsName} {
		if err := durable.MakeDir(filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	if err := os.Chmod(dir, 0o700); err != nil { // it names people, and has the hashes of their keys
		return nil, fmt.Errorf("queue: %w", err)
	}
	var err error
	if s.lock, err = durable.TryLock(filepath.Join(dir, lockName)); err != nil {
		return nil, err
	}
	s.journal, err = durable.OpenJournal(filepath.Join(dir, journalName), func(line []byte) error {
		var e Event
		if err := json.Unmarshal(line, &e); err != nil {
			return fmt.Errorf("%w: %w", durable.ErrDamaged, err)
		}
		if e.What == "add" && e.New != nil && e.New.Command == "" {
			return fmt.Errorf("%w: the test %s is that of an older version of assay, which kept command lines; "+
				"use another folder, and submit its tests again", errOld, e.Test)
		}
		s.apply(e)
		return nil
	})
	if err != nil {
		s.lock.Unlock()
		return nil, err
	}
	return s, nil
}

// maxCrashes is how many servers in a row may end during a test before the test is paused.
const maxCrashes = 3

// Serve notes that a process begins to play the tests. If the last one did not end by Close, it counts a crash for each
// test that was active then, and stops those that were active in three crashes in a row. It returns their names.
func (s *Store) Serve() (paused []string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.tests {
		if t.State != Active || !s.served {
			continue
		}
		e := Event{Who: Server, What: "crash", Test: t.Name}
		if t.Crashes+1 >= maxCrashes {
			paused = append(paused, t.Name)
			e.Text = fmt.Sprintf("paused: it was active in %d crashes of the server; resume it if it was not their cause",
				maxCrashes)
		}
		if err := s.record(e); err != nil {
			return paused, err
		}
	}
	slices.Sort(paused)
	s.serving = true
	return paused, s.record(Event{Who: Server, What: "open"})
}

// Close closes the store.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	if s.serving {
		err = s.record(Event{Who: Server, What: "close"})
	}
	err = errors.Join(err, s.journal.Close())
	s.lock.Unlock()
	return err
}

// RunDir returns the run folder of a test.
func (s *Store) RunDir(name string) string { return filepath.Join(s.Dir, testsName, name) }

// RunsDir returns the folder of all run folders.
func (s *Store) RunsDir() string { return filepath.Join(s.Dir, testsName) }

// LogPath returns the file with what a test's command prints.
func (s *Store) LogPath(name string) string { return filepath.Join(s.Dir, logsName, name+".log") }

// apply takes an event. Events of tests that are not there are left alone.
func (s *Store) apply(e Event) {
	s.events = append(s.events, e)
	if e.What == "add" && e.New != nil {
		t := *e.New
		s.tests[t.Name] = &t
		s.last = max(s.last, t.Number)
		return
	}
	switch e.What {
	case "open":
		s.served = true
	case "close":
		s.served = false
		for _, t := range s.tests {
			t.Crashes = 0
		}
	case "ban":
		s.bans[e.Test] = e.Text
	case Upload:
		size, _ := strconv.ParseInt(e.Text, 10, 64) // written by the server
		s.uploads[e.Who] += size
	}
	t := s.tests[e.Test]
	if t == nil {
		return
	}
	to := func(state State) { t.State, t.Changed, t.Reason = state, e.Time, e.Text }
	switch e.What {
	case "approve":
		t.Approved = e.Who
		to(Queued)
	case "resume":
		if to(Queued); t.Approved == "" {
			t.State = Unapproved
		}
	case "start":
		to(Active)
	case "crash":
		if t.Crashes++; e.Text != "" {
			to(Stopped)
			t.Crashes = 0
		}
	case "stop":
		to(Stopped)
		t.Reason = "stopped by " + e.Who
	case "complete":
		to(Complete)
	case "fail":
		to(Failed)
	case "remove":
		delete(s.tests, e.Test)
	case "priority":
		_, _ = fmt.Sscan(e.Text, &t.Priority) // written by Prioritize
	}
}

// record puts an event on disk, and applies it.
func (s *Store) record(e Event) error {
	e.Time = time.Now().UTC()
	err := s.journal.Append(&e)
	if err == nil {
		err = s.journal.Sync()
	}
	if err != nil {
		// A journal takes no line after an error. A full disk may have room later, and then a new one does.
		_ = s.journal.Close()
		if j, again := durable.OpenJournal(s.journal.Path(), nil); again == nil {
			s.journal = j
		}
		return err
	}
	s.apply(e)
	close(s.changed)
	s.changed = make(chan struct{})
	return nil
}

// Changed returns a channel that is closed at the next change.
func (s *Store) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// Tests returns all tests, in the order of their submission.
func (s *Store) Tests() []Test {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]Test, 0, len(s.tests))
	for _, t := range s.tests {
		list = append(list, *t)
	}
	slices.SortFunc(list, func(a, b Test) int { return cmp.Compare(a.Number, b.Number) })
	return list
}

// Test returns a test.
func (s *Store) Test(name string) (Test, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tests[name]
	if t == nil {
		return Test{}, fmt.Errorf("%w: %q", ErrNoTest, name)
	}
	return *t, nil
}

// Events returns the audit log, from that index on.
func (s *Store) Events(from int) []Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.events[min(max(from, 0), len(s.events)):])
}

// Bans returns the workers that are banned, and why.
func (s *Store) Bans() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.bans)
}

// Uploaded returns the size of all files that someone uploaded, in bytes.
func (s *Store) Uploaded(who string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.uploads[who]
}

// Note records what happened to something that is not a test.
func (s *Store) Note(who, what, about, text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if what == "ban" && s.bans[about] != "" {
		return nil
	}
	return s.record(Event{Who: who, What: what, Test: about, Text: text})
}

var nameRule = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,60}$`)

// Add adds a test, whose state is Unapproved or Queued. Without a name it gets one.
func (s *Store) Add(t Test) (Test, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t.Number = s.last + 1
	if t.Name == "" {
		t.Name = fmt.Sprintf("%s-%d", t.Command, t.Number)
	}
	switch {
	case !nameRule.MatchString(t.Name):
		return t, fmt.Errorf("%w: name %q: want 1 to 61 letters, digits, '.', '-' and '_'", ErrAdd, t.Name)
	case s.tests[t.Name] != nil:
		return t, fmt.Errorf("%w: there is a test %q already; choose another name", ErrAdd, t.Name)
	case t.Priority > MaxPriority || t.Priority < -MaxPriority:
		return t, fmt.Errorf("%w: priority %d: want -%d to %d", ErrAdd, t.Priority, MaxPriority, MaxPriority)
	case t.Cores < 0:
		return t, fmt.Errorf("%w: %d cores: want 0 or more", ErrAdd, t.Cores)
	}
	if _, err := os.Lstat(s.RunDir(t.Name)); err == nil {
		return t, fmt.Errorf("%w: there was a test %q, and its folder is kept; choose another name", ErrAdd, t.Name)
	}
	t.Added = time.Now().UTC()
	t.Changed = t.Added
	return t, s.record(Event{Who: t.Who, What: "add", Test: t.Name, New: &t})
}

// moves are the states from which each event may move a test.
var moves = map[string][]State{
	"approve":  {Unapproved},
	"stop":     {Unapproved, Queued, Active},
	"resume":   {Stopped, Failed},
	"start":    {Queued, Active},
	"complete": {Active},
	"fail":     {Active},
	"remove":   {Unapproved, Queued, Stopped, Complete, Failed},
}

// Move records that someone changed the state of a test. The folder of a test that is removed
// stays.
func (s *Store) Move(who, what, name, text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tests[name]
	switch {
	case t == nil:
		return fmt.Errorf("%w: %q", ErrNoTest, name)
	case !slices.Contains(moves[what], t.State):
		return fmt.Errorf("%w: %s is %s, and %s is for tests that are %s", ErrState, name, t.State, what, states(moves[what]))
	}
	return s.record(Event{Who: who, What: what, Test: name, Text: text})
}

func states(list []State) string {
	words := make([]string, len(list))
	for i, s := range list {
		words[i] = string(s)
	}
	return strings.Join(words, " or ")
}

// Prioritize changes the priority of a test.
func (s *Store) Prioritize(who, name string, priority int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.tests[name] == nil:
		return fmt.Errorf("%w: %q", ErrNoTest, name)
	case priority > MaxPriority || priority < -MaxPriority:
		return fmt.Errorf("%w: priority %d: want -%d to %d", ErrAdd, priority, MaxPriority, MaxPriority)
	}
	return s.record(Event{Who: who, What: "priority", Test: name, Text: fmt.Sprint(priority)})
}

// Next returns the tests that should be active, at most that many: those that are, and then
// those that are queued, by priority and number.
func (s *Store) Next(most int) []Test {
	list := slices.DeleteFunc(s.Tests(), func(t Test) bool { return t.State != Active && t.State != Queued })
	slices.SortStableFunc(list, func(a, b Test) int {
		return cmp.Or(strings.Compare(string(a.State), string(b.State)), // active, queued
			cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.Number, b.Number))
	})
	return list[:min(len(list), most)]
}

// Touch wakes those who wait for a change.
func (s *Store) Touch() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.changed)
	s.changed = make(chan struct{})
}
