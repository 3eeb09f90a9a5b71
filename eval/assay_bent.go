package eval

import (
	"fmt"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/eval/formula"
)

// The model assay-bent: the terms of the model assay, except fixed units of danger,
// and three channels instead of what assay has fixed in code: danger by its square, chances to
// convert a lead, and complexity.

// Index of the first slot of every block that the model assay does not have.
const (
	bentDanger      = assayTerms          // one term, that always counts
	bentAttacker    = bentDanger + 1      // pieces that attack the ring: N, B, R, Q
	bentHit         = bentAttacker + 4    // squares of the ring that they attack: the same
	bentCheck       = bentHit + 4         // safe checks: the same
	bentUnguarded   = bentCheck + 4       // one term
	bentPin         = bentUnguarded + 1   // one term
	bentQueenless   = bentPin + 1         // one term
	bentFlank       = bentQueenless + 1   // attacked, attacked twice, defended
	bentOpenFiles   = bentFlank + 3       // without their pawns, without any
	bentPawnHit     = bentOpenFiles + 2   // one term
	bentDefender    = bentPawnHit + 1     // one term
	bentPawns       = bentDefender + 1    // none to eight
	bentOpposite    = bentPawns + 9       // bishops alone, with rooks, with others
	bentRookEnding  = bentOpposite + 3    // one term
	bentDead        = bentRookEnding + 1  // one term
	bentWrongBishop = bentDead + 1        // one term
	bentLastPawn    = bentWrongBishop + 1 // one term
	bentOneWing     = bentLastPawn + 1    // one term
	bentRunners     = bentOneWing + 1     // one term
	bentComplexity  = bentRunners + 1     // one term, that always counts
	bentAllPawns    = bentComplexity + 1  // one term
	bentAllPassed   = bentAllPawns + 1    // one term
	bentBothWings   = bentAllPassed + 1   // one term
	bentPawnEnding  = bentBothWings + 1   // one term
	bentOutflanked  = bentPawnEnding + 1  // one term
	bentInfiltrated = bentOutflanked + 1  // one term
	bentSlots       = bentInfiltrated + 1
)

// assayNonlinear is how the model bends: what the attackers of a king add up to counts by its square, an
// ending that is close to a draw scales the lead, and a position with play left in it adds to the
// endgame value of the side that is ahead, never beyond zero.
var assayNonlinear = Nonlinear{
	Channels: []formula.Channel{
		{Name: "main", Tapered: true},
		{Name: "danger", Tapered: true, Sides: true}, // of the side that attacks
		{Name: "winning", Sides: true},               // chances to convert a lead, in 1/64 of it
		{Name: "complexity"},
	},
	Formula: formula.New(assayFormula, smoothAssayBent),
	value:   valueAssayBent,
}

// assayFormula is what smoothAssayBent computes. The ids of weights depend on its text.
const assayFormula = `let attack = clamp(danger.mg, 0, 2000)^2/4096;
let late = clamp(danger.eg, 0, 2000)/16;
let m = main.mg + balance(attack);
let e0 = main.eg + balance(late);
let e = e0 + sign(e0)*max(complexity, -abs(e0));
let v = m*phase + e*(1 - phase);
value = v*clamp(64 + if(v < 0, winning.black, winning.white), 0, 96)/64`

// smoothAssayBent is the value as a fit sees it. The order of its operations decides the fit's last bits.
func smoothAssayBent(b *formula.Builder) formula.Value {
	const main, danger, winning, complexity = 0, 1, 2, 3 // of the channels
	attack := b.Read(formula.Input{Channel: main}).Plus(b.Balance(func(black bool) formula.Value {
		return b.Read(formula.Input{Channel: danger, Black: black}).Clamp(0, 2000).Square().Over(4096)
	}))
	phase := b.Read(formula.Input{Channel: formula.Phase})
	v := attack.Times(phase)
	e := b.Read(formula.Input{Channel: main, Endgame: true}).Plus(b.Balance(func(black bool) formula.Value {
		return b.Read(formula.Input{Channel: danger, Black: black, Endgame: true}).Clamp(0, 2000).Over(16)
	}))
	sign, play := e.Sign(), b.Read(formula.Input{Channel: complexity})
	e = e.Plus(sign.Times(play.Max(b.Number(0).Minus(e.Abs()))))
	v = v.Plus(e.Times(b.Number(1).Minus(phase)))
	lead := b.Number(64)
	behind := v.Less(b.Number(0))
	black := b.Read(formula.Input{Channel: winning, Black: true})
	lead = lead.Plus(b.If(behind, black, b.Read(formula.Input{Channel: winning})))
	return v.Times(lead.Clamp(0, 96)).Over(64)
}

