package formula

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
)

const (
	maxTable = 1024
	maxNodes = 4096
)

// resolver turns expressions into nodes.
type resolver struct {
	f      *Formula
	names  map[string]*Name
	lets   map[string]*letOf
	inputs map[Input]int
	known  map[Node]int // by node, without its place: equal ones are one
	used   map[string]bool
	inside int // lets that are being resolved
}

type letOf struct {
	statement
	open, used bool
	done       [3]int // node by side, plus 1
}

func (r *resolver) fail(at int, format string, args ...any) error {
	return &textError{r.f.Text, at, fmt.Sprintf(format, args...)}
}

func (r *resolver) declare(list []statement) error {
	for _, s := range list[:len(list)-1] {
		switch {
		case r.names[s.name] != nil:
			return r.fail(s.at, "%q is the name of a %s", s.name, r.names[s.name].Kind)
		case r.lets[s.name] != nil:
			return r.fail(s.at, "%q is defined twice", s.name)
		}
		r.lets[s.name] = &letOf{statement: s}
	}
	return nil
}

// finish puts the root last and refuses what is not used.
func (r *resolver) finish(root int, list []statement, names []Name) (*Formula, error) {
	for _, s := range list[:len(list)-1] {
		if !r.lets[s.name].used {
			return nil, r.fail(s.at, "%q is not used", s.name)
		}
	}
	for i := range names {
		if n := &names[i]; n.Kind != Column && !r.used[n.Name] {
			r.f.Unused = append(r.f.Unused, n.Name)
		}
	}
	if root != len(r.f.Nodes)-1 { // a node that came first for another place
		zero := r.constant(0)
		r.f.Nodes = append(r.f.Nodes, Node{Op: Add, A: root, B: zero})
	}
	r.f.Nodes = slices.Clip(r.f.Nodes)
	return r.f, nil
}

// node returns the number of a node that is new or known. Operations on constants are done.
func (r *resolver) node(n Node) (int, error) {
	key := n
	key.At = 0
	if i, ok := r.known[key]; ok {
		return i, nil
	}
	if v, known, err := r.fold(n); known || err != nil {
		return r.constant(v), err
	}
	if len(r.f.Nodes) == maxNodes {
		return 0, r.fail(n.At, "the formula has more than %d operations", maxNodes)
	}
	r.f.Nodes = append(r.f.Nodes, n)
	r.known[key] = len(r.f.Nodes) - 1
	return len(r.f.Nodes) - 1, nil
}

// fold computes a node of constants.
func (r *resolver) fold(n Node) (value float64, known bool, err error) {
	var v [3]float64
	args := n.Arguments()
	for i, a := range args {
		if r.f.Nodes[a].Op != Constant {
			return 0, false, nil
		}
		v[i] = r.f.Nodes[a].Value
	}
	if args == nil || n.Op == Lookup {
		return 0, false, nil
	}
	n.A, n.B, n.C = 0, 1, 2
	value = (&Machine{mode: Exact}).do(&n, v[:], nil)
	if what := refuse(&n, v[:], value); what != "" {
		return 0, false, r.fail(n.At, "%s", what)
	}
	return value, true, nil
}

func (r *resolver) constant(v float64) int {
	key := Node{Op: Constant, Value: v}
	i, ok := r.known[key]
	if !ok {
		r.f.Nodes = append(r.f.Nodes, key)
		i = len(r.f.Nodes) - 1
		r.known[key] = i
	}
	return i
}

// input returns the node that reads an input.
func (r *resolver) input(in Input, at int) (int, error) {
	i, ok := r.inputs[in]
	if !ok {
		i = len(r.f.Inputs)
		r.f.Inputs = append(r.f.Inputs, in)
		r.inputs[in] = i
	}
	return r.node(Node{Op: Read, Input: i, At: at})
}

// conditions are the operations whose result is true or false: a node of a and b, for some of b
// and a, or negated.
var conditions = map[string]struct {
	op            Op
	swap, negated bool
}{
	"<": {op: Less}, "<=": {op: LessEqual}, ">": {op: Less, swap: true}, ">=": {op: LessEqual, swap: true},
	"==": {op: Equal}, "!=": {op: Equal, negated: true}, "and": {op: And}, "or": {op: Or}, "not": {op: Not},
}

