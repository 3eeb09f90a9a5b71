package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/opening"
)

// defaultNodes is the limit a move of games where none is given.
const defaultNodes = 5000

// ownDepth is a limit, in plies, that leaves their own to the programs of the papers.
const ownDepth = 40

// playFlags are the flags that selfplay and match have in common: how games are
// played, and from where.
type playFlags struct {
	selfplay.Setup
	bookOrder   string
	randomPlies int
	asJSON      bool
	cluster     clusterFlags
}

func (f *playFlags) register(cmd *cobra.Command, playOn float64) {
	fs := cmd.Flags()
	std := selfplay.StandardAdjudication()
	fs.Uint64Var(&f.Limits.Nodes, "nodes", 0, fmt.Sprintf("nodes a move; the iteration is finished, up to 8 times as many (default %d without --depth)", defaultNodes))
	fs.BoolVar(&f.Limits.HardNodes, "hard-nodes", false, "stop at exactly --nodes")
	fs.IntVar(&f.Limits.Depth, "depth", 0, "plies of iterative deepening a move")
	fs.StringVar(&f.Opening.Book, "book", "", "openings from a file: EPD or FEN lines, or games (.pgn); default: random plies")
	fs.StringVar(&f.bookOrder, "book-order", "sequential", "sequential, or random by the seed")
	fs.IntVar(&f.Opening.Skip, "book-start", 0, "openings of the book to leave out at its beginning")
	fs.IntVar(&f.randomPlies, "random-plies", opening.DefaultPlies, "random plies of an opening, or one more by a coin")
	fs.IntVar(&f.Check.MaxScore, "opening-score", selfplay.DefaultMaxOpeningScore, "centipawns above which a random opening is not played; -1: never check")
	fs.Uint64Var(&f.Check.Nodes, "opening-nodes", 0, "nodes of the search that checks a random opening (default: 4 times --nodes, at most 20000)")
	fs.IntVar(&f.Rule.WinScore, "win-score", std.WinScore, "adjudicate a win at so many centipawns by both players ...")
	fs.IntVar(&f.Rule.WinPlies, "win-plies", std.WinPlies, "... for so many plies in a row; 0: never")
	fs.BoolVar(&f.Rule.OneSided, "win-one-sided", false, "... by the loser alone, as if it resigned, for half as many of its own moves")
	fs.IntVar(&f.Rule.DrawScore, "draw-score", 10, "adjudicate a draw at no more centipawns by both players ...")
	fs.IntVar(&f.Rule.DrawPlies, "draw-plies", 0, "... for so many plies in a row; 0: never")
	fs.IntVar(&f.Rule.DrawFrom, "draw-from", 60, "... after so many plies of play")
	fs.Float64Var(&f.Rule.PlayOn, "play-on", playOn, "share of adjudicated games that are played on, to see whether they end as adjudicated")
	fs.IntVar(&f.MaxPlies, "max-plies", selfplay.DefaultMaxPlies, "a game is a draw after so many plies of play")
	fs.Uint64Var(&f.Seed, "seed", 1, "seed of openings and games")
	concurrencyFlag(cmd, &f.Concurrency, "games at once (default: one a core); changes no result")
	fs.BoolVar(&f.asJSON, "json", false, "print one JSON object")
	aliasFlag(cmd, "check-nodes", "opening-nodes")
	f.cluster.register(cmd)
}

// parse completes the flags. Its errors are usage errors.
func (f *playFlags) parse(cmd *cobra.Command) error {
	given := cmd.Flags().Changed
	if !given("nodes") && f.Limits.Depth == 0 && f.Limits.Deterministic() {
		f.Limits.Nodes = defaultNodes
	}
	if err := f.Limits.Validate(); err != nil {
		return usagef("nothing ends a search: give --nodes or --depth")
	}
	if err := f.notNegative(cmd); err != nil {
		return err
	}
	switch f.bookOrder {
	case "random":
		f.Opening.Random = true
	case "sequential":
	default:
		return usagef("--book-order %s: want sequential or random", f.bookOrder)
	}
	if f.Opening.Book == "" {
		if given("book-order") || given("book-start") {
			return usagef("--book-order and --book-start need a --book")
		}
		f.Opening.Plies = f.randomPlies
	} else if given("random-plies") || given("opening-nodes") || given("opening-score") {
		return usagef("--random-plies, --opening-nodes and --opening-score are for openings without a --book")
	}
	if f.randomPlies < 1 || f.randomPlies >= opening.MaxRandomPlies {
		return usagef("--random-plies %d: want 1 to %d", f.randomPlies, opening.MaxRandomPlies-1)
	}
	if !(f.Rule.PlayOn >= 0 && f.Rule.PlayOn <= 1) { // NaN too
		return usagef("--play-on %v: want a share between 0 and 1", f.Rule.PlayOn)
	}
	if f.Check.MaxScore == 0 {
		return usagef("--opening-score 0 would refuse nearly every opening; -1 checks none")
	}
	f.clearUnused()
	f.Open, f.Program = roster.Open, programVersion()
	return nil
}

