/* Makes the numbers of an evaluation settable from outside, for assay. It stands in a private copy of the engine only.

   The glue file includes it and has four functions:
     void assay_start(void)                what main does first
     void assay_position(const char *fen)  sets the board
     int  assay_value(void)                what the evaluation says of it, from White's view, in its finest unit
     void assay_refresh(void)              makes again what is made from the numbers; clears caches
   With #define ASSAY_BOARD board before the #include, the variable board is kept for each position and copied back, so that
   FENs are parsed once. What it holds of the numbers is then for assay_value to make again. */
#ifndef ASSAY_H
#define ASSAY_H
#pragma GCC diagnostic ignored "-Wnarrowing"
#ifdef __cplusplus
extern "C" {
#endif
struct assay_table {
    void (*make)(void);
    int order;
    struct assay_table *next;
};
extern int assay_n[];
extern double assay_f[];
void assay_add(struct assay_table *table);
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
/* ASSAY_MAKE(3, X) = INITIALIZER; ASSAY_MADE(3, ORDER, X) */
#define ASSAY_MAKE(id, name) static void assay_make_##id(void) { __typeof__(name) assay_t
#define ASSAY_MADE(id, order, name) assay_copy(name, assay_t); } \
    __attribute__((constructor(200))) static void assay_add_##id(void) { \
        static struct assay_table table = {assay_make_##id, order, 0}; \
        assay_add(&table); \
    }
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

static struct assay_table *assay_tables, **assay_order;
static int assay_table_count;

void assay_add(struct assay_table *table) {
    table->next = assay_tables;
    assay_tables = table;
    assay_table_count++;
}

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

static int assay_compare(const void *a, const void *b) {
    return (*(struct assay_table *const *)a)->order - (*(struct assay_table *const *)b)->order;
}

static void assay_make(void) {
    int i;
    for (i = 0; i < assay_table_count; i++)
        assay_order[i]->make();
}

/* All files have added their tables. */
__attribute__((constructor(201))) static void assay_make_first(void) {
    struct assay_table *t;
    int i = 0;
    assay_order = (struct assay_table **)assay_grow(0, (assay_table_count + 1) * sizeof *assay_order);
    for (t = assay_tables; t; t = t->next)
        assay_order[i++] = t;
    qsort(assay_order, assay_table_count, sizeof *assay_order, assay_compare);
    assay_make();
}

static char **assay_positions; /* FENs, or boards */
static int assay_position_count, assay_changed;

static void assay_append(const char *fen) {
    int n = assay_position_count++;
    if (!(n & (n + 1)))
        assay_positions = (char **)assay_grow(assay_positions, (2 * n + 2) * sizeof *assay_positions);
#ifdef ASSAY_BOARD
    assay_position(fen);
    assay_positions[n] = (char *)memcpy(assay_grow(0, sizeof ASSAY_BOARD), (const void *)&ASSAY_BOARD, sizeof ASSAY_BOARD);
#else
    assay_positions[n] = strcpy((char *)assay_grow(0, strlen(fen) + 1), fen);
#endif
}

static int assay_evaluate(int i) {
#ifdef ASSAY_BOARD
    memcpy((void *)&ASSAY_BOARD, assay_positions[i], sizeof ASSAY_BOARD);
#else
    assay_position(assay_positions[i]);
#endif
    return assay_value();
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
        if (assay_changed) {
            assay_make();
            assay_refresh();
        }
        assay_changed = 0;
        for (line += 7; *line; line = end) {
            from = (int)strtol(line, &end, 10);
            to = (int)strtol(line = end, &end, 10);
            if (end == line || from < 0 || to > assay_position_count)
                return "values wants ranges of positions";
            for (; from < to; from++)
                fprintf(out, "%d\n", assay_evaluate(from));
        }
        fflush(out);
    } else if (!strcmp(line, "numbers")) {
        for (i = 0; i < ASSAY_COUNT; i++)
            fprintf(out, "%s %.17g\n", assay_names[i], assay_f[i]);
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
    setvbuf(out, 0, _IOFBF, 1 << 16);
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
    if (measure && *measure)
        return assay_measure();
    return ASSAY_ENGINE_MAIN(argc, argv);
}
#endif
