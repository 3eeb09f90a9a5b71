// Package durable writes files so that a kill, a full disk or a power cut leaves either the
// old state or the new one, and so that damage is noticed before the data are used.
//
//   - WriteFile and Create replace whole files atomically.
//   - A Manifest lists the shards of a data set with their sizes and SHA-256,
//     and carries a checksum of its own.
//   - A Journal is an append-only file of JSON lines, each with a checksum. An
//     incomplete last line, left by a crash, is dropped when the journal is opened.
//   - A Run is a folder with the output of a long command, its configuration and,
//     once complete, its result. A lock keeps a second process out. Until it has written a
//     row it can be started again with another configuration: see Bound.
//
// It does not know chess, Arrow or the meaning of the files, and it keeps no state that is
// not also on disk. Times appear only in journals and in run.json, never in a manifest:
// equal inputs give equal manifests.
//
// No promise of stability.
//
// Start reading at WriteFile, then Manifest and OpenRun.
package durable
