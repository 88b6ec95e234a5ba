/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The matrix (snapshot_code.h): margins from the tallies, cells from the pairs. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/snapshot/builders.h"
#include "resolve/members.h"

/* The amounts of a matrix under construction: margins from the tallies, cells from the pairs, and
 * the weight missing in the pairs distributed so that all sums match. */

/* OTHERS and above: weight of the events that count other measures. */
enum matrix_quantity {
    SAMPLES,
    WEIGHT,
    LOADS,
    STORES,
    CYCLES,
    OTHERS,
    QUANTITIES = OTHERS + SNAPSHOT_MEASURES
};
enum {
    FILLING_ROWS = SNAPSHOT_MATRIX_ROWS + SNAPSHOT_MATRIX_REST,
    FILLING_COLUMNS = SNAPSHOT_MATRIX_COLUMNS + SNAPSHOT_MATRIX_REST
};

/* Attributed weight that is not yet in a cell, by row and column, with the rest after the listed
 * lines; and weight without an object, by row. */
struct matrix_filling {
    size_t rows;
    size_t columns;
    bool has_latency;              /* the source records latencies */
    int others[SNAPSHOT_MEASURES]; /* events; -1: none */
    double all[QUANTITIES];
    double no_object[QUANTITIES][FILLING_ROWS];
    double unplaced[QUANTITIES]; /* all rows together */
    double row_left[QUANTITIES][FILLING_ROWS];
    double column_left[QUANTITIES][FILLING_COLUMNS];
    double cells[QUANTITIES][FILLING_ROWS * FILLING_COLUMNS];
};

/* Relative rounding error of sums of decayed weights. */
static const double rounding = 1e-9;

/* Reads the amounts of one row or column. `tallies`: one per event, NULL: no counts; `levels` NULL:
 * not recorded. */
static void read_amounts(const struct build *build, const struct matrix_filling *filling,
                         const struct tally *tallies, const struct levels *levels,
                         double out[QUANTITIES])
{
    const struct tally *tally = tallies ? &tallies[build->event] : NULL;
    out[SAMPLES] = tally ? build_samples(build, &tally->weight) : 0;
    out[WEIGHT] = tally ? build_read(build, &tally->weight) : 0;
    out[LOADS] = tally ? build_samples(build, &tally->loads) : 0;
    out[STORES] = tally ? build_samples(build, &tally->stores) : 0;
    out[CYCLES] = build_cycles(build, levels);
    for (int i = 0; i < SNAPSHOT_MEASURES; i++)
        out[OTHERS + i] = tally && filling->others[i] >= 0
                              ? build_read(build, &tallies[filling->others[i]].weight)
                              : 0;
}

static void open_row(const struct build *build, struct matrix_filling *filling, size_t row,
                     uint32_t function)
{
    const struct profile *profile = build->profile;
    double amount[QUANTITIES];
    size_t slot = (size_t)function * profile->functions.events + build->event;
    read_amounts(build, filling, tallies_at(&profile->functions, function, 0),
                 count_rows_find(&profile->function_levels, slot, 1), amount);
    for (int i = 0; i < QUANTITIES; i++) {
        filling->row_left[i][row] = amount[i];
        filling->row_left[i][filling->rows] -= amount[i];
    }
}

/* Opens a column with all objects of the row (find_parts()). */
static void open_column(const struct build *build, struct matrix_filling *filling, size_t column,
                        uint32_t object)
{
    const struct profile *profile = build->profile;
    double amount[QUANTITIES];
    do {
        size_t slot = (size_t)object * profile->objects.events + build->event;
        read_amounts(build, filling, tallies_at(&profile->objects, object, 0),
                     count_rows_find(&profile->object_levels, slot, 1), amount);
        for (int i = 0; i < QUANTITIES; i++) {
            filling->column_left[i][column] += amount[i];
            filling->column_left[i][filling->columns] -= amount[i];
        }
    } while ((object = build_next_part(build, object)));
}

