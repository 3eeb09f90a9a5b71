package durable

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// State is the state of a run.
type State string

// The states of a run.
const (
	Running     State = "running"     // a process has it open
	Interrupted State = "interrupted" // not complete, and no process has it open
	Complete    State = "complete"    // result.json is there
	NoVerdict   State = "no verdict"  // result.json has VerdictNone, and no process has it open
	Unreadable  State = "unreadable"  // a file in the folder is damaged; see Err
)

// VerdictNone is the "verdict" in the result of a run that decides nothing. Such a run is not
// complete: it can be resumed.
const VerdictNone = "none"

// WithoutVerdict reports whether a result has the verdict VerdictNone.
func WithoutVerdict(result []byte) bool {
	var r struct {
		Verdict string `json:"verdict"`
	}
	return json.Unmarshal(result, &r) == nil && r.Verdict == VerdictNone
}

// RunStatus describes one run of a List.
type RunStatus struct {
	Name    string // of the folder
	Dir     string // path of the folder
	State   State
	Info    RunInfo   // how it was started, and the command that resumes it
	Updated time.Time // last change to events, result or configuration
	Err     error     // why it is Unreadable
}

// List returns the runs in the folders directly below dir, by name. A dir that
// does not exist holds no runs. Folders without a configuration are left out.
func List(dir string) ([]RunStatus, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var runs []RunStatus
	for _, e := range entries {
		sub := filepath.Join(dir, e.Name())
		if _, err := os.Stat(filepath.Join(sub, RunConfigName)); err != nil {
			continue
		}
		runs = append(runs, Status(sub))
	}
	return runs, nil
}

// Status returns the status of the run in dir.
func Status(dir string) RunStatus {
	s := RunStatus{Name: filepath.Base(dir), Dir: dir, State: Interrupted}
	for _, f := range []string{RunConfigName, RunEventsName, RunResultName} {
		if info, err := os.Stat(filepath.Join(dir, f)); err == nil && info.ModTime().After(s.Updated) {
			s.Updated = info.ModTime()
		}
	}
	var config any
	var result json.RawMessage
	err := ReadJSON(filepath.Join(dir, RunConfigName), &config)
	if err == nil {
		s.Info, err = ReadRunInfo(dir)
	}
	if err == nil {
		err = ReadJSON(filepath.Join(dir, RunResultName), &result)
	}
	switch {
	case err == nil && WithoutVerdict(result):
		s.State = NoVerdict
	case err == nil:
		s.State = Complete
	case !errors.Is(err, fs.ErrNotExist):
		s.State, s.Err = Unreadable, err
	}
	if locked(filepath.Join(dir, runLockName)) {
		s.State = Running
	}
	return s
}
