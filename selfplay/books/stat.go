package books

import (
	"cmp"
	"math"
	"slices"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/selfplay/sprt"
)

// Stat is what pairs of games say of their openings.
type Stat struct {
	Pairs    int64 `json:"pairs"`
	Openings int   `json:"openings_played"`

	Draws  num.Float `json:"draw_ratio"` // of single games; null without games
	Even   num.Float `json:"even_pairs"` // share of pairs that say nothing: two draws, or a win each
	OneWon num.Float `json:"won_by_one"` // share of pairs in which one color won both games
	White  Interval  `json:"white_score"`

	Matchups []Matchup `json:"matchups"`

	RepeatedPairs int64  `json:"repeated_pairs"` // move by move as an earlier pair of the same players
	Dead          []Dead `json:"dead"`           // openings that decide nothing
	Unpaired      int    `json:"unpaired_games,omitempty"`
	Unfinished    int    `json:"unfinished_games,omitempty"`
	Others        int    `json:"other_games,omitempty"` // of openings outside of the book
}

// Interval is a share with its 95 % interval.
type Interval struct {
	Share num.Float `json:"share"`
	Lo    num.Float `json:"lo"`
	Hi    num.Float `json:"hi"`
}

// Matchup is the score of two players, from the first one's view.
type Matchup struct {
	A           string           `json:"a"` // for people
	B           string           `json:"b"`
	IDA         string           `json:"a_id"`
	IDB         string           `json:"b_id"`
	Pentanomial sprt.Pentanomial `json:"pentanomial"`
	NElo        sprt.Strength    `json:"nelo"` // normalized
}

// Dead is an opening from which no pair was won.
type Dead struct {
	FEN    string `json:"fen"`
	Number int    `json:"number"` // in the book, from 1; 0 without a book
	Pairs  int    `json:"pairs"`
	Drawn  int    `json:"drawn"` // games
	won    bool   // one of them, by a player
}

// deadPairs is how many pairs an opening must have before it is said to decide nothing. Of openings of a usual book,
// with two even pairs of three, one of twenty-five has eight even pairs by chance.
const deadPairs = 8

// Stat returns what the pairs say.
func (g *Games) Stat() *Stat {
	s := &Stat{Pairs: int64(len(g.pairs)), Unpaired: g.Unpaired, Unfinished: g.Unfinished, Others: g.Others,
		Matchups: []Matchup{}, Dead: []Dead{}}
	var white, squares float64
	var draws, even, one int
	dead := map[uint64]*Dead{}
	scores := make([]sprt.Pentanomial, len(g.matchups))
	seen := map[[2]uint64]bool{}
	for i := range g.pairs {
		p := &g.pairs[i]
		d := dead[p.opening]
		if d == nil {
			d = &Dead{FEN: g.starts[p.opening]}
			if n, in := g.keys[p.opening]; in {
				d.Number = n + 1
			}
			dead[p.opening] = d
		}
		for _, r := range p.results {
			if r == 0 {
				draws, d.Drawn = draws+1, d.Drawn+1
			}
		}
		d.Pairs++
		if p.results[0] == p.results[1] {
			even++
		} else {
			d.won = true
		}
		if p.results[0]*p.results[1] > 0 {
			one++
		}
		w := 0.5 + float64(p.results[0]+p.results[1])/4
		white, squares = white+w, squares+w*w
		scores[p.matchup].AddPair(p.results[0], -p.results[1])
		if p.moves != [2]uint64{} && seen[p.moves] {
			s.RepeatedPairs++
		}
		seen[p.moves] = true
	}
	s.Openings = len(dead)
	for _, d := range dead {
		if d.Pairs >= deadPairs && !d.won {
			s.Dead = append(s.Dead, *d)
		}
	}
	slices.SortFunc(s.Dead, func(a, b Dead) int { return cmp.Or(a.Number-b.Number, cmp.Compare(a.FEN, b.FEN)) })
	for i, players := range g.matchups {
		if c := scores[i]; c.Samples() > 0 {
			s.Matchups = append(s.Matchups, Matchup{g.name(players[0]), g.name(players[1]), players[0], players[1], c,
				sprt.Summarize(c).Details().Normalized()})
		}
	}
	n := float64(len(g.pairs))
	s.Draws, s.Even, s.OneWon = num.Float(float64(draws)/2/n), num.Float(float64(even)/n), num.Float(float64(one)/n)
	mean := white / n
	reach := normal95 * math.Sqrt(max(0, squares/n-mean*mean)/n)
	s.White = Interval{num.Float(mean), num.Float(max(0, mean-reach)), num.Float(min(1, mean+reach))}
	return s
}

// normal95 is the 97.5 % point of the normal distribution.
const normal95 = 1.959963984540054

// Worth says what share of the games of other openings the openings of a book need for the same test, with its 95 %
// interval. It is unknown if the players are too equal to say.
type Worth struct {
	Games   num.Float `json:"games"` // 0.6: six games in place of ten
	Lo      num.Float `json:"lo"`
	Hi      num.Float `json:"hi"`
	Players int       `json:"matchups"` // that both have
}

// Compare returns what openings are worth in place of others, by the normalized Elo of the same players. The ratio of
// two uncertain numbers has the interval that E. C. Fieller gave in 1954: of all ratios that the data do not reject.
// With several pairs of players it is the ratio that all of them have in common.
func Compare(book, other *Stat) Worth {
	var list []both
	for _, x := range book.Matchups {
		for _, y := range other.Matchups {
			turned := x.IDA == y.IDB && x.IDB == y.IDA
			if (x.IDA == y.IDA && x.IDB == y.IDB || turned) && x.NElo.Known() && y.NElo.Known() {
				b := both{float64(x.NElo.Elo), standardError(x.NElo), float64(y.NElo.Elo), standardError(y.NElo)}
				if turned {
					b.y = -b.y
				}
				list = append(list, b)
			}
		}
	}
	return worth(list)
}

// both is the normalized Elo of two players from a book, x, and from other openings, y, with standard errors.
type both struct{ x, xe, y, ye float64 }

func standardError(s sprt.Strength) float64 { return float64(s.EloHi-s.EloLo) / 2 / normal95 }

// worth looks for the ratio of x to y on a fine grid of logarithms.
func worth(list []both) Worth {
	const from, to, steps = -2.5, 2.5, 2000 // e^2.5 is 12: 150 times as many games
	w := Worth{num.Unknown, num.Unknown, num.Unknown, len(list)}
	misfit := make([]float64, steps+1)
	best := 0
	ratio := func(i int) float64 { return math.Exp(from + (to-from)*float64(i)/steps) }
	for i := range misfit {
		r := ratio(i)
		for _, b := range list {
			d := b.x - r*b.y
			misfit[i] += d * d / (b.xe*b.xe + r*r*b.ye*b.ye)
		}
		if misfit[i] < misfit[best] {
			best = i
		}
	}
	inside := func(i int) bool { return misfit[i] <= misfit[best]+normal95*normal95 }
	if len(list) == 0 || inside(0) || inside(steps) {
		return w // every large or small ratio fits as well
	}
	lo, hi := best, best
	for inside(lo) {
		lo--
	}
	for inside(hi) {
		hi++
	}
	games := func(i int) num.Float { return num.Float(1 / (ratio(i) * ratio(i))) }
	w.Games, w.Lo, w.Hi = games(best), games(hi), games(lo)
	return w
}

// Known reports whether the games say anything.
func (w Worth) Known() bool { return w.Games.Known() }