/* Opens the margins. The rest has the weight that is not in listed lines. */
static void open_margins(const struct build *build, struct matrix_filling *filling,
                         const struct snapshot_matrix *matrix)
{
    const struct snapshot *snapshot = build->snapshot;
    read_amounts(build, filling, build->profile->all, &build->profile->all_levels[build->event],
                 filling->all);
    filling->has_latency = filling->all[CYCLES] > 0;
    for (int i = 0; i < QUANTITIES; i++)
        filling->row_left[i][filling->rows] = filling->column_left[i][filling->columns] =
            filling->all[i];
    for (size_t i = 0; i < filling->rows; i++)
        open_row(build, filling, i, snapshot->code[matrix->rows[i]].id);
    for (size_t i = 0; i < filling->columns; i++)
        open_column(build, filling, i, snapshot->objects[matrix->columns[i]].id);
    for (int i = 0; i < QUANTITIES; i++) {
        double *row = &filling->row_left[i][filling->rows];
        double *column = &filling->column_left[i][filling->columns];
        *row = *row > rounding * filling->all[i] ? *row : 0;
        *column = *column > rounding * filling->all[i] ? *column : 0;
    }
}

/* Opens the column of samples without an object. Those without a function are in the last row. */
static void open_unplaced_column(const struct build *build, const struct matrix_axes *axes,
                                 struct matrix_filling *filling)
{
    const struct unplaced *unplaced = &build->profile->unplaced;
    size_t last = filling->rows + 1;
    double amount[QUANTITIES];
    read_amounts(build, filling, unplaced->all, NULL, filling->unplaced);
    for (int i = 0; i < QUANTITIES; i++)
        filling->no_object[i][last] = filling->unplaced[i];
    for (uint32_t id = 0; id < unplaced->functions.ids; id++) {
        size_t row = matrix_axes_row(axes, id);
        read_amounts(build, filling, unplaced_tally(unplaced, id, 0), NULL, amount);
        for (int i = 0; i < QUANTITIES; i++) {
            filling->no_object[i][row] += amount[i];
            filling->no_object[i][last] -= amount[i];
        }
    }
    for (int i = 0; i < QUANTITIES; i++)
        if (filling->no_object[i][last] <= rounding * filling->unplaced[i])
            filling->no_object[i][last] = 0;
}

/* Adds an amount to a cell, limited by the remainders of its row and column. An instruction counts
 * under its last function, including its samples under an earlier one (replaced code). */
static void matrix_put_amount(struct matrix_filling *filling, enum matrix_quantity quantity,
                              size_t row, size_t column, double amount)
{
    double *row_left = &filling->row_left[quantity][row];
    double *column_left = &filling->column_left[quantity][column];
    amount = fmin(amount, fmin(*row_left, *column_left));
    *row_left -= amount;
    *column_left -= amount;
    filling->cells[quantity][row * (filling->columns + SNAPSHOT_MATRIX_REST) + column] += amount;
}

static void put_pair(const struct build *build, const struct pair *pair,
                     struct matrix_filling *filling, size_t row, size_t column)
{
    const struct profile *profile = build->profile;
    uint32_t event = PAIR_EVENT(pair->owner);
    for (int i = 0; i < SNAPSHOT_MEASURES; i++)
        if (filling->others[i] == (int)event)
            matrix_put_amount(filling, (enum matrix_quantity)(OTHERS + i), row, column,
                              build_read(build, &pair->weight));
    if (event != build->event)
        return;
    matrix_put_amount(filling, SAMPLES, row, column, build_samples(build, &pair->weight));
    matrix_put_amount(filling, WEIGHT, row, column, build_read(build, &pair->weight));
    matrix_put_amount(filling, LOADS, row, column, build_samples(build, &pair->loads));
    matrix_put_amount(filling, STORES, row, column, build_samples(build, &pair->stores));
    if (filling->has_latency)
        matrix_put_amount(filling, CYCLES, row, column,
                          build_cycles(build, count_rows_find(&profile->code_levels,
                                                              (size_t)(pair - profile->code.at),
                                                              pairs_hash(pair->owner, pair->key))));
}

