package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"

	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/assay-chess/assay/dataset/durable"
)

// fitsFormat is of archives of fits: one file, not a data set.
const fitsFormat = "assay.fits/1"

// What a FitRow says of its start weights and of its games.
const (
	TunedStart   = "tuned"   // a fit, or an author's work over years, made the start weights
	GuessedStart = "guessed" // nobody fitted them
	OwnGames     = "own"     // the engine played the games that it was fitted to
	ForeignGames = "foreign"
)

// ErrPedigree says that a row does not tell where a fit comes from.
var ErrPedigree = errors.New("the fit has no pedigree")

// FitRow is a fit, what was known of it before any game, and what its weights scored against those it started from.
type FitRow struct {
	Engine      string // engines of one code have one name
	Fit, Parent string // ids of the weights; Parent is empty if they stand in the engine's source
	Start       string // TunedStart or GuessedStart
	Games       string // OwnGames or ForeignGames
	Data        string // ids of the data sets, separated by blanks
	DataGames   uint32 // in the data, and so on
	DataRows    uint32
	Noisy       uint8  // 1: the rows are not fit for tuning
	Settings    string // of the fit
	Program     string // that fitted, with its version

	Verdict string // as tuner.Verdict.Answer; empty if no games were held out
	Basis   string // what the verdict rests on
	// What a tuner.Verdict has of the same names; NoEval where it is not known. Change is in centipawns.
	Gain, GainSE, LossStart, LossConstant, NetGain, GroupLoss, Change float32

	Nodes       uint32   // limit of a move; 0 for a match by the clock
	Clock       string   // as the PGN tag TimeControl has it; empty for a match at equal nodes
	Pentanomial []uint32 // pairs by the score of the new weights: 0, 1/4, 1/2, 3/4, 1
	A, B        string   // the players, by content: new and old
	Match       string   // checksum of the match's result, by which it counts once
}

var fitsCodec = newCodec(layout{fitsFormat, "fits", 4096, 1 << 20}, []field[FitRow]{
	text("engine", false, func(f *FitRow) *string { return &f.Engine }),
	text("fit", false, func(f *FitRow) *string { return &f.Fit }),
	text("parent", true, func(f *FitRow) *string { return &f.Parent }),
	text("start", false, func(f *FitRow) *string { return &f.Start }),
	text("games", false, func(f *FitRow) *string { return &f.Games }),
	text("data", false, func(f *FitRow) *string { return &f.Data }),
	plain("data_games", func(f *FitRow) *uint32 { return &f.DataGames }),
	plain("data_rows", func(f *FitRow) *uint32 { return &f.DataRows }),
	plain("noisy", func(f *FitRow) *uint8 { return &f.Noisy }),
	text("settings", false, func(f *FitRow) *string { return &f.Settings }),
	text("program", false, func(f *FitRow) *string { return &f.Program }),
	text("verdict", true, func(f *FitRow) *string { return &f.Verdict }),
	text("basis", true, func(f *FitRow) *string { return &f.Basis }),
	optional("gain", NoEval, func(f *FitRow) *float32 { return &f.Gain }),
	optional("gain_se", NoEval, func(f *FitRow) *float32 { return &f.GainSE }),
	optional("loss_start", NoEval, func(f *FitRow) *float32 { return &f.LossStart }),
	optional("loss_constant", NoEval, func(f *FitRow) *float32 { return &f.LossConstant }),
	optional("net_gain", NoEval, func(f *FitRow) *float32 { return &f.NetGain }),
	optional("group_loss", NoEval, func(f *FitRow) *float32 { return &f.GroupLoss }),
	optional("change", NoEval, func(f *FitRow) *float32 { return &f.Change }),
	plain("nodes", func(f *FitRow) *uint32 { return &f.Nodes }),
	text("clock", true, func(f *FitRow) *string { return &f.Clock }),
	copied("pentanomial", nil, func(f *FitRow) *[]uint32 { return &f.Pentanomial }),
	text("a", false, func(f *FitRow) *string { return &f.A }),
	text("b", false, func(f *FitRow) *string { return &f.B }),
	text("match", false, func(f *FitRow) *string { return &f.Match }),
}, (*FitRow).Check)

