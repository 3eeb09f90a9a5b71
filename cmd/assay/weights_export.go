package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/store"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/models"
)

// exportFlags are the flags of assay weights export.
type exportFlags struct {
	format, template, show, out, data string
}

func newWeightsExportCommand() *cobra.Command {
	var f exportFlags
	c := &cobra.Command{
		Use:   "export FILE",
		Short: "Write weights for another program: C, CSV, JSON, UCI options, or any template",
		Long: `Write weights in a form that another program reads:

  c      a header of arrays and S(mg, eg) macros
  csv    one line a term, with what was fitted and its standard error
  json   the weight file itself
  uci    one setoption line for each weight

Any other form is a template of Go's text/template; --show-template prints the ones
built in, to begin from. A template sees .Model, .ID, .K, .Terms and .Arrays.

Weights are integers. Where the file holds the numbers they were rounded from, what
rounding moved is said on stderr, and with --data what it costs.`,
		Example: `  assay weights export assay --format c --out weights.h
  assay weights export runs/first/weights.json --template engine.tmpl --data runs/first/positions
  assay weights export --show-template c`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.show != "" {
				text, err := models.ExportTemplate(f.show)
				if err != nil {
					return usageError{err}
				}
				_, err = io.WriteString(cmd.OutOrStdout(), text)
				return err
			}
			if len(args) != 1 {
				return usagef("want one weight file, or the name of embedded weights")
			}
			return f.run(cmd.Context(), args[0], cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	c.Flags().StringVar(&f.format, "format", "", strings.Join(models.ExportFormats(), ", ")+" (default json)")
	c.Flags().StringVar(&f.template, "template", "", "write what this template makes of the weights")
	c.Flags().StringVar(&f.show, "show-template", "", "print the built-in template of a format and stop")
	c.Flags().StringVar(&f.out, "out", "", "file to write (default: standard output)")
	c.Flags().StringVar(&f.data, "data", "", "positions on which to state the loss that rounding costs")
	return c
}

func (f *exportFlags) run(ctx context.Context, name string, stdout, stderr io.Writer) error {
	switch {
	case f.format != "" && f.template != "":
		return usagef("give --format or --template, not both")
	case f.format == "":
		f.format = "json"
	case !slices.Contains(models.ExportFormats(), f.format):
		return usagef("--format %s: want one of %s", f.format, strings.Join(models.ExportFormats(), ", "))
	}
	x, err := openWeights("", name)
	if err != nil {
		return err
	}
	var b bytes.Buffer // nothing is written unless all of it can be
	if f.template != "" {
		text, err := os.ReadFile(f.template)
		if err != nil {
			return err
		}
		if err := x.file.Execute(&b, f.template, string(text)); err != nil {
			return fmt.Errorf("%w; assay weights export --show-template c prints one that works", err)
		}
	} else if err := x.file.Export(&b, f.format); err != nil {
		return err
	}
	if err := f.rounding(ctx, x, stderr); err != nil {
		return err
	}
	if f.out != "" {
		return store.WriteFile(f.out, b.Bytes())
	}
	_, err = stdout.Write(b.Bytes())
	return err
}

// rounding says how far the integers are from what was fitted, and what that costs.
func (f *exportFlags) rounding(ctx context.Context, x *openedWeights, stderr io.Writer) error {
	r := x.file.Rounding()
	if r.Fitted == 0 {
		if f.data != "" {
			return fmt.Errorf("%s holds no fitted numbers: leave out --data, or export what assay tune wrote", x.name)
		}
		return nil
	}
	fmt.Fprintf(stderr, "rounding moved %d fitted weights by %.2f centipawns (rms), %s most, by %.2f\n", r.Fitted, r.RMS, r.Worst, r.Largest)
	if f.data == "" {
		return nil
	}
	c, err := roundingCost(ctx, x, f.data, newProgress(stderr, "positions"))
	if err != nil {
		return err
	}
	fmt.Fprintf(stderr, "cross-entropy on %d positions: %.6f as fitted, %.6f rounded (%+.1e)\n", c.rows, c.fitted, c.rounded, c.rounded-c.fitted)
	return nil
}

// roundingCosts are mean losses against the games' results.
type roundingCosts struct {
	rows            int64
	fitted, rounded float64
}

// roundingCost evaluates the positions of a data set with the fitted and with the
// integer weights. Weights that were not fitted are the integers in both.
func roundingCost(ctx context.Context, x *openedWeights, path string, bar *progress) (c roundingCosts, err error) {
	d, err := dataset.OpenPositions(path)
	if err != nil {
		return c, err
	}
	fitted, rounded := make([][2]float64, len(x.coefs)), make([][2]float64, len(x.coefs))
	for i, t := range x.file.Terms {
		rounded[i] = [2]float64{float64(t.MG), float64(t.EG)}
		fitted[i] = rounded[i]
		if t.FitMG != 0 || t.SEMG != 0 || t.FitEG != 0 || t.SEEG != 0 {
			fitted[i] = [2]float64{t.FitMG, t.FitEG}
			if !x.model.Terms[i].Tapered {
				fitted[i][1] = t.FitMG
			}
		}
	}
	var features eval.Features
	var weight, sumFitted, sumRounded float64
	for row, err := range d.All() {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return c, err
		}
		x.model.Features(&row.Board, &features)
		w, y := float64(row.Weight), float64(row.Result)
		weight += w
		sumFitted += w * crossEntropy(x.file.K*sumOf(&features, fitted), y)
		sumRounded += w * crossEntropy(x.file.K*sumOf(&features, rounded), y)
		if c.rows++; c.rows%4096 == 0 {
			bar.update(c.rows, d.Len(), "")
		}
	}
	if weight == 0 {
		return c, fmt.Errorf("%s holds no positions: give the data set that the weights were fitted to", path)
	}
	c.fitted, c.rounded = sumFitted/weight, sumRounded/weight
	return c, nil
}

// sumOf returns the value in centipawns of a position under weights that are no
// integers.
func sumOf(f *eval.Features, w [][2]float64) float64 {
	var mg, eg float64
	for _, e := range f.Entries {
		mg += float64(e.Count) * w[e.Term][0]
		eg += float64(e.Count) * w[e.Term][1]
	}
	phase := float64(f.Phase) / eval.MaxPhase
	return (mg*phase + eg*(1-phase)) * float64(f.ScaleNum) / float64(f.ScaleDen)
}

// crossEntropy returns the loss of the prediction 1/(1+e^-z) for the result y.
func crossEntropy(z, y float64) float64 {
	// log(1+e^z) - yz, in the form that cannot overflow
	return max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))) - y*z
}
