package dataset

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/assay-chess/assay/dataset/internal/dedup"
	"github.com/assay-chess/assay/dataset/internal/guard"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/durable"
)

// Verification is the outcome of Verify.
type Verification struct {
	Path     string `json:"path"`
	Format   string `json:"format"`
	Verified bool   `json:"verified"` // there is a manifest to check the files against
	Complete bool   `json:"complete"`
	Shards   int    `json:"shards"`
	Rows     int64  `json:"rows"`      // valid ones
	BadFiles int64  `json:"bad_files"` // that could not be read to the end
	BadRows  int64  `json:"bad_rows"`
}

// OK reports whether the data set is complete and nothing is damaged.
func (v *Verification) OK() bool { return v.Complete && v.BadFiles == 0 && v.BadRows == 0 }

// ErrDuplicate says that a game or a data set occurs twice, so that its rows would count twice.
var ErrDuplicate = errors.New("it occurs twice")

// ErrUngrouped says that a row names no game, or no opening, where rows of one game (or
// opening) must be handled together.
var ErrUngrouped = errors.New("the row does not say what it belongs to")

// Verify reads a whole data set, and does not stop at damage: it calls report (if not nil)
// for each damaged file and each bad row. It returns an error only if the path is not a
// data set or the context is done.
func Verify(ctx context.Context, path string, report func(problem error), progress Progress) (*Verification, error) {
	m, files, err := listFiles(path)
	if err != nil {
		return nil, err
	}
	format, err := Detect(path)
	if err != nil {
		return nil, err
	}
	if report == nil {
		report = func(error) {}
	}
	v := &verifier{Verification: Verification{Path: path, Format: format, Verified: m != nil,
		Complete: m == nil || m.Complete, Shards: len(files)}, problem: report}
	v.lists(m)
	w := watch{ctx: ctx, progress: progress}
	for _, f := range files {
		w.total += f.rows // 0 (unknown) without a manifest
	}
	switch format {
	case GamesFormat:
		var games dedup.KeySet
		verifyFiles(v, &w, readerOf(path, m, files, gamesCodec), func(g *GameRow) error {
			if !games.Add(g.Game) {
				return fmt.Errorf("game %d: %w", g.Game, ErrDuplicate)
			}
			return nil
		})
	case PositionsFormat:
		verifyFiles(v, &w, readerOf(path, m, files, positionsCodec), nil)
	default:
		r := readerOf[FeatureRow](path, m, files, nil)
		set, err := anyFeatures(r)
		if err != nil {
			v.BadFiles += int64(len(files))
			v.problem(err)
			break
		}
		verifyFiles(v, &w, r, set.CheckRow)
	}
	return &v.Verification, ctx.Err()
}

// lists reports rows that the manifest lacks, and files that it does not list.
func (v *verifier) lists(m *durable.Manifest) {
	if m == nil {
		return
	}
	if !m.Complete {
		v.problem(fmt.Errorf("dataset: %s: %w: %d rows so far", v.Path, ErrIncomplete, m.Rows))
	}
	more, err := unlisted(v.Path, m.Shards)
	if err != nil {
		v.problem(fmt.Errorf("dataset: %w", err))
	}
	for _, name := range more {
		v.BadFiles++
		v.problem(fmt.Errorf("dataset: %s: not in the manifest", filepath.Join(v.Path, name)))
	}
}

func readerOf[R any](path string, m *durable.Manifest, files []dataFile, c *codec[R]) *Reader[R] {
	return &Reader[R]{path: path, manifest: m, files: files, codec: c}
}

// anyFeatures takes the terms from the first file whose schema can be read.
func anyFeatures(r *Reader[FeatureRow]) (set FeatureSet, first error) {
	for i := range r.files {
		f, done, err := r.openFile(i)
		if err == nil {
			r.codec, set, err = featuresOf(f.reader.Schema())
			done()
			if err == nil {
				return set, nil
			}
		}
		if first == nil {
			first = fmt.Errorf("dataset: %s: %w", r.files[i].path, err)
		}
	}
	return set, first
}

type verifier struct {
	Verification
	problem func(error)
}

// verifyFiles reads every row of every file. Check is for rules beyond a single row, or
// nil.
func verifyFiles[R any](v *verifier, w *watch, r *Reader[R], check func(*R) error) {
	for i, f := range r.files {
		if w.ctx.Err() != nil {
			return
		}
		row := int64(-1)
		_, err := r.batches(i, func(rec arrow.Record, fetch func(int, *R) error) bool {
			var value R
			for k := range int(rec.NumRows()) {
				if w.row() != nil {
					return false
				}
				row++
				err := fetchRow(fetch, k, &value)
				if err == nil && check != nil {
					err = check(&value)
				}
				if err != nil {
					v.BadRows++
					v.problem(&rowError{File: f.path, Row: row, Err: err})
				} else {
					v.Rows++
				}
			}
			return true
		})
		if err != nil {
			v.BadFiles++
			v.problem(err)
		}
	}
}

