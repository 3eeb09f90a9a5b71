// Package records reads and writes binary formats of positions: bulletformat, 32 bytes per position, of the network
// trainer bullet and related programs, and .binpack, in which Stockfish's tools store positions for training networks.
//
// Start reading at ParseBullet and ReadBinpack.
//
// No promise of stability.
package records
