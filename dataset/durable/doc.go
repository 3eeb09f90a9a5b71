// Package durable is the one home of crash safety: how assay puts things on disk
// so that a kill, a full disk or a power cut leaves either the old state or the
// new one, and so that damage is noticed before it is believed.
//
//   - WriteFile and Create replace whole files atomically.
//   - A Manifest lists the shards of a data set with their sizes and SHA-256,
//     and carries a checksum of its own.
//   - A Journal is an append-only file of JSON lines, each with a checksum; a
//     last line cut short by a crash is dropped when the journal is opened.
//   - A Run is a folder that holds everything a long command wrote, its
//     configuration and, once complete, its result. A lock keeps two processes
//     from sharing one.
//
// It knows nothing of chess, of Arrow or of what the files mean, and it keeps
// nothing in memory that is not also on disk. Times appear only in journals and
// in run.json, never in a manifest: equal inputs give equal manifests.
//
// Start reading at WriteFile, then Manifest and OpenRun.
package durable