static void put_pairs(const struct build *build, const struct matrix_axes *axes,
                      struct matrix_filling *filling)
{
    const struct pair *pair;
    for (size_t i = 0; (pair = pairs_next(&build->profile->code, &i));)
        put_pair(build, pair, filling, matrix_axes_row(axes, pair->extra),
                 matrix_axes_column(axes, PAIR_OBJECT(pair->owner)));
}

/* Returns the sum of the gaps of listed lines; ignores rounding errors. */
static double missing_weight(double *left, size_t count, double all)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        left[i] = left[i] > rounding * all ? left[i] : 0;
        sum += left[i];
    }
    return sum;
}

/* Distributes missing weight: in listed `rows`, in listed `columns`, `inner` in both. */
static void distribute_missing(struct matrix_filling *filling, enum matrix_quantity quantity,
                               double rows, double columns, double inner)
{
    size_t width = filling->columns + SNAPSHOT_MATRIX_REST;
    double *cells = filling->cells[quantity];
    const double *row_left = filling->row_left[quantity];
    const double *column_left = filling->column_left[quantity];
    for (size_t i = 0; i < filling->rows; i++) {
        double part = rows > 0 ? row_left[i] / rows : 0;
        for (size_t k = 0; k < filling->columns && inner > 0; k++)
            cells[i * width + k] += part * column_left[k] / columns * inner;
        cells[i * width + filling->columns] += part * (rows - inner);
    }
    for (size_t k = 0; k < filling->columns; k++)
        cells[filling->rows * width + k] +=
            columns > 0 ? column_left[k] / columns * (columns - inner) : 0;
    double corner = column_left[filling->columns] - (rows - inner);
    if (corner > 0)
        cells[filling->rows * width + filling->columns] += corner;
}

/* Distributes the weight missing in the pairs. Most of it goes to the rest. Cells between listed
 * rows and columns get only the minimum that makes all sums match. Returns that minimum. */
static double distribute_rest(struct matrix_filling *filling, enum matrix_quantity quantity,
                              double *dropped)
{
    double all = filling->all[quantity];
    double rows = missing_weight(filling->row_left[quantity], filling->rows, all);
    double columns = missing_weight(filling->column_left[quantity], filling->columns, all);
    double others = filling->column_left[quantity][filling->columns];
    double inner = fmin(fmin(rows, columns), rows - others);
    inner = inner > rounding * all ? inner : 0;
    *dropped = columns + others;
    distribute_missing(filling, quantity, rows, columns, inner);
    return inner;
}

/* Sets the margins; `filling` is zeroed. */
static void matrix_filling_open(const struct build *build, const struct matrix_axes *axes,
                                const struct snapshot_matrix *matrix,
                                struct matrix_filling *filling)
{
    const struct measures *measures = &build->profile->measures;
    filling->rows = matrix->row_count;
    filling->columns = matrix->column_count;
    for (int i = 0; i < SNAPSHOT_MEASURES; i++)
        filling->others[i] = i == (int)measures->ranking_measure ? -1 : measures->event[i];
    open_margins(build, filling, matrix);
    open_unplaced_column(build, axes, filling);
}

/* Sets the cells and the remainders of the margins. `dropped`: weight missing in the pairs;
 * `inner`: the part of it between listed lines. */
static void matrix_filling_put(const struct build *build, const struct matrix_axes *axes,
                               struct matrix_filling *filling, double dropped[QUANTITIES],
                               double inner[QUANTITIES])
{
    put_pairs(build, axes, filling);
    for (int i = 0; i < QUANTITIES; i++)
        inner[i] = distribute_rest(filling, (enum matrix_quantity)i, &dropped[i]);
}

