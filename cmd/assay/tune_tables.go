package main

import (
	"fmt"
	"strings"

	"github.com/assay-chess/assay/tuner"
	"github.com/assay-chess/assay/tuner/stats"
)

// groupTable says which groups of terms are worth tuning.
func groupTable(r *tuner.Result) string {
	if len(r.Groups) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n%-14s %10s %10s %12s %12s\n", "group", "parameters", "effective", "gain", "net gain")
	for _, g := range r.Groups {
		fmt.Fprintf(&b, "  %-12s %10d %10.1f %12.6f %+12.6f\n", g.Name, g.Parameters, g.Effective, g.Gain, g.Net)
	}
	b.WriteString("gain: by how much the mean training loss would be larger had the group kept its start\nweights and the rest been tuned without it; net: what of it to expect on other games.\n")
	return b.String()
}

// calibrationTable compares predictions with results.
func calibrationTable(c *stats.Calibration) string {
	if c.Rows == 0 {
		return ""
	}
	side := "the positions trained on"
	if c.HeldOut {
		side = "held-out positions"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nCalibration on %d %s; loss under the start weights and under the fit.\n", c.Rows, side)
	row := func(name string, x *stats.Bin) {
		if x.Rows > 0 {
			fmt.Fprintf(&b, "  %-12s %9d %10.3f %10.3f +- %.3f %11.4f -> %.4f\n", name, x.Rows, x.Predicted, x.Actual, x.SE, x.Start, x.Loss)
		}
	}
	fmt.Fprintf(&b, "  %-12s %9s %10s %10s    %5s %11s    %s\n", "", "positions", "predicted", "actual", "", "loss", "")
	for i := range c.ByScore {
		x := &c.ByScore[i]
		row(fmt.Sprintf("%.1f to %.1f", x.Lo, x.Hi), x)
	}
	for i := range c.ByPhase {
		x := &c.ByPhase[i]
		row(fmt.Sprintf("phase %.0f-%.0f", x.Lo, x.Hi), x)
	}
	return b.String()
}

// curveTable says whether more games are worth it.
func curveTable(c *tuner.Curve) string {
	if c == nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n%-14s %12s %12s\n", "games", "training", "validation")
	for _, p := range c.Points {
		fmt.Fprintf(&b, "  %-12d %12.6f %12.6f\n", p.Games, p.Train, p.Valid)
	}
	if last := c.Points[len(c.Points)-1]; !c.Twice.Known() {
		b.WriteString("more games of this kind: the validation loss does not fall with their number\n")
	} else {
		fmt.Fprintf(&b, "twice as many games: validation loss %.6f to be expected, %.6f less\n", c.Twice, last.Valid-c.Twice)
	}
	return b.String()
}

// collinearList names coefficients that the data cannot tell apart.
func collinearList(list []stats.Collinear) string {
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\nCoefficients that the data alone cannot tell from others; the prior does. Freeze them if\nit is off, and compare only differences within a table.\n")
	const lines, names = 8, 3
	for i, c := range list {
		if i == lines {
			fmt.Fprintf(&b, "  and %d more: see --json\n", len(list)-i)
			break
		}
		share := fmt.Sprintf("but for %.2g %% of its information", 100*c.Unexplained)
		if c.Exact {
			share = "exactly"
		}
		others := c.Others
		if len(others) > names {
			others = append(append([]string(nil), others[:names]...), "...")
		}
		fmt.Fprintf(&b, "  %s is, %s, %s\n", c.Coefficient, share, strings.Join(others, ", "))
	}
	return b.String()
}
