// Package data is the command assay data: data sets imported, exported, merged, split,
// shuffled, filtered, relabelled and summarized, one file a group of subcommands.
package data

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/arrange"
	"github.com/assay-chess/assay/internal/durable"
)

// dataMemory is how far the heap of a data command may grow before the collector works
// harder. By default the heap may grow to twice its use.
const dataMemory = 700 << 20

// New returns the command assay data.
func New() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "data",
		Short: "Import, export and arrange data sets; make positions of games",
		Long: `Data sets are folders of Arrow files with a manifest.json: games (assay.games/1),
positions (assay.positions/1) or features of another engine (assay.features/2).
Every command also reads a single .arrow file, or a folder of them without a manifest, and
reports it as unverified.`,
		Example: `  assay data positions games --out positions
  assay data stat positions`,
		PersistentPreRun: func(*cobra.Command, []string) {
			if os.Getenv("GOMEMLIMIT") == "" { // the user has set a limit
				debug.SetMemoryLimit(dataMemory)
			}
		},
	}
	cmd.AddCommand(newImport(), newExport(), newPositions(), newRelabel(),
		newMerge(), newSplit(), newShuffle(), newStat(), newHead(), newVerify())
	return cmd
}

func newVerify() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verify PATH",
		Short: "Check a data set: checksums, schema and every row",
		Long: `Read a whole data set and list each damaged file and each bad row: illegal moves, impossible
positions, labels out of range, games that occur twice. The exit code is 0 if nothing is
listed and the data set is complete.`,
		Example: "  assay data verify games",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			problems := []string{}
			report := func(problem error) {
				problems = append(problems, problem.Error())
				if !ui.WantsJSON(cmd) {
					fmt.Fprintln(cmd.OutOrStdout(), problem)
				}
			}
			p := ui.NewProgress(cmd.ErrOrStderr(), "data verify")
			v, err := dataset.Verify(cmd.Context(), args[0], report, p.Update)
			if err != nil {
				return err
			}
			p.Finish("done")
			note := ui.If(!v.Verified, " (unverified: without a manifest, damage that leaves valid rows is not detected)")
			err = ui.Show(cmd, struct {
				*dataset.Verification
				OK       bool     `json:"ok"`
				Problems []string `json:"problems"`
			}{v, v.OK(), problems}, ui.Text("%s: %s, %d rows in %d files are valid%s\n", v.Path, v.Format,
				v.Rows, v.Shards, note))
			if err != nil || v.OK() {
				return err
			}
			if v.BadFiles+v.BadRows > 0 {
				return fmt.Errorf("%s: %d damaged files, %d bad rows; restore them from a backup, or make the data again",
					v.Path, v.BadFiles, v.BadRows)
			}
			return fmt.Errorf("%s: %w", v.Path, dataset.ErrIncomplete)
		},
	}
	ui.JSON(cmd)
	return cmd
}

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
		sets = append(sets, set{dir, m.ID(), m.Rows})
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

func one(write func(context.Context, []string, string, arrange.Config) error) arranger {
	return func(a *arrangement, paths []string) ([]string, error) {
		return []string{a.out}, write(a.cmd.Context(), paths, a.out, a.config)
	}
}

func newMerge() *cobra.Command {
	return newArrangement(&cobra.Command{
		Use:   "merge PATH... --out DIR",
		Short: "Concatenate data sets",
		Long: `Write the rows of several data sets of one schema as one data set, in their order. A game
that occurs twice is an error. The manifest says how many rows came from which set. After an
interruption, run the same command again to resume.`,
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
		for _, part := range list {
			dirs = append(dirs, filepath.Join(a.out, part.Name))
		}
		return dirs, arrange.Split(a.cmd.Context(), paths, a.out, list, by, a.config)
	})
	a.seeded()
	a.cmd.Flags().StringSliceVar(&parts, "parts", []string{"train=0.9", "valid=0.1"},
		"names of the parts and their shares")
	ui.Choice(a.cmd.Flags(), &by, "by", arrange.ByGame, "keep rows together by game or by opening", arrange.ByGame,
		arrange.ByOpening)
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