// valueAssayBent is the formula in integers. Nothing is rounded before the end, and with sums of 32
// bits no number is beyond 55.
func valueAssayBent(s *sums, phase int64) int64 {
	mg, eg := unpack(s[0])
	whiteMG, whiteEG := unpack(s[sumDanger])
	blackMG, blackEG := unpack(s[sumDanger+1])
	complexity, _ := unpack(s[sumComplexity])
	whiteMG, blackMG = clamp(whiteMG, 2000), clamp(blackMG, 2000)
	mg = mg*4096 + whiteMG*whiteMG - blackMG*blackMG         // in 1/4096
	eg = eg*16 + clamp(whiteEG, 2000) - clamp(blackEG, 2000) // in 1/16
	eg += signOf(eg) * max(complexity*16, -max(eg, -eg))
	v := mg*phase + eg*256*(MaxPhase-phase)
	winning, _ := unpack(s[sumWinning])
	if v < 0 {
		winning, _ = unpack(s[sumWinning+1])
	}
	return v * clamp(64+winning, 96) / (4096 * MaxPhase * 64)
}

// clamp returns a number within 0 and most.
func clamp(v, most int64) int64 { return max(0, min(v, most)) }

// Sums of the channels, see Nonlinear.
const (
	sumDanger     = 1 // White's, Black's
	sumWinning    = 3 // White's, Black's
	sumComplexity = 5
)

func assayBentModel() *Model {
	t := newTable(bentSlots)
	declareAssay(t)
	clear(t.terms[assayRing : assayRing+ringBuckets]) // the channel danger has these
	clear(t.terms[assayDanger : assayDanger+dangerBuckets])
	declareDanger(t)
	declareWinning(t)
	declareComplexity(t)
	bend := assayNonlinear
	m := newModel("assay-bent", bend.compact(t), traceAssayBent, scoreAssayBent)
	m.Nonlinear = &bend
	return m
}

// declareDanger declares the terms of the channel danger. They start at the units that are
// fixed in the model assay.
func declareDanger(t *table) {
	const unit = 16
	add := func(slot int, start int32, names ...string) {
		for i, name := range names {
			t.set(slot+i, Term{Name: "danger." + name, Group: groupKing, Tapered: true, Source: sourceShannonRing,
				Channel: "danger"}, 0)
			t.start[slot+i] = Coef{unit * start, 0}
		}
	}
	add(bentDanger, 0, "base")
	for i, by := range []struct {
		name       string
		hit, check int32
	}{
		{"knight", unitsKnight, dangerKnight}, {"bishop", unitsBishop, dangerBishop}, {"rook", unitsRook, dangerRook},
		{"queen", unitsQueen, dangerQueen},
	} {
		add(bentAttacker+i, dangerAttacker, "attacker."+by.name)
		add(bentHit+i, by.hit, "hit."+by.name)
		add(bentCheck+i, by.check, "check."+by.name)
	}
	add(bentUnguarded, dangerUnguarded, "unguarded")
	add(bentPin, dangerPin, "pin")
	add(bentQueenless, -16, "no-queen")
	add(bentFlank, 0, "flank.attacked", "flank.twice", "flank.defended")
	add(bentOpenFiles, 0, "file.half-open", "file.open")
	add(bentPawnHit, 0, "hit.pawn", "defender")
}

// declareWinning declares the terms of the channel winning, in 1/64 of a lead.
func declareWinning(t *table) {
	add := func(slot int, start int32, name string) {
		t.set(slot, Term{Name: "winning." + name, Group: groupEndgame, Source: sourceOurs, Channel: "winning"}, start)
	}
	for n := range 9 {
		add(bentPawns+n, 0, fmt.Sprintf("pawns.%d", n))
	}
	add(bentOpposite, -30, "opposite-bishops.alone")
	add(bentOpposite+1, -8, "opposite-bishops.rooks")
	add(bentOpposite+2, 0, "opposite-bishops.others")
	add(bentRookEnding, 0, "rook-ending")
	add(bentDead, -60, "no-pawns")
	add(bentWrongBishop, -60, "wrong-bishop")
	add(bentLastPawn, -48, "last-pawn")
	add(bentOneWing, 0, "one-wing")
	add(bentRunners, 0, "passed")
}

