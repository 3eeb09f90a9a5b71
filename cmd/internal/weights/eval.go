package weights

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/models"
)

// NewEval returns the command assay eval.
func NewEval() *cobra.Command {
	var model, weights string
	var all bool
	c := &cobra.Command{
		Use:   "eval FEN|startpos [moves MOVE...]",
		Short: "Explain the static evaluation of a position, term by term",
		Long: `Explain the static evaluation of a position: how often each term of the model occurs
for White and for Black, its weights, and what it adds to the value.

Values are in centipawns from White's view. There is no search, so the value of a position
in the middle of an exchange means little.`,
		Example: `  assay eval "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3"
  assay eval "8/5k2/8/3KP3/8/8/8/8 w - - 0 1" --weights new.json --json
  assay eval startpos moves e4 c5 Nf3 --model shannon-1950`,
		Args: cobra.MinimumNArgs(1), // a FEN without quotes is up to six; any number of moves
		RunE: func(cmd *cobra.Command, args []string) error {
			x, err := Open(model, weights)
			if err != nil {
				return err
			}
			p, err := parsePosition(args)
			if err != nil {
				return err
			}
			values, err := x.Model.Explain(&p, x.Coefs)
			if err != nil {
				return err
			}
			e := &explained{p.FEN(), x.Model.Name, x.File.ID(), values}
			return ui.Show(cmd, e, func(w io.Writer) error { return e.print(w, &p, x, all) })
		},
	}
	c.Flags().StringVar(&model, "model", "", `model: `+ModelNames()+` (default: the model of --weights)`)
	c.Flags().StringVar(&weights, "weights", "",
		"weight file, or name of embedded weights (default: the newest of the model, or assay, the newest champion)")
	c.Flags().BoolVar(&all, "all", false, "show all terms, also those that do not occur")
	ui.JSON(c)
	return c
}

// parsePosition reads a position as UCI's command position does, with or without "fen", in
// one argument or several: startpos or a FEN, then optional moves in UCI notation or SAN.
func parsePosition(args []string) (board.Position, error) {
	words := strings.Fields(strings.Join(args, " "))
	var moves []string
	if i := slices.Index(words, "moves"); i >= 0 {
		words, moves = words[:i], words[i+1:]
	}
	if len(words) > 0 && words[0] == "fen" {
		words = words[1:]
	}
	p, err := ui.Position(words)
	for i, word := range moves {
		if err != nil {
			break
		}
		var m board.Move
		if m, err = p.ParseUCI(word); err != nil {
			m, err = p.ParseSAN(word)
		}
		if err != nil {
			return p, fmt.Errorf("move %d: %w", i+1, err)
		}
		p.Make(m)
	}
	return p, err
}

// Opened are weights with the model they are for.
type Opened struct {
	Name  string
	File  *models.File
	terms []eval.Term
	Model *eval.Model // nil for an external evaluation; coefs too
	Coefs []eval.Coef
}

// Open opens weights and checks that they are for the model. Each may be empty: the
// default of weights is the newest of the model, the default of both the newest champion.
func Open(model, weights string) (*Opened, error) {
	if model != "" {
		if _, err := eval.Lookup(model); err != nil {
			return nil, ui.Usage(err)
		}
	}
	if weights == "" && model != "" {
		weights = models.NewestOf(model)
	}
	weights = cmp.Or(weights, models.Default)
	f, err := models.Open(weights)
	if err != nil {
		return nil, err
	}
	if model != "" && f.Model != model {
		return nil, fmt.Errorf("%s holds weights for the model %s, not %s: leave out --model or give other weights",
			weights, f.Model, model)
	}
	return opened(weights, f)
}

// OpenAny opens weights of any evaluation, foreign ones included.
func OpenAny(name string) (*Opened, error) {
	f, err := models.OpenAny(name)
	if err != nil {
		return nil, err
	}
	return opened(name, f)
}

