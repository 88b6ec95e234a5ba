/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/graph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

size_t graph_insn(const struct graph *graph, uint64_t address)
{
    size_t low = 0;
    for (size_t high = graph->insn_count; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (graph->insns[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < graph->insn_count && graph->insns[low].address == address ? low : SIZE_MAX;
}

size_t graph_block(const struct graph *graph, size_t insn)
{
    size_t low = 0;
    for (size_t high = graph->block_count; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (graph->blocks[middle].first <= insn)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? low - 1 : 0;
}

uint32_t graph_begins(const struct graph *graph, uint64_t address)
{
    const struct where_list *list = graph->variables;
    uint32_t mask = 0;
    size_t low = 0;
    for (size_t high = list->count; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (list->at[middle].start < address)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < list->count && list->at[low].start == address; low++)
        if (list->at[low].reg != WHERE_CFA)
            mask |= 1u << list->at[low].reg;
    return mask;
}

static bool jumps(const struct insn *insn)
{
    return insn->flow == INSN_JUMP || insn->flow == INSN_CONDITIONAL;
}

static bool falls_through(const struct insn *insn)
{
    return insn->flow != INSN_JUMP && insn->flow != INSN_RETURN && insn->flow != INSN_STOP;
}

/* Whether the instruction after this one begins a block. */
static bool ends_block(const struct insn *insn, const struct insn *next)
{
    return jumps(insn) || !falls_through(insn) || next->is_target ||
           insn->address + insn->length != next->address;
}

static int cut(struct graph *graph)
{
    size_t room = 0;
    for (size_t i = 0; i < graph->insn_count; i++)
        room += !i || ends_block(&graph->insns[i - 1], &graph->insns[i]);
    graph->blocks = calloc(room, sizeof *graph->blocks);
    if (!graph->blocks)
        return -ENOMEM;
    for (size_t i = 0; i < graph->insn_count; i++) {
        if (!i || ends_block(&graph->insns[i - 1], &graph->insns[i]))
            graph->blocks[graph->block_count++].first = (uint32_t)i;
        graph->blocks[graph->block_count - 1].count++;
    }
    return 0;
}

/* Called for every way from a block to another; twice: to count, then to note. */
static void note(struct graph *graph, size_t from, size_t to, bool counting)
{
    struct block *block = &graph->blocks[to];
    if (!counting)
        graph->before[block->before_first + block->before_count] = (uint32_t)from;
    block->before_count++;
}

static const struct insn *last_of(const struct graph *graph, size_t block)
{
    return &graph->insns[graph->blocks[block].first + graph->blocks[block].count - 1];
}

static void direct_ways(struct graph *graph, bool counting)
{
    for (size_t block = 0; block < graph->block_count; block++) {
        const struct insn *last = last_of(graph, block);
        if (falls_through(last) && block + 1 < graph->block_count &&
            last->address + last->length == last[1].address)
            note(graph, block, block + 1, counting);
        size_t target = jumps(last) && last->target ? graph_insn(graph, last->target) : SIZE_MAX;
        if (target != SIZE_MAX)
            note(graph, block, graph_block(graph, target), counting);
    }
}

enum { INDIRECT_MAX = 8, INDIRECT_WAYS_MAX = 1 << 14 };

/* From indirect jumps to blocks that nothing else leads to; `unled` says which. */
static void indirect_ways(struct graph *graph, const bool *unled, bool counting)
{
    unsigned jumps_seen = 0;
    size_t left = INDIRECT_WAYS_MAX;
    for (size_t block = 0; block < graph->block_count; block++) {
        const struct insn *last = last_of(graph, block);
        if (last->flow != INSN_JUMP || last->target || jumps_seen++ >= INDIRECT_MAX)
            continue;
        for (size_t to = 1; to < graph->block_count && left; to++)
            if (unled[to]) {
                note(graph, block, to, counting);
                left--;
            }
    }
}

static int connect(struct graph *graph)
{
    bool *unled = calloc(graph->block_count, sizeof *unled);
    uint32_t ways = 0;
    if (!unled)
        return -ENOMEM;
    direct_ways(graph, true);
    for (size_t block = 0; block < graph->block_count; block++)
        unled[block] = !graph->blocks[block].before_count;
    indirect_ways(graph, unled, true);
    for (size_t block = 0; block < graph->block_count; block++) {
        graph->blocks[block].before_first = ways;
        ways += graph->blocks[block].before_count;
        graph->blocks[block].before_count = 0;
    }
    graph->before = calloc(ways + 1, sizeof *graph->before);
    if (graph->before) {
        direct_ways(graph, false);
        indirect_ways(graph, unled, false);
    }
    free(unled);
    return graph->before ? 0 : -ENOMEM;
}

int graph_init(struct graph *graph, const struct insn *insns, size_t count,
               const struct wheres *wheres)
{
    memset(graph, 0, sizeof *graph);
    graph->variables = &wheres->in_register;
    graph->insns = calloc(count, sizeof *graph->insns);
    if (!graph->insns)
        return -ENOMEM;
    memcpy(graph->insns, insns, count * sizeof *insns);
    graph->insn_count = count;
    int failed = cut(graph);
    return failed ? failed : connect(graph);
}

void graph_fini(struct graph *graph)
{
    free(graph->insns);
    free(graph->blocks);
    free(graph->before);
    memset(graph, 0, sizeof *graph);
}