// Check reports why a row is not valid. The error is ErrPedigree (wrapped) if it does not say where the fit is from.
func (f *FitRow) Check() error {
	for _, v := range []struct{ name, value string }{{"engine", f.Engine}, {"fit", f.Fit}, {"data", f.Data},
		{"settings", f.Settings}, {"program", f.Program}} {
		if v.value == "" {
			return fmt.Errorf("%w: its %s is missing", ErrPedigree, v.name)
		}
	}
	switch {
	case f.Start != TunedStart && f.Start != GuessedStart:
		return fmt.Errorf("%w: start is %.20q, not %s or %s", ErrPedigree, f.Start, TunedStart, GuessedStart)
	case f.Games != OwnGames && f.Games != ForeignGames:
		return fmt.Errorf("%w: games is %.20q, not %s or %s", ErrPedigree, f.Games, OwnGames, ForeignGames)
	case f.A == "" || f.B == "" || f.Match == "":
		return errors.New("a, b or match is missing: no match belongs to the fit")
	case (f.Nodes == 0) == (f.Clock == ""):
		return fmt.Errorf("nodes %d and clock %.20q: a match is at equal nodes or by the clock", f.Nodes, f.Clock)
	case len(f.Pentanomial) != 5:
		return fmt.Errorf("%d counts of pairs, want 5", len(f.Pentanomial))
	}
	pairs := uint64(0)
	for _, n := range f.Pentanomial {
		pairs += uint64(n)
	}
	if pairs == 0 {
		return errors.New("a match without games")
	}
	for _, v := range []float32{f.Gain, f.GainSE, f.LossStart, f.LossConstant, f.NetGain, f.GroupLoss, f.Change} {
		if v != NoEval && !(math.Abs(float64(v)) < 1e6) {
			return fmt.Errorf("a measure of the fit is %v", v)
		}
	}
	return nil
}

// WriteFits writes an archive of fits in place of the file at path, if there is one.
func WriteFits(path string, rows []FitRow) error {
	w := &Writer[FitRow]{dir: path, codec: fitsCodec, layout: fitsCodec.layout, manifest: &durable.Manifest{},
		builder: array.NewRecordBuilder(memory.NewGoAllocator(), fitsCodec.schema)}
	defer w.builder.Release()
	w.add = w.codec.appender(w.builder)
	if len(rows) >= w.layout.shardRows {
		return fmt.Errorf("dataset: %s: %d rows are too many for an archive", path, len(rows))
	}
	for i := range rows {
		if err := w.Append(&rows[i]); err != nil {
			return err
		}
	}
	if err := w.flush(); err != nil {
		return err
	}
	if err := w.arrow.Close(); err != nil {
		return fmt.Errorf("dataset: %s: %w", path, err)
	}
	return durable.WriteFile(path, w.out.data)
}

// ReadFits reads an archive of fits.
func ReadFits(path string) ([]FitRow, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	return ParseFits(path, data)
}

// ParseFits reads an archive of fits from memory; name is for errors.
func ParseFits(name string, data []byte) (rows []FitRow, err error) {
	f, err := openArrow(bytes.NewReader(data), int64(len(data)), memory.NewGoAllocator())
	if err != nil {
		return nil, fmt.Errorf("dataset: %s: %w", name, err)
	}
	defer f.close()
	if err := checkSchema(f.reader.Schema(), fitsCodec.schema); err != nil {
		return nil, fmt.Errorf("dataset: %s: %w", name, err)
	}
	for k := range f.blocks {
		rec, fetch, err := bindBatch(f, k, fitsCodec)
		if err != nil {
			return nil, fmt.Errorf("dataset: %s: %w", name, err)
		}
		for i := range int(rec.NumRows()) {
			var r FitRow
			if err := fetchRow(fetch, i, &r); err != nil {
				rec.Release()
				return nil, &RowError{File: name, Row: int64(len(rows)), Err: err}
			}
			rows = append(rows, r)
		}
		rec.Release()
	}
	return rows, nil
}
