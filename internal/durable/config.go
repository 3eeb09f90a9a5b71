package durable

import (
	"bytes"
	"cmp"
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
