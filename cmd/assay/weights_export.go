package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/tuner/heldout"
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
		Long: `Write weights in a format that another program can read:

  c      a header with arrays and S(mg, eg) macros
  csv    one line per term, with the fitted number and its standard error
  json   the weight file itself
  uci    one setoption line per weight

For any other format write a template of Go's text/template; --show-template prints a
built-in one as an example. A template sees .Model, .ID, .K, .Terms and .Arrays.

FILE may hold weights of any evaluation, also of a foreign one.

Weights are integers. If the file has the fitted numbers they were rounded from, stderr
shows how far rounding moved them and, with --data, the loss it costs.`,
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
				return usagef("want one weight file, or name of embedded weights")
			}
			return f.run(cmd.Context(), args[0], cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	c.Flags().StringVar(&f.format, "format", "", strings.Join(models.ExportFormats(), ", ")+" (default json)")
	c.Flags().StringVar(&f.template, "template", "", "template file to execute on the weights")
	c.Flags().StringVar(&f.show, "show-template", "", "print the built-in template of a format")
	c.Flags().StringVar(&f.out, "out", "", "file to write (default: standard output)")
	c.Flags().StringVar(&f.data, "data", "", "data set of positions (of a foreign evaluation: features) on which to measure the loss that rounding costs")
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
	x, err := openAnyWeights(name)
	if err != nil {
		return err
	}
	var b bytes.Buffer // write nothing unless the template succeeds
	if f.template != "" {
		text, err := os.ReadFile(f.template)
		if err != nil {
			return err
		}
		if err := x.file.Execute(&b, f.template, string(text)); err != nil {
			return fmt.Errorf("%w; assay weights export --show-template c prints a working template", err)
		}
	} else if err := x.file.Export(&b, f.format); err != nil {
		return err
	}
	if err := f.rounding(ctx, x, stderr); err != nil {
		return err
	}
	if f.out != "" {
		return durable.WriteFile(f.out, b.Bytes())
	}
	_, err = stdout.Write(b.Bytes())
	return err
}

// rounding prints how far the integers are from the fitted numbers, and the loss it costs.
func (f *exportFlags) rounding(ctx context.Context, x *openedWeights, stderr io.Writer) error {
	r := x.file.Rounding()
	if r.Fitted == 0 {
		if f.data != "" {
			return fmt.Errorf("%s holds no fitted numbers: leave out --data, or export a file that assay tune wrote", x.name)
		}
		return nil
	}
	fmt.Fprintf(stderr, "rounding moved %d fitted weights by %.2f centipawns (rms), %s most, by %.2f\n", r.Fitted, r.RMS, r.Worst, r.Largest)
	if f.data == "" {
		return nil
	}
	c, err := heldout.RoundingLoss(ctx, x.file, f.data, newProgress(stderr, "positions").update)
	if err != nil {
		return err
	}
	fmt.Fprintf(stderr, "cross-entropy on %d positions: %.6f as fitted, %.6f rounded (%+.1e)\n", c.Rows, c.Fitted, c.Rounded, c.Rounded-c.Fitted)
	return nil
}