// number resolves an expression that is a number, of a side within a balance.
func (r *resolver) number(e *expr, side Side) (int, error) {
	if _, ok := conditions[e.op]; ok {
		return 0, r.fail(e.at, "want a number, found a condition: if(%s..., a, b) chooses by it", e.op)
	}
	switch e.op {
	case "number":
		return r.constant(e.value), nil
	case "name":
		return r.name(e, side)
	case "[]":
		return r.lookup(e, side)
	case "balance":
		return r.balance(e, side)
	case "if":
		c, err := r.condition(e.args[0], side)
		if err != nil {
			return 0, err
		}
		args, err := r.numbers(e.args[1:], side)
		if err != nil {
			return 0, err
		}
		return r.node(Node{Op: If, A: c, B: args[0], C: args[1], At: e.at})
	}
	args, err := r.numbers(e.args, side)
	if err != nil {
		return 0, err
	}
	switch e.op {
	case "negative":
		return r.node(Node{Op: Subtract, A: r.constant(0), B: args[0], At: e.at})
	case "clamp":
		low, err := r.node(Node{Op: Max, A: args[0], B: args[1], At: e.at})
		if err != nil {
			return 0, err
		}
		return r.node(Node{Op: Min, A: low, B: args[2], At: e.at})
	}
	op, ok := ops[e.op]
	if !ok {
		return 0, r.fail(e.at, "%q is no operation on numbers", e.op)
	}
	if len(args) == 1 {
		return r.node(Node{Op: op, A: args[0], At: e.at})
	}
	at := args[0]
	for _, b := range args[1:] {
		if at, err = r.node(Node{Op: op, A: at, B: b, At: e.at}); err != nil {
			return 0, err
		}
	}
	return at, nil
}

var ops = map[string]Op{
	"+": Add, "-": Subtract, "*": Multiply, "/": Divide, "//": DivideInt, "^": Square,
	"min": Min, "max": Max, "abs": Abs, "sign": Sign, "sqrt": Sqrt, "trunc": Truncate,
}

func (r *resolver) numbers(list []*expr, side Side) ([]int, error) {
	var out []int
	for _, e := range list {
		i, err := r.number(e, side)
		if err != nil {
			return nil, err
		}
		out = append(out, i)
	}
	return out, nil
}

// condition resolves an expression that is true or false.
func (r *resolver) condition(e *expr, side Side) (int, error) {
	c, ok := conditions[e.op]
	if !ok {
		return 0, r.fail(e.at, "want a condition such as a < b")
	}
	each := r.number
	if e.op == "and" || e.op == "or" || e.op == "not" {
		each = r.condition
	}
	var args []int
	for _, a := range e.args {
		i, err := each(a, side)
		if err != nil {
			return 0, err
		}
		args = append(args, i)
	}
	n := Node{Op: c.op, A: args[0], At: e.at}
	if len(args) > 1 {
		n.B = args[1]
	}
	if c.swap {
		n.A, n.B = n.B, n.A
	}
	i, err := r.node(n)
	if err != nil || !c.negated {
		return i, err
	}
	return r.node(Node{Op: Not, A: i, At: e.at})
}

// balance is White's value of an expression minus Black's.
func (r *resolver) balance(e *expr, side Side) (int, error) {
	if side != Both {
		return 0, r.fail(e.at, "a balance within a balance")
	}
	white, err := r.number(e.args[0], White)
	if err != nil {
		return 0, err
	}
	black, err := r.number(e.args[0], Black)
	if err != nil {
		return 0, err
	}
	if white == black {
		return 0, r.fail(e.at, "the balance of what is the same for both sides is 0")
	}
	return r.node(Node{Op: Subtract, A: white, B: black, At: e.at})
}

