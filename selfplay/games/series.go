package games

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/dataset/inorder"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/sprt"
)

// Player is a set of weights that plays.
type Player struct {
	Name    string // for people
	ID      string // of the weights, in files
	Weights []int32
}

// Series is a number of games from one seed.
type Series struct {
	Game   *Game
	Dir    string // of the data set
	A, B   Player // A moves first in games of even number, B in the others
	Games  int
	Paired bool // games 2n and 2n+1 have the same opening
	Depth  int  // plies to look ahead

	// The seed of a game follows from these and its number.
	Seed, Generation uint64
	Stage            string

	Program  string // version, for the manifest
	Workers  int    // games at once, 0: one a core; no result depends on it
	Progress func(done, total int64, note string)
}

// identity is everything that decides the games.
type identity struct {
	Game       string     `json:"game"`
	A          string     `json:"a"`
	B          string     `json:"b"`
	Games      int        `json:"games"`
	Paired     bool       `json:"paired"`
	Depth      int        `json:"depth"`
	Plies      [2]int     `json:"random_plies"`
	Generation uint64     `json:"generation"`
	Stage      string     `json:"stage"`
	Test       *sprt.Test `json:"sprt"`
}

func (s *Series) identity(test *sprt.Test) identity {
	return identity{s.Game.Name, s.A.ID, s.B.ID, s.Games, s.Paired, s.Depth, s.Game.Plies, s.Generation, s.Stage, test}
}

// Self plays the games of A against itself, or those that an earlier call did not.
func (s Series) Self(ctx context.Context) error {
	s.B = s.A
	return s.run(ctx, nil, func(*dataset.MovesRow) (string, error) { return "", nil })
}

// Match plays pairs of games until the test has decided, or if there is none all games. Pairs
// count in the order of their numbers; those that an earlier call has written count first.
func (s Series) Match(ctx context.Context, test *sprt.Test) (*match.Result, error) {
	s.Paired = true
	entrant := func(p Player) selfplay.Entrant { return selfplay.Entrant{Name: p.ID, Shown: p.Name} }
	tally, err := match.NewTally(entrant(s.A), entrant(s.B), uint64(s.Games), test)
	if err != nil {
		return nil, err
	}
	err = s.run(ctx, test, func(row *dataset.MovesRow) (string, error) {
		err := tally.Add(int(row.Result))
		if err == nil && tally.Over() {
			err = errOver
		}
		return tally.Note(), err
	})
	return tally.Result(), err
}

// errOver says that nothing more counts.
var errOver = errors.New("over")

// piece is a game of the series, and a line of its journal.
type piece struct {
	Number int              `json:"number"`
	Row    dataset.MovesRow `json:"game"`

	known bool // it was in the journal
}

// run calls count with all games in order, until its error is errOver. It plays those that are neither in the data
// set nor in the journal, which has every game that is finished until the data set is complete.
func (s *Series) run(ctx context.Context, test *sprt.Test,
	count func(*dataset.MovesRow) (note string, err error)) error {
	id := s.identity(test)
	run, err := gamelog.RunID(struct {
		identity
		Seed uint64 `json:"seed"`
	}{id, s.Seed})
	if err != nil {
		return err
	}
	journal := filepath.Join(s.Dir, durable.JournalName)
	w, err := dataset.NewMovesWriter(s.Dir, dataset.WriterConfig{Config: id, Seed: s.Seed, Program: s.Program})
	if errors.Is(err, dataset.ErrComplete) {
		err = eachRow(s.Dir, func(row *dataset.MovesRow) error { _, err := count(row); return err })
	} else if err == nil {
		err = s.play(ctx, run, w, journal, count)
	}
	if err != nil && !errors.Is(err, errOver) {
		return err
	}
	return durable.RemovePending(journal)
}

