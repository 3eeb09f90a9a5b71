package durable

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ConfigChangedError says that a run or data set was started with another configuration.
type ConfigChangedError struct {
	Path  string // the file that holds the old configuration
	Field string // first field that differs, as "gate.elo1" or "openings[2]"
	Old   string // its old JSON value; empty if there was none
	New   string // its new JSON value; empty if there is none
}

func (e *ConfigChangedError) Error() string {
	return fmt.Sprintf("%s: the configuration has changed: %s was %s and is now %s",
		e.Path, e.Field, orNone(e.Old), orNone(e.New))
}

func orNone(s string) string {
	if s == "" {
		return "not there"
	}
	return s
}

// CompareConfig returns nil if two JSON configurations are equal, else a ConfigChangedError
// about the first field that differs, in the order of now. The order of fields and white
// space do not matter. Path is for the error.
func CompareConfig(path string, old, now json.RawMessage) error {
	was, err := Flatten(old)
	if err != nil {
		return fmt.Errorf("%s: %w: %w", path, ErrDamaged, err)
	}
	is, err := Flatten(now)
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	before := map[string]string{}
	for _, s := range was {
		before[s.Path] = s.Value
	}
	for _, s := range is {
		if o, ok := before[s.Path]; !ok || o != s.Value {
			return &ConfigChangedError{Path: path, Field: s.Path, Old: o, New: s.Value}
		}
		delete(before, s.Path)
	}
	for _, s := range was {
		if _, gone := before[s.Path]; gone {
			return &ConfigChangedError{Path: path, Field: s.Path, Old: s.Value}
		}
	}
	return nil
}

// Setting is a value in a JSON document: a string, a number, true, false, null, or an empty
// object or array.
type Setting struct {
	Path  string // as "gate.elo1" or "openings[2]"; "(all)" if the document is a single value
	Value string // JSON
}

// Flatten lists the values of a JSON document in their order; an empty document has none.
func Flatten(doc json.RawMessage) (list []Setting, err error) {
	if len(bytes.TrimSpace(doc)) == 0 {
		return nil, nil
	}
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	if list, err = flatten(nil, dec, "", 0); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one JSON value")
	}
	return list, nil
}

// flatten appends the values of the next value of a document.
func flatten(list []Setting, dec *json.Decoder, path string, depth int) ([]Setting, error) {
	if depth > 100 {
		return nil, errors.New("nested too deeply")
	}
	t, err := dec.Token()
	if err != nil {
		return nil, err
	}
	open, nested := t.(json.Delim)
	if !nested {
		value, err := json.Marshal(t)
		return append(list, Setting{cmp.Or(path, "(all)"), string(value)}), err
	}
	before := len(list)
	for n := 0; dec.More(); n++ {
		sub := path + "[" + strconv.Itoa(n) + "]"
		if open == '{' {
			key, err := dec.Token()
			if err != nil {
				return nil, err
			}
			sub = strings.TrimPrefix(path+"."+key.(string), ".")
		}
		if list, err = flatten(list, dec, sub, depth+1); err != nil {
			return nil, err
		}
	}
	if len(list) == before {
		list = append(list, Setting{cmp.Or(path, "(all)"), map[json.Delim]string{'{': "{}", '[': "[]"}[open]})
	}
	_, err = dec.Token() // the closing bracket
	return list, err
}

// Bound reports whether the run or data set in a folder holds anything that its configuration
// decided: a line of a journal, a row, a result, weights. A run that failed before that can be
// started again with another configuration. Its events, empty data sets and files whose names match a pattern of loose
// do not count; neither does a folder that is not there.
func Bound(dir string, loose []string) (bool, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		path := filepath.Join(dir, e.Name())
		bound := false
		switch info, err := e.Info(); {
		case err != nil:
			return false, err
		case e.IsDir():
			bound, err = Bound(path, loose)
			if err != nil {
				return false, err
			}
		case e.Name() == ManifestName:
			m, err := LoadManifest(dir)
			bound = err != nil || !m.Empty() // a damaged one is for its reader to report
		case slices.Contains([]string{RunConfigName, RunInfoName, RunEventsName}, e.Name()):
		case slices.ContainsFunc(loose, func(p string) bool { ok, _ := filepath.Match(p, e.Name()); return ok }):
		case strings.HasSuffix(path, ".arrow"):
			// The manifest says whether it counts.
		default:
			bound = info.Size() > 0
		}
		if bound {
			return true, nil
		}
	}
	return false, nil
}

