package slopes

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/models/numbers"
)

// The test binary is the measuring program if this variable names its fault.
const fakeVariable = "ASSAY_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(numbers.MeasureVariable) != "" {
		newFake(os.Getenv(fakeVariable)).serve()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// fake is a measuring program whose evaluation is known.
type fake struct {
	special string
	list    []numbers.Number
	n       []float64
	made    []float64 // of the numbers, when tables were made
	last    board.Color
	cache   map[string]float64
}

// Where the numbers of a fake are.
const (
	fakeMaterial = 0                  // five pairs
	fakeKnights  = fakeMaterial + 10  // 64 pairs
	fakeTempo    = fakeKnights + 2*64 // one
	fakeDanger   = fakeTempo + 1      // five weights, and a threshold
	fakeSquare   = fakeDanger + 6     // one
	fakeFactors  = fakeSquare + 1     // two that multiply
	fakeTwin     = fakeFactors + 2    // counts with the tempo
	fakeIdle     = fakeTwin + 1       // counts for nothing
	fakeRisky    = fakeIdle + 1       // divides
	fakeShare    = fakeRisky + 1      // not a whole number
	fakeNumbers  = fakeShare + 1
)

// newFake returns a program. Special is a list of: centipawns, which truncates the value; in pawns; straight: danger
// and square count for nothing; products; risky: moving the
// last number far kills it; deadly: moving it at all does; hang; state: the value depends on the position before;
// cache: values are kept when numbers change; stale: material is made at start; mover: the value is the mover's;
// asymmetric: something counts for White alone; random: processes differ; deaf: it reads no file; fatal:
// it dies at some positions; a FEN: it dies there.
func newFake(special string) *fake {
	f := &fake{special: special, cache: map[string]float64{}}
	add := func(table string, count int, pairs bool, value func(i int) float64) {
		for i := range count {
			n := numbers.Number{Name: fmt.Sprintf("%s[%d]", table, i), Table: table, Pair: -1, Value: value(i)}
			if pairs {
				n.Name, n.Pair = fmt.Sprintf("%s[%d].%d", table, i/2, i%2), len(f.list)+1-2*(i%2)
			}
			f.list = append(f.list, n)
		}
	}
	add("material", 10, true, func(i int) float64 { return []float64{82, 94, 337, 281, 365, 297, 477, 512, 1025, 936}[i] })
	add("knights", 128, true, func(i int) float64 { return float64(i%23 - 11) })
	add("tempo", 1, false, func(int) float64 { return 12 })
	add("danger", 6, false, func(i int) float64 { return []float64{3, 14, 12, 18, 30, 25}[i] })
	add("square", 1, false, func(int) float64 { return 40 })
	add("factors", 2, false, func(i int) float64 { return float64(1 + i) })
	add("twin", 1, false, func(int) float64 { return 7 })
	add("idle", 1, false, func(int) float64 { return 5 })
	add("risky", 1, false, func(int) float64 { return 50 })
	add("share", 1, false, func(int) float64 { return 0.35 })
	f.list[fakeShare].Float = true
	f.list[fakeTempo].Min, f.list[fakeTempo].Max = 0, 255
	for _, n := range f.list {
		f.n = append(f.n, n.Value)
	}
	if path := os.Getenv(numbers.FileVariable); path != "" && !f.is("deaf") {
		for i, line := range strings.Split(strings.TrimSpace(string(setup.Must(os.ReadFile(path)))), "\n") {
			_, value, _ := strings.Cut(line, " ")
			f.n[i] = setup.Must(strconv.ParseFloat(value, 64))
		}
	}
	f.made = append(f.made, f.n...)
	return f
}

func (f *fake) is(special string) bool { return strings.Contains(f.special, special) }

