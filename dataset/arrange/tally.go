package arrange

import (
	"hash/maphash"
	"math"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/internal/dedup"
	"github.com/assay-chess/assay/eval"
)

// Tally is the statistics of games that are counted one by one, for instance of a run that
// is not finished. Beside the sets of different openings and games it needs one byte a game,
// for the result. NewTally makes one.
type Tally struct {
	Games, Plies      int64 // Plies without openings
	White, Draw, Lost int64 // games that White won, drew, lost
	Terminations      map[string]int64
	Phases            [25]int64
	Lengths           []int64              // games by plies, in tens
	Repeated          int64                // games equal to an earlier one
	Standings         map[string]*Standing // by player, the first 500

	results  []int8 // by number; unknown if the game is not finished
	openings map[uint64]int64
	lines    dedup.KeySet // games, by all their moves
	keys     keySample
}

// Standing is the score of one player.
type Standing struct {
	Name              string
	Games, Won, Drawn int64
}

const (
	unknown      = 127
	maxStandings = 500
)

// NewTally returns a tally without games.
func NewTally() *Tally {
	return &Tally{Terminations: map[string]int64{}, openings: map[uint64]int64{},
		keys: keySample{seen: map[uint64]struct{}{}}, Standings: map[string]*Standing{}}
}

var lineSeed = maphash.MakeSeed()

// Add counts the game with a number.
func (t *Tally) Add(number uint64, g *dataset.GameRow) {
	t.Games++
	t.Plies += int64(len(g.Moves) - int(g.OpeningPlies))
	switch g.Result {
	case 1:
		t.White++
	case 0:
		t.Draw++
	default:
		t.Lost++
	}
	t.Terminations[g.Termination]++
	t.openings[g.Opening]++
	for len(t.Lengths) <= len(g.Moves)/10 {
		t.Lengths = append(t.Lengths, 0)
	}
	t.Lengths[len(g.Moves)/10]++
	t.setResult(number, g.Result)
	t.countPlayer(g.White, g.Result)
	t.countPlayer(g.Black, -g.Result)

	if !t.lines.Add(dedup.GameKey(lineSeed, g.Start, g.Moves)) {
		t.Repeated++
	}
	for ply, game := range g.Replay() {
		if ply >= int(g.OpeningPlies) && ply < len(g.Moves) {
			p := game.Position()
			t.Phases[eval.Phase(p)]++
			t.keys.add(p.Key())
		}
	}
}

// setResult stores the result of a game under its number.
func (t *Tally) setResult(number uint64, result int8) {
	if number > 1<<28 {
		return
	}
	for uint64(len(t.results)) <= number {
		t.results = append(t.results, unknown)
	}
	t.results[number] = result
}

func (t *Tally) countPlayer(name string, result int8) {
	s := t.Standings[name]
	if s == nil {
		if len(t.Standings) >= maxStandings {
			return
		}
		s = &Standing{Name: name}
		t.Standings[name] = s
	}
	s.Games++
	switch result {
	case 1:
		s.Won++
	case 0:
		s.Drawn++
	}
}

// Pairs returns the results of the pairs in order, up to the first pair that is not
// finished: games 0 and 1, 2 and 3, and so on. The view is that of the player who has White
// in a pair's first game.
func (t *Tally) Pairs() (list [][2]int) {
	for i := 0; i+1 < len(t.results); i += 2 {
		if t.results[i] == unknown || t.results[i+1] == unknown {
			break
		}
		list = append(list, [2]int{int(t.results[i]), -int(t.results[i+1])})
	}
	return list
}

// Openings returns the number of different openings, how often the most common one was
// played, and the number of equally common openings with the same entropy.
func (t *Tally) Openings() (different int, most int64, effective float64) {
	h := 0.0
	for _, n := range t.openings {
		p := float64(n) / float64(t.Games)
		h -= p * math.Log(p)
		most = max(most, n)
	}
	return len(t.openings), most, math.Exp(h)
}

// RepeatedPositions returns the share of positions that occurred before, and the rate of the
// sample by key that it was estimated from: 1 if it counts all keys, n if it counts one key in n.
func (t *Tally) RepeatedPositions() (share float64, rate uint64) {
	return t.keys.repeated(), t.keys.mask + 1
}

// keySample estimates the share of repeated keys in bounded memory. It keeps the keys whose
// lowest bits are zero, and when these become too many it requires one more zero bit.
type keySample struct {
	mask   uint64
	seen   map[uint64]struct{}
	sample int64 // positions whose key passes the mask
}

const mostKeys = 1 << 19

func (k *keySample) add(key uint64) {
	if key&k.mask != 0 {
		return
	}
	k.sample++
	k.seen[key] = struct{}{}
	if len(k.seen) <= mostKeys {
		return
	}
	before := len(k.seen)
	k.mask = k.mask<<1 | 1
	for key := range k.seen {
		if key&k.mask != 0 {
			delete(k.seen, key)
		}
	}
	k.sample = int64(math.Round(float64(k.sample) * float64(len(k.seen)) / float64(before)))
}

// repeated returns the share of positions that occurred before.
func (k *keySample) repeated() float64 {
	if k.sample == 0 {
		return 0
	}
	return 1 - float64(len(k.seen))/float64(k.sample)
}
