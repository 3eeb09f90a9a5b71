package optimize_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"github.com/assay-chess/assay/tuner/internal/optimize"
)

// bowl is (x-3)^2 + 10 (y+1)^2.
type bowl struct{}

func (bowl) Gradient(_ context.Context, x, g []float64) (float64, error) {
	a, b := x[0]-3, x[1]+1
	if g != nil {
		g[0], g[1] = 2*a, 20*b
	}
	return a*a + 10*b*b, nil
}

func (bowl) Curvature(context.Context, []float64) (*mat.SymDense, error) {
	return mat.NewSymDense(2, []float64{2, 0, 0, 20}), nil
}

func ExampleGaussNewton() {
	out, err := optimize.GaussNewton{}.Minimize(context.Background(), bowl{}, []float64{0, 0},
		optimize.Settings{Gap: 1e-9})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f, converged: %v\n", out.X, out.Converged)
	// Output:
	// [3.00 -1.00], converged: true
}

func ExampleBox() {
	box := optimize.NewBox(2)
	box.Hi[0] = 2
	out, err := optimize.GaussNewton{}.Minimize(context.Background(), bowl{}, []float64{0, 0},
		optimize.Settings{Gap: 1e-9, Box: box})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f, held: %v\n", out.X, box.Held)
	// Output:
	// [2.00 -1.00], held: [true false]
}
