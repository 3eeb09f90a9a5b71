package models

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// JSONError says where a JSON text of a person is wrong, and what belongs there.
type JSONError struct {
	Line    int // from 1
	Pointer jsontext.Pointer
	What    string
}

func (e *JSONError) Error() string {
	if e.Pointer == "" {
		return e.What
	}
	return e.Field() + ": " + e.What
}

var listIndex = regexp.MustCompile(`\.(\d+)`)

// Field writes the pointer as people do: generations[1].gate.games.
func (e *JSONError) Field() string {
	var b strings.Builder
	for token := range e.Pointer.Tokens() {
		b.WriteString("." + token)
	}
	field := strings.TrimPrefix(listIndex.ReplaceAllString(b.String(), "[$1]"), ".")
	return field[:min(100, len(field))]
}

// jsonErrorf returns the error of a value that was read.
func jsonErrorf(text []byte, at jsontext.Pointer, format string, args ...any) *JSONError {
	dec := jsontext.NewDecoder(bytes.NewReader(text))
	for {
		if _, err := dec.ReadToken(); err != nil || dec.StackPointer() == at {
			return &JSONError{lineOf(text, dec.InputOffset()), at, fmt.Sprintf(format, args...)}
		}
	}
}

// notNull is an option of UnmarshalStrict: no value may be null.
var notNull = json.WithUnmarshalers(json.UnmarshalFromFunc(func(dec *jsontext.Decoder, v any) error {
	if dec.PeekKind() == 'n' {
		return &json.SemanticError{JSONKind: 'n', GoType: reflect.TypeOf(v).Elem()}
	}
	return json.SkipFunc
}))

// UnmarshalStrict reads a JSON file that people write into what v points to. Every field counts: one that is unknown or
// repeated, and a value of a wrong type, are errors of the type JSONError.
func UnmarshalStrict(text []byte, v any, options ...json.Options) error {
	err := json.Unmarshal(text, v, append(options, json.RejectUnknownMembers(true))...)
	var wrong *json.SemanticError
	var syntax *jsontext.SyntacticError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong):
		value, _ := jsontext.NewDecoder(bytes.NewReader(text[wrong.ByteOffset:])).ReadValue()
		return &JSONError{lineOf(text, wrong.ByteOffset), wrong.JSONPointer, explain(wrong, string(value))}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &JSONError{lineOf(text, int64(len(text))), "", "the file ends in the middle of the JSON object"}
	case errors.Is(err, jsontext.ErrDuplicateName) && errors.As(err, &syntax):
		return &JSONError{lineOf(text, syntax.ByteOffset), syntax.JSONPointer, "it is given twice"}
	case errors.As(err, &syntax):
		return &JSONError{lineOf(text, syntax.ByteOffset), syntax.JSONPointer, fmt.Sprintf("not JSON: %v", syntax.Err)}
	}
	return err
}

func lineOf(text []byte, offset int64) int {
	return 1 + bytes.Count(text[:min(offset, int64(len(text)))], []byte{'\n'})
}

var jsonKinds = map[jsontext.Kind]string{
	'n': "null", 't': "true", 'f': "false", '"': "a string", '0': "the number", '{': "an object", '[': "a list",
}

func explain(wrong *json.SemanticError, value string) string {
	if errors.Is(wrong.Err, json.ErrUnknownName) {
		return "there is no such field"
	}
	want, got := wanted(wrong.GoType), jsonKinds[wrong.JSONKind]
	if wrong.JSONKind == '0' && wrong.JSONValue == nil && wrong.GoType.Kind() == reflect.Uint64 {
		want += ` in quotes, as "1949"`
	}
	if strings.ContainsRune(`"0`, rune(wrong.JSONKind)) {
		got += " " + value[:min(60, len(value))]
	}
	return fmt.Sprintf("want %s, got %s", want, got)
}

// wanted says what belongs into a value of a type.
func wanted(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Uint64:
		return "a whole number from 0"
	case reflect.Int, reflect.Int32, reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	case reflect.String:
		return "a string"
	}
	return "an object"
}
