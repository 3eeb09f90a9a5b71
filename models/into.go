package models

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Markers of a region in a source file: each stands in a comment on a line of its own.
// After markBegin may follow the names of the arrays that the region holds.
const (
	markBegin = "assay:begin"
	markEnd   = "assay:end"
)

// HasMarkers reports whether a source has regions.
func HasMarkers(source []byte) bool { return bytes.Contains(source, []byte(markBegin)) }

// into notes what the template of a file prints for its regions. A region whose marker has names gets
// the arrays and terms of these names, and of names that begin with them and a dot; another region
// gets all. Lines get the marker's indentation and its line ending. used has the arrays that are in
// a region, by name.
//
// It is an error if a region has other identifiers than before, comments and strings aside: the
// weights would be of something else. An empty region takes anything.
func (c *code) into(f *file, data *templateData, used map[string]bool) error {
	regions := 0
	lines := strings.SplitAfter(c.text[f.from:f.to], "\n")
	at := f.from // the beginning of the line
	for i := 0; i < len(lines); i++ {
		line := func(i int, format string, args ...any) error {
			where := f.from + len(strings.Join(lines[:i], ""))
			return fmt.Errorf("%s: "+format, append([]any{c.where(where)}, args...)...)
		}
		if strings.Contains(lines[i], markEnd) {
			return line(i, "%s without %s before it", markEnd, markBegin)
		}
		at += len(lines[i])
		if !strings.Contains(lines[i], markBegin) {
			continue
		}
		end := i + 1
		for ; end < len(lines) && !strings.Contains(lines[end], markEnd); end++ {
			if strings.Contains(lines[end], markBegin) {
				return line(end, "%s, but the one of line %d has no %s", markBegin, i+1, markEnd)
			}
		}
		if end == len(lines) {
			return line(i, "no %s follows %s", markEnd, markBegin)
		}
		part, err := data.part(markNames(lines[i]), used)
		if err != nil {
			return line(i, "%w", err)
		}
		part.First = regions == 0
		var b bytes.Buffer
		if err := execute(&b, f.Layout, f.Template, part); err != nil {
			return err
		}
		before := strings.Join(lines[i+1:end], "")
		if err := sameWords(before, b.String()); err != nil {
			return line(i, "%w", err)
		}
		c.blocks = append(c.blocks, block{span{at, at + len(before)}, likeMarker(b.String(), lines[i])})
		regions++
		at += len(before) + len(lines[end])
		i = end
	}
	if regions == 0 {
		return fmt.Errorf("it has no markers: put a comment with %s above the weights and one with %s below", markBegin, markEnd)
	}
	return nil
}

// markNames returns the names after markBegin, without the end of the comment.
func markNames(line string) []string {
	_, rest, _ := strings.Cut(line, markBegin)
	names := strings.Fields(rest)
	return slices.DeleteFunc(names, func(s string) bool { return strings.Trim(s, "*/->") == "" })
}

// part returns the data of the arrays with the names, or all, and notes which they are.
func (s *templateData) part(names []string, used map[string]bool) (*templateData, error) {
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
		if !slices.ContainsFunc(p.Arrays, func(a array) bool { return a.Name == n || strings.HasPrefix(a.Name, n+".") }) {
			return nil, fmt.Errorf("no array or term of %s is named %s", s.Model, n)
		}
	}
	return &p, nil
}

// checkIdents reports arrays that a program cannot keep apart, or whose elements would stand
// at other places than their numbers say.
func (s *templateData) checkIdents() error {
	seen := map[string]string{}
	for _, a := range s.Arrays {
		if first, twice := seen[a.Ident()]; twice {
			return fmt.Errorf("%s and %s have the same identifier %s: rename a term", first, a.Name, a.Ident())
		}
		seen[a.Ident()] = a.Name
		for i := 1; i < len(a.Cells) && !a.Squares; i++ {
			_, before, _ := arrayName(a.Cells[i-1].Name)
			_, end, _ := arrayName(a.Cells[i].Name)
			m, err := strconv.Atoi(before)
			n, err2 := strconv.Atoi(end)
			if err == nil && err2 == nil && n != m+1 {
				return fmt.Errorf("%s follows %s: the elements of an array must be numbered without gaps", a.Cells[i].Name, a.Cells[i-1].Name)
			}
		}
	}
	return nil
}

var (
	notCode = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\[^\n][^'\n]{0,6})'`)
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
