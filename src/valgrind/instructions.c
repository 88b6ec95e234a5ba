/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "valgrind/instructions.h"

#include "pub_tool_hashtable.h"
#include "pub_tool_mallocfree.h"
#include "valgrind/shared.h"

/* The first two members are those of VgHashNode. */
struct node {
    struct node *next;
    UWord ip;
    struct sim_instruction *place;
};

static VgHashTable *nodes;
static struct sim_instruction crowded;

void instructions_start(void)
{
    nodes = VG_(HT_construct)("misstop.instructions");
}

static struct sim_instruction *new_place(Addr ip)
{
    struct sim_header *header = &shared->header;
    if (header->instructions_used >= SIM_INSTRUCTIONS_MAX)
        return &crowded;
    struct sim_instruction *place = &shared->instructions[header->instructions_used];
    place->ip = ip;
    __atomic_store_n(&header->instructions_used, header->instructions_used + 1, __ATOMIC_RELEASE);
    return place;
}

struct sim_instruction *instructions_place(Addr ip)
{
    struct node *node = VG_(HT_lookup)(nodes, ip);
    if (!node) {
        node = VG_(malloc)("misstop.instruction", sizeof *node);
        node->ip = ip;
        node->place = new_place(ip);
        VG_(HT_add_node)(nodes, node);
    }
    shared->header.instructions_lost = crowded.counts[0] + crowded.counts[1] + crowded.counts[2];
    return node->place;
}
