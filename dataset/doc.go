// Package dataset reads and writes games and positions on disk. It has three Arrow
// schemas, writers that resume after a crash, and readers that check everything they read:
//
//   - GameRow (assay.games/1) is the source of truth: one row per game, with every move
//     and every score.
//   - PositionRow (assay.positions/1) is what a tuner trains on.
//   - FeatureRow (assay.features/2) is a position seen through the evaluation of another
//     engine.
//
// A data set is a folder of Arrow IPC files with a manifest.json; FORMAT.md describes it
// for other programs. A Writer appends rows, and resumes after a crash at the last whole
// shard. A Reader compares the size and checksum of each shard before decoding it, then
// checks every row. A file without a manifest can be read too; it is reported as not
// verified.
//
// Scores (in centipawns) and results are from White's view. A search scores from the view
// of the side to move: the code that stores such a score converts it.
//
// This package plays nothing and evaluates nothing. Package positions makes data sets of
// positions, arrange merges, splits, shuffles and compares data sets, convert and the
// packages of the formats (epd, pgn, table and others) import and export, and features
// makes data sets of features with other engines.
//
// Start reading at GameRow and NewGameWriter.
package dataset
