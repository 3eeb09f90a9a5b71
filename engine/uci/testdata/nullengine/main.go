// Command nullengine is a UCI engine that answers at once with some legal move and score 0,
// to measure the cost of the program that runs a match. With the argument "echo" it answers
// every line with the same short one. It ignores other arguments.
//
// When a "position" command continues the last one, only the new moves are made, so the
// time per ply does not grow with the game.
package main

import (
	"bufio"
	"bytes"
	"os"

	"github.com/assay-chess/assay/engine/board"
)

// null is the engine.
type null struct {
	last     []byte // the last position command, without its newline
	position board.Position
	moves    []board.Move
	out      []byte
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	e := null{position: board.StartPosition()}
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return
		}
		if len(os.Args) > 1 && os.Args[1] == "echo" {
			if _, err := os.Stdout.WriteString("bestmove e2e4\n"); err != nil {
				return
			}
			continue
		}
		line = bytes.TrimRight(line, "\r\n")
		word, _, _ := bytes.Cut(line, []byte(" "))
		e.out = e.out[:0]
		switch string(word) {
		case "uci":
			e.out = append(e.out, "id name nullengine\nid author test\nuciok\n"...)
		case "isready":
			e.out = append(e.out, "readyok\n"...)
		case "position":
			e.setUp(line)
		case "go":
			e.answer()
		case "quit":
			return
		}
		if len(e.out) > 0 {
			if _, err := os.Stdout.Write(e.out); err != nil {
				return
			}
		}
	}
}

func (e *null) setUp(line []byte) {
	rest, grown := bytes.CutPrefix(line, e.last)
	if !grown || len(e.last) == 0 || len(rest) > 0 && rest[0] != ' ' {
		rest = e.newGame(line)
	}
	for word := range bytes.FieldsSeq(rest) {
		if string(word) == "moves" {
			continue
		}
		m, err := e.position.ParseUCI(string(word))
		if err != nil {
			panic(err)
		}
		e.position.Make(m)
	}
	e.last = append(e.last[:0], line...)
}

// newGame sets up the first position of a command, and returns its moves.
func (e *null) newGame(line []byte) (moves []byte) {
	setup, moves, _ := bytes.Cut(line, []byte(" moves "))
	e.position = board.StartPosition()
	if fen, ok := bytes.CutPrefix(setup, []byte("position fen ")); ok {
		p, err := board.ParseFEN(string(fen))
		if err != nil {
			panic(err)
		}
		e.position = p
	}
	return moves
}

func (e *null) answer() {
	e.moves = e.position.LegalMoves(e.moves[:0])
	move := "0000"
	if n := uint64(len(e.moves)); n > 0 {
		move = e.position.UCI(e.moves[e.position.Key()>>32%n])
	}
	e.out = append(append(e.out, "info depth 1 score cp 0 nodes 1 time 0 pv "...), move...)
	e.out = append(append(append(e.out, "\nbestmove "...), move...), '\n')
}
