// Package nim plays nim as Nimrod and the universal computer of Manchester did in 1951:
// "Digital Computers Applied to Games", chapter 25 of B. V. Bowden (ed.), Faster Than Thought
// (Pitman, 1953), section Nim. The theory is Moore's (1910). It does not play chess; use it by
// "assay historic nim".
//
// A position is a list of heaps. A move takes at least one match from each of 1 to k heaps.
// The player that takes the last match loses, or wins in the other variant that the chapter
// mentions.
//
// From the chapter: the positions that are safe to leave, the four cases, the normal routine
// with its preference for heaps already changed, the random move if no move leaves a safe
// position, and the limits of eight heaps of thirty-one.
//
// Our choices: where the normal routine may change "any heap", it takes the last one, which
// agrees with both worked examples of the chapter. In the variant in which the last match
// wins, the normal routine serves all cases, as Moore proves. The chapter's example 0,4,2,1
// says that heaps B and D are taken; that leaves two matches in C and loses. It must mean B
// and C, which its rule gives and so does this package.
//
// No promise of stability. Start reading at Rules.Move.
package nim
