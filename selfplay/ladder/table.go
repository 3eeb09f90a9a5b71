package ladder

import "fmt"

// crosstable counts the pairs of games of n players. A pair has two games from one opening,
// with colors reversed.
type crosstable struct {
	n      int
	counts map[pairing]*[9]int64 // by outcome: 3 (first + 1) + second + 1
	pairs  int64

	singles []single // games that are not in pairs
}

// pairing is two players; first is the one with the lower number.
type pairing struct{ first, second int }

// newCrosstable returns the empty table of n players.
func newCrosstable(n int) *crosstable { return &crosstable{n: n, counts: map[pairing]*[9]int64{}} }

// add counts a pair between players i and j: the result of the game in which i had
// White, and that of the game in which j had, both White's view: 1, 0 or -1.
func (t *crosstable) add(i, j int, iWhite, jWhite int) error {
	if i == j || i < 0 || j < 0 || i >= t.n || j >= t.n || iWhite*iWhite > 1 || jWhite*jWhite > 1 {
		return fmt.Errorf("a pair of %d and %d with results %d and %d", i, j, iWhite, jWhite)
	}
	if i > j {
		i, j, iWhite, jWhite = j, i, jWhite, iWhite
	}
	p := pairing{i, j}
	if t.counts[p] == nil {
		t.counts[p] = &[9]int64{}
	}
	t.counts[p][3*(iWhite+1)+jWhite+1]++
	t.pairs++
	return nil
}

// pairings calls visit with every pairing that was played, in order.
func (t *crosstable) pairings(visit func(p pairing, counts *[9]int64)) {
	for i := range t.n {
		for j := i + 1; j < t.n; j++ {
			if c := t.counts[pairing{i, j}]; c != nil {
				visit(pairing{i, j}, c)
			}
		}
	}
}

// results returns the results, White's view, of an outcome's two games.
func results(outcome int) (first, second int) { return outcome/3 - 1, outcome%3 - 1 }

// Score is the result of one player against another, or against all.
type Score struct {
	Wins   int64 `json:"wins"`
	Draws  int64 `json:"draws"`
	Losses int64 `json:"losses"`
}

// Games returns the number of games.
func (s Score) Games() int64 { return s.Wins + s.Draws + s.Losses }

// Points returns a point for each win and half of one for each draw.
func (s Score) Points() float64 { return float64(s.Wins) + float64(s.Draws)/2 }

func (s *Score) add(result int, count int64) {
	switch result {
	case 1:
		s.Wins += count
	case 0:
		s.Draws += count
	default:
		s.Losses += count
	}
}

// against returns the score of player i against player j.
func (t *crosstable) against(i, j int) (s Score) {
	p, turned := pairing{i, j}, 1
	if i > j {
		p, turned = pairing{j, i}, -1
	}
	c := t.counts[p]
	if c == nil {
		return s
	}
	for outcome, count := range c {
		first, second := results(outcome)
		s.add(turned*first, count)
		s.add(-turned*second, count)
	}
	return s
}

// total returns the score of player i against all.
func (t *crosstable) total(i int) (s Score) {
	for j := range t.n {
		if j != i {
			a := t.against(i, j)
			s.Wins, s.Draws, s.Losses = s.Wins+a.Wins, s.Draws+a.Draws, s.Losses+a.Losses
		}
	}
	return s
}
