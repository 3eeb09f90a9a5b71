package gen

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/assay-chess/assay/eval/formula"
	"github.com/assay-chess/assay/eval/internal/bent"
)

// maxPhase is the phase of the middlegame: the column phase is in steps of 1/maxPhase.
const maxPhase = 24

// Names returns what a declared formula may use.
func Names(d *bent.Declaration) []formula.Name {
	return append(slices.Clone(d.Channels), formula.Name{Name: bent.Phase, Kind: formula.Column})
}

// Formula returns a Go function that computes a declared formula in integers. A number of the
// formula is a whole number over a constant denominator, and nothing is rounded but by // and
// trunc, and at the end: a value is the formula's, truncated toward zero. It fails if a number
// could be beyond 64 bits with sums of 32, or for operations that have no exact result; the
// error has a caret.
func Formula(d *bent.Declaration) (string, error) {
	f, err := formula.Parse(d.Formula, Names(d))
	if err != nil {
		return "", err
	}
	w := &writer{f: f, sums: map[formula.Input]int{}, body: new(strings.Builder)}
	if err := w.number(d); err != nil {
		return "", err
	}
	w.read()
	for i := range f.Nodes {
		if err := w.node(i); err != nil {
			return "", err
		}
	}
	last := w.values[len(w.values)-1]
	return fmt.Sprintf("\n// %s is the formula of the model %s.\nfunc %s(s *sums, phase int64) int64 {\n%sreturn %s\n}\n",
		d.Func, d.Model, d.Func, w.body, w.quotient(last.text, last.den)), nil
}

// writer turns the nodes of a formula into statements.
type writer struct {
	f      *formula.Formula
	sums   map[formula.Input]int // of a channel's side: where its sum is
	body   *strings.Builder
	values []value // by node
}

// value is what a node is in Go: text is a constant, a variable or, of a condition, an
// expression; the number is text/den, and text is within low to high.
type value struct {
	text      string
	den       *big.Int
	low, high *big.Int
	condition bool
}

var (
	one      = big.NewInt(1)
	int64Max = big.NewInt(math.MaxInt64)
)

// number finds out where the sums of the channels are.
func (w *writer) number(d *bent.Declaration) error {
	n := 0
	for _, c := range d.Channels {
		if c.Kind != formula.Channel {
			return fmt.Errorf("%s: %s is a %s: a model's formula has channels and the phase", d.Model, c.Name, c.Kind)
		}
		sides := []formula.Side{formula.Both}
		if c.Sides {
			sides = []formula.Side{formula.White, formula.Black}
		}
		for _, s := range sides {
			w.sums[formula.Input{Name: c.Name, Side: s}] = n
			n++
		}
	}
	return nil
}

// read unpacks the sums that the formula reads.
func (w *writer) read() {
	done := map[int]bool{}
	for _, in := range w.f.Inputs {
		if in.Kind != formula.Channel {
			continue
		}
		n := w.sums[formula.Input{Name: in.Name, Side: in.Side}]
		if done[n] {
			continue
		}
		done[n] = true
		halves := [2]string{"_", "_"}
		for _, x := range w.f.Inputs {
			if x.Name == in.Name && x.Side == in.Side {
				halves[max(0, int(x.Half)-1)] = variable(x)
			}
		}
		fmt.Fprintf(w.body, "%s, %s := unpack(s[%d])\n", halves[0], halves[1], n)
	}
}

// variable returns the name of an input in Go.
func variable(in formula.Input) string {
	name := strings.ReplaceAll(in.Name, ".", "")
	return name + [...]string{"", "White", "Black"}[in.Side] + [...]string{"", "MG", "EG"}[in.Half]
}

func (w *writer) fail(n *formula.Node, format string, args ...any) error {
	return &formula.Error{Text: w.f.Text, At: n.At, What: fmt.Sprintf(format, args...)}
}

// node appends the value of a node.
func (w *writer) node(i int) error {
	n := &w.f.Nodes[i]
	v, err := w.compute(n)
	if err != nil {
		return err
	}
	if err := w.fits(n, v); err != nil {
		return err
	}
	if same := v.text == "" || strings.HasPrefix(v.text, "x") && !strings.ContainsAny(v.text, " */"); !same && n.Op != formula.Constant && n.Op != formula.Read && !v.condition {
		name := fmt.Sprintf("x%d", i)
		fmt.Fprintf(w.body, "%s := %s\n", name, v.text)
		v.text = name
	}
	w.values = append(w.values, v)
	return nil
}

