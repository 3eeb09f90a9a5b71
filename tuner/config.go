// Package tuner fits the coefficients of an evaluation, linear or with a formula, to the results of games, and says
// how sure it is of each. It plays no games, searches nothing and prints nothing.
//
// Its parts are packages of their own: rows (what a position contributes, in memory or on disk), objective (the
// loss of the rows and the prior, as a function of the parameters), optimize (methods that minimize such a
// function) and stats (standard errors and what else follows from them). This package puts them together: [Fit]
// takes rows, terms and a [Config] and returns a [Result], which knows its JSON and its weight file.
//
// # The problem
//
// The evaluation of row i, in centipawns from White's view, is
//
//	E_i = scale_i * sum_t count_it * (m_i*mg_t + e_i*eg_t) + offset_i
//
// with factors m_i and e_i, which are phase/24 and (24-phase)/24 in most evaluations,
// and its prediction of the result is p_i = 1/(1+e^(-K*E_i)). [Fit] minimizes
//
//	sum_i weight_i * loss(p_i, y_i) / D + sum_j (theta_j - center_j)^2 / (2 tau_j^2)
//
// over the changes theta of the coefficients that are neither frozen nor tied to another one, with y =
// lambda*result + (1-lambda)*sigmoid(KScore*score). D, the design effect, makes the first sum what a
// log-likelihood of independent rows would be: positions of one game share its result, so a thousand games of
// seventy positions say far less than seventy thousand games would. It is estimated at the minimum, see
// [Result].Design.
//
// # Very many parameters
//
// Matrices over parameters need memory with the square of their number. A fit above
// Config.Memory uses a method without them, and has weights and a verdict, but no standard
// errors. A fit with a formula that is too large is an error.
//
// # The same numbers for any number of workers
//
// Rows are grouped by their factors and cut into chunks of a fixed number of rows. A pass takes them from
// memory or from disk, which is all that differs between the two. Every sum over rows is taken chunk by chunk,
// and the chunks' sums are added in order, whichever goroutine computed them. So every number of a fit is
// bitwise the same for one worker and for sixty-four.
//
// Products are rounded before they are added (float64(x*y)+z), because Go fuses the two for GOAMD64=v3 and for
// arm64 otherwise. So weights and losses are bitwise the same for all builds of amd64; .ci/samebytes compares
// them. The dense algebra of standard errors is in part gonum's, whose last digits depend on the build. On
// another architecture functions such as math.Exp differ too.
//
// Start reading at [Fit] (fit.go). TUNER.md has the experiments behind the defaults.
package tuner

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/internal/optimize"
	"github.com/assay-chess/assay/tuner/internal/stats"
	"github.com/assay-chess/assay/tuner/rows"
)

// tieGames is the number of games from which the two wings of a table are kept apart.
const tieGames = 20000

