package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/arrange"
	"github.com/assay-chess/assay/dataset/durable"
)

// arrangeFlags are what merge, split and shuffle have in common.
type arrangeFlags struct {
	out    string
	asJSON bool
	config arrange.Config
}

func (f *arrangeFlags) add(cmd *cobra.Command, seeded bool) {
	cmd.Flags().StringVar(&f.out, "out", "", "folder to write (required)")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print one JSON object")
	if seeded {
		cmd.Flags().Uint64Var(&f.config.Seed, "seed", 0, "of the random numbers")
	}
}

// begin checks the flags, and returns the progress to finish.
func (f *arrangeFlags) begin(cmd *cobra.Command) (*progress, error) {
	if f.out == "" {
		return nil, usagef("--out DIR says where to write")
	}
	p := newProgress(cmd.ErrOrStderr(), "data "+cmd.Name())
	f.config.Program, f.config.Progress = programVersion(), p.update
	return p, nil
}

// end tells what was written; err is dataset.ErrComplete where nothing was left to do.
func (f *arrangeFlags) end(cmd *cobra.Command, p *progress, dirs []string, written []*durable.Manifest, err error) error {
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
		p.finish("done")
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
		return printJSON(cmd.OutOrStdout(), lines[0])
	}
	if f.asJSON {
		return printJSON(cmd.OutOrStdout(), map[string]any{"out": f.out, "parts": lines})
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
		return fmt.Errorf("%w; give data sets of one kind", err)
	case errors.Is(err, dataset.ErrTwice):
		return fmt.Errorf("%w; give each once: what is there twice counts double", err)
	}
	return dataAdvice(err)
}

func newDataMergeCommand() *cobra.Command {
	var f arrangeFlags
	cmd := &cobra.Command{
		Use:   "merge PATH... --out DIR",
		Short: "Make one data set of several, one behind the other",
		Long: `Write the rows of several data sets of one schema as one data set, in their order. Games
that are there twice are an error; of positions 'assay data stat A B' tells the overlap.
After an interruption the same command goes on.`,
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

// some is a list of what is there.
func some(m *durable.Manifest) []*durable.Manifest {
	if m == nil {
		return nil
	}
	return []*durable.Manifest{m}
}

func newDataShuffleCommand() *cobra.Command {
	var f arrangeFlags
	cmd := &cobra.Command{
		Use:   "shuffle PATH... --out DIR",
		Short: "Write the rows of data sets in random order",
		Long: `Write the rows of data sets of one schema in random order, as one data set. The seed decides
the order, and every order is equally likely. Memory does not grow with the data; beyond
524,288 positions, buckets in the folder need as much room again for a while. After an
interruption the same command goes on.`,
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

func newDataSplitCommand() *cobra.Command {
	var f arrangeFlags
	var parts []string
	var by string
	cmd := &cobra.Command{
		Use:   "split PATH... --out DIR",
		Short: "Split data sets by game, as into training and validation",
		Long: `Write each game of data sets of one schema to one of several parts, each a data set in a
folder of DIR. Positions of one game share its result, and are almost equal: they are never
split. Games that share openings can be kept together with --by opening.

Which part a game goes to depends on the seed and the game alone. After an interruption the
same command goes on.`,
		Example: "  assay data split positions --out parts --parts train=0.9,valid=0.1 --seed 1",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := parseParts(parts)
			if err != nil {
				return usagef("--parts: %w", err)
			}
			if by != arrange.ByGame && by != arrange.ByOpening {
				return usagef("--by %q: want %s or %s", by, arrange.ByGame, arrange.ByOpening)
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

// parseParts reads names and shares, as "train=0.9".
func parseParts(texts []string) ([]arrange.Part, error) {
	var parts []arrange.Part
	for _, text := range texts {
		name, share, _ := strings.Cut(text, "=")
		weight, err := strconv.ParseFloat(share, 64)
		if err != nil {
			return nil, fmt.Errorf("%q is not NAME=SHARE, as train=0.9", text)
		}
		parts = append(parts, arrange.Part{Name: name, Weight: weight})
	}
	return parts, arrange.CheckParts(parts)
}
