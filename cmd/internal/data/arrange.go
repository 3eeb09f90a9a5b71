package data

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/arrange"
	"github.com/assay-chess/assay/internal/durable"
)

// arrangement is one of the commands merge, split and shuffle.
type arrangement struct {
	cmd    *cobra.Command
	out    string
	config arrange.Config
}

// arranger makes data sets of others, and returns their folders.
type arranger func(a *arrangement, paths []string) (dirs []string, err error)

func newArrangement(cmd *cobra.Command, write arranger) *arrangement {
	a := &arrangement{cmd: cmd}
	cmd.Args = cobra.MinimumNArgs(1)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if a.out == "" {
			return ui.Usagef("missing --out DIR")
		}
		p := ui.NewProgress(cmd.ErrOrStderr(), "data "+cmd.Name())
		a.config.Program, a.config.Progress = ui.Version(), p.Update
		a.config.Fault = func(fault error) {
			fmt.Fprintf(cmd.ErrOrStderr(), "data %s: warning: %s\n", cmd.Name(), ui.FaultText(fault))
		}
		dirs, err := write(a, args)
		switch {
		case errors.Is(err, dataset.ErrComplete):
			fmt.Fprintf(cmd.ErrOrStderr(), "data %s: %s is complete; nothing to do\n", cmd.Name(), a.out)
		case err != nil:
			return err
		default:
			p.Finish("done")
		}
		return a.report(dirs)
	}
	cmd.Flags().StringVar(&a.out, "out", "", "folder to write (required)")
	ui.JSON(cmd)
	return a
}

func (a *arrangement) seeded() {
	a.cmd.Flags().Uint64Var(&a.config.Seed, "seed", 0, "random seed")
}

// report prints the data sets that were written.
func (a *arrangement) report(dirs []string) error {
	type set struct {
		Out  string `json:"out"`
		ID   string `json:"id"`
		Rows int64  `json:"rows"`
	}
	var sets []set
	text := ""
	for _, dir := range dirs {
		m, err := durable.LoadManifest(dir)
		if err != nil {
			return err
		}
		id, err := m.ID()
		if err != nil {
			return err
		}
		sets = append(sets, set{dir, id, m.Rows})
		text += fmt.Sprintf("%s: %s, %d rows\n", dir, m.Schema, m.Rows)
	}
	var v any = map[string]any{"out": a.out, "parts": sets}
	if len(sets) == 1 {
		v = sets[0]
	}
	return ui.Show(a.cmd, v, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// one makes one data set.
func one(write func(context.Context, []string, string, arrange.Config) (*durable.Manifest, error)) arranger {
	return func(a *arrangement, paths []string) ([]string, error) {
		_, err := write(a.cmd.Context(), paths, a.out, a.config)
		return []string{a.out}, err
	}
}

func newMerge() *cobra.Command {
	return newArrangement(&cobra.Command{
		Use:   "merge PATH... --out DIR",
		Short: "Concatenate data sets",
		Long: `Write the rows of several data sets of one schema as one data set, in their order. A game
that occurs twice is an error. 'assay data stat A B' counts positions that two data sets
share. The manifest says how many rows came from which set. After an interruption, run the
same command again to resume.`,
		Example: `  assay data merge monday tuesday --out games`,
	}, one(arrange.Merge)).cmd
}

func newShuffle() *cobra.Command {
	a := newArrangement(&cobra.Command{
		Use:   "shuffle PATH... --out DIR",
		Short: "Write the rows of data sets in random order",
		Long: `Write the rows of data sets of one schema in random order, as one data set. The seed decides
the order, and every order is equally likely. Memory does not grow with the data. With more
than 524,288 positions, temporary files in DIR take 104 bytes for each position. After an
interruption, run the same command again to resume.`,
		Example: "  assay data shuffle positions --out shuffled --seed 1",
	}, one(arrange.Shuffle))
	a.seeded()
	return a.cmd
}

func newSplit() *cobra.Command {
	var parts []string
	var by string
	a := newArrangement(&cobra.Command{
		Use:   "split PATH... --out DIR",
		Short: "Split data sets by game, such as into training and validation",
		Long: `Write each game of data sets of one schema to one of several parts, each a data set in a
folder of DIR. The positions of a game are similar and have the same result, so they stay
together. --by opening keeps games with the same opening together.

The part of a game depends only on the seed and the game. After an interruption, run the
same command again to resume.`,
		Example: "  assay data split positions --out parts --parts train=0.9,valid=0.1 --seed 1",
	}, func(a *arrangement, paths []string) (dirs []string, err error) {
		list, err := parseParts(parts)
		if err != nil {
			return nil, ui.Usagef("--parts: %w", err)
		}
		if by != arrange.ByGame && by != arrange.ByOpening {
			return nil, ui.Usagef("--by %q: want %s or %s", by, arrange.ByGame, arrange.ByOpening)
		}
		for _, part := range list {
			dirs = append(dirs, filepath.Join(a.out, part.Name))
		}
		_, err = arrange.Split(a.cmd.Context(), paths, a.out, list, by, a.config)
		return dirs, err
	})
	a.seeded()
	a.cmd.Flags().StringSliceVar(&parts, "parts", []string{"train=0.9", "valid=0.1"},
		"names of the parts and their shares")
	a.cmd.Flags().StringVar(&by, "by", arrange.ByGame, "keep rows together by game or by opening")
	return a.cmd
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
