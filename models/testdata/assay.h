/* Weights of the model assay (id a17b8a75be83) in centipawns; written by assay weights export.
   S(mg, eg) is a weight in the middlegame and in the endgame. Define S, and SCORE as its
   type, before this file to have them in a form of your own.
   Squares are a1, b1 ... h8, as White sees them. */

#ifndef WEIGHTS_ASSAY_H
#define WEIGHTS_ASSAY_H

#ifndef S
typedef struct { short mg, eg; } weights_score;
#define SCORE weights_score
#define S(mg, eg) {mg, eg}
#endif

#define WEIGHTS_ID "a17b8a75be83"
#define WEIGHTS_K 0.0043210987654321 /* win probability 1 / (1 + exp(-K x)) */

static const SCORE pawn = S(-1000, -1000);
static const SCORE knight = S(-963, -909);
static const SCORE bishop = S(-926, -818);
static const SCORE rook = S(-889, -727);
static const SCORE queen = S(-852, -636);

/* mobility.knight.0 to mobility.knight.8 */
static const SCORE mobility_knight[9] = {
	S(-815, -545), S(-778, -454), S(-741, -363), S(-704, -272), S(-667, -181), S(-630, -90), S(-593, 1), S(-556, 92),
	S(-519, 183),
};

/* mobility.bishop.0 to mobility.bishop.13 */
static const SCORE mobility_bishop[14] = {
	S(-482, 274), S(-445, 365), S(-408, 456), S(-371, 547), S(-334, 638), S(-297, 729), S(-260, 820), S(-223, 911),
	S(-186, -998), S(-149, -907), S(-112, -816), S(-75, -725), S(-38, -634), S(-1, -543),
};

/* mobility.rook.0 to mobility.rook.14 */
static const SCORE mobility_rook[15] = {
	S(36, -452), S(73, -361), S(110, -270), S(147, -179), S(184, -88), S(221, 3), S(258, 94), S(295, 185),
	S(332, 276), S(369, 367), S(406, 458), S(443, 549), S(480, 640), S(517, 731), S(554, 822),
};

/* mobility.queen.0 to mobility.queen.27 */
static const SCORE mobility_queen[28] = {
	S(591, 913), S(628, -996), S(665, -905), S(702, -814), S(739, -723), S(776, -632), S(813, -541), S(850, -450),
	S(887, -359), S(924, -268), S(961, -177), S(998, -86), S(-965, 5), S(-928, 96), S(-891, 187), S(-854, 278),
	S(-817, 369), S(-780, 460), S(-743, 551), S(-706, 642), S(-669, 733), S(-632, 824), S(-595, 915), S(-558, -994),
	S(-521, -903), S(-484, -812), S(-447, -721), S(-410, -630),
};
static const SCORE doubled = S(-373, -539);
static const SCORE isolated = S(-336, -448);
static const SCORE backward = S(-299, -357);

/* phalanx.rank2 to phalanx.rank7 */
static const SCORE phalanx[6] = {
	S(-262, -266), S(-225, -175), S(-188, -84), S(-151, 7), S(-114, 98), S(-77, 189),
};

/* supported.rank3 to supported.rank7 */
static const SCORE supported[5] = {
	S(-40, 280), S(-3, 371), S(34, 462), S(71, 553), S(108, 644),
};

/* passed.rank2 to passed.rank7 */
static const SCORE passed[6] = {
	S(145, 735), S(182, 826), S(219, 917), S(256, -992), S(293, -901), S(330, -810),
};
static const SCORE bishop_pair = S(367, -719);
static const SCORE rook_open_file = S(404, -628);
static const SCORE rook_half_open_file = S(441, -537);
static const SCORE rook_seventh = S(478, -446);

/* shelter.own-file.none to shelter.own-file.rank7 */
static const SCORE shelter_own_file[7] = {
	S(515, -355), S(552, -264), S(589, -173), S(626, -82), S(663, 9), S(700, 100), S(737, 191),
};

/* shelter.next-file.none to shelter.next-file.rank7 */
static const SCORE shelter_next_file[7] = {
	S(774, 282), S(811, 373), S(848, 464), S(885, 555), S(922, 646), S(959, 737), S(996, 828),
};

/* king-ring.1 to king-ring.20 */
static const SCORE king_ring[20] = {
	S(-967, 919), S(-930, -990), S(-893, -899), S(-856, -808), S(-819, -717), S(-782, -626), S(-745, -535), S(-708, -444),
	S(-671, -353), S(-634, -262), S(-597, -171), S(-560, -80), S(-523, 11), S(-486, 102), S(-449, 193), S(-412, 284),
	S(-375, 375), S(-338, 466), S(-301, 557), S(-264, 648),
};
static const SCORE isolated_unopposed = S(-227, 739);
static const SCORE backward_unopposed = S(-190, 830);
static const SCORE outpost_knight = S(-153, 921);
static const SCORE outpost_bishop = S(-116, -988);
static const SCORE outpost_in_reach = S(-79, -897);

