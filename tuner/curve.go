package tuner

import (
	"context"
	"fmt"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/tuner/objective"
	"github.com/assay-chess/assay/tuner/rows"
)

// CurvePoint is a fit to a share of the games.
type CurvePoint struct {
	Games int `json:"games"` // clusters trained on: games, or openings that several share
	Losses
	Interval Interval `json:"valid_interval"` // 95 %, of the validation loss
}

// Curve is the loss against the number of games: is more data worth it?
type Curve struct {
	Points []CurvePoint `json:"points"` // in order of games, the last of all
	// Twice is the validation loss to expect with twice as many games, from
	// Floor + Slope/games through the points; NaN where they do not fall.
	Twice num.Float `json:"valid_with_twice_the_games"`
	// Doubling is what the last doubling of the games brought: the loss, on the games held
	// out, of the fit to half of the games minus that of the fit to all.
	Doubling *Paired `json:"last_doubling,omitempty"`
	// MoreGames says whether the last doubling lowered the loss, with its whole interval: Yes
	// or No. Another of the same kind should bring about half as much.
	MoreGames string  `json:"more_games,omitempty"`
	Floor     float64 `json:"-"`
	Slope     float64 `json:"-"`
}

// Answers of a Curve.
const (
	Yes = "yes"
	No  = "no"
)

// Headline answers, with a number, whether more games of this kind are worth it; "" if the curve does not know.
func (c *Curve) Headline() string {
	d := c.Doubling
	if d == nil {
		return ""
	}
	last := c.Points[len(c.Points)-1]
	by := fmt.Sprintf("%+.6f [%+.6f, %+.6f]", d.Gain, d.Interval[0], d.Interval[1])
	if c.MoreGames == No {
		return fmt.Sprintf("no: doubling the games to %d is not shown to lower the validation loss: by %s", last.Games, by)
	}
	text := fmt.Sprintf("yes: doubling the games to %d lowered the validation loss by %s", last.Games, by)
	if c.Twice.Known() && c.Twice < last.Valid {
		text += fmt.Sprintf("; with twice as many it should be %.6f lower still", last.Valid-c.Twice)
	}
	return text
}

// curveShares are the shares of the games that a curve is made of.
var curveShares = []float64{0.125, 0.25, 0.5}

// LearningCurve fits to an eighth, a quarter and a half of the games that full was trained on, validated on the
// same games and under the same design effect, priors and scale. Without validation there is no curve.
func LearningCurve(ctx context.Context, s *rows.Store, terms []rows.Term, full *Result) (*Curve, error) {
	if full.RowsValid == 0 {
		return nil, fmt.Errorf("%w: a learning curve needs games held out", objective.ErrConfig)
	}
	curve := new(Curve)
	for _, share := range curveShares {
		c := full.Config
		c.Share, c.Design, c.K, c.KScore = share, full.Design, full.K, full.KScore
		f := &fitting{s: s, terms: terms, c: c, bare: true}
		r, err := f.run(ctx)
		if err == nil {
			curve.Doubling, err = f.against(ctx, r, full)
		}
		if err != nil {
			return nil, fmt.Errorf("learning curve at %v of the games: %w", share, err)
		}
		trained := f.split.clustersTrained(f.train)
		curve.Points = append(curve.Points, CurvePoint{trained, r.Fit, curve.Doubling.StartInterval})
	}
	curve.Points = append(curve.Points, CurvePoint{full.ClustersTrain, full.Fit, curve.Doubling.TunedInterval})
	if curve.MoreGames = No; curve.Doubling.Interval[0] > 0 {
		curve.MoreGames = Yes
	}
	curve.extrapolate()
	return curve, nil
}

// against compares a fit to a part of the games with the full one, on the games held out from both.
func (f *fitting) against(ctx context.Context, part, full *Result) (*Paired, error) {
	sums := newClusterLosses(f.split.clusters)
	err := sums.add(ctx, f.train, objective.HeldOut, predictor{part.fitted(), part.FileK},
		predictor{full.fitted(), full.FileK})
	return sums.paired(), err
}

// extrapolate fits Floor + Slope/games to the last three points by least squares.
func (c *Curve) extrapolate() {
	points := c.Points[max(0, len(c.Points)-3):]
	n, sx, sy, sxx, sxy := float64(len(points)), 0.0, 0.0, 0.0, 0.0
	for _, p := range points {
		x, y := 1/float64(max(1, p.Games)), float64(p.Valid)
		sx, sy, sxx, sxy = sx+x, sy+y, sxx+num.Rounded(x*x), sxy+num.Rounded(x*y)
	}
	c.Slope = (num.Rounded(n*sxy) - num.Rounded(sx*sy)) / (num.Rounded(n*sxx) - num.Rounded(sx*sx))
	c.Floor = (sy - num.Rounded(c.Slope*sx)) / n
	c.Twice = num.Unknown
	if last := float64(points[len(points)-1].Games); c.Slope > 0 && last > 0 {
		c.Twice = num.Float(c.Floor + c.Slope/(2*last))
	}
}
