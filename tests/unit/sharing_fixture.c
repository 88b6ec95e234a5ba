/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sharing_fixture.h"

#include <math.h>

static const struct sharing_row {
    enum sharing_verdict verdict;
    enum sharing_evidence evidence;
    double share;
    double hitm;
    size_t lines;
    unsigned sides;
    bool locked;
    enum sharing_remedy_kind remedy;
} rows[] = {
    {SHARING_FALSE, SHARING_HITM, 0.21, 310, 3, 2, false, SHARING_PER_ELEMENT},
    {SHARING_TRUE, SHARING_TURNS, 0.08, NAN, 1, 6, true, SHARING_LOCK_LESS},
    {SHARING_UNSURE, SHARING_TURNS, 0.01, NAN, 1, 2, false, SHARING_NO_REMEDY},
    {SHARING_READ_ONLY, SHARING_TURNS, 0.002, 0, 1, 3, false, SHARING_NO_REMEDY},
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
            .where = i ? NULL : "counter.c:12",
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
                                           .of_object = 0.5,
                                           .hitm = row->hitm / (double)row->lines,
                                           .turns = 90,
                                           .pairs = 190,
                                           .expected = 95,
                                           .locked = row->locked,
                                           .node = row->locked ? -1 : 1,
                                           .threads = row->sides,
                                           .side_count = row->sides};
    line->sides = arena_array(arena, row->sides, sizeof *line->sides);
    for (unsigned i = 0; i < row->sides; i++)
        fill_side(snapshot, row, i, object, &line->sides[i]);
}

void sharing_fixture_fill(struct arena *arena, struct snapshot *snapshot)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct snapshot_sharing *sharing = &snapshot->sharing;
    *sharing =
        (struct snapshot_sharing){.evidence = SHARING_HITM,
                                  .groups = arena_array(arena, ROWS, sizeof *sharing->groups),
                                  .group_count = ROWS};
    for (uint32_t i = 0; i < ROWS; i++) {
        const struct sharing_row *row = &rows[i];
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
            .of_object = 0.5,
            .hitm = row->hitm,
            .turns = 90,
            .expected = 95,
            .locked = row->locked,
            .sure = row->verdict != SHARING_UNSURE,
            .threads = row->sides,
            .remedy = {row->remedy},
            .lines = arena_array(arena, row->lines, sizeof *group->lines),
            .line_count = row->lines};
        for (size_t k = 0; k < row->lines; k++)
            fill_line(arena, snapshot, row, object, k, &group->lines[k]);
    }
}