/* Returns 0 or -ENOMEM; call matrix_axes_fini() in any case. */
static int matrix_axes_init(struct matrix_axes *axes, const struct build *build,
                            const struct snapshot_matrix *matrix)
{
    const struct snapshot *snapshot = build->snapshot;
    *axes = (struct matrix_axes){.rows = matrix->row_count,
                                 .columns = matrix->column_count,
                                 .functions = build->profile->functions.ids,
                                 .objects = build->profile->objects.ids};
    axes->row_of = malloc(axes->functions + 1);
    axes->column_of = malloc(axes->objects + 1);
    if (!axes->row_of || !axes->column_of)
        return -ENOMEM;
    memset(axes->row_of, (int)axes->rows, axes->functions + 1);
    memset(axes->column_of, (int)axes->columns, axes->objects + 1);
    for (size_t i = 0; i < axes->rows; i++)
        axes->row_of[snapshot->code[matrix->rows[i]].id] = (uint8_t)i;
    for (size_t i = 0; i < axes->columns; i++) {
        uint32_t id = snapshot->objects[matrix->columns[i]].id;
        do
            axes->column_of[id] = (uint8_t)i;
        while ((id = build_next_part(build, id)));
    }
    return 0;
}

static void matrix_axes_fini(struct matrix_axes *axes)
{
    free(axes->row_of);
    free(axes->column_of);
}

/* Details of the matrix's cells: instructions and fields from the pairs, threads and blocks from
 * the window, levels from the pairs' data sources. */

enum { NAME_BYTES = 256 };

/* Minimum share of the whole for a site to be shown in a cell. This limits sites to 4000. */
static const double min_site = 1.0 / 4000;

/* ---- instructions and fields ---- */

static void locate_site(const struct build *build, size_t row, struct snapshot_matrix_site *site)
{
    const struct snapshot *snapshot = build->snapshot;
    const struct snapshot_code *code = &snapshot->code[snapshot->matrix.rows[row]];
    size_t at = SORTED_BELOW(code->instructions, code->instruction_count, address, site->address);
    if (at == code->instruction_count || code->instructions[at].address != site->address)
        return;
    site->file = code->instructions[at].file;
    site->line = code->instructions[at].line;
}

/* Many sites share few fields: `known` holds the first site of each, + 1. */
static const char *field_of(struct build *build, struct hash *known, uint64_t where, size_t site)
{
    const struct snapshot_matrix *matrix = &build->snapshot->matrix;
    struct type_desc type;
    char name[NAME_BYTES];
    if (!where)
        return NULL;
    uint32_t *first = hash_insert(known, where, NULL);
    build->failed |= !first;
    if (first && *first)
        return matrix->sites[*first - 1].field;
    if (!build_type(build, offset_key_type(where), &type))
        return NULL;
    type_bits_name(&type, (uint32_t)where, offset_key_unit(where), name, sizeof name);
    if (first)
        *first = (uint32_t)site + 1;
    return arena_string(build->arena, name);
}

/* Lists the pairs of the ranking event with enough samples; `sites` NULL: only counts them. */
static size_t list_sites(struct build *build, const struct matrix_axes *axes, struct hash *known,
                         struct snapshot_matrix_site *sites)
{
    const struct pairs *pairs = &build->profile->code;
    double least = min_site * build->snapshot->matrix.all.samples;
    size_t used = 0;
    for (size_t i = 0; i < build->code_count; i++) {
        const struct pair *pair = build->profile->sorted[i];
        double samples = build_samples(build, &pair->weight);
        if (!(samples >= least) || !(samples > 0) || used == pairs->count)
            continue;
        if (sites) {
            struct snapshot_matrix_site *site = &sites[used];
            site->row = (uint16_t)matrix_axes_row(axes, pair->extra);
            site->column = (uint16_t)matrix_axes_column(axes, PAIR_OBJECT(pair->owner));
            site->address = pair->key;
            site->samples = samples;
            site->loads = build_samples(build, &pair->loads);
            site->stores = build_samples(build, &pair->stores);
            if (site->row < axes->rows)
                locate_site(build, site->row, site);
            site->field = field_of(build, known, pair->size, used);
        }
        used++;
    }
    return used;
}

