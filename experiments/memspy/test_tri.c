/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * MemSpy's case study (Martonosi, Gupta, Anderson 1992, section 4): tri solves M x = b for a sparse
 * triangular M on four processors with caches of 64 KB and lines of 64 bytes, and is tuned in three
 * steps by the causes of its misses. The rows of a level of the dependency graph are assigned round
 * robin; then (1) the rows of each processor become contiguous, (2) x itself marks by a NaN that it
 * is not ready, (3) rows go to the owner of most of the rows they need. Each processor has a clock:
 * a reference takes one cycle, a miss 50 more, and a nonzero as many as give the sequential time of
 * the paper; the processor with the lowest clock runs next.
 */
#include "unit.h"

#include "machine.h"
#include "matrix.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PROCESSORS = 4, MISS_CYCLES = 50, NONZERO_CYCLES = 29, VERSIONS = 5 };
enum { M = 1, READY, XS, B, OBJECTS };
enum { TRI = 1 };
enum { COLUMN_OFFSET = MATRIX_NONZEROS * 8, START_OFFSET = COLUMN_OFFSET + MATRIX_NONZEROS * 4 };

/* The next step of a processor; one reference each. */
enum step {
    STEP_ROW,
    STEP_B,
    STEP_COLUMN,
    STEP_READY,
    STEP_NONZERO,
    STEP_X,
    STEP_STORE,
    STEP_TELL
};

struct processor {
    uint64_t clock;
    const int *rows; /* its rows, in the order of computation */
    int count;
    int at;
    int j;
    enum step step;
};

struct version {
    const char *name;
    uint32_t processors;
    bool together; /* the rows of each processor have consecutive numbers */
    bool by_need;
    bool ready; /* a vector marks the elements that are ready */
    /* Published thousands of misses on M.nz, Ready, x and others, and cycles. */
    double misses[OBJECTS];
    double cycles;
};

static const struct version versions[VERSIONS] = {
    {"Sequential", 1, false, false, false, {0, 11.2, 0, 1.2, 0.5}, 2580},
    {"Original Parallel", 4, false, false, true, {0, 17.8, 11.9, 10.5, 2.3}, 1860},
    {"Tuning Step 1", 4, true, false, true, {0, 11.3, 13.2, 14.2, 0.5}, 1742},
    {"Tuning Step 2", 4, true, false, false, {0, 11.2, 0, 6.4, 0.5}, 967},
    {"Tuning Step 3", 4, true, true, false, {0, 11.2, 0, 4.3, 0.5}, 890},
};

/* Shares of an object's misses in percent, and the objects that caused the replacements. */
struct why {
    double first; /* first references of a processor */
    double taken; /* invalidations */
    double replaced;
    double by_x;
    double by_m;
};

struct result {
    double misses[OBJECTS]; /* thousands */
    double cycles;          /* thousands */
    struct why why[OBJECTS];
};

static struct matrix made, matrix;
static struct processor processors[PROCESSORS];
static bool done[MATRIX_N]; /* x[row] is ready */

static void refer(struct machine *machine, uint32_t at, uint32_t object, size_t offset,
                  uint32_t size, uint32_t kind)
{
    machine_access(machine, at, TRI, object, offset, size, kind);
    processors[at].clock += 1 + (machine->missed ? MISS_CYCLES : 0);
}

static void next_nonzero(struct processor *self)
{
    int row = self->rows[self->at];
    self->step = self->j < matrix.start[row + 1] ? STEP_COLUMN : STEP_STORE;
}

static void end_row(struct processor *self, int row)
{
    done[row] = true;
    self->at++;
    self->step = STEP_ROW;
}

