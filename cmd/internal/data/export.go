package data

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/dataset/convert"
	"github.com/assay-chess/assay/internal/source"
)

func newExport() *cobra.Command {
	var out, format string
	cmd := &cobra.Command{
		Use:   "export PATH --out FILE",
		Short: "Write a data set as EPD, CSV, JSON lines, PGN or bulletformat",
		Long: `Write positions as EPD (c9 "1-0"; ce 34;), as FEN with the result behind it ([1.0]), CSV or
TSV, JSON lines, or bulletformat (32 bytes a position, from the side to move's view); games as
PGN or JSON lines. The ending of the file name decides the format (.epd .fen .csv .tsv .jsonl
.bullet .pgn), and a further .zst or .gz compresses the file. The file - is standard output.

The file gets its name only when it is complete. An existing file is never replaced.`,
		Example: `  assay data export positions --out positions.csv.zst
  assay data export games --out games.pgn
  assay data export positions --out positions.bullet`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if out == "" {
				return ui.Usagef("missing --out FILE")
			}
			p := ui.NewProgress(cmd.ErrOrStderr(), "data export")
			c := convert.ExportConfig{Stdout: ui.Raw(cmd.OutOrStdout()), Progress: p.Update}
			if format != "" {
				if c.Format, err = convert.ParseFormat(format, convert.ExportFormats); err != nil {
					return ui.Usage(err)
				}
			}
			if ui.WantsJSON(cmd) && out == source.Stdin {
				return ui.Usagef("--json and --out - both write to standard output")
			}
			rows, err := convert.Export(cmd.Context(), args[0], out, c)
			if errors.Is(err, convert.ErrFormat) {
				return fmt.Errorf("%w; set --format %s", err, formatNames(convert.ExportFormats, "|"))
			}
			if err != nil {
				return err
			}
			p.Finish(fmt.Sprintf("%d rows in %s", rows, out))
			return ui.Show(cmd, map[string]any{"out": out, "rows": rows}, ui.Text(""))
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&out, "out", "", "file to write (required)")
	fs.StringVar(&format, "format", "", formatNames(convert.ExportFormats, ", ")+" (default: by the file name)")
	ui.JSON(cmd)
	return cmd
}
