package dataset

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/assay-chess/assay/eval/formula"
)

// Bend says how an evaluation that is not linear is made of its terms. Its zero value is of
// one that is linear.
type Bend struct {
	Channels []Channel `json:"channels,omitempty"`
	Columns  []Column  `json:"columns,omitempty"`
	Formula  string    `json:"formula,omitempty"` // see package eval/formula
}

// Channel is a linear sum of terms. A term belongs to one channel.
type Channel struct {
	Name string `json:"name"`
	Kind string `json:"kind,omitempty"` // TaperedChannel, or PlainChannel
	// Sides says that there is one sum of White's counts and one of Black's. The terms have
	// the same values in both.
	Sides bool `json:"sides,omitempty"`
}

// Kinds of channels.
const (
	TaperedChannel = "tapered" // two sums: of the middlegame values, and of the endgame's
	PlainChannel   = "plain"   // one
)

// Column is a number of each row that a formula may use.
type Column struct {
	Name  string `json:"name"`
	Sides bool   `json:"sides,omitempty"` // two numbers: White's, then Black's
}

// ScalarTerm is the kind of a term that is a number of the formula, and in no channel.
const ScalarTerm = "scalar"

// Bent reports whether the evaluation is made by a formula.
func (b *Bend) Bent() bool { return b.Formula != "" }

func (b *Bend) same(o *Bend) bool {
	return b.Formula == o.Formula && slices.Equal(b.Channels, o.Channels) && slices.Equal(b.Columns, o.Columns)
}

// BySides reports whether a channel counts each side on its own.
func (b *Bend) BySides() bool {
	return slices.ContainsFunc(b.Channels, func(c Channel) bool { return c.Sides })
}

// Numbers returns how many numbers a row has in its columns.
func (b *Bend) Numbers() int {
	n := len(b.Columns)
	for _, c := range b.Columns {
		if c.Sides {
			n++
		}
	}
	return n
}

// ChannelOf returns the index of the channel of a term; -1 for a scalar.
func (s *FeatureSet) ChannelOf(t *FeatureTerm) int {
	if t.Kind == ScalarTerm {
		return -1
	}
	if t.Channel == "" {
		return 0
	}
	return slices.IndexFunc(s.Channels, func(c Channel) bool { return c.Name == t.Channel })
}

// FormulaInput says what an input of a set's formula is: the sum of a channel, a number of the
// row's columns, a factor of the row, or the value of a scalar term. Those that do not apply
// are -1.
type FormulaInput struct {
	formula.Input
	Channel, Column, Factor, Term int
}

// Factors of a row that every formula may use as columns.
var factorNames = [...]string{"phase", "scale", "eg_scale", "offset"}

// FactorValue returns one of the row's factors: FormulaInput.Factor.
func (f *FeatureRow) FactorValue(i int) float64 {
	switch i {
	case 0:
		if n, ok := f.Phase24(); ok {
			return float64(n) / 24
		}
		return float64(f.Phase)
	case 1:
		return float64(f.Scale)
	case 2:
		return float64(f.EGScale)
	}
	return float64(f.Offset)
}

// Program is the parsed formula of a set.
type Program struct {
	Formula *formula.Formula
	Inputs  []FormulaInput // in the order of the formula
	channel []int          // by term
	free    sync.Pool      // of evaluator
}

// Program parses the set's formula. The set is not changed, but it keeps the program if Check
// was called.
func (s *FeatureSet) Program() (*Program, error) {
	if s.program != nil {
		return s.program, nil
	}
	names, tables, err := s.formulaNames()
	if err != nil {
		return nil, err
	}
	f, err := formula.Parse(s.Formula, names)
	if err != nil {
		return nil, err
	}
	p := &Program{Formula: f}
	for i := range s.Terms {
		p.channel = append(p.channel, s.ChannelOf(&s.Terms[i]))
	}
	for _, in := range f.Inputs {
		x := FormulaInput{in, -1, -1, -1, -1}
		switch in.Kind {
		case formula.Channel:
			x.Channel = slices.IndexFunc(s.Channels, func(c Channel) bool { return c.Name == in.Name })
		case formula.Column:
			if x.Column = s.columnOf(in.Name); x.Column < 0 {
				x.Factor = slices.Index(factorNames[:], in.Name)
			} else if in.Side == formula.Black {
				x.Column++
			}
		case formula.Scalar:
			x.Term = slices.IndexFunc(s.Terms, func(t FeatureTerm) bool { return t.Name == in.Name })
		case formula.Table:
			x.Term = tables[in.Name] + in.Entry
		}
		p.Inputs = append(p.Inputs, x)
	}
	p.free.New = func() any {
		return &evaluator{m: formula.NewMachine(f, formula.Exact), in: make([]float64, len(f.Inputs))}
	}
	return p, nil
}

