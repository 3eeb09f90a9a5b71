package tuner

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"

	"gonum.org/v1/gonum/mat"

	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/tuner/objective"
)

// RefitName is the file of a Refit in the folder of a fit.
const RefitName = "refit.bin"

// Refit knows how a fit moves if some of its terms are held: loss and prior as a quadratic around the fit.
type Refit struct {
	Terms []RefitTerm `json:"terms"`
	// inverse is that of the curvature of loss and prior, by parameter. Its scale does not matter.
	inverse *mat.SymDense
}

// RefitTerm is a term of the fit: its group, the values that the fit started from and found, and the parameters of its
// halves, -1 for a half that was not fitted.
type RefitTerm struct {
	Name    string    `json:"name"`
	Group   string    `json:"group"`
	Tapered bool      `json:"tapered"`
	Start   eval.Coef `json:"start"`
	Fit     eval.Coef `json:"fit"`
	MG      int       `json:"mg"`
	EG      int       `json:"eg"`
}

// refit returns what the fit knows of refits; nil without a covariance.
func (f *fitting) refit(r *Result) *Refit {
	if f.at.cov == nil || f.free.N == 0 {
		return nil
	}
	x := &Refit{inverse: f.at.cov.Inverse()}
	for t, term := range r.Terms {
		x.Terms = append(x.Terms, RefitTerm{Name: term.Name, Group: term.Group, Tapered: term.Tapered,
			Start: eval.Coef{MG: int32(term.StartMG), EG: int32(term.StartEG)}, Fit: eval.Coef{MG: term.MG, EG: term.EG},
			MG: f.free.MG[t], EG: f.free.EG[t]})
	}
	return x
}

// Encode returns the content of a file: a line of JSON and the matrix.
func (x *Refit) Encode() ([]byte, error) {
	line, err := json.Marshal(x)
	if err != nil {
		return nil, err
	}
	matrix, err := mat.DenseCopyOf(x.inverse).MarshalBinary()
	return append(append(line, '\n'), matrix...), err
}

// ReadRefit reads the file that Encode made.
func ReadRefit(path string) (*Refit, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	line, matrix, _ := bytes.Cut(text, []byte("\n"))
	x, m := &Refit{}, &mat.Dense{}
	if err := json.Unmarshal(line, x); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := m.UnmarshalBinary(matrix); err != nil { // UnmarshalBinaryFrom would make room for what the first bytes say
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	n, columns := m.Dims()
	if n != columns {
		return nil, fmt.Errorf("%s: a matrix of %d by %d, want a square one", path, n, columns)
	}
	x.inverse = mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			x.inverse.SetSym(i, j, m.At(i, j))
		}
	}
	for _, t := range x.Terms {
		if max(t.MG, t.EG) >= n || min(t.MG, t.EG) < objective.Fixed {
			return nil, fmt.Errorf("%s: the parameters of %s are not in a matrix of %d by %d", path, t.Name, n, n)
		}
	}
	return x, nil
}

// Hold returns the values of all terms if some are held at their start and the others are fitted again, to first order:
// theta_r + S_rg S_gg^-1 (start_g - theta_g), S the inverse of the curvature (an exact refit of a quadratic).
func (x *Refit) Hold(held func(RefitTerm) bool) []eval.Coef {
	change := map[int]float64{} // of the parameters that are held
	var of []int
	add := func(j int, by int32) {
		if _, known := change[j]; !known && j != objective.Fixed {
			of = append(of, j)
		}
		change[j] = float64(by)
	}
	for _, t := range x.Terms {
		if held(t) {
			add(t.MG, t.Start.MG-t.Fit.MG)
			add(t.EG, t.Start.EG-t.Fit.EG)
		}
	}
	move := x.move(of, change)
	list := make([]eval.Coef, len(x.Terms))
	for i, t := range x.Terms {
		if list[i] = t.Fit; held(t) {
			list[i] = t.Start
			continue
		}
		list[i].MG += round(move, t.MG)
		list[i].EG += round(move, t.EG)
	}
	return list
}

// move returns by how much each parameter changes; nil if none does.
func (x *Refit) move(of []int, change map[int]float64) *mat.VecDense {
	if len(of) == 0 {
		return nil
	}
	n := x.inverse.SymmetricDim()
	block, by, across := mat.NewSymDense(len(of), nil), mat.NewVecDense(len(of), nil), mat.NewDense(n, len(of), nil)
	for i, j := range of {
		by.SetVec(i, change[j])
		for k := i; k < len(of); k++ {
			block.SetSym(i, k, x.inverse.At(j, of[k]))
		}
		for r := range n {
			across.Set(r, i, x.inverse.At(r, j))
		}
	}
	for i := range of { // a parameter that nothing moves has no variance either
		block.SetSym(i, i, block.At(i, i)*(1+1e-9)+1e-300)
	}
	var chol mat.Cholesky
	var weights, move mat.VecDense
	if !chol.Factorize(block) {
		return nil
	}
	_ = chol.SolveVecTo(&weights, by) // factorized
	move.MulVec(across, &weights)
	return &move
}

func round(move *mat.VecDense, parameter int) int32 {
	if move == nil || parameter == objective.Fixed {
		return 0
	}
	return int32(math.Round(move.AtVec(parameter)))
}
