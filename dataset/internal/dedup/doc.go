// Package dedup finds equal keys among many, in bounded memory: positions that occur
// twice, and games that do.
//
//   - A KeySet holds keys in memory, 12 bytes a key.
//   - A Finder says which keys came before. It has room for Limit keys; the keys
//     beyond that wait in files, and are compared at the end.
//   - A Spill holds keys and the rows that have them in files.
//
// A key is a 64-bit hash. Two different positions have equal keys by chance only: among n
// positions about n*n/2^65 times, once in 4,000 data sets of 100 million.
//
// Start reading at Finder.
package dedup
