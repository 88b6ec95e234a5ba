/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "valgrind/agent_rings.h"

#include "agent_abi.h"

UChar agent_rings_ran;

static const struct agent_header *header; /* NULL: no agent */
static struct agent_sizes sizes;
static const struct agent_ring *rings;
static const struct agent_unit *units;
static ULong cursors[AGENT_RINGS_MAX]; /* units read */

void agent_rings_mapped(Addr start, SizeT length)
{
    const struct agent_header *found = (const struct agent_header *)start;
    header = NULL;
    /* Written by misstop, but the program could write there too. */
    if (length < AGENT_HEADER_BYTES || found->magic != AGENT_MAGIC)
        return;
    sizes = found->sizes;
    if (!agent_sizes_valid(&sizes) || agent_total_bytes(&sizes) > length)
        return;
    header = found;
    rings = (const struct agent_ring *)(start + AGENT_HEADER_BYTES);
    units = (const struct agent_unit *)(start + agent_units_at(&sizes));
}

Bool agent_rings_begin(void)
{
    for (UInt i = 0; header && i < sizes.ring_count; i++)
        cursors[i] = rings[i].head;
    agent_rings_ran = False;
    return header != NULL;
}

static const struct agent_unit *unit_at(UInt ring, ULong at)
{
    return &units[(ULong)ring * sizes.ring_units + (at & (sizes.ring_units - 1))];
}

/* One record; its units. */
static UInt take(UInt ring, ULong at, void (*told)(const struct agent_event *event))
{
    const struct agent_unit *unit = unit_at(ring, at);
    struct agent_event event = {.address = unit->second & AGENT_ADDRESS_MASK};
    switch (unit->second >> AGENT_KIND_SHIFT) {
    case AGENT_OWNER:
        return 1;
    case AGENT_FREE:
        told(&event);
        return 1;
    case AGENT_ALLOC:
        unit = unit_at(ring, at + 1);
        event.bytes = unit->first;
        event.path = (UInt)unit->second;
        if (event.bytes)
            told(&event);
        return 2;
    default:
        return 2;
    }
}

/* More than the ring holds, or backwards: nobody can tell what was there. */
static Bool follow_ring(UInt ring, void (*told)(const struct agent_event *event))
{
    ULong head = __atomic_load_n(&rings[ring].head, __ATOMIC_ACQUIRE);
    if (head - cursors[ring] > sizes.ring_units) {
        cursors[ring] = head;
        return False;
    }
    while (cursors[ring] < head)
        cursors[ring] += take(ring, cursors[ring], told);
    return True;
}

Bool agent_rings_follow(void (*told)(const struct agent_event *event))
{
    Bool whole = True;
    agent_rings_ran = False;
    if (!header)
        return True;
    UInt used = header->rings_used < sizes.ring_count ? header->rings_used : sizes.ring_count;
    for (UInt ring = 0; ring < used; ring++)
        whole &= follow_ring(ring, told);
    return whole;
}
