package numbers

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-chess/assay/internal/durable"
)

// Set is what Scan found in the listed files of a tree.
type Set struct {
	Root    string
	Files   []string // as listed, relative to Root, with slashes
	Numbers []Number // in the order of Files, and of their bytes
	Left    []Left

	language language
}

// language is what Scan and Instrument need to know of one. A value belongs to one Set and keeps what it parsed.
type language interface {
	// scan fills s.Numbers (without names that repeat: Scan makes them unique) and s.Left.
	scan(s *Set, o Options) error
	// instrument rewrites the tree at dir, whose listed files are the scanned ones.
	instrument(s *Set, dir, value string) error
}

// languages in the order in which they are preferred: a header beside a C++ file is C++.
var languages = []struct {
	extensions []string
	open       func() language
}{
	{extensionsPlus, func() language { return &cc{plus: true} }},
	{[]string{".rs"}, func() language { return &rust{} }},
	{[]string{".go"}, func() language { return &golang{} }},
	{extensionsC, func() language { return &cc{} }},
}

// Scan finds the numbers of the listed files, one or more, which are relative to root. A file may be listed twice.
func Scan(root string, files []string, o Options) (*Set, error) {
	s := &Set{Root: root}
	for _, f := range files {
		if f = filepath.ToSlash(filepath.Clean(f)); !slices.Contains(s.Files, f) {
			s.Files = append(s.Files, f)
		}
	}
	for _, l := range languages {
		if slices.ContainsFunc(s.Files, func(f string) bool { return slices.Contains(l.extensions, filepath.Ext(f)) }) {
			s.language = l.open()
			break
		}
	}
	if s.language == nil {
		return nil, fmt.Errorf("%s: not a file of C, C++, Rust or Go by its extension", s.Files[0])
	}
	if err := s.language.scan(s, o); err != nil {
		return nil, err
	}
	s.uniqueNames()
	s.pairNames()
	return s, nil
}

// uniqueNames appends #2, #3... to names that repeat, as in two branches of an #if.
func (s *Set) uniqueNames() {
	seen := map[string]int{}
	for i := range s.Numbers {
		n := &s.Numbers[i]
		n.Name = strings.Join(strings.Fields(n.Name), "")
		seen[n.Name]++
		if k := seen[n.Name]; k > 1 {
			n.Name += "#" + strconv.Itoa(k)
		}
	}
}

// halves are what tells the names of the two numbers of a pair apart.
var halves = [][2]string{{"Mg", "Eg"}, {"MG", "EG"}, {"mg", "eg"}, {"Mid", "End"}, {"MID", "END"}, {"mid", "end"},
	{"Middlegame", "Endgame"}, {"Early", "Late"}}

// pairNames pairs PawnValueMg with PawnValueEg and mg_pawn[3] with eg_pawn[3], where the two are numbers of one file.
func (s *Set) pairNames() {
	index := map[string]int{}
	for i, n := range s.Numbers {
		index[n.File+" "+n.Name] = i
	}
	for i, n := range s.Numbers {
		for _, h := range halves {
			at := strings.LastIndex(n.Name, h[0])
			if at < 0 || s.Numbers[i].Pair >= 0 {
				continue
			}
			j, ok := index[n.File+" "+n.Name[:at]+h[1]+n.Name[at+len(h[0]):]]
			if ok && s.Numbers[j].Pair < 0 {
				s.Numbers[i].Pair, s.Numbers[j].Pair = j, i
			}
		}
	}
}

// take adds the numbers of a table, but for those that left says why not.
func (s *Set) take(found []Number, file, table string, left func(Number) string) {
	index := make([]int, len(found)) // in s.Numbers
	for i, n := range found {
		n.File, n.Table, index[i] = file, table, -1
		if why := left(n); why != "" {
			s.Left = append(s.Left, Left{n.Name, why})
			continue
		}
		index[i] = len(s.Numbers)
		s.Numbers = append(s.Numbers, n)
	}
	for i, n := range found {
		if index[i] >= 0 && n.Pair >= 0 {
			s.Numbers[index[i]].Pair = index[n.Pair]
		}
	}
}

// skips says why a number is left out of a table that is taken, "" if it is not.
func (o Options) skips(n Number) string {
	if slices.Contains(o.Skip, n.Name) {
		return "asked to leave it out"
	}
	return ""
}

// Values are the numbers as they stand in the sources.
func (s *Set) Values() []float64 {
	v := make([]float64, len(s.Numbers))
	for i, n := range s.Numbers {
		v[i] = n.Value
	}
	return v
}

// Round is the value that a literal of n can hold.
func (n Number) Round(v float64) float64 {
	if !n.Float {
		v = math.RoundToEven(v)
	}
	if n.Min < n.Max {
		v = min(max(v, n.Min), n.Max)
	}
	return v + 0 // not -0
}

// Instrument makes the numbers settable in the tree at dir, a private copy of the scanned one. value is the author's
// glue file, relative to dir. Build files stay as they are; the built program plays as before unless the variables are
// set.
func (s *Set) Instrument(dir, value string) error {
	if _, err := s.read(dir); err != nil {
		return err
	}
	return s.language.instrument(s, dir, value)
}

