/* Makes the numbers of an evaluation settable from outside, for assay. It stands in a private copy of the engine only.
   The author's file includes it and has four functions:
     void assay_start(void)                what main does first
     void assay_position(const char *fen)  sets the board
     int  assay_value(void)                what the evaluation says of it, from White's view, in its finest unit
     void assay_refresh(void)              remakes what depends on the numbers; clears caches
   #define ASSAY_BOARD board before the #include keeps a copy of the variable board for each position: FENs are parsed
   once. What it holds of the numbers, such as sums of piece-square tables, is then for assay_value to make again. */
#ifndef ASSAY_H
#define ASSAY_H
#pragma GCC diagnostic ignored "-Wnarrowing"
#ifdef __cplusplus
extern "C" {
#endif
extern int assay_n[];
extern double assay_f[];
void assay_add(void (*make)(void), int order);
#ifdef __cplusplus
}
template <class T> inline void assay_copy(T &to, const T &from) { to = from; }
template <class T, decltype(sizeof 0) N> inline void assay_copy(T (&to)[N], const T (&from)[N]) {
    for (decltype(sizeof 0) i = 0; i < N; i++)
        assay_copy(to[i], from[i]);
}
#else
#define assay_copy(to, from) __builtin_memcpy(&(to), &(from), sizeof(to))
#endif
#define ASSAY_MAKE(id, name) static void assay_make_##id(void) { __typeof__(name) assay_t
#define ASSAY_MADE(id, order, name) assay_copy(name, assay_t); } \
    __attribute__((constructor(200))) static void assay_add_##id(void) { assay_add(assay_make_##id, order); }
void assay_start(void);
void assay_position(const char *fen);
int assay_value(void);
void assay_refresh(void);
#endif

#if defined ASSAY_MAIN && !defined ASSAY_MAIN_DONE
#define ASSAY_MAIN_DONE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "assay_numbers.h"
#ifndef __cplusplus
extern int dup(int), dup2(int, int); /* -std=c99 hides them */
extern FILE *fdopen(int, const char *);
#endif

static void assay_fail(const char *what, const char *of) {
    fprintf(stderr, "assay: %s: %s\n", what, of);
    exit(2);
}

static void *assay_grow(void *p, size_t size) {
    if (!(p = realloc(p, size)))
        assay_fail("no memory", "for positions");
    return p;
}

static void assay_set(int k, double v) {
    assay_f[k] = v;
    assay_n[k] = (int)v;
}

static struct assay_table {
    void (*make)(void);
    int order;
} *assay_tables;
static int assay_table_count, assay_position_count, assay_changed;
static char **assay_positions; /* FENs, or boards */

void assay_add(void (*make)(void), int order) {
    int n = assay_table_count++;
    if (!(n & (n + 1)))
        assay_tables = (struct assay_table *)assay_grow(assay_tables, (2 * n + 2) * sizeof *assay_tables);
    assay_tables[n].make = make;
    assay_tables[n].order = order;
}

/* Before dynamic initialization, and before the tables. */
__attribute__((constructor(101))) static void assay_load(void) {
    char name[1000];
    double v;
    int k = 0, tried;
    const char *path = getenv("ASSAY_NUMBERS");
    FILE *f;
    if (!path || !*path)
        return;
    if (!(f = fopen(path, "r")))
        assay_fail("cannot read ASSAY_NUMBERS", path);
    while (fscanf(f, "%999s", name) == 1) {
        if (fscanf(f, "%lf", &v) != 1)
            assay_fail("no value in ASSAY_NUMBERS", name);
        for (tried = 0; tried < ASSAY_COUNT && strcmp(name, assay_names[k]); tried++)
            k = (k + 1) % ASSAY_COUNT;
        if (tried == ASSAY_COUNT)
            assay_fail("no number has this name in ASSAY_NUMBERS", name);
        assay_set(k, v);
    }
    fclose(f);
}

static void assay_make(void) {
    int i;
    for (i = 0; i < assay_table_count; i++)
        assay_tables[i].make();
}

static int assay_compare(const void *a, const void *b) {
    return ((const struct assay_table *)a)->order - ((const struct assay_table *)b)->order;
}