// Config is everything that a fit depends on beside its rows and its terms.
// The zero value of a field means its default.
type Config struct {
	Loss   objective.Loss
	Lambda float64 // share of the result in the target, 0..1; see NewConfig
	// K is the slope of the sigmoid per unit of the weights; 0 fits it to the results under the start weights.
	K float64
	// KScore is the slope for the rows' search scores; 0 fits it to the
	// results. It matters only where Lambda < 1.
	KScore float64
	// Prior overrides the standard deviation tau in centipawns of terms or groups by name; +Inf sets them free.
	Prior map[string]float64
	// PriorFactor multiplies every tau, of Prior too; 0 means 1.
	PriorFactor float64
	// Unit is the number of engine units a pawn, in which start weights and results are;
	// 0 means 100. Widths of priors and the limit are in centipawns.
	Unit float64
	// ChoosePrior multiplies PriorFactor by what cross-validation says; it takes Folds.
	ChoosePrior bool
	// Center is the mean of the prior by term, in the unit of the terms' weights; nil means the start weights.
	Center []Coefficient
	Freeze []string // terms or groups that keep their start weights
	// Limit is the largest coefficient in centipawns that no prior holds; 0 means
	// DefaultLimit, +Inf none. A term that always wins has no finite optimum, and ends there.
	Limit float64
	// Trust is how far coefficients of an evaluation that is linear only near its start values may move from these, in
	// centipawns of effect: times what a term typically counts. 0 means DefaultTrust, +Inf none.
	Trust float64
	// Design is the design effect D, at most maxDesign; 0 estimates it.
	Design float64
	Valid  float64 // share of games held out for validation, 0..0.9
	Seed   uint64  // of the split
	// Folds is the number of parts of the games; each is held out once, with the
	// coefficients refitted to the others; 0 is none. It changes no weight.
	Folds int
	// Ablate names the parts to take out in turn, the rest fitted again: Groups, Terms or nothing. It takes Folds, and
	// changes no weight.
	Ablate string
	// AblateWeights keeps the weights without each, fitted to all games, for Result.Without.
	AblateWeights bool
	// NoisyRows says that many positions are in check or in the middle of an exchange, whose
	// results say little about their evaluation. It changes the verdict alone.
	NoisyRows bool
	// Method and its bounds; see NewMethod.
	Method     string
	Gap        float64 // mean loss from the optimum at which to stop; 0 = 1e-10
	Iterations int
	// Memory is the memory in bytes that matrices may take; 0 means half of the machine's. A fit
	// that needs more uses adam, which needs no matrices, takes Design to
	// be 10 if it is not given, and has no standard errors.
	Memory int64
	// KeepScale leaves out the rescaling to the start weights' RMS evaluation. Reference is the set of
	// positions on which that is measured; nil means the training rows.
	KeepScale bool
	// Rescale rescales external evaluations too, whose scale is otherwise left as fitted unless
	// K moved by more than kMoves.
	Rescale   bool
	Reference *rows.Store
	// Workers is the number of goroutines, 0 = all cores. No result depends on it.
	Workers int
	// Progress, if not nil, is called now and then with a line about the work.
	Progress func(done, total int64, note string)
	// Trace, if not nil, is called after every step of the method.
	Trace func(Step)
}

// Step is one step of a method.
type Step struct {
	Stage     string    `json:"stage"`     // the objective: "cross-entropy under D = 10.00"
	Iteration int       `json:"iteration"` // within the stage
	Objective float64   `json:"objective"` // mean loss and prior
	Gap       num.Float `json:"gap"`       // estimated distance from the smallest; +Inf if not known
	Losses              // without the prior; NaN where not measured, see lossSteps
}

// DefaultLimit is the limit of coefficients that nothing else holds, in centipawns.
const DefaultLimit = 2000

// DefaultTrust is the distance from a measured point up to which slopes are believed: a pawn. See TUNER.md.
const DefaultTrust = 100

const maxFolds = 20

// maxDesign is the largest design effect: as if all rows of a large set were one.
const maxDesign = 1e9

// lossSteps is up to which step the losses are measured at every one; later, at every
// lossSteps-th, because it takes a pass over the rows.
const lossSteps = 50

// Coefficient is the pair of values of a term, in centipawns.
type Coefficient struct{ MG, EG float64 }

// Errors of a configuration and of data that cannot be fitted.
var (
	ErrOneClass   = errors.New("every row has the same target: there is nothing to learn")
	ErrNoFeatures = errors.New("every feature of every training row is zero")
	ErrAllFrozen  = errors.New("every coefficient is frozen")
	ErrScores     = errors.New("no K makes the scores agree with the results")
	errNoStep     = errors.New("no step makes the loss smaller")

	ErrConfig = objective.ErrConfig // wrapped by other errors of a configuration
	ErrName   = objective.ErrName   // of a term or group
	ErrMethod = optimize.ErrMethod
	ErrScale  = objective.ErrScale // no slope fits the results
)

// NewConfig returns the defaults: cross-entropy of results alone, everything
// estimated, a tenth of the games held out.
func NewConfig() Config { return Config{Lambda: 1, Valid: 0.1} }