// fits refuses a number whose numerator may be beyond 64 bits.
func (w *writer) fits(n *formula.Node, list ...value) error {
	for _, v := range list {
		if !v.condition && (!v.den.IsInt64() || maxOf(new(big.Int).Abs(v.low), new(big.Int).Abs(v.high)).Cmp(int64Max) > 0) {
			return w.fail(n, "may be from %v to %v in units of 1/%v, beyond 64 bits: clamp what it is made of, or divide by // earlier", v.low, v.high, v.den)
		}
	}
	return nil
}

func (w *writer) compute(n *formula.Node) (value, error) {
	args := n.Arguments()
	v := make([]value, 3)
	for i, a := range args {
		v[i] = w.values[a]
	}
	a, b := v[0], v[1]
	switch n.Op {
	case formula.Constant:
		return w.constant(n)
	case formula.Read:
		return w.input(n)
	case formula.Add, formula.Subtract, formula.Max, formula.Min:
		return w.pair(n, a, b)
	case formula.Multiply:
		return value{text: a.text + "*" + b.text, den: new(big.Int).Mul(a.den, b.den), low: extreme(a, b, -1), high: extreme(a, b, 1)}, nil
	case formula.Square:
		low, high := new(big.Int).Mul(a.low, a.low), extreme(a, a, 1)
		if a.low.Sign() < 0 {
			if low = new(big.Int).Mul(a.high, a.high); a.high.Sign() > 0 {
				low = new(big.Int)
			}
		}
		return value{text: a.text + "*" + a.text, den: new(big.Int).Mul(a.den, a.den), low: low, high: high}, nil
	case formula.Divide, formula.DivideInt:
		return w.divide(n, a)
	case formula.Truncate:
		return w.truncate(a), nil
	case formula.Abs:
		m := maxOf(new(big.Int).Abs(a.low), new(big.Int).Abs(a.high))
		return value{text: fmt.Sprintf("max(%s, -%s)", a.text, a.text), den: a.den, low: new(big.Int), high: m}, nil
	case formula.Sign:
		return value{text: "signOf(" + a.text + ")", den: one, low: big.NewInt(-1), high: one}, nil
	case formula.If:
		return w.choose(n, v)
	}
	return w.condition(n, a, b)
}

// constant returns a number of the text as a fraction.
func (w *writer) constant(n *formula.Node) (value, error) {
	r := new(big.Rat)
	if _, ok := r.SetString(fmt.Sprint(n.Value)); !ok || !r.Num().IsInt64() {
		return value{}, w.fail(n, "%v is no fraction of whole numbers of 64 bits", n.Value)
	}
	return value{text: r.Num().String(), den: r.Denom(), low: r.Num(), high: r.Num()}, nil
}

// input returns a sum, which has 32 bits, or the phase.
func (w *writer) input(n *formula.Node) (value, error) {
	in := w.f.Inputs[n.Input]
	switch {
	case in.Name == bent.Phase:
		return value{text: "phase", den: big.NewInt(maxPhase), low: new(big.Int), high: big.NewInt(maxPhase)}, nil
	case in.Kind != formula.Channel:
		return value{}, w.fail(n, "%s is a %s: a model's formula has channels and the phase", in, in.Kind)
	}
	return value{text: variable(in), den: one, low: big.NewInt(math.MinInt32), high: big.NewInt(math.MaxInt32)}, nil
}

// pair computes with two numbers over their common denominator.
func (w *writer) pair(n *formula.Node, a, b value) (value, error) {
	a, b = common(a, b)
	out := value{den: a.den}
	switch n.Op {
	case formula.Add:
		out.text, out.low, out.high = a.text+" + "+b.text, new(big.Int).Add(a.low, b.low), new(big.Int).Add(a.high, b.high)
	case formula.Subtract:
		out.text, out.low, out.high = a.text+" - "+b.text, new(big.Int).Sub(a.low, b.high), new(big.Int).Sub(a.high, b.low)
	case formula.Max:
		out.text, out.low, out.high = fmt.Sprintf("max(%s, %s)", a.text, b.text), maxOf(a.low, b.low), maxOf(a.high, b.high)
	case formula.Min:
		out.text, out.low, out.high = fmt.Sprintf("min(%s, %s)", a.text, b.text), minOf(a.low, b.low), minOf(a.high, b.high)
	}
	return out, w.fits(n, a, b) // what is brought to the common denominator must fit too
}