/* All files have added their tables. */
__attribute__((constructor(201))) static void assay_make_first(void) {
    qsort(assay_tables, assay_table_count, sizeof *assay_tables, assay_compare);
    assay_make();
}

#ifdef ASSAY_BOARD
#define ASSAY_COPY(to, from) memcpy(to, from, sizeof ASSAY_BOARD)
#define ASSAY_KEEP(fen) (assay_position(fen), ASSAY_COPY(assay_grow(0, sizeof ASSAY_BOARD), (void *)&ASSAY_BOARD))
#define ASSAY_SHOW(kept) ASSAY_COPY((void *)&ASSAY_BOARD, kept)
#else
#define ASSAY_KEEP(fen) strcpy((char *)assay_grow(0, strlen(fen) + 1), fen)
#define ASSAY_SHOW(kept) assay_position(kept)
#endif

static void assay_append(const char *fen) {
    int n = assay_position_count++;
    if (!(n & (n + 1)))
        assay_positions = (char **)assay_grow(assay_positions, (2 * n + 2) * sizeof *assay_positions);
    assay_positions[n] = (char *)ASSAY_KEEP(fen);
}

static const char *assay_command(char *line, FILE *out) {
    char *end;
    double v;
    int i, from, to;
    if (!strncmp(line, "position ", 9)) {
        assay_append(line + 9);
    } else if (!strncmp(line, "set ", 4)) {
        for (line += 4; *line; line = end) {
            i = (int)strtol(line, &end, 10);
            v = strtod(line = end, &end);
            if (end == line || i < 0 || i >= ASSAY_COUNT)
                return "set wants indexes and values";
            assay_set(i, v);
        }
        assay_changed = 1;
    } else if (!strncmp(line, "values ", 7)) {
        if (assay_changed)
            assay_make(), assay_refresh();
        for (assay_changed = 0, line += 7; *line; line = end) {
            from = (int)strtol(line, &end, 10);
            to = (int)strtol(line = end, &end, 10);
            if (end == line || from < 0 || to > assay_position_count)
                return "values wants ranges of positions";
            for (; from < to; from++) {
                ASSAY_SHOW(assay_positions[from]);
                fprintf(out, "%d\n", assay_value());
            }
        }
        fflush(out);
    } else if (!strcmp(line, "numbers")) {
        for (i = 0; i < ASSAY_COUNT; i++)
            fprintf(out, "%s %.15g\n", assay_names[i], assay_f[i]);
        fprintf(out, ".\n");
        fflush(out);
    } else if (!strcmp(line, "clear")) {
        while (assay_position_count > 0)
            free(assay_positions[--assay_position_count]);
    } else {
        return "no command of assay";
    }
    return 0;
}

/* The engine's own output goes to stderr, and it reads nothing. */
static int assay_measure(void) {
    FILE *in = fdopen(dup(0), "r"), *out = fdopen(dup(1), "w");
    size_t room = 1 << 16, used = 0;
    char *line = (char *)assay_grow(0, room);
    const char *error;
    if (!in || !out || dup2(2, 1) < 0 || !freopen("/dev/null", "r", stdin))
        assay_fail("cannot open", "stdin and stdout");
    assay_start();
    while (fgets(line + used, (int)(room - used), in)) {
        used += strlen(line + used);
        if (used + 1 == room && line[used - 1] != '\n') {
            line = (char *)assay_grow(line, room *= 2);
            continue;
        }
        for (; used && (line[used - 1] == '\n' || line[used - 1] == ' ' || line[used - 1] == '\r'); used--)
            line[used - 1] = 0;
        used = 0;
        if (!strcmp(line, "quit"))
            break;
        if ((error = assay_command(line, out))) {
            fprintf(out, "error %s: %.80s\n", error, line);
            fflush(out);
        }
    }
    return 0;
}

int main(int argc, char **argv) {
    const char *measure = getenv("ASSAY_MEASURE");
    return measure && *measure ? assay_measure() : ASSAY_ENGINE_MAIN(argc, argv);
}
#endif
