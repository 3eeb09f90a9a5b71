// Package dataset holds what games and positions look like on disk: three Arrow
// schemas, shards with a manifest, readers that believe nothing they have not
// checked, and what is computed from them row by row.
//
//   - GameRow (assay.games/1) is the source of truth: one row a game, every move
//     and every score.
//   - PositionRow (assay.positions/1) is what a tuner trains on.
//   - FeatureRow (assay.features/1) is a position seen through somebody else's
//     evaluation.
//
// A data set is a folder of Arrow IPC files with a manifest.json; FORMAT.md
// describes it for other programs. A Writer appends rows and can go on after a
// crash at the last whole shard; a Reader compares size and checksum of each shard
// before decoding it, then checks what each row means. A file without a manifest
// can be read too, and is reported as not verified.
//
// Extract makes positions of games. Merge, Split and Shuffle arrange the rows of any data
// set anew, Summarize and Verify look at it.
//
// Everything in a file is from White's view, in centipawns; what comes from a
// search is from the side to move's, and is turned round by whoever writes it.
// The package plays and evaluates nothing: what needs a search is in
// dataset/relabel, other formats are in dataset/epd and dataset/pgn.
//
// Start reading at GameRow and NewGameWriter.
package dataset
