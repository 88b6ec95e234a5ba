/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agent_abi.h"
#include "sim/tool/tool.h"

UChar agent_rings_ran;

static const struct agent_header *header; /* NULL: no agent */
static struct agent_sizes sizes;
static const struct agent_ring *rings;
static const struct agent_unit *units;
static ULong cursors[AGENT_RINGS_MAX]; /* positions read so far */

void agent_rings_mapped(Addr start, SizeT length)
{
    const struct agent_header *found = (const struct agent_header *)start;
    header = NULL;
    /* Written by misstop, but the program can write there too. */
    if (length < AGENT_HEADER_BYTES || found->magic != AGENT_MAGIC)
        return;
    sizes = found->sizes;
    if (!agent_sizes_valid(&sizes) || agent_total_bytes(&sizes) > length)
        return;
    header = found;
    rings = (const struct agent_ring *)(start + AGENT_HEADER_BYTES);
    units = (const struct agent_unit *)(start + agent_chunks_at(&sizes));
}

Bool agent_rings_begin(void)
{
    for (UInt i = 0; header && i < sizes.ring_count; i++)
        cursors[i] = rings[i].head;
    agent_rings_ran = False;
    return header != NULL;
}

static const struct agent_unit *unit_at(ULong at)
{
    return &units[(ULong)agent_chunk(at) * AGENT_CHUNK_UNITS + (at & (AGENT_CHUNK_UNITS - 1))];
}

/* Reads one record; returns the position after it. `end`: the record is invalid. */
static ULong agent_rings_take(ULong at, ULong end, void (*sink)(const struct agent_event *event))
{
    const struct agent_unit *unit = unit_at(at);
    struct agent_event event = {.address = unit->second & AGENT_ADDRESS_MASK};
    switch (unit->second >> AGENT_KIND_SHIFT) {
    case AGENT_OWNER:
    case AGENT_END:
        return at + 1;
    case AGENT_FREE:
        sink(&event);
        return at + 1;
    case AGENT_ALLOC:
        unit = unit_at(at + 1);
        event.bytes = unit->first;
        event.path = (UInt)unit->second & ~AGENT_NOT_TIMED;
        if (event.bytes)
            sink(&event);
        return at + 2;
    case AGENT_BRIEF:
        event.bytes = (UInt)unit->first;
        event.path = (UInt)(unit->first >> AGENT_BRIEF_PATH) & (AGENT_PATHS_MAX - 1);
        if (event.bytes)
            sink(&event);
        return at + 1;
    case AGENT_MAP:
    case AGENT_UNMAP:
        return at + 2;
    case AGENT_NEXT:
        return event.address < sizes.chunk_count ? agent_chunk_after(at, (UInt)event.address) : end;
    default:
        return end;
    }
}

/* Returns False if events were lost: there is more than all chunks hold, or the position went
 * backwards or is not where its writer is. A thread that took over a ring restarted it. */
static Bool follow_ring(UInt ring, void (*sink)(const struct agent_event *event))
{
    ULong head = __atomic_load_n(&rings[ring].head, __ATOMIC_ACQUIRE);
    ULong start = rings[ring].start;
    ULong at = cursors[ring];
    if (agent_units(start) > agent_units(at))
        at = start;
    cursors[ring] = head;
    if (head == at)
        return True;
    if (agent_units(head) - agent_units(at) > (ULong)sizes.chunk_count * AGENT_CHUNK_UNITS ||
        agent_chunk(head) >= sizes.chunk_count || agent_chunk(at) >= sizes.chunk_count)
        return False;
    while (agent_units(at) < agent_units(head))
        at = agent_rings_take(at, head | ~AGENT_UNITS_MASK, sink);
    return at == head;
}

Bool agent_rings_follow(void (*sink)(const struct agent_event *event))
{
    Bool whole = True;
    agent_rings_ran = False;
    if (!header)
        return True;
    UInt used = header->rings_used < sizes.ring_count ? header->rings_used : sizes.ring_count;
    for (UInt ring = 0; ring < used; ring++)
        whole &= follow_ring(ring, sink);
    return whole;
}
