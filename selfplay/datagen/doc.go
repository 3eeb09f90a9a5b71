// Package datagen makes training data of games that players play: numbered games, each
// from an opening of its own, written in the order of their numbers as a data set of
// assay.games/1.
//
// The data set depends on the configuration and the seed alone: not on the number of
// workers, nor on how often the run was killed and resumed. A resumed run plays the
// games of the open shard again, and no others. Its folder is at once the data set
// (shards, manifest.json) and the run (config.json, events.jsonl, result.json).
//
// It compares no players, which is selfplay/match, and trains nothing.
//
// Start reading at Config and Run.
package datagen
