/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit/view/snapshot_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "unit.h"
#include "view/export/files.h"
#include "view/view.h"

/* Adds one finding shown on Layout, and one shown on Sharing. Call last, because it uses the names
 * of objects. */
static void finding_fixture(struct arena *arena, struct snapshot *snapshot)
{
    struct snapshot_finding *list = arena_array(arena, 2, sizeof *list);
    if (!list || snapshot->object_count < 2)
        return;
    list[0] = (struct snapshot_finding){.kind = FINDING_SPLIT,
                                        .confidence = CONFIDENCE_MEDIUM,
                                        .rule = RULE_SPLIT,
                                        .object = 0,
                                        .id = snapshot->objects[0].id,
                                        .name = snapshot->objects[0].name,
                                        .field = "x, y",
                                        .function = "move",
                                        .file = "move.c",
                                        .line = 12,
                                        .type = "struct particle",
                                        .figures.split = {.samples = 4000,
                                                          .element_bytes = 64,
                                                          .used_bytes = 16,
                                                          .fetched_bytes = 64,
                                                          .needed_bytes = 16,
                                                          .pass = true},
                                        .gain = 0.25};
    list[1] =
        (struct snapshot_finding){.kind = FINDING_TRUE_SHARING,
                                  .confidence = CONFIDENCE_HIGH,
                                  .rule = RULE_TRUE_SHARING,
                                  .object = 1,
                                  .id = snapshot->objects[1].id,
                                  .name = snapshot->objects[1].name,
                                  .figures.sharing = {.threads = 2, .lines = 1, .by_hitm = true},
                                  .remedy = {.kind = SHARING_LOCK_LESS},
                                  .gain = 0.125,
                                  .is_upper_bound = true};
    snapshot->findings = (struct snapshot_findings){list, 2};
}

/* Percentage of the accesses, and the cycles of each; cycles 0: not reported. */
struct part {
    enum data_level level;
    double percent;
    double cycles;
    enum data_snoop snoop;
    enum data_tlb tlb;
};

#define PARTS 5
static const struct part kinds[][PARTS] = {
    {{DATA_DRAM, 61, 340, SNOOP_MISS, TLB_MISS},
     {DATA_L3, 22, 70, SNOOP_NONE, TLB_HIT},
     {DATA_LFB, 10, 120, SNOOP_NONE, TLB_HIT},
     {DATA_L2, 5, 40, SNOOP_NONE, TLB_HIT},
     {DATA_REMOTE_DRAM, 2, 600, SNOOP_MISS, TLB_MISS}},
    {{DATA_L3, 70, 150, SNOOP_HITM, TLB_HIT},
     {DATA_L1, 20, 35, SNOOP_NONE, TLB_HIT},
     {DATA_REMOTE_CACHE, 10, 900, SNOOP_HITM, TLB_HIT}},
    {{DATA_L1, 100, 33, SNOOP_NONE, TLB_HIT}},
    {{DATA_L1, 96, 0, SNOOP_UNKNOWN, TLB_UNKNOWN},
     {DATA_BEYOND_L1, 4, 0, SNOOP_UNKNOWN, TLB_UNKNOWN}},
};
enum { LEVELS_FIXTURE_KINDS = sizeof kinds / sizeof *kinds };

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

static unsigned class_of(double cycles)
{
    unsigned class = (unsigned)log2(cycles);
    return class < SNAPSHOT_LATENCY_CLASSES ? class : SNAPSHOT_LATENCY_CLASSES - 1;
}

static double total(const double *counts, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += counts[i];
    return sum;
}

static void add_part(struct snapshot_levels *levels, const struct part *part, double samples)
{
    double accesses = samples * part->percent / 100;
    levels->level[part->level] += accesses;
    levels->snoop[part->snoop] += accesses;
    levels->tlb[part->tlb] += accesses;
    levels->waited[part->level] += accesses * part->cycles;
    if (part->cycles > 0)
        levels->histogram[class_of(part->cycles)] += accesses;
}

/* Converts the sums to shares; all_cycles: total of the snapshot. */
static void finish_levels(struct snapshot_levels *levels, double all_cycles)
{
    double cycles = total(levels->waited, DATA_LEVEL_COUNT);
    levels->accesses = total(levels->level, DATA_LEVEL_COUNT);
    bool reported = levels->snoop[SNOOP_UNKNOWN] < levels->accesses;
    for (int i = 0; !reported && i < SNOOP_COUNT; i++)
        levels->snoop[i] = NAN;
    for (int i = 0; !reported && i < TLB_COUNT; i++)
        levels->tlb[i] = NAN;
    levels->remote =
        share(levels->level[DATA_REMOTE_CACHE] + levels->level[DATA_REMOTE_DRAM], levels->accesses);
    levels->locked = 0.01;
    levels->blocked = NAN;
    levels->stall = cycles > 0 ? share(cycles, all_cycles) : NAN;
    for (int i = 0; !(cycles > 0) && i < DATA_LEVEL_COUNT; i++)
        levels->waited[i] = NAN;
    for (int i = 0; !(cycles > 0) && i < SNAPSHOT_LATENCY_CLASSES; i++)
        levels->histogram[i] = NAN;
    snapshot_levels_derive(levels);
}

static struct snapshot_levels *levels_fixture_make(struct arena *arena, size_t kind, double samples,
                                                   double all_cycles)
{
    struct snapshot_levels *levels = arena_array(arena, 1, sizeof *levels);
    *levels = (struct snapshot_levels){.evidence = LEVELS_RECORDED};
    for (int i = 0; i < PARTS && kinds[kind][i].percent > 0; i++)
        add_part(levels, &kinds[kind][i], samples);
    finish_levels(levels, all_cycles);
    return levels;
}

static struct snapshot_levels *make_total_levels(struct arena *arena,
                                                 const struct snapshot *snapshot)
{
    struct snapshot_levels *levels = arena_array(arena, 1, sizeof *levels);
    *levels = (struct snapshot_levels){.evidence = LEVELS_RECORDED};
    for (size_t i = 0; i < snapshot->object_count; i++)
        for (int k = 0; i % (LEVELS_FIXTURE_KINDS + 1) < LEVELS_FIXTURE_KINDS && k < PARTS; k++)
            if (kinds[i % (LEVELS_FIXTURE_KINDS + 1)][k].percent > 0)
                add_part(levels, &kinds[i % (LEVELS_FIXTURE_KINDS + 1)][k],
                         snapshot->objects[i].samples);
    finish_levels(levels, total(levels->waited, DATA_LEVEL_COUNT));
    return levels;
}

/* Levels as from pebs: the first object waits for memory, the second is shared between threads, the
 * third finds everything in L1, the fourth has stores, the fifth has no reports, and so on. */
static void levels_fixture_recorded(struct arena *arena, struct snapshot *snapshot)
{
    snapshot->source.name = "pebs";
    snapshot->source.weight_unit = "loads that took more than 30 cycles";
    snapshot->source.precise = true;
    snapshot->source.event_count = 1;
    snapshot->source.events[0] = (struct snapshot_event){
        .name = "mem-loads", .role = EVENT_OTHER, .period = 1009, .samples = 41000};
    snapshot->levels = make_total_levels(arena, snapshot);
    double cycles = total(snapshot->levels->waited, DATA_LEVEL_COUNT);
    for (size_t i = 0; i < snapshot->object_count; i++) {
        struct snapshot_object *object = &snapshot->objects[i];
        size_t kind = i % (LEVELS_FIXTURE_KINDS + 1);
        if (kind == LEVELS_FIXTURE_KINDS)
            continue;
        object->levels = levels_fixture_make(arena, kind, object->samples, cycles);
        object->latency = object->levels->latency;
        for (size_t k = 0; k < object->field_count; k++)
            object->fields[k].levels =
                levels_fixture_make(arena, kind, object->fields[k].samples, cycles);
        for (size_t k = 0; k < object->layout_count; k++)
            for (size_t r = 0; r < object->layouts[k].row_count; r++)
                if (object->layouts[k].rows[r].samples > 0)
                    object->layouts[k].rows[r].levels = levels_fixture_make(
                        arena, kind, object->layouts[k].rows[r].samples, cycles);
    }
}

