package historic

import "github.com/assay-chess/assay/engine/board"

// Base implements the methods of engine.Player that are the same in most programs of the
// papers, which have no memory, no randomness and nothing to free. Programs embed it.
type Base struct {
	Settings Options
}

// NewGame does nothing.
func (b *Base) NewGame(uint64) error { return nil }

// SetOption sets one of the options.
func (b *Base) SetOption(name, value string) error { return b.Settings.Set(name, value) }

// Options returns the UCI declarations of the options.
func (b *Base) Options() []string { return b.Settings.Lines() }

// Close does nothing.
func (b *Base) Close() error { return nil }

// Victim returns the type of the piece that a move captures, or board.NoPieceType.
func Victim(p *board.Position, m board.Move) board.PieceType {
	if p.IsEnPassant(m) {
		return board.Pawn
	}
	return p.PieceAt(m.To()).Type()
}

// Filter returns the moves to keep.
func Filter(moves []board.Move, keep func(board.Move) bool) (kept []board.Move) {
	for _, m := range moves {
		if keep(m) {
			kept = append(kept, m)
		}
	}
	return kept
}

// ToQueen reports whether a move is no promotion, or one to a queen: some programs make no others.
func ToQueen(m board.Move) bool {
	return m.Promotion() == board.NoPieceType || m.Promotion() == board.Queen
}