func (c *Config) check(terms int) error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s", objective.ErrConfig, fmt.Sprintf(format, args...))
	}
	for _, v := range []struct {
		name  string
		value float64
		ok    bool
	}{
		{"lambda", c.Lambda, c.Lambda >= 0 && c.Lambda <= 1},
		{"K", c.K, c.K >= 0 && c.K <= 1},
		{"score K", c.KScore, c.KScore >= 0 && c.KScore <= 1},
		{"design effect", c.Design, c.Design >= 0 && c.Design <= maxDesign},
		{"limit", c.Limit, c.Limit >= 0},
		{"trust", c.Trust, c.Trust >= 0},
		{"validation share", c.Valid, c.Valid >= 0 && c.Valid <= 0.9},
		{"number of folds", float64(c.Folds), c.Folds >= 0 && c.Folds <= maxFolds},
		{"gap", c.Gap, c.Gap >= 0},
		{"memory", float64(c.Memory), c.Memory >= 0},
		{"number of steps", float64(c.Iterations), c.Iterations >= 0},
		{"factor on the prior", c.PriorFactor, c.PriorFactor >= 0 && !math.IsInf(c.PriorFactor, 1)},
	} {
		if !v.ok {
			return bad("%s %v is out of range", v.name, v.value)
		}
	}
	if c.Center != nil && len(c.Center) != terms {
		return bad("prior center of %d terms for %d", len(c.Center), terms)
	}
	if c.Reference != nil && c.Reference.Terms() != terms {
		return bad("reference positions of %d terms for %d", c.Reference.Terms(), terms)
	}
	return nil
}

func (c *Config) progress(done, total int64, format string, args ...any) {
	if c.Progress != nil {
		c.Progress(done, total, fmt.Sprintf(format, args...))
	}
}

// unit is the number of engine units in a centipawn.
func (c *Config) unit() float64 { return cmp.Or(c.Unit, 100) / 100 }

// Text names everything in the configuration that decides a fit, and nothing that does not.
func (c *Config) Text() string {
	s := fmt.Sprintf("loss=%v lambda=%g k=%g k-score=%g design=%g valid=%g seed=%d "+
		"method=%s gap=%g iterations=%d keep-scale=%v", c.Loss, c.Lambda, c.K, c.KScore, c.Design, c.Valid,
		c.Seed, c.Method, c.Gap, c.Iterations, c.KeepScale)
	if c.Memory != 0 {
		s += fmt.Sprintf(" memory=%d", c.Memory)
	}
	if c.Limit != 0 {
		s += fmt.Sprintf(" limit=%g", c.Limit)
	}
	if c.Trust != 0 {
		s += fmt.Sprintf(" trust=%g", c.Trust)
	}
	if c.PriorFactor != 0 {
		s += fmt.Sprintf(" prior*%g", c.PriorFactor)
	}
	if c.ChoosePrior {
		s += " prior*auto"
	}
	if c.Rescale {
		s += " rescale=on"
	}
	return strings.Join(append([]string{s}, c.byName()...), " ")
}

// byName lists the settings of single terms and groups.
func (c *Config) byName() (list []string) {
	for _, name := range slices.Sorted(maps.Keys(c.Prior)) {
		list = append(list, fmt.Sprintf("prior:%s=%g", name, c.Prior[name]))
	}
	for _, name := range c.Freeze {
		list = append(list, "freeze:"+name)
	}
	return list
}

// CrossEntropy is the loss of most fits.
const CrossEntropy = objective.CrossEntropy

// ParseLoss reads "cross-entropy" (or "ce") and "mse".
func ParseLoss(s string) (objective.Loss, error) { return objective.ParseLoss(s) }

// Sigmoid returns 1/(1+e^(-z)).
func Sigmoid(z float64) float64 { return objective.Sigmoid(z) }

// FitK returns the K of the sigmoid under which evaluations x in centipawns predict the targets y with the smallest
// loss, rows weighted by omega. Rows of omega 0 are left out.
func FitK(loss objective.Loss, x []float64, y, omega []float32) (float64, error) {
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
