package uci

import (
	"fmt"
	"strings"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

// shower writes what a search of one position says.
type shower struct {
	position board.Position
	chess960 bool
}

// info returns the info line.
func (s *shower) info(i engine.Info) string {
	var b strings.Builder
	fmt.Fprintf(&b, "info depth %d seldepth %d multipv %d score %s", i.Depth, max(i.SelDepth, i.Depth), max(i.MultiPV, 1), score(i.Score))
	switch {
	case i.Bound < 0:
		b.WriteString(" upperbound")
	case i.Bound > 0:
		b.WriteString(" lowerbound")
	}
	ms := i.Time.Milliseconds()
	nps := uint64(float64(i.Nodes) / max(i.Time.Seconds(), 1e-6))
	fmt.Fprintf(&b, " nodes %d nps %d hashfull %d time %d", i.Nodes, nps, i.HashFull, ms)
	if pv := s.line(i.PV); len(pv) > 0 {
		b.WriteString(" pv " + strings.Join(pv, " "))
	}
	return b.String()
}

// score returns a score as UCI writes it: centipawns, or moves to mate.
func score(v int) string {
	switch {
	case v > engine.MaxScore:
		return fmt.Sprintf("mate %d", (engine.MateScore-v+1)/2)
	case v < -engine.MaxScore:
		return fmt.Sprintf("mate %d", -(engine.MateScore+v)/2)
	}
	return fmt.Sprintf("cp %d", v)
}

// bestMove returns the bestmove line, with the expected answer to ponder on.
func (s *shower) bestMove(r engine.Result) string {
	if r.Move == board.NullMove {
		return "bestmove 0000"
	}
	pv := r.PV
	if len(pv) == 0 || pv[0] != r.Move {
		pv = []board.Move{r.Move}
	}
	line := s.line(pv)
	if len(line) > 1 {
		return "bestmove " + line[0] + " ponder " + line[1]
	}
	return "bestmove " + s.write(&s.position, r.Move)
}

// line returns the moves of a variation, up to one that is not legal.
func (s *shower) line(pv []board.Move) []string {
	p := s.position
	words := make([]string, 0, len(pv))
	for _, m := range pv {
		if !p.IsLegal(m) {
			break
		}
		words = append(words, s.write(&p, m))
		p.Make(m)
	}
	return words
}

func (s *shower) write(p *board.Position, m board.Move) string {
	if s.chess960 {
		return m.String()
	}
	return p.UCI(m)
}
