package nss

import (
	"context"
	"slices"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/historic"
)

// Player is nss-1958. It implements engine.Player and historic.Explainer.
type Player struct {
	historic.Base
	goals   int
	plies   int
	final   string
	primary string
	even    bool
}

// Values of the options Choice and Primary.
const (
	first  = "first"
	double = "double"
	rare   = "rare"
	queen  = "queen"
	king   = "king"
)

// New returns the program with the four goals of the opening. Its options are Goals (number of
// goals; the program that played Simon had 3), Plies (where the analysis ends), Choice (the
// first acceptable move, preferably one that two goals propose, or a look for rare consequences:
// see rare.go), Primary (which center pawn moves first) and Even (propose even exchanges with the
// others, not only as a last resort).
func New() *Player {
	p := &Player{goals: len(goals), plies: 8, final: first, primary: queen}
	p.Settings = []historic.Option{
		historic.Number("Goals", &p.goals, 1, len(goals)),
		historic.Number("Plies", &p.plies, 1, 40),
		historic.Choice("Choice", &p.final, first, double, rare),
		historic.Choice("Primary", &p.primary, queen, king),
		historic.Switch("Even", &p.even),
	}
	return p
}

// Search implements engine.Player. The score is the material component.
func (p *Player) Search(ctx context.Context, game *board.Game, lim engine.Limits) (engine.Result, error) {
	pos := game.Position()
	e := p.executive(ctx, pos, lim)
	if len(e.legal) == 0 {
		return e.analysis.Finish(engine.Result{}), nil
	}
	e.run()
	chosen := e.choose()
	result := engine.Result{Move: chosen.move, PV: chosen.line, Score: engine.Score(chosen.score()), Depth: 1}
	if i := slices.Index(result.PV, board.NullMove); i >= 0 {
		result.PV = result.PV[:i]
	}
	if len(e.analyzed) == 0 {
		result.Depth = 0
	} else {
		e.analysis.Report(result, e.analysis.plies)
	}
	return e.analysis.Finish(result), nil
}

// alternative is a proposed and analyzed move.
type alternative struct {
	move     board.Move
	goal     int // index into goals, len(goals) if no goal proposes it
	why      string
	value    worth
	line     []board.Move
	rejected int  // index of the goal that rejects it, -1 if it is acceptable
	again    bool // a second goal proposes it too
}

func (x alternative) score() int {
	switch {
	case x.value.Mate > 0:
		return engine.MateScore - len(x.line)
	case x.value.Mate < 0:
		return len(x.line) - engine.MateScore
	}
	return 100 * x.value.Goals[0]
}

// executive goes down the list of goals.
type executive struct {
	situation
	analysis analysis
	now      worth // of the position; a move is acceptable if its value is not below
	all      bool  // analyze every proposal, for an explanation
	analyzed []alternative
	passing  int // whether the null move loses material: 0 unknown, 1 no, -1 yes
}

func (p *Player) executive(ctx context.Context, pos *board.Position, lim engine.Limits) *executive {
	us := pos.SideToMove()
	budget := historic.NewBudget(ctx, us, lim)
	legal := historic.RootMoves(pos.LegalMoves(nil), lim)
	e := &executive{analysis: p.analysis(pos, us, budget)}
	e.situation = situation{Position: pos, us: us, them: us.Other(), legal: historic.Filter(legal, historic.ToQueen),
		player: p}
	if len(e.legal) == 0 {
		e.legal = legal // only underpromotions are allowed
	}
	e.now = e.analysis.static(pos)
	e.noMove = e.tryNoMove
	e.theirMove = func(m board.Move) bool { return p.acceptableToThem(pos, m, budget) }
	return e
}

func (p *Player) analysis(pos *board.Position, machine board.Color, budget *historic.Budget) analysis {
	a := analysis{machine: machine, plies: budget.Depth(p.plies), Budget: budget}
	for i := range p.goals {
		a.operative[i] = goals[i].operative(pos, machine)
	}
	return a
}

// tryNoMove reports whether the null move would lose no material.
func (e *executive) tryNoMove() bool {
	if e.InCheck() {
		return false
	}
	if e.passing == 0 {
		e.passing = -1
		if v, _, ok := e.analysis.analyze(e.Position, board.NullMove); ok && v.rejects(e.now) != 0 {
			e.passing = 1 // only material counts, since every null move loses a tempo
		}
	}
	return e.passing > 0
}

// acceptableToThem reports whether a move of the opponent, if it were its turn, would be
// acceptable from its own view.
func (p *Player) acceptableToThem(pos *board.Position, m board.Move, budget *historic.Budget) bool {
	turn := *pos
	turn.MakeNull()
	a := p.analysis(&turn, turn.SideToMove(), budget)
	v, _, ok := a.analyze(&turn, m)
	return ok && v.rejects(a.static(&turn)) < 0
}

// run lets the goals propose moves, in order, until one is acceptable.
func (e *executive) run() {
	for i, g := range goals {
		if g.propose == nil || !e.analysis.operative[i] {
			continue
		}
		found := false
		g.propose(&e.situation, func(m board.Move, why string) bool {
			found = e.offer(m, i, why) || found
			return found && e.player.final == first && !e.all || e.analysis.Stopped()
		})
		if found && e.player.final == first && !e.all || e.analysis.Stopped() {
			return
		}
	}
	e.lastResort()
}

// lastResort tries even exchanges if no proposed move is acceptable, and every legal move if
// none has been proposed.
func (e *executive) lastResort() {
	if !e.all && slices.ContainsFunc(e.analyzed, func(x alternative) bool { return x.rejected < 0 }) {
		return
	}
	found := false
	for _, x := range exchanges(e.Position, e.them) {
		if x.value == 0 && !found && !e.analysis.Stopped() {
			found = e.capture(x, func(m board.Move, why string) bool { return e.offer(m, 0, "exchanges evenly") }) && !e.all
		}
	}
	if len(e.analyzed) > 0 {
		return
	}
	for _, m := range e.legal {
		if e.offer(m, len(goals), "legal") && !e.all || e.analysis.Stopped() {
			return
		}
	}
}

// offer analyzes a proposed move, once, and reports whether it is acceptable.
func (e *executive) offer(m board.Move, goal int, why string) bool {
	for i := range e.analyzed {
		if x := &e.analyzed[i]; x.move == m {
			x.again = x.again || x.goal != goal
			return x.rejected < 0
		}
	}
	v, line, ok := e.analysis.analyze(e.Position, m)
	if !ok {
		return false
	}
	x := alternative{move: m, goal: goal, why: why, value: v, line: line, rejected: v.rejects(e.now)}
	e.analyzed = append(e.analyzed, x)
	return x.rejected < 0
}

// choose makes the final choice: the first acceptable alternative, by option preferably one
// that two goals propose, or the best if none is acceptable.
func (e *executive) choose() alternative {
	best := alternative{move: e.legal[0], line: []board.Move{e.legal[0]}}
	chosen := -1
	for i, x := range e.analyzed {
		if i == 0 || x.value.better(best.value) {
			best = x
		}
		if x.rejected < 0 && (chosen < 0 || e.player.final == double && x.again && !e.analyzed[chosen].again) {
			chosen = i
		}
	}
	if chosen >= 0 {
		best = e.analyzed[chosen]
	}
	if e.player.final == rare && len(e.analyzed) > 0 && !e.all {
		return e.consequences(best)
	}
	return best
}
