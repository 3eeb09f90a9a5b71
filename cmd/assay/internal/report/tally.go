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

// readGames calls visit with the games of a run's folder and their numbers: those of the
// complete data set in order, or, while there is none, those of the journal in the order
// in which they finished. The folder of self-play is itself the data set.
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

// tally is what the games of one folder say, counted as they come: its size does not
// grow with the games but by a byte each, for their results.
type tally struct {
	Games, Plies      int64
	White, Draw, Lost int64 // White won, drew, lost
	Terminations      map[string]int64
	Phases            [25]int64
	Lengths           []int64 // games by plies, in tens
	Nodes             uint32

	results  []int8 // by number; unknown where a game is not there yet
	openings map[uint64]int64
	lines    map[uint64]struct{} // games, by all their moves
	same     int64
	keys     keySample
	scores   bins
	players  map[string]*standing
	viewer   *gallery
}

const unknown = 127

// standing is what a player made.
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
	t.note(number, g.Result)
	t.stand(g.White, int64(g.Result), true)
	t.stand(g.Black, -int64(g.Result), false)

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

// note keeps a result by its number.
func (t *tally) note(number uint64, result int8) {
	if number > 1<<28 {
		return
	}
	for uint64(len(t.results)) <= number {
		t.results = append(t.results, unknown)
	}
	t.results[number] = result
}

func (t *tally) stand(name string, result int64, white bool) {
	const most = 500 // names that are told apart
	s := t.players[name]
	if s == nil {
		if len(t.players) >= most {
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

// pairs returns the results of pairs in order, the player's view who has White in the
// first game of each, as far as both games of all pairs before are there.
func (t *tally) pairs() (list [][2]int) {
	for i := 0; i+1 < len(t.results); i += 2 {
		if t.results[i] == unknown || t.results[i+1] == unknown {
			break
		}
		list = append(list, [2]int{int(t.results[i]), -int(t.results[i+1])})
	}
	return list
}

// keySample counts different keys among many in bounded memory: of those whose lowest
// bits are zero it keeps all, and where these become too many, it wants one zero more.
type keySample struct {
	mask        uint64
	seen        map[uint64]struct{}
	total, kept int64 // positions looked at under the present mask, and of them kept
}

const mostKeys = 1 << 19

func newKeySample() keySample { return keySample{seen: map[uint64]struct{}{}} }

func (k *keySample) add(key uint64) {
	k.total++
	if key&k.mask != 0 {
		return
	}
	k.kept++
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
	k.kept = int64(math.Round(float64(k.kept) * float64(len(k.seen)) / float64(before)))
}

// repeated is the share of positions that were there before.
func (k *keySample) repeated() float64 {
	if k.kept == 0 {
		return 0
	}
	return 1 - float64(len(k.seen))/float64(k.kept)
}

// sampled says of how many keys one was looked at.
func (k *keySample) sampled() uint64 { return k.mask + 1 }

// openingsUsed returns how many openings there are, how often the commonest was
// played, and how many equally common ones would be as diverse (exp of the entropy).
func (t *tally) openingsUsed() (different int, most int64, effective float64) {
	h := 0.0
	for _, n := range t.openings {
		p := float64(n) / float64(t.Games)
		h -= p * math.Log(p)
		most = max(most, n)
	}
	return len(t.openings), most, math.Exp(h)
}

// san returns the moves of a game as people write them.
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
