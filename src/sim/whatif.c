/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/whatif.h"

#include "sim/resident.h"

enum { WARM_STEP_BYTES = 4, TOUCHED_BYTES = 64 << 20 };

static int fail(struct whatif *whatif, const char *text)
{
    whatif->memory.host.fail(whatif->memory.host.context, text);
    return -1;
}

int whatif_init(struct whatif *whatif, const struct relayout *relayout,
                const struct model_spec *spec, const struct model_host *host)
{
    const char *refused = relayout_refuse(relayout);
    struct model_spec second = *spec;
    *whatif = (struct whatif){.memory = {.host = *host}};
    second.causes = second.use = false;
    second.users_one_in = second.reuse_lines = 0;
    if (refused)
        return fail(whatif, refused);
    if (moved_init(&whatif->moved, relayout, &whatif->memory))
        return fail(whatif, "no memory for the blocks of the object");
    if (!relayout->part_count)
        return 0;
    whatif->touched_left_bytes = TOUCHED_BYTES;
    whatif->line_shift = (uint32_t)__builtin_ctz(spec->level[spec->level_count - 1].line_bytes);
    lines_init(&whatif->touched, &whatif->memory, &whatif->touched_left_bytes);
    whatif->settles_after = spec->level[spec->level_count - 1].size_bytes >> whatif->line_shift;
    whatif->memory.host.miss = NULL;
    whatif->memory.host.eviction = NULL;
    whatif->model = model_new(&second, &whatif->memory.host);
    return whatif->model ? whatif_runs(whatif, 0) : -1;
}

int whatif_runs(struct whatif *whatif, uint32_t thread)
{
    if (whatif->model)
        whatif->thread = model_thread(whatif->model, thread);
    return whatif->model && !whatif->thread ? -1 : 0;
}

/* Whether a line of the new layout is fetched for the first time. */
static bool touch(struct whatif *whatif, uint64_t address)
{
    uint64_t number = address >> whatif->line_shift;
    uint8_t *bits = lines_bits(&whatif->touched, number);
    uint8_t bit = (uint8_t)(1u << number % 8);
    bool first = bits && !(*bits & bit);
    if (first)
        *bits |= bit;
    return first;
}

/* ---- what lies in the first model's caches ---- */

/* A line of the object holds parts that lie in several lines then. */
static void warm_line(void *context, uint64_t address, uint32_t line_bytes)
{
    struct whatif *whatif = context;
    uint64_t before = UINT64_MAX;
    for (uint32_t done = 0; done < line_bytes; done += WARM_STEP_BYTES) {
        uint32_t bytes = 1;
        const struct moved_block *block = moved_find(&whatif->moved, address + done);
        uint64_t to = address + done;
        to = block ? moved_map(&whatif->moved, block, to, &bytes) : to;
        if (block)
            touch(whatif, to);
        if (to / line_bytes != before)
            model_access(whatif->thread, to, 1, MODEL_LOAD, MODEL_NOBODY);
        before = to / line_bytes;
    }
}

/* From the farthest level up: each puts in order what lies nearer, too. */
static int warm(struct whatif *whatif, const struct model *first)
{
    uint32_t levels = 0;
    while (model_total(first, levels))
        levels++;
    for (uint32_t thread = 0; thread < resident_threads(first); thread++) {
        if (whatif_runs(whatif, thread))
            return -1;
        for (uint32_t level = levels; level-- > 0;)
            resident_each(first, thread, level, warm_line, whatif);
    }
    return 0;
}

int whatif_begin(struct whatif *whatif, const struct model *first)
{
    int code = whatif->model ? warm(whatif, first) : 0;
    whatif->counts = (struct whatif_counts){0};
    return code;
}

/* ---- accesses ---- */

static void count(uint64_t *misses, uint32_t served)
{
    for (uint32_t level = 0; level < served && level < MODEL_LEVELS_MAX; level++)
        misses[level]++;
}

static void access_second(struct whatif *whatif, uint64_t address, uint32_t size_bytes,
                          uint32_t kind, uint32_t ip, bool object)
{
    uint32_t served = model_access(whatif->thread, address, size_bytes, kind, ip);
    if (__builtin_expect(!served, 1))
        return;
    count(whatif->counts.after.all, served);
    if (!object)
        return;
    count(whatif->counts.after.object, served);
    if (touch(whatif, address))
        count(whatif->counts.fresh, served);
}

/* What lies together then is one access. */
static void access_moved(struct whatif *whatif, const struct moved_block *block, uint64_t address,
                         uint32_t size_bytes, uint32_t kind, uint32_t ip)
{
    uint32_t bytes = size_bytes;
    uint64_t to = moved_map(&whatif->moved, block, address, &bytes);
    uint32_t done = bytes;
    while (done < size_bytes) {
        uint32_t more = size_bytes - done;
        uint64_t next = moved_map(&whatif->moved, block, address + done, &more);
        done += more;
        if (next == to + bytes) {
            bytes += more;
            continue;
        }
        access_second(whatif, to, bytes, kind, ip, true);
        whatif->counts.cut++;
        to = next;
        bytes = more;
    }
    access_second(whatif, to, bytes, kind, ip, true);
}

static void settle(struct whatif *whatif)
{
    uint32_t last = 0;
    while (last + 1 < MODEL_LEVELS_MAX && model_total(whatif->model, last + 1))
        last++;
    if (whatif->counts.after.all[last] < whatif->settles_after)
        return;
    whatif->settles_after = 0;
    whatif->counts = (struct whatif_counts){0};
}

void whatif_access(struct whatif *whatif, uint64_t address, uint32_t size_bytes, uint32_t kind,
                   uint32_t ip, uint32_t served)
{
    struct whatif_counts *counts = &whatif->counts;
    const struct moved_block *block = moved_find(&whatif->moved, address);
    if (__builtin_expect(whatif->settles_after != 0, 0))
        settle(whatif);
    counts->accesses++;
    counts->object_accesses += block != NULL;
    if (served) {
        count(counts->before.all, served);
        if (block)
            count(counts->before.object, served);
    }
    if (!whatif->model)
        return;
    if (block)
        access_moved(whatif, block, address, size_bytes, kind, ip);
    else
        access_second(whatif, address, size_bytes, kind, ip, false);
}