func opened(name string, f *models.File) (*Opened, error) {
	x := &Opened{Name: name, File: f}
	var err error
	if f.External == nil {
		x.Model, x.Coefs, err = f.Weights()
	}
	if err == nil {
		x.terms, err = f.Table()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return x, nil
}

// ModelNames lists the names of our own models, for help texts.
func ModelNames() string {
	var names []string
	for _, m := range eval.Models() {
		names = append(names, m.Name)
	}
	return strings.Join(names, ", ")
}

// explained is a position's evaluation, as --json prints it.
type explained struct {
	FEN     string `json:"fen"`
	Model   string `json:"model"`
	Weights string `json:"weights"` // id
	*eval.Explanation
}

// print prints the board and the terms, by group in the order of their first terms.
func (e *explained) print(w io.Writer, p *board.Position, x *Opened, all bool) error {
	fmt.Fprintln(w, e.head(p, x))
	table := ui.Table{Head: []string{"term", ">White", ">Black", ">mg", ">eg", ">adds"}}
	line := func(name string, adds float64) { table.Add("%s\t\t\t\t\t%s", name, decimal(adds)) }
	groups := map[string][]*eval.TermValue{}
	sums := map[string]float64{}
	var order []string
	total, hidden := 0.0, 0
	for i := range e.Terms {
		t := &e.Terms[i]
		if t.White == 0 && t.Black == 0 && !all {
			hidden++
			continue
		}
		if groups[t.Group] == nil {
			order = append(order, t.Group)
		}
		groups[t.Group] = append(groups[t.Group], t)
		sums[t.Group] += t.Adds
	}
	for _, group := range order {
		line(group, sums[group])
		for _, t := range groups[group] {
			total += t.Adds
			table.Add("  %s\t%d\t%d\t%d\t%d\t%s", t.Name, t.White, t.Black, t.MG, t.EG, decimal(t.Adds))
		}
	}
	if x.Model.Nonlinear != nil {
		line("value, by the formula", float64(e.Value))
	} else {
		line("sum", total)
	}
	if num, den := e.Scale[0], e.Scale[1]; num != den {
		line(fmt.Sprintf("times %d/%d: endgame scale, hard to win", num, den), total*float64(num)/float64(den))
	}
	err := table.Print(w)
	if x.Model.Nonlinear != nil {
		fmt.Fprintf(w, "\n\"adds\" is how much lower the value would be without the term; these do not sum to the value:\n\n"+
			"  %s\n", strings.ReplaceAll(x.Model.Nonlinear.Formula.Text, "\n", "\n  "))
	}
	if hidden > 0 {
		fmt.Fprintf(w, "\n%d terms do not occur; --all shows them.\n", hidden)
	}
	return err
}

// head returns the board with the value, phase and weights next to it.
func (e *explained) head(p *board.Position, x *Opened) string {
	beside := []string{
		fmt.Sprintf("value    %+.2f pawns, White's view", float64(e.Value)/100),
		fmt.Sprintf("to move  %v", p.SideToMove()),
		fmt.Sprintf("phase    %d of %d", e.Phase, eval.MaxPhase),
		fmt.Sprintf("model    %s", e.Model),
		fmt.Sprintf("weights  %s (id %s)", x.Name, e.Weights),
	}
	var b strings.Builder
	for rank := 7; rank >= 0; rank-- {
		fmt.Fprintf(&b, "  %d ", rank+1)
		for file := range 8 {
			letter := byte('.')
			if piece := p.PieceAt(board.NewSquare(file, rank)); piece != board.NoPiece {
				letter = piece.Letter()
			}
			fmt.Fprintf(&b, " %c", letter)
		}
		if i := 7 - rank; i < len(beside) {
			b.WriteString("     " + beside[i])
		}
		b.WriteByte('\n')
	}
	b.WriteString("\n     a b c d e f g h\n")
	return b.String()
}

// decimal formats centipawns with sign and one decimal, zero without sign.
func decimal(x float64) string {
	s := fmt.Sprintf("%+.1f", x)
	if s == "+0.0" || s == "-0.0" {
		return "0.0"
	}
	return s
}
