/* Weights of the model shannon-1950 (id 0f928dcdd93a) in centipawns; written by assay weights export.
   Squares are a1, b1 ... h8, as White sees them. */

#ifndef WEIGHTS_SHANNON_1950_H
#define WEIGHTS_SHANNON_1950_H

#define WEIGHTS_ID "0f928dcdd93a"
#define WEIGHTS_K 0.005756462732485115 /* win probability 1 / (1 + exp(-K x)) */

static const short pawn = 100;
static const short knight = 300;
static const short bishop = 300;
static const short rook = 500;
static const short queen = 900;
static const short doubled = -50;
static const short backward = -50;
static const short isolated = -50;
static const short mobility = 10;

#endif
