package uci

import (
	"fmt"
	"strings"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

// formatter formats the output of a search of one position.
type formatter struct {
	position board.Position
	chess960 bool
}

// info returns the info line.
func (f *formatter) info(i engine.Info) string {
	var b strings.Builder
	fmt.Fprintf(&b, "info depth %d seldepth %d multipv %d", i.Depth, max(i.SelDepth, i.Depth), max(i.MultiPV, 1))
	if i.Score.Known() {
		b.WriteString(" score " + score(i.Score))
	}
	switch {
	case i.Bound < 0:
		b.WriteString(" upperbound")
	case i.Bound > 0:
		b.WriteString(" lowerbound")
	}
	ms := i.Time.Milliseconds()
	nps := uint64(float64(i.Nodes) / max(i.Time.Seconds(), 1e-6))
	fmt.Fprintf(&b, " nodes %d nps %d hashfull %d time %d", i.Nodes, nps, i.HashFull, ms)
	if pv := f.line(i.PV); len(pv) > 0 {
		b.WriteString(" pv " + strings.Join(pv, " "))
	}
	return b.String()
}

// score formats a score as UCI does: centipawns, or moves to mate.
func score(v engine.Score) string {
	switch {
	case v > engine.MaxScore:
		return fmt.Sprintf("mate %d", (engine.MateScore-v+1)/2)
	case v < -engine.MaxScore:
		return fmt.Sprintf("mate %d", -(engine.MateScore+v)/2)
	}
	return fmt.Sprintf("cp %d", v)
}

// bestMove returns the bestmove line, with the expected reply for pondering.
func (f *formatter) bestMove(r engine.Result) string {
	if r.Move == board.NullMove {
		return "bestmove 0000"
	}
	pv := r.PV
	if len(pv) == 0 || pv[0] != r.Move {
		pv = []board.Move{r.Move}
	}
	line := f.line(pv)
	if len(line) > 1 {
		return "bestmove " + line[0] + " ponder " + line[1]
	}
	return "bestmove " + f.move(&f.position, r.Move)
}

// line returns the moves of a variation, up to the first that is not legal.
func (f *formatter) line(pv []board.Move) []string {
	p := f.position
	words := make([]string, 0, len(pv))
	for _, m := range pv {
		if !p.IsLegal(m) {
			break
		}
		words = append(words, f.move(&p, m))
		p.Make(m)
	}
	return words
}

func (f *formatter) move(p *board.Position, m board.Move) string {
	if f.chess960 {
		return m.String()
	}
	return p.UCI(m)
}
