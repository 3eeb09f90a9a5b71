package models

import (
	"embed"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/assay-chess/assay/engine/board"
)

// templateData is a weight file as templates see it: its terms, and the same terms grouped
// into arrays.
type templateData struct {
	Model string
	ID    string
	K     float64 // slope of the sigmoid per unit of the weights
	Units string  // of the weights: "centipawns", or "engine units"
	// Tapered reports whether any term is tapered.
	Tapered bool
	Terms   []cell // table order
	// Arrays holds every term once, in table order: terms whose names differ only in the
	// number, rank or square at their end share an array, each other term has its own.
	Arrays []array
}

// cell is one term.
type cell struct {
	TermWeight
	Group   string
	Tapered bool
}

// Score returns S(mg, eg) for a tapered term and a plain number for others.
func (c cell) Score() string {
	if c.Tapered {
		return fmt.Sprintf("S(%d, %d)", c.MG, c.EG)
	}
	return fmt.Sprint(c.MG)
}

// array is a group of consecutive terms whose names differ only at the end.
type array struct {
	Name    string // without the number, rank or square
	Tapered bool
	Single  bool // one term that shares its name with no other
	// Squares reports whether Cells are the 64 squares, a1 first, h1 eighth. Squares
	// without a term (a pawn's first and last rank) have zeros.
	Squares bool
	Cells   []cell
}

// Ident returns the name as an identifier of C and similar languages.
func (a array) Ident() string { return identifier(a.Name) }

// Rows returns the cells in rows of eight, which are ranks in an array over squares.
func (a array) Rows() (rows [][]cell) {
	for cells := a.Cells; len(cells) > 0; {
		n := min(8, len(cells))
		rows, cells = append(rows, cells[:n]), cells[n:]
	}
	return rows
}

// templateData returns the data that templates are executed on.
func (f *File) templateData() (*templateData, error) {
	table, err := f.Table()
	if err != nil {
		return nil, err
	}
	s := &templateData{Units: f.Units(), Model: f.Model, ID: f.ID(), K: f.K}
	for i := range f.Terms {
		t := &table[i]
		s.Terms = append(s.Terms, cell{f.Terms[i], t.Group, t.Tapered})
		s.Tapered = s.Tapered || t.Tapered
	}
	used := map[string]bool{}
	for i := 0; i < len(s.Terms); {
		n := 1
		prefix, _, ok := arrayName(s.Terms[i].Name)
		for ok && i+n < len(s.Terms) && belongs(&s.Terms[i], &s.Terms[i+n], prefix) {
			n++
		}
		a := newArray(prefix, s.Terms[i:i+n])
		for name, k := a.Name, 2; used[a.Ident()]; k++ { // a.0 and a.1 that are apart, or a_b beside a.b
			a.Name = fmt.Sprintf("%s_%d", name, k)
		}
		used[a.Ident()] = true
		s.Arrays = append(s.Arrays, a)
		i += n
	}
	return s, nil
}

// arrayName splits a name that ends with a number, rank or square into prefix and end:
// psq.pawn.a2, psq_pawn_a2 or psq[pawn][a2].
func arrayName(name string) (prefix, end string, ok bool) {
	full := name
	name = strings.TrimSuffix(name, "]")
	i := strings.LastIndexByte(name, '.')
	if i < 0 || len(name) < len(full) {
		i = max(strings.LastIndexByte(name, '_'), strings.LastIndexByte(name, '['))
	}
	if i <= 0 || i == len(name)-1 {
		return full, "", false
	}
	last := name[len(name)-1]
	return name[:i], name[i+1:], name[i+1:] == "none" || last >= '0' && last <= '9'
}

func belongs(first, c *cell, prefix string) bool {
	p, _, ok := arrayName(c.Name)
	return ok && p == prefix && c.Tapered == first.Tapered
}

func newArray(prefix string, cells []cell) array {
	a := array{Name: prefix, Tapered: cells[0].Tapered, Cells: cells}
	if len(cells) == 1 {
		a.Name, a.Single = cells[0].Name, true
		return a
	}
	full := make([]cell, 64)
	for i := range full {
		full[i].Tapered = a.Tapered
	}
	for _, c := range cells {
		_, end, _ := arrayName(c.Name)
		sq, ok := board.ParseSquare(end)
		if !ok {
			return a
		}
		full[sq] = c
	}
	a.Squares, a.Cells = true, full
	return a
}

// identifier replaces characters that an identifier cannot have by underscores.
func identifier(name string) string {
	name = strings.TrimSuffix(strings.ReplaceAll(name, "][", "_"), "]")
	s := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, name)
	if s == "" || s[0] >= '0' && s[0] <= '9' {
		s = "_" + s
	}
	if slices.Contains(keywords, s) {
		s += "_"
	}
	return s
}

// keywords are the words of C and C++ that a term may be named.
var keywords = strings.Fields("auto break case char class const continue default delete do double else enum extern " +
	"float for goto if inline int long new private public register return short signed static struct switch this union " +
	"unsigned using void volatile while")

// Rounding is the difference between integer weights and the fitted numbers, in the unit of the weights.
type Rounding struct {
	Fitted  int     // coefficients that were fitted
	RMS     float64 // of the differences
	Largest float64 // absolute difference
	Worst   string  // the term with the largest difference
}

// Rounding compares the integer weights with the fitted numbers in the file.
func (f *File) Rounding() (r Rounding) {
	table, err := f.Table()
	if err != nil {
		return r // terms that are not the model's
	}
	sum := 0.0
	note := func(name string, fit, se float64, w int32) {
		if fit == 0 && se == 0 {
			return
		}
		d := math.Abs(fit - float64(w))
		r.Fitted++
		sum += d * d
		if d > r.Largest {
			r.Largest, r.Worst = d, name
		}
	}
	for i := range f.Terms {
		t := &f.Terms[i]
		note(t.Name, t.FitMG, t.SEMG, t.MG)
		if table[i].Tapered {
			note(t.Name, t.FitEG, t.SEEG, t.EG)
		}
	}
	if r.Fitted > 0 {
		r.RMS = math.Sqrt(sum / float64(r.Fitted))
	}
	return r
}

//go:embed export/*.tmpl
var exportTemplates embed.FS

// exports are the templates of the formats but json; their dot is a *templateData.
var exports = template.Must(template.New("").Funcs(template.FuncMap{
	"ident":  identifier,
	"upper":  strings.ToUpper,
	"csv":    csvField,
	"number": func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) },
	"add":    func(a, b int) int { return a + b },
}).ParseFS(exportTemplates, "export/*.tmpl"))

// ExportFormats returns the formats of Export: json is the weight file itself, c a C header, csv a table.
func ExportFormats() []string { return []string{"json", "c", "csv"} }

// Export writes the weights in one of the formats of ExportFormats.
func (f *File) Export(w io.Writer, format string) error {
	if format == "json" {
		text, err := f.Encode()
		if err == nil {
			_, err = w.Write(text)
		}
		return err
	}
	t := exports.Lookup(format + ".tmpl")
	if t == nil {
		return fmt.Errorf("no export format %q (there are: %s)", format, strings.Join(ExportFormats(), ", "))
	}
	data, err := f.templateData()
	if err != nil {
		return err
	}
	return t.Execute(w, data)
}

// csvField quotes a field where RFC 4180 requires it.
func csvField(s string) string {
	if !strings.ContainsAny(s, ",\"\r\n") {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}