// leaveOwnDepth sets a limit that cuts nobody short where only programs of papers play
// and no limit is given: nodes are no measure of theirs.
func (f *playFlags) leaveOwnDepth(cmd *cobra.Command, players []string) {
	for _, name := range []string{"nodes", "depth", "movetime", "tc"} {
		if cmd.Flags().Changed(name) {
			return
		}
	}
	for _, spec := range players {
		if !roster.IsHistoric(spec) {
			return
		}
	}
	f.Limits.Depth = ownDepth
}

// notNegative refuses numbers below zero where they mean nothing. Zero stands for the
// default, or for never.
func (f *playFlags) notNegative(cmd *cobra.Command) error {
	for name, value := range map[string]int{"depth": f.Limits.Depth, "book-start": f.Opening.Skip, "max-plies": f.MaxPlies, "concurrency": f.Concurrency,
		"win-score": f.Rule.WinScore, "win-plies": f.Rule.WinPlies, "draw-score": f.Rule.DrawScore, "draw-plies": f.Rule.DrawPlies, "draw-from": f.Rule.DrawFrom} {
		if value < 0 && cmd.Flags().Changed(name) {
			return usagef("--%s %d: want 0 or more", name, value)
		}
	}
	return nil
}

// clearUnused drops what decides nothing, so that equal runs have equal
// configurations.
func (f *playFlags) clearUnused() {
	if f.Rule.WinPlies <= 0 {
		f.Rule.WinPlies, f.Rule.WinScore, f.Rule.OneSided = 0, 0, false
	}
	if f.Rule.DrawPlies <= 0 {
		f.Rule.DrawPlies, f.Rule.DrawScore, f.Rule.DrawFrom = 0, 0, 0
	}
	if f.Rule.WinPlies == 0 && f.Rule.DrawPlies == 0 {
		f.Rule.PlayOn = 0
	}
}

// entrant names a player by its specification, and opens it once to see that it can
// be: what is wrong with it should be said before a run has begun. With an error that
// wraps uci.ErrStart the entrant is named all the same.
func entrant(spec string) (selfplay.Entrant, error) {
	name, err := roster.Identify(spec)
	if err != nil {
		return selfplay.Entrant{}, err
	}
	p, err := roster.Open(spec)
	if err != nil {
		return selfplay.Entrant{}, err
	}
	if s, ok := p.(engine.Starter); ok { // a foreign engine
		err = s.Start()
	}
	return selfplay.Entrant{Spec: spec, Name: name}, errors.Join(err, p.Close())
}

// resumeCommand returns the command line that resumes a run: the one that started it,
// without what changes nothing of the result.
func resumeCommand(cmd *cobra.Command, args []string) string {
	words := append(strings.Fields(cmd.CommandPath()), args...)
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch {
		case f.Name == "concurrency" || f.Name == "json":
		case f.Value.Type() == "bool":
			words = append(words, "--"+f.Name+"="+f.Value.String())
		default:
			words = append(words, "--"+f.Name, f.Value.String())
		}
	})
	for i, w := range words {
		words[i] = shellQuote(w)
	}
	return strings.Join(words, " ")
}

// shellQuote makes one word of a command line of s.
func shellQuote(s string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+:,./@%"
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// playAdvice adds the cure to what can end games that are kept in a folder, or not: out
// is then empty.
func playAdvice(err error, out string) error {
	var changed *durable.ConfigChangedError
	switch {
	case errors.As(err, &changed):
		return fmt.Errorf("%w; give the flags it was begun with, or another --out", err)
	case errors.Is(err, durable.ErrNotRun):
		return fmt.Errorf("%w; give an empty or a new folder with --out", err)
	case errors.Is(err, durable.ErrLocked):
		return fmt.Errorf("%w; wait for it, or stop it", err)
	case errors.Is(err, durable.ErrDamaged):
		return fmt.Errorf("%w; what is damaged cannot be gone on with: delete %s and begin again", err, out)
	case errors.Is(err, opening.ErrExhausted):
		return fmt.Errorf("%w; give a larger --book, or leave it out for random openings", err)
	case errors.Is(err, selfplay.ErrNoOpening):
		return fmt.Errorf("%w; raise --random-plies or --opening-score, or play fewer --games", err)
	case errors.Is(err, selfplay.ErrConfig):
		return usageError{err}
	case errors.Is(err, context.Canceled) && out != "":
		return fmt.Errorf("%w; the same command goes on from there", err)
	}
	return err
}
