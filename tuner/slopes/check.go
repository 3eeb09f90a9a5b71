package slopes

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/assay-chess/assay/dataset"
)

// What Check may find. The errors that wrap these name positions, numbers and the likely cause.
var (
	errFresh   = errors.New("another process gives other values")
	errOrder   = errors.New("the value of a position depends on what was evaluated before")
	errNumbers = errors.New("numbers from a file give other values than the same numbers set later")
	ErrView    = errors.New("the value is the view of the side to move, not White's")
)

const (
	checkSize  = 600 // positions
	checkMoves = 10  // by how much each number moves
)

type checking struct {
	*measurement
	piece
	mirror  []string // FENs of the mirrored twins
	warning string
}

// Check compares what a program says of some of the positions: in another order and after other numbers, in a fresh
// process, with numbers from a file and with the same numbers set, and with colours exchanged. The warning says what
// does not have the negative value then; "" if everything has.
func Check(ctx context.Context, c Config) (warning string, err error) {
	c.Workers = 1
	m := &measurement{Config: c, ctx: ctx, unit: dataset.DefaultUnit, tries: map[int]int{}}
	if _, _, err := m.open(); err != nil {
		return "", err
	}
	if err := m.start(); err != nil {
		return "", err
	}
	defer m.end()
	k := &checking{measurement: m}
	k.program = <-m.idle
	defer func() { m.idle <- k.program }()
	for _, step := range []func() error{k.prepare, k.order, k.fresh, k.numbers, k.mirrored} {
		if err := step(); err != nil {
			return "", fmt.Errorf("%s: %w", c.Path, err)
		}
	}
	_, err = (&sample{measurement: k.measurement, piece: k.piece}).pawn(k.program) // which Measure needs, after the games
	return k.warning, err
}

// prepare evaluates some positions.
func (k *checking) prepare() (err error) {
	if k.rows, err = k.some(checkSize); err != nil {
		return err
	}
	if err := k.place(k.program, &k.piece); err != nil {
		return err
	}
	for _, b := range k.boards {
		twin := b.Mirror()
		k.mirror = append(k.mirror, FEN(&twin))
	}
	k.whole = whole(k.base)
	return nil
}