static void build_sites(struct build *build, const struct matrix_axes *axes)
{
    struct snapshot_matrix *matrix = &build->snapshot->matrix;
    struct hash known;
    hash_init(&known);
    size_t count = list_sites(build, axes, &known, NULL);
    matrix->sites = build_array(build, count, sizeof *matrix->sites);
    if (matrix->sites)
        matrix->site_count = list_sites(build, axes, &known, matrix->sites);
    hash_fini(&known);
}

/* ---- threads and blocks ---- */

/* Finds or adds the entry of a thread and a block; `known` is a hash of all entries. */
static struct snapshot_matrix_block *block_of(struct build *build, const struct matrix_axes *axes,
                                              struct hash *known, const struct window_entry *entry)
{
    struct snapshot_matrix *matrix = &build->snapshot->matrix;
    struct snapshot_matrix_block block = {.row = (uint16_t)matrix_axes_row(axes, entry->function),
                                          .column =
                                              (uint16_t)matrix_axes_column(axes, entry->object),
                                          .tid = entry->tid,
                                          .base = entry->address - entry->offset};
    uint64_t cell = (uint64_t)block.row << 48 | (uint64_t)block.column << 32 | block.tid;
    uint32_t *at = hash_insert(known, hash_mix(cell) ^ block.base, NULL);
    build->failed |= !at;
    if (!at)
        return NULL;
    if (!*at) {
        matrix->blocks[matrix->block_count++] = block;
        *at = (uint32_t)matrix->block_count;
    }
    return &matrix->blocks[*at - 1];
}

/* The newest entries are sufficient for shares, and the window may be very large. */
static void build_blocks(struct build *build, const struct matrix_axes *axes)
{
    const struct window *window = &build->profile->window;
    struct snapshot_matrix *matrix = &build->snapshot->matrix;
    uint32_t recent = window->used < SNAPSHOT_MATRIX_RECENT ? window->used : SNAPSHOT_MATRIX_RECENT;
    struct hash known;
    hash_init(&known);
    double mean = window_mean_weight(window, recent);
    matrix->recent = recent;
    matrix->blocks = build_array(build, recent, sizeof *matrix->blocks);
    for (uint32_t i = 0; i < recent && !build->failed; i++) {
        const struct window_entry *entry = window_at(window, window->used - recent + i);
        struct snapshot_matrix_block *block = block_of(build, axes, &known, entry);
        if (block)
            block->samples += window_weight(entry) / mean;
    }
    hash_fini(&known);
}

/* ---- levels and rates ---- */

/* Sums each cell from all events: those that do not rank also have levels and rates. */
static void sum_cells(const struct build *build, const struct matrix_axes *axes,
                      struct build_sums *sums)
{
    const struct pair *pair;
    for (size_t i = 0; (pair = pairs_next(&build->profile->code, &i));) {
        size_t row = matrix_axes_row(axes, pair->extra);
        size_t column = matrix_axes_column(axes, PAIR_OBJECT(pair->owner));
        build_sum_code(build, pair, &sums[row * matrix_axes_width(axes) + column]);
    }
}

static void list_levels(struct build *build, size_t cells, const struct build_sums *sums)
{
    struct snapshot_matrix *matrix = &build->snapshot->matrix;
    for (size_t i = 0; i < cells && !build->failed; i++)
        if (matrix->cells[i].samples > 0)
            matrix->cells[i].levels = build_levels(build, &sums[i]);
}