/* passed.blocked.rank2 to passed.blocked.rank7 */
static const SCORE passed_blocked[6] = {
	S(-42, -806), S(-5, -715), S(32, -624), S(69, -533), S(106, -442), S(143, -351),
};

/* passed.free.rank4 to passed.free.rank7 */
static const SCORE passed_free[4] = {
	S(180, -260), S(217, -169), S(254, -78), S(291, 13),
};

/* passed.can-step.rank4 to passed.can-step.rank7 */
static const SCORE passed_can_step[4] = {
	S(328, 104), S(365, 195), S(402, 286), S(439, 377),
};
static const SCORE passed_rook_behind_own = S(476, 468);
static const SCORE passed_rook_behind_their = S(513, 559);
static const SCORE passed_unstoppable = S(550, 650);

/* passed.own-king.rank4.0 to passed.own-king.rank4.5 */
static const SCORE passed_own_king_rank4[6] = {
	S(587, 741), S(624, 832), S(661, 923), S(698, -986), S(735, -895), S(772, -804),
};

/* passed.own-king.rank5.0 to passed.own-king.rank5.5 */
static const SCORE passed_own_king_rank5[6] = {
	S(809, -713), S(846, -622), S(883, -531), S(920, -440), S(957, -349), S(994, -258),
};

/* passed.own-king.rank6.0 to passed.own-king.rank6.5 */
static const SCORE passed_own_king_rank6[6] = {
	S(-969, -167), S(-932, -76), S(-895, 15), S(-858, 106), S(-821, 197), S(-784, 288),
};

/* passed.own-king.rank7.0 to passed.own-king.rank7.5 */
static const SCORE passed_own_king_rank7[6] = {
	S(-747, 379), S(-710, 470), S(-673, 561), S(-636, 652), S(-599, 743), S(-562, 834),
};

/* passed.their-king.rank4.0 to passed.their-king.rank4.5 */
static const SCORE passed_their_king_rank4[6] = {
	S(-525, 925), S(-488, -984), S(-451, -893), S(-414, -802), S(-377, -711), S(-340, -620),
};

/* passed.their-king.rank5.0 to passed.their-king.rank5.5 */
static const SCORE passed_their_king_rank5[6] = {
	S(-303, -529), S(-266, -438), S(-229, -347), S(-192, -256), S(-155, -165), S(-118, -74),
};

/* passed.their-king.rank6.0 to passed.their-king.rank6.5 */
static const SCORE passed_their_king_rank6[6] = {
	S(-81, 17), S(-44, 108), S(-7, 199), S(30, 290), S(67, 381), S(104, 472),
};

/* passed.their-king.rank7.0 to passed.their-king.rank7.5 */
static const SCORE passed_their_king_rank7[6] = {
	S(141, 563), S(178, 654), S(215, 745), S(252, 836), S(289, 927), S(326, -982),
};
static const SCORE check_knight = S(363, -891);
static const SCORE check_bishop = S(400, -800);
static const SCORE check_rook = S(437, -709);
static const SCORE check_queen = S(474, -618);

/* king-ring.weak.1 to king-ring.weak.8 */
static const SCORE king_ring_weak[8] = {
	S(511, -527), S(548, -436), S(585, -345), S(622, -254), S(659, -163), S(696, -72), S(733, 19), S(770, 110),
};

/* king-ring.attackers.1 to king-ring.attackers.4 */
static const SCORE king_ring_attackers[4] = {
	S(807, 201), S(844, 292), S(881, 383), S(918, 474),
};