/* Makes one reference of a processor that has not finished. */
static void make_reference(struct machine *machine, uint32_t at, const struct version *version)
{
    struct processor *self = &processors[at];
    int row = self->rows[self->at];
    int column = self->j < MATRIX_NONZEROS ? matrix.column[self->j] : 0;
    switch (self->step) {
    case STEP_ROW:
        refer(machine, at, M, START_OFFSET + (size_t)row * 4, 4, MODEL_LOAD);
        self->j = matrix.start[row];
        self->step = STEP_B;
        break;
    case STEP_B:
        refer(machine, at, B, (size_t)row * 8, 8, MODEL_LOAD);
        next_nonzero(self);
        break;
    case STEP_COLUMN:
        refer(machine, at, M, COLUMN_OFFSET + (size_t)self->j * 4, 4, MODEL_LOAD);
        self->step = version->ready ? STEP_READY : STEP_X;
        break;
    case STEP_READY:
        refer(machine, at, READY, (size_t)column * 4, 4, MODEL_LOAD);
        self->step = done[column] ? STEP_X : STEP_READY;
        break;
    case STEP_X:
        refer(machine, at, XS, (size_t)column * 8, 8, MODEL_LOAD);
        self->step = done[column] ? STEP_NONZERO : STEP_X;
        break;
    case STEP_NONZERO:
        refer(machine, at, M, (size_t)self->j++ * 8, 8, MODEL_LOAD);
        self->clock += NONZERO_CYCLES;
        next_nonzero(self);
        break;
    case STEP_STORE:
        refer(machine, at, XS, (size_t)row * 8, 8, MODEL_STORE);
        if (version->ready)
            self->step = STEP_TELL;
        else
            end_row(self, row);
        break;
    case STEP_TELL:
        refer(machine, at, READY, (size_t)row * 4, 4, MODEL_STORE);
        end_row(self, row);
        break;
    }
}

static int behind(uint32_t count)
{
    int found = -1;
    for (uint32_t i = 0; i < count; i++)
        if (processors[i].at < processors[i].count &&
            (found < 0 || processors[i].clock < processors[found].clock))
            found = (int)i;
    return found;
}

/* Assigns the rows and their numbers. */
static void assign(const struct version *version)
{
    static int rows[PROCESSORS][MATRIX_N];
    static int ordered[MATRIX_N];
    static uint8_t owner[MATRIX_N];
    static uint8_t renumbered[MATRIX_N];
    int counts[PROCESSORS] = {0};
    if (version->by_need)
        matrix_by_need(&made, PROCESSORS, owner);
    else
        matrix_round_robin(&made, (int)version->processors, owner);
    matrix = made;
    memcpy(renumbered, owner, sizeof owner);
    if (version->together) {
        matrix_order_by_owner(&made, owner, PROCESSORS, ordered);
        matrix_renumber(&made, ordered, &matrix);
        for (int i = 0; i < MATRIX_N; i++)
            renumbered[i] = owner[ordered[i]];
    }
    /* A single processor goes by rows, as in Figure 4. */
    for (int i = 0; i < MATRIX_N; i++)
        ordered[i] = i;
    if (version->processors > 1)
        matrix_by_level(&matrix, ordered);
    for (int i = 0; i < MATRIX_N; i++)
        rows[renumbered[ordered[i]]][counts[renumbered[ordered[i]]]++] = ordered[i];
    for (int p = 0; p < PROCESSORS; p++)
        processors[p] = (struct processor){.rows = rows[p], .count = counts[p]};
    memset(done, 0, sizeof done);
}

/*
 * A line invalidated by another processor's write also has an evictor, the same object: that is not
 * a replacement.
 */
static struct why why_of(const struct snapshot_causes_row *row)
{
    const struct snapshot_causes_figures *figures = &row->figures;
    const double *share = figures->share;
    double made_room = (figures->early_same + figures->early_other) * figures->misses;
    struct why why = {.first = 100 * (share[CAUSE_FIRST] + share[CAUSE_FIRST_HERE]),
                      .taken =
                          100 * (share[CAUSE_INVALIDATED_TRUE] + share[CAUSE_INVALIDATED_FALSE]),
                      .replaced = 100 * (share[CAUSE_CAPACITY] + share[CAUSE_CONFLICT])};
    for (size_t i = 0; i < row->evictor_count; i++) {
        uint32_t by = row->evictors[i].object_id;
        double part = by == row->id ? 0 : row->evictors[i].share * figures->evicted / made_room;
        why.by_x += by == XS ? 100 * part : 0;
        why.by_m += by == M ? 100 * part : 0;
    }
    *(row->id == XS ? &why.by_x : &why.by_m) +=
        row->id == XS || row->id == M ? 100 * figures->early_same * figures->misses / made_room : 0;
    return why;
}

static void read_result(struct machine *machine, struct result *result)
{
    static const char *const names[OBJECTS] = {NULL, "M.nz", "Ready", "x", "b"};
    const struct snapshot *snapshot = machine_snapshot(machine);
    for (int i = M; i < OBJECTS; i++) {
        const struct snapshot_causes_row *row = machine_causes(snapshot, names[i]);
        if (!row)
            continue;
        result->misses[i] = row->figures.misses / 1000;
        result->why[i] = why_of(row);
    }
    snapshot_free(snapshot);
}

