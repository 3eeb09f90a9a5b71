package screen

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/integrate/quad"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/selfplay/sprt"
)

// World is a model of games in which screens are simulated. It is not the one that Estimate fits: strengths are those
// of P. Rao and L. Kupper (1967), which change with the opening, and factors interact.
type World struct {
	Main       []float64 // effect of each factor on the strength, in Elo of games without draws
	Together   []Joint   // beyond the effects of single factors
	Saturation float64   // the Elo beyond which more gain counts for little; 0: none
	Draws      float64   // share of draws among equal players, 0 to 0.95
	White      float64   // standard deviation over openings of White's advantage
	Opening    float64   // standard deviation over openings of each factor's effect

	known map[[2]Subset]float64 // expected scores
}

// Joint is an effect of two or more factors together: added where all of them are on.
type Joint struct {
	Of  Subset
	Elo float64
}

// strength returns that of a subset, in Elo of games without draws.
func (w *World) strength(s Subset) float64 {
	sum := 0.0
	for j, x := range w.Main {
		if s.Has(j) {
			sum += x
		}
	}
	for _, x := range w.Together {
		if s&x.Of == x.Of {
			sum += x.Elo
		}
	}
	if w.Saturation > 0 {
		sum = w.Saturation * (1 - math.Exp(-sum/w.Saturation))
	}
	return sum
}

// margin is by how much Elo a player must be stronger for as many wins as draws and losses.
func (w *World) margin() float64 { return 400 * math.Log10((1+w.Draws)/(1-w.Draws)) }

// pair returns the score of a pair of games, from an opening with an advantage of White.
func pair(rng *rand.Rand, elo, white, margin float64) float64 {
	score := 0.0
	for _, advantage := range []float64{white, -white} {
		switch x := rng.Float64(); {
		case x < sprt.Score(elo+advantage-margin):
			score += 0.5
		case x < 1-sprt.Score(-elo-advantage-margin):
			score += 0.25
		}
	}
	return score
}

// expected returns the expected score of a subset against another, over all openings.
func (w *World) expected(a, b Subset) float64 {
	if score, ok := w.known[[2]Subset{a, b}]; ok {
		return score
	}
	elo, margin := w.strength(a)-w.strength(b), w.margin()
	mean := func(sd float64, f func(float64) float64) float64 {
		if sd == 0 {
			return f(0)
		}
		g := func(x float64) float64 { return f(math.Sqrt2*sd*x) / math.Sqrt(math.Pi) } // weighted by e^(-x^2)
		return quad.Fixed(g, math.Inf(-1), math.Inf(1), 12, quad.Hermite{}, 0)
	}
	score := mean(w.Opening*math.Sqrt(float64((a^b).Size())), func(e float64) float64 {
		return mean(w.White, func(white float64) float64 {
			one, two := elo+e+white, elo+e-white
			return (2 + sprt.Score(one-margin) - sprt.Score(-one-margin) + sprt.Score(two-margin) - sprt.Score(-two-margin)) / 4
		})
	})
	if w.known == nil {
		w.known = map[[2]Subset]float64{}
	}
	w.known[[2]Subset{a, b}] = score
	return score
}

// meeting is what a pair of games compares.
type meeting struct {
	a, b Subset
	elo  float64 // by which a is stronger
}

func (w *World) meeting(d *Design, pair int, fixed Fixed) meeting {
	a, b := d.Comparison(uint64(pair), fixed)
	return meeting{a, b, w.strength(a) - w.strength(b)}
}

// meetings returns those of a screen in which no factor is fixed.
func (w *World) meetings(d *Design, pairs int) []meeting {
	list := make([]meeting, pairs)
	for n := range list {
		list[n] = w.meeting(d, n, Fixed{})
	}
	return list
}

// play simulates a screen. Factors that a look decides are fixed at their better level if fix says so.
func (w *World) play(d *Design, meetings []meeting, fix bool, rng *rand.Rand) (e *Estimate, decided Subset,
	list []Pair) {
	byOpening := make([]float64, d.Factors)
	var fixed Fixed
	white, stratum, look, margin := 0.0, 0, 0, w.margin()
	list = make([]Pair, 0, len(meetings))
	for n, m := range meetings {
		if n%PerOpening == 0 {
			white = w.White * rng.NormFloat64()
			for j := range byOpening {
				byOpening[j] = w.Opening * rng.NormFloat64()
			}
		}
		if stratum > 0 {
			m = w.meeting(d, n, fixed)
		}
		elo := m.elo
		for j, x := range byOpening {
			elo += x * (m.a.level(j) - m.b.level(j)) / 2
		}
		list = append(list, Pair{A: m.a, B: m.b, Score: pair(rng, elo, white, margin), Opening: uint64(n / PerOpening),
			Stratum: stratum})
		if look == len(Looks) || n+1 < int(Looks[look]*float64(len(meetings))) {
			continue
		}
		if look+1 < len(Looks) {
			e = d.Effects(list)
		} else {
			e = d.Estimate(list)
		}
		now := e.Decide(look, decided)
		if fix && now != decided && look+1 < len(Looks) {
			fixed, stratum = e.Fix(now, fixed), stratum+1
		}
		decided = now
		look++
	}
	return e, decided, list
}

// Fix returns the factors that are decided at their better level; those that are fixed stay as they are.
func (e *Estimate) Fix(decided Subset, was Fixed) Fixed {
	for j := range e.Effects {
		if decided.Has(j) && !was.Factors.Has(j) && e.Effects[j].Elo > 0 {
			was.On |= 1 << j
		}
	}
	was.Factors |= decided
	return was
}

