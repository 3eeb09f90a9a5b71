// Package bent declares the evaluations of package eval that are not linear: the channels that
// their terms are summed in, and the formula that makes a value of the sums. The declarations
// stand apart from package eval because its generator, which turns the formulas into integer
// Go, must read them before eval compiles.
//
// Start reading at Assay.
package bent

import "github.com/assay-chess/assay/eval/formula"

// Declaration is an evaluation that is not linear.
type Declaration struct {
	Model    string         // its name
	Func     string         // name of the generated function
	Channels []formula.Name // the first is that of all terms that name no other
	Formula  string
}

// All are the declarations that there are.
var All = []*Declaration{&Assay}

// Phase is the column that every formula may use: 1 in the middlegame, 0 in the endgame, in
// steps of 1/24.
const Phase = "phase"

// Assay is the model assay with bends that are fitted: what the attackers of a king add up to
// counts by its square, an ending that is close to a draw scales the lead, and a position with
// play left in it adds to the endgame value of the side that is ahead, never beyond zero.
var Assay = Declaration{
	Model: "assay-bent",
	Func:  "valueAssayBent",
	Channels: []formula.Name{
		{Name: "main", Tapered: true},
		{Name: "danger", Tapered: true, Sides: true}, // of the side that attacks
		{Name: "winning", Sides: true},               // chances to convert a lead, in 1/64 of it
		{Name: "complexity"},
	},
	Formula: `let attack = clamp(danger.mg, 0, 2000)^2/4096;
let late = clamp(danger.eg, 0, 2000)/16;
let m = main.mg + balance(attack);
let e0 = main.eg + balance(late);
let e = e0 + sign(e0)*max(complexity, -abs(e0));
let v = m*phase + e*(1 - phase);
value = v*clamp(64 + if(v < 0, winning.black, winning.white), 0, 96)/64`,
}