// value is the evaluation, exact, in 24ths of a centipawn.
func (f *fake) value(p *board.Position) float64 {
	n := f.n
	phase := 0
	for t, weight := range []int{0, 1, 1, 2, 4} {
		phase += weight * (p.Pieces(board.White, board.PieceType(t)) | p.Pieces(board.Black, board.PieceType(t))).Count()
	}
	phase = min(24, phase)
	tapered := func(k int, count float64) float64 {
		return count * (n[k]*float64(phase) + n[k+1]*float64(24-phase))
	}
	v := 0.0
	for t := range 5 {
		count := p.Pieces(board.White, board.PieceType(t)).Count() - p.Pieces(board.Black, board.PieceType(t)).Count()
		if f.is("stale") {
			v += float64(count) * (f.made[2*t]*float64(phase) + f.made[2*t+1]*float64(24-phase))
			continue
		}
		v += tapered(fakeMaterial+2*t, float64(count))
	}
	for s := range board.Square(64) {
		switch p.PieceAt(s) {
		case board.NewPiece(board.White, board.Knight):
			v += tapered(fakeKnights+2*int(s), 1)
		case board.NewPiece(board.Black, board.Knight):
			v -= tapered(fakeKnights+2*int(s^56), 1)
		}
	}
	rooks := p.Pieces(board.White, board.Rook).Count() - p.Pieces(board.Black, board.Rook).Count()
	v += 24 * 100 * n[fakeShare] * float64(rooks)
	side := float64(1 - 2*int(p.SideToMove()))
	v += 24 * side * (n[fakeTempo] + 2*n[fakeTwin])
	for c := board.White; c <= board.Black && !f.is("straight"); c++ {
		king, sign := p.Pieces(c^1, board.King).First(), 24*float64(1-2*int(c))
		danger := -n[fakeDanger+5]
		attackers := 0.0
		for b := p.AttackersTo(king, p.Occupied()&^king.Bitboard()) | p.AttackersTo(king^1, p.Occupied()); b != 0; {
			if s := b.PopFirst(); p.Pieces(c, p.PieceAt(s).Type()).Has(s) && p.PieceAt(s).Type() != board.King {
				danger += n[fakeDanger+int(p.PieceAt(s).Type())]
				attackers++
			}
		}
		v += sign * max(0, danger)
		v += sign * math.Pow(attackers*n[fakeSquare], 2) / 256
	}
	if f.is("asymmetric") && p.Pieces(board.White, board.Queen) != 0 {
		v += 24 * 9
	}
	if f.is("products") {
		v += 24 * side * n[fakeFactors] * n[fakeFactors+1]
	}
	if f.is("random") {
		v += float64(os.Getpid() % 1000)
	}
	return v
}

// fatal are the positions at which a program may die.
func fatal(p *board.Position) bool { return p.Occupied().Count() < 16 }

// answer is what the program says of a position.
func (f *fake) answer(fen string, p *board.Position) float64 {
	moved := math.Abs(f.n[fakeRisky] - 50)
	switch {
	case f.is("risky") && moved > 30, f.is("deadly") && moved > 0, f.is("fatal") && fatal(p), f.is(fen):
		fmt.Fprintln(os.Stderr, "division by zero")
		os.Exit(3)
	case f.is("hang") && moved > 30:
		time.Sleep(time.Hour)
	}
	if v, known := f.cache[fen]; known && f.is("cache") {
		return v
	}
	v := f.value(p)
	if f.is("in pawns") {
		v /= 2400
	}
	if f.is("centipawns") {
		v = math.Trunc(v / 24)
	}
	if f.is("state") && f.last == board.Black {
		v += 5
	}
	if f.is("mover") && p.SideToMove() == board.Black {
		v = -v
	}
	f.last, f.cache[fen] = p.SideToMove(), v
	return v
}

func (f *fake) serve() {
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	fmt.Fprintln(out, "a program by its author")
	var fens []string
	var boards []board.Position
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		words := strings.Fields(line)
		number := func(i int) float64 { return setup.Must(strconv.ParseFloat(words[i], 64)) }
		switch words[0] {
		case "numbers":
			for i, n := range f.list {
				fmt.Fprintf(out, "%s %g\n", n.Name, f.n[i])
			}
			fmt.Fprintln(out, ".")
		case "clear":
			fens, boards = nil, nil
		case "position":
			fen := strings.Join(words[1:], " ")
			fens, boards = append(fens, fen), append(boards, setup.Must(board.ParseFEN(fen)))
		case "set":
			for i := 1; i < len(words) && !f.is("deaf to set"); i += 2 {
				k := int(number(i))
				f.n[k] = f.list[k].Round(number(i + 1))
			}
		case "values":
			for i := 1; i < len(words); i += 2 {
				for at := int(number(i)); at < int(number(i+1)); at++ {
					fmt.Fprintf(out, "%g\n", f.answer(fens[at], &boards[at]))
				}
			}
		default:
			fmt.Fprintln(out, "error unknown")
		}
		if words[0] == "numbers" || words[0] == "values" {
			out.Flush()
		}
	}
}

// command starts this binary as a program.
func command(t testing.TB, special string) Command {
	t.Helper()
	t.Setenv(fakeVariable, special)
	return Command{Path: setup.Must(os.Executable()), Timeout: 2 * time.Second}
}

// positions writes a data set of positions of random games.
func positions(t testing.TB, n int) (dir string, rows []dataset.PositionRow) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "positions with a space")
	w := setup.Must(dataset.NewPositionWriter(dir, dataset.WriterConfig{}))
	rng := rand.New(rand.NewPCG(3, 4))
	for game := uint64(1); len(rows) < n; game++ {
		p := board.StartPosition()
		for ply := range 120 {
			moves := p.LegalMoves(nil)
			if len(moves) == 0 || len(rows) == n {
				break
			}
			p.Make(moves[rng.IntN(len(moves))])
			if ply%5 == 4 {
				row := dataset.PositionRow{Board: p, Ply: uint16(ply), Score: int16(rng.IntN(100)), Game: game,
					Result: float32(rng.IntN(3)) / 2, Weight: 1, Opening: game}
				rows = append(rows, row)
				setup.Check(t, w.Append(&row))
			}
		}
	}
	setup.Must(w.Finish(nil))
	return dir, rows
}
