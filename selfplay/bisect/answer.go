package bisect

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/selfplay/sprt"
)

// The answers.
const (
	NoStep         = "no step"
	OneStep        = "one step"
	TwoSteps       = "two steps"
	NoSingleCommit = "no single commit" // several steps, or many small ones; where they are is not known
	Undecided      = "undecided"
)

// Answer is what is known of the steps.
type Answer struct {
	Verdict string     `json:"verdict"` // Undecided if nothing is probable enough
	Steps   []Step     `json:"steps"`   // of the verdict; without one the likeliest commits
	Kinds   [4]float64 `json:"kinds"`   // probabilities of no step, one, two, and many small ones
	Final   bool       `json:"final"`   // more games would not change the verdict
}

// Step is a step between versions From and To: at one commit, unless versions between them cannot play.
type Step struct {
	From        int           `json:"from"`
	To          int           `json:"to"`
	Probability float64       `json:"probability"` // that there is one
	Size        sprt.Strength `json:"size"`
}

// group returns the versions around a step at k that can play.
func (b *Posterior) group(k int) (from, to int) {
	for from = k - 1; from > 0 && b.broken[from]; from-- {
	}
	for to = k; to < b.n && b.broken[to]; to++ {
	}
	return from, to
}

// Answer returns what is known.
func (b *Posterior) Answer() *Answer {
	a := &Answer{Verdict: Undecided, Steps: []Step{}}
	single, double := map[int]float64{}, map[[2]int]float64{} // by the versions after the steps that can play
	for i := range b.all {
		h := &b.all[i]
		a.Kinds[h.kind] += h.weight
		_, first := b.group(h.at[0])
		_, second := b.group(h.at[1])
		switch {
		case h.kind == one, h.kind == two && first == second: // a version between two steps cannot play
			single[first] += h.weight
		case h.kind == two:
			double[[2]int{first, second}] += h.weight
		}
	}
	sure := 1 - b.Error
	if a.Kinds[none] >= sure {
		a.Verdict, a.Final = NoStep, true
		return a
	}
	for k, p := range single {
		if p >= sure {
			a.Verdict, a.Final, a.Steps = OneStep, true, []Step{b.step(k, p)}
		}
	}
	for at, p := range double {
		if p >= sure {
			a.Verdict, a.Final, a.Steps = TwoSteps, true, []Step{b.step(at[0], p), b.step(at[1], p)}
		}
	}
	if a.Final {
		return a
	}
	if a.Kinds[two]+a.Kinds[many] >= sure {
		a.Verdict, a.Final = NoSingleCommit, a.Kinds[many] >= sure
	}
	a.Steps = b.likeliest(sure)
	return a
}

// likeliest returns the commits that together have most of the chances of a step, the likeliest first.
func (b *Posterior) likeliest(sure float64) (list []Step) {
	total := 0.0
	chance := b.Chances()
	for k := 1; k <= b.n; k++ {
		total += chance[k]
		if _, to := b.group(k); to == k {
			list = append(list, b.step(k, 0))
		}
	}
	for k := 1; k <= b.n; k++ {
		_, to := b.group(k)
		i := slices.IndexFunc(list, func(s Step) bool { return s.To == to })
		list[i].Probability = min(1, list[i].Probability+chance[k])
	}
	slices.SortStableFunc(list, func(x, y Step) int { return cmp.Compare(y.Probability, x.Probability) })
	sum := 0.0
	for i, s := range list {
		if sum += s.Probability; sum >= sure*total {
			return list[:i+1]
		}
	}
	return list
}

// step returns the step before version to, with its size given that there is one.
func (b *Posterior) step(to int, p float64) Step {
	from, _ := b.group(to)
	weight, mean, square := 0.0, 0.0, 0.0
	for i := range b.all {
		h := &b.all[i]
		for k, at := range h.at {
			if at > from && at <= to && (h.kind == one && k == 0 || h.kind == two) {
				v := h.cov[2*k]
				weight, mean, square = weight+h.weight, mean+h.weight*h.size[k], square+h.weight*(v+h.size[k]*h.size[k])
			}
		}
	}
	mean /= weight
	reach := 1.96 * math.Sqrt(max(0, square/weight-mean*mean))
	return Step{from, to, p, sprt.Strength{Elo: num.Float(mean), EloLo: num.Float(mean - reach),
		EloHi: num.Float(mean + reach)}}
}

// Expected is what simulated bisections did.
type Expected struct {
	Runs  int     `json:"runs"`
	Games float64 `json:"games"` // mean
	Most  float64 `json:"most"`  // of nine in ten
	Right float64 `json:"right"` // share that named the commit
	Wrong float64 `json:"wrong"` // share that named another, or none
}

// Simulate bisects n commits that many times, each with one step of the usual size at some commit, by matches of
// pairs, and of up to that many games. Half of the games of equal players are drawn.
func Simulate(n int, p Prior, pairs, games, runs int, seed uint64) (*Expected, error) {
	e := &Expected{Runs: runs}
	rng := rand.New(rand.NewPCG(seed, 0))
	var all []float64
	for run := range runs {
		at := 1 + run%n
		size := p.Step * float64(1-2*(run/n%2))
		elo := make([]float64, n+1)
		for v := at; v <= n; v++ {
			elo[v] = size
		}
		a, played, err := bisect(n, p, pairs, games, elo, rng)
		if err != nil {
			return nil, err
		}
		all = append(all, float64(played))
		e.Games += float64(played) / float64(runs)
		switch {
		case a.Verdict == OneStep && a.Steps[0].To == at:
			e.Right += 1 / float64(runs)
		case a.Verdict != Undecided:
			e.Wrong += 1 / float64(runs)
		}
	}
	slices.Sort(all)
	e.Most = all[min(len(all)-1, len(all)*9/10)]
	return e, nil
}

// bisect plays simulated matches between versions of known Elo until the answer is final or the games are played.
func bisect(n int, p Prior, pairs, games int, elo []float64, rng *rand.Rand) (*Answer, int, error) {
	b, err := New(n, p)
	if err != nil {
		return nil, 0, err
	}
	played := 0
	for a := b.Answer(); ; a = b.Answer() {
		if a.Final || played+2*pairs > games {
			return a, played, nil
		}
		i, j := b.Next(pairs)
		var c sprt.Pentanomial
		s := sprt.Score(elo[j] - elo[i])
		game := func() int { // half of the games are drawn
			switch x := rng.Float64(); {
			case x < s-0.25:
				return 1
			case x < s+0.25:
				return 0
			}
			return -1
		}
		for range pairs {
			c.AddPair(game(), game())
		}
		b.Add(i, j, c)
		played += 2 * pairs
	}
}