// Empty reports whether a data set has started but holds no row.
func (m *Manifest) Empty() bool { return !m.Complete && m.Rows == 0 && len(m.Shards) == 0 }

// BuildTarget returns what this program was compiled for, such as "amd64/v1": GOARCH, and its
// level where it has one (GOAMD64, GOARM64). Builds of other targets play the same games,
// but may round standard errors otherwise, since Go fuses products and sums on some.
func BuildTarget() string {
	// GOMIPS64 and GOPPC64 are for both byte orders.
	level := "GO" + strings.ToUpper(strings.TrimSuffix(runtime.GOARCH, "le"))
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == level {
				return runtime.GOARCH + "/" + s.Value
			}
		}
	}
	return runtime.GOARCH
}

// ManifestName is the file that makes a folder a data set.
const ManifestName = "manifest.json"

// ManifestFormat is the version of the manifest that this package writes.
const ManifestFormat = "assay.manifest/2"

// Manifest lists the shards of a data set. Equal data give equal bytes: it has no times, no
// absolute paths and no worker counts.
type Manifest struct {
	Format   string          `json:"format"`           // ManifestFormat
	Schema   string          `json:"schema"`           // schema of the shards, such as "assay.games/1"
	Complete bool            `json:"complete"`         // false while rows are missing
	Rows     int64           `json:"rows"`             // sum over all shards
	Seed     uint64          `json:"seed,string"`      // a string, because JavaScript rounds above 2^53
	Program  string          `json:"program"`          // version of the program that wrote it
	Config   json.RawMessage `json:"config,omitempty"` // every setting that influences the rows
	Parents  []string        `json:"parents"`          // IDs of the data sets it was made from
	Report   json.RawMessage `json:"report,omitempty"` // statistics of the process that wrote it
	Shards   []Shard         `json:"shards"`           // in the order of their rows
}

// Shard is one file of a data set.
type Shard struct {
	Name   string `json:"name"` // a plain file name, relative to the manifest's folder
	Rows   int64  `json:"rows"`
	Size   int64  `json:"size"` // bytes
	SHA256 string `json:"sha256"`
}

// sumField begins the manifest's last field: the SHA-256 of all bytes before it.
const sumField = `  "sha256": "`

// Encode returns the bytes of manifest.json and the manifest's id, the SHA-256
// that its last line carries.
func (m *Manifest) Encode() (data []byte, id string, err error) {
	c := *m
	c.Format = ManifestFormat
	if c.Parents == nil {
		c.Parents = []string{}
	}
	if c.Shards == nil {
		c.Shards = []Shard{}
	}
	if err := c.check(); err != nil {
		return nil, "", fmt.Errorf("manifest: %w", err)
	}
	data, err = json.MarshalIndent(&c, "", "  ")
	if err != nil {
		return nil, "", fmt.Errorf("manifest: %w", err)
	}
	data = append(bytes.TrimSuffix(data, []byte("\n}")), ",\n"...)
	id = SumBytes(data)
	return append(data, sumField+id+"\"\n}\n"...), id, nil
}

// ID identifies the data set: it is the checksum in the manifest's last line,
// and covers rows, shards, configuration, seed, program and parents.
func (m *Manifest) ID() string {
	_, id, _ := m.Encode() // it was saved or loaded before, so that it is valid
	return id
}

// Save writes the manifest into dir atomically.
func (m *Manifest) Save(dir string) error {
	data, _, err := m.Encode()
	if err != nil {
		return err
	}
	return WriteFile(filepath.Join(dir, ManifestName), data)
}

