package search

import (
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

// recapturePly is the length of a quiescence line, in plies, beyond which only the
// man that captured last may be captured. It bounds positions full of hanging men.
const recapturePly = 6

// quiesce returns the score of the position when only captures, promotions,
// answers to checks and at first checks are played, and every side may stop when it likes: the static
// evaluation where nothing hangs. Window and view are those of search; qply counts the
// plies since quiescence began.
func (e *Engine) quiesce(ply, qply, alpha, beta int) int {
	f, child := e.at(ply), e.at(ply+1)
	p := &f.pos
	pv := beta-alpha > 1
	f.pvLen = 0
	if e.isDraw(ply) {
		return 0
	}
	inCheck := p.InCheck()
	if ply >= maxPly-1 {
		if inCheck {
			return 0
		}
		return e.evaluate(p)
	}
	e.selDepth = max(e.selDepth, ply)

	key := p.Key()
	hit, found := e.table.probe(key)
	hash := hit.move
	if found && !pv {
		if s := hit.scoreAt(ply); cutsOff(hit.bound(), s, beta) {
			return s
		}
	}

	best, static := -infinite, noEval
	if !inCheck {
		static, best = e.judge(ply, hit, found)
		if best >= beta {
			if !found {
				e.table.store(key, 0, ply, best, static, lowerBound, false, board.NullMove)
			}
			return best
		}
	}
	if hash != board.NullMove && (!inCheck && isQuiet(p, hash) || !p.IsLegal(hash)) {
		hash = board.NullMove
	}

	start := alpha
	alpha = max(alpha, best)
	floor := best + e.params.values[deltaMargin]
	bestMove := board.NullMove
	count := 0
	last := e.at(ply - 1).move.To()
	picker := e.newNoisyPicker(ply, hash, qply < e.params.values[checkPlies])
	for m := picker.pick(); m != board.NullMove; m = picker.pick() {
		count++
		if inCheck {
			// One evasion that does not lose by mate is enough to leave quiet ones.
			if best > -mateBound && isQuiet(p, m) {
				continue
			}
		} else if qply > recapturePly && m.To() != last {
			continue
		} else if m < 1<<12 && picker.stage != stageChecks {
			// Delta pruning: even with the man and a margin it stays below alpha.
			if gain := floor + victimGain(p, m); gain <= alpha && abs(alpha) < mateBound {
				best = max(best, gain)
				continue
			}
		}
		if !e.tick() {
			return 0
		}
		e.makeMove(ply, m)
		score := -e.quiesce(ply+1, qply+1, -beta, -alpha)
		if e.stopped {
			return 0
		}
		if score > best {
			best = score
			if score > alpha {
				alpha, bestMove = score, m
				if pv {
					f.takePV(child)
				}
				if score >= beta {
					break
				}
			}
		}
	}
	if inCheck && count == 0 {
		return -engine.MateScore + ply
	}
	bound := upperBound
	switch {
	case best >= beta:
		bound = lowerBound
	case best > start && pv:
		bound = exactBound
	}
	e.table.store(key, 0, ply, best, static, bound, pv, bestMove)
	return best
}

// gains are rough values of men, in centipawns, above what weights usually say.
var gains = [8]int{board.Pawn: 120, board.Knight: 350, board.Bishop: 360, board.Rook: 550, board.Queen: 1050, board.NoPieceType: 120}

// victimGain returns what a capture wins at most; the empty square is en passant's.
func victimGain(p *board.Position, m board.Move) int {
	return gains[p.PieceAt(m.To()).Type()&7]
}