// Check returns an error if the game is not valid: illegal moves, a result that contradicts
// the final position, values out of range.
func (g *GameRow) Check() error {
	game, err := g.checkFields()
	if err != nil {
		return err
	}
	for i, m := range g.Moves {
		if !game.IsLegal(m) {
			return fmt.Errorf("ply %d: %s is not legal in %s", i, moveText(m), game.FEN())
		}
		game.Make(m)
	}
	return g.checkEnd(&game)
}

// CheckPlayed is Check for a row whose moves have just been played, each tested, up to the position end.
func (g *GameRow) CheckPlayed(end *board.Position) error {
	if _, err := g.checkFields(); err != nil {
		return err
	}
	return g.checkEnd(end)
}

// checkFields checks all but the moves, and returns the first position.
func (g *GameRow) checkFields() (board.Position, error) {
	game, err := g.begin()
	if err != nil {
		return game, err
	}
	switch {
	case g.Result < -1 || g.Result > 1:
		return game, fmt.Errorf("result %d is not -1, 0 or 1", g.Result)
	case len(g.Scores) != len(g.Moves):
		return game, fmt.Errorf("%d scores for %d moves", len(g.Scores), len(g.Moves))
	case int(g.OpeningPlies) > len(g.Moves):
		return game, fmt.Errorf("%d opening plies, but %d moves", g.OpeningPlies, len(g.Moves))
	}
	if err := checkTexts(g.Termination, g.White, g.Black); err != nil {
		return game, err
	}
	for i, s := range g.Scores {
		if err := checkScore(s); err != nil {
			return game, fmt.Errorf("ply %d: %w", i, err)
		}
	}
	return game, nil
}

func (g *GameRow) begin() (board.Position, error) {
	if g.Variant != Standard && g.Variant != Chess960 {
		return board.Position{}, fmt.Errorf("variant %.40q is not %q or %q", g.Variant, Standard, Chess960)
	}
	if len(g.Moves) > MaxPlies {
		return board.Position{}, fmt.Errorf("%d moves are more than %d", len(g.Moves), MaxPlies)
	}
	if g.Start == "" {
		return board.StartPosition(), nil
	}
	start, err := board.ParseFEN(g.Start)
	if err != nil {
		return start, fmt.Errorf("start: %w", err)
	}
	if start.Chess960() && g.Variant == Standard {
		return start, fmt.Errorf("start %s has castling rights that the variant %s does not", g.Start, g.Variant)
	}
	return start, nil
}

// checkEnd compares the result with the end of the game, where the board decides it.
func (g *GameRow) checkEnd(end *board.Position) error {
	if end.CountLegal() > 0 {
		return nil
	}
	want := board.Draw
	if end.InCheck() {
		want = board.WinFor(end.SideToMove().Other())
	}
	if board.GameResult(g.Result) != want {
		return fmt.Errorf("result %d, but the game ends %s in %s", g.Result, want, end.FEN())
	}
	return nil
}

func checkTexts(texts ...string) error {
	for _, s := range texts {
		if len(s) > guard.MaxText || !utf8.ValidString(s) {
			return fmt.Errorf("text of %d bytes is too long or not UTF-8: %.40q", len(s), s)
		}
	}
	return nil
}

// moveText formats a move, which may be invalid.
func moveText(m board.Move) string {
	return fmt.Sprintf("move %d (%s%s)", uint16(m), m.From(), m.To())
}

func checkScore(s int16) error {
	if s == NoScore || s >= -MateScore && s <= MateScore {
		return nil
	}
	return fmt.Errorf("score %d is out of range", s)
}

// Check returns an error if a label is out of range or the Board was not made by package
// board.
func (p *PositionRow) Check() error {
	for c := board.White; c <= board.Black; c++ {
		if p.Board.Pieces(c, board.King).Count() != 1 {
			return errors.New("the board is not a position")
		}
	}
	return checkLabels(p.Score, p.Result, p.Weight)
}

// checkLabels refuses NaN too: every comparison with it is false.
func checkLabels(score int16, result, weight float32) error {
	if !(result >= 0 && result <= 1) {
		return fmt.Errorf("result %v is not between 0 and 1", result)
	}
	if !(weight >= 0 && weight <= 1e9) {
		return fmt.Errorf("weight %v is not between 0 and 1e9", weight)
	}
	return checkScore(score)
}
