package syzygy

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/assay-chess/assay/engine/board"
)

// wdl returns the value of the position for the side to move as if its half-move clock were 0. An
// error that wraps errMissing says that no table knows it.
func (t *tableSet) wdl(p *board.Position) (outcome, error) {
	v, _, err := t.value(p)
	return v, err
}

// dtz returns the distance in plies to the next capture or pawn move with best play: positive if the
// side to move wins, negative if it loses, 0 if the position is a draw. Cursed wins and blessed losses are beyond
// ±100. Where a table stores moves the distance may be one ply too short.
func (t *tableSet) dtz(p *board.Position) (int, error) {
	v, zeroing, err := t.value(p)
	switch {
	case err != nil || v == drawn:
		return 0, err
	case zeroing:
		return zeroed(v), nil
	}
	return t.distance(p, v)
}

// Result returns how the game ends with best play from the position, its half-move clock included, by the 50-move
// rule or, with fifty false, without it. ok is false where the tables leave that open: a win whose zeroing is within
// a ply of the rule's limit.
func (t *tableSet) Result(p *board.Position, fifty bool) (result board.GameResult, ok bool, err error) {
	v, zeroing, err := t.value(p)
	switch {
	case err != nil:
		return board.Draw, false, err
	case v == drawn, fifty && v != won && v != lost:
		return board.Draw, true, nil
	case fifty && p.Halfmove() > 0:
		plies := zeroed(v)
		if !zeroing {
			if plies, err = t.distance(p, v); err != nil {
				return board.Draw, false, err
			}
		}
		if total := max(plies, -plies) + p.Halfmove(); total > 100 {
			return board.Draw, true, nil
		} else if total >= 99 {
			return board.Draw, false, nil
		}
	}
	if v > 0 {
		return board.WinFor(p.SideToMove()), true, nil
	}
	return board.WinFor(p.SideToMove().Other()), true, nil
}

// zeroed returns the DTZ of a position whose value the next capture or pawn move keeps.
func zeroed(v outcome) int {
	return [...]int{-1, -101, 0, 101, 1}[v-lost]
}

// value returns the value of the position: the best of its captures and of what its table has, since a table may have
// a lower value where a capture is better, and knows nothing of en passant. zeroing says that the table's DTZ means
// nothing, because a winning capture is best or all moves are captures.
func (t *tableSet) value(p *board.Position) (best outcome, zeroing bool, err error) {
	if p.Castling() != 0 {
		return 0, false, fmt.Errorf("syzygy: %w has castling rights", errMissing)
	}
	best = lost - 1
	var buf [board.MaxMoves]board.Move
	moves := p.LegalMoves(buf[:0])
	captures := 0
	for _, m := range moves {
		if !p.IsCapture(m) {
			continue
		}
		captures++
		v, _, err := t.value(after(p, m))
		if err != nil {
			return 0, false, err
		}
		best = max(best, -v)
	}
	if best == won || captures > 0 && captures == len(moves) {
		return best, true, nil
	}
	var stored outcome
	if p.Occupied().Count() > 2 {
		_, value, _, err := t.lookup(p, false)
		if err != nil {
			return 0, false, err
		}
		stored = lost + outcome(value)
	}
	return max(best, stored), best >= stored && best > drawn, nil
}

func after(p *board.Position, m board.Move) *board.Position {
	next := *p
	next.Make(m)
	return &next
}

// distance returns the DTZ of a position with this value that no capture decides.
func (t *tableSet) distance(p *board.Position, v outcome) (int, error) {
	var buf [board.MaxMoves]board.Move
	moves := p.LegalMoves(buf[:0])
	if v > 0 { // a table may have any distance where a pawn move wins
		for _, m := range moves {
			if p.PieceAt(m.From()).Type() != board.Pawn || p.IsCapture(m) {
				continue
			}
			next, err := t.wdl(after(p, m))
			if err != nil {
				return 0, err
			}
			if -next == v {
				return zeroed(v), nil
			}
		}
	}
	part, stored, ok, err := t.lookup(p, true)
	if err != nil {
		return 0, err
	} else if !ok {
		return t.searchDistance(p, v, moves)
	}
	plies, err := part.plies(stored, v)
	e, _ := t.find(p)
	return plies, e.dtz.damaged(err)
}

