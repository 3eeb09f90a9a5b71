package tuner

import (
	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/internal/optimize"
	"github.com/assay-chess/assay/tuner/internal/stats"
)

// Loss is what a fit minimizes, by row.
type Loss = objective.Loss

// The losses.
const (
	CrossEntropy = objective.CrossEntropy
	MSE          = objective.MSE
)

// ParseLoss reads "cross-entropy" (or "ce") and "mse".
func ParseLoss(s string) (Loss, error) { return objective.ParseLoss(s) }

// Sigmoid returns 1/(1+e^(-z)).
func Sigmoid(z float64) float64 { return objective.Sigmoid(z) }

// FitK returns the K of the sigmoid under which evaluations x in centipawns predict the targets y with the smallest
// loss, rows weighted by omega. Rows of omega 0 are left out.
func FitK(loss Loss, x []float64, y, omega []float32) (float64, error) {
	return objective.FitK(loss, x, y, omega)
}

// DefaultMethod is the method of an empty name.
const DefaultMethod = optimize.DefaultMethod

// CheckMethod returns an error that wraps ErrMethod unless there is a method of that name.
func CheckMethod(name string) error {
	_, err := optimize.NewMethod(name)
	return err
}

// Parts of a Result.
type (
	Calibration    = stats.Calibration
	CalibrationBin = stats.Bin
	Collinear      = stats.Collinear
)
