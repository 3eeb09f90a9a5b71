package formula

import "fmt"

// expr is an expression as written.
type expr struct {
	op    string // "number", "name", "[]", an operator, or the name of a function
	at    int
	name  string
	value float64
	args  []*expr
}

// statement is "let name = body", or the value.
type statement struct {
	name string
	at   int
	body *expr
}

// parser reads expressions by the precedence of their operators (Pratt 1973).
type parser struct {
	text   string
	tokens []token
	depth  int
}

// maxDepth bounds how deeply a formula is nested.
const maxDepth = 200

func (p *parser) fail(at int, format string, args ...any) error {
	return &textError{p.text, at, fmt.Sprintf(format, args...)}
}

func (p *parser) peek() token { return p.tokens[0] }

func (p *parser) next() token {
	t := p.tokens[0]
	if t.kind != end {
		p.tokens = p.tokens[1:]
	}
	return t
}

// want takes the operator, or fails.
func (p *parser) want(op, where string) error {
	if t := p.next(); t.kind != operator || t.text != op {
		return p.fail(t.at, "want %q %s, found %s", op, where, t)
	}
	return nil
}

func (t token) String() string {
	if t.kind == end {
		return "the end"
	}
	return fmt.Sprintf("%q", t.text)
}

// statements reads a whole text: any number of lets, then the value.
func (p *parser) statements() ([]statement, error) {
	var out []statement
	for {
		t := p.next()
		switch {
		case t.kind == end:
			return nil, p.fail(t.at, `the formula ends without "value = ..."`)
		case t.kind != word || t.text != "let" && t.text != "value":
			return nil, p.fail(t.at, `want "let NAME = ..." or "value = ...", found %s`, t)
		}
		s := statement{at: t.at}
		if t.text == "let" {
			name := p.next()
			if name.kind != word {
				return nil, p.fail(name.at, "want a name after let, found %s", name)
			}
			if err := checkName(name.text); err != nil {
				return nil, p.fail(name.at, "%q cannot be the name of a let", name.text)
			}
			s.name, s.at = name.text, name.at
		}
		if err := p.want("=", "after the name"); err != nil {
			return nil, err
		}
		var err error
		if s.body, err = p.expression(0); err != nil {
			return nil, err
		}
		out = append(out, s)
		if t := p.next(); t.kind != end && t.text != ";" {
			return nil, p.fail(t.at, "want an operator or \";\", found %s", t)
		}
		if s.name == "" {
			if t := p.peek(); t.kind != end {
				return nil, p.fail(t.at, "the value must come last, found %s after it", t)
			}
			return out, nil
		}
	}
}

// powers are how strongly operators bind.
var powers = map[string]int{
	"or": 1, "and": 2, "<": powerCompare, "<=": powerCompare, ">": powerCompare, ">=": powerCompare, "==": powerCompare,
	"!=": powerCompare, "+": 5, "-": 5, "*": 6, "/": 6, "//": 6, "^": 8,
}

const (
	powerNot     = 3
	powerCompare = 4
	powerMinus   = 7
)

// expression reads an expression of operators that bind more strongly than least.
func (p *parser) expression(least int) (*expr, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, p.fail(p.peek().at, "nested too deeply")
	}
	defer func() { p.depth-- }()
	left, err := p.operand()
	if err != nil {
		return nil, err
	}
	for compared := false; ; {
		t := p.peek()
		n := powers[t.text]
		if n <= least {
			return left, nil
		}
		p.next()
		if n == powerCompare && compared {
			return nil, p.fail(t.at, "comparisons cannot follow each other: use and")
		}
		compared = n == powerCompare
		if t.text == "^" {
			if two := p.next(); two.kind != number || two.value != 2 {
				return nil, p.fail(two.at, "the only power is ^2, found %s", two)
			}
			left = &expr{op: "^", at: t.at, args: []*expr{left}}
			continue
		}
		right, err := p.expression(n)
		if err != nil {
			return nil, err
		}
		left = &expr{op: t.text, at: t.at, args: []*expr{left, right}}
	}
}

// operand reads what stands between binary operators.
func (p *parser) operand() (*expr, error) {
	t := p.next()
	switch {
	case t.kind == number:
		return &expr{op: "number", at: t.at, value: t.value}, nil
	case t.text == "-" || t.text == "not":
		least, op := powerMinus, "negative"
		if t.text == "not" {
			least, op = powerNot, "not"
		}
		x, err := p.expression(least)
		return &expr{op: op, at: t.at, args: []*expr{x}}, err
	case t.text == "(":
		x, err := p.expression(0)
		if err != nil {
			return nil, err
		}
		return x, p.want(")", "to close the bracket")
	case t.kind != word || t.text == "let" || t.text == "and" || t.text == "or":
		return nil, p.fail(t.at, "want a number, a name or a bracket, found %s", t)
	}
	switch next := p.peek(); next.text {
	case "(":
		return p.call(t)
	case "[":
		p.next()
		x, err := p.expression(0)
		if err != nil {
			return nil, err
		}
		return &expr{op: "[]", at: t.at, name: t.text, args: []*expr{x}}, p.want("]", "after the place in the table")
	}
	return &expr{op: "name", at: t.at, name: t.text}, nil
}

// arguments of functions: the least and the largest number.
var arguments = map[string][2]int{
	"min": {2, 20}, "max": {2, 20}, "clamp": {3, 3}, "abs": {1, 1}, "sign": {1, 1}, "sqrt": {1, 1}, "trunc": {1, 1},
	"if": {3, 3}, "balance": {1, 1},
}

// call reads the arguments of a function.
func (p *parser) call(name token) (*expr, error) {
	limits, ok := arguments[name.text]
	if !ok {
		return nil, p.fail(name.at, "no function %q: there are min, max, clamp, abs, sign, sqrt, trunc, if and balance",
			name.text)
	}
	p.next()
	e := &expr{op: name.text, at: name.at}
	for {
		x, err := p.expression(0)
		if err != nil {
			return nil, err
		}
		e.args = append(e.args, x)
		if t := p.peek(); t.text != "," {
			break
		}
		p.next()
	}
	if n := len(e.args); n < limits[0] || n > limits[1] {
		want := fmt.Sprint(limits[0])
		if limits[1] > limits[0] {
			want += " or more"
		}
		return nil, p.fail(name.at, "%s takes %s arguments, found %d", name.text, want, n)
	}
	return e, p.want(")", "after the arguments of "+name.text)
}
