package formula

import "fmt"

// Kind says what a name of a formula stands for.
type Kind uint8

const (
	Channel Kind = iota // a linear sum of terms
	Column              // a number of the row
	Scalar              // a number that a fit determines
	Table               // several of those, looked up by place
)

var kindNames = [...]string{"channel", "column", "scalar", "table"}

func (k Kind) String() string { return kindNames[k] }

// Name is one that a formula may use.
type Name struct {
	Name    string
	Kind    Kind
	Tapered bool // a channel of two halves, NAME.mg and NAME.eg
	Sides   bool // a channel or column of each side, NAME.white and NAME.black
	Size    int  // entries of a table
}

// Side says whose channel or column an input is.
type Side uint8

const (
	Both Side = iota
	White
	Black
)

// Half says which half of a tapered channel an input is.
type Half uint8

const (
	Whole Half = iota
	Middlegame
	Endgame
)

// Input is a number that a formula reads from the row. A table has an input an entry.
type Input struct {
	Name  string
	Kind  Kind
	Side  Side
	Half  Half
	Entry int // of a table
}

// String returns the input as a formula says it.
func (in Input) String() string {
	s := in.Name + [...]string{"", ".white", ".black"}[in.Side] + [...]string{"", ".mg", ".eg"}[in.Half]
	if in.Kind == Table {
		s += fmt.Sprintf("[%d]", in.Entry)
	}
	return s
}

// Op is what a node does with its arguments.
type Op uint8

const (
	Constant Op = iota
	Read        // an input
	Add
	Subtract
	Multiply
	Divide
	DivideInt // truncates as C does, where exact
	Truncate  // as DivideInt
	Square
	Max
	Min
	Abs
	Sign
	Sqrt
	Less // 1 or 0, as all conditions
	LessEqual
	Equal
	And
	Or
	Not
	If
	Lookup // of the place A in a table, between whose entries it interpolates
)

// Node is one step of the program. Its arguments are earlier nodes.
type Node struct {
	Op      Op
	A, B, C int
	Value   float64 // of a constant
	Input   int     // of Read; of Lookup, the first entry
	Size    int     // of Lookup
	At      int     // byte of the text
}

// Arguments returns the nodes that the node takes.
func (n *Node) Arguments() []int {
	switch n.Op {
	case Constant, Read:
		return nil
	case Square, Abs, Sign, Sqrt, Not, Truncate, Lookup:
		return []int{n.A}
	case If:
		return []int{n.A, n.B, n.C}
	}
	return []int{n.A, n.B}
}

// Formula is a parsed formula.
type Formula struct {
	Text   string
	Inputs []Input
	Nodes  []Node   // the last is the value
	Unused []string // channels, scalars and tables that the text does not name
}

// Parse reads a formula of the given names. An error in the text points at its place.
func Parse(text string, names []Name) (*Formula, error) {
	r := &resolver{
		f: &Formula{Text: text}, names: map[string]*Name{}, lets: map[string]*letOf{}, inputs: map[Input]int{},
		known: map[Node]int{}, used: map[string]bool{},
	}
	for i := range names {
		n := &names[i]
		if err := checkName(n.Name); err != nil {
			return nil, err
		}
		if r.names[n.Name] != nil {
			return nil, fmt.Errorf("%w: %q is declared twice", ErrFormula, n.Name)
		}
		if n.Kind == Table && !(n.Size >= 2 && n.Size <= maxTable) {
			return nil, fmt.Errorf("%w: table %q has %d entries, want 2 to %d", ErrFormula, n.Name, n.Size, maxTable)
		}
		r.names[n.Name] = n
	}
	tokens, err := lex(text)
	if err != nil {
		return nil, err
	}
	p := &parser{text: text, tokens: tokens}
	list, err := p.statements()
	if err != nil {
		return nil, err
	}
	if err := r.declare(list); err != nil {
		return nil, err
	}
	root, err := r.number(list[len(list)-1].body, Both)
	if err != nil {
		return nil, err
	}
	return r.finish(root, list, names)
}