// declareComplexity declares the terms of the channel complexity: counts of both sides.
func declareComplexity(t *table) {
	for i, name := range []string{"base", "pawns", "passed", "both-wings", "pawn-ending", "outflanking",
		"infiltration"} {
		t.set(bentComplexity+i, Term{Name: "complexity." + name, Group: groupEndgame, Source: sourceOurs,
			Channel: "complexity"}, 0)
	}
}

// traceAssayBent counts the terms of the model assay-bent.
func traceAssayBent(p *board.Position, s tracer) tracer {
	var white, black view
	black.set(p, board.Black)
	white.set(p, board.White)
	s = s.bentStructure(p, &black, &white)
	s = s.material(p, &black, &white)
	s = traceAssaySide(&black, s)
	if p.SideToMove() == board.Black {
		s = s.one(assayTempo)
	}
	s = traceAssaySide(&white, s.turn())
	if p.SideToMove() == board.White {
		s = s.one(assayTempo)
	}
	var o opponent
	o.set(&black)
	o.toMove = int(p.SideToMove())
	s = tracePawnEnding(&white, &o, traceBent(p, &white, &o, s)).turn()
	o.set(&white)
	o.toMove = 1 - int(p.SideToMove())
	return traceBent(p, &black, &o, s).turn()
}

// traceBent counts the terms that need both sides, for one of them.
func traceBent(p *board.Position, v *view, o *opponent, s tracer) tracer {
	s = traceThreats(v, o, s)
	s = traceChecks(v, o, s)
	s = traceRingWeak(v, o, s)
	s = traceDanger(v, o, s)
	s = tracePassed(v, o, s)
	s = traceWinning(p, v, o, s)
	return traceMopUp(v, o, s)
}

// traceDanger counts what makes an attack on their king dangerous. It has few branches, which
// would be hard to predict.
func traceDanger(v *view, o *opponent, s tracer) tracer {
	x := s.reopen(sumDanger + v.side).one(bentDanger)
	for kind := range 4 {
		x = x.add(bentHit+kind, v.hits>>(8*kind)&255)
		x = x.add(bentAttacker+kind, v.hits>>(32+8*kind)&255)
		x = x.add(bentCheck+kind, v.checks>>kind&1)
	}
	x = x.add(bentUnguarded, v.unguarded)
	x = x.add(bentPin, v.pins)
	if v.queens == 0 {
		x = x.one(bentQueenless)
	}
	flank := kingFlanks[v.theirKing&7] & camp
	x = x.add(bentFlank, (flank & v.attacked).Count())
	x = x.add(bentFlank+1, (flank & v.attackedTwice).Count())
	x = x.add(bentFlank+2, (flank & o.attacked).Count())
	x = x.add(bentPawnHit, (v.ring & v.pawnAttacks).Count())
	return s.keep(sumDanger+v.side, x.add(bentDefender, (v.ring&(o.knights|o.bishops)).Count()))
}

// camp is where an attack on the king takes place, in the attacker's view.
const camp = board.Rank4 | board.Rank5 | board.Rank6 | board.Rank7 | board.Rank8

// kingFlanks are the files around a king, by its file.
var kingFlanks = [8]board.Bitboard{
	leftFiles, leftFiles, leftFiles, centralFiles, centralFiles, rightFiles, rightFiles, rightFiles,
}

const (
	leftFiles    = board.FileA | board.FileB | board.FileC | board.FileD
	centralFiles = board.FileC | board.FileD | board.FileE | board.FileF
	rightFiles   = board.FileE | board.FileF | board.FileG | board.FileH
)

