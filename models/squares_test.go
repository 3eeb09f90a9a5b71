package models

import (
	"fmt"
	"math"
	"testing"
)

// A table of squares has a term for each square that its names give; one of numbers all from 0 to 63, no more.
func TestSquareTables(t *testing.T) {
	numbers := func(prefix string, from, to int) (names []string) {
		for i := from; i < to; i++ {
			names = append(names, fmt.Sprintf("%s%d", prefix, i))
		}
		return names
	}
	for _, c := range []struct {
		names []string
		want  string // names of the tables
	}{
		{[]string{"tempo", "psq.pawn.e4", "psq.pawn.d4", "psq.king.h8", "psq.king.h9"}, "[psq.pawn psq.king]"},
		{numbers("pst.0.", 0, 64), "[pst.0*]"},
		{append(numbers("pst.0.", 0, 64), numbers("pst.1.", 0, 64)...), "[pst.0* pst.1*]"},
		{numbers("pst_", 0, 64), "[pst*]"},
		{numbers("safety.", 0, 63), "[]"},
		{numbers("safety.", 0, 65), "[]"},
		{append(numbers("safety.", 0, 63), "safety.62"), "[]"},
		{append(append(numbers("mobility.", 0, 28), "psq[queen][d1]"), numbers("pst.", 0, 64)...), "[psq[queen] pst*]"},
	} {
		got := []string{}
		for _, table := range SquareTables(c.names) {
			name := table.Name
			if table.Numbered {
				name += "*"
			}
			got = append(got, name)
			for square, i := range table.Terms {
				if i >= 0 && table.Numbered && c.names[i] != fmt.Sprintf("%s.%d", table.Name, square) &&
					c.names[i] != fmt.Sprintf("%s_%d", table.Name, square) {
					t.Errorf("%s is on square %d", c.names[i], square)
				}
				if _, s, ok := squareOf(c.names[max(i, 0)]); i >= 0 && !table.Numbered && (!ok || int(s) != square) {
					t.Errorf("%s is on square %d", c.names[i], square)
				}
			}
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%v, want %s", got, c.want)
		}
	}
}

func TestColorScale(t *testing.T) {
	for _, c := range []struct {
		values       []float64
		middle, most float64
	}{
		{[]float64{-20, 0, 35}, 0, 35},
		{[]float64{0, 0}, 0, 1},
		{[]float64{10, 25}, 0, 25},
		{[]float64{320, 335, 350}, 335, 15},
		{[]float64{-90, -110}, -100, 10},
	} {
		if middle, most := colorScale(c.values); middle != c.middle || most != c.most {
			t.Errorf("%v: %v ± %v, want %v ± %v", c.values, middle, most, c.middle, c.most)
		}
	}
}

// A board holds the value of each square's term, and the endgame only where it differs.
func TestBoards(t *testing.T) {
	table := SquareTables([]string{"psq.rook.a1", "tempo", "psq.rook.h8"})[0]
	for _, eg := range []float64{0, 5} {
		list := table.Boards([2]string{"old", "new"}, func(term, half int) (old, now float64) {
			return 10, 10 + float64(term) + float64(half)*eg
		})
		if want := map[float64]int{0: 3, 5: 6}[eg]; len(list) != want {
			t.Fatalf("%d boards, want %d", len(list), want)
		}
		for k, b := range list {
			last := []float64{10, 12, 2, 10, 12 + eg, 2 + eg}[k]
			if b.Values[63] != last || b.Values[0] != []float64{10, 10, 0, 10, 10 + eg, eg}[k] || !math.IsNaN(b.Values[1]) ||
				b.Half != k/3 || b.Changes != (k%3 == 2) || b.Changes && (b.Middle != 0 || b.Most != 2+eg) {
				t.Errorf("%d: %s %v, %v ± %v", k, b.Title, b.Values, b.Middle, b.Most)
			}
		}
	}
}
