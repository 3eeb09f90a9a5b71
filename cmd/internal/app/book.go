package app

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/internal/cli"
	"github.com/assay-chess/assay/cmd/internal/runs"
	"github.com/assay-chess/assay/cmd/internal/settings"
	"github.com/assay-chess/assay/dataset/source"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/selfplay/books"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/opening"
	"github.com/assay-chess/assay/selfplay/sprt"
)

func newBookCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "book",
		Short: "Measure, prune and make books of openings",
		Long: `Measure what a book of openings is worth to a match, prune it, or make one.

Books are EPD, FEN, PGN or Polyglot, compressed or not.`,
	}
	cmd.AddCommand(newBookStatCommand(), newBookPruneCommand(), newBookMakeCommand())
	return cmd
}

func newBookStatCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "stat BOOK [GAMES]...",
		Short: "What a book is worth: draws, White's score, and the games that it saves",
		Long: `Say what a book of openings is worth to a match: draws, White's score, the normalized Elo that it
shows between players, and the games that it saves in place of other openings.

A match needs games in proportion to 1/nElo^2, where normalized Elo (nElo) is the mean score by
pairs, in standard deviations of a game. So if a book shows 1.3 times the nElo of random plies
between the same players, a test with it needs 1/1.3^2 = 0.59 of the games.

With --players A,B the two play games from the book, and with --against as many from another book or
from random plies. Players 50 to 100 Elo apart need the fewest games. Without --players, GAMES are
folders of matches and ladders, or PGN files in which each opening was played twice; --against then
takes games of the same players. A folder in place of BOOK stands for its games.

The worth is a ratio of two uncertain numbers, with Fieller's interval (1954), which is unknown if the
players are too equal. An opening with eight or more pairs that were all even decides nothing, and is
named, as is a line that leads to a position of another line.

With --out the games are kept in two folders in it, book and against. After an interruption the
same command goes on.`,
		Example: `  assay book stat UHO_4060_v3.epd
  assay book stat my.epd --players ./new,./old --games 2000 --nodes 20000 --against random
  assay book stat my.epd --players ./new,./old --tc 4+0.04 --against UHO_4060_v3.epd --out runs/worth
  assay book stat my.epd runs/first runs/second games.pgn --against runs/random`,
	}
	set := settings.New(settings.Book, cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		s := newSession(cmd, set)
		s.name = "book stat"
		defer s.close()
		return s.bookStat(args)
	}
	return cmd
}

// randomPlies stands for openings without a book.
const randomPlies = "random"

// worthReport is what book stat --json prints.
type worthReport struct {
	Book     string       `json:"book,omitempty"`
	Openings uint64       `json:"openings"` // different ones in the book
	Repeated []string     `json:"repeated,omitempty"`
	Of       *books.Stat  `json:"stat,omitempty"`
	Against  string       `json:"against,omitempty"`
	Other    *books.Stat  `json:"other,omitempty"`
	Worth    *books.Worth `json:"worth,omitempty"`
}

func (s *session) bookStat(args []string) error {
	if s.Given("book") && (len(args) == 0 || args[0] != s.Opening.Book) { // as in the line that resumes
		args = append([]string{s.Opening.Book}, args...)
	}
	if len(args) == 0 {
		return cli.Usagef("BOOK is missing; usage: assay book stat BOOK [GAMES]...")
	}
	played := args[1:]
	if info, err := os.Stat(args[0]); err == nil && info.IsDir() {
		args, played = nil, args
	}
	r := &worthReport{Against: strings.Join(s.Against, ", ")}
	if r.Against == randomPlies {
		r.Against = "random plies"
	}
	var book *opening.Book
	if args != nil {
		var err error
		if err = s.Put("book", args[0]); err != nil {
			return err
		}
		if book, err = opening.LoadBook(args[0], opening.Spec{BookPlies: s.Opening.BookPlies}, s.Seed); err != nil {
			return playAdvice(err, "")
		}
		r.Book, r.Openings, r.Repeated = args[0], book.Len(), book.Repeats()
	}
	for _, name := range []string{"serve", "nats"} {
		if s.Given(name) {
			return cli.Usagef("--%s: the games of a book are played on this machine", name)
		}
	}
	others := s.Against
	if len(s.Players) > 0 {
		if len(played) > 0 || book == nil || len(s.Against) > 1 {
			return cli.Usagef("--players play one book, against one other: give BOOK without games that were played")
		}
		var err error
		if played, others, err = s.playBooks(book); err != nil {
			return err
		}
	}
	var err error
	if r.Of, err = statOf(book, played); err == nil {
		r.Other, err = statOf(nil, others)
	}
	if err != nil {
		return err
	}
	if r.Of != nil && r.Other != nil {
		w := books.Compare(r.Of, r.Other)
		r.Worth = &w
	}
	if s.JSON {
		return cli.PrintJSON(s.stdout, r)
	}
	return r.print(cli.Folded(s.stdout), s.All)
}

// statOf reads games, of a book if there is one; nil without games.
func statOf(book *opening.Book, paths []string) (*books.Stat, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	games, err := readPairs(book, paths)
	if err != nil {
		return nil, err
	}
	return games.Stat(), nil
}

