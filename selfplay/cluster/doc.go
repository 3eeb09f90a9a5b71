// Package cluster plays jobs on many machines: a selfplay.Runner whose workers are
// reached over NATS, and these workers. What comes out is, to the byte, what a
// selfplay.Local makes, because a job is played the same everywhere; so a job done twice
// does no harm, and an answer that was made up shows.
//
// One unit of work is one selfplay.Job: a game, or the check of an opening. The
// Coordinator publishes it into a work queue of JetStream. A Worker leases it, tells the
// queue every few seconds that it is still at it, plays it, and sends its answer to the
// coordinator, which writes it into a ledger on disk and says so; only then the worker
// acknowledges the unit. A unit whose worker goes silent is leased to another. JetStream
// decides who plays a unit, never what counts: a result counts once, by the ledger.
//
// A worker's results count in batches: one of each, chosen by chance, is sent straight to
// another worker, who plays it again, and has to be the same, bit by bit. Where two differ, the coordinator
// plays the unit itself, and who is wrong gets no more units; what of its work was not
// yet passed is played again by others.
//
// What workers fail at, or sit on for far too long, the coordinator plays itself: a worker
// that is broken or hung holds up nothing.
//
// Weights travel by content: a player's specification names them by their SHA-256, and
// workers fetch them from an object store.
//
// It contains no chess, links no server (see the package broker), and neither reads
// credentials from anywhere nor writes them.
//
// Start reading at Coordinator.Run and Worker.Run; then escrow and ledger.
package cluster
