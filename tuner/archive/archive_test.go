package archive

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/selfplay/sprt"
	"github.com/assay-chess/assay/tuner"
)

// world is what fits are simulated from.
type world struct {
	engines, fits, games int
	effect               float64 // Elo a unit of the first covariate
	spread               float64 // of the covariate by which the model scales
	rule                 float64 // Elo of the verdict "better"
	tau, sigma           float64
}

// play simulates an archive. Pairs are drawn by sprt's own distributions, so that errors are those of real matches.
func (w world) play(rng *rand.Rand) (fits []Fit) {
	for e := range w.engines {
		u := w.tau * rng.NormFloat64()
		for range w.fits {
			f := Fit{FitRow: dataset.FitRow{Engine: fmt.Sprint("engine ", e), Start: dataset.TunedStart,
				Verdict: tuner.BetterHere}}
			for k := range f.Measures {
				f.Measures[k] = rng.NormFloat64()
			}
			f.Measures[change] *= w.spread
			truth := f.change() * (w.effect*f.Measures[0] + u + w.sigma*rng.NormFloat64())
			if rng.IntN(2) == 0 {
				f.Verdict = tuner.Better
				truth += w.rule
			}
			score := sprt.Score(truth)
			for range w.games / 2 {
				pair := [2]int{}
				for i := range pair { // a third of the games is drawn
					switch x := rng.Float64(); {
					case x < score-1.0/6:
						pair[i] = 1
					case x > score+1.0/6:
						pair[i] = -1
					}
				}
				f.Pairs.AddPair(pair[0], pair[1])
			}
			f.measure()
			fits = append(fits, f)
		}
	}
	return fits
}

// used counts the archives of which the model qualifies, and the mean share of matches within their intervals.
func (w world) used(t *testing.T, archives int, seed uint64) (used int, covered float64) {
	t.Helper()
	for i := range archives {
		j := Judge(w.play(rand.New(rand.NewPCG(seed, uint64(i)))), dataset.TunedStart)
		if j.Used {
			used++
		}
		covered += float64(j.Covered) / float64(archives)
	}
	return used, covered
}

// A known effect is found, a useless covariate is not, and one that only repeats the verdict does not beat it.
func TestJudge(t *testing.T) {
	w := world{engines: 8, fits: 10, games: 300, tau: 10, sigma: 10}
	const archives = 12
	none, covered := w.used(t, archives, 1)
	if none > 1 {
		t.Errorf("without an effect the model is used in %d of %d archives", none, archives)
	}
	if math.Abs(covered-0.95) > 0.025 {
		t.Errorf("intervals hold %.3f of the matches", covered)
	}
	w.effect = 25
	if found, _ := w.used(t, archives, 2); found < archives-1 {
		t.Errorf("with 25 Elo a unit the model is used in %d of %d archives", found, archives)
	}
	w.effect, w.rule = 0, 60
	if found, _ := w.used(t, archives, 3); found > 0 {
		t.Errorf("where the verdict knows all the model is used in %d of %d archives", found, archives)
	}
}

// Expect knows the slope, the engine, and where it goes beyond the archive.
func TestExpect(t *testing.T) {
	w := world{engines: 10, fits: 12, games: 1000, effect: 25, tau: 30, sigma: 3}
	fits := w.play(rand.New(rand.NewPCG(7, 7)))
	j := Judge(fits, dataset.TunedStart)
	if !j.Used {
		t.Fatal(j.Missing)
	}
	if s := j.Slopes[0]; math.Abs(s.Elo-25) > 4*s.SE || s.SE > 2 {
		t.Errorf("slope %+v", s)
	}
	at := func(engine string, x float64) *tuner.Expected { return j.Expect(engine, Measures{x}) }
	other, more := at("other", 0), at("other", 1)
	if d := float64(more.Elo - other.Elo); math.Abs(d-25) > 5 || more.PGain <= other.PGain {
		t.Errorf("a unit of gain is %.1f Elo; %+v, %+v", d, other, more)
	}
	mean := 0.0
	for _, f := range fits[:w.fits] {
		mean += (f.Elo - 25*f.Measures[0]) / float64(w.fits)
	}
	own := at("engine 0", 0)
	if math.Abs(float64(own.Elo)-mean) > 6 || own.EloHi-own.EloLo > (other.EloHi-other.EloLo)/2 {
		t.Errorf("engine 0, whose fits have %.1f: %+v; another: %+v", mean, own, other)
	}
	unknown := at("other", math.NaN())
	if unknown.EloHi-unknown.EloLo < 1.2*(other.EloHi-other.EloLo) {
		t.Errorf("an unknown gain: %+v; a known one: %+v", unknown, other)
	}
	far := at("other", 40)
	if len(far.EloBeyond) != 1 || !strings.Contains(far.EloText(), "beyond the archive in: gain") {
		t.Errorf("%s", far.EloText())
	}
	if text := own.EloText(); !strings.Contains(text, "120 fits of 10 engines") || !strings.Contains(text, "would tell") {
		t.Error(text)
	}
}

