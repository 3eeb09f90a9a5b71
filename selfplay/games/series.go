package games

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/dataset/inorder"
	"github.com/assay-chess/assay/selfplay"
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
	return s.run(ctx, s.identity(nil), func(*dataset.MovesRow) (bool, string, error) { return false, "", nil })
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
	first, waits := 0, false
	err = s.run(ctx, s.identity(test), func(row *dataset.MovesRow) (bool, string, error) {
		if waits = !waits; waits {
			first = int(row.Result)
			return false, "", nil
		}
		err := tally.Add(first, -int(row.Result))
		return tally.Over(), tally.Note(), err
	})
	if err != nil {
		return nil, err
	}
	return tally.Result(), nil
}

// errOver says that nothing more counts.
var errOver = errors.New("over")

// piece is a game of the series, and a line of its journal.
type piece struct {
	Number int              `json:"number"`
	Row    dataset.MovesRow `json:"game"`

	known bool // it was in the journal
}

// run plays the games that are not in the data set yet, and calls count with all of them in
// order, those of the data set first, until it reports the end.
func (s *Series) run(ctx context.Context, id identity,
	count func(*dataset.MovesRow) (over bool, note string, err error)) error {
	if err := durable.MakeDir(s.Dir); err != nil {
		return err
	}
	w, err := dataset.NewMovesWriter(s.Dir, dataset.WriterConfig{Config: id, Seed: s.Seed, Program: s.Program})
	journal := filepath.Join(s.Dir, durable.JournalName)
	if errors.Is(err, dataset.ErrComplete) {
		if err := durable.RemovePending(journal); err != nil {
			return err
		}
		return eachRow(s.Dir, func(row *dataset.MovesRow) error { _, _, err := count(row); return err })
	}
	if err != nil {
		return err
	}
	defer w.Close()
	next := int(w.Rows())
	over := false
	if next > 0 {
		if err := eachRow(s.Dir, func(row *dataset.MovesRow) (err error) {
			over, _,
				err = count(row)
			return err
		}); err != nil {
			return err
		}
	}
	if !over && next < s.Games {
		if err := s.keepPlaying(ctx, next, id, w, count); err != nil && !errors.Is(err, errOver) {
			return err
		}
	}
	if _, err = w.Finish(nil); err != nil {
		return err
	}
	return durable.RemovePending(journal)
}

// keepPlaying plays with a journal: a game that is finished is never lost.
func (s *Series) keepPlaying(ctx context.Context, next int, id identity, w *dataset.Writer[dataset.MovesRow],
	count func(*dataset.MovesRow) (bool, string, error)) error {
	pending, err := durable.OpenPending(filepath.Join(s.Dir, durable.JournalName), uint64(next),
		func(p *piece) uint64 { return uint64(p.Number) })
	if err != nil {
		return err
	}
	err = s.play(ctx, next, id, w, pending, count)
	if ctx.Err() != nil && !errors.Is(err, errOver) {
		err = fmt.Errorf("%s: interrupted with %d of %d games on disk: %w",
			s.Dir, int(w.Rows())+len(pending.Units()), s.Games, context.Cause(ctx))
	}
	if e := pending.Close(); err == nil || errors.Is(err, errOver) && e != nil {
		err = e
	}
	return err
}

func (s *Series) play(ctx context.Context, next int, id identity, w *dataset.Writer[dataset.MovesRow],
	pending *durable.Pending[piece], count func(*dataset.MovesRow) (bool, string, error)) error {
	doc, err := json.Marshal(struct {
		identity
		Seed uint64 `json:"seed"`
	}{id, s.Seed})
	if err != nil {
		return err
	}
	sum := sha256.Sum256(doc)
	run := hex.EncodeToString(sum[:])
	known := pending.Units()
	return inorder.Run(ctx, inorder.Workers(s.Workers), func(_ context.Context, send func(*piece) error) error {
		for n := next; n < s.Games; n++ {
			if err := send(&piece{Number: n}); err != nil {
				return err
			}
		}
		return nil
	}, func(ctx context.Context, pieces iter.Seq[*piece]) error {
		for p := range pieces {
			if err := ctx.Err(); err != nil {
				return err
			}
			if k, ok := known[uint64(p.Number)]; ok && k.Row.Game == dataset.GameID(run, uint64(p.Number)) {
				p.Row, p.known = k.Row, true
				continue
			}
			if err := s.game(p, run); err != nil {
				return fmt.Errorf("%s: game %d: %w", s.Dir, p.Number, err)
			}
			if err := pending.Add(*p); err != nil {
				return err
			}
		}
		return nil
	}, func(p *piece) error {
		before := w.Rows()
		if err := w.Append(&p.Row); err != nil {
			return err
		}
		if now := w.Rows(); now != before {
			if err := pending.Listed(uint64(now)); err != nil {
				return err
			}
		}
		over, note, err := count(&p.Row)
		if s.Progress != nil && !p.known {
			s.Progress(int64(p.Number+1), int64(s.Games), note)
		}
		if err == nil && over {
			err = errOver
		}
		return err
	})
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

// eachRow calls visit with the games of a data set, complete or not, in order.
func eachRow(dir string, visit func(*dataset.MovesRow) error) error {
	r, err := dataset.OpenMoves(dir, dataset.Partial())
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
// the folder is empty, nothing is kept. already reports that the match was complete before.
func RunMatch(ctx context.Context, s Series, out, resume string, test *sprt.Test) (r *match.Result, already bool,
	err error) {
	s.Stage, s.Paired = "match", true
	if out == "" {
		if s.Dir, err = os.MkdirTemp("", "assay-match-"); err != nil {
			return nil, false, err
		}
		defer os.RemoveAll(s.Dir)
		r, err = s.Match(ctx, test)
		return r, false, err
	}
	info := durable.RunInfo{Command: MatchCommand, Resume: resume, Program: s.Program,
		Players: []durable.RunPlayer{{Name: s.A.Name, ID: s.A.ID}, {Name: s.B.Name, ID: s.B.ID}}}
	run, err := durable.OpenRun(out, info, matchConfig{s.Program, s.identity(test), s.Seed})
	if err != nil {
		return nil, false, err
	}
	defer run.Close()
	if raw, complete := run.Result(); complete {
		r := new(match.Result)
		if err := json.Unmarshal(raw, r); err != nil {
			return nil, true, fmt.Errorf("%s: %w: %w", run.Path(durable.RunResultName), durable.ErrDamaged, err)
		}
		return r, true, nil
	}
	s.Dir = filepath.Join(out, "games")
	if r, err = s.Match(ctx, test); err != nil {
		return nil, false, err
	}
	return r, false, run.Finish(r)
}