static struct result run(const struct version *version)
{
    static struct machine machine;
    struct result result = {.cycles = 0};
    struct machine_options options = {
        .cache = {.size_bytes = 64 << 10, .ways = 1, .line_bytes = 64},
        .processors = version->processors,
        .one_in = 1,
        .objects = {[M] = {"M.nz", 0x1000000, START_OFFSET + (MATRIX_N + 1) * 4},
                    [READY] = {"Ready", 0x2004000, MATRIX_N * 4},
                    [XS] = {"x", 0x3000000, MATRIX_N * 8},
                    [B] = {"b", 0x4008000, MATRIX_N * 8}},
        .functions = {NULL, "tri"}};
    machine_init(&machine, &options);
    assign(version);
    for (int at; (at = behind(version->processors)) >= 0;)
        make_reference(&machine, (uint32_t)at, version);
    read_result(&machine, &result);
    for (uint32_t i = 0; i < version->processors; i++)
        result.cycles = fmax(result.cycles, (double)processors[i].clock / 1000);
    machine_fini(&machine);
    return result;
}

static void print_line(const char *name, const char *by, const double misses[OBJECTS],
                       double cycles, double sequential)
{
    double total = misses[M] + misses[READY] + misses[XS] + misses[B];
    printf("%-18s %-5s %7.1f %6.1f %6.1f %6.1f %6.1f %9.0f %7.1f\n", name, by, total, misses[M],
           misses[READY], misses[XS], misses[B], cycles, sequential / cycles);
}

static void print_why(const char *what, const struct why *ours, const struct why *there)
{
    printf("%-18s %-5s first %.1f %%, taken %.1f, replaced %.1f; of these by x %.1f, M.nz %.1f\n",
           what, "ours", ours->first, ours->taken, ours->replaced, ours->by_x, ours->by_m);
    printf("%-18s %-5s first %.1f %%, taken %.1f, replaced %.1f; of these by x %.1f, M.nz %.1f\n",
           "", "there", there->first, there->taken, there->replaced, there->by_x, there->by_m);
}

/* Checks the conclusions that the authors drew from the figures at each step. */
static void conclude(const struct result results[VERSIONS])
{
    enum { SEQUENTIAL, ORIGINAL, ONE, TWO, THREE };
    /*
     * M.nz has more misses than with one processor, on first references, because adjacent rows are
     * computed by different processors. With contiguous rows it has as many as with one.
     */
    assert_true(results[ORIGINAL].misses[M] > 1.2 * results[SEQUENTIAL].misses[M]);
    assert_true(results[ORIGINAL].why[M].first > 90);
    assert_true(results[ONE].misses[M] < 1.02 * results[SEQUENTIAL].misses[M]);
    /* As a result, Ready and x conflict. */
    assert_true(results[ONE].why[READY].replaced > 2 * results[ORIGINAL].why[READY].replaced);
    assert_true(results[ONE].why[READY].by_x > 50);
    /* Without Ready, x has fewer misses, and even fewer if the readers of a row are its writers. */
    assert_true(results[TWO].misses[READY] == 0);
    assert_true(results[TWO].misses[XS] < results[ONE].misses[XS]);
    assert_true(results[THREE].misses[XS] < results[TWO].misses[XS]);
    for (int i = ORIGINAL; i < VERSIONS; i++)
        assert_true(results[i].cycles < results[i - 1].cycles);
}

static void four_versions_match_published_figures(void **state)
{
    struct result results[VERSIONS];
    (void)state;
    matrix_make(&made);
    printf("%d rows, %d nonzeros, %d levels\n", MATRIX_N, made.start[MATRIX_N], made.levels);
    printf("%-18s %-5s %7s %6s %6s %6s %6s %9s %7s\n", "misses, thousands", "", "Total", "M.nz",
           "Ready", "x", "other", "cycles", "speedup");
    for (int i = 0; i < VERSIONS; i++) {
        results[i] = run(&versions[i]);
        print_line(versions[i].name, "ours", results[i].misses, results[i].cycles,
                   results[0].cycles);
        print_line("", "there", versions[i].misses, versions[i].cycles, versions[0].cycles);
    }
    print_why("M.nz, original", &results[1].why[M], &(struct why){91.4, 0, 8.6, 21.7, 55.5});
    print_why("Ready, step 1", &results[2].why[READY], &(struct why){7.5, 11.4, 81.1, 86.7, 13.3});
    print_why("x, step 3", &results[4].why[XS], &(struct why){41, 12, 47, NAN, 99});
    fflush(stdout);
    conclude(results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(four_versions_match_published_figures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
