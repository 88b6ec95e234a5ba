/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/sharing.h"

#include "access.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { STORED = 1, SEVERAL = 2, RECORDED = 4 };

/* What was seen longer ago says nothing of now. */
#define WATCH_NS UINT64_C(60000000000)

int sharing_init(struct sharing *sharing)
{
    *sharing =
        (struct sharing){.watched = aligned_alloc(sizeof(struct sharing_watch),
                                                  SHARING_WATCHED * sizeof(struct sharing_watch)),
                         .lines = calloc(SHARING_LINES, sizeof(struct sharing_line))};
    if (!sharing->watched || !sharing->lines || pairs_init(&sharing->ranking, SHARING_LINES)) {
        sharing_fini(sharing);
        return -ENOMEM;
    }
    sharing_clear(sharing);
    return 0;
}

void sharing_fini(struct sharing *sharing)
{
    free(sharing->watched);
    free(sharing->lines);
    pairs_fini(&sharing->ranking);
    *sharing = (struct sharing){0};
}

void sharing_clear(struct sharing *sharing)
{
    memset(sharing->watched, 0, SHARING_WATCHED * sizeof *sharing->watched);
    memset(sharing->lines, 0, SHARING_LINES * sizeof *sharing->lines);
    pairs_clear(&sharing->ranking);
}

void sharing_rescale(struct sharing *sharing, double factor)
{
    pairs_rescale(&sharing->ranking, factor);
    for (int i = 0; i < SHARING_LINES; i++)
        sharing_line_rescale(&sharing->lines[i], factor);
}

static uint64_t line_hash(uint64_t line)
{
    return hash_mix(line);
}

static struct sharing_watch *watch_of(const struct sharing *sharing, uint64_t hash)
{
    return &sharing->watched[hash & (SHARING_WATCHED - 1)];
}

void sharing_prefetch(const struct sharing *sharing, uint64_t address)
{
    __builtin_prefetch(watch_of(sharing, line_hash(address / SHARING_LINE_BYTES)), 1);
}

static uint64_t line_address(uint64_t address)
{
    return address & ~(uint64_t)(SHARING_LINE_BYTES - 1);
}

static void note(struct sharing_watch *seen, const struct place *place, unsigned flags)
{
    const struct access *access = &place->access;
    *seen = (struct sharing_watch){.time_ns = access->time_ns,
                                   .address = access->address,
                                   .ip = access->ip,
                                   .tid = access->tid,
                                   .cpu = access->cpu,
                                   .object = place->object,
                                   .function = place->function,
                                   .type = place->by_member ? place->type : 0,
                                   .type_offset = place->type_offset,
                                   .size = access->size,
                                   .kind = access->kind,
                                   .locked = access->locked,
                                   .flags = (uint8_t)flags};
}

/* The access remembered, as it came; where it fell is known if that is where this one falls. */
static struct place recall(const struct sharing_watch *seen, const struct place *place)
{
    bool same = seen->object == place->object;
    struct place past = {.object = seen->object,
                         .function = seen->function,
                         .base = same ? place->base : seen->address,
                         .size_bytes = same ? place->size_bytes : 0,
                         .type = seen->type,
                         .type_offset = seen->type_offset,
                         .by_member = seen->type != 0};
    past.access = (struct access){.time_ns = seen->time_ns,
                                  .address = seen->address,
                                  .ip = seen->ip,
                                  .tid = seen->tid,
                                  .cpu = seen->cpu,
                                  .size = seen->size,
                                  .kind = seen->kind,
                                  .locked = seen->locked};
    return past;
}

/* The line's row; begun with what is remembered of the access before. NULL: not hot enough. */
static struct sharing_line *row_of(struct sharing *sharing, const struct sharing_watch *seen,
                                   const struct place *place, double scale)
{
    static const struct data_source nothing;
    uint64_t address = line_address(place->access.address);
    uint64_t hash = line_hash(address / SHARING_LINE_BYTES) | 1;
    struct pair *pair = pairs_take(&sharing->ranking, hash, 0, address, scale);
    if (!pair)
        return NULL;
    struct sharing_line *line = &sharing->lines[pair - sharing->ranking.at];
    if (line->address == address)
        return line;
    sharing_line_start(line, address);
    if (line_address(seen->address) == address) {
        struct place past = recall(seen, place);
        sharing_line_add(line, &past, &nothing, scale);
    }
    return line;
}

void sharing_add(struct sharing *sharing, const struct place *place, double scale)
{
    const struct access *access = &place->access;
    uint64_t address = line_address(access->address);
    struct sharing_watch *seen = watch_of(sharing, line_hash(address / SHARING_LINE_BYTES));
    struct data_source source = {0};
    if (access->kind == ACCESS_PREFETCH)
        return;
    bool known =
        line_address(seen->address) == address && access->time_ns - seen->time_ns <= WATCH_NS;
    unsigned flags = known ? seen->flags : 0;
    if (known && seen->tid != access->tid)
        flags |= SEVERAL;
    if (sharing_writes(access))
        flags |= STORED;
    if (access->data_src) {
        source = data_source_decode(access->data_src);
        flags |= RECORDED;
    }
    if (source.snoop == SNOOP_HITM || (flags & SEVERAL && flags & (STORED | RECORDED))) {
        struct sharing_line *line = row_of(sharing, seen, place, scale);
        if (line)
            sharing_line_add(line, place, &source, scale);
    }
    note(seen, place, flags);
}