// traceWinning counts what makes a lead of this side easy or hard to convert.
func traceWinning(p *board.Position, v *view, o *opponent, s tracer) tracer {
	x := s.reopen(sumWinning + v.side)
	rest := v.knights | v.queens | o.knights | o.queens
	rooks := v.rooks | o.rooks
	switch {
	case v.bishops != 0 && o.bishops != 0 && !v.bishops.Many() && !o.bishops.Many() &&
		(v.bishops&board.LightSquares == 0) != (o.bishops&board.LightSquares == 0):
		switch {
		case rest != 0:
			x = x.one(bentOpposite + 2)
		case rooks != 0:
			x = x.one(bentOpposite + 1)
		default:
			x = x.one(bentOpposite)
		}
	case rest|v.bishops|o.bishops == 0 && v.rooks != 0 && o.rooks != 0:
		x = x.one(bentRookEnding)
	}
	if !v.pawns.Many() || o.pawnsOnly {
		x = traceDrawish(p, v, o, v.pawns.Count(), x)
	}
	return s.keep(sumWinning+v.side, x)
}

// traceDrawish counts endings that are hardly ever won: without pawns, with the last one, or
// with a bishop that does not guard the promotion square.
func traceDrawish(p *board.Position, v *view, o *opponent, pawns int, x tracer) tracer {
	mine, theirs := v.points(), o.points()
	switch {
	case pawns == 0:
		if knights := v.knights.Count(); !o.pawns.Many() &&
			(mine-theirs == 2 || mine-theirs == 3 || theirs == 0 && knights == 2 && mine == 6) {
			x = x.one(bentDead)
		}
	case theirs == 0:
		c := board.Color(v.side)
		if scaleWrongBishop(p, material{c, mine, pawns}, material{c.Other(), 0, 0}) != scaleWhole {
			x = x.one(bentWrongBishop)
		}
	case pawns == 1 && mine-theirs <= 1:
		x = x.one(bentLastPawn)
	}
	return x
}

// tracePawnEnding counts an ending of kings and pawns in what both sides have to play for.
func tracePawnEnding(v *view, o *opponent, s tracer) tracer {
	if o.pawnsOnly && v.knights|v.bishops|v.rooks|v.queens == 0 {
		s = s.keep(sumComplexity, s.reopen(sumComplexity).one(bentPawnEnding))
	}
	return s
}

// What depends on pawns and kings alone, so that a scorer can cache it with the structure of
// the model assay. Other terms of these channels are added later.

// traceBentStructure counts the pawns and kings of both sides, in all channels. It ends with
// Black's turn, as it starts.
func traceBentStructure(black, white *view, s tracer) tracer {
	s = traceStructure(black, white, s)
	s = traceBentPawns(black, s).turn()
	s = traceBentPawns(white, s)
	return traceComplexity(white, black, s).turn()
}

// traceBentPawns counts the open files near their king, and what pawns say of how easy a lead is
// to convert.
func traceBentPawns(v *view, s tracer) tracer {
	x := s.open()
	files := board.FileA << (v.theirKing & 7)
	open := (files | beside(files)) & board.Rank1 &^ down(v.theirPawns)
	ours := down(v.pawns)
	x = x.add(bentOpenFiles, (open & ours).Count())
	s = s.keep(sumDanger+v.side, x.add(bentOpenFiles+1, (open&^ours).Count()))
	x = s.open().one(bentPawns + v.pawns.Count())
	x = x.add(bentRunners, v.passed.Count())
	if all := v.pawns | v.theirPawns; all != 0 && (all&leftFiles == 0 || all&rightFiles == 0) {
		x = x.one(bentOneWing)
	}
	return s.keep(sumWinning+v.side, x)
}

// traceComplexity counts what both sides have to play for.
func traceComplexity(white, black *view, s tracer) tracer {
	all := white.pawns | white.theirPawns
	x := s.open().one(bentComplexity)
	x = x.add(bentAllPawns, all.Count())
	x = x.add(bentAllPassed, white.passed.Count()+black.passed.Count())
	if all&leftFiles != 0 && all&rightFiles != 0 {
		x = x.one(bentBothWings)
	}
	king, theirKing := white.king, white.theirKing
	files := max(king.File()-theirKing.File(), theirKing.File()-king.File())
	x = x.add(bentOutflanked, files+king.Rank()-theirKing.Rank()+7)
	if king.Rank() >= 4 || theirKing.Rank() < 4 {
		x = x.one(bentInfiltrated)
	}
	return s.keep(sumComplexity, x)
}