// Covariates that say nothing do not beat the change alone.
func TestUselessCovariates(t *testing.T) {
	const archives = 12
	w := world{engines: 8, fits: 10, games: 300, spread: 1, tau: 10, sigma: 10}
	for effect, most := range map[float64][2]int{0: {0, 1}, 25: {archives - 1, archives}} {
		w.effect = effect
		beats := 0
		for i := range archives {
			j := Judge(w.play(rand.New(rand.NewPCG(9, uint64(i)))), dataset.TunedStart)
			if j.Change.Mean > 2*j.Change.SE {
				beats++
			}
		}
		if beats < most[0] || beats > most[1] {
			t.Errorf("with %g Elo a unit the model beats the change alone in %d of %d archives", effect, beats, archives)
		}
	}
}

// What a fit is expected to gain, and how uncertain that is, grows with the change of the evaluation.
func TestChangeScales(t *testing.T) {
	w := world{engines: 10, fits: 12, games: 1000, effect: 25, spread: 1, tau: 5, sigma: 3}
	j := Judge(w.play(rand.New(rand.NewPCG(8, 8))), dataset.TunedStart)
	if s := j.Slopes[0]; !j.Used || !(math.Abs(s.Elo-25) < 4*s.SE) || !(s.SE < 2) || !(math.Abs(float64(j.Covered)-0.95) < 0.05) {
		t.Fatalf("slope %+v, %.2f of matches in their intervals; %s", s, j.Covered, j.Missing)
	}
	small, large := j.Expect("other", Measures{1, 0, 0, 0}), j.Expect("other", Measures{1, 0, 1, 0})
	wider := float64((large.EloHi - large.EloLo) / (small.EloHi - small.EloLo))
	if !(math.Abs(float64(large.Elo-2*small.Elo)) < 10) || !(math.Abs(wider-2) < 0.2) {
		t.Errorf("a change of 10 centipawns: %+v; of 20: %+v", small, large)
	}
	if x := j.Expect("other", Measures{1, 0, math.NaN(), 0}); x.Elo.Known() || !strings.Contains(x.EloText(), "how much the evaluation changes") {
		t.Errorf("an unknown change: %+v", x)
	}
}

func TestJudgeOfFewEngines(t *testing.T) {
	w := world{engines: 4, fits: 30, games: 1000, effect: 40}
	fits := w.play(rand.New(rand.NewPCG(1, 1)))
	for start, want := range map[string]string{
		dataset.TunedStart:   "fits of 4 engines with tuned start weights, a model needs 5",
		dataset.GuessedStart: "fits of 0 engines with guessed",
	} {
		x := Judge(fits, start).Expect("engine 1", fits[0].Measures)
		if x.Elo.Known() || x.PGain.Known() || !strings.Contains(x.EloText(), want) {
			t.Errorf("%s: %s", start, x.EloText())
		}
	}
}

// The normal density of a match is that of its pentanomial counts: log likelihood ratios of 0 and other Elos agree.
func TestMeasureIsThePentanomialLikelihood(t *testing.T) {
	for _, p := range []sprt.Pentanomial{{3, 30, 80, 34, 3}, {20, 40, 60, 25, 5}, {1, 5, 40, 60, 44}} {
		f := Fit{Pairs: p}
		f.measure()
		loglik := func(elo float64) float64 { // but for a constant
			test := sprt.Test{Elo0: f.Elo - 200, Elo1: elo, Model: sprt.Logistic, Alpha: 0.05, Beta: 0.05}
			llr, err := test.LLR(p)
			if err != nil {
				t.Fatal(err)
			}
			return llr
		}
		for _, z := range []float64{-2, -1, 0, 1, 2} {
			if got := loglik(f.Elo+z*f.SE) - loglik(f.Elo); math.Abs(got+z*z/2) > 0.1 {
				t.Errorf("%v at %+.0f errors: log likelihood ratio of the pentanomial %.3f", p, z, got)
			}
		}
	}
}

// Rows of one fit are one fit, and a match counts once.
func TestFits(t *testing.T) {
	row := dataset.FitRow{Engine: "a", Fit: "1", Start: dataset.TunedStart, Games: dataset.OwnGames,
		Verdict: tuner.Better, Gain: 2, GainSE: 1, GroupLoss: 3, Change: 40, Nodes: 2000, Pentanomial: []uint32{1, 2, 3, 4, 5}, B: "b", Match: "m"}
	deep, other := row, row
	deep.Nodes, deep.Match = 8000, "n"
	other.Fit, other.Match, other.Gain, other.Games, other.Nodes = "2", "o", dataset.NoEval, dataset.ForeignGames, 0
	fits := Fits([]dataset.FitRow{row, deep, row, other})
	if len(fits) != 2 || fits[0].Pairs != (sprt.Pentanomial{2, 4, 6, 8, 10}) || fits[0].Elo < 50 {
		t.Fatalf("%+v", fits)
	}
	if m := fits[0].Measures; m != (Measures{math.Asinh(2), 1, 2, 0.5}) {
		t.Errorf("%v", m)
	}
	if m := fits[1].Measures; !math.IsNaN(m[0]) || m[3] != -0.5 {
		t.Errorf("%v", m)
	}
}