// columnOf returns where the numbers of a column begin; -1 if there is none of that name.
func (b *Bend) columnOf(name string) int {
	i := slices.IndexFunc(b.Columns, func(c Column) bool { return c.Name == name })
	if i < 0 {
		return -1
	}
	return (&Bend{Columns: b.Columns[:i]}).Numbers()
}

// formulaNames returns what the formula may use. Scalars NAME.0, NAME.1 and so on that stand
// together are a table; tables has the term of its first entry.
func (s *FeatureSet) formulaNames() (names []formula.Name, tables map[string]int, err error) {
	for _, c := range s.Channels {
		tapered := c.Kind == TaperedChannel
		names = append(names, formula.Name{Name: c.Name, Kind: formula.Channel, Tapered: tapered, Sides: c.Sides})
	}
	for _, c := range s.Columns {
		names = append(names, formula.Name{Name: c.Name, Kind: formula.Column, Sides: c.Sides})
	}
	for _, f := range factorNames {
		if !slices.ContainsFunc(names, func(n formula.Name) bool { return n.Name == f }) {
			names = append(names, formula.Name{Name: f, Kind: formula.Column})
		}
	}
	tables = map[string]int{}
	for i := 0; i < len(s.Terms); i++ {
		t := &s.Terms[i]
		if t.Kind != ScalarTerm {
			continue
		}
		base, n := s.tableAt(i)
		if n < 2 {
			names = append(names, formula.Name{Name: t.Name, Kind: formula.Scalar})
			continue
		}
		tables[base] = i
		names = append(names, formula.Name{Name: base, Kind: formula.Table, Size: n})
		i += n - 1
	}
	return names, tables, nil
}

// tableAt returns the name of the table that begins at term i, and the number of its entries.
func (s *FeatureSet) tableAt(i int) (base string, n int) {
	base, ok := strings.CutSuffix(s.Terms[i].Name, ".0")
	if !ok {
		return "", 0
	}
	for i+n < len(s.Terms) && s.Terms[i+n].Kind == ScalarTerm && s.Terms[i+n].Name == base+"."+strconv.Itoa(n) {
		n++
	}
	return base, n
}

// evaluator is what computing a formula needs.
type evaluator struct {
	m    *formula.Machine // truncates as C does
	in   []float64
	sums [][4]float64 // by channel: White's or both sides' middlegame and endgame sums, Black's
}

// sum adds up the channels of a row with the values of the set.
func (e *evaluator) sum(s *FeatureSet, p *Program, r *FeatureRow) {
	e.sums = slices.Grow(e.sums[:0], len(s.Channels))[:len(s.Channels)]
	clear(e.sums)
	for i, t := range r.Terms {
		v, c := &s.Terms[t], p.channel[t]
		if c < 0 {
			continue
		}
		x := &e.sums[c]
		count := float64(r.Counts[i])
		x[0] += count * v.MG
		x[1] += count * v.EG
		if s.Channels[c].Sides {
			count = float64(r.Blacks[i])
			x[2] += count * v.MG
			x[3] += count * v.EG
		}
	}
}

// sumOf returns the sum that an input reads.
func (e *evaluator) sumOf(x *FormulaInput) float64 {
	at := 0
	if x.Side == formula.Black {
		at = 2
	}
	if x.Half == formula.Endgame {
		at++
	}
	return e.sums[x.Channel][at]
}

// load returns an evaluator with the inputs of a row; the caller puts it back.
func (p *Program) load(s *FeatureSet, r *FeatureRow) *evaluator {
	e := p.free.Get().(*evaluator)
	e.sum(s, p, r)
	for i := range p.Inputs {
		x := &p.Inputs[i]
		switch {
		case x.Channel >= 0:
			e.in[i] = e.sumOf(x)
		case x.Column >= 0:
			e.in[i] = float64(r.Columns[x.Column])
		case x.Factor >= 0:
			e.in[i] = r.FactorValue(x.Factor)
		default:
			e.in[i] = s.Terms[x.Term].MG
		}
	}
	return e
}

