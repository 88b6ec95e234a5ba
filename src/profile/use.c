/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/use.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

enum { PROBES = 16, USE_MOVED = 2 /* no use_key(): its row is passed over */ };

void use_fini(struct use *use)
{
    free(use->rows);
    free(use->fetches);
    *use = (struct use){0};
}

/* What is in the caches now was fetched before: where is not forgotten. */
void use_clear(struct use *use)
{
    if (use->rows)
        memset(use->rows, 0, USE_ROWS * sizeof *use->rows);
    memset(use->all, 0, sizeof use->all);
    use->count = use->untold = 0;
}

uint64_t use_key(enum use_of of, uint8_t level, uint32_t id, uint64_t offset)
{
    return hash_mix(hash_mix((uint64_t)of << 40 | (uint64_t)level << 32 | id) ^ offset) | 1;
}

static void sum_counted(struct counted *into, const struct counted *more)
{
    into->at[BASIS_DECAYED] += more->at[BASIS_DECAYED];
    into->at[BASIS_RUN] += more->at[BASIS_RUN];
}

static void rescale_sums(struct use_sums *sums, double factor)
{
    sums->lines.at[BASIS_DECAYED] *= factor;
    sums->fetched_bytes.at[BASIS_DECAYED] *= factor;
    sums->used_bytes.at[BASIS_DECAYED] *= factor;
    sums->touched_bytes.at[BASIS_DECAYED] *= factor;
    for (int i = 0; i < LINE_USES; i++)
        sums->uses[i].at[BASIS_DECAYED] *= factor;
}

void use_rescale(struct use *use, double factor)
{
    for (int level = 0; level < USE_LEVELS; level++)
        rescale_sums(&use->all[level], factor);
    for (size_t i = 0; use->rows && i < USE_ROWS; i++)
        rescale_sums(&use->rows[i].sums, factor);
}

static bool begin(struct use *use)
{
    if (use->rows || use->failed)
        return !use->failed;
    use->rows = calloc(USE_ROWS, sizeof *use->rows);
    use->fetches = calloc(USE_FETCHES, sizeof *use->fetches);
    use->failed = !use->rows || !use->fetches;
    return !use->failed;
}

/* ---- where fetches fell ---- */

static struct use_fetch *fetch_at(const struct use *use, uint64_t address, uint16_t event)
{
    return &use->fetches[hash_mix(address ^ (uint64_t)event << 56) >> 32 & (USE_FETCHES - 1)];
}

void use_fetched(struct use *use, const struct place *place, uint32_t object, uint64_t offset)
{
    const struct access *access = &place->access;
    if (!begin(use))
        return;
    *fetch_at(use, access->address, access->event) =
        (struct use_fetch){access->address, offset, object, access->event};
}

void use_find_fetch(const struct use *use, const struct line_told *line, uint32_t *object,
                    uint64_t *offset)
{
    const struct use_fetch *fetch = use->fetches ? fetch_at(use, line->address, line->event) : NULL;
    if (!fetch || fetch->address != line->address || fetch->event != line->event)
        return;
    *object = fetch->object;
    *offset = fetch->offset;
}

/* ---- sums ---- */

static struct use_row *find(const struct use *use, uint64_t key, bool *empty)
{
    for (size_t i = 0; i < PROBES; i++) {
        struct use_row *row = &use->rows[(key + i) & (USE_ROWS - 1)];
        *empty = !row->key;
        if (row->key == key || !row->key)
            return row;
    }
    return NULL;
}

static void add(struct use_sums *sums, const struct line_told *line, double scale)
{
    double weight = (double)line->weight;
    counted_add(&sums->lines, weight, scale);
    counted_add(&sums->fetched_bytes, weight * line->line_bytes, scale);
    counted_add(&sums->used_bytes, weight * line->used_bytes, scale);
    counted_add(&sums->touched_bytes, weight * line->touched_bytes, scale);
    for (int i = 0; i < LINE_USES; i++)
        counted_add(&sums->uses[i], weight * line->uses[i], scale);
}

/* `most`: a row is begun while there are no more than that. Arrays have fields without number. */
static bool add_to(struct use *use, uint64_t key, size_t most, const struct line_told *line,
                   double scale)
{
    bool empty;
    struct use_row *row = find(use, key, &empty);
    if (!row || (empty && use->count >= most))
        return false;
    use->count += empty;
    row->key = key;
    add(&row->sums, line, scale);
    return true;
}

void use_add(struct use *use, const struct line_told *line, uint32_t object, uint64_t offset,
             uint32_t function, double scale)
{
    uint8_t level = line->level;
    if (level >= USE_LEVELS || line->event >= SAMPLE_EVENTS_MAX || !begin(use))
        return;
    use->level_of[line->event] = (uint8_t)(level + 1);
    add(&use->all[level], line, scale);
    const size_t most = USE_ROWS / 4 * 3, of_fields = USE_ROWS / 2;
    bool all = add_to(use, use_key(USE_OBJECT, level, object, 0), most, line, scale);
    all &= add_to(use, use_key(USE_FIELD, level, object, offset), of_fields, line, scale);
    all &= add_to(use, use_key(USE_FUNCTION, level, function, 0), most, line, scale);
    all &= add_to(use, use_key(USE_INSTRUCTION, level, 0, line->ip), most, line, scale);
    use->untold += !all;
}

void use_join(struct use *use, uint64_t key, uint64_t into)
{
    bool empty = true;
    struct use_row *from = use->rows && key != into ? find(use, key, &empty) : NULL;
    if (!from || empty)
        return;
    struct use_row *to = find(use, into, &empty);
    if (!to)
        return;
    to->key = into;
    sum_counted(&to->sums.lines, &from->sums.lines);
    sum_counted(&to->sums.fetched_bytes, &from->sums.fetched_bytes);
    sum_counted(&to->sums.used_bytes, &from->sums.used_bytes);
    sum_counted(&to->sums.touched_bytes, &from->sums.touched_bytes);
    for (int i = 0; i < LINE_USES; i++)
        sum_counted(&to->sums.uses[i], &from->sums.uses[i]);
    use->count += empty;
    *from = (struct use_row){.key = USE_MOVED};
}

const struct use_sums *use_row(const struct use *use, uint64_t key)
{
    bool empty;
    const struct use_row *row = use->rows ? find(use, key, &empty) : NULL;
    return row && !empty ? &row->sums : NULL;
}
