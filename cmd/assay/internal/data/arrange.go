package data

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/assay/internal/cli"
	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/arrange"
	"github.com/assay-chess/assay/dataset/durable"
)

// arrangeFlags are the flags of merge, split and shuffle.
type arrangeFlags struct {
	out    string
	asJSON bool
	config arrange.Config
}

func (f *arrangeFlags) add(cmd *cobra.Command, seeded bool) {
	cmd.Flags().StringVar(&f.out, "out", "", "folder to write (required)")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print one JSON object")
	if seeded {
		cmd.Flags().Uint64Var(&f.config.Seed, "seed", 0, "random seed")
	}
}

// begin checks the flags, and returns the progress to finish.
func (f *arrangeFlags) begin(cmd *cobra.Command) (*cli.Progress, error) {
	if f.out == "" {
		return nil, cli.Usagef("missing --out DIR")
	}
	p := cli.NewProgress(cmd.ErrOrStderr(), "data "+cmd.Name())
	f.config.Program, f.config.Progress = cli.Version(), p.Update
	return p, nil
}

// end reports what was written. It takes the error of the operation, which may be
// dataset.ErrComplete.
func (f *arrangeFlags) end(cmd *cobra.Command, p *cli.Progress, dirs []string, written []*durable.Manifest, err error) error {
	if errors.Is(err, dataset.ErrComplete) {
		fmt.Fprintf(cmd.ErrOrStderr(), "data %s: %s is complete; nothing to do\n", cmd.Name(), f.out)
		if written == nil {
			m, e := durable.LoadManifest(f.out)
			if e != nil {
				return e
			}
			written = []*durable.Manifest{m}
		}
	} else if err != nil {
		return arrangeAdvice(err)
	} else {
		p.Finish("done")
	}
	type line struct {
		Out  string `json:"out"`
		ID   string `json:"id"`
		Rows int64  `json:"rows"`
	}
	lines := []line{}
	for i, m := range written {
		id, err := m.ID()
		if err != nil {
			return err
		}
		lines = append(lines, line{dirs[i], id, m.Rows})
	}
	if f.asJSON && len(lines) == 1 {
		return cli.PrintJSON(cmd.OutOrStdout(), lines[0])
	}
	if f.asJSON {
		return cli.PrintJSON(cmd.OutOrStdout(), map[string]any{"out": f.out, "parts": lines})
	}
	return printSets(cmd.OutOrStdout(), dirs, written)
}

func printSets(out io.Writer, dirs []string, written []*durable.Manifest) error {
	for i, m := range written {
		if _, err := fmt.Fprintf(out, "%s: %s, %d rows\n", dirs[i], m.Schema, m.Rows); err != nil {
			return err
		}
	}
	return nil
}

func arrangeAdvice(err error) error {
	switch {
	case errors.Is(err, dataset.ErrUngrouped):
		return fmt.Errorf("%w; import it with --infer-games, if its rows are in game order", err)
	case errors.Is(err, arrange.ErrSchemas):
		return fmt.Errorf("%w; all data sets must have the same schema", err)
	case errors.Is(err, dataset.ErrTwice):
		return fmt.Errorf("%w; pass each only once: rows that occur twice would count double", err)
	}
	return cli.DataAdvice(err)
}

func newMerge() *cobra.Command {
	var f arrangeFlags
	cmd := &cobra.Command{
		Use:   "merge PATH... --out DIR",
		Short: "Concatenate data sets",
		Long: `Write the rows of several data sets of one schema as one data set, in their order. A game
that occurs twice is an error. 'assay data stat A B' counts positions that two data sets
share. After an interruption, run the same command again to resume.`,
		Example: "  assay data merge monday tuesday --out games",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := f.begin(cmd)
			if err != nil {
				return err
			}
			m, err := arrange.Merge(cmd.Context(), args, f.out, f.config)
			return f.end(cmd, p, []string{f.out}, some(m), err)
		},
	}
	f.add(cmd, false)
	return cmd
}

// some returns a list of m, or nil if m is nil.
func some(m *durable.Manifest) []*durable.Manifest {
	if m == nil {
		return nil
	}
	return []*durable.Manifest{m}
}

func newShuffle() *cobra.Command {
	var f arrangeFlags
	cmd := &cobra.Command{
		Use:   "shuffle PATH... --out DIR",
		Short: "Write the rows of data sets in random order",
		Long: `Write the rows of data sets of one schema in random order, as one data set. The seed decides
the order, and every order is equally likely. Memory does not grow with the data. With more
than 524,288 positions, temporary files in DIR take as much disk space as the data. After an
interruption, run the same command again to resume.`,
		Example: "  assay data shuffle positions --out shuffled --seed 1",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := f.begin(cmd)
			if err != nil {
				return err
			}
			m, err := arrange.Shuffle(cmd.Context(), args, f.out, f.config)
			return f.end(cmd, p, []string{f.out}, some(m), err)
		},
	}
	f.add(cmd, true)
	return cmd
}

func newSplit() *cobra.Command {
	var f arrangeFlags
	var parts []string
	var by string
	cmd := &cobra.Command{
		Use:   "split PATH... --out DIR",
		Short: "Split data sets by game, for example into training and validation data",
		Long: `Write each game of data sets of one schema to one of several parts, each a data set in a
folder of DIR. The positions of a game are similar and have the same result, so they stay
together. --by opening keeps games with the same opening together.

The part of a game depends only on the seed and the game. After an interruption, run the
same command again to resume.`,
		Example: "  assay data split positions --out parts --parts train=0.9,valid=0.1 --seed 1",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := parseParts(parts)
			if err != nil {
				return cli.Usagef("--parts: %w", err)
			}
			if by != arrange.ByGame && by != arrange.ByOpening {
				return cli.Usagef("--by %q: want %s or %s", by, arrange.ByGame, arrange.ByOpening)
			}
			p, err := f.begin(cmd)
			if err != nil {
				return err
			}
			var dirs []string
			for _, part := range list {
				dirs = append(dirs, filepath.Join(f.out, part.Name))
			}
			ms, err := arrange.Split(cmd.Context(), args, f.out, list, by, f.config)
			return f.end(cmd, p, dirs, ms, err)
		},
	}
	f.add(cmd, true)
	cmd.Flags().StringSliceVar(&parts, "parts", []string{"train=0.9", "valid=0.1"}, "names of the parts and their shares")
	cmd.Flags().StringVar(&by, "by", arrange.ByGame, "what is kept together: game or opening")
	return cmd
}

// parseParts parses names and shares, such as "train=0.9".
func parseParts(texts []string) ([]arrange.Part, error) {
	var parts []arrange.Part
	for _, text := range texts {
		name, share, _ := strings.Cut(text, "=")
		weight, err := strconv.ParseFloat(share, 64)
		if err != nil {
			return nil, fmt.Errorf("%q is not NAME=SHARE, such as train=0.9", text)
		}
		parts = append(parts, arrange.Part{Name: name, Weight: weight})
	}
	return parts, arrange.CheckParts(parts)
}
