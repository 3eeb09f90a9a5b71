package search

import "github.com/assay-chess/assay/engine/board"

// stage is what a picker does next.
type stage uint8

const (
	stageHash stage = iota
	stageGenerate
	stageCaptures
	stageKiller
	stageSecondKiller
	stageCounter
	stageGenerateQuiets
	stageQuiets
	stageBadCaptures
	stageEvasions
	stageGenerateChecks
	stageChecks
	stageDone
)

// picker hands out a node's legal moves, the most promising first: the move of the
// transposition table, captures that do not lose material by exchanges, killers
// (Akl and Newborn 1977) and the counter-move, quiet moves by history, and captures
// that lose material. It generates as late as it can.
type picker struct {
	e      *Engine
	f      *frame
	record record

	stage     stage
	noisyOnly bool // captures and queen promotions that do not lose material, as in quiescence
	checks    bool // then quiet moves that check and lose no material
	noQuiets  bool // set it to be spared the quiet moves not yet handed out

	hash    board.Move
	killers [2]board.Move
	counter board.Move

	next, end int // moves of the frame not yet handed out
	bad       int // captures that lose material, at the start of the frame's moves
}

// newPicker returns the picker of a node of the full search. The hash move must be
// legal or board.NullMove.
func (e *Engine) newPicker(ply int, hash board.Move) picker {
	f := e.at(ply)
	return picker{e: e, f: f, record: e.record(ply), hash: hash, killers: f.killers, counter: e.history.counterTo(e.at(ply - 1))}
}

// newNoisyPicker returns the picker of a quiescence node: all moves in check, else
// captures, queen promotions and, if asked for, quiet checks.
func (e *Engine) newNoisyPicker(ply int, hash board.Move, checks bool) picker {
	f := e.at(ply)
	return picker{e: e, f: f, record: e.record(ply), hash: hash, noisyOnly: true, checks: checks}
}

// pick returns the next move, board.NullMove after the last.
func (k *picker) pick() board.Move {
	for {
		switch k.stage {
		case stageHash:
			k.stage = stageGenerate
			if k.hash != board.NullMove {
				k.announce(k.hash)
				return k.hash
			}
		case stageGenerate:
			k.generate()
		case stageCaptures:
			if m := k.goodCapture(); m != board.NullMove {
				return m
			}
			switch {
			case k.checks:
				k.stage = stageGenerateChecks
			case k.noisyOnly:
				k.stage = stageDone
			default:
				k.stage = stageKiller
			}
		case stageKiller, stageSecondKiller:
			m := k.killers[k.stage-stageKiller]
			k.stage++
			if k.special(m) {
				k.announce(m)
				return m
			}
			k.killers[k.stage-1-stageKiller] = board.NullMove
		case stageCounter:
			k.stage = stageGenerateQuiets
			if m := k.counter; m != k.killers[0] && m != k.killers[1] && k.special(m) {
				k.announce(m)
				return m
			}
			k.counter = board.NullMove
		case stageGenerateQuiets:
			k.stage = stageQuiets
			if !k.noQuiets {
				k.generateQuiets()
			}
		case stageQuiets:
			if k.next < k.end && !k.noQuiets {
				return k.best()
			}
			k.stage = stageBadCaptures
			k.next = 0
		case stageBadCaptures:
			if k.next < k.bad {
				k.next++
				return k.f.moves[k.next-1]
			}
			k.stage = stageDone
		case stageGenerateChecks:
			k.stage = stageChecks
			k.generateChecks()
		case stageChecks:
			if k.next < k.end {
				return k.best()
			}
			k.stage = stageDone
		case stageEvasions:
			for k.next < k.end {
				if m := k.best(); m != k.hash {
					return m
				}
			}
			k.stage = stageDone
		default:
			return board.NullMove
		}
	}
}

// special tells whether a killer or counter-move can be handed out here.
func (k *picker) special(m board.Move) bool {
	p := &k.f.pos
	return m != board.NullMove && m != k.hash && !k.noQuiets && isQuiet(p, m) && p.IsLegal(m)
}