/* Counts and shares that no hardware would report. */
static void levels_fixture_hostile(struct arena *arena, struct snapshot *snapshot)
{
    static const double odd[] = {NAN, 1e300, INFINITY, -1, 0, 1e-300};
    enum { ODD = sizeof odd / sizeof *odd };
    levels_fixture_recorded(arena, snapshot);
    for (size_t i = 0; i < snapshot->object_count; i++) {
        struct snapshot_levels *levels = snapshot->objects[i].levels;
        if (!levels)
            continue;
        levels->evidence = i % 2 ? LEVELS_COUNTED : LEVELS_RECORDED;
        levels->latency = odd[i % ODD];
        levels->far_share = odd[(i + 1) % ODD];
        snprintf(levels->summary, sizeof levels->summary, "%s",
                 i % 3 ? "a text longer than a column has room, with %" : "");
        for (int k = 0; k < DATA_LEVEL_COUNT; k++)
            levels->level[k] = odd[(i + (size_t)k) % ODD];
        for (int k = 0; k < SNAPSHOT_LATENCY_CLASSES; k++)
            levels->histogram[k] = odd[(i + (size_t)k + 2) % ODD];
        for (int k = 0; k < SNOOP_COUNT; k++)
            levels->snoop[k] = odd[(i + (size_t)k) % ODD];
    }
}

enum { LATENCY = 100, THREADS = 3 };

static void add(struct snapshot_matrix_cell *sum, const struct snapshot_matrix_cell *cell)
{
    sum->samples += cell->samples;
    sum->share += cell->share;
    sum->loads += cell->loads;
    sum->stores += cell->stores;
    sum->cycles += cell->cycles;
    for (int i = 0; i < SNAPSHOT_MEASURES; i++)
        sum->by_measure[i] += cell->by_measure[i];
}

/* Whole samples out of 10,000, decreasing down and to the right; totals are sums of the cells. */
static void fill_cells(struct snapshot_matrix *matrix, bool timed)
{
    for (size_t i = 0; i <= matrix->row_count; i++)
        for (size_t k = 0; k <= matrix->column_count; k++) {
            struct snapshot_matrix_cell *cell =
                &matrix->cells[i * (matrix->column_count + SNAPSHOT_MATRIX_REST) + k];
            cell->samples = i == k + 1 ? 0 : (double)(2000 / ((i + 1) * (k + 1)));
            cell->share = cell->samples / 10000;
            cell->loads = cell->samples / 4;
            cell->stores = cell->samples - cell->loads;
            cell->cycles = timed ? cell->samples * LATENCY * (double)(k + 1) : NAN;
            for (int m = 0; m < SNAPSHOT_MEASURES; m++)
                cell->by_measure[m] = NAN;
            add(&matrix->row_totals[i], cell);
            add(&matrix->column_totals[k], cell);
            add(&matrix->all, cell);
        }
}

/* Each cell has two sites, a block for each of three threads, and the levels of its object. */
static void fill_parts(struct arena *arena, struct snapshot *snapshot)
{
    struct snapshot_matrix *matrix = &snapshot->matrix;
    size_t width = matrix->column_count + SNAPSHOT_MATRIX_REST;
    size_t cells = (matrix->row_count + SNAPSHOT_MATRIX_REST) * width;
    matrix->sites = arena_array(arena, 2 * cells, sizeof *matrix->sites);
    matrix->blocks = arena_array(arena, THREADS * cells, sizeof *matrix->blocks);
    for (size_t at = 0; at < cells; at++) {
        uint16_t row = (uint16_t)(at / width);
        uint16_t column = (uint16_t)(at % width);
        double samples = matrix->cells[at].samples;
        const struct snapshot_object *object =
            column < matrix->column_count ? &snapshot->objects[column] : NULL;
        for (uint32_t i = 0; samples > 0 && i < 2; i++)
            matrix->sites[matrix->site_count++] =
                (struct snapshot_matrix_site){.row = row,
                                              .column = column,
                                              .file = "/src/loop.c",
                                              .line = row * 10u + i,
                                              .field = !i                     ? NULL
                                                       : object && column % 2 ? object->name
                                                                              : "thing.key",
                                              .address = 0x1000 + at * 8 + i,
                                              .samples = i ? samples / 4 : samples * 3 / 4,
                                              .loads = i ? 0 : samples / 4,
                                              .stores = i ? samples / 4 : samples / 2};
        for (uint32_t i = 0; samples > 0 && i < THREADS; i++)
            matrix->blocks[matrix->block_count++] = (struct snapshot_matrix_block){
                row, column, 7000 + i, 0x7000 + column * 0x100u, (uint32_t)samples / (i + 1) + 1};
        if (samples > 0 && object && object->levels)
            matrix->cells[at].levels = object->levels;
    }
    matrix->recent = 4096;
}

/* Every function misses on every object, except on the diagonal. Needs functions and objects. */
static void matrix_fixture_fill(struct arena *arena, struct snapshot *snapshot)
{
    struct snapshot_matrix *matrix = &snapshot->matrix;
    size_t rows = snapshot->code_count;
    size_t columns = snapshot->object_count;
    matrix->row_count = rows < SNAPSHOT_MATRIX_ROWS ? rows : SNAPSHOT_MATRIX_ROWS;
    matrix->column_count = columns < SNAPSHOT_MATRIX_COLUMNS ? columns : SNAPSHOT_MATRIX_COLUMNS;
    for (size_t i = 0; i < matrix->row_count; i++)
        matrix->rows[i] = (uint32_t)i;
    for (size_t k = 0; k < matrix->column_count; k++)
        matrix->columns[k] = (uint32_t)k;
    size_t all_rows = matrix->row_count + SNAPSHOT_MATRIX_REST;
    size_t all_columns = matrix->column_count + SNAPSHOT_MATRIX_REST;
    matrix->row_totals = arena_array(arena, all_rows, sizeof *matrix->cells);
    matrix->column_totals = arena_array(arena, all_columns, sizeof *matrix->cells);
    matrix->cells = arena_array(arena, all_rows * all_columns, sizeof *matrix->cells);
    matrix->attributed = 1;
    fill_cells(matrix, snapshot->levels);
    fill_parts(arena, snapshot);
}

#define NONE                                                                                       \
    {                                                                                              \
        NAN, NAN, NAN                                                                              \
    }

static const struct snapshot_rates none = {.evidence = RATES_COUNTED,
                                           .accesses = NAN,
                                           .access_share = NONE,
                                           .miss_rate = {NONE, NONE, NONE},
                                           .stall_share = NONE,
                                           .miss_share = NONE,
                                           .stall_ratio = NONE,
                                           .level = RATE_MEMORY};

static struct snapshot_rates *rates_fixture_make(struct arena *arena)
{
    struct snapshot_rates *rates = arena_array(arena, 1, sizeof *rates);
    *rates = none;
    return rates;
}

/* Only stalls, from the second event, by the objects' shares of it. */
static void rates_fixture_stalls(struct arena *arena, struct snapshot *snapshot)
{
    snapshot->rates = rates_fixture_make(arena);
    snapshot->rates->stall_share = (struct snapshot_share){1, 1, 1};
    for (size_t i = 0; i < snapshot->object_count; i++) {
        struct snapshot_object *object = &snapshot->objects[i];
        double share = object->event_share[1];
        object->rates = rates_fixture_make(arena);
        object->rates->stall_share = (struct snapshot_share){share, share * 0.99, share * 1.01};
    }
}

static struct snapshot_rates *kind_of(struct arena *arena, size_t kind)
{
    struct snapshot_rates *rates = rates_fixture_make(arena);
    if (kind == 4)
        return NULL;
    rates->accesses = kind == 2 ? 0 : 2e6;
    rates->access_share = (struct snapshot_share){0.2, 0.19, 0.21};
    rates->stall_share = (struct snapshot_share){0.25, 0.24, 0.26};
    rates->miss_share = (struct snapshot_share){0.25, 0.23, 0.27};
    if (kind == 0) {
        rates->miss_rate[RATE_L1] = (struct snapshot_share){0.123, 0.118, 0.128};
        rates->miss_rate[RATE_MEMORY] = (struct snapshot_share){0.031, 0.029, 0.034};
        rates->stall_ratio = (struct snapshot_share){1, 0.9, 1.1};
    } else if (kind == 1) {
        rates->miss_rate[RATE_L1] = (struct snapshot_share){0.07, 0.02, 0.19};
        rates->miss_rate[RATE_MEMORY] = (struct snapshot_share){0.001, 0, 0.5};
        rates->stall_ratio = (struct snapshot_share){0.3, 0.01, 0.9};
    } else if (kind == 2) {
        rates->miss_rate[RATE_L1] = (struct snapshot_share){NAN, 0.4, 1};
    } else {
        rates->miss_rate[RATE_L1] = (struct snapshot_share){0.02, 0.019, 0.0214};
        rates->stall_share = (struct snapshot_share){0.166, 0.159, 0.173};
        rates->miss_share = (struct snapshot_share){0.021, 0.018, 0.024};
        rates->stall_ratio = (struct snapshot_share){7.9, 6.8, 9.2};
    }
    return rates;
}