// ValueOf is Value with an error where the formula has no value for the row, as for one that the engine skips.
func (s *FeatureSet) ValueOf(r *FeatureRow) (float64, error) {
	if !s.Bent() {
		return s.Value(r), nil
	}
	if r.Skip != "" { // it has no columns
		return math.NaN(), fmt.Errorf("the engine skips the position: %s", r.Skip)
	}
	p, err := s.Program()
	if err != nil {
		return math.NaN(), err
	}
	e := p.load(s, r)
	defer p.free.Put(e)
	return e.m.Value(e.in)
}

// explainBent names the sums and columns that a row's value is made of.
func (s *FeatureSet) explainBent(r *FeatureRow) string {
	p, err := s.Program()
	if err != nil {
		return ""
	}
	e := p.load(s, r)
	defer p.free.Put(e)
	var b strings.Builder
	b.WriteString("; the formula's inputs:")
	for i, x := range p.Inputs {
		if x.Kind != formula.Table {
			fmt.Fprintf(&b, " %s = %.6g", x, e.in[i])
		}
	}
	return b.String()
}

// errBent says that something belongs to evaluations with a formula alone.
var errBent = errors.New("channels, columns, scalars and skipped rows need a formula")

// checkBend checks channels, columns and the formula, and keeps the program.
func (s *FeatureSet) checkBend() error {
	if !s.Bent() {
		if len(s.Channels) > 0 || len(s.Columns) > 0 {
			return errBent
		}
		return nil
	}
	if s.Version < 2 || s.EGScale != "" || s.BySide {
		return fmt.Errorf("a formula needs %s without eg_scale and by_side: the formula scales halves and sides itself",
			FeaturesFormat)
	}
	if len(s.Channels) == 0 {
		return errors.New("a formula needs channels")
	}
	for _, c := range s.Channels {
		if c.Kind != TaperedChannel && c.Kind != PlainChannel {
			return fmt.Errorf("channel %q: kind %.40q is not %q or %q", c.Name, c.Kind, TaperedChannel, PlainChannel)
		}
	}
	for i := range s.Terms {
		if err := s.checkBentTerm(&s.Terms[i]); err != nil {
			return err
		}
	}
	s.program = nil
	p, err := s.Program()
	s.program = p
	return err
}

func (s *FeatureSet) checkBentTerm(t *FeatureTerm) error {
	switch c := s.ChannelOf(t); {
	case t.Kind == ScalarTerm && (t.Channel != "" || t.MG != t.EG || !(t.Step >= 0 && t.Step <= math.MaxFloat64)):
		return fmt.Errorf("term %q is a scalar: it has one value and no channel, and its step is above 0", t.Name)
	case t.Kind == ScalarTerm:
		return nil
	case t.Kind != "" && t.Kind != SingleTerm:
		return fmt.Errorf("term %q: with a formula a term is of no kind, or %q or %q; %s",
			t.Name, SingleTerm, ScalarTerm, s.insteadOfKind(t))
	case t.Step != 0:
		return fmt.Errorf("term %q: only a scalar has a step", t.Name)
	case c < 0:
		return fmt.Errorf("term %q: there is no channel %q", t.Name, t.Channel)
	case s.Channels[c].Kind == PlainChannel && t.MG != t.EG:
		return fmt.Errorf("term %q of the plain channel %q has one value, not %v and %v",
			t.Name, s.Channels[c].Name, t.MG, t.EG)
	}
	return nil
}

// insteadOfKind says how a formula writes a term of one half alone, or one after the taper.
func (s *FeatureSet) insteadOfKind(t *FeatureTerm) string {
	channel := `give it a plain channel, {"name":"extra","kind":"plain"} (ASSAY_PLAIN + ASSAY_OF(n) in C), and `
	main := s.Channels[max(0, s.ChannelOf(t))].Name
	switch t.Kind {
	case MiddlegameTerm, EndgameTerm:
		return fmt.Sprintf("this one is of the half %s alone: %swrite (%s.%[1]s + extra) in place of %[3]s.%[1]s "+
			"in the formula", t.Kind, channel, main)
	case FlatTerm:
		return "this one is added after the taper: " + channel + "write + extra at the end of the formula"
	}
	return "no other kind exists"
}

// words are the names of a formula.
var words = regexp.MustCompile(`[A-Za-z_][A-Za-z_0-9.]*`)

