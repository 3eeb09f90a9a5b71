/* A UCI engine that sleeps up to 5 ms a move and hardly takes the processor: the Go runtime of one in Go takes eight
 * times as long as its moves, and hundreds of such engines are more than two cores can run. It knows the moves of the
 * positions that bench writes for it, where kings walk in circles behind blocked pawns until the rule of fifty moves
 * ends the game, and some moves from the start position. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *white[] = {"e1f1", "f1g1", "g1f2", "f2e2", "e2e1"};
static const char *black[] = {"d8e8", "e8f8", "f8g8", "g8f7", "f7e7", "e7d7", "d7d8"};
static const char *start[] = {"g1f3", "g8f6", "f3g1", "f6g8"};

int main(void) {
	static char line[1 << 16];
	int plies = 0, at_start = 0;
	srand48(getpid());
	while (fgets(line, sizeof line, stdin)) {
		if (!strcmp(line, "uci\n")) {
			puts("id name sleeper\nid author test\nuciok");
		} else if (!strncmp(line, "isready", 7)) {
			puts("readyok");
		} else if (!strncmp(line, "position ", 9)) {
			char *moves = strstr(line, " moves ");
			at_start = !strncmp(line + 9, "startpos", 8);
			for (plies = 0, moves = moves ? moves + 6 : NULL; moves; moves = strchr(moves + 1, ' '))
				plies++;
		} else if (!strncmp(line, "go", 2)) {
			struct timespec t = {0, (long)(drand48() * 5e6)};
			const char *move = plies % 2 ? black[plies / 2 % 7] : white[plies / 2 % 5];
			if (at_start)
				move = start[plies % 4];
			nanosleep(&t, NULL);
			printf("info depth 1 score cp 0 nodes 1 time 0 pv %s\nbestmove %s\n", move, move);
		} else if (!strncmp(line, "quit", 4)) {
			return 0;
		}
		fflush(stdout);
	}
	return 0;
}