/*
 * Separate events for fills, L1 misses, accesses and stalls. The figures of the first object are
 * certain, those of the second are ranges, the third has misses but no sampled access, the fourth
 * is art's tds (DTrack, 3.4), the fifth is unknown, and so on.
 */
static void rates_fixture_counted(struct arena *arena, struct snapshot *snapshot)
{
    enum { KINDS = 5 };
    snapshot->source.event_count = 4;
    snapshot->source.events[2] =
        (struct snapshot_event){"l1-miss", EVENT_MISS_L1, 40009, 9000, 4e8, 1};
    snapshot->source.events[3] =
        (struct snapshot_event){"access", EVENT_ACCESS, 200003, 9000, 2e9, 0.5};
    snapshot->rates = kind_of(arena, 0);
    snapshot->rates->stall_share = snapshot->rates->miss_share = (struct snapshot_share){1, 1, 1};
    snapshot->rates->stall_ratio = (struct snapshot_share){1, 1, 1};
    for (size_t i = 0; i < snapshot->object_count; i++) {
        struct snapshot_object *object = &snapshot->objects[i];
        object->rates = kind_of(arena, i % KINDS);
        for (size_t k = 0; k < object->field_count; k++)
            object->fields[k].rates = kind_of(arena, (i + k) % KINDS);
    }
    for (size_t i = 0; i < snapshot->code_count; i++)
        snapshot->code[i].rates = kind_of(arena, i % KINDS);
}

/* Figures that no program could have. */
static void rates_fixture_hostile(struct arena *arena, struct snapshot *snapshot)
{
    const struct snapshot_share odd[] = {{INFINITY, -INFINITY, INFINITY},
                                         {-1e300, 1e300, -1e300},
                                         {NAN, 0, INFINITY},
                                         {1e308, 1e307, NAN}};
    snapshot->source.events[1].role = EVENT_STALL;
    for (size_t i = 0; i < snapshot->object_count; i++) {
        struct snapshot_rates *rates = rates_fixture_make(arena);
        rates->accesses = i % 2 ? 1e308 : -1;
        for (int k = 0; k < RATE_LEVELS; k++)
            rates->miss_rate[k] = odd[(i + (size_t)k) % 4];
        rates->access_share = rates->stall_ratio = odd[i % 4];
        rates->stall_share = odd[(i + 1) % 4];
        snapshot->objects[i].rates = snapshot->rates = rates;
    }
}

static const struct sharing_row {
    enum sharing_verdict verdict;
    enum sharing_evidence evidence;
    double share;
    double hitm;
    size_t lines;
    unsigned sides;
    bool locked;
    enum sharing_remedy_kind remedy;
} sharing_fixture_rows[] = {
    {SHARING_FALSE, SHARING_HITM, 0.21, 310, 3, 2, false, SHARING_PER_ELEMENT},
    {SHARING_TRUE, SHARING_ALTERNATION, 0.08, NAN, 1, 6, true, SHARING_LOCK_LESS},
    {SHARING_INCONCLUSIVE, SHARING_ALTERNATION, 0.01, NAN, 1, 2, false, SHARING_NO_REMEDY},
    {SHARING_READ_ONLY, SHARING_ALTERNATION, 0.002, 0, 1, 3, false, SHARING_NO_REMEDY},
};

static void fill_side(const struct snapshot *snapshot, const struct sharing_row *row, unsigned n,
                      uint32_t object, struct snapshot_sharing_side *side)
{
    uint64_t bytes = UINT64_C(0xff) << (row->verdict == SHARING_FALSE ? n * 8 : 0);
    bool writes = row->verdict != SHARING_READ_ONLY;
    *side = (struct snapshot_sharing_side){.tid = 4711 + n,
                                           .cpu = n == 5 ? SAMPLE_NO_CPU : n,
                                           .node = row->locked ? -1 : (int)n % 2,
                                           .samples = 100,
                                           .share = 1.0 / row->sides,
                                           .loads = 60,
                                           .stores = writes ? 40 : 0,
                                           .hitm = row->hitm / 2,
                                           .read = bytes,
                                           .written = writes ? bytes : 0,
                                           .object = object,
                                           .name = snapshot->objects[object].name,
                                           .fields = row->locked ? "queue.lock"
                                                     : n         ? "counters.misses"
                                                                 : "counters.hits",
                                           .locked = row->locked,
                                           .code_count = 2};
    for (unsigned i = 0; i < 2; i++)
        side->codes[i] = (struct snapshot_sharing_code){
            .address = 0x401000 + n * 64 + i * 4,
            .function = snapshot->code_count ? snapshot->code[0].function : "work",
            .position = i ? NULL : "counter.c:12",
            .id = snapshot->code_count ? snapshot->code[0].id : 0,
            .share = i ? 0.25 : 0.75,
            .read = bytes,
            .written = writes && !i ? bytes : 0,
            .field = side->fields,
            .locked = row->locked && !i};
}

static void fill_line(struct arena *arena, const struct snapshot *snapshot,
                      const struct sharing_row *row, uint32_t object, size_t index,
                      struct snapshot_sharing_line *line)
{
    *line = (struct snapshot_sharing_line){.address = 0x7f0012340000 + object * 4096 + index * 64,
                                           .offset = (int64_t)index * 64 - 8,
                                           .verdict = row->verdict,
                                           .overlap = row->verdict == SHARING_TRUE,
                                           .samples = 200,
                                           .share = row->share / (double)row->lines,
                                           .object_share = 0.5,
                                           .hitm = row->hitm / (double)row->lines,
                                           .alternations = 90,
                                           .close_accesses = 190,
                                           .expected_alternations = 95,
                                           .locked = row->locked,
                                           .node = row->locked ? -1 : 1,
                                           .threads = row->sides,
                                           .side_count = row->sides};
    line->sides = arena_array(arena, row->sides, sizeof *line->sides);
    for (unsigned i = 0; i < row->sides; i++)
        fill_side(snapshot, row, i, object, &line->sides[i]);
}

/* Four groups on the first objects: an array with false sharing over three lines, a lock, one with
 * too few samples, and one that is only read. */
static void sharing_fixture_fill(struct arena *arena, struct snapshot *snapshot)
{
    enum { ROWS = sizeof sharing_fixture_rows / sizeof *sharing_fixture_rows };
    struct snapshot_sharing *sharing = &snapshot->sharing;
    *sharing =
        (struct snapshot_sharing){.evidence = SHARING_HITM,
                                  .groups = arena_array(arena, ROWS, sizeof *sharing->groups),
                                  .group_count = ROWS};
    for (uint32_t i = 0; i < ROWS; i++) {
        const struct sharing_row *row = &sharing_fixture_rows[i];
        struct snapshot_sharing_group *group = &sharing->groups[i];
        uint32_t object = i % (uint32_t)snapshot->object_count;
        *group = (struct snapshot_sharing_group){
            .object = object,
            .id = snapshot->objects[object].id,
            .name = snapshot->objects[object].name,
            .fields = row->locked ? "queue.lock" : "counters.hits | counters.misses",
            .verdict = row->verdict,
            .evidence = row->evidence,
            .samples = 200.0 * (double)row->lines,
            .share = {row->share, row->share * 0.9, row->share * 1.1},
            .object_share = 0.5,
            .hitm = row->hitm,
            .alternations = 90,
            .expected_alternations = 95,
            .locked = row->locked,
            .has_enough_samples = row->verdict != SHARING_INCONCLUSIVE,
            .threads = row->sides,
            .remedy.kind = row->remedy,
            .lines = arena_array(arena, row->lines, sizeof *group->lines),
            .line_count = row->lines};
        for (size_t k = 0; k < row->lines; k++)
            fill_line(arena, snapshot, row, object, k, &group->lines[k]);
    }
}

enum { LINE_BYTES = 64, PARTICLE = 1, ORDER, NODE, EDGE };

struct row {
    enum layout_row_kind kind;
    uint16_t depth;
    const char *name;
    const char *type;
    uint64_t offset;
    uint64_t size;
    double share;
    uint8_t member_kind;
    uint8_t bit_offset;
    uint8_t bit_size;
    uint64_t count;
};

