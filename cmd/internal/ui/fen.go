package ui

import (
	"fmt"
	"strings"

	"github.com/assay-chess/assay/engine/board"
)

// ParseFEN reads a FEN that may have come as several arguments.
func ParseFEN(args []string) (board.Position, error) {
	p, err := board.ParseFEN(strings.Join(args, " "))
	if err != nil {
		err = fmt.Errorf("%w; put the FEN in quotes, like %q", err, board.StartFEN)
	}
	return p, err
}
