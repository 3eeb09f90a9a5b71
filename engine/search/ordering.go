package search

import "github.com/assay-chess/assay/engine/board"

// stage is the next step of a picker.
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

// picker returns a node's legal moves, the most promising first: the hash move, captures
// that lose no material by static exchange evaluation, killers (Akl and Newborn 1977) and
// the counter-move, quiet moves by history, and losing captures. It generates moves as late
// as possible.
type picker struct {
	e       *Engine
	f       *frame
	history quietHistory
	given   board.Checks // only in nodes of the main search

	stage     stage
	noisyOnly bool // in quiescence: only captures and queen promotions that lose no material
	checks    bool // with noisyOnly: also quiet checks that lose no material
	noQuiets  bool // set by the search to skip the remaining quiet moves

	hash    board.Move
	killers [2]board.Move
	counter board.Move

	next, end int // range of the frame's moves not yet picked
	bad       int // number of losing captures, at the start of the frame's moves
}

// newPicker returns the picker of a node of the main search. The hash move must be legal
// or board.NullMove.
func (e *Engine) newPicker(ply int, hash board.Move) picker {
	f := e.at(ply)
	return picker{e: e, f: f, history: e.quietHistory(ply), given: f.pos.Checks(), hash: hash, killers: f.killers,
		counter: e.history.counterTo(e.at(ply - 1))}
}

// newNoisyPicker returns the picker of a quiescence node: in check all moves, otherwise
// captures, queen promotions and perhaps quiet checks.
func (e *Engine) newNoisyPicker(ply int, hash board.Move, checks bool) picker {
	f := e.at(ply)
	return picker{e: e, f: f, history: e.quietHistory(ply), hash: hash, noisyOnly: true, checks: checks}
}