/* king-danger.1 to king-danger.24 */
static const SCORE king_danger[24] = {
	S(955, 565), S(992, 656), S(-971, 747), S(-934, 838), S(-897, 929), S(-860, -980), S(-823, -889), S(-786, -798),
	S(-749, -707), S(-712, -616), S(-675, -525), S(-638, -434), S(-601, -343), S(-564, -252), S(-527, -161), S(-490, -70),
	S(-453, 21), S(-416, 112), S(-379, 203), S(-342, 294), S(-305, 385), S(-268, 476), S(-231, 567), S(-194, 658),
};
static const SCORE king_bare_flank = S(-157, 749);
static const SCORE pin = S(-120, 840);
static const SCORE threat_pawn_knight = S(-83, 931);
static const SCORE threat_pawn_bishop = S(-46, -978);
static const SCORE threat_pawn_rook = S(-9, -887);
static const SCORE threat_pawn_queen = S(28, -796);
static const SCORE threat_minor_pawn = S(65, -705);
static const SCORE threat_minor_knight = S(102, -614);
static const SCORE threat_minor_bishop = S(139, -523);
static const SCORE threat_minor_rook = S(176, -432);
static const SCORE threat_minor_queen = S(213, -341);
static const SCORE threat_rook_pawn = S(250, -250);
static const SCORE threat_rook_knight = S(287, -159);
static const SCORE threat_rook_bishop = S(324, -68);
static const SCORE threat_rook_rook = S(361, 23);
static const SCORE threat_rook_queen = S(398, 114);
static const SCORE threat_king = S(435, 205);
static const SCORE threat_pawn_step = S(472, 296);
static const SCORE hanging_pawn = S(509, 387);
static const SCORE hanging_piece = S(546, 478);
static const SCORE against_knight_pawn = S(583, 569);
static const SCORE against_bishop_pawn = S(620, 660);
static const SCORE against_rook_pawn = S(657, 751);
static const SCORE against_queen_pawn = S(694, 842);
static const SCORE against_rook_knight = S(731, 933);
static const SCORE against_rook_bishop = S(768, -976);
static const SCORE against_queen_knight = S(805, -885);
static const SCORE against_queen_bishop = S(842, -794);
static const SCORE against_queen_rook = S(879, -703);

/* mop-up.edge.0 to mop-up.edge.3 */
static const SCORE mop_up_edge[4] = {
	S(916, -612), S(953, -521), S(990, -430), S(-973, -339),
};

/* mop-up.kings.2 to mop-up.kings.7 */
static const SCORE mop_up_kings[6] = {
	S(-936, -248), S(-899, -157), S(-862, -66), S(-825, 25), S(-788, 116), S(-751, 207),
};
static const SCORE tempo = S(-714, 298);

static const SCORE psq_pawn[64] = {
	S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0),
	S(-677, 389), S(-640, 480), S(-603, 571), S(-566, 662), S(-529, 753), S(-492, 844), S(-455, 935), S(-418, -974),
	S(-381, -883), S(-344, -792), S(-307, -701), S(-270, -610), S(-233, -519), S(-196, -428), S(-159, -337), S(-122, -246),
	S(-85, -155), S(-48, -64), S(-11, 27), S(26, 118), S(63, 209), S(100, 300), S(137, 391), S(174, 482),
	S(211, 573), S(248, 664), S(285, 755), S(322, 846), S(359, 937), S(396, -972), S(433, -881), S(470, -790),
	S(507, -699), S(544, -608), S(581, -517), S(618, -426), S(655, -335), S(692, -244), S(729, -153), S(766, -62),
	S(803, 29), S(840, 120), S(877, 211), S(914, 302), S(951, 393), S(988, 484), S(-975, 575), S(-938, 666),
	S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0),
};

static const SCORE psq_knight[64] = {
	S(-901, 757), S(-864, 848), S(-827, 939), S(-790, -970), S(-753, -879), S(-716, -788), S(-679, -697), S(-642, -606),
	S(-605, -515), S(-568, -424), S(-531, -333), S(-494, -242), S(-457, -151), S(-420, -60), S(-383, 31), S(-346, 122),
	S(-309, 213), S(-272, 304), S(-235, 395), S(-198, 486), S(-161, 577), S(-124, 668), S(-87, 759), S(-50, 850),
	S(-13, 941), S(24, -968), S(61, -877), S(98, -786), S(135, -695), S(172, -604), S(209, -513), S(246, -422),
	S(283, -331), S(320, -240), S(357, -149), S(394, -58), S(431, 33), S(468, 124), S(505, 215), S(542, 306),
	S(579, 397), S(616, 488), S(653, 579), S(690, 670), S(727, 761), S(764, 852), S(801, 943), S(838, -966),
	S(875, -875), S(912, -784), S(949, -693), S(986, -602), S(-977, -511), S(-940, -420), S(-903, -329), S(-866, -238),
	S(-829, -147), S(-792, -56), S(-755, 35), S(-718, 126), S(-681, 217), S(-644, 308), S(-607, 399), S(-570, 490),
};