/* Stores the sums of rates, so that the views can also compute rates of several lines together. */
static void list_rates(struct build *build, const struct matrix_axes *axes, size_t cells,
                       const struct build_sums *sums)
{
    const struct snapshot *snapshot = build->snapshot;
    struct snapshot_matrix *matrix = &build->snapshot->matrix;
    size_t width = matrix_axes_width(axes);
    for (size_t i = 0; i < cells; i++)
        if (snapshot_matrix_any(&matrix->cells[i]) && i % width < axes->columns &&
            i / width < axes->rows)
            matrix->cells[i].rates = build_copy(build, &sums[i].rates, sizeof sums[i].rates);
    for (size_t i = 0; i < axes->rows; i++) {
        struct build_sums all = {0};
        build_sum_function(build, snapshot->code[matrix->rows[i]].id, &all);
        matrix->row_totals[i].rates = build_copy(build, &all.rates, sizeof all.rates);
    }
    for (size_t i = 0; i < axes->columns; i++) {
        struct build_sums all = {0};
        uint32_t object = snapshot->objects[matrix->columns[i]].id;
        do
            build_sum_object(build, object, &all);
        while ((object = build_next_part(build, object)));
        matrix->column_totals[i].rates = build_copy(build, &all.rates, sizeof all.rates);
    }
    matrix->rates_plan = build_copy(build, &build->rates, sizeof build->rates);
    matrix->rates_all = build_copy(build, &build->rates_all, sizeof build->rates_all);
}

static void build_cell_levels(struct build *build, const struct matrix_axes *axes)
{
    const struct snapshot *snapshot = build->snapshot;
    size_t cells = (axes->rows + SNAPSHOT_MATRIX_REST) * matrix_axes_width(axes);
    if (!snapshot->levels && !snapshot->rates)
        return;
    struct build_sums *sums = build_scratch(build, cells, sizeof *sums);
    if (!build->failed)
        sum_cells(build, axes, sums);
    if (!build->failed && snapshot->levels)
        list_levels(build, cells, sums);
    if (!build->failed && snapshot->rates)
        list_rates(build, axes, cells, sums);
    free(sums);
}

/* Builds the details of the cells: sites, blocks, levels, causes. */
static void build_cells(struct build *build, const struct matrix_axes *axes)
{
    build_sites(build, axes);
    if (!build->failed)
        build_blocks(build, axes);
    if (!build->failed)
        build_cell_levels(build, axes);
    if (!build->failed)
        build_cell_causes(build, axes);
}

struct ranked {
    uint32_t index;
    double share;
};

static size_t matrix_list_ranked(struct ranked *ranked, size_t count, size_t most,
                                 uint32_t *indices)
{
    size_t used = 0;
    SORT(ranked, count, LARGEST(struct ranked, share), SMALLEST(struct ranked, index));
    while (used < count && used < most && ranked[used].share > 0) {
        indices[used] = ranked[used].index;
        used++;
    }
    return used;
}

static void rank_rows_and_columns(struct build *build, struct snapshot_matrix *matrix)
{
    const struct snapshot *snapshot = build->snapshot;
    struct ranked *ranked =
        build_scratch(build, snapshot->code_count + snapshot->object_count + 1, sizeof *ranked);
    for (size_t i = 0; ranked && i < snapshot->code_count; i++)
        ranked[i] = (struct ranked){(uint32_t)i, snapshot->code[i].all_share};
    if (ranked)
        matrix->row_count =
            matrix_list_ranked(ranked, snapshot->code_count, SNAPSHOT_MATRIX_ROWS, matrix->rows);
    for (size_t i = 0; ranked && i < snapshot->object_count; i++)
        ranked[i] = (struct ranked){(uint32_t)i, snapshot->objects[i].share.value};
    if (ranked)
        matrix->column_count = matrix_list_ranked(ranked, snapshot->object_count,
                                                  SNAPSHOT_MATRIX_COLUMNS, matrix->columns);
    free(ranked);
}

static struct snapshot_matrix_cell cell_of(const struct matrix_filling *filling,
                                           const double amount[QUANTITIES])
{
    double all = filling->all[WEIGHT] + filling->unplaced[WEIGHT];
    struct snapshot_matrix_cell cell = {.samples = amount[SAMPLES],
                                        .share = all > 0 ? amount[WEIGHT] / all : NAN,
                                        .loads = amount[LOADS],
                                        .stores = amount[STORES],
                                        .cycles = filling->has_latency ? amount[CYCLES] : NAN};
    for (int i = 0; i < SNAPSHOT_MEASURES; i++)
        cell.by_measure[i] = filling->others[i] >= 0 ? amount[OTHERS + i] : NAN;
    return cell;
}