// pick returns the next move, and board.NullMove after the last.
func (k *picker) pick() board.Move {
	for {
		switch k.stage {
		case stageHash:
			k.stage = stageGenerate
			if k.hash != board.NullMove {
				k.prefetch(k.hash)
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
			if k.isUsable(m) {
				k.prefetch(m)
				return m
			}
			k.killers[k.stage-1-stageKiller] = board.NullMove
		case stageCounter:
			k.stage = stageGenerateQuiets
			if m := k.counter; m != k.killers[0] && m != k.killers[1] && k.isUsable(m) {
				k.prefetch(m)
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

// isUsable reports whether a killer or counter-move can be played here.
func (k *picker) isUsable(m board.Move) bool {
	p := &k.f.pos
	return m != board.NullMove && m != k.hash && !k.noQuiets && isQuiet(p, m) && k.f.targets.IsLegal(p, m)
}

// isQuiet reports whether a legal move neither captures nor promotes.
func isQuiet(p *board.Position, m board.Move) bool {
	return m < 1<<12 && !p.IsCapture(m)
}

// generate lists the captures, or in check all moves.
func (k *picker) generate() {
	p, f := &k.f.pos, k.f
	if p.InCheck() {
		k.stage = stageEvasions
		k.end = len(f.targets.Moves(p, f.moves[:0]))
		for i, m := range f.moves[:k.end] {
			if isQuiet(p, m) {
				f.rank(i, m, k.history.score(p.PieceAt(m.From()), m))
			} else {
				f.rank(i, m, 1<<20+k.captureScore(m))
			}
		}
		return
	}
	k.stage = stageCaptures
	k.end = len(f.targets.Captures(p, f.moves[:0]))
	for i, m := range f.moves[:k.end] {
		f.rank(i, m, k.captureScore(m))
	}
}

// victimScores orders captures by the captured piece.
var victimScores = [8]int32{board.Pawn: 100, board.Knight: 300, board.Bishop: 310, board.Rook: 500, board.Queen: 900}

// captureScore orders captures by the most valuable victim, then by the least valuable
// attacker (MVV-LVA).
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

// captureScore orders captures by material and history.
func (k *picker) captureScore(m board.Move) int32 {
	p := &k.f.pos
	history := int(*k.e.history.capture(p, m)) * k.e.params.values[captureHistory] >> plyBits
	return captureScore(p, m) + int32(history)
}

// best removes and returns the move with the highest score, the first of equals.
func (k *picker) best() board.Move {
	left := k.f.ranked[k.next:k.end]
	top := left[0]
	for _, r := range left {
		top = max(top, r)
	}
	left[top.index()-k.next], left[0] = left[0].at(top.index()), top
	k.next++
	m := top.move()
	k.prefetch(m)
	return m
}

// prefetch fetches the table's bucket for the position after the move, before the search
// decides whether to make it.
func (k *picker) prefetch(m board.Move) { k.e.table.prefetch(k.f.pos.LikelyKey(m)) }

// goodCapture returns the next capture that loses no material, and sets losing ones aside.
func (k *picker) goodCapture() board.Move {
	for k.next < k.end {
		m := k.best()
		if m == k.hash {
			continue
		}
		if k.f.pos.SEEAtLeast(m, 0) {
			return m
		}
		k.f.moves[k.bad] = m // the moves at the start have been picked
		k.bad++
	}
	return board.NullMove
}

// checkLoss is the material that a quiet check may lose by exchanges and still be tried early.
const checkLoss = 75

// generateQuiets lists the moves that are neither captures nor queen promotions and have
// not been picked.
func (k *picker) generateQuiets() {
	p, f := &k.f.pos, k.f
	bonus := int32(k.e.params.values[checkBonus])
	n := k.bad
	for _, m := range f.targets.Quiets(p, f.moves[k.bad:k.bad]) {
		if m == k.hash || m == k.killers[0] || m == k.killers[1] || m == k.counter {
			continue
		}
		score := int32(-1 << 20) // underpromotions
		if m < 1<<12 {
			score = k.history.score(p.PieceAt(m.From()), m)
			if k.given.Given(p, m) && p.SEEAtLeast(m, -checkLoss) {
				score += bonus
			}
		}
		f.rank(n, m, score)
		n++
	}
	k.next, k.end = k.bad, n
}

// generateChecks lists the quiet checks that lose no material.
func (k *picker) generateChecks() {
	p, f := &k.f.pos, k.f
	checks := p.Checks()
	n := 0
	for _, m := range f.targets.QuietChecks(p, f.moves[:0], &checks) {
		if m != k.hash && p.SEEAtLeast(m, 0) {
			f.rank(n, m, k.history.score(p.PieceAt(m.From()), m))
			n++
		}
	}
	k.next, k.end = 0, n
}

const (
	historyMax = 8192
	maxTried   = 64
	maxTaken   = 32

	maxEvalBonus = 1500
)

// history scores moves by how often they caused cutoffs (Schaeffer 1983), for move
// ordering.
type history struct {
	// quiet is indexed by the side to move and the move's squares.
	quiet [2][64 * 64]int16
	// counter is the quiet move that last refuted a move, by that move's piece and
	// target square (Uiterwijk 1992).
	counter [pieceTos]board.Move
	// after is the continuation history: it scores quiet moves by the piece and target
	// square of the moves one, two and four plies before.
	after [pieceTos][pieceTos]int16
	// captures is indexed by the capturing piece, its target square and its victim.
	captures [pieceTos][8]int16
	none     [pieceTos]int16 // in place of after, where no move came before
}

// pieceTos is the number of pairs of a piece and its target square.
const pieceTos = 12 * 64

func (h *history) clear() { *h = history{} }

// quietHistory holds the parts of the history that score quiet moves in one position.
type quietHistory struct {
	quiet *[64 * 64]int16
	after [3]*[pieceTos]int16
	four  int32 // weight of the last of after, in 1024ths
}

// quietHistory returns the scores of quiet moves in the position at the ply.
func (e *Engine) quietHistory(ply int) (c quietHistory) {
	h := &e.history
	c.quiet = &h.quiet[e.at(ply).pos.SideToMove()&1]
	c.four = int32(e.params.values[fourPlies])
	for i := range c.after {
		c.after[i] = &h.none
		if f := e.at(ply - 1<<i); f.move != board.NullMove {
			c.after[i] = &h.after[pieceTo(f.piece, f.move)]
		}
	}
	return c
}

// score returns the score of a quiet move of the piece.
func (c *quietHistory) score(p board.Piece, m board.Move) int32 {
	to := pieceTo(p, m)
	return int32(c.quiet[m&4095]) + int32(c.after[0][to]) + int32(c.after[1][to]) + int32(c.after[2][to])*c.four>>plyBits
}

func (c *quietHistory) update(p board.Piece, m board.Move, bonus int) {
	to := pieceTo(p, m)
	update(&c.quiet[m&4095], bonus)
	for _, h := range c.after {
		update(&h[to], bonus)
	}
}

// update adds a bonus to a value, the less of it the closer the value is to historyMax or
// -historyMax.
func update(h *int16, bonus int) {
	*h += int16(bonus - int(*h)*abs(bonus)/historyMax)
}

// counterTo returns the quiet move that last refuted the frame's move.
func (h *history) counterTo(f *frame) board.Move {
	if f.move == board.NullMove {
		return board.NullMove
	}
	return h.counter[pieceTo(f.piece, f.move)]
}

func pieceTo(p board.Piece, m board.Move) int {
	return (int(p.Type())+6*int(p.Color()))<<6 | int(m.To())
}

// credit updates killers, counter-move and history after a quiet move that caused a
// cutoff. The quiet moves tried before it lose.
func (e *Engine) credit(ply int, m board.Move, tried []board.Move, depth int) {
	f, before := e.at(ply), e.at(ply-1)
	if f.killers[0] != m {
		f.killers[1] = f.killers[0]
		f.killers[0] = m
	}
	if before.move != board.NullMove {
		e.history.counter[pieceTo(before.piece, before.move)] = m
	}
	bonus, loss := e.params.bonus(depth)
	c := e.quietHistory(ply)
	c.update(f.pos.PieceAt(m.From()), m, bonus)
	for _, t := range tried {
		c.update(f.pos.PieceAt(t.From()), t, -loss)
	}
}

// creditUnrefuted updates the history after the move from the ply, if it is quiet, that no
// reply refuted in a search to the depth.
func (e *Engine) creditUnrefuted(ply, depth int) {
	f := e.at(ply)
	if f.move == board.NullMove || !isQuiet(&f.pos, f.move) {
		return
	}
	bonus, _ := e.params.bonus(depth)
	c := e.quietHistory(ply)
	c.update(f.piece, f.move, bonus*e.params.values[failLowBonus]>>plyBits)
}

// creditEval updates the history of the quiet move to the ply by how much it raised the static evaluation.
func (e *Engine) creditEval(ply int) {
	f, before := e.at(ply), e.at(ply-1)
	if before.move == board.NullMove || before.eval == noEval || !isQuiet(&before.pos, before.move) {
		return
	}
	bonus := -(before.eval + f.eval) * e.params.values[evalHistory]
	h := &e.history.quiet[before.pos.SideToMove()&1][before.move&4095]
	update(h, min(max(bonus, -maxEvalBonus), maxEvalBonus))
}

// creditCaptures updates the capture history after a move that caused a cutoff, itself a
// capture or not. The captures tried before it lose.
func (e *Engine) creditCaptures(ply int, c candidate, tried []board.Move, depth int) {
	p := &e.at(ply).pos
	bonus, loss := e.params.bonus(depth)
	if !c.quiet {
		update(e.history.capture(p, c.move), bonus)
	}
	for _, t := range tried {
		update(e.history.capture(p, t), -loss)
	}
}

// capture returns the score of a capture or promotion.
func (h *history) capture(p *board.Position, m board.Move) *int16 {
	return &h.captures[pieceTo(p.PieceAt(m.From()), m)][p.PieceAt(m.To()).Type()&7]
}

// bonus returns how much a move gains that caused a cutoff at the depth, and how much the
// moves tried before it lose.
func (p *params) bonus(depth int) (bonus, loss int) {
	v := &p.values
	bonus = min(v[bonusSquare]*depth*depth+v[bonusLinear]*depth, v[bonusMost])
	return bonus, bonus * v[malus] >> plyBits
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
