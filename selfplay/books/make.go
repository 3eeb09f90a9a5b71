package books

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/dataset/inorder"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/selfplay/opening"
)

// Views are the sides from whose view a window of scores can be.
var Views = []string{"white", "mover", "leader"}

// Maker makes a book of openings whose scores by an engine are within a window. Each game of the source is left at the
// first position within it.
type Maker struct {
	Source   opening.Source                // games; of a source without end as many as are needed
	From, To int                           // plies after which a game may be left; a shorter game may be left at its end
	Min, Max int                           // the window, in centipawns
	View     string                        // of Views: White's, the side to move's, or that of the side that is ahead
	Openings int                           // wanted; 0: all
	Settings string                        // all of what decides the book, to know a journal again
	Journal  string                        // file that keeps the scores until the book is written
	Open     func() (engine.Player, error) // nil: without a window games are left after To plies
	Limits   engine.Limits
	Workers  int // 0: one a core
	Progress func(done, total int64, note string)

	tried int
}

// ErrWindow says that no opening is within the window.
var ErrWindow = errors.New("no opening has a score within the window")

// hopeless is after how many games without an opening a source without end is given up.
const hopeless = 5000

// left is a line of the journal: where a game is left, by its number. Plies is -1 if nowhere.
type left struct {
	Settings string       `json:"settings,omitempty"` // of the first line
	Number   uint64       `json:"n"`
	Plies    int          `json:"plies"`
	Score    engine.Score `json:"score"` // White's view
	game     *board.Game
	known    bool
}

// errEnough ends the work.
var errEnough = errors.New("enough openings")

// Run returns distinct openings in the order of their games. What an earlier call with the same settings and journal
// has searched is not searched again.
func (m *Maker) Run(ctx context.Context) ([]Exit, error) {
	known := map[uint64]*left{}
	journal, err := durable.OpenJournal(m.Journal, func(line []byte) error {
		l := new(left)
		if err := json.Unmarshal(line, l); err != nil {
			return err
		}
		if l.Settings != "" && l.Settings != m.Settings {
			return fmt.Errorf("it is of other settings (%s): remove it to start again", l.Settings)
		}
		l.known, known[l.Number] = true, l
		return nil
	})
	if err != nil {
		return nil, err
	}
	defer journal.Close()
	var list []Exit
	seen := map[uint64]bool{}
	err = inorder.Run(ctx, m.Workers, func(_ context.Context, send func(*left) error) error {
		for n := uint64(0); m.Source.Len() == 0 || n < m.Source.Len(); n++ {
			l := known[n]
			if l == nil {
				l = &left{Number: n, Plies: -1}
			}
			var err error
			if l.game, err = m.Source.Propose(n, 1); err == nil {
				err = send(l)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}, m.search, func(l *left) error {
		if !l.known {
			if l.Number == 0 {
				l.Settings = m.Settings
			}
			if err := journal.Append(l); err != nil {
				return err
			}
		}
		m.tried++
		if l.Plies >= 0 {
			x := Exit{cut(l.game, l.Plies), l.Score}
			if key := x.Game.Position().Key(); !seen[key] {
				seen[key] = true
				list = append(list, x)
			}
		}
		return m.told(len(list))
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("%w: %d games were searched", ErrWindow, m.tried)
	}
	return list, err
}

// told shows the progress, and reports when there is no more to do.
func (m *Maker) told(found int) error {
	total, done := int64(m.Openings), int64(found)
	if total == 0 {
		total, done = int64(m.Source.Len()), int64(m.tried)
	}
	if m.Progress != nil {
		m.Progress(done, total, fmt.Sprintf("%d openings of %d games", found, m.tried))
	}
	switch {
	case m.Openings > 0 && found >= m.Openings:
		return errEnough
	case m.Source.Len() == 0 && found == 0 && m.tried >= hopeless:
		return fmt.Errorf("%w: %d games were searched", ErrWindow, m.tried)
	}
	return nil
}

// Done removes the journal, once the book is written.
func (m *Maker) Done() error { return os.Remove(m.Journal) }

// search finds where games are left.
func (m *Maker) search(ctx context.Context, games iter.Seq[*left]) error {
	if m.Open == nil {
		for l := range games {
			l.Plies, l.Score = min(m.To, len(l.game.Moves())), engine.NoScore
		}
		return nil
	}
	p, err := m.Open()
	if err != nil {
		return err
	}
	defer p.Close()
	for l := range games {
		if l.known {
			continue
		}
		most := len(l.game.Moves())
		for plies := min(m.From, most); plies <= min(m.To, most) && l.Plies < 0; plies++ {
			at := cut(l.game, plies)
			if _, _, over := at.Outcome(); over {
				break
			}
			if err := p.NewGame(0); err != nil {
				return err
			}
			r, err := p.Search(ctx, board.NewGame(*at.Position()), m.Limits)
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return fmt.Errorf("%s: %w", at.Position().FEN(), err)
			}
			if r.Score.Known() && m.within(r.Score, at.Position().SideToMove()) {
				l.Plies, l.Score = plies, engine.Score(r.Score.White(at.Position().SideToMove()))
			}
		}
	}
	return nil
}

// within reports whether a score of the side to move is in the window.
func (m *Maker) within(s engine.Score, mover board.Color) bool {
	switch m.View {
	case Views[0]:
		s = engine.Score(s.White(mover))
	case Views[2]:
		s = max(s, -s)
	}
	return int(s) >= m.Min && int(s) <= m.Max
}

// cut returns the beginning of a game.
func cut(g *board.Game, plies int) *board.Game {
	short := board.NewGame(g.Start())
	for _, m := range slices.Clip(g.Moves())[:plies] {
		short.Push(m)
	}
	return short
}
