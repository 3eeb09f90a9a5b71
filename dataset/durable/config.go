package durable

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	return fmt.Sprintf("durable: %s: the configuration has changed: %s was %s and is now %s",
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
	was, err := flatten(old)
	if err != nil {
		return fmt.Errorf("durable: %s: %w: %w", path, ErrDamaged, err)
	}
	is, err := flatten(now)
	if err != nil {
		return fmt.Errorf("durable: configuration: %w", err)
	}
	for _, f := range is.order {
		if o, ok := was.value[f]; !ok || o != is.value[f] {
			return &ConfigChangedError{Path: path, Field: f, Old: o, New: is.value[f]}
		}
	}
	for _, f := range was.order {
		if _, ok := is.value[f]; !ok {
			return &ConfigChangedError{Path: path, Field: f, Old: was.value[f]}
		}
	}
	return nil
}

// flat is a JSON document as a list of paths to scalars (or empty containers).
type flat struct {
	order []string
	value map[string]string
}

func flatten(doc json.RawMessage) (*flat, error) {
	out := &flat{value: map[string]string{}}
	if len(bytes.TrimSpace(doc)) == 0 {
		return out, nil
	}
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	if err := out.walk(dec, "", 0); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one JSON value")
	}
	return out, nil
}

func (f *flat) walk(dec *json.Decoder, path string, depth int) error {
	if depth > 100 {
		return errors.New("nested too deeply")
	}
	t, err := dec.Token()
	if err != nil {
		return err
	}
	open, ok := t.(json.Delim)
	if !ok {
		f.add(path, t)
		return nil
	}
	n := 0
	for ; dec.More(); n++ {
		sub := path + "[" + strconv.Itoa(n) + "]"
		if open == '{' {
			key, err := dec.Token()
			if err != nil {
				return err
			}
			sub = strings.TrimPrefix(path+"."+key.(string), ".")
		}
		if err := f.walk(dec, sub, depth+1); err != nil {
			return err
		}
	}
	if n == 0 {
		f.add(path, map[json.Delim]json.Number{'{': "{}", '[': "[]"}[open])
	}
	_, err = dec.Token() // the closing bracket
	return err
}

func (f *flat) add(path string, scalar json.Token) {
	if path == "" {
		path = "(all)"
	}
	if _, ok := f.value[path]; !ok {
		f.order = append(f.order, path)
	}
	if n, ok := scalar.(json.Number); ok {
		f.value[path] = n.String()
		return
	}
	b, _ := json.Marshal(scalar) // a string, a bool or nil: cannot fail
	f.value[path] = string(b)
}