// searchDistance derives the DTZ from the positions after each move, where the table is for the other side to move.
func (t *tableSet) searchDistance(p *board.Position, v outcome, moves []board.Move) (int, error) {
	best, found := zeroed(v), v < 0 // a lost position loses at once if it has no better move
	for _, m := range moves {
		if p.IsCapture(m) || p.PieceAt(m.From()).Type() == board.Pawn {
			continue
		}
		next := after(p, m)
		plies, err := t.dtz(next)
		if err != nil {
			return 0, err
		}
		switch plies = -plies; {
		case plies == 1 && next.InCheck() && next.CountLegal() == 0: // mate
		case plies > 0:
			plies++
		case plies < 0:
			plies--
		}
		if (plies > 0) == (v > 0) && plies != 0 && (!found || plies < best) {
			best, found = plies, true
		}
	}
	if !found {
		return 0, fmt.Errorf("syzygy: no move of %s keeps the %s that its tables promise", p.FEN(), v)
	}
	return best, nil
}

// lookup returns what a file says of the position. ok is false if a DTZ file is for the other side to move.
func (t *tableSet) lookup(p *board.Position, dtz bool) (found *part, value int, ok bool, err error) {
	e, err := t.find(p)
	if err != nil {
		return nil, 0, false, err
	}
	f := &e.wdl
	if dtz {
		f = &e.dtz
	}
	if err := f.open(e.table, dtz); err != nil {
		return nil, 0, false, err
	}
	found, n, ok := f.number(e, p, dtz)
	if ok {
		err = f.damaged(guarded(func() error {
			value, err = found.value(f.src, n)
			return err
		}))
	}
	return found, value, ok, err
}

// plies returns the DTZ that a table's number stands for, in a position with this value.
func (p *part) plies(stored int, v outcome) (int, error) {
	if p.flags&mapped != 0 {
		values := p.ranges[[...]int{1, 3, 0, 2, 0}[v-lost]]
		if stored >= len(values) {
			return 0, fmt.Errorf("%w: distance %d of %d", errDamaged, stored, len(values))
		}
		stored = int(values[stored])
	}
	inPlies := v == won && p.flags&winPlies != 0 || v == lost && p.flags&lossPlies != 0
	if !inPlies { // moves
		stored *= 2
	}
	plies := stored + 1
	if v == cursedWin || v == blessedLoss {
		plies += 100
	}
	if v < 0 {
		return -plies, nil
	}
	return plies, nil
}

// Judge says how games end with best play, where tables know it. In JSON it is what its answers depend on: the files,
// not where they are. A nil Judge knows nothing.
type Judge struct {
	Men   int    `json:"men"`         // of the largest table, kings included
	Set   string `json:"set"`         // checksum of the files' names and sizes
	Fifty bool   `json:"fifty_moves"` // the 50-move rule holds

	// Say, if not nil, gets one message about missing tables, and one about each damaged file. Positions that need these
	// are not judged.
	Say func(string) `json:"-"`

	tables *tableSet
	said   sync.Map
}

// NewJudge opens the tables of the folders, as openTables does.
func NewJudge(path string, fifty bool, say func(string)) (*Judge, error) {
	t, err := openTables(path)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(strings.Join(t.files, "\n")))
	return &Judge{Men: t.men, Set: hex.EncodeToString(sum[:8]), Fifty: fifty, Say: say, tables: t}, nil
}

// Result returns how the game ends from the position, its half-move clock included. ok is false where that is not
// known.
func (j *Judge) Result(p *board.Position) (result board.GameResult, ok bool) {
	if j == nil || j.tables == nil || p.Occupied().Count() > j.Men || p.Castling() != 0 {
		return board.Draw, false
	}
	result, ok, err := j.tables.Result(p, j.Fifty)
	if err == nil {
		return result, ok
	}
	what, key := "this file", err.Error()
	if errors.Is(err, errMissing) {
		what, key = "this or another missing table", "missing"
	}
	if _, said := j.said.LoadOrStore(key, true); !said && j.Say != nil {
		j.Say(fmt.Sprintf("%v; positions that need %s are not adjudicated", err, what))
	}
	return board.Draw, false
}