static const struct row particle[] = {
    {LAYOUT_MEMBER, 0, "pos", "double [3]", 0, 24, 0.12, 0, 0, 0, 3},
    {LAYOUT_MEMBER, 0, "vel", "struct vec3", 24, 24, 0.66, 0, 0, 0, 0},
    {LAYOUT_MEMBER, 1, "x", "double", 24, 8, 0.03, 0, 0, 0, 0},
    {LAYOUT_MEMBER, 1, "y", "double", 32, 8, 0.63, 0, 0, 0, 0},
    {LAYOUT_MEMBER, 1, "z", "double", 40, 8, 0, 0, 0, 0, 0},
    {LAYOUT_MEMBER, 0, "mass", "double", 48, 8, 0.2, 0, 0, 0, 0},
    {LAYOUT_MEMBER, 0, "id", "uint32_t", 56, 4, 0.02, 0, 0, 0, 0},
    {LAYOUT_MEMBER, 0, "alive", "unsigned int", 60, 4, 0, 0, 0, 1, 0},
    {LAYOUT_MEMBER, 0, "kind", "unsigned int", 60, 4, 0, 0, 1, 3, 0},
};

static const struct row order[] = {
    {LAYOUT_MEMBER, 0, "", "order_book::entry", 0, 16, 0.1, MEMBER_BASE, 0, 0, 0},
    {LAYOUT_MEMBER, 1, "", "int (**)(void)", 0, 8, 0.1, MEMBER_VTABLE, 0, 0, 0},
    {LAYOUT_MEMBER, 1, "tag", "char", 8, 1, 0, 0, 0, 0, 0},
    {LAYOUT_HOLE, 1, "", NULL, 9, 7, 0, 0, 0, 0, 0},
    {LAYOUT_MEMBER, 0, "", "union", 16, 32, 0.05, 0, 0, 0, 0},
    {LAYOUT_MEMBER, 1, "limit", "struct limit", 16, 32, 0.05, 0, 0, 0, 0},
    {LAYOUT_MEMBER, 2, "price", "double", 16, 8, 0.05, 0, 0, 0, 0},
    {LAYOUT_MEMBER, 2, "name", "char [24]", 24, 24, 0, 0, 0, 0, 24},
    {LAYOUT_MEMBER, 1, "id", "uint64_t", 16, 8, 0, 0, 0, 0, 0},
    {LAYOUT_MEMBER, 0, "split", "long double", 56, 16, 0.25, 0, 0, 0, 0},
    {LAYOUT_MEMBER, 0, "history", "struct tick [20]", 72, 480, 0.2, 0, 0, 0, 20},
    {LAYOUT_MEMBER, 1, "at", "uint64_t", 72, 8, 0.15, 0, 0, 0, 0},
    {LAYOUT_MEMBER, 1, "price", "double", 80, 8, 0.05, 0, 0, 0, 0},
    {LAYOUT_MEMBER, 1, "by", "struct trader *", 88, 8, 0, 0, 0, 0, 0},
    {LAYOUT_MEMBER, 0, "next", "struct order *", 552, 8, 0.4, 0, 0, 0, 0},
    {LAYOUT_MEMBER, 0, "last", "char", 560, 1, 0, 0, 0, 0, 0},
    {LAYOUT_PADDING, 0, "", NULL, 561, 15, 0, 0, 0, 0, 0},
};

static const struct row typed_fixture_node[] = {
    {LAYOUT_MEMBER, 0, "next", "struct node *", 0, 8, 0.9, 0, 0, 0, 0},
    {LAYOUT_MEMBER, 0, "value", "int", 8, 4, 0.1, 0, 0, 0, 0},
    {LAYOUT_PADDING, 0, "", NULL, 12, 4, 0, 0, 0, 0, 0},
};

static const struct row edge[] = {
    {LAYOUT_MEMBER, 0, "from", "struct node *", 0, 8, 0.5, 0, 0, 0, 0},
    {LAYOUT_MEMBER, 0, "to", "struct node *", 8, 8, 0.5, 0, 0, 0, 0},
};

#define ROWS(list) list, sizeof list / sizeof *list
static const struct made {
    const char *object;
    const char *type; /* of the type of the object */
    const char *name;
    uint32_t id;
    uint64_t size;
    const struct row *rows;
    size_t row_count;
    uint32_t phase;
    double share;
    uint32_t votes;
    uint32_t against;
    enum layout_reading reading;
} types[] = {
    {"particles", "struct particle [524288]", "struct particle", PARTICLE, 64, ROWS(particle), 16,
     1, 0, 0, LAYOUT_SPREAD},
    {"std::unordered_map<std::string, std::vector<order_book::price_level>>::instance_table",
     "struct order [1024]", "struct order", ORDER, 576, ROWS(order), 0, 1, 4312, 12,
     LAYOUT_STRADDLES},
    {"[heap]", "struct node", "struct node", NODE, 16, ROWS(typed_fixture_node), 0, 0.7, 900, 300,
     LAYOUT_TOO_FEW},
    {"[heap]", "struct node", "struct edge", EDGE, 16, ROWS(edge), 0, 0.3, 0, 0, LAYOUT_TOO_FEW},
};

static struct snapshot_object *find(struct snapshot *snapshot, const char *name)
{
    for (size_t i = 0; i < snapshot->object_count; i++)
        if (!strcmp(snapshot->objects[i].name, name))
            return &snapshot->objects[i];
    return NULL;
}

static void make_rows(struct arena *arena, struct snapshot_layout *layout, const struct made *made,
                      double samples)
{
    uint32_t index = 0;
    layout->row_count = made->row_count;
    layout->rows = arena_array(arena, made->row_count, sizeof *layout->rows);
    for (size_t i = 0; i < made->row_count; i++) {
        const struct row *row = &made->rows[i];
        layout->rows[i] = (struct snapshot_layout_row){
            .kind = row->kind,
            .member = {.name = row->name,
                       .type = row->type,
                       .offset = row->offset,
                       .size = row->size,
                       .count = row->count,
                       .stride = row->count ? (uint32_t)(row->size / row->count) : 0,
                       .depth = row->depth,
                       .kind = row->member_kind,
                       .bit_offset = row->bit_offset,
                       .bit_size = row->bit_size},
            .index = row->kind == LAYOUT_MEMBER ? index++ : TYPE_NO_MEMBER,
            .has_members = i + 1 < made->row_count && made->rows[i + 1].depth > row->depth,
            .samples = floor(samples * row->share),
            .share = row->share,
            .loads = floor(samples * row->share * 0.9),
            .stores = floor(samples * row->share) - floor(samples * row->share * 0.9),
            .line = (uint32_t)((made->phase + row->offset) / LINE_BYTES)};
    }
}

/* Computes share and bytes of each line from the rows without members. */
static void make_lines(struct arena *arena, struct snapshot_layout *layout)
{
    layout->line_count = (layout->phase + layout->size + LINE_BYTES - 1) / LINE_BYTES;
    layout->lines = arena_array(arena, layout->line_count, sizeof *layout->lines);
    for (size_t i = 0; i < layout->line_count; i++) {
        struct snapshot_layout_line *line = &layout->lines[i];
        line->start = i ? i * LINE_BYTES - layout->phase : 0;
        line->end = (i + 1) * LINE_BYTES - layout->phase;
        if (line->end > layout->size)
            line->end = layout->size;
        for (size_t k = 0; k < layout->row_count; k++) {
            const struct snapshot_layout_row *row = &layout->rows[k];
            if (row->has_members || row->line != i || !(row->samples > 0))
                continue;
            line->share += row->share;
            line->used += (uint32_t)(row->member.count ? row->member.stride : row->member.size);
        }
        line->cold = (uint32_t)(line->end - line->start) - line->used;
    }
}

static void add_layout(struct arena *arena, struct snapshot_object *object, const struct made *made)
{
    struct snapshot_layout *layouts = arena_array(arena, object->layout_count + 1, sizeof *layouts);
    if (object->layout_count)
        memcpy(layouts, object->layouts, object->layout_count * sizeof *layouts);
    object->layouts = layouts;
    struct snapshot_layout *layout = &layouts[object->layout_count++];
    *layout = (struct snapshot_layout){.type = made->id,
                                       .name = made->name,
                                       .size = made->size,
                                       .samples = floor(object->samples * made->share),
                                       .share = made->share,
                                       .phase = made->phase,
                                       .phase_share = 0.93,
                                       .phases = 4,
                                       .straddling = made->id == ORDER ? 0.124 : NAN,
                                       .hot_span = 2,
                                       .hot_lines = 1,
                                       .reading = made->reading,
                                       .unused = 0.62,
                                       .line_bytes = LINE_BYTES};
    make_rows(arena, layout, made, layout->samples);
    make_lines(arena, layout);
}

