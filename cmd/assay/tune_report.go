package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/tuner"
)

// tuneText is the report of a fit for people: piece values, how good the fit is,
// then every term.
func tuneText(r *tuner.Report, file *models.File, took time.Duration) string {
	var b strings.Builder
	b.WriteString(pieceTable(&r.Result))
	b.WriteString(fitSummary(r, took))
	b.WriteString(groupTable(&r.Result))
	b.WriteString(calibrationTable(&r.Calibration))
	b.WriteString(curveTable(r.Curve))
	b.WriteString(termTable(&r.Result, file))
	b.WriteString(collinearList(r.Collinear))
	for _, w := range r.Warnings {
		fmt.Fprintf(&b, "\nwarning: %s", w)
	}
	if len(r.Warnings) > 0 {
		b.WriteString("\n")
	}
	from := ""
	if r.Parent != "" {
		from = ", from " + r.Parent
	}
	fmt.Fprintf(&b, "\nwrote %s (id %s%s)\n", r.Out, r.ID, from)
	return b.String()
}

// pieceTable shows the five piece values, which a chess player looks for first.
func pieceTable(r *tuner.Result) string {
	if len(r.Pieces) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("Average marginal value of a piece: by how many centipawns the evaluation falls when it\nis taken off the board, over a sample of the data.\n\n")
	fmt.Fprintf(&b, "%-10s %8s %16s %8s %8s %16s\n", "", "start", "fitted", "mg", "eg", "in pawns")
	for _, p := range r.Pieces {
		fmt.Fprintf(&b, "%-10s %8.0f %16s %8.0f %8.0f %16s\n", p.Piece, p.Start, plusMinus(p.Value, p.SE, 0, 1), p.MG, p.EG, plusMinus(p.Pawns, p.SEPawns, 2, 2))
	}
	b.WriteString("\n")
	return b.String()
}

func plusMinus(v, se float64, digits, errDigits int) string {
	return fmt.Sprintf("%.*f +- %.*f", digits, v, errDigits, se)
}

func fitSummary(r *tuner.Report, took time.Duration) string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-11s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("data", "%d positions of %d games, split %s", r.Rows, r.Games, r.Split)
	line("fit", "%s: %d steps, %.1g above the smallest mean loss, %.1f s", r.Method, r.Steps, r.Gap, took.Seconds())
	line("loss", "training %.6f -> %.6f, validation %s -> %s; rounding to integers costs %.1e", r.Start.Train, r.Rounded.Train, lossText(r.Start.Valid), lossText(r.Rounded.Valid), r.Rounded.Train-r.Fit.Train)
	scale := fmt.Sprintf("%.6f per centipawn under the start weights, %.6f under the new ones", r.K, r.FileK)
	if r.KScore != 0 {
		scale += fmt.Sprintf("; scores %.6f", r.KScore)
	}
	line("K", "%s", scale)
	line("parameters", "%d, of which the data determine %.1f (the prior holds the rest)", r.Parameters, r.Effective)
	if r.Clustering != 0 {
		line("D", "%.2f (rows of a game depend on each other: %.2f; spread of a single row: %.2f)", r.Design, r.Clustering, r.Dispersion)
	}
	if r.Jackknife {
		line("errors", "the jackknife's: %d games or openings are few", r.ClustersTrain)
	}
	return b.String()
}

func lossText(v tuner.Float) string {
	if !v.Known() {
		return "none"
	}
	return fmt.Sprintf("%.6f", v)
}

// termTable shows old and new weights with their standard errors by group;
// piece-square tables as boards.
func termTable(r *tuner.Result, file *models.File) string {
	var b strings.Builder
	boards := newSquareBoards()
	group := ""
	fmt.Fprintf(&b, "\n%-26s %6s    %-15s %6s    %-15s %5s %9s %7s\n", "term", "mg", "fitted", "eg", "fitted", "data", "positions", "games")
	for i := range r.Terms {
		x := &r.Terms[i]
		if boards.take(&file.Terms[i]) {
			continue
		}
		if x.Group != group {
			group = x.Group
			fmt.Fprintf(&b, "%s\n", group)
		}
		eg, arrow := [2]string{number(x.StartEG), withError(x.EG, x.SEEG)}, "->"
		if !x.Tapered {
			eg, arrow = [2]string{}, ""
		}
		fmt.Fprintf(&b, "  %-24s %6s -> %-15s %6s %2s %-15s %4.0f%% %9d %7.1f%s\n", x.Name, number(x.StartMG), withError(x.MG, x.SEMG), eg[0], arrow, eg[1], 100*x.DataShare, x.Count, x.EffectiveGames, mark(x))
	}
	b.WriteString(boards.String())
	b.WriteString(termLegend)
	return b.String()
}

const termLegend = `
data: the share of the term that the data determined; the prior holds the rest, and then
a small error says nothing of the truth. games: effective number of games that inform the
term; ? fewer than 30, the error is too small; = frozen; - never seen. Tables carry part of
the material: --json has their entries as differences from the table's mean, with errors.
`

func number(v float64) string { return fmt.Sprintf("%.0f", v) }

func mark(x *tuner.TermFit) string {
	switch {
	case x.Frozen:
		return " ="
	case x.Count == 0:
		return " -"
	case x.Few():
		return " ?"
	}
	return ""
}
