// Package nim plays nim as Nimrod and the universal computer of Manchester did:
// "Digital Computers Applied to Games", chapter 25 of B. V. Bowden (ed.), Faster Than
// Thought (Pitman, 1953), section Nim. The theory is Moore's (1910).
//
// A position is a list of heaps; a move takes at least one match from at least one and
// at most k heaps. Who takes the last match loses, or wins in the other variant that
// the chapter mentions.
//
// From the chapter: the positions that are safe to leave, the four cases, the normal
// routine with its preference for heaps already altered, the random move where nothing
// is safe to leave, and the limits of eight heaps of thirty-one.
//
// Ours: where the normal routine may alter "any heap" it takes the last, which is what
// both worked examples of the chapter come to; in the variant in which the last match
// wins, the normal routine serves all cases, as Moore proves. The chapter's example
// 0,4,2,1 says that heaps B and D are taken; that leaves two matches in C and loses. It
// means B and C, which its rule gives and so does this package.
//
// It is no chess player: `assay historic nim` shows it.
//
// Start reading at Rules.Move.
package nim