// name resolves a let, or a declared name with what follows it.
func (r *resolver) name(e *expr, side Side) (int, error) {
	if l := r.lets[e.name]; l != nil {
		return r.let(l, e, side)
	}
	base, half, of, ok := r.split(e.name)
	if name, suffix, _ := strings.Cut(e.name, "."); !ok && side == Both && r.lets[name] != nil {
		switch suffix {
		case "white":
			return r.let(r.lets[name], e, White)
		case "black":
			return r.let(r.lets[name], e, Black)
		}
	}
	if !ok {
		return 0, r.fail(e.at, "no channel, column, scalar or let %q%s", e.name, r.guess(e.name))
	}
	n := r.names[base]
	r.used[base] = true
	switch {
	case n.Kind == Table:
		return 0, r.fail(e.at, "%s is a table: say %s[...]", base, base)
	case of != Both && !n.Sides:
		return 0, r.fail(e.at, "%s is not counted for each side", base)
	case half != Whole && !n.Tapered:
		return 0, r.fail(e.at, "%s has no halves", base)
	case half == Whole && n.Tapered:
		return 0, r.fail(e.at, "%s is tapered: say %s.mg or %s.eg", base, base, base)
	case n.Sides && of == Both && side == Both:
		return 0, r.fail(e.at, "%s is counted for each side: put it into balance(...), or say %s.white or %s.black", base,
			base, base)
	}
	in := Input{Name: base, Kind: n.Kind, Half: half}
	if n.Sides {
		if in.Side = of; of == Both {
			in.Side = side
		}
	}
	return r.input(in, e.at)
}

func (r *resolver) let(l *letOf, e *expr, side Side) (int, error) {
	if l.open {
		return 0, r.fail(e.at, "%q is defined by itself", e.name)
	}
	l.used = true
	if i := l.done[side]; i > 0 {
		return i - 1, nil
	}
	if r.inside++; r.inside > maxDepth {
		return 0, r.fail(e.at, "nested too deeply")
	}
	l.open = true
	i, err := r.number(l.body, side)
	l.open = false
	r.inside--
	if err == nil {
		l.done[side] = i + 1
	}
	return i, err
}

// split finds the declared name in one that may say a side and a half.
func (r *resolver) split(name string) (base string, half Half, side Side, ok bool) {
	for range 3 {
		if r.names[name] != nil {
			return name, half, side, true
		}
		at := strings.LastIndexByte(name, '.')
		if at < 0 {
			return
		}
		switch suffix := name[at+1:]; {
		case suffix == "mg" && half == Whole:
			half = Middlegame
		case suffix == "eg" && half == Whole:
			half = Endgame
		case suffix == "white" && side == Both:
			side = White
		case suffix == "black" && side == Both:
			side = Black
		default:
			return
		}
		name = name[:at]
	}
	return
}

// lookup resolves a place in a table.
func (r *resolver) lookup(e *expr, side Side) (int, error) {
	n := r.names[e.name]
	if n == nil || n.Kind != Table {
		return 0, r.fail(e.at, "no table %q%s", e.name, r.guess(e.name))
	}
	r.used[e.name] = true
	place, err := r.number(e.args[0], side)
	if err != nil {
		return 0, err
	}
	first, ok := r.inputs[Input{Name: e.name, Kind: Table}]
	if !ok {
		first = len(r.f.Inputs)
		for i := range n.Size {
			in := Input{Name: e.name, Kind: Table, Entry: i}
			r.inputs[in] = len(r.f.Inputs)
			r.f.Inputs = append(r.f.Inputs, in)
		}
	}
	return r.node(Node{Op: Lookup, A: place, Input: first, Size: n.Size, At: e.at})
}

// guess names what may have been meant.
func (r *resolver) guess(name string) string {
	best, least := "", 0.65
	for _, known := range append(slices.Sorted(maps.Keys(r.names)), slices.Sorted(maps.Keys(r.lets))...) {
		for _, suffix := range []string{"", ".mg", ".eg", ".white", ".black"} {
			if v := levenshtein.Similarity(name, known+suffix, nil); v > least {
				best, least = known+suffix, v
			}
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}