// isQuiet tells of a legal move whether it neither captures nor promotes.
func isQuiet(p *board.Position, m board.Move) bool {
	return m < 1<<12 && !p.IsCapture(m)
}

// generate makes the list of captures, in check that of all moves.
func (k *picker) generate() {
	p, f := &k.f.pos, k.f
	if p.InCheck() {
		k.stage = stageEvasions
		k.end = len(p.LegalMoves(f.moves[:0]))
		for i, m := range f.moves[:k.end] {
			if isQuiet(p, m) {
				f.rank(i, m, k.record.of(p.PieceAt(m.From()), m))
			} else {
				f.rank(i, m, 1<<20+k.captureScore(m))
			}
		}
		return
	}
	k.stage = stageCaptures
	k.end = len(p.LegalCaptures(f.moves[:0]))
	for i, m := range f.moves[:k.end] {
		f.rank(i, m, k.captureScore(m))
	}
}

// victimScores order captures by the man taken; attackerScores by the man taking,
// the least first (MVV-LVA).
var victimScores = [8]int32{board.Pawn: 100, board.Knight: 300, board.Bishop: 310, board.Rook: 500, board.Queen: 900}

func captureScore(p *board.Position, m board.Move) int32 {
	score := victimScores[p.PieceAt(m.To()).Type()&7]*16 - int32(p.PieceAt(m.From()).Type())
	switch m.Promotion() {
	case board.NoPieceType:
	case board.Queen:
		score += 800 * 16
	default:
		score -= 1 << 19
	}
	return score
}

// captureScore orders captures by material and what history says of them.
func (k *picker) captureScore(m board.Move) int32 {
	p := &k.f.pos
	history := int(*k.e.history.capture(p, m)) * k.e.params.values[captureHistory] >> plyBits
	return captureScore(p, m) + int32(history)
}

// best takes the move with the highest score out of those left, the first of equals.
func (k *picker) best() board.Move {
	left := k.f.ranked[k.next:k.end]
	top := left[0]
	for _, r := range left {
		top = max(top, r)
	}
	left[top.index()-k.next], left[0] = left[0].at(top.index()), top
	k.next++
	m := top.move()
	k.announce(m)
	return m
}

// announce has the transposition table's memory for the position after the move on its
// way while the search still thinks about whether to make it.
func (k *picker) announce(m board.Move) { k.e.table.prefetch(k.f.pos.LikelyKey(m)) }

// goodCapture returns the next capture that loses nothing by exchanges and puts
// those that do aside.
func (k *picker) goodCapture() board.Move {
	for k.next < k.end {
		m := k.best()
		if m == k.hash {
			continue
		}
		if k.f.pos.SEEAtLeast(m, 0) {
			return m
		}
		k.f.moves[k.bad] = m // those at the start have been handed out
		k.bad++
	}
	return board.NullMove
}

// generateQuiets makes the list of all moves that have not been handed out and are
// neither captures nor promotions to a queen.
func (k *picker) generateQuiets() {
	p, f := &k.f.pos, k.f
	n := k.bad
	for _, m := range p.LegalQuiets(f.moves[k.bad:k.bad]) {
		if m == k.hash || m == k.killers[0] || m == k.killers[1] || m == k.counter {
			continue
		}
		score := int32(-1 << 20) // promotions to less than a queen
		if m < 1<<12 {
			score = k.record.of(p.PieceAt(m.From()), m)
		}
		f.rank(n, m, score)
		n++
	}
	k.next, k.end = k.bad, n
}

// generateChecks makes the list of quiet moves that give check and lose nothing by
// exchanges.
func (k *picker) generateChecks() {
	p, f := &k.f.pos, k.f
	checks := p.Checks()
	n := 0
	for _, m := range p.LegalQuietChecks(f.moves[:0], &checks) {
		if m != k.hash && p.SEEAtLeast(m, 0) {
			f.rank(n, m, k.record.of(p.PieceAt(m.From()), m))
			n++
		}
	}
	k.next, k.end = 0, n
}
