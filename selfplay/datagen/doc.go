// Package datagen makes training data: numbered games, each from its own opening, written
// in the order of their numbers as a data set of assay.games/1.
//
// The data set depends on the configuration and the seed alone: not on the number of
// workers, nor on how often the run was killed and resumed. A resumed run plays no finished
// game again: those that are in no listed shard are in a journal. With limits of time games depend on the
// machine: the identity says that nothing is promised. Its folder is at once the data set
// (shards, manifest.json) and the run (config.json, events.jsonl, result.json).
//
// It does not compare players (selfplay/match does) and trains nothing.
//
// Start reading at Config and Run.
//
// No promise of stability.
package datagen
