package weights

import (
	"fmt"
	"strings"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/models"
)

// WithError formats a weight with its standard error, if it has one.
func WithError(w int32, se float64) string {
	if se == 0 {
		return fmt.Sprint(w)
	}
	return fmt.Sprintf("%d +- %.1f", w, se)
}

// SquareBoards collects the terms of piece-square tables, to show them as boards.
type SquareBoards struct {
	names  []string
	tables map[string]*[64]*models.TermWeight
}

// NewSquareBoards returns an empty collection.
func NewSquareBoards() *SquareBoards {
	return &SquareBoards{tables: map[string]*[64]*models.TermWeight{}}
}

// Take collects the term if its name ends with a square, and reports whether it did.
func (s *SquareBoards) Take(w *models.TermWeight) bool {
	kind, square, ok := models.SquareOf(w.Name)
	if !ok {
		return false
	}
	if s.tables[kind] == nil {
		s.tables[kind] = new([64]*models.TermWeight)
		s.names = append(s.names, kind)
	}
	s.tables[kind][square] = w
	return true
}

// String returns the boards; two of them fit a terminal of 80 columns.
func (s *SquareBoards) String() string {
	const files = "   a   b   c   d   e   f   g   h"
	var b strings.Builder
	for _, kind := range s.names {
		fmt.Fprintf(&b, "\n%-40s%s\n", kind+", mg", "eg")
		for rank := 7; rank >= 0; rank-- {
			mg, eg := "", ""
			for file := range 8 {
				if w := s.tables[kind][board.NewSquare(file, rank)]; w != nil {
					mg, eg = mg+fmt.Sprintf("%4d", w.MG), eg+fmt.Sprintf("%4d", w.EG)
				} else {
					mg, eg = mg+"    ", eg+"    "
				}
			}
			if strings.TrimSpace(mg) != "" { // pawns have no first rank
				fmt.Fprintf(&b, "%d%s %s\n", rank+1, mg, strings.TrimRight(eg, " "))
			}
		}
		fmt.Fprintf(&b, " %s %s\n", files, files)
	}
	return b.String()
}