// differences says where two lists of values differ; "" if they are the same.
func (k *checking) differences(a, b []float64) string {
	n, first := 0, -1
	for i := range a {
		if a[i] != b[i] {
			if n++; first < 0 {
				first = i
			}
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d positions, as %s: %g, then %g", n, len(a), k.fens[first], a[first], b[first])
}

// order evaluates the positions in the other order, and again after other numbers.
func (k *checking) order() error {
	slices.Reverse(k.fens)
	values, err := k.program.Values(k.fens, k.point)
	slices.Reverse(k.fens)
	if err != nil {
		return err
	}
	slices.Reverse(values)
	if d := k.differences(k.base, values); d != "" {
		return fmt.Errorf("%w: %s; in the other order. Does it keep something from one position to the next, as a "+
			"cache or a flag that is not reset?", errOrder, d)
	}
	moves, _, err := k.moves("")
	if err != nil {
		return err
	}
	if values, err = k.program.Values(k.fens, k.point); err != nil {
		return err
	}
	if d := k.differences(k.base, values); d != "" {
		return fmt.Errorf("%w: %s; after %d numbers were moved and put back. Does assay_refresh clear caches, and make "+
			"again what depends on the numbers?", errOrder, d, len(moves))
	}
	return nil
}

// fresh evaluates the positions in another process.
func (k *checking) fresh() error {
	p, err := Start(k.ctx, k.Command)
	if err != nil {
		return err
	}
	defer p.Close()
	values, err := p.Values(k.fens, k.point)
	if err != nil {
		return err
	}
	if d := k.differences(k.base, values); d != "" {
		return fmt.Errorf("%w: %s. Is a value not initialized, or random?", errFresh, d)
	}
	return nil
}

// moves moves all numbers, or one named table's, up or down at random, and evaluates the positions.
// Numbers that make the program fail stay where they are.
func (k *checking) moves(table string) ([]move, []float64, error) {
	b := &block{m: k.measurement, program: k.program, fens: k.fens, failed: map[int]bool{}}
	for {
		rng := rand.New(rand.NewPCG(7, 8))
		var moves []move
		for i, n := range k.Config.Numbers {
			by := math.Copysign(checkMoves, rng.Float64()-0.5)
			if n.Float {
				by *= math.Abs(k.point[i]) / 100
			}
			if n.Min < n.Max && (k.point[i]+by < n.Min || k.point[i]+by > n.Max) {
				by = -by
			}
			if !b.failed[i] && (table == "" || table == n.Table) {
				moves = append(moves, move{i, k.point[i] + by})
			}
		}
		k.program.load(k.fens)
		out := make([]float64, len(k.fens))
		if failures, err := b.try(moves, b.all(), out); err != nil || failures == 0 {
			return moves, out, err
		}
	}
}

// numbers compares numbers that are set with those in a file.
func (k *checking) numbers() error {
	d, err := k.differ("")
	if err != nil || d == "" {
		return err
	}
	table, last := "all tables together", ""
	for _, n := range k.Config.Numbers {
		if n.Table == last {
			continue
		}
		last = n.Table
		differ, err := k.differ(last)
		if err != nil {
			return err
		}
		if differ != "" {
			table = last
			break
		}
	}
	return fmt.Errorf("%w: %s (set, then from a file); for %s alone too. Does assay_refresh make again all that is made "+
		"from numbers at the start, or when a position is set up?", errNumbers, d, table)
}

// differ says where all numbers, or one named table's, have other effects from a file than set.
func (k *checking) differ(table string) (string, error) {
	moves, set, err := k.moves(table)
	if err != nil {
		return "", err
	}
	values, err := k.fromFile(moves)
	if err != nil {
		return "", err
	}
	return k.differences(set, values), nil
}

// fromFile evaluates the positions in a process that reads its numbers from a file.
func (k *checking) fromFile(moves []move) ([]float64, error) {
	at := slices.Clone(k.point)
	for _, m := range moves {
		at[m.number] = m.value
	}
	dir, err := os.MkdirTemp("", "assay-numbers")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	c := k.Command
	c.Numbers = filepath.Join(dir, "numbers")
	var text []byte
	for i, name := range k.names {
		text = fmt.Appendln(text, name, at[i])
	}
	if err := os.WriteFile(c.Numbers, text, 0o600); err != nil {
		return nil, err
	}
	p, err := Start(k.ctx, c)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	for i, v := range p.start {
		if v != at[i] {
			return nil, fmt.Errorf("%w: a file gives %s the value %g, and the program starts with %g", errNumbers, k.names[i],
				at[i], v)
		}
	}
	return p.Values(k.fens, nil)
}

// mirrored compares the positions with their mirrored twins.
func (k *checking) mirrored() error {
	values, bad, err := k.program.each(k.mirror)
	if err != nil {
		return err
	}
	var broken []int
	same := 0
	for i, v := range values {
		if bad[i] == nil && math.Abs(v+k.base[i]) > k.bends() {
			broken = append(broken, i)
			if v == k.base[i] {
				same++
			}
		}
	}
	if 10*same > 9*len(broken) && 2*same > len(values) {
		return fmt.Errorf("%w: with colours exchanged %d of %d positions have the same value, as %s: %g", ErrView, same,
			len(values), k.fens[broken[0]], k.base[broken[0]])
	}
	if len(broken) == 0 {
		return nil
	}
	first := broken[0]
	k.warning = fmt.Sprintf("%d of %d positions do not have the negative value with colours exchanged, as %s: %g, "+
		"and then %g", len(broken), len(values), k.fens[first], k.base[first], values[first])
	return nil
}
