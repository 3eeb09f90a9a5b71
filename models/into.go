package models

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Markers of a region in a source file: each stands in a comment on a line of its own.
// After MarkBegin may follow the names of the arrays that the region holds.
const (
	MarkBegin = "assay:begin"
	MarkEnd   = "assay:end"
)

// ErrInto is wrapped by the errors of Into: the source and the weights do not fit.
var ErrInto = errors.New("the source does not fit the weights")

// Into returns the source with every region between two markers replaced by what the
// template prints; see Execute. A region whose marker has names gets the arrays and terms of
// these names, and of names that begin with them and a dot; another region gets all. Lines
// get the marker's indentation and its line ending. The second result lists the arrays that
// are in no region.
//
// It is an error (ErrInto) if a region has other identifiers than before, comments and
// strings aside: the weights would be of something else. An empty region takes anything.
func (f *File) Into(source []byte, name, text string) (out []byte, left []string, err error) {
	data, err := f.TemplateData()
	if err != nil {
		return nil, nil, err
	}
	if err := data.checkIdents(); err != nil {
		return nil, nil, err
	}
	used := map[string]bool{}
	regions := 0
	lines := bytes.SplitAfter(source, []byte("\n"))
	for i := 0; i < len(lines); i++ {
		if bytes.Contains(lines[i], []byte(MarkEnd)) {
			return nil, nil, fmt.Errorf("%w: line %d: %s without %s before it", ErrInto, i+1, MarkEnd, MarkBegin)
		}
		out = append(out, lines[i]...)
		if !bytes.Contains(lines[i], []byte(MarkBegin)) {
			continue
		}
		end := i + 1
		for ; end < len(lines) && !bytes.Contains(lines[end], []byte(MarkEnd)); end++ {
			if bytes.Contains(lines[end], []byte(MarkBegin)) {
				return nil, nil, fmt.Errorf("%w: line %d: %s, but the one of line %d has no %s", ErrInto, end+1, MarkBegin, i+1, MarkEnd)
			}
		}
		if end == len(lines) {
			return nil, nil, fmt.Errorf("%w: line %d: no %s follows %s", ErrInto, i+1, MarkEnd, MarkBegin)
		}
		part, err := data.part(markNames(string(lines[i])), used)
		if err != nil {
			return nil, nil, fmt.Errorf("%w: line %d: %w", ErrInto, i+1, err)
		}
		part.First = regions == 0
		var b bytes.Buffer
		if err := execute(&b, name, text, part); err != nil {
			return nil, nil, err
		}
		before := string(bytes.Join(lines[i+1:end], nil))
		if err := sameWords(before, b.String()); err != nil {
			return nil, nil, fmt.Errorf("%w: line %d: %w", ErrInto, i+1, err)
		}
		out = append(out, likeMarker(b.String(), string(lines[i]))...)
		regions++
		out = append(out, lines[end]...)
		i = end
	}
	if regions == 0 {
		return nil, nil, fmt.Errorf("%w: it has no markers: put a comment with %s above the weights and one with %s below", ErrInto, MarkBegin, MarkEnd)
	}
	for _, a := range data.Arrays {
		if !used[a.Name] {
			left = append(left, a.Name)
		}
	}
	return out, left, nil
}

// markNames returns the names after MarkBegin, without the end of the comment.
func markNames(line string) []string {
	_, rest, _ := strings.Cut(line, MarkBegin)
	names := strings.Fields(rest)
	return slices.DeleteFunc(names, func(s string) bool { return strings.Trim(s, "*/->") == "" })
}

// part returns the data of the arrays with the names, or all, and notes which they are.
func (s *TemplateData) part(names []string, used map[string]bool) (*TemplateData, error) {
	p := *s
	p.Arrays, p.Terms = nil, nil
	for _, a := range s.Arrays {
		if len(names) > 0 && !slices.ContainsFunc(names, func(n string) bool { return a.Name == n || strings.HasPrefix(a.Name, n+".") }) {
			continue
		}
		if used[a.Name] {
			return nil, fmt.Errorf("%s is in an earlier region too", a.Name)
		}
		used[a.Name] = true
		p.Arrays = append(p.Arrays, a)
		for _, c := range a.Cells {
			if c.Index >= 0 {
				p.Terms = append(p.Terms, c)
			}
		}
	}
	for _, n := range names {
		if !slices.ContainsFunc(p.Arrays, func(a Array) bool { return a.Name == n || strings.HasPrefix(a.Name, n+".") }) {
			return nil, fmt.Errorf("no array or term of %s is named %s", s.Model, n)
		}
	}
	return &p, nil
}

// checkIdents reports arrays that a program cannot keep apart, or whose elements would stand
// at other places than their numbers say.
func (s *TemplateData) checkIdents() error {
	seen := map[string]string{}
	for _, a := range s.Arrays {
		if first, twice := seen[a.Ident()]; twice {
			return fmt.Errorf("%w: %s and %s have the same identifier %s: rename a term", ErrInto, first, a.Name, a.Ident())
		}
		seen[a.Ident()] = a.Name
		for i := 1; i < len(a.Cells) && !a.Squares; i++ {
			_, before, _ := arrayName(a.Cells[i-1].Name)
			_, end, _ := arrayName(a.Cells[i].Name)
			m, err := strconv.Atoi(before)
			n, err2 := strconv.Atoi(end)
			if err == nil && err2 == nil && n != m+1 {
				return fmt.Errorf("%w: %s follows %s: the elements of an array must be numbered without gaps", ErrInto, a.Cells[i].Name, a.Cells[i-1].Name)
			}
		}
	}
	return nil
}

var (
	notCode = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"`)
	word    = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*|[0-9][A-Za-z0-9_.]*`)
)

// sameWords returns an error if two texts of a program have different identifiers.
func sameWords(before, after string) error {
	if strings.TrimSpace(before) == "" {
		return nil
	}
	words := func(text string) map[string]bool {
		set := map[string]bool{}
		for _, w := range word.FindAllString(notCode.ReplaceAllString(text, " "), -1) {
			if w[0] > '9' {
				set[w] = true
			}
		}
		return set
	}
	a, b := words(before), words(after)
	var gone, come []string
	for w := range a {
		if !b[w] {
			gone = append(gone, w)
		}
	}
	for w := range b {
		if !a[w] {
			come = append(come, w)
		}
	}
	if len(gone)+len(come) == 0 {
		return nil
	}
	list := func(words []string) string {
		slices.Sort(words)
		if len(words) > 5 {
			return fmt.Sprintf("%s and %d more", strings.Join(words[:5], ", "), len(words)-5)
		}
		if len(words) == 0 {
			return "nothing"
		}
		return strings.Join(words, ", ")
	}
	return fmt.Errorf("the region would lose the names %s and get %s; if that is right, empty it first", list(gone), list(come))
}

// likeMarker gives each line of the text the indentation and the end of the marker's line.
func likeMarker(text, marker string) string {
	indent := marker[:len(marker)-len(strings.TrimLeft(marker, " \t"))]
	ending := "\n"
	if strings.HasSuffix(marker, "\r\n") {
		ending = "\r\n"
	}
	var b strings.Builder
	for line := range strings.Lines(strings.Trim(text, "\r\n")) {
		if line = strings.TrimRight(line, "\r\n"); line != "" {
			b.WriteString(indent + line)
		}
		b.WriteString(ending)
	}
	return b.String()
}
