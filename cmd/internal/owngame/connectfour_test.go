package owngame

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"strings"

	"github.com/assay-chess/assay/engine/game"
	"github.com/assay-chess/assay/selfplay/games"
	"github.com/assay-chess/assay/tuner/gameloop"
)

const columns, rows = 7, 6

type position struct {
	disc   [columns][rows]int8 // 1 is the first player's, -1 the second's, 0 none
	height [columns]int
	second bool // to move
	won    bool // by the last move
}

type move int // the column

type connectFour struct{}

func (connectFour) About() game.About {
	return game.About{
		Name: "connectfour", Title: "Connect Four", Players: [2]string{"Red", "Yellow"},
		Plies: [2]int{2, 6}, // random moves, so that games differ
		Depth: 3,            // plies that the search looks ahead
		Terms: []game.Term{ // Start is 0: we know nothing
			{Name: "centre", About: "discs in the middle column"},
			{Name: "two", About: "lines of four with two own discs, and none of the opponent's"},
			{Name: "three", About: "the same with three"},
			{Name: "tempo", About: "the turn"},
		},
	}
}

func (connectFour) Start(*rand.Rand) position { return position{} }

func (connectFour) Moves(p *position, buf []move) []move {
	for c := range move(columns) {
		if p.height[c] < rows && !p.won {
			buf = append(buf, c)
		}
	}
	return buf
}

func (connectFour) Make(p *position, m move) {
	own := int8(1)
	if p.second {
		own = -1
	}
	p.disc[m][p.height[m]] = own
	p.height[m]++
	p.second = !p.second
	p.lines(func(sum, discs int) { p.won = p.won || discs == 4 && sum == 4*int(own) })
}

// lines calls f with every line of four squares: the sum of its discs, and their number.
func (p *position) lines(f func(sum, discs int)) {
	for _, d := range [][2]int{{1, 0}, {0, 1}, {1, 1}, {1, -1}} {
		for c := range columns {
			for r := range rows {
				if c+3*d[0] >= columns || r+3*d[1] >= rows || r+3*d[1] < 0 {
					continue
				}
				sum, discs := 0, 0
				for i := range 4 {
					v := int(p.disc[c+i*d[0]][r+i*d[1]])
					sum, discs = sum+v, discs+v*v
				}
				f(sum, discs)
			}
		}
	}
}

func (connectFour) SecondToMove(p *position) bool { return p.second }

func (connectFour) Over(p *position, moves int) (result int, over bool) {
	switch {
	case p.won && p.second: // the first player moved last
		return 1, true
	case p.won:
		return -1, true
	}
	return 0, moves == 0
}

func (connectFour) Loud(*position, move) int { return 0 } // there are no captures

func (connectFour) Count(p *position, counts []int32) {
	for _, v := range p.disc[columns/2] {
		counts[0] += int32(v)
	}
	p.lines(func(sum, discs int) {
		if discs == sum || discs == -sum { // of one player alone
			switch discs {
			case 2:
				counts[1] += int32(sum / 2)
			case 3:
				counts[2] += int32(sum / 3)
			}
		}
	})
	counts[3] = 1
	if p.second {
		counts[3] = -1
	}
}

func (connectFour) MoveText(_ *position, m move) string { return string(rune('a' + m)) }

func (connectFour) BoardText(p *position) string {
	var b strings.Builder
	for r := rows - 1; r >= 0; r-- {
		for c := range columns {
			b.WriteString([]string{" O", " .", " X"}[p.disc[c][r]+1])
		}
		b.WriteByte('\n')
	}
	return b.String() + " a b c d e f g\n"
}

func main() {
	g := games.New(connectFour{})
	plan := gameloop.NewPlan(g)
	plan.Games, plan.FinalGames, plan.GateGames = 100, 60, 60
	r, err := gameloop.Run(context.Background(), gameloop.Config{Game: g, Plan: plan, Dir: "runs/first",
		Program: "connectfour 1", Resume: "go run ."})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(r)
}
