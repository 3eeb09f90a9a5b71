package models

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/assay-chess/assay/eval"
)

// Parse reads the text of a weight file of one of the models of package eval. The terms
// must be exactly the model's, in any order; a file written before the model's terms
// changed is an error. Errors name the file, as name, the line and the term. Memory and
// time are bounded by the size of the text, which is at most MaxSize.
func Parse(name string, data []byte) (*File, error) { return parse(name, data, false) }

// ParseAny is Parse for weights of any evaluation. File.Foreign is set where the model is
// not one of package eval.
func ParseAny(name string, data []byte) (*File, error) { return parse(name, data, true) }

func parse(name string, data []byte, foreign bool) (*File, error) {
	if len(data) > MaxSize {
		return nil, tooLarge(name)
	}
	p := &parser{dec: json.NewDecoder(bytes.NewReader(data)), index: map[string]int{}, foreign: foreign}
	p.dec.UseNumber()
	f, err := p.file()
	if err == nil {
		if _, end := p.dec.Token(); end != io.EOF {
			err = errors.New("more text after the end of the JSON object")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, p.line(data), err)
	}
	if err := p.validate(f); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

func tooLarge(name string) error {
	return fmt.Errorf("%s: larger than %d bytes, the most that a weight file may have", name, MaxSize)
}

// line returns the line number of the last token, or of the text after it if that could
// not be read.
func (p *parser) line(data []byte) int {
	read := data[:min(p.dec.InputOffset(), int64(len(data)))]
	n := 1 + bytes.Count(read, []byte{'\n'})
	if p.unread {
		rest := data[len(read):]
		blank := rest[:len(rest)-len(bytes.TrimLeft(rest, " \t\r\n"))]
		n += bytes.Count(blank, []byte{'\n'})
	}
	return n
}

// parser reads a weight file token by token: json.Unmarshal would accept repeated fields.
// Its recursion is no deeper than the format, whatever the text holds.
type parser struct {
	dec     *json.Decoder
	foreign bool           // foreign evaluations are allowed
	single  []bool         // by term: mg without eg
	group   []string       // by term: its field group, or empty
	index   map[string]int // of terms, by name
	unread  bool           // the last token could not be read
}

func (p *parser) file() (*File, error) {
	f := new(File)
	err := p.object(map[string]func() error{
		"format":     p.constant(Format),
		"model":      p.text(&f.Model),
		"unit":       p.unit(&f.Unit),
		"formula":    p.text(&f.Formula),
		"K":          p.slope(&f.K),
		"provenance": func() error { return p.provenance(&f.Provenance) },
		"terms":      func() error { return p.terms(f) },
	}, "format", "model", "unit", "K", "provenance", "terms")
	return f, err
}

func (p *parser) provenance(v *Provenance) error {
	return p.object(map[string]func() error{
		"parent":     p.text(&v.Parent),
		"data":       p.texts(&v.Data),
		"rows":       p.integer(&v.Rows, 0, math.MaxInt64),
		"games":      p.integer(&v.Games, 0, math.MaxInt64),
		"split":      p.text(&v.Split),
		"loss_train": p.float(&v.LossTrain),
		"loss_valid": p.float(&v.LossValid),
		"method":     p.text(&v.Method),
		"seed":       p.seed(&v.Seed),
		"program":    p.text(&v.Program),
		"config":     p.text(&v.Config),
		"time":       p.text(&v.Time),
	})
}

func (p *parser) terms(f *File) error {
	return p.array(func() error {
		t, single, group, err := p.term()
		if err != nil {
			if t.Name == "" {
				return fmt.Errorf("term %d: %w", len(f.Terms), err)
			}
			return fmt.Errorf("term %q: %w", t.Name, err)
		}
		if _, again := p.index[t.Name]; again {
			return fmt.Errorf("term %q is given twice", t.Name)
		}
		if len(f.Terms) == MaxTerms {
			return fmt.Errorf("more than %d terms", MaxTerms)
		}
		p.index[t.Name] = len(f.Terms)
		f.Terms = append(f.Terms, t)
		p.single, p.group = append(p.single, single), append(p.group, group)
		return nil
	})
}

func (p *parser) term() (t TermWeight, single bool, group string, err error) {
	var mg, eg int64
	single = true
	tapered := p.integer(&eg, -eval.MaxCoef, eval.MaxCoef)
	err = p.object(map[string]func() error{
		"name":   p.text(&t.Name),
		"group":  p.text(&group), // of a foreign evaluation only, see validate
		"mg":     p.integer(&mg, -eval.MaxCoef, eval.MaxCoef),
		"eg":     func() error { single = false; return tapered() },
		"step":   p.float(&t.Step),
		"fit_mg": p.float(&t.FitMG),
		"fit_eg": p.float(&t.FitEG),
		"se_mg":  p.float(&t.SEMG),
		"se_eg":  p.float(&t.SEEG),
		"count":  p.integer(&t.Count, 0, math.MaxInt64),
	}, "name", "mg")
	if single {
		eg = mg
	}
	t.MG, t.EG = int32(mg), int32(eg)
	return t, single, group, err
}

// The methods below read values. Those that return a function read a field of object.

// object reads an object with the given fields, each at most once; required lists those
// that must be there.
func (p *parser) object(fields map[string]func() error, required ...string) error {
	if err := p.delim('{', "an object"); err != nil {
		return err
	}
	seen := make(map[string]bool, len(fields))
	for p.dec.More() {
		token, err := p.token()
		if err != nil {
			return err
		}
		key, ok := token.(string)
		read := fields[key]
		switch {
		case !ok || read == nil:
			return fmt.Errorf("unknown field %s", quoted(token))
		case seen[key]:
			return fmt.Errorf("field %q is given twice", key)
		}
		seen[key] = true
		if err := read(); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	if err := p.delim('}', "the end of the object"); err != nil {
		return err
	}
	for _, key := range required {
		if !seen[key] {
			return fmt.Errorf("field %q is missing", key)
		}
	}
	return nil
}

// array calls read for each element of an array.
func (p *parser) array(read func() error) error {
	if err := p.delim('[', "a list"); err != nil {
		return err
	}
	for p.dec.More() {
		if err := read(); err != nil {
			return err
		}
	}
	return p.delim(']', "the end of the list")
}

func (p *parser) delim(want json.Delim, what string) error {
	token, err := p.token()
	if err != nil {
		return err
	}
	if token != want {
		return fmt.Errorf("want %s, found %s", what, quoted(token))
	}
	return nil
}

func (p *parser) readText() (string, error) {
	token, err := p.token()
	if err != nil {
		return "", err
	}
	s, ok := token.(string)
	if !ok {
		return "", fmt.Errorf("want a string, found %s", quoted(token))
	}
	return s, nil
}

func (p *parser) text(v *string) func() error {
	return func() (err error) {
		*v, err = p.readText()
		return err
	}
}

func (p *parser) texts(v *[]string) func() error {
	return func() error {
		return p.array(func() error {
			s, err := p.readText()
			*v = append(*v, s)
			return err
		})
	}
}

func (p *parser) constant(want string) func() error {
	return func() error {
		s, err := p.readText()
		if err == nil && s != want {
			err = fmt.Errorf("want %q, found %s", want, quoted(s))
		}
		return err
	}
}

func (p *parser) number() (string, error) {
	token, err := p.token()
	if err != nil {
		return "", err
	}
	n, ok := token.(json.Number)
	if !ok {
		return "", fmt.Errorf("want a number, found %s", quoted(token))
	}
	return n.String(), nil
}

func (p *parser) integer(v *int64, least, most int64) func() error {
	return func() error {
		text, err := p.number()
		if err != nil {
			return err
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < least || n > most {
			return fmt.Errorf("want an integer from %d to %d, found %s", least, most, quoted(json.Number(text)))
		}
		*v = n
		return nil
	}
}

func (p *parser) seed(v *uint64) func() error {
	return func() error {
		text, err := p.number()
		if err != nil {
			return err
		}
		if *v, err = strconv.ParseUint(text, 10, 64); err != nil {
			return fmt.Errorf("want an unsigned integer of 64 bits, found %s", quoted(json.Number(text)))
		}
		return nil
	}
}

func (p *parser) float(v *float64) func() error {
	return func() error {
		text, err := p.number()
		if err != nil {
			return err
		}
		if *v, err = strconv.ParseFloat(text, 64); err != nil {
			return fmt.Errorf("%s is out of range", quoted(json.Number(text)))
		}
		return nil
	}
}

func (p *parser) slope(v *float64) func() error {
	read := p.float(v)
	return func() error {
		if err := read(); err != nil {
			return err
		}
		return checkSlope(*v)
	}
}

// token reads the next token, and explains errors of the JSON decoder.
func (p *parser) token() (json.Token, error) {
	token, err := p.dec.Token()
	if err == nil {
		return token, nil
	}
	p.unread = true
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil, errors.New("the file ends in the middle of the JSON object")
	}
	return nil, fmt.Errorf("not JSON: %w", err)
}

// quoted returns a token for an error message, at most 60 bytes of it.
func quoted(token any) string {
	text := fmt.Sprint(token)
	if s, ok := token.(string); ok {
		text = strconv.Quote(s)
	}
	if d, ok := token.(json.Delim); ok {
		text = strconv.QuoteRune(rune(d))
	}
	if token == nil {
		text = "null"
	}
	if len(text) > 60 {
		text = text[:60] + "..."
	}
	return text
}