// Simulated says how well screens did.
type Simulated struct {
	Runs    int     `json:"runs"`
	SE      float64 `json:"se"`      // mean standard error of a main effect, in Elo
	Covered float64 `json:"covered"` // share of 95 % intervals that hold the effect in the games of the screen
	// Direct is the same for the mean Elo between subsets with and without the factor, by games between them.
	Direct    float64   `json:"covered_direct"`
	Family    float64   `json:"family_error"` // share of runs that decided a factor without an effect
	Decided   float64   `json:"decided"`      // factors in a run
	BestGain  float64   `json:"best_gain"`    // of the set that the true effects recommend, against all off; mean
	Gain      float64   `json:"gain"`         // of the recommended set
	Predicted float64   `json:"predicted"`
	GainHeld  num.Float `json:"gain_held"` // share of runs whose interval holds the gain
}

// Simulate simulates screens of a number of pairs, each in a world of its own from the function. The effects of factors
// that are zero there count for the family's error. Equal arguments give equal answers.
func Simulate(ctx context.Context, d *Design, pairs, runs int, fix bool, world func(run int) *World) (*Simulated,
	error) {
	s := &Simulated{Runs: runs}
	var truth *Estimate
	var direct []float64
	var meetings []meeting
	var last *World
	covered, straight, effects, family, held := 0, 0, 0, 0, 0
	for run := range runs {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		w := world(run)
		if w != last {
			meetings, last = w.meetings(d, pairs), w
			truth, direct = w.truth(d, meetings), w.direct(d, pairs)
		}
		e, decided, list := w.play(d, meetings, fix, rand.New(rand.NewPCG(d.seed+uint64(run)<<16, 5)))
		own := w.own(d, e, list)
		wrong := false
		for j := range e.Effects {
			x := &e.Effects[j]
			if !x.Known() {
				continue
			}
			effects++
			s.SE += float64(x.SE)
			want := truth.Effects[j].Elo
			if own != nil {
				want = num.Float(own.theta[j])
			}
			covered += count(x.EloLo <= want && want <= x.EloHi)
			straight += count(float64(x.EloLo) <= direct[j] && direct[j] <= float64(x.EloHi))
			wrong = wrong || decided.Has(j) && math.Abs(direct[j]) < 1e-6 && math.Abs(float64(truth.Effects[j].Elo)) < 0.2
		}
		family += count(wrong)
		gain := sprt.Elo(w.expected(e.Best, 0))
		held += count(float64(e.GainLo) <= gain && gain <= float64(e.GainHi))
		s.Gain += gain / float64(runs)
		s.Predicted += float64(e.Gain) / float64(runs)
		s.BestGain += sprt.Elo(w.expected(truth.Best, 0)) / float64(runs)
		s.Decided += float64(decided.Size()) / float64(runs)
	}
	s.SE /= float64(max(effects, 1))
	s.Covered, s.Direct = share(covered, effects), share(straight, effects)
	s.Family, s.GainHeld = share(family, runs), num.Float(share(held, runs))
	return s, nil
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func share(part, whole int) float64 { return float64(part) / float64(max(whole, 1)) }

// truth returns the effects that a screen without chance estimates: the effect of a factor with the others at random
// in the games of the screen.
func (w *World) truth(d *Design, meetings []meeting) *Estimate {
	list := make([]Pair, len(meetings))
	for n, m := range meetings {
		list[n] = Pair{A: m.a, B: m.b, Score: w.expected(m.a, m.b), Opening: uint64(n / PerOpening)}
	}
	return d.Estimate(list)
}

// own returns the effects that a screen with fixed factors estimates in its own games, without chance; nil: it fixed
// none.
func (w *World) own(d *Design, e *Estimate, list []Pair) *fit {
	stratum := list[len(list)-1].Stratum
	if stratum == 0 {
		return nil
	}
	for i := range list {
		list[i].Score = w.expected(list[i].A, list[i].B)
	}
	g := group(list)
	if e.moved {
		return d.last(g, stratum)
	}
	return g.solve(d.regressors(g.kinds, d.Factors))
}

// direct returns for each factor the mean Elo of a subset with it against the same without it, over those of a screen.
func (w *World) direct(d *Design, pairs int) []float64 {
	elo := make([]float64, d.Factors)
	n := min(pairs, 4*d.order()*PerOpening)
	for i := range n {
		a, b := d.Comparison(uint64(i), Fixed{})
		for j := range elo {
			for _, s := range []Subset{a, b} {
				elo[j] += sprt.Elo(w.expected(s|1<<j, s&^(1<<j))) / float64(2*n)
			}
		}
	}
	return elo
}

// RandomWorld returns a world with effects of a standard deviation in Elo, one of four of them zero, interactions of
// two of a quarter of it, and that share of draws. Draws make differences in Elo smaller than those of strengths.
func RandomWorld(factors int, elo, draws float64, seed uint64) *World {
	rng := rand.New(rand.NewPCG(seed, 6))
	elo /= 1 - draws*draws
	w := &World{Main: make([]float64, factors), Draws: draws, White: 80, Opening: elo / 2}
	for j := range factors {
		if j%4 == 3 {
			continue
		}
		w.Main[j] = elo * rng.NormFloat64()
		for k := range j {
			if k%4 != 3 {
				w.Together = append(w.Together, Joint{1<<j | 1<<k, elo / 4 * rng.NormFloat64()})
			}
		}
	}
	return w
}