// LoadManifest reads and checks the manifest of dir. The error is fs.ErrNotExist
// (wrapped) if there is none, and ErrDamaged (wrapped) if it is not, byte for
// byte, what Save wrote.
func LoadManifest(dir string) (*Manifest, error) {
	path := filepath.Join(dir, ManifestName)
	data, err := ReadFile(path, MaxJSON) // enough for more than 100,000 shards
	if err != nil {
		return nil, err
	}
	m, err := parseManifest(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// LoadReport is LoadManifest, and reads the manifest's report into report, a pointer.
func LoadReport(dir string, report any) (*Manifest, error) {
	m, err := LoadManifest(dir)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(m.Report, report); err != nil {
		return nil, fmt.Errorf("the report in %s: %w", filepath.Join(dir, ManifestName), err)
	}
	return m, nil
}

// parseManifest reads the bytes of a manifest.json.
func parseManifest(data []byte) (*Manifest, error) {
	cut := bytes.LastIndex(data, []byte(sumField))
	if cut < 0 {
		return nil, fmt.Errorf("the manifest has no checksum line: %w", ErrDamaged)
	}
	if want := sumField + SumBytes(data[:cut]) + "\"\n}\n"; string(data[cut:]) != want {
		return nil, fmt.Errorf("wrong checksum: the manifest was changed after it was written: %w", ErrDamaged)
	}
	var doc struct {
		Manifest
		Sum string `json:"sha256"`
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&doc); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if err := doc.check(); err != nil {
		return nil, err
	}
	return &doc.Manifest, nil
}

// check returns an error if the manifest contradicts itself.
func (m *Manifest) check() error {
	if m.Format != ManifestFormat {
		return fmt.Errorf("its format is %q, and this version reads %q: %w; make the data again", m.Format, ManifestFormat,
			ErrFormat)
	}
	if m.Schema == "" {
		return errors.New("no schema")
	}
	var rows int64
	seen := make(map[string]bool, len(m.Shards))
	for _, s := range m.Shards {
		if err := s.check(); err != nil {
			return err
		}
		if seen[s.Name] {
			return fmt.Errorf("shard %q is listed twice: %w", s.Name, ErrDamaged)
		}
		seen[s.Name] = true
		rows += s.Rows
	}
	if rows != m.Rows {
		return fmt.Errorf("%d rows, but the shards have %d: %w", m.Rows, rows, ErrDamaged)
	}
	return nil
}

func (s *Shard) check() error {
	if strings.HasPrefix(s.Name, ".") || s.Name != filepath.Base(s.Name) || strings.ContainsAny(s.Name, `/\`) {
		return fmt.Errorf("shard name %q is not a plain file name", s.Name)
	}
	if s.Rows < 0 || s.Size < 0 || s.Rows > 1<<40 || s.Size > 1<<50 {
		return fmt.Errorf("shard %q: %d rows in %d bytes: %w", s.Name, s.Rows, s.Size, ErrDamaged)
	}
	if b, err := hex.DecodeString(s.SHA256); err != nil || len(b) != 32 {
		return fmt.Errorf("shard %q: checksum %q is not a SHA-256: %w", s.Name, s.SHA256, ErrDamaged)
	}
	return nil
}

// ReadShard returns the bytes of a listed shard of dir, after comparing size and checksum:
// it never returns damaged bytes.
func ReadShard(dir string, s Shard) ([]byte, error) {
	path := filepath.Join(dir, s.Name)
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() != s.Size {
		return nil, fmt.Errorf("%s: %d bytes, but the manifest says %d: %w", path, info.Size(), s.Size, ErrDamaged)
	}
	data := make([]byte, s.Size)
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	if SumBytes(data) != s.SHA256 {
		return nil, fmt.Errorf("%s: wrong checksum: %w", path, ErrDamaged)
	}
	return data, nil
}

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
