package report

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"github.com/assay-chess/assay/tuner"
)

// coefficient is a term before and after a fit.
type coefficient struct {
	Name, Group        string
	OldMG, OldEG       float64
	NewMG, NewEG       float64
	SEMG, SEEG         tuner.Float
	InMG, InEG         tuner.Interval // 95 %
	Count              int64
	Moved              bool // by more than two standard errors, with enough data
	ChangeMG, ChangeEG template.HTML
}

// coefficients is the table of all terms, and the plot of those that moved most.
type coefficients struct {
	Unit    string // of all values: centipawns, or engine units
	Note    string
	List    []coefficient
	Figures []figure
}

// starred says what a star in the table means.
const starred = "Standard errors are clustered by game. A star marks a change of more than two standard errors, where at least 30 effective games and mostly the data, not the prior, determine the term."

func coefficientsOf(terms []tuner.TermFit) (list []coefficient) {
	for i := range terms {
		t := &terms[i]
		list = append(list, coefficient{Name: t.Name, Group: t.Group, OldMG: t.StartMG, OldEG: t.StartEG, NewMG: float64(t.MG), NewEG: float64(t.EG),
			SEMG: t.SEMG, SEEG: t.SEEG, InMG: t.IntervalMG, InEG: t.IntervalEG, Count: t.Count, Moved: t.Moved()})
	}
	return list
}

func newCoefficients(unit, note string, list []coefficient) *coefficients {
	most := 1.0
	for _, c := range list {
		most = max(most, math.Abs(c.NewMG-c.OldMG)+2*c.SEMG.OrZero(), math.Abs(c.NewEG-c.OldEG)+2*c.SEEG.OrZero())
	}
	for i := range list {
		c := &list[i]
		c.ChangeMG = whisker(c.NewMG, c.OldMG, c.InMG, most)
		c.ChangeEG = whisker(c.NewEG, c.OldEG, c.InEG, most)
	}
	return &coefficients{Unit: unit, Note: note, List: list, Figures: movers(unit, list)}
}

// whisker draws a change and its 95 % interval around the start value in the middle, on
// a scale that is linear near it and logarithmic far away.
func whisker(now, old float64, in tuner.Interval, most float64) template.HTML {
	const half = 40
	lo, hi := now, now
	if in != (tuner.Interval{}) {
		lo, hi = in[0], in[1]
	}
	at := func(v float64) float64 { return half + half*math.Asinh(v/5)/math.Asinh(most/5) }
	clamp := func(v float64) float64 { return max(0, min(2*half, at(finite(v)))) }
	return template.HTML(fmt.Sprintf(`<svg class="w" viewBox="-2 0 84 12" aria-hidden="true"><path class="z" d="M40 0V12"/><path d="M%.0f 6H%.0f"/><circle cx="%.0f" cy="6" r="3"/></svg>`,
		clamp(lo-old), clamp(hi-old), clamp(now-old)))
}

// movers draws the coefficients that moved farthest from their start in standard errors.
func movers(unit string, list []coefficient) []figure {
	type mover struct {
		estimate
		z float64
	}
	var all []mover
	for i := range list {
		c := &list[i]
		if !c.Moved {
			continue
		}
		for _, v := range []struct {
			phase       string
			old, now, e float64
			in          tuner.Interval
		}{{" mg", c.OldMG, c.NewMG, c.SEMG.OrZero(), c.InMG}, {" eg", c.OldEG, c.NewEG, c.SEEG.OrZero(), c.InEG}} {
			if v.e > 0 {
				lo, hi := bounds(v.in)
				all = append(all, mover{estimate{name: c.Name + v.phase, value: v.now, lo: lo, hi: hi, start: v.old, hasStart: true}, math.Abs(v.now-v.old) / v.e})
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	slices.SortStableFunc(all, func(a, b mover) int {
		switch {
		case a.z > b.z:
			return -1
		case a.z < b.z:
			return 1
		}
		return 0
	})
	const maxShown = 20
	var top []estimate
	for _, m := range all[:min(maxShown, len(all))] {
		top = append(top, m.estimate)
	}
	return []figure{forest(figure{Title: "What moved most",
		Note: "Of the coefficients with a star in the table, those that moved by the most standard errors, with 95 % intervals."}, unit, top)}
}

// diagram is a piece-square table, the eighth rank first.
type diagram struct {
	Title string
	Ranks [8]rank
}

type rank struct {
	Number  int
	Squares [8]square
}

type square struct {
	Name  string
	Value float64
	SE    tuner.Float // 0 where there is none, as under the start weights
	Valid bool        // the model has a term for the square
	Style template.CSS
}

// pieceBoards are the tables of one piece: middlegame and endgame, before and after.
type pieceBoards struct {
	Piece  string
	Boards []diagram
}

// Learned returns the tables after the fit, Start those before it.
func (p *pieceBoards) Learned() []diagram { return []diagram{p.Boards[1], p.Boards[3]} }
func (p *pieceBoards) Start() []diagram   { return []diagram{p.Boards[0], p.Boards[2]} }

// boards collects the terms named psq.PIECE.SQUARE.
func boards(terms []coefficient) (list []*pieceBoards) {
	index := map[string]int{}
	for _, t := range terms {
		rest, ok := strings.CutPrefix(t.Name, "psq.")
		piece, name, ok2 := strings.Cut(rest, ".")
		if !ok || !ok2 || len(name) != 2 || name[0] < 'a' || name[0] > 'h' || name[1] < '1' || name[1] > '8' {
			continue
		}
		at, seen := index[piece]
		if !seen {
			at = len(list)
			index[piece] = at
			p := &pieceBoards{Piece: piece}
			for _, title := range []string{"middlegame, start", "middlegame, learned", "endgame, start", "endgame, learned"} {
				b := diagram{Title: piece + ", " + title}
				for i := range b.Ranks {
					b.Ranks[i].Number = 8 - i
				}
				p.Boards = append(p.Boards, b)
			}
			list = append(list, p)
		}
		errors := []tuner.Float{0, t.SEMG, 0, t.SEEG}
		for i, v := range []float64{t.OldMG, t.NewMG, t.OldEG, t.NewEG} {
			list[at].Boards[i].Ranks['8'-name[1]].Squares[name[0]-'a'] = square{Name: name, Value: v, SE: errors[i], Valid: true, Style: tint(v, errors[i])}
		}
	}
	return list
}

// tint colors a value: warm above zero, cool below, strongest from 60 on. It fades as the
// standard error grows, to nothing where that is as large as the value, or not known.
func tint(v float64, se tuner.Float) template.CSS {
	strength := min(1, math.Abs(v)/60) * 0.7
	if v == 0 || !se.Known() {
		strength = 0
	} else {
		strength *= max(0, 1-float64(se)/math.Abs(v))
	}
	rgb := "210,90,20"
	if v < 0 {
		rgb = "40,100,210"
	}
	return template.CSS(fmt.Sprintf("background:rgba(%s,%.2f)", rgb, strength))
}

// coefficientSection adds the table.
func (b *builder) coefficientSection(c *coefficients) error {
	if len(c.List) == 0 {
		return nil
	}
	b.number(c.Figures)
	return b.add("coefficients", "Every coefficient", "coefficients", c)
}

// boardSection adds the boards.
func (b *builder) boardSection(c *coefficients) error {
	squares := boards(c.List)
	if len(squares) == 0 {
		return nil
	}
	return b.add("boards", "Piece-square tables", "boards", squares)
}
