// Command nullengine is a UCI engine that answers at once with some legal move and score 0, for tests of what runs
// engines. With the argument sleep=DURATION it sleeps up to that long before each move. It ignores other arguments.
package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

func main() {
	var most time.Duration
	for _, arg := range os.Args[1:] {
		if text, ok := strings.CutPrefix(arg, "sleep="); ok {
			most = setup.Must(time.ParseDuration(text))
		}
	}
	position := board.StartPosition()
	in := bufio.NewScanner(os.Stdin)
	for in.Buffer(nil, 1<<20); in.Scan(); {
		words := append(strings.Fields(in.Text()), "")
		switch words[0] {
		case "uci":
			fmt.Print("id name nullengine\nid author test\nuciok\n")
		case "isready":
			fmt.Println("readyok")
		case "position":
			position = setUp(words[1 : len(words)-1])
		case "go":
			if most > 0 {
				time.Sleep(rand.N(most))
			}
			move := "0000"
			if moves := position.LegalMoves(nil); len(moves) > 0 {
				move = position.UCI(moves[position.Key()>>32%uint64(len(moves))])
			}
			fmt.Printf("info depth 1 score cp 0 nodes 1 time 0 pv %s\nbestmove %[1]s\n", move)
		case "quit":
			return
		}
	}
}

func setUp(words []string) board.Position {
	p, err := board.StartPosition(), error(nil)
	moves := slices.Index(append(words, "moves"), "moves")
	if words[0] == "fen" {
		if p, err = board.ParseFEN(strings.Join(words[1:moves], " ")); err != nil {
			panic(err)
		}
	}
	for _, word := range words[min(moves+1, len(words)):] {
		m, err := p.ParseUCI(word)
		if err != nil {
			panic(err)
		}
		p.Make(m)
	}
	return p
}