// divide divides by a constant.
func (w *writer) divide(n *formula.Node, a value) (value, error) {
	by := &w.f.Nodes[n.B]
	if by.Op != formula.Constant {
		return value{}, w.fail(n, "a model's formula divides by constants alone: nothing else has an exact result")
	}
	b := w.values[n.B]
	num, den := new(big.Int).Abs(b.low), new(big.Int).Set(b.den)
	if b.low.Sign() < 0 {
		den.Neg(den)
	}
	out := scale(a, den)
	out.den = new(big.Int).Mul(a.den, num)
	if err := w.fits(n, out); err != nil || n.Op == formula.Divide {
		return out, err
	}
	return w.truncate(out), nil
}

// truncate rounds toward zero.
func (w *writer) truncate(a value) value {
	return value{text: w.quotient(a.text, a.den), den: one, low: new(big.Int).Quo(a.low, a.den), high: new(big.Int).Quo(a.high, a.den)}
}

func (w *writer) quotient(text string, den *big.Int) string {
	if den.Cmp(one) == 0 {
		return text
	}
	return fmt.Sprintf("(%s)/%v", text, den)
}

// choose writes an if.
func (w *writer) choose(n *formula.Node, v []value) (value, error) {
	a, b := common(v[1], v[2])
	name := fmt.Sprintf("if%d", len(w.values))
	fmt.Fprintf(w.body, "%s := %s\nif %s {\n%s = %s\n}\n", name, b.text, v[0].text, name, a.text)
	return value{text: name, den: a.den, low: minOf(a.low, b.low), high: maxOf(a.high, b.high)}, w.fits(n, a, b)
}

// condition writes what is true or false.
func (w *writer) condition(n *formula.Node, a, b value) (value, error) {
	op, ok := map[formula.Op]string{
		formula.Less: "<", formula.LessEqual: "<=", formula.Equal: "==", formula.And: "&&", formula.Or: "||",
	}[n.Op]
	switch {
	case n.Op == formula.Not:
		return value{text: "!(" + a.text + ")", condition: true}, nil
	case !ok:
		return value{}, w.fail(n, "this has no exact result in integers")
	case !a.condition:
		a, b = common(a, b)
	}
	if err := w.fits(n, a, b); err != nil {
		return value{}, err
	}
	return value{text: fmt.Sprintf("(%s %s %s)", a.text, op, b.text), condition: true}, nil
}

// common brings two numbers to their least common denominator.
func common(a, b value) (value, value) {
	if a.den.Cmp(b.den) == 0 {
		return a, b
	}
	g := new(big.Int).GCD(nil, nil, a.den, b.den)
	return widen(a, new(big.Int).Quo(b.den, g)), widen(b, new(big.Int).Quo(a.den, g))
}

// widen multiplies numerator and denominator.
func widen(a value, by *big.Int) value {
	out := scale(a, by)
	out.den = new(big.Int).Mul(a.den, by)
	return out
}

// scale multiplies the numerator.
func scale(a value, by *big.Int) value {
	if by.Cmp(one) == 0 {
		return a
	}
	a.low, a.high = new(big.Int).Mul(a.low, by), new(big.Int).Mul(a.high, by)
	if by.Sign() < 0 {
		a.low, a.high = a.high, a.low
	}
	if number, ok := new(big.Int).SetString(a.text, 10); ok {
		a.text = number.Mul(number, by).String()
	} else {
		a.text = fmt.Sprintf("%s*%v", a.text, by)
	}
	return a
}

// extreme returns the least (-1) or largest (1) product of two numbers.
func extreme(a, b value, sign int) *big.Int {
	var best *big.Int
	for _, x := range []*big.Int{a.low, a.high} {
		for _, y := range []*big.Int{b.low, b.high} {
			if p := new(big.Int).Mul(x, y); best == nil || p.Cmp(best) == sign {
				best = p
			}
		}
	}
	return best
}

func maxOf(a, b *big.Int) *big.Int {
	if a.Cmp(b) >= 0 {
		return a
	}
	return b
}

func minOf(a, b *big.Int) *big.Int {
	if a.Cmp(b) <= 0 {
		return a
	}
	return b
}
