package report

import (
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"math"
	"path/filepath"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog"
)

// readGames calls visit with the games in a run's folder and their numbers: those of the
// complete data set in order, or, as long as there is none, those of the journal in the order
// in which they finished. The folder of a self-play run is itself the data set.
func readGames(dir string, visit func(number uint64, g *dataset.GameRow)) error {
	folder := filepath.Join(dir, gamelog.GamesName)
	m, err := durable.LoadManifest(folder)
	if errors.Is(err, fs.ErrNotExist) {
		folder = dir
		m, err = durable.LoadManifest(dir)
	}
	journal := filepath.Join(dir, gamelog.JournalName)
	if err != nil || !m.Complete {
		jerr := gamelog.Read(journal, func(r *selfplay.Result) error {
			row, err := gamelog.Row(r, "")
			if err != nil {
				return err
			}
			row.White, row.Black = r.Players[0], r.Players[1]
			visit(r.Number, row)
			return nil
		})
		if !errors.Is(jerr, fs.ErrNotExist) {
			return jerr
		}
	}
	if errors.Is(err, fs.ErrNotExist) || err == nil && m.Schema != dataset.GamesFormat {
		return nil // no games here
	} else if err != nil {
		return err
	}
	games, err := dataset.OpenGames(folder, dataset.Partial())
	if err != nil {
		return err
	}
	n := uint64(0)
	for g, err := range games.All() {
		if err != nil {
			return err
		}
		visit(n, &g)
		n++
	}
	return nil
}

// tally counts the games of one folder as they are read. Beside the sets of different
// openings and games it needs one byte a game, for the result.
type tally struct {
	Games, Plies      int64
	White, Draw, Lost int64 // games that White won, drew, lost
	Terminations      map[string]int64
	Phases            [25]int64
	Lengths           []int64 // games by plies, in tens
	Nodes             uint32

	results  []int8 // by number; unknown if the game is not finished
	openings map[uint64]int64
	lines    map[uint64]struct{} // games, by all their moves
	same     int64
	keys     keySample
	scores   bins
	players  map[string]*standing
	viewer   *gallery
}

const unknown = 127

// standing is the score of one player.
type standing struct {
	Name                string
	Games, Won, Drawn   int64
	WhiteGames, Forfeit int64
}

func newTally(viewer *gallery) *tally {
	return &tally{Terminations: map[string]int64{}, openings: map[uint64]int64{}, lines: map[uint64]struct{}{},
		keys: newKeySample(), players: map[string]*standing{}, viewer: viewer}
}

var lineSeed = maphash.MakeSeed()

// add counts a game.
func (t *tally) add(number uint64, g *dataset.GameRow) {
	t.Games++
	t.Nodes = max(t.Nodes, g.Nodes)
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
	t.countPlayer(g.White, int64(g.Result), true)
	t.countPlayer(g.Black, -int64(g.Result), false)

	var h maphash.Hash
	h.SetSeed(lineSeed)
	h.WriteString(g.Start)
	for _, m := range g.Moves {
		h.WriteByte(byte(m))
		h.WriteByte(byte(m >> 8))
	}
	if _, seen := t.lines[h.Sum64()]; seen {
		t.same++
	}
	t.lines[h.Sum64()] = struct{}{}
	y := float64(1+g.Result) / 2
	for ply, game := range g.Replay() {
		if ply < int(g.OpeningPlies) || ply >= len(g.Moves) {
			continue
		}
		p := game.Position()
		t.Phases[eval.Phase(p)]++
		t.keys.add(p.Key())
		t.scores.add(g.Scores[ply], y)
	}
	t.scores.endGame(y)
	if t.viewer != nil {
		t.viewer.offer(number, g)
	}
}

// setResult stores the result of a game under its number.
func (t *tally) setResult(number uint64, result int8) {
	if number > 1<<28 {
		return
	}
	for uint64(len(t.results)) <= number {
		t.results = append(t.results, unknown)
	}
	t.results[number] = result
}

func (t *tally) countPlayer(name string, result int64, white bool) {
	const maxPlayers = 500
	s := t.players[name]
	if s == nil {
		if len(t.players) >= maxPlayers {
			return
		}
		s = &standing{Name: name}
		t.players[name] = s
	}
	s.Games++
	switch result {
	case 1:
		s.Won++
	case 0:
		s.Drawn++
	}
	if white {
		s.WhiteGames++
	}
}

// pairs returns the results of the pairs in order, up to the first pair that is not
// finished. The view is that of the player who has White in a pair's first game.
func (t *tally) pairs() (list [][2]int) {
	for i := 0; i+1 < len(t.results); i += 2 {
		if t.results[i] == unknown || t.results[i+1] == unknown {
			break
		}
		list = append(list, [2]int{int(t.results[i]), -int(t.results[i+1])})
	}
	return list
}

// keySample estimates the share of repeated keys in bounded memory. It keeps the keys whose
// lowest bits are zero, and when these become too many it requires one more zero bit.
type keySample struct {
	mask          uint64
	seen          map[uint64]struct{}
	total, sample int64 // positions seen, and those of them that pass the mask
}

const mostKeys = 1 << 19

func newKeySample() keySample { return keySample{seen: map[uint64]struct{}{}} }

func (k *keySample) add(key uint64) {
	k.total++
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

// rate returns n where one key of n is in the sample.
func (k *keySample) rate() uint64 { return k.mask + 1 }

// openingsUsed returns the number of different openings, how often the most common one was
// played, and the number of equally common openings with the same entropy.
func (t *tally) openingsUsed() (different int, most int64, effective float64) {
	h := 0.0
	for _, n := range t.openings {
		p := float64(n) / float64(t.Games)
		h -= p * math.Log(p)
		most = max(most, n)
	}
	return len(t.openings), most, math.Exp(h)
}

// san returns the moves of a game in standard algebraic notation.
func san(g *dataset.GameRow) ([]string, error) {
	position := board.StartPosition()
	if g.Start != "" {
		var err error
		if position, err = board.ParseFEN(g.Start); err != nil {
			return nil, fmt.Errorf("game %d: %w", g.Game, err)
		}
	}
	list := make([]string, len(g.Moves))
	for i, m := range g.Moves {
		if !position.IsLegal(m) {
			return nil, fmt.Errorf("game %d: move %d is not legal", g.Game, i+1)
		}
		list[i] = position.SAN(m)
		position.Make(m)
	}
	return list, nil
}