// WriteFile writes a line NAME VALUE for each number, for ASSAY_NUMBERS.
func (s *Set) WriteFile(path string, values []float64) error {
	if err := s.check(values); err != nil {
		return err
	}
	var b strings.Builder
	for i, n := range s.Numbers {
		fmt.Fprintln(&b, n.Name, strconv.FormatFloat(n.Round(values[i]), 'g', -1, 64))
	}
	return durable.WriteFile(path, []byte(b.String()))
}

// ReadFile reads what WriteFile wrote for these numbers.
func (s *Set) ReadFile(path string) ([]float64, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(lines) != len(s.Numbers) {
		return nil, fmt.Errorf("%s: %d lines for %d numbers", path, len(lines), len(s.Numbers))
	}
	values := make([]float64, len(lines))
	for i, n := range s.Numbers {
		name, value, _ := strings.Cut(lines[i], " ")
		v, err := strconv.ParseFloat(value, 64)
		if name != n.Name || err != nil || math.IsInf(v, 0) || v != n.Round(v) {
			return nil, fmt.Errorf("%s, line %d: want %s and a value, not %.80q", path, i+1, n.Name, lines[i])
		}
		values[i] = v
	}
	return values, nil
}

func (s *Set) check(values []float64) error {
	if len(values) != len(s.Numbers) {
		return fmt.Errorf("%d values for %d numbers", len(values), len(s.Numbers))
	}
	for i, v := range values {
		if math.IsNaN(v) || math.Abs(v) > 1<<30 {
			return fmt.Errorf("%s cannot be %v", s.Numbers[i].Name, v)
		}
	}
	return nil
}

// read returns the listed files at dir, whose literals must stand where they were scanned.
func (s *Set) read(dir string) (map[string]string, error) {
	text := map[string]string{}
	for _, n := range s.Numbers {
		if _, ok := text[n.File]; !ok {
			b, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(n.File)))
			if err != nil {
				return nil, err
			}
			text[n.File] = string(b)
		}
		if t := text[n.File]; n.To > len(t) || t[n.From:n.To] != n.Text {
			return nil, fmt.Errorf("%s, line %d: %s was %s when it was scanned; the file has changed since, scan it again",
				n.File, n.Line, n.Name, n.Text)
		}
	}
	return text, nil
}

// WriteBack replaces the literals of the tree at dir by values, rounded where a literal is whole, and returns how many
// changed. Layout and comments stay; in tables whose columns are aligned the width stays where there are blanks.
func (s *Set) WriteBack(dir string, values []float64) (changed int, err error) {
	if err := s.check(values); err != nil {
		return 0, err
	}
	text, err := s.read(dir)
	if err != nil {
		return 0, err
	}
	aligned := map[string]bool{}
	for _, n := range s.Numbers {
		before := text[n.File][:n.From]
		last := strings.TrimRight(before, " ")
		if k := len(before) - len(last); k > 1 && !strings.HasSuffix(last, "\n") || k == 1 && strings.HasSuffix(last, "(") {
			aligned[n.File+" "+n.Table] = true
		}
	}
	edits := map[string][]edit{}
	for i, n := range s.Numbers {
		if v := n.Round(values[i]); v != n.Value {
			changed++
			edits[n.File] = append(edits[n.File], n.edit(text[n.File][:n.From], v, aligned[n.File+" "+n.Table]))
		}
	}
	for _, file := range slices.Sorted(maps.Keys(edits)) {
		t := splice(text[file], 0, len(text[file]), edits[file])
		if err := durable.ReplaceFile(filepath.Join(dir, filepath.FromSlash(file)), []byte(t)); err != nil {
			return 0, err
		}
	}
	return changed, nil
}

// edit puts v in place of n's literal, which stands behind the text before.
func (n Number) edit(before string, v float64, aligned bool) edit {
	literal := n.literal(v)
	if strings.HasPrefix(literal, "-") && strings.HasSuffix(before, "-") {
		literal = " " + literal // a--5 is no difference
	}
	if aligned && strings.HasSuffix(before, " ") {
		literal = fmt.Sprintf("%*s", len(n.Text), literal)
	}
	from := n.From
	for aligned && n.To-from < len(literal) &&
		(strings.HasSuffix(before[:from], "  ") || strings.HasSuffix(before[:from], "( ")) {
		from--
	}
	return edit{from, n.To, literal}
}

var literalParts = regexp.MustCompile(`^[-+\s]*([\d.'_]*(?:[eE][-+\d]*)?)(.*)$`)

// literal is v with the sign, the point and the suffix of n's text.
func (n Number) literal(v float64) string {
	parts := literalParts.FindStringSubmatch(n.Text)
	number := strings.TrimRight(parts[1], "_")
	suffix := parts[1][len(number):] + parts[2]
	out := strconv.FormatFloat(v, 'f', -1, 64)
	if strings.ContainsAny(number, ".eE") && !strings.Contains(out, ".") {
		if out += "."; !strings.HasSuffix(number, ".") {
			out += "0"
		}
	}
	if v > 0 && strings.HasPrefix(n.Text, "+") {
		out = "+" + out
	}
	return out + suffix
}