// play writes the whole data set.
func (s *Series) play(ctx context.Context, run string, w *dataset.Writer[dataset.MovesRow], journal string,
	count func(*dataset.MovesRow) (string, error)) error {
	defer w.Close()
	if err := w.Restart(); err != nil {
		return err
	}
	pending, err := durable.OpenPending(journal, 0, func(p *piece) uint64 { return uint64(p.Number) })
	if err != nil {
		return err
	}
	known := pending.Units()
	err = inorder.Each(ctx, s.Workers, func(yield func(*piece, error) bool) {
		for n := range s.Games {
			p, ok := known[uint64(n)]
			p.Number, p.known = n, ok && p.Row.Game == dataset.GameID(run, uint64(n))
			if !yield(&p, nil) {
				return
			}
		}
	}, func(p *piece) error {
		if p.known {
			return nil
		}
		if err := s.game(p, run); err != nil {
			return fmt.Errorf("%s: game %d: %w", s.Dir, p.Number, err)
		}
		return pending.Add(*p)
	}, func(p *piece) error {
		if err := w.Append(&p.Row); err != nil {
			return err
		}
		note, err := count(&p.Row)
		if s.Progress != nil && !p.known {
			s.Progress(int64(p.Number+1), int64(s.Games), note)
		}
		return err
	})
	if e := pending.Close(); err == nil || errors.Is(err, errOver) {
		err = e
	} else if ctx.Err() != nil {
		err = fmt.Errorf("%s: interrupted with %d of %d games on disk: %w", s.Dir, len(pending.Units()), s.Games,
			context.Cause(ctx))
	}
	if err == nil {
		_, err = w.Finish(nil)
	}
	return err
}

// game plays a game of the series.
func (s *Series) game(p *piece, run string) error {
	opening := uint64(p.Number)
	if s.Paired {
		opening /= 2
	}
	first, second := &s.A, &s.B
	if p.Number%2 == 1 {
		first, second = second, first
	}
	g, err := s.Game.play(job{
		Opening: selfplay.Seed(s.Seed, s.Generation, s.Stage+"/opening", opening),
		Seed:    selfplay.Seed(s.Seed, s.Generation, s.Stage, uint64(p.Number)),
		Weights: [2][]int32{first.Weights, second.Weights}, Depth: s.Depth,
	})
	p.Row = dataset.MovesRow{
		Game: dataset.GameID(run, uint64(p.Number)), Seed: g.Opening, Opening: g.Key, OpeningPlies: uint16(g.Plies),
		Moves: strings.Join(g.Moves, " "), Result: int8(g.Result), First: first.ID, Second: second.ID,
	}
	return err
}

// playedOf returns the game of a row.
func playedOf(row *dataset.MovesRow) played {
	return played{Opening: row.Seed, Key: row.Opening, Plies: int(row.OpeningPlies), Moves: strings.Fields(row.Moves),
		Result: int(row.Result)}
}

// eachRow calls visit with the games of a data set in order.
func eachRow(dir string, visit func(*dataset.MovesRow) error) error {
	r, err := dataset.OpenMoves(dir)
	if err != nil {
		return err
	}
	for row, err := range r.All() {
		if err == nil {
			err = visit(&row)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// MatchCommand is the durable.RunInfo.Command of matches in a folder of their own.
const MatchCommand = "match-game"

// matchConfig is the content of the config.json of a match.
type matchConfig struct {
	Program string `json:"program"`
	identity
	Seed uint64 `json:"seed"`
}

// RunMatch plays a match in a run folder, from where an earlier call stopped; see Series.Match. If
// the folder is empty, nothing is kept.
func RunMatch(ctx context.Context, s Series, out, resume string, test *sprt.Test) (*match.Result, error) {
	s.Stage, s.Paired = "match", true
	if out == "" {
		var err error
		if s.Dir, err = os.MkdirTemp("", "assay-match-"); err != nil {
			return nil, err
		}
		defer os.RemoveAll(s.Dir)
		return s.Match(ctx, test)
	}
	info := durable.RunInfo{Command: MatchCommand, Resume: resume, Program: s.Program,
		Players: []durable.RunPlayer{{Name: s.A.Name, ID: s.A.ID}, {Name: s.B.Name, ID: s.B.ID}}}
	s.Dir = filepath.Join(out, "games")
	return gamelog.InFolder(out, info, matchConfig{s.Program, s.identity(test), s.Seed},
		func(_ *durable.Run, r *match.Result) error { r.Already = true; return nil },
		func(*durable.Run) (*match.Result, error) { return s.Match(ctx, test) })
}