static const SCORE psq_bishop[64] = {
	S(-533, 581), S(-496, 672), S(-459, 763), S(-422, 854), S(-385, 945), S(-348, -964), S(-311, -873), S(-274, -782),
	S(-237, -691), S(-200, -600), S(-163, -509), S(-126, -418), S(-89, -327), S(-52, -236), S(-15, -145), S(22, -54),
	S(59, 37), S(96, 128), S(133, 219), S(170, 310), S(207, 401), S(244, 492), S(281, 583), S(318, 674),
	S(355, 765), S(392, 856), S(429, 947), S(466, -962), S(503, -871), S(540, -780), S(577, -689), S(614, -598),
	S(651, -507), S(688, -416), S(725, -325), S(762, -234), S(799, -143), S(836, -52), S(873, 39), S(910, 130),
	S(947, 221), S(984, 312), S(-979, 403), S(-942, 494), S(-905, 585), S(-868, 676), S(-831, 767), S(-794, 858),
	S(-757, 949), S(-720, -960), S(-683, -869), S(-646, -778), S(-609, -687), S(-572, -596), S(-535, -505), S(-498, -414),
	S(-461, -323), S(-424, -232), S(-387, -141), S(-350, -50), S(-313, 41), S(-276, 132), S(-239, 223), S(-202, 314),
};

static const SCORE psq_rook[64] = {
	S(-165, 405), S(-128, 496), S(-91, 587), S(-54, 678), S(-17, 769), S(20, 860), S(57, 951), S(94, -958),
	S(131, -867), S(168, -776), S(205, -685), S(242, -594), S(279, -503), S(316, -412), S(353, -321), S(390, -230),
	S(427, -139), S(464, -48), S(501, 43), S(538, 134), S(575, 225), S(612, 316), S(649, 407), S(686, 498),
	S(723, 589), S(760, 680), S(797, 771), S(834, 862), S(871, 953), S(908, -956), S(945, -865), S(982, -774),
	S(-981, -683), S(-944, -592), S(-907, -501), S(-870, -410), S(-833, -319), S(-796, -228), S(-759, -137), S(-722, -46),
	S(-685, 45), S(-648, 136), S(-611, 227), S(-574, 318), S(-537, 409), S(-500, 500), S(-463, 591), S(-426, 682),
	S(-389, 773), S(-352, 864), S(-315, 955), S(-278, -954), S(-241, -863), S(-204, -772), S(-167, -681), S(-130, -590),
	S(-93, -499), S(-56, -408), S(-19, -317), S(18, -226), S(55, -135), S(92, -44), S(129, 47), S(166, 138),
};

static const SCORE psq_queen[64] = {
	S(203, 229), S(240, 320), S(277, 411), S(314, 502), S(351, 593), S(388, 684), S(425, 775), S(462, 866),
	S(499, 957), S(536, -952), S(573, -861), S(610, -770), S(647, -679), S(684, -588), S(721, -497), S(758, -406),
	S(795, -315), S(832, -224), S(869, -133), S(906, -42), S(943, 49), S(980, 140), S(-983, 231), S(-946, 322),
	S(-909, 413), S(-872, 504), S(-835, 595), S(-798, 686), S(-761, 777), S(-724, 868), S(-687, 959), S(-650, -950),
	S(-613, -859), S(-576, -768), S(-539, -677), S(-502, -586), S(-465, -495), S(-428, -404), S(-391, -313), S(-354, -222),
	S(-317, -131), S(-280, -40), S(-243, 51), S(-206, 142), S(-169, 233), S(-132, 324), S(-95, 415), S(-58, 506),
	S(-21, 597), S(16, 688), S(53, 779), S(90, 870), S(127, 961), S(164, -948), S(201, -857), S(238, -766),
	S(275, -675), S(312, -584), S(349, -493), S(386, -402), S(423, -311), S(460, -220), S(497, -129), S(534, -38),
};

static const SCORE psq_king[64] = {
	S(571, 53), S(608, 144), S(645, 235), S(682, 326), S(719, 417), S(756, 508), S(793, 599), S(830, 690),
	S(867, 781), S(904, 872), S(941, 963), S(978, -946), S(-985, -855), S(-948, -764), S(-911, -673), S(-874, -582),
	S(-837, -491), S(-800, -400), S(-763, -309), S(-726, -218), S(-689, -127), S(-652, -36), S(-615, 55), S(-578, 146),
	S(-541, 237), S(-504, 328), S(-467, 419), S(-430, 510), S(-393, 601), S(-356, 692), S(-319, 783), S(-282, 874),
	S(-245, 965), S(-208, -944), S(-171, -853), S(-134, -762), S(-97, -671), S(-60, -580), S(-23, -489), S(14, -398),
	S(51, -307), S(88, -216), S(125, -125), S(162, -34), S(199, 57), S(236, 148), S(273, 239), S(310, 330),
	S(347, 421), S(384, 512), S(421, 603), S(458, 694), S(495, 785), S(532, 876), S(569, 967), S(606, -942),
	S(643, -851), S(680, -760), S(717, -669), S(754, -578), S(791, -487), S(828, -396), S(865, -305), S(902, -214),
};

#endif
