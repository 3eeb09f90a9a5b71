/* Answers of Fathom, for syzygy_test.go: a line "white black kings queens rooks bishops knights pawns ep turn" in,
   "wdl dtz" out: wdl 0 (loss) to 4 (win), dtz without a sign; -1 -1 if a probe failed. */
#include <inttypes.h>
#include <stdio.h>
#include <tbprobe.h>

int main(int argc, char **argv)
{
	uint64_t b[8];
	unsigned ep, turn;

	if (argc != 2 || !tb_init(argv[1]) || TB_LARGEST == 0)
		return 1;
	while (scanf("%" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %u %u",
		     b, b + 1, b + 2, b + 3, b + 4, b + 5, b + 6, b + 7, &ep, &turn) == 10) {
		unsigned wdl = tb_probe_wdl(b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], 0, 0, ep, turn);
		unsigned root = tb_probe_root(b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], 0, 0, ep, turn, NULL);
		printf("%d %d\n", wdl == TB_RESULT_FAILED ? -1 : (int)wdl,
		       root == TB_RESULT_FAILED ? -1 : (int)TB_GET_DTZ(root));
	}
	return 0;
}