/* Makes fields of the object from the rows with samples. */
static void name_fields(struct arena *arena, struct snapshot_object *object)
{
    const struct snapshot_layout *layout = object->layouts;
    object->fields = arena_array(arena, layout->row_count, sizeof *object->fields);
    object->field_count = 0;
    for (double before = 2, next = 0; next >= 0; before = next) {
        next = -1;
        for (size_t i = 0; i < layout->row_count; i++)
            if (!layout->rows[i].has_members && layout->rows[i].share > 0 &&
                layout->rows[i].share < before && layout->rows[i].share > next)
                next = layout->rows[i].share;
        for (size_t i = 0; next > 0 && i < layout->row_count; i++) {
            const struct snapshot_layout_row *row = &layout->rows[i];
            if (row->has_members || row->share != next)
                continue;
            const char *inner = row->member.depth && layout->type == PARTICLE ? "vel." : "";
            object->fields[object->field_count++] = (struct snapshot_field){
                .name = arena_printf(arena, "%s.%s%s", strrchr(layout->name, ' ') + 1, inner,
                                     *row->member.name ? row->member.name : "vtable"),
                .type = row->member.type,
                .type_id = layout->type,
                .member = row->index,
                .offset = row->member.offset,
                .size = 8,
                .samples = row->samples,
                .share = row->share,
                .loads = row->loads,
                .stores = row->stores};
        }
    }
}

static void type_objects(struct arena *arena, struct snapshot *snapshot)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct snapshot_object *object = find(snapshot, types[i].object);
        if (!object)
            continue;
        if (!object->layout_count) {
            object->type = types[i].type;
            object->type_raw = "raw";
            object->type_votes = types[i].votes;
            object->type_votes_against = types[i].against;
            object->typed[TYPED_AGREED] = floor(object->samples * 0.7);
            object->typed[TYPED_DISAGREED] = types[i].against ? floor(object->samples * 0.04) : 0;
            object->typed[TYPED_CODE] =
                object->samples - object->typed[TYPED_AGREED] - object->typed[TYPED_DISAGREED];
        }
        add_layout(arena, object, &types[i]);
    }
    for (size_t i = 0; i < snapshot->object_count; i++)
        if (snapshot->objects[i].layout_count)
            name_fields(arena, &snapshot->objects[i]);
}

static uint32_t index_of(const struct snapshot *snapshot, const char *name)
{
    for (uint32_t i = 0; i < snapshot->object_count; i++)
        if (!strcmp(snapshot->objects[i].name, name))
            return i;
    return UINT32_MAX;
}

/* Adds instructions to the first function; the last one was inlined from a header. */
static void add_instructions(struct arena *arena, struct snapshot *snapshot, bool lines)
{
    static const struct {
        uint64_t address;
        const char *file;
        uint32_t line;
        const char *inlined;
        double share;
        const char *object;
        const char *field;
        uint32_t type_id;
        uint32_t member;
    } made[] = {
        {0x401000, "/build/demo/src/demo.c", 74, NULL, 0.1, "particles", "particle.mass", PARTICLE,
         5},
        {0x401004, "/build/demo/src/demo.c", 75, NULL, 0.6, "particles", "particle.vel.y", PARTICLE,
         3},
        {0x401009, "/build/demo/src/demo.c", 75, NULL, 0.15, "particles", "particle.vel.x",
         PARTICLE, 2},
        {0x401011, "/build/demo/src/demo.c", 92, NULL, 0.05, "[heap]", "node.next", NODE, 0},
        {0x401016, "/build/demo/include/clamp.h", 12, "min < clamp", 0.08, "grid", NULL, 0,
         TYPE_NO_MEMBER},
        {0x40101c, NULL, 0, NULL, 0.02, NULL, NULL, 0, TYPE_NO_MEMBER},
    };
    enum { COUNT = sizeof made / sizeof *made };
    struct snapshot_code *code = &snapshot->code[0];
    code->instructions = arena_array(arena, COUNT, sizeof *code->instructions);
    code->instruction_count = COUNT;
    for (size_t i = 0; i < COUNT; i++)
        code->instructions[i] = (struct snapshot_instruction){
            .address = made[i].address,
            .file = lines ? made[i].file : NULL,
            .line = lines ? made[i].line : 0,
            .inlined = lines ? made[i].inlined : NULL,
            .samples = floor(code->samples * made[i].share),
            .share = made[i].share,
            .loads = floor(code->samples * made[i].share),
            .object = made[i].object ? index_of(snapshot, made[i].object) : UINT32_MAX,
            .object_share = made[i].object ? 0.97 : NAN,
            .objects = made[i].object ? 2 : 0,
            .field = lines ? made[i].field : NULL,
            .type_id = lines ? made[i].type_id : 0,
            .member = lines ? made[i].member : TYPE_NO_MEMBER,
            .offset = lines && made[i].type_id == PARTICLE ? particle[made[i].member].offset : 0};
}

/* Types for the first objects, layouts, instructions with lines; some debug information is still
 * being loaded. */
static void typed_fixture_types(struct arena *arena, struct snapshot *snapshot)
{
    type_objects(arena, snapshot);
    add_instructions(arena, snapshot, true);
    snapshot->code[0].file = "/build/demo/src/demo.c";
    snapshot->totals.typed[TYPED_CODE] = 21000;
    snapshot->totals.typed[TYPED_DATA] = 4000;
    snapshot->totals.typed[TYPED_AGREED] = 9800;
    snapshot->totals.typed[TYPED_DISAGREED] = 300;
    snapshot->totals.typed[TYPED_NONE] = 7200;
    snapshot->totals.untyped[UNTYPED_WAITING] = 200;
    snapshot->totals.untyped[UNTYPED_NO_DEBUG] = 5000;
    snapshot->totals.untyped[UNTYPED_NO_VARIABLE] = 2000;
    for (int i = 0; i < TYPED_COUNT; i++)
        snapshot->totals.typed_weight[i] = (double)snapshot->totals.typed[i];
    for (int i = 0; i < UNTYPED_COUNT; i++)
        snapshot->totals.untyped_weight[i] = (double)snapshot->totals.untyped[i];
    snapshot->loading = (struct loading_state){.pending_requests = 120,
                                               .processes = 1,
                                               .resident_bytes = 80 << 20,
                                               .slow_file = "libmatching.so.4"};
}

/* Without debugging information: layouts by stride, instructions without lines. */
static void typed_fixture_inferred(struct arena *arena, struct snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->object_count; i++) {
        struct snapshot_object *object = &snapshot->objects[i];
        for (size_t k = 0; k < object->field_count; k++)
            object->fields[k].member = TYPE_NO_MEMBER;
        if (!object->element_size)
            continue;
        object->layout_count = 1;
        object->layouts = arena_array(arena, 1, sizeof *object->layouts);
        struct snapshot_layout *layout = object->layouts;
        *layout = (struct snapshot_layout){.name = "",
                                           .size = object->element_size,
                                           .inferred = true,
                                           .samples = object->samples,
                                           .share = 1,
                                           .phase_share = NAN,
                                           .straddling = NAN,
                                           .row_count = 0};
        layout->rows = arena_array(arena, object->field_count, sizeof *layout->rows);
        for (uint64_t offset = 0; offset < object->element_size; offset++)
            for (size_t k = 0; k < object->field_count; k++) {
                const struct snapshot_field *field = &object->fields[k];
                if ((uint64_t)field->offset == offset)
                    layout->rows[layout->row_count++] = (struct snapshot_layout_row){
                        .kind = LAYOUT_UNKNOWN,
                        .member = {.name = "", .offset = offset, .size = 8},
                        .index = TYPE_NO_MEMBER,
                        .samples = field->samples,
                        .share = field->share,
                        .loads = field->loads,
                        .stores = field->stores};
            }
    }
    add_instructions(arena, snapshot, false);
}

struct held {
    struct snapshot snapshot; /* must be first */
    struct arena arena;
};

static unsigned alive;

static const struct {
    const char *name;
    const char *module;
    enum object_kind kind;
    double weight;
    uint64_t size;
    uint64_t element;
} usual[] = {
    {"particles", "misstop-demo", OBJECT_GLOBAL, 38, 32 << 20, 64},
    {"grid", "misstop-demo", OBJECT_GLOBAL, 21, 6 << 20, 0},
    {"[heap]", "", OBJECT_HEAP, 14.2, 12900000, 48},
    {"demo arena", "", OBJECT_ANON, 9.1, 64 << 20, 0},
    {"std::unordered_map<std::string, std::vector<order_book::price_level>>::instance_table",
     "libmatching.so.4", OBJECT_GLOBAL, 6.4, 1 << 20, 24},
    {"stack of thread 4242", "", OBJECT_STACK, 3.9, 8 << 20, 0},
    {"/usr/share/dict/words", "", OBJECT_MAP, 2.8, 985084, 0},
    {"errno_table", "libc.so.6", OBJECT_TLS, 1.7, 4096, 0},
    {".rodata", "libcrypto.so.3", OBJECT_CODE, 1.2, 300 << 10, 0},
    {"JIT code cache", "", OBJECT_JIT, 0.9, 2 << 20, 0},
    {"main_arena", "libc.so.6", OBJECT_GLOBAL, 0.5, 2200, 0},
    {"unknown", "", OBJECT_UNKNOWN, 0.3, 0, 0},
};

