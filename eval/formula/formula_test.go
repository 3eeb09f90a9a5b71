package formula

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
)

// Engines are evaluations of real engines as formulas, with the C that they stand for.
var engines = []struct {
	name, text string
	names      []Name
	want       func(v map[string]float64) float64
}{
	{
		"4ku", "value = main.mg*phase + main.eg*if(main.eg < 0, f.black, f.white)*(1 - phase)",
		[]Name{{Name: "main", Tapered: true}, {Name: "phase", Kind: Column}, {Name: "f", Kind: Column, Sides: true}},
		func(v map[string]float64) float64 {
			f := v["f.white"]
			if v["main.eg"] < 0 {
				f = v["f.black"]
			}
			return v["main.mg"]*v["phase"] + v["main.eg"]*f*(1-v["phase"])
		},
	},
	{
		"Ethereal 12", `let m  = main.mg - balance(danger.mg*max(danger.mg,0)//720);
			let e0 = main.eg - balance(max(danger.eg,0)//20);
			let e  = e0 + sign(e0)*max(complexity, -abs(e0));
			value  = m*phase + e*(1-phase)*if(e<0, f.black, f.white) + tempo`,
		[]Name{{Name: "main", Tapered: true}, {Name: "danger", Tapered: true, Sides: true}, {Name: "complexity"},
			{Name: "tempo"},
			{Name: "phase", Kind: Column}, {Name: "f", Kind: Column, Sides: true}},
		func(v map[string]float64) float64 {
			safety := func(side string) (mg, eg int) {
				d, e := int(v["danger."+side+".mg"]), int(v["danger."+side+".eg"])
				return d * max(d, 0) / 720, max(e, 0) / 20
			}
			wm, we := safety("white")
			bm, be := safety("black")
			m, e := int(v["main.mg"])-wm+bm, int(v["main.eg"])-we+be
			c := max(int(v["complexity"]), -max(e, -e))
			switch {
			case e > 0:
				e += c
			case e < 0:
				e -= c
			}
			f := v["f.white"]
			if e < 0 {
				f = v["f.black"]
			}
			return float64(m)*v["phase"] + float64(e)*(1-v["phase"])*f + v["tempo"]
		},
	},
	{
		"chess-3", `let q = max(att, 0)^2/4096;
			value = balance(mg + q*M.mg)*phase + balance((eg + q*M.eg)*sf)*(1 - phase)`,
		[]Name{{Name: "mg", Sides: true}, {Name: "eg", Sides: true}, {Name: "att", Sides: true},
			{Name: "M.mg", Kind: Scalar}, {Name: "M.eg", Kind: Scalar},
			{Name: "phase", Kind: Column}, {Name: "sf", Kind: Column, Sides: true}},
		func(v map[string]float64) float64 {
			side := func(s string) (mg, eg float64) {
				q := math.Max(v["att."+s], 0)
				q = q * q / 4096
				return v["mg."+s] + q*v["M.mg"], (v["eg."+s] + q*v["M.eg"]) * v["sf."+s]
			}
			wm, we := side("white")
			bm, be := side("black")
			return (wm-bm)*v["phase"] + (we-be)*(1-v["phase"])
		},
	},
	{
		"Weiss", "value = main.mg*phase + main.eg*if(main.eg < 0, f.black, f.white)*(1 - phase) - " +
			"balance(power*modifier//128)*phase",
		[]Name{{Name: "main", Tapered: true}, {Name: "power", Sides: true}, {Name: "modifier", Kind: Column, Sides: true},
			{Name: "phase", Kind: Column}, {Name: "f", Kind: Column, Sides: true}},
		func(v map[string]float64) float64 {
			f := v["f.white"]
			if v["main.eg"] < 0 {
				f = v["f.black"]
			}
			safety := int(v["power.white"])*int(v["modifier.white"])/128 - int(v["power.black"])*int(v["modifier.black"])/128
			return v["main.mg"]*v["phase"] + v["main.eg"]*f*(1-v["phase"]) - float64(safety)*v["phase"]
		},
	},
	{
		"Stockfish classical", `let m0 = main.mg - balance(if(danger > 100, danger^2//4096, 0)); # king danger
			let e0 = main.eg - balance(if(danger > 100, danger//16, 0));
			let m = m0 + sign(m0)*max(min(complexity + 50, 0), -abs(m0));       # initiative
			let e = e0 + sign(e0)*max(complexity, -abs(e0));
			value = trunc(m*phase + e*(1-phase)*if(e > 0, sf.white, sf.black)/64)`,
		[]Name{{Name: "main", Tapered: true}, {Name: "danger", Sides: true}, {Name: "complexity"},
			{Name: "phase", Kind: Column}, {Name: "sf", Kind: Column, Sides: true}},
		func(v map[string]float64) float64 {
			m, e := int(v["main.mg"]), int(v["main.eg"])
			for i, side := range []string{"white", "black"} {
				if d := int(v["danger."+side]); d > 100 {
					m -= (1 - 2*i) * (d * d / 4096)
					e -= (1 - 2*i) * (d / 16)
				}
			}
			sign := func(x int) int {
				switch {
				case x > 0:
					return 1
				case x < 0:
					return -1
				}
				return 0
			}
			c := int(v["complexity"])
			m += sign(m) * max(min(c+50, 0), -max(m, -m))
			e += sign(e) * max(c, -max(e, -e))
			sf := v["sf.black"]
			if e > 0 {
				sf = v["sf.white"]
			}
			return math.Trunc(float64(m)*v["phase"] + float64(e)*(1-v["phase"])*sf/64)
		},
	},
}

