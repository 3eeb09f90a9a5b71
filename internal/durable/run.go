package durable

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Names of the files of a run's folder.
const (
	RunConfigName = "config.json"  // the configuration; changes only by ExtendRun
	RunInfoName   = "run.json"     // how it was started and how to resume it
	RunEventsName = "events.jsonl" // what happened, with times
	RunResultName = "result.json"  // written last: a run is complete once it exists
	runLockName   = ".run.lock"
)

// ErrNotRun says that a folder holds other files and is not a run.
var ErrNotRun = errors.New("the folder is not empty and is not a run")

// RunFormat is the version of run folders. Others are refused.
const RunFormat = "assay.run/2"

// ErrFormat says that a run has another format.
var ErrFormat = errors.New("another version of assay wrote it")

// RunInfo says how a run was started.
type RunInfo struct {
	Format  string    `json:"format"`  // RunFormat; set by OpenRun
	Command string    `json:"command"` // the subcommand, such as "learn"
	Resume  string    `json:"resume"`  // the command line that resumes it
	Program string    `json:"program"` // version of the program
	Started time.Time `json:"started"` // set by OpenRun when the folder is new

	Total uint64 `json:"total,omitempty"` // games that the run is to have, at most; may grow

	// Pinned is what names of the command line stood for when the run started, such as the
	// commit HEAD. Its form is the command's.
	Pinned json.RawMessage `json:"pinned,omitempty"`

	// Players of a run that plays games, in the order of its command line.
	Players []RunPlayer `json:"players,omitempty"`

	// Loose has the patterns of names of files that the configuration does not decide: see Bound.
	Loose []string `json:"-"`
}

// RunPlayer is a player of a run. A resumed run keeps the names with which it began.
type RunPlayer struct {
	Name string `json:"name"`           // for people
	ID   string `json:"id"`             // in the configuration and in data
	Spec string `json:"spec,omitempty"` // in the journal
}

// Run is an open run folder. Only one process has it open.
type Run struct {
	dir    string
	info   RunInfo
	config json.RawMessage
	result json.RawMessage // nil until complete
	lock   *Lock
	events *Journal
	last   *RunProgress // not an event yet
}

// OpenRun starts a run in dir, or opens an existing one to resume it. Config is marshaled
// to JSON. It must contain everything that influences the result, including the program's
// version, and nothing else (no worker counts or times). If the run in dir has another
// configuration, the error is a *ConfigChangedError, unless the run is not Bound by it; if
// another process has it open, ErrLocked (wrapped); if it holds other files, ErrNotRun
// (wrapped). A complete run can be opened too: see Result.
//
// Close the run when done.
func OpenRun(dir string, info RunInfo, config any) (*Run, error) {
	return ExtendRun(dir, info, config, nil)
}

// ExtendRun is OpenRun for runs that may be continued with another configuration. If the
// run in dir has another one, settled is called with it. It returns nil if everything done
// so far would be done the same way with the new configuration. Then the new configuration
// replaces the old one, the result of a complete run is removed, and the old configuration
// is recorded in the run's events.
func ExtendRun(dir string, info RunInfo, config any, settled func(recorded json.RawMessage) error) (*Run, error) {
	doc, err := json.MarshalIndent(config, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("configuration of run %s: %w", dir, err)
	}
	if err := MakeDir(dir); err != nil {
		return nil, err
	}
	lock, err := TryLock(filepath.Join(dir, runLockName))
	if err != nil {
		return nil, err
	}
	info.Format = RunFormat
	r := &Run{dir: dir, info: info, config: doc, lock: lock}
	if err := r.open(settled); err != nil {
		lock.Unlock()
		return nil, err
	}
	return r, nil
}

