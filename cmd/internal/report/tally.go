package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/arrange"
)

// tally is what a page shows of the games of one folder.
type tally struct {
	*arrange.Tally
	folder string
	viewer *gallery
}

// add counts a game.
func (t *tally) add(number uint64, g *dataset.GameRow) {
	t.Tally.Add(number, g)
	t.viewer.offer(number, g)
}

// san returns the moves of a game in standard algebraic notation.
func san(g *dataset.GameRow) ([]string, error) {
	list := make([]string, 0, len(g.Moves))
	for i, game := range g.Replay() {
		if i == len(g.Moves) {
			return list, nil
		}
		if p := game.Position(); p.IsLegal(g.Moves[i]) {
			list = append(list, p.SAN(g.Moves[i]))
		}
	}
	return nil, fmt.Errorf("game %d cannot be replayed", g.Game)
}

func counts[N ~int | ~int64](list []N) (values []float64) {
	for _, n := range list {
		values = append(values, float64(n))
	}
	return values
}

// figures draws the statistics of the games.
func (t *tally) figures(name string) []figure {
	names := slices.SortedFunc(maps.Keys(t.Terminations), func(a, b string) int {
		return cmp.Or(cmp.Compare(t.Terminations[b], t.Terminations[a]), cmp.Compare(a, b))
	})
	var ends, phases []float64
	for _, n := range names {
		ends = append(ends, float64(t.Terminations[n]))
	}
	var lengths, numbers []string
	for i := range t.Lengths {
		lengths = append(lengths, fmt.Sprint(10*i))
	}
	for i := range t.Phases {
		numbers, phases = append(numbers, fmt.Sprint(24-i)), append(phases, float64(t.Phases[24-i]))
	}
	return []figure{
		bars(figure{Title: "Results: " + name}, "games", []string{"White won", "drawn", "Black won"},
			counts([]int64{t.White, t.Draw, t.Lost})),
		bars(figure{Title: "How games ended: " + name}, "games", names, ends),
		bars(figure{Title: "Lengths of games in plies: " + name,
			Note: "Each bar covers ten plies, beginning with the number below it."}, "games", lengths, counts(t.Lengths[:])),
		bars(figure{Title: "Phases of positions: " + name,
			Note: "24 is the middlegame with all pieces; 0 is pawns and kings only."}, "positions", numbers, phases),
	}
}

// summary lists the statistics of the games in words.
func (t *tally) summary() ui.Table {
	different, most, effective := t.Openings()
	share, rate := t.RepeatedPositions()
	repeated := percent(share, 1) + " of the searched positions"
	if rate > 1 {
		repeated += fmt.Sprintf(" (of a sample by key, one in %d)", rate)
	}
	var rows ui.Table
	rows.Add("games\t%d", t.Games)
	rows.Add("plies searched\t%d", t.Plies)
	rows.Add("White's score\t%s", percent(float64(t.White)+float64(t.Draw)/2, float64(t.Games)))
	rows.Add("drawn\t%s", percent(float64(t.Draw), float64(t.Games)))
	rows.Add("openings\t%d different; the most common one in %d games; as diverse as %.0f equally common ones", different,
		most, effective)
	rows.Add("games equal to an earlier game\t%d", t.Repeated)
	rows.Add("repeated positions\t%s", repeated)
	return rows
}