// HalfLets returns, for each half, evaluations whose value is a let of the formula that depends on
// that half of the first tapered channel and not on the other one: what an engine has before the
// taper.
func (s *FeatureSet) HalfLets() (halves [2][]*FeatureSet) {
	lets := map[string]string{}
	for _, text := range strings.Split(regexp.MustCompile(`#[^\n]*`).ReplaceAllString(s.Formula, ""), ";") {
		if name, body, ok := strings.Cut(text, "="); ok && strings.HasPrefix(strings.TrimSpace(name), "let ") {
			lets[strings.TrimSpace(strings.TrimSpace(name)[4:])] = body
		}
	}
	first := slices.IndexFunc(s.Channels, func(c Channel) bool { return c.Kind == TaperedChannel })
	for _, name := range slices.Sorted(maps.Keys(lets)) {
		c := *s
		c.program, c.Formula = nil, "value = "+name
		for open, seen := []string{name}, map[string]bool{}; len(open) > 0; open = open[1:] {
			if body, ok := lets[open[0]]; ok && !seen[open[0]] {
				c.Formula = "let " + open[0] + " = " + body + "; " + c.Formula
				open, seen[open[0]] = append(open, words.FindAllString(body, -1)...), true
			}
		}
		p, err := c.Program()
		if err != nil {
			continue // it is of each side
		}
		c.program = p
		uses := func(h formula.Half) bool {
			return slices.ContainsFunc(p.Inputs, func(x FormulaInput) bool { return x.Channel == first && x.Half == h })
		}
		switch mg, eg := uses(formula.Middlegame), uses(formula.Endgame); {
		case mg && !eg:
			halves[0] = append(halves[0], &c)
		case eg && !mg:
			halves[1] = append(halves[1], &c)
		}
	}
	return halves
}

// IdleColumns returns the columns that the formula does not use.
func (s *FeatureSet) IdleColumns() (names []string) {
	p, err := s.Program()
	if err != nil || !s.Bent() {
		return nil
	}
	for _, c := range s.Columns {
		used := func(x FormulaInput) bool { return x.Kind == formula.Column && x.Name == c.Name }
		if !slices.ContainsFunc(p.Inputs, used) {
			names = append(names, c.Name)
		}
	}
	return names
}

// Single reports whether a term has one value.
func (s *FeatureSet) Single(t *FeatureTerm) bool {
	if t.Kind != "" {
		return true
	}
	return s.Bent() && s.Channels[s.ChannelOf(t)].Kind == PlainChannel
}

// StepOf returns in what steps a fit writes the value of a term: 1, but for scalars.
func (t *FeatureTerm) StepOf() float64 {
	if t.Kind == ScalarTerm && t.Step > 0 {
		return t.Step
	}
	return 1
}

// checkBentRow checks what rows have for a formula.
func (f *FeatureRow) checkBentRow(s *FeatureSet) error {
	if !s.Bent() {
		if len(f.Columns) > 0 || len(f.Blacks) > 0 || f.Skip != "" {
			return errBent
		}
		return nil
	}
	if f.Skip != "" {
		return nil
	}
	if n := s.Numbers(); len(f.Columns) != n {
		return fmt.Errorf("%d numbers in columns, want %d", len(f.Columns), n)
	}
	if s.BySides() && len(f.Blacks) != len(f.Counts) {
		return fmt.Errorf("%d counts, but %d of Black", len(f.Counts), len(f.Blacks))
	}
	if v := firstLarge(f.Columns); v != 0 {
		return fmt.Errorf("column value %v is out of range", v)
	}
	if v := firstLarge(f.Blacks); v != 0 {
		return fmt.Errorf("count %v of Black is out of range", v)
	}
	for i, t := range f.Terms {
		c := s.ChannelOf(&s.Terms[t])
		if c < 0 {
			return fmt.Errorf("term %d, %q, is a scalar: rows do not count it", t, s.Terms[t].Name)
		}
		if f.Blacks != nil && f.Blacks[i] != 0 && !s.Channels[c].Sides {
			return fmt.Errorf("term %d, %q, has a count of Black, but the channel %q does not count each side",
				t, s.Terms[t].Name, s.Channels[c].Name)
		}
	}
	return nil
}

// firstLarge returns the first value that is NaN or too large; 0 if none is.
func firstLarge(values []float32) float32 {
	for _, v := range values {
		if !(v >= -1e9 && v <= 1e9) {
			return v
		}
	}
	return 0
}
