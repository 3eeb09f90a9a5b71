package search

import (
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

// recapturePly is the ply of quiescence after which only recaptures on the same square
// are searched. It bounds the search of positions full of hanging pieces.
const recapturePly = 6

// quiesce returns the score of the position by a search of captures, promotions, evasions
// and, in its first plies, quiet checks. A side not in check may stop at the static
// evaluation. Window and view are as in search; qply counts the plies since
// quiescence began.
func (e *Engine) quiesce(ply, qply, alpha, beta int) int {
	if score, over := e.enter(ply); over {
		return score
	}
	f, child := e.at(ply), e.at(ply+1)
	p := &f.pos
	pv, inCheck := beta-alpha > 1, p.InCheck()
	key := p.Key()
	hit, found := e.table.probe(key)
	hash := hit.move
	if found && !pv {
		if s := hit.scoreAt(ply); cutsOff(hit.bound(), s, beta) {
			return s
		}
	}

	best, raw := -infinite, noEval
	if !inCheck {
		raw, _, best = e.staticEval(ply, hit, found)
		if best >= beta {
			if !found {
				e.table.store(key, ply, result{0, best, raw, lowerBound, false, board.NullMove})
			}
			if abs(best) < mateBound {
				best = (best + beta) / 2 // the evaluation alone is no proof of its whole distance
			}
			return best
		}
	}
	f.targets = p.Targets()
	if hash != board.NullMove && (!inCheck && isQuiet(p, hash) || !f.targets.IsLegal(p, hash)) {
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
			// After one evasion that is not mated, skip the quiet ones.
			if best > -mateBound && isQuiet(p, m) {
				continue
			}
		} else if qply > recapturePly && m.To() != last {
			continue
		} else if m < 1<<12 && picker.stage != stageChecks {
			// Delta pruning: even with the captured piece and a margin, the score stays
			// below alpha.
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
	bound := boundOf(best, start, beta)
	if bound == exactBound && !pv {
		bound = upperBound
	}
	e.table.store(key, ply, result{0, best, raw, bound, pv, bestMove})
	return best
}

// gains are rough piece values in centipawns, higher than usual weights.
var gains = [8]int{board.Pawn: 120, board.Knight: 350, board.Bishop: 360, board.Rook: 550,
	board.Queen: 1050, board.NoPieceType: 120}

// victimGain returns the most that a capture wins. The target square is empty en passant.
func victimGain(p *board.Position, m board.Move) int {
	return gains[p.PieceAt(m.To()).Type()&7]
}
