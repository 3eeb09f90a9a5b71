package books

import (
	"cmp"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"os"
	"slices"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/dataset/pgn"
	"github.com/assay-chess/assay/dataset/source"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/opening"
)

// ErrNoPairs says that games have no two from one opening with colors reversed.
var ErrNoPairs = errors.New("no opening was played twice with colors reversed")

// pair is two games of two players from one opening. The first player has White in the first game. Results are
// White's view: 1, 0 or -1.
type pair struct {
	opening uint64 // key of its position
	matchup int    // index in Games.matchups
	results [2]int
	moves   [2]uint64 // checksums
}

// score is the first player's, 0 to 1.
func (p *pair) score() float64 { return 0.5 + float64(p.results[0]-p.results[1])/4 }

// Games are pairs of games, of a book if there is one.
type Games struct {
	Book       *opening.Book // nil: any opening counts
	Unpaired   int
	Unfinished int
	Others     int // of openings that are not in the book

	pairs    []pair
	matchups [][2]string       // identities of players
	names    map[string]string // for people, by identity
	index    map[[2]string]int
	starts   map[uint64]string // FENs of the openings
	keys     map[uint64]int    // of the book's openings: their numbers
	waiting  map[game][]game
}

// game is what waits for its partner: without a result and moves it is what both have in common.
type game struct {
	opening uint64
	matchup int
	first   bool // the first player has White
	result  int
	moves   uint64
}

// seedOfMoves is one for the process: checksums of moves are compared and not kept.
var seedOfMoves = maphash.MakeSeed()

// New returns no games yet. Those of a book count only if they begin with its openings.
func New(book *opening.Book) (*Games, error) {
	g := &Games{Book: book, index: map[[2]string]int{}, names: map[string]string{}, starts: map[uint64]string{}}
	if book == nil {
		return g, nil
	}
	g.keys = map[uint64]int{}
	for n := range book.Len() {
		start, err := book.Propose(n, 1)
		if err != nil {
			return nil, err
		}
		g.keys[start.Position().Key()] = int(n)
	}
	return g, nil
}

// Read adds the games in the folder of a run, or of a PGN file, whose games begin with a FEN or with moves of the book.
func (g *Games) Read(path string) error {
	before := len(g.pairs)
	g.waiting = map[game][]game{}
	var err error
	if info, e := os.Stat(path); e == nil && info.IsDir() {
		run, _ := durable.ReadRunInfo(path) // who has no name there is called by its identity
		for _, p := range run.Players {
			g.names[p.ID] = p.Name
		}
		var bad error
		err = gamelog.ReadGames(path, func(_ uint64, row *dataset.GameRow) {
			if e := g.add(row, int(row.OpeningPlies)); bad == nil && e != nil {
				bad = e
			}
		})
		err = errors.Join(err, bad)
	} else {
		err = g.readPGN(path)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, list := range g.waiting {
		g.Unpaired += len(list)
	}
	if len(g.pairs) == before {
		return fmt.Errorf("%s: %w", path, ErrNoPairs)
	}
	return nil
}

func (g *Games) readPGN(path string) error {
	f, err := source.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fs.ErrNotExist
	} else if err != nil {
		return err
	}
	defer f.Close()
	for one, err := range pgn.Read(f) {
		if err != nil {
			return err
		}
		if !one.Finished {
			g.Unfinished++
			continue
		}
		one.Row.White, one.Row.Black = g.player(one, "White"), g.player(one, "Black")
		plies := -1 // to where the book goes
		if g.keys == nil && one.Row.Start != "" {
			plies = 0
		}
		if err := g.add(&one.Row, plies); err != nil {
			return fmt.Errorf("line %d: %w", one.Line, err)
		}
	}
	return nil
}

// player returns the identity of a player, which the tags of assay's games have beside its name.
func (g *Games) player(one *pgn.Game, side string) string {
	name := one.Tag(side)
	id := cmp.Or(one.Tag(side+"Id"), name)
	g.names[id] = name
	return id
}

// name returns the name of a player for people.
func (g *Games) name(id string) string { return cmp.Or(g.names[id], id) }

// errNoBook says that the opening of a game is not known.
var errNoBook = errors.New("the game does not say where its opening ends: name the book too")

// add counts a game whose opening has that many plies; below 0 the book says where it ends.
func (g *Games) add(row *dataset.GameRow, plies int) error {
	if plies < 0 && g.keys == nil {
		return errNoBook
	}
	p := board.StartPosition()
	if row.Start != "" {
		var err error
		if p, err = board.ParseFEN(row.Start); err != nil {
			return err
		}
	}
	at, in := p, g.known(&p)
	for i, m := range row.Moves {
		if plies >= 0 && i >= plies {
			break
		}
		p.Make(m)
		if plies >= 0 || g.known(&p) {
			at, in = p, g.known(&p)
		}
	}
	if !in && g.keys != nil {
		g.Others++
		return nil
	}
	g.starts[at.Key()] = at.FEN()
	var h maphash.Hash
	h.SetSeed(seedOfMoves)
	for _, m := range row.Moves {
		h.Write([]byte{byte(m), byte(m >> 8)})
	}
	matchup, first := g.matchup(row.White, row.Black)
	g.pair(game{at.Key(), matchup, first, int(row.Result), h.Sum64()})
	return nil
}

func (g *Games) known(p *board.Position) bool {
	_, in := g.keys[p.Key()]
	return in
}

// matchup returns the number of two players, and whether White is the first of them.
func (g *Games) matchup(white, black string) (n int, first bool) {
	if n, in := g.index[[2]string{black, white}]; in && white != black {
		return n, false
	}
	n, in := g.index[[2]string{white, black}]
	if !in {
		n = len(g.matchups)
		g.matchups, g.index[[2]string{white, black}] = append(g.matchups, [2]string{white, black}), n
	}
	return n, true
}

// pair looks for the game's partner.
func (g *Games) pair(x game) {
	partner := game{opening: x.opening, matchup: x.matchup, first: !x.first}
	list := g.waiting[partner]
	if len(list) == 0 {
		mine := game{opening: x.opening, matchup: x.matchup, first: x.first}
		g.waiting[mine] = append(g.waiting[mine], x)
		return
	}
	y := list[0]
	g.waiting[partner] = list[1:]
	if !x.first {
		x, y = y, x
	}
	g.pairs = append(g.pairs, pair{x.opening, x.matchup, [2]int{x.result, y.result}, [2]uint64{x.moves, y.moves}})
}

// SamePlayers names a player that others have too; empty if there is none.
func (g *Games) SamePlayers(other *Games) string {
	for _, mine := range g.matchups {
		for _, theirs := range other.matchups {
			for _, name := range mine {
				if slices.Contains(theirs[:], name) {
					return g.name(name)
				}
			}
		}
	}
	return ""
}

// Split returns what the games from kept and from left openings say.
func (g *Games) Split(p *Pruning) (kept, left *Stat) {
	of := func(is bool) *Stat {
		part := *g
		part.pairs = slices.DeleteFunc(slices.Clone(g.pairs),
			func(x pair) bool { return p.Openings[g.keys[x.opening]].Kept != is })
		return part.Stat()
	}
	return of(true), of(false)
}
