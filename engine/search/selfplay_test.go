package search

import (
	"flag"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

var selfplayGames = flag.Int("games", 60, "games that TestSelfPlay plays, half of them of Chess960")

const (
	selfplayNodes = 200
	selfplayPlies = 400
)

// TestSelfPlay plays games at 200 nodes a move from standard openings and from Chess960
// start positions. Every move must be legal and within its limit. To play more:
// go test ./engine/search -run SelfPlay -v -games 10000 -timeout 1h.
func TestSelfPlay(t *testing.T) {
	starts := standardStarts(t, (*selfplayGames+1)/2)
	for i := range *selfplayGames / 2 {
		starts = append(starts, chess960Start(t, rand.New(rand.NewPCG(960, uint64(i)))))
	}
	var wait sync.WaitGroup
	plies := make([]int, 2)
	for worker := range plies {
		e := New(evaluator(t, "assay-start"), 1)
		wait.Go(func() {
			for i := worker; i < len(starts) && !t.Failed(); i += len(plies) {
				plies[worker] += selfplayGame(t, e, starts[i])
			}
		})
	}
	wait.Wait()
	t.Logf("%d games, %d plies", len(starts), plies[0]+plies[1])
}

// selfplayGame plays one game of the engine against itself and returns its length.
func selfplayGame(t *testing.T, e *Engine, start board.Position) (plies int) {
	if err := e.NewGame(0); err != nil {
		t.Error(err)
		return 0
	}
	game := board.NewGame(start)
	for ; plies < selfplayPlies; plies++ {
		if _, _, over := game.Outcome(); over {
			break
		}
		r, err := e.Search(t.Context(), game, engine.Limits{Nodes: selfplayNodes, HardNodes: true})
		p := game.Position()
		switch {
		case err != nil:
			t.Errorf("%s: %v", p.FEN(), err)
			return plies
		case !p.IsLegal(r.Move):
			t.Errorf("%s: move %v is not legal", p.FEN(), r.Move)
			return plies
		case r.Nodes > selfplayNodes:
			t.Errorf("%s: %d nodes", p.FEN(), r.Nodes)
			return plies
		}
		game.Push(r.Move)
	}
	return plies
}

// standardStarts returns n positions from a sample of the book noob_3moves, which begins
// again when it is used up.
func standardStarts(t *testing.T, n int) (list []board.Position) {
	t.Helper()
	data := setup.Must(os.ReadFile("testdata/openings.epd"))
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	for i := range n {
		k := i % len(lines)
		if n < len(lines) {
			k = i * len(lines) / n
		}
		list = append(list, position(t, lines[k]+" 0 1"))
	}
	return list
}

// chess960Start returns a random start position of Chess960: bishops on squares of
// both colors, the king between the rooks.
func chess960Start(t *testing.T, rng *rand.Rand) board.Position {
	var back [8]byte
	free := func(n int) *byte { // the n-th square still free
		for i := range back {
			if back[i] == 0 {
				if n == 0 {
					return &back[i]
				}
				n--
			}
		}
		panic("no free square")
	}
	back[2*rng.IntN(4)], back[2*rng.IntN(4)+1] = 'b', 'b'
	*free(rng.IntN(6)) = 'q'
	*free(rng.IntN(5)) = 'n'
	*free(rng.IntN(4)) = 'n'
	for _, piece := range []byte("rkr") {
		*free(0) = piece
	}
	black := string(back[:])
	files := "abcdefgh"
	west, east := files[strings.IndexByte(black, 'r')], files[strings.LastIndexByte(black, 'r')]
	rights := strings.ToUpper(string([]byte{east, west})) + string([]byte{east, west})
	return position(t, black+"/pppppppp/8/8/8/8/PPPPPPPP/"+strings.ToUpper(black)+" w "+rights+" - 0 1")
}