static const char *const functions[] = {"visit_particles",
                                        "walk_grid_column",
                                        "walk_list",
                                        "visit_arena_page",
                                        "order_book::match(order const&)",
                                        "__memmove_avx_unaligned_erms"};

static const char *const hostile[] = {
    ("a name that is far too long for any terminal a name that is far too long for any terminal "
     "a name that is far too long for any terminal a name that is far too long for any terminal"),
    "データベース索引テーブル漢字かな交じりの長い名前が続くとどうなるかを見る",
    "e\xcc\x81\xcc\x82\xcc\x83\xcc\x84\xcc\x85 combining",
    "?[31mred?[0m",
    "\xff\xfe not UTF-8",
    "",
    "%s%n%d",
    "\xf0\x9f\x94\xa5\xf0\x9f\x94\xa5 emoji \xf0\x9f\x94\xa5",
};

static struct snapshot_share share_of(double value, double samples)
{
    double half = samples > 0 ? 1.96 * sqrt(fmax(value * (1 - value), 0.0001) / samples) : NAN;
    return (struct snapshot_share){value, fmax(0, value - half), fmin(1, value + half)};
}

static void add_fields(struct arena *arena, struct snapshot_object *object)
{
    static const double parts[] = {0.61, 0.2, 0.09, 0.05, 0.03, 0.02};
    enum { COUNT = sizeof parts / sizeof *parts };
    object->fields = arena_array(arena, COUNT, sizeof *object->fields);
    object->field_count = COUNT;
    for (size_t i = 0; i < COUNT; i++) {
        uint64_t offset = object->element_size ? (40 + 8 * i) % object->element_size : 4096 * i;
        object->fields[i] = (struct snapshot_field){
            .name = arena_printf(arena, "%s+%llu", object->element_size ? "[*]" : "",
                                 (unsigned long long)offset),
            .offset = offset,
            .size = 8,
            .samples = floor(object->samples * parts[i]),
            .share = parts[i],
            .loads = object->samples * parts[i] * 0.8,
            .stores = object->samples * parts[i] * 0.2};
    }
}

static void add_code(struct arena *arena, struct snapshot_object *object, uint32_t index)
{
    object->code_count = 3;
    object->code = arena_array(arena, 3, sizeof *object->code);
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t id = (index + i) % 6;
        double part = i ? 0.15 : 0.7;
        object->code[i] = (struct snapshot_code){.id = id + 1,
                                                 .function = functions[id],
                                                 .module = "misstop-demo",
                                                 .file = id == 5 ? NULL : "src/demo.c",
                                                 .line = id == 5 ? 0 : 70 + id,
                                                 .address = 0x401000 + id * 0x100 + i * 4,
                                                 .samples = object->samples * part,
                                                 .share = share_of(part, object->samples),
                                                 .sites = 3 - i,
                                                 .top_object = index,
                                                 .top_object_share = 1};
    }
}

static void add_instances(struct arena *arena, struct snapshot_object *object)
{
    object->instance_count = object->blocks;
    object->instances = arena_array(arena, object->blocks, sizeof *object->instances);
    for (uint32_t i = 0; i < object->blocks; i++)
        object->instances[i] =
            (struct snapshot_instance){.base = object->address + i * 4096,
                                       .size = object->size,
                                       .samples = object->samples / object->blocks,
                                       .share = 1.0 / object->blocks,
                                       .tid = 4242 + i};
}

static struct snapshot_object make_object(struct arena *arena, struct prng *prng, uint32_t index,
                                          const char *name, double share, double all)
{
    struct snapshot_object object = {.id = index + 1,
                                     .name = name,
                                     .module = "",
                                     .kind = OBJECT_HEAP,
                                     .address = 0x7f0000000000 + index * 0x10000000ull,
                                     .size = 1 << 20,
                                     .blocks = 1 + index % 3,
                                     .samples = floor(share * all),
                                     .share = share_of(share, all),
                                     .latency = NAN,
                                     .threads = 1};
    object.loads = floor(object.samples * 0.7);
    object.stores = object.samples - object.loads;
    for (int i = 0; i < SAMPLE_EVENTS_MAX; i++)
        object.event_share[i] = NAN;
    object.event_share[1] = share * 0.9;
    for (int i = 0; i < SNAPSHOT_HISTORY; i++)
        object.history[i] =
            i < 6 ? NAN : (float)(share * (0.6 + (double)prng_below(prng, 80) / 100));
    (void)arena;
    return object;
}

static void fill_objects(struct held *held, struct prng *prng, unsigned tick)
{
    enum { COUNT = sizeof usual / sizeof *usual };
    struct snapshot *snapshot = &held->snapshot;
    double weights[COUNT];
    double all = 0;
    for (size_t i = 0; i < COUNT; i++)
        all += weights[i] = usual[i].weight * (1 + 0.3 * sin(tick * 0.3 + (double)i));
    snapshot->object_count = COUNT;
    snapshot->objects = arena_array(&held->arena, COUNT, sizeof *snapshot->objects);
    for (uint32_t i = 0; i < COUNT; i++) {
        struct snapshot_object *object = &snapshot->objects[i];
        *object = make_object(&held->arena, prng, i, usual[i].name, weights[i] / all, 41000);
        object->module = usual[i].module;
        object->kind = usual[i].kind;
        object->size = usual[i].size;
        object->element_size = usual[i].element;
        object->element_confidence = usual[i].element ? 0.97 : 0;
        add_fields(&held->arena, object);
        add_code(&held->arena, object, i);
        add_instances(&held->arena, object);
    }
}

static int most_samples(const void *left, const void *right)
{
    const struct snapshot_object *a = left;
    const struct snapshot_object *b = right;
    return a->samples > b->samples ? -1 : a->samples < b->samples;
}

static void fill_code(struct held *held)
{
    struct snapshot *snapshot = &held->snapshot;
    snapshot->code_count = 6;
    snapshot->code = arena_array(&held->arena, 6, sizeof *snapshot->code);
    for (uint32_t i = 0; i < 6; i++)
        snapshot->code[i] = (struct snapshot_code){.id = i + 1,
                                                   .function = functions[i],
                                                   .module = i == 5 ? "libc.so.6" : "misstop-demo",
                                                   .file = i == 5 ? NULL : "src/demo.c",
                                                   .line = i == 5 ? 0 : 70 + i,
                                                   .address = 0x401000 + i * 0x100,
                                                   .samples = 15000.0 / (i + 1),
                                                   .share = share_of(0.4 / (i + 1), 41000),
                                                   .sites = 6 - i,
                                                   .top_object = i,
                                                   .top_object_share = 0.7};
}

static void fill_sets(struct held *held, struct prng *prng, uint32_t sets)
{
    struct snapshot_sets *out = &held->snapshot.sets;
    *out = (struct snapshot_sets){.level = sets > 64 ? "L2" : "L1d",
                                  .index = "virtual",
                                  .sets = sets,
                                  .ways = 8,
                                  .line = 64,
                                  .doubt = sets > 64 ? SETS_WITHIN_PAGE : SETS_EXACT,
                                  .chi2 = 5120.4,
                                  .p_value = 1e-300,
                                  .hot_sets = 2,
                                  .verdict = SETS_CONCENTRATED,
                                  .hot_share = 0.4,
                                  .content = SETS_MANY_LINES};
    out->counts = arena_array(&held->arena, sets, sizeof *out->counts);
    for (uint32_t i = 0; i < sets; i++)
        out->counts[i] = 500 + prng_below(prng, 60) + (i == 13 || i == 14 ? 2600 : 0);
    out->part_count = sets * 3;
    out->parts = arena_array(&held->arena, out->part_count, sizeof *out->parts);
    for (uint32_t i = 0; i < out->part_count; i++)
        out->parts[i] = (struct snapshot_set_part){i / 3, i % 3 == 2 ? UINT32_MAX : (i + i / 3) % 3,
                                                   90 >> i % 3};
}