// inputsOf draws whole numbers for channels, and numbers of their range for columns.
func inputsOf(f *Formula, r *rand.Rand) ([]float64, map[string]float64) {
	in, by := make([]float64, len(f.Inputs)), map[string]float64{}
	for i, x := range f.Inputs {
		switch {
		case x.Name == "phase":
			in[i] = float64(r.IntN(25)) / 24
		case x.Name == "sf" || x.Name == "f":
			in[i] = float64(r.IntN(65)) / 64
		default:
			in[i] = float64(r.IntN(2001) - 1000)
		}
		by[x.String()] = in[i]
	}
	return in, by
}

// TestEngines compares formulas with the code of the engines that they are of.
func TestEngines(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) {
			f := setup.Must(Parse(e.text, e.names))
			if f.Order() != 2 {
				t.Errorf("order %d of an evaluation that bends", f.Order())
			}
			m := NewMachine(f, Exact)
			for range 20_000 {
				in, by := inputsOf(f, r)
				got, err := m.Value(in)
				if want := e.want(by); err != nil || math.Abs(got-want) > 1e-9 {
					t.Fatalf("%v is %v, %v; want %v", by, got, err, want)
				}
			}
		})
	}
}

// TestMistakes checks the messages for mistakes, and where the caret stands.
func TestMistakes(t *testing.T) {
	names := []Name{{Name: "main", Tapered: true}, {Name: "danger", Sides: true}, {Name: "phase", Kind: Column},
		{Name: "k", Kind: Scalar}, {Name: "shelter", Kind: Table, Size: 4}}
	for _, c := range []struct{ text, what, at string }{
		{"value = main.mg + dangr.white", `"dangr.white"; did you mean "danger.white"?`, "dangr"},
		{"value = main", "main is tapered", "main"},
		{"value = danger", "counted for each side", "danger"},
		{"value = danger.mg", "no halves", "danger"},
		{"value = phase.white", "not counted for each side", "phase"},
		{"value = balance(main.mg)", "is 0", "balance"},
		{"value = balance(balance(danger))", "within a balance", "balance(danger"},
		{"let a = b; let b = a; value = a", "defined by itself", "a; value"},
		{"let s = danger; value = s.mg", `no channel, column, scalar or let "s.mg"`, "s.mg"},
		{"let s = danger; value = balance(s.white)", `no channel, column, scalar or let "s.white"`, "s.white"},
		{"let a = 1; let a = 2; value = a", "defined twice", "a = 2"},
		{"let main = 1; value = main", "name of a channel", "main = 1"},
		{"let a = 1; value = main.mg", "not used", "a = 1"},
		{"value = main.mg^3", "only power", "3"},
		{"value = main.mg < 3", "found a condition", "<"},
		{"value = if(main.mg, 1, 2)", "want a condition", "main"},
		{"value = 1 < 2 < 3", "cannot follow each other", "< 3"},
		{"value = max(1)", "2 or more arguments, found 1", "max"},
		{"value = exp(1)", "no function", "exp"},
		{"value = shelter", "is a table", "shelter"},
		{"value = main.mg[1]", "no table", "main"},
		{"value = (main.mg", "to close the bracket", ""},
		{"value = main.mg $ 2", "does not belong in a formula", "$"},
		{"value = 1x", "not a number", "1x"},
		{"value = 1/0", "division by 0", "/0"},
		{"value = sqrt(-1)", "below 0", "sqrt"},
		{"main.mg", `want "let NAME = ..."`, "main"},
		{"let x = 1", "without", ""},
		{"value = main.mg; let x = 2", "must come last", "let x"},
		{"value = main.mg main.eg", `want an operator or ";"`, "main.eg"},
		{"let if = 2; value = 1", "cannot be the name", "if"},
		{"value = " + strings.Repeat("(", 300), "too deeply", "(" + strings.Repeat("(", 99)},
	} {
		_, err := Parse(c.text, names)
		var e *textError
		if !errors.As(err, &e) || !errors.Is(err, ErrFormula) || !strings.Contains(err.Error(), c.what) {
			t.Errorf("%.60q: %v, want %q", c.text, err, c.what)
			continue
		}
		if !strings.HasPrefix(e.text[e.at:], c.at) || c.at == "" && e.at != len(c.text) {
			t.Errorf("%.60q: the caret is at %.20q, want %q", c.text, e.text[e.at:], c.at)
		}
	}
	_, err := Parse("let a = main.mg;\n\tvalue = a + mian.eg", names)
	want := "formula, line 2, column 14: no channel, column, scalar or let \"mian.eg\"; did you mean \"main.eg\"?\n" +
		"  \tvalue = a + mian.eg\n  \t            ^"
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

// TestRowErrors checks that a row without a value says why, at its place.
func TestRowErrors(t *testing.T) {
	names := []Name{{Name: "a"}, {Name: "b"}}
	for _, c := range []struct {
		text, what string
		in         []float64
	}{
		{"value = a/b", "division by 0", []float64{1, 0}},
		{"value = a//b", "division by 0", []float64{1, 0}},
		{"value = sqrt(a) + b", "below 0", []float64{-1, 0}},
		{"value = a + b", "not a finite number", []float64{math.NaN(), 0}},
		{"value = a*b", "not a finite number", []float64{1e200, 1e200}},
		{"value = if(b == 0, 0, a/b)", "division by 0", []float64{1, 0}}, // both branches are computed
	} {
		f := setup.Must(Parse(c.text, names))
		in := make([]float64, 2)
		for i, x := range f.Inputs {
			in[i] = c.in[x.Name[0]-'a']
		}
		if v, err := NewMachine(f, Exact).Value(in); err == nil || !strings.Contains(err.Error(), c.what) {
			t.Errorf("%s: %v, %v", c.text, v, err)
		}
	}
}

// grow writes a random expression and computes it in Go.
func grow(r *rand.Rand, depth int, in map[string]float64) (string, float64) {
	if depth == 0 || r.IntN(6) == 0 {
		if r.IntN(3) == 0 {
			v := float64(r.IntN(9) + 1)
			return fmt.Sprint(v), v
		}
		name := string(rune('a' + r.IntN(4)))
		return name, in[name]
	}
	s, x := grow(r, depth-1, in)
	u, y := grow(r, depth-1, in)
	switch r.IntN(12) {
	case 0:
		return "(" + s + " + " + u + ")", x + y
	case 1:
		return s + " - (" + u + ")", x - y
	case 2:
		return "(" + s + ")*(" + u + ")", x * y
	case 3:
		return "(" + s + ")//max(" + u + ", 3)", math.Trunc(x / max(y, 3))
	case 4:
		return "(" + s + ")^2", x * x
	case 5:
		return "max(" + s + ", " + u + ")", max(x, y)
	case 6:
		return "clamp(" + s + ", -2, " + u + ")", min(max(x, -2), y)
	case 7:
		return "abs(" + s + ")", math.Abs(x)
	case 8:
		return "-(" + s + ")", -x
	case 9:
		v, z := grow(r, depth-1, in)
		if !(x < y) || x == 0 {
			z = y
		}
		return "if(" + s + " < " + u + " and not (" + s + " == 0), " + v + ", " + u + ")", z
	case 10:
		return "sign(" + s + ")*sqrt(abs(" + u + "))", (truth(x > 0) - truth(x < 0)) * math.Sqrt(math.Abs(y))
	}
	return "trunc((" + s + ")/7)", math.Trunc(x / 7)
}

// TestRandomExpressions compares the machine with the same expression in Go.
func TestRandomExpressions(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	names := []Name{{Name: "a"}, {Name: "b"}, {Name: "c", Kind: Scalar}, {Name: "d", Kind: Column}}
	for range 5000 {
		by := map[string]float64{}
		for _, n := range names {
			by[n.Name] = float64(r.IntN(41) - 20)
		}
		text, want := grow(r, 4, by)
		text = "value = 0*(a + b + c) + " + text
		f, err := Parse(text, names)
		if math.IsNaN(want) || math.IsInf(want, 0) || math.Abs(want) > 1e100 {
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		in := make([]float64, len(f.Inputs))
		for i, x := range f.Inputs {
			in[i] = by[x.Name]
		}
		got, err := NewMachine(f, Exact).Value(in)
		if err != nil || math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
			t.Fatalf("%s with %v is %v, %v; want %v", text, by, got, err, want)
		}
	}
}

// A let of terms counted for each side has the sides too.
func TestSidesOfLet(t *testing.T) {
	names := []Name{{Name: "danger", Sides: true}, {Name: "f", Kind: Column, Sides: true}}
	texts := []string{"let s = danger*f + 1; value = if(balance(s) < 0, s.black, 2*s.white)",
		"value = if(balance(danger*f + 1) < 0, danger.black*f.black + 1, 2*(danger.white*f.white + 1))"}
	var values [2]float64
	for i, text := range texts {
		f, err := Parse(text, names)
		if err != nil {
			t.Fatal(err)
		}
		in := make([]float64, len(f.Inputs))
		for j, x := range f.Inputs {
			in[j] = map[string]float64{"danger.white": 3, "danger.black": 5, "f.white": 7, "f.black": 2}[x.String()]
		}
		if values[i], err = NewMachine(f, Exact).Value(in); err != nil {
			t.Fatal(err)
		}
	}
	if values != [2]float64{44, 44} {
		t.Error(values)
	}
}

// TestUnused names what a formula leaves out; columns may be.
func TestUnused(t *testing.T) {
	f, err := Parse("value = a", []Name{{Name: "a"}, {Name: "b"}, {Name: "k", Kind: Scalar}, {Name: "p", Kind: Column}})
	if err != nil || fmt.Sprint(f.Unused) != "[b k]" {
		t.Errorf("%v, %v", f, err)
	}
}

func TestOrder(t *testing.T) {
	names := []Name{{Name: "a", Tapered: true}, {Name: "b"}, {Name: "phase", Kind: Column}, {Name: "x", Kind: Column}}
	for text, want := range map[string]int{
		"value = a.mg*phase + a.eg*(1 - phase) + b":       1,
		"value = if(x < 2, a.mg, a.eg)*max(phase, 1) - b": 1,
		"value = a.mg*b + a.eg":                           2,
		"value = max(a.mg, a.eg) + b":                     2,
		"value = a.mg/(1 + phase^2) + b//2":               1,
		"value = if(b < 0, a.mg, a.eg)":                   2,
	} {
		f, err := Parse(text, names)
		if err != nil || f.Order() != want {
			t.Errorf("%s: order %v, %v; want %d", text, f, err, want)
		}
	}
}

// TestTable checks lookups between and beyond the entries.
func TestTable(t *testing.T) {
	f, err := Parse("value = shelter[x]", []Name{{Name: "shelter", Kind: Table, Size: 3}, {Name: "x", Kind: Column}})
	if err != nil {
		t.Fatal(err)
	}
	for x, want := range map[float64]float64{-5: 10, 0: 10, .25: 15, 1: 30, 1.5: 25, 2: 20, 9: 20} {
		in := make([]float64, len(f.Inputs))
		for i, n := range f.Inputs {
			if in[i] = x; n.Kind == Table {
				in[i] = []float64{10, 30, 20}[n.Entry]
			}
		}
		if v, err := NewMachine(f, Exact).Value(in); err != nil || v != want {
			t.Errorf("at %v: %v, %v; want %v", x, v, err, want)
		}
	}
}

// TestNear counts rows at jumps that coefficients move, and no others.
func TestNear(t *testing.T) {
	f, err := Parse("value = if(a < 100, 1, 2)*b + if(phase < 0.5, a, b)",
		[]Name{{Name: "a"}, {Name: "b"}, {Name: "phase", Kind: Column}})
	if err != nil {
		t.Fatal(err)
	}
	jumps := f.Jumps()
	if len(jumps) != 1 {
		t.Fatalf("%d jumps, want 1", len(jumps))
	}
	m := NewMachine(f, Smooth)
	for a, want := range map[float64]bool{94: false, 95: true, 105: true, 106: false} {
		in := make([]float64, len(f.Inputs))
		for i, x := range f.Inputs {
			in[i] = map[string]float64{"a": a, "b": 7, "phase": .5}[x.Name]
		}
		if _, err := m.Value(in); err != nil || m.Near(jumps, 5) != want {
			t.Errorf("a = %v: %v, %v", a, m.Near(jumps, 5), err)
		}
	}
}

// FuzzParse: no text panics, and what is parsed has a value or an error in every row.
func FuzzParse(f *testing.F) {
	for _, e := range engines {
		f.Add(e.text)
	}
	f.Add("let a=if(main.mg<1 or not main.eg!=2,1e3,.5);value=clamp(a,-1,t[a])")
	names := []Name{{Name: "main", Tapered: true}, {Name: "danger", Tapered: true, Sides: true},
		{Name: "complexity", Kind: Column},
		{Name: "phase", Kind: Column}, {Name: "f", Kind: Column, Sides: true}, {Name: "t", Kind: Table, Size: 3}}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse(text, names)
		if err != nil {
			if !errors.Is(err, ErrFormula) {
				t.Fatalf("%v does not wrap ErrFormula", err)
			}
			return
		}
		in := make([]float64, len(p.Inputs))
		for i := range in {
			in[i] = float64(i*7%5) - 1
		}
		for _, mode := range []Mode{Exact, Smooth} {
			v, err := NewMachine(p, mode).Value(in)
			if (err == nil) == (math.IsNaN(v) || math.IsInf(v, 0)) {
				t.Fatalf("%q: %v, %v", text, v, err)
			}
		}
	})
}