func (r *Run) open(settled func(json.RawMessage) error) error {
	if err := RemoveTemps(r.dir); err != nil {
		return err
	}
	path := r.Path(RunConfigName)
	old, err := ReadFile(path, MaxJSON)
	if errors.Is(err, fs.ErrNotExist) {
		if err = r.begin(); err == nil {
			r.events, err = OpenJournal(r.Path(RunEventsName), nil)
		}
		return err
	}
	if err != nil {
		return err
	}
	if _, err := ReadRunInfo(r.dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err = CompareConfig(path, old, r.config)
	var changed *ConfigChangedError
	event := ""
	if errors.As(err, &changed) {
		bound, e := Bound(r.dir, r.info.Loose)
		switch {
		case e != nil:
			err = e
		case !bound:
			event, err = "replaced", nil
		case settled != nil:
			event, err = "extended", settled(old)
		}
	}
	if err != nil {
		return err
	}
	if r.events, err = OpenJournal(r.Path(RunEventsName), nil); err != nil {
		return err
	}
	if event != "" {
		err = r.extend(event, old)
	} else {
		err = r.reopen()
	}
	if err != nil {
		_ = r.events.Close() // nothing important was written
	}
	return err
}

// extend opens the run with the new configuration. The configuration is written last: until
// then, the folder is the old run, possibly without its result.
func (r *Run) extend(event string, old json.RawMessage) error {
	now := r.info
	if err := r.reopen(); err != nil {
		return err
	}
	now.Started = r.info.Started
	r.info, r.result = now, nil
	if err := r.Event(event, map[string]json.RawMessage{"from": old}); err != nil {
		return err
	}
	if err := os.Remove(r.Path(RunResultName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return r.write()
}

// begin starts a run. The configuration is written last, because a folder that has one is a
// run.
func (r *Run) begin() error {
	if err := r.checkEmpty(); err != nil {
		return err
	}
	r.info.Started = time.Now().UTC().Truncate(time.Second)
	return r.write()
}

// write writes run.json, then config.json.
func (r *Run) write() error {
	if err := r.writeInfo(); err != nil {
		return err
	}
	return WriteFile(r.Path(RunConfigName), append(bytes.Clone(r.config), '\n'))
}

// ReadRunInfo returns how the run in dir was started. The error is ErrFormat (wrapped) for a run of another format.
func ReadRunInfo(dir string) (info RunInfo, err error) {
	path := filepath.Join(dir, RunInfoName)
	if err := ReadJSON(path, &info); err != nil {
		return info, err
	}
	if info.Format != RunFormat {
		return info, fmt.Errorf("%s has the format %q, and this version reads %q: %w; start the run in a new folder",
			path, info.Format, RunFormat, ErrFormat)
	}
	return info, nil
}

func (r *Run) writeInfo() error { return WriteJSON(r.Path(RunInfoName), r.info) }

// checkEmpty returns ErrNotRun (wrapped) if the folder has other files.
func (r *Run) checkEmpty() error {
	entries, err := os.ReadDir(r.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if name := e.Name(); name != RunInfoName && name != RunEventsName && !strings.HasPrefix(name, ".") {
			return fmt.Errorf("%s has %s but no %s: %w", r.dir, name, RunConfigName, ErrNotRun)
		}
	}
	return nil
}

// reopen keeps how the run was started, but takes over what a resumed run may change: the command line and the number
// of games.
func (r *Run) reopen() error {
	now := r.info
	err := ReadJSON(r.Path(RunInfoName), &r.info)
	switch {
	case err == nil && (r.info.Resume != now.Resume || r.info.Total != now.Total):
		r.info.Resume, r.info.Total = now.Resume, now.Total
		err = r.writeInfo()
	case errors.Is(err, fs.ErrNotExist):
		if config, e := os.Stat(r.Path(RunConfigName)); e == nil {
			r.info.Started = config.ModTime().UTC().Truncate(time.Second)
		}
		err = r.writeInfo()
	}
	if err != nil {
		return err
	}
	err = ReadJSON(r.Path(RunResultName), &r.result)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// MaxJSON bounds the size of configurations, results and lists, in bytes.
const MaxJSON = 64 << 20

// ReadFile reads a file of at most max bytes. A larger one is ErrDamaged (wrapped).
func ReadFile(path string, max int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, max+1))
	if err == nil && int64(len(data)) > max {
		err = fmt.Errorf("%w: it has more than %d bytes", ErrDamaged, max)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return data, nil
}

// ReadJSON reads the JSON of a file.
func ReadJSON(path string, v any) error {
	data, err := ReadFile(path, MaxJSON)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%s: %w: %w", path, ErrDamaged, err)
	}
	return nil
}

// Dir returns the run's folder.
func (r *Run) Dir() string { return r.dir }

// Info returns how the run was started.
func (r *Run) Info() RunInfo { return r.info }

// Path returns the path of a file in the run's folder.
func (r *Run) Path(elem ...string) string {
	return filepath.Join(append([]string{r.dir}, elem...)...)
}

// Result returns the result of a complete run, as written by Finish.
func (r *Run) Result() (result json.RawMessage, complete bool) {
	return r.result, r.result != nil
}

// Event adds a line to events.jsonl: time, kind and the fields of data, which is marshaled
// under "data" (nil for none). It is not synced before Close.
func (r *Run) Event(kind string, data any) error {
	return r.events.Append(struct {
		Time string `json:"time"`
		Kind string `json:"event"`
		Data any    `json:"data,omitempty"`
	}{time.Now().UTC().Format(time.RFC3339Nano), kind, data})
}

// progressEvent is the kind of events with a RunProgress, one every progressEvery.
const (
	progressEvent = "progress"
	progressEvery = 10 * time.Second
)

// RunProgress says how far a run was.
type RunProgress struct {
	Done  int64  `json:"done"`
	Total int64  `json:"total"` // 0: not known
	Note  string `json:"note,omitempty"`
}

// Progress returns a function that passes progress on to show, and keeps it as an event: now and then, and when the
// run is closed.
func (r *Run) Progress(show func(done, total int64, note string)) func(done, total int64, note string) {
	var kept time.Time
	return func(done, total int64, note string) {
		r.last = &RunProgress{done, total, note}
		if now := time.Now(); now.Sub(kept) >= progressEvery {
			kept = now
			r.keepProgress()
		}
		show(done, total, note)
	}
}

func (r *Run) keepProgress() {
	if r.last != nil {
		_ = r.Event(progressEvent, r.last) // no result depends on it
		r.last = nil
	}
}

// LastProgress returns how far the run in dir was at last; nil if it is not known.
func LastProgress(dir string) (last *RunProgress) {
	Events(dir, func(kind string, data json.RawMessage) {
		var p RunProgress
		if kind == progressEvent && json.Unmarshal(data, &p) == nil {
			last = &p
		}
	})
	return last
}

// Events calls visit with each event of the run in dir. It skips lines that cannot be read: no result depends on them.
func Events(dir string, visit func(kind string, data json.RawMessage)) {
	_ = ReadJournal(filepath.Join(dir, RunEventsName), func(line []byte) error {
		var e struct {
			Kind string          `json:"event"`
			Data json.RawMessage `json:"data"`
		}
		if json.Unmarshal(line, &e) == nil {
			visit(e.Kind, e.Data)
		}
		return nil
	})
}

// Reopen removes the result of a complete run, which then goes on.
func (r *Run) Reopen() error {
	if err := os.Remove(r.Path(RunResultName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	r.result = nil
	return r.Event("reopened", nil)
}

// Finish writes result.json atomically, which makes the run complete.
func (r *Run) Finish(result any) error {
	data, err := json.MarshalIndent(result, "", "  ")
	if err != nil {
		return fmt.Errorf("result of run %s: %w", r.dir, err)
	}
	if err := WriteFile(r.Path(RunResultName), append(data, '\n')); err != nil {
		return err
	}
	r.result = data
	return nil
}

// Close releases the run. Without Finish it stays interrupted.
func (r *Run) Close() error {
	if r.lock == nil {
		return nil
	}
	r.keepProgress()
	err := r.events.Close()
	r.lock.Unlock()
	r.lock = nil
	return err
}