static void fill_search(struct held *held)
{
    struct snapshot_search *out = &held->snapshot.search;
    static const double shares[] = {0.38, 0.21, 0.12, 0.09, 0.03, 0.01, 0.004, 0};
    static const enum region_state states[] = {REGION_OBJECT, REGION_OBJECT, REGION_LINE,
                                               REGION_LINE,   REGION_SPLIT,  REGION_QUEUED,
                                               REGION_KEPT,   REGION_KEPT};
    *out = (struct snapshot_search){.state = SEARCH_SETTLED,
                                    .ways = 10,
                                    .iteration = 23,
                                    .restarts = 1,
                                    .interval_s = 0.8,
                                    .explained = 0.892,
                                    .base = 0,
                                    .bound = 0x7fffffffffff,
                                    .range_name = "all",
                                    .region_count = 8,
                                    .dropped_count = 4};
    out->regions = arena_array(&held->arena, 8, sizeof *out->regions);
    out->dropped = arena_array(&held->arena, 4, sizeof *out->dropped);
    for (uint32_t i = 0; i < 8; i++)
        out->regions[i] = (struct snapshot_region){
            .base = 0x7f0000000000 + (i * 5 % 8) * 0x1000000000ull,
            .bound = 0x7f0000000000 + (i * 5 % 8) * 0x1000000000ull + (i == 2 ? 64 : 0x2000000),
            .share = shares[i],
            .low = fmax(0, shares[i] - 0.02),
            .high = shares[i] + 0.02,
            .iterations = 12 - i,
            .depth = 20 - i,
            .state = states[i],
            .object = i < 4 ? usual[i].name : "",
            .reason = i >= 6 ? REGION_WAS_BEST : REGION_NO_REASON};
    for (uint32_t i = 0; i < 4; i++)
        out->dropped[i] =
            (struct snapshot_region){.base = 0x550000000000 + i * 0x100000000ull,
                                     .bound = 0x550080000000 + i * 0x100000000ull,
                                     .share = 0,
                                     .low = NAN,
                                     .high = NAN,
                                     .state = REGION_DROPPED,
                                     .object = "",
                                     .reason = i % 2 ? REGION_NO_SAMPLES : REGION_EVEN};
}

static void fill_window(struct held *held)
{
    struct snapshot_window *out = &held->snapshot.window;
    *out = (struct snapshot_window){.entries = 65536,
                                    .used = 51234,
                                    .addresses = 30211,
                                    .singletons = 24100,
                                    .recurring = 6111,
                                    .span_s = 21.4,
                                    .histogram = {24100, 3000, 1900, 800, 300, 90, 15, 6},
                                    .lines = 60000,
                                    .cache_multiple = 117,
                                    .top_count = 20,
                                    .pair_count = 5};
    out->top = arena_array(&held->arena, 20, sizeof *out->top);
    out->pairs = arena_array(&held->arena, 5, sizeof *out->pairs);
    for (uint32_t i = 0; i < 20; i++)
        out->top[i] = (struct snapshot_recurrence){.address = 0x7f0012340000 + i * 4096,
                                                   .count = 120 - i * 5,
                                                   .set = 13 + i % 2,
                                                   .object = i == 19 ? UINT32_MAX : i % 4,
                                                   .offset = i * 4096,
                                                   .functions = 1 + i % 3};
    for (uint32_t i = 0; i < 5; i++)
        out->pairs[i] = (struct snapshot_pair){
            .object_a = i, .object_b = i + 1, .pair_count = 900 - 100 * i, .lift = 14.2 / (i + 1)};
}

/* Every third object is a bin; the last bin is a leak without samples. */
static void fill_heap(struct held *held)
{
    enum { BINS = 5 };
    static const char *const site[] = {"particles_new (demo.c:71)", "load (demo.c:90)",
                                       "main (demo.c:120)"};
    struct snapshot *snapshot = &held->snapshot;
    struct snapshot_heap *out = &snapshot->heap;
    *out = (struct snapshot_heap){.summary = {.feed = HEAP_FEED_AGENT,
                                              .source = "agent",
                                              .live_blocks = 1200300,
                                              .usable_bytes = 310ull << 20,
                                              .requested_bytes = 290ull << 20,
                                              .lost = 7,
                                              .bins = BINS,
                                              .mark_age_s = 12},
                                  .bin_count = BINS,
                                  .bins_left_out = 3};
    out->bins = arena_array(&held->arena, BINS, sizeof *out->bins);
    for (size_t i = 0; i < snapshot->object_count; i++)
        snapshot->objects[i].bin = UINT32_MAX;
    for (uint32_t i = 0; i < BINS; i++) {
        struct snapshot_bin *bin = &out->bins[i];
        uint32_t object = i * 3 < snapshot->object_count && i < BINS - 1 ? i * 3 : UINT32_MAX;
        *bin =
            (struct snapshot_bin){.heap = {.id = i + 1,
                                           .name = i ? "load" : "particles_new",
                                           .path = i == 3 ? NULL : "main < load < particles_new",
                                           .site = i == 3 ? NULL : site,
                                           .site_count = i == 3 ? 0 : 3,
                                           .is_size_class = i == 3,
                                           .live_blocks = 1000 >> i,
                                           .usable_bytes = 64000000u >> i,
                                           .requested_bytes = i == 3 ? 0 : 60000000u >> i,
                                           .allocations = 5000,
                                           .frees = 4000,
                                           .allocations_per_s = i == 3 ? NAN : 120.5,
                                           .frees_per_s = i == 3 ? NAN : 100,
                                           .lifetime_s = i == 3 ? NAN : 0.00025,
                                           .age_s = i == 3 ? NAN : 100,
                                           .growth_blocks = 20,
                                           .growth_bytes = 1 << 20,
                                           .sizes = {[2] = 700, [5] = 4300, [HEAP_SIZES - 1] = 1}},
                                  .object = object,
                                  .samples = object == UINT32_MAX ? 0 : 900,
                                  .share = object == UINT32_MAX ? 0 : 0.2 / (i + 1),
                                  .was_sampled = object != UINT32_MAX,
                                  .is_leak_suspect = i == BINS - 1};
        if (object != UINT32_MAX)
            snapshot->objects[object].bin = i;
    }
}

static void fill_head(struct snapshot *snapshot, unsigned tick)
{
    snapshot->iteration = tick + 1;
    snapshot->elapsed_s = 1.0 + tick;
    snapshot->interval_s = 1;
    snapshot->half_life_s = 10;
    snapshot->basis = BASIS_DECAYED;
    snapshot->target = (struct snapshot_target){.pid = 4242,
                                                .threads = 4,
                                                .cpus = 8,
                                                .cpu = 1.25,
                                                .comm = "misstop-demo",
                                                .exe = "/usr/bin/misstop-demo",
                                                .state = "running"};
    snapshot->source =
        (struct snapshot_source){.name = "counter",
                                 .weight_unit = "fills from memory",
                                 .live = true,
                                 .event_count = 2,
                                 .events = {{"mem-fill", EVENT_MEM_FILL, 10007, 41000, 4.1e8, NAN},
                                            {"stall", EVENT_STALL, 1000003, 20000, 2e10, NAN}}};
    snapshot->totals = (struct snapshot_totals){.samples = 45000,
                                                .weight = 4e8,
                                                .effective_samples = 40000,
                                                .attributed = 42300,
                                                .lost = 12,
                                                .throttled = 0,
                                                .rate = 1998.4,
                                                .reasons = {[REASON_KERNEL] = 900,
                                                            [REASON_NO_MEMORY] = 1000,
                                                            [REASON_OVERWRITTEN] = 600,
                                                            [REASON_CALL_BOUNDARY] = 200},
                                                .how = {0, 40000, 1500, 500, 200, 100}};
    snapshot->objects_left_out = 31;
}

/* Everything except the types. */
static void fill_common(struct held *held, unsigned tick)
{
    struct prng prng = {7 + tick};
    fill_head(&held->snapshot, tick);
    fill_objects(held, &prng, tick);
    qsort(held->snapshot.objects, held->snapshot.object_count, sizeof *held->snapshot.objects,
          most_samples);
    fill_code(held);
    fill_sets(held, &prng, 64);
    fill_search(held);
    fill_window(held);
    fill_heap(held);
    rates_fixture_stalls(&held->arena, &held->snapshot);
}

static void fill_usual(struct held *held, unsigned tick)
{
    fill_common(held, tick);
    typed_fixture_inferred(&held->arena, &held->snapshot);
}

static void fill_typed(struct held *held, unsigned tick)
{
    fill_common(held, tick);
    typed_fixture_types(&held->arena, &held->snapshot);
    finding_fixture(&held->arena, &held->snapshot);
}

static void fill_levels(struct held *held, unsigned tick)
{
    fill_typed(held, tick);
    levels_fixture_recorded(&held->arena, &held->snapshot);
}