/* Makes a cell of samples without an object, which have no latencies. */
static struct snapshot_matrix_cell make_unplaced_cell(const struct matrix_filling *filling,
                                                      const double amount[QUANTITIES])
{
    struct snapshot_matrix_cell cell = cell_of(filling, amount);
    cell.cycles = NAN;
    return cell;
}

static void write_margins(struct matrix_filling *filling, struct snapshot_matrix *matrix)
{
    double amount[QUANTITIES];
    for (int i = 0; i < QUANTITIES; i++)
        amount[i] = filling->all[i] + filling->unplaced[i];
    matrix->all = cell_of(filling, amount);
    for (size_t row = 0; row < filling->rows + SNAPSHOT_MATRIX_REST; row++) {
        for (int i = 0; i < QUANTITIES; i++)
            amount[i] = filling->row_left[i][row] + filling->no_object[i][row];
        matrix->row_totals[row] = cell_of(filling, amount);
    }
    for (size_t column = 0; column <= filling->columns; column++) {
        for (int i = 0; i < QUANTITIES; i++)
            amount[i] = filling->column_left[i][column];
        matrix->column_totals[column] = cell_of(filling, amount);
    }
    matrix->column_totals[filling->columns + 1] = make_unplaced_cell(filling, filling->unplaced);
    matrix->row_totals[filling->rows + 1].cycles = NAN;
}

static void write_cells(const struct matrix_filling *filling, struct snapshot_matrix *matrix)
{
    size_t width = filling->columns + SNAPSHOT_MATRIX_REST;
    double amount[QUANTITIES];
    for (size_t row = 0; row < filling->rows + SNAPSHOT_MATRIX_REST; row++) {
        for (size_t column = 0; column < width; column++) {
            for (int i = 0; i < QUANTITIES; i++)
                amount[i] = filling->cells[i][row * width + column];
            matrix->cells[row * width + column] = cell_of(filling, amount);
        }
        for (int i = 0; i < QUANTITIES; i++)
            amount[i] = filling->no_object[i][row];
        matrix->cells[row * width + width - 1] = make_unplaced_cell(filling, amount);
    }
}

static void matrix_fill(struct build *build, const struct matrix_axes *axes,
                        struct matrix_filling *filling, struct snapshot_matrix *matrix)
{
    double dropped[QUANTITIES];
    double inner[QUANTITIES];
    matrix_filling_open(build, axes, matrix, filling);
    write_margins(filling, matrix);
    matrix_filling_put(build, axes, filling, dropped, inner);
    write_cells(filling, matrix);
    double all = filling->all[WEIGHT];
    matrix->dropped_share = all > 0 ? dropped[WEIGHT] / all : NAN;
    matrix->estimated = all > 0 ? inner[WEIGHT] / all : NAN;
    matrix->attributed = all > 0 ? all / (all + filling->unplaced[WEIGHT]) : NAN;
}

void build_matrix(struct build *build)
{
    struct snapshot_matrix *matrix = &build->snapshot->matrix;
    *matrix = (struct snapshot_matrix){0};
    rank_rows_and_columns(build, matrix);
    if (build->failed || !matrix->row_count || !matrix->column_count) {
        matrix->row_count = matrix->column_count = 0;
        return;
    }
    size_t rows = matrix->row_count + SNAPSHOT_MATRIX_REST;
    size_t columns = matrix->column_count + SNAPSHOT_MATRIX_REST;
    matrix->row_totals = build_array(build, rows, sizeof(*matrix->cells));
    matrix->column_totals = build_array(build, columns, sizeof(*matrix->cells));
    matrix->cells = build_array(build, rows * columns, sizeof(*matrix->cells));
    struct matrix_filling *filling = build_scratch(build, 1, sizeof *filling);
    struct matrix_axes axes;
    build->failed |= matrix_axes_init(&axes, build, matrix);
    if (!build->failed) {
        matrix_fill(build, &axes, filling, matrix);
        build_cells(build, &axes);
    }
    matrix_axes_fini(&axes);
    free(filling);
}
