/* Weights of the model mine (id c6f843c221e0) in centipawns; written by assay weights export.
   S(mg, eg) is a weight in the middlegame and in the endgame. Define S, and SCORE as its
   type, before this file to have them in a form of your own.
   Squares are a1, b1 ... h8, as White sees them. */

#ifndef WEIGHTS_MINE_H
#define WEIGHTS_MINE_H

#ifndef S
typedef struct { short mg, eg; } weights_score;
#define SCORE weights_score
#define S(mg, eg) {mg, eg}
#endif

#define WEIGHTS_ID "c6f843c221e0"
#define WEIGHTS_K 0.005 /* win probability 1 / (1 + exp(-K x)) */


/* material.0 to material.1 */
static const SCORE material[2] = {
	S(82, 94), S(337, 281),
};

/* pst.0.0 to pst.0.1 */
static const SCORE pst_0[2] = {
	S(1, 2), S(3, -4),
};

/* pst.1.0 to pst.1.1 */
static const SCORE pst_1[2] = {
	S(5, 6), S(7, 8),
};

/* scale[2] to scale[3] */
static const short scale[2] = {
	11, 12,
};
static const SCORE double_ = S(-9, -10);
static const short tempo = 12;
static const SCORE double__2 = S(1, 2);

#endif