static void fill_rates(struct held *held, unsigned tick)
{
    fill_typed(held, tick);
    rates_fixture_counted(&held->arena, &held->snapshot);
}

/* Hostile names of types and files. */
static void make_types_hostile(struct snapshot *snapshot, struct snapshot_object *object,
                               size_t count)
{
    for (size_t l = 0; l < object->layout_count; l++) {
        struct snapshot_layout *layout = &object->layouts[l];
        layout->name = hostile[l % count];
        layout->phase = 63 + (uint32_t)l * 100000;
        layout->phase_share = layout->straddling = NAN;
        layout->reading = LAYOUT_FITS;
        for (size_t i = 0; i < layout->row_count; i++) {
            struct snapshot_layout_row *row = &layout->rows[i];
            row->member.name = hostile[i % count];
            row->member.type = i % 3 ? hostile[(i + 1) % count] : NULL;
            row->member.depth = (uint16_t)(i * 7919);
            row->line = i % 2 ? UINT32_MAX : 0;
            row->share = i % 5 ? 0.2 : NAN;
            if (i == 3)
                row->member.offset = row->member.size = UINT64_MAX;
        }
        for (size_t i = 0; i < layout->line_count; i++)
            layout->lines[i].end = layout->lines[i].start = i % 2 ? UINT64_MAX : 3;
    }
    for (size_t i = 0; i < snapshot->code[0].instruction_count; i++) {
        struct snapshot_instruction *instruction = &snapshot->code[0].instructions[i];
        instruction->file = hostile[i % count];
        instruction->line = i % 2 ? UINT32_MAX - (uint32_t)i : 1;
        instruction->inlined = hostile[(i + 2) % count];
        instruction->field = hostile[(i + 1) % count];
        instruction->share = NAN;
    }
}

static void fill_hostile(struct held *held, unsigned tick)
{
    enum { COUNT = sizeof hostile / sizeof *hostile };
    struct snapshot *snapshot = &held->snapshot;
    fill_typed(held, tick);
    levels_fixture_hostile(&held->arena, snapshot);
    rates_fixture_hostile(&held->arena, snapshot);
    snapshot->loading.slow_file = hostile[0];
    snapshot->target.comm = hostile[1];
    snapshot->source.weight_unit = hostile[0];
    snapshot->status = hostile[0];
    for (size_t i = 0; i < snapshot->object_count; i++) {
        struct snapshot_object *object = &snapshot->objects[i];
        object->name = hostile[i % COUNT];
        object->module = hostile[(i + 1) % COUNT];
        object->type = i % 2 ? hostile[(i + 2) % COUNT] : NULL;
        make_types_hostile(snapshot, object, COUNT);
        if (i == 1)
            object->share = (struct snapshot_share){NAN, NAN, NAN};
        if (i == 2)
            object->samples = object->loads = object->stores = NAN;
        for (size_t k = 0; k < object->field_count; k++)
            object->fields[k].name = hostile[k % COUNT];
        for (size_t k = 0; k < object->code_count; k++)
            object->code[k].function = hostile[k % COUNT];
    }
    for (size_t i = 0; i < snapshot->code_count; i++) {
        snapshot->code[i].function = hostile[i % COUNT];
        snapshot->code[i].top_object = UINT32_MAX;
        snapshot->code[i].top_object_share = NAN;
    }
    for (size_t i = 0; i < snapshot->search.region_count; i++)
        snapshot->search.regions[i].share = snapshot->search.regions[i].low = NAN;
    snapshot->search.range_name = hostile[0];
    for (size_t i = 0; i < snapshot->heap.bin_count; i++)
        snapshot->heap.bins[i].heap.name = snapshot->heap.bins[i].heap.path = hostile[i % COUNT];
    snapshot->heap.summary.note = hostile[1];
    snapshot->search.explained = NAN;
    snapshot->sets.chi2 = snapshot->sets.p_value = NAN;
    snapshot->sets.verdict = SETS_TOO_FEW;
    snapshot->totals.rate = NAN;
}

static void fill_one(struct held *held)
{
    struct snapshot *snapshot = &held->snapshot;
    struct prng prng = {1};
    fill_head(snapshot, 0);
    snapshot->totals = (struct snapshot_totals){
        .samples = 1, .attributed = 1, .weight = 1, .effective_samples = 1, .rate = NAN};
    snapshot->objects_left_out = 0;
    snapshot->object_count = 1;
    snapshot->objects = arena_array(&held->arena, 1, sizeof *snapshot->objects);
    snapshot->objects[0] = make_object(&held->arena, &prng, 0, "lonely", 1, 1);
    snapshot->objects[0].share = (struct snapshot_share){1, 0.21, 1};
    snapshot->sets = (struct snapshot_sets){.level = "L1d",
                                            .index = "virtual",
                                            .sets = 64,
                                            .ways = 8,
                                            .line = 64,
                                            .chi2 = NAN,
                                            .p_value = NAN};
    snapshot->sets.counts = arena_array(&held->arena, 64, sizeof *snapshot->sets.counts);
    snapshot->sets.counts[3] = 1;
    snapshot->search.ways = 10;
    snapshot->window = (struct snapshot_window){.entries = 65536,
                                                .used = 1,
                                                .addresses = 1,
                                                .singletons = 1,
                                                .span_s = NAN,
                                                .histogram = {1}};
}

static void fill_huge(struct held *held, unsigned tick)
{
    enum { COUNT = 3000 };
    struct snapshot *snapshot = &held->snapshot;
    struct prng prng = {3 + tick};
    fill_usual(held, tick);
    fill_sets(held, &prng, 2048);
    snapshot->totals.samples = UINT64_MAX / 2;
    snapshot->totals.attributed = UINT64_MAX / 2 - 1000;
    snapshot->elapsed_s = 8e6;
    snapshot->object_count = COUNT;
    snapshot->objects = arena_array(&held->arena, COUNT, sizeof *snapshot->objects);
    for (uint32_t i = 0; i < COUNT; i++) {
        snapshot->objects[i] =
            make_object(&held->arena, &prng, i, arena_printf(&held->arena, "object_%u", i),
                        i < 900 ? 0.0011 : 0.00001, 9e18);
        snapshot->objects[i].size = UINT64_MAX;
        snapshot->objects[i].address = UINT64_MAX - 10;
        snapshot->objects[i].blocks = UINT32_MAX;
    }
}

const struct snapshot *fixture_new(enum fixture_kind kind, unsigned tick)
{
    struct held *held = calloc(1, sizeof *held);
    if (!held)
        return NULL;
    arena_init(&held->arena);
    alive++;
    switch (kind) {
    case FIXTURE_USUAL:
        fill_usual(held, tick);
        break;
    case FIXTURE_TYPED:
        fill_typed(held, tick);
        break;
    case FIXTURE_LEVELS:
        fill_levels(held, tick);
        break;
    case FIXTURE_RATES:
        fill_rates(held, tick);
        break;
    case FIXTURE_ONE:
        fill_one(held);
        break;
    case FIXTURE_HOSTILE:
        fill_hostile(held, tick);
        break;
    case FIXTURE_HUGE:
        fill_huge(held, tick);
        break;
    default:
        held->snapshot.totals.rate = held->snapshot.elapsed_s = NAN;
        break;
    }
    if (held->snapshot.object_count > 1)
        sharing_fixture_fill(&held->arena, &held->snapshot);
    if (held->snapshot.object_count > 1)
        matrix_fixture_fill(&held->arena, &held->snapshot);
    return &held->snapshot;
}

void fixture_release(const struct snapshot *snapshot)
{
    struct held *held = (struct held *)(uintptr_t)snapshot;
    arena_fini(&held->arena);
    free(held);
    alive--;
}

unsigned fixture_alive(void)
{
    return alive;
}

const char *table_sort_title(const struct table *table)
{
    return table->sort < table->columns->count ? table->columns->list[table->sort].title : "";
}

char *fixture_printed(int (*print)(FILE *out, const struct snapshot *snapshot),
                      const struct snapshot *snapshot)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(print(out, snapshot), 0);
    fclose(out);
    fixture_release(snapshot);
    return text;
}

int fixture_text(FILE *out, const struct snapshot *snapshot)
{
    const struct view_options options = {.color = VIEW_COLOR_NEVER, .width = 200, .full = true};
    return text_print(out, snapshot, &options);
}

int fixture_page(FILE *out, const struct snapshot *snapshot)
{
    static const struct html_run run = {.command = "", .host = "", .version = "", .date = ""};
    static const struct view_sources sources = {0};
    return html_print(out, snapshot, &sources, &run);
}