func readPairs(book *opening.Book, paths []string) (*books.Games, error) {
	games, err := books.New(book)
	for i := 0; i < len(paths) && err == nil; i++ {
		err = games.Read(paths[i])
	}
	if errors.Is(err, books.ErrNoPairs) {
		err = fmt.Errorf("%w; a match or a ladder with this book plays them: assay match A B --book BOOK --out DIR", err)
	}
	return games, err
}

// playBooks plays the book and what it is compared with, and returns the folders of the games.
func (s *session) playBooks(book *opening.Book) (played, others []string, err error) {
	if len(s.Players) != 2 {
		return nil, nil, cli.Usagef("--players %s: want two, A,B", strings.Join(s.Players, ","))
	}
	if s.Games%2 != 0 {
		return nil, nil, cli.Usagef("--games %d: pairs need an even number", s.Games)
	}
	if s.Out == "" {
		s.Out = filepath.Join(runs.Dir, "book-"+strings.TrimSuffix(source.BaseName(s.Opening.Book),
			filepath.Ext(source.BaseName(s.Opening.Book))))
	}
	players, _, err := s.complete(s.Players)
	if err != nil {
		return nil, nil, err
	}
	list, err := s.entrants(players, func(i int) string { return fmt.Sprintf("book stat: %c", 'A'+i) })
	if err != nil {
		return nil, nil, err
	}
	one := func(folder string, of opening.Spec) ([]string, error) {
		c := match.Config{Setup: s.Setup, A: list[0], B: list[1], Games: s.Games}
		c.Out, c.Opening, c.Pinned = filepath.Join(s.Out, folder), of, s.git.pinned()
		c.Resume = s.Line("assay book stat", nil)
		if of.Book == "" {
			if c.Check.Player, err = openingChecker(list...); err != nil {
				return nil, err
			}
		}
		_, err := s.playMatch(c)
		return []string{c.Out}, err
	}
	if played, err = one("book", s.Opening); err != nil || len(s.Against) == 0 {
		return played, nil, err
	}
	other := opening.Spec{Plies: opening.DefaultPlies}
	if s.Against[0] != randomPlies {
		other = opening.Spec{Book: s.Against[0], Random: true}
	}
	others, err = one("against", other)
	return played, others, err
}

func (r *worthReport) print(out io.Writer, all bool) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if r.Worth != nil {
		quote.Fprintf(out, "%s\n\n", worthText(r.Worth, r.Against))
	}
	if r.Book != "" {
		quote.Fprintf(w, "openings\t%d different ones in %s\n", r.Openings, r.Book)
	}
	if n := len(r.Repeated); n > 0 {
		quote.Fprintf(w, "repeated\t%d lines lead to a position of another: %s\n", n, firstOf(r.Repeated, all))
	}
	printStat(w, r.Of, all)
	if r.Other != nil {
		quote.Fprintf(w, "against\t%s\n", r.Against)
		printStat(w, r.Other, all)
	}
	return w.Flush()
}

// worthText says what a book is worth in place of other openings.
func worthText(w *books.Worth, other string) string {
	switch {
	case w.Players == 0:
		return "worth not known: no two players have, from both, 20 games and pairs that either won"
	case !w.Known():
		return "worth not known: the players are too equal to say. Play more games, or players 50 to 100 Elo apart"
	}
	return fmt.Sprintf("a match needs %.2f [%.2f, %.2f] of the games that it needs with %s", w.Games, w.Lo, w.Hi, other)
}

func printStat(w io.Writer, s *books.Stat, all bool) {
	if s == nil {
		return
	}
	quote.Fprintf(w, "pairs\t%d from %d openings", s.Pairs, s.Openings)
	for _, left := range []struct {
		n    int64
		what string
	}{{int64(s.Unpaired), "games without a partner"}, {int64(s.Unfinished), "games without a result"},
		{int64(s.Others), "games of other openings"}, {s.RepeatedPairs, "pairs repeat another move by move"}} {
		if left.n > 0 {
			quote.Fprintf(w, "; %d %s", left.n, left.what)
		}
	}
	quote.Fprintf(w, "\ndraws\t%.1f %% of games; even pairs %.1f %%; in %.1f %% of these one color won both games\n",
		100*s.Draws, 100*s.Even, 100*s.OneWon)
	quote.Fprintf(w, "White\tscores %.1f %% [%.1f, %.1f], %+.0f Elo\n", 100*s.White.Share, 100*s.White.Lo, 100*s.White.Hi,
		sprt.Elo(float64(s.White.Share)))
	for _, m := range s.Matchups {
		text := m.NElo.Text("")
		if !m.NElo.Known() {
			text = "-"
		}
		quote.Fprintf(w, "nElo\t%s, %s against %s, %d pairs\n", text, m.A, m.B, m.Pentanomial.Samples())
	}
	var dead []string
	for _, d := range s.Dead {
		dead = append(dead, fmt.Sprintf("%s (%d pairs, %d games drawn)", d.FEN, d.Pairs, d.Drawn))
	}
	if len(dead) > 0 {
		quote.Fprintf(w, "no player won\ta pair of %d openings: %s\n", len(dead), firstOf(dead, all))
	}
}

// firstOf lists a few, or all.
func firstOf(list []string, all bool) string {
	const few = 5
	if len(list) > few && !all {
		return strings.Join(list[:few], "; ") + "; and others (--all)"
	}
	return strings.Join(list, "; ")
}
