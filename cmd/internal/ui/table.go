package ui

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/rivo/uniseg"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/engine/quote"
)

// Table is a table on a terminal or a page. The name of a column that is aligned right begins with >.
type Table struct {
	Caption string
	Head    []string // nil: rows are a name and what there is to say
	Rows    [][]string
}

// Add adds a row. The format has tabs between the cells; what others wrote is quoted.
func (t *Table) Add(format string, args ...any) {
	var b strings.Builder
	_, _ = quote.Fprintf(&b, format, args...) // a strings.Builder cannot fail
	t.Rows = append(t.Rows, strings.Split(b.String(), "\t"))
}

// Column returns the name of a column, and whether it is aligned right.
func Column(head string) (name string, right bool) { return strings.CutPrefix(head, ">") }

// Print writes the table with two spaces between columns.
func (t *Table) Print(w io.Writer) error {
	rows, right := t.Rows, make([]bool, len(t.Head))
	if t.Head != nil {
		head := make([]string, len(t.Head))
		for i, name := range t.Head {
			head[i], right[i] = Column(name)
		}
		rows = append([][]string{head}, rows...)
	}
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			if i < len(row)-1 || i < len(right) && right[i] { // nothing stands behind the last
				widths[i] = max(widths[i], uniseg.StringWidth(cell))
			}
		}
	}
	var b strings.Builder
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			room := strings.Repeat(" ", max(0, widths[i]-uniseg.StringWidth(cell)))
			if i < len(right) && right[i] {
				cell, room = room+cell, ""
			}
			line += cell + room + "  "
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// If returns the formatted text if it is wanted, else "".
func If(wanted bool, format string, args ...any) string {
	if !wanted {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// Share returns n as a percentage of the whole, with one decimal.
func Share(n, of int64) string {
	if of == 0 {
		return "0 %"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(of))
}

// CountsText lists counts, the largest first.
func CountsText(counts map[string]int64) string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		if counts[a] != counts[b] {
			return int(counts[b] - counts[a])
		}
		return strings.Compare(a, b)
	})
	var parts []string
	for _, n := range names {
		parts = append(parts, fmt.Sprintf("%s %d", n, counts[n]))
	}
	return strings.Join(parts, ", ")
}

// Listed lists the first names, and says how many more there are than most.
func Listed(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// Known formats a number, as a dash if it is not known.
func Known(format string, x num.Float) string {
	if !x.Known() {
		return "-"
	}
	return fmt.Sprintf(format, x)
}
