/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The basic blocks of a function and which may come before which. Blocks that nothing jumps to by
 * name are taken for targets of the function's indirect jumps (switch). For flow.c.
 */
#ifndef MISSTOP_RESOLVE_DWARF_GRAPH_H
#define MISSTOP_RESOLVE_DWARF_GRAPH_H

#include "decode/insn.h"
#include "resolve/dwarf/where.h"

#include <stddef.h>
#include <stdint.h>

struct block {
    uint32_t first; /* instruction */
    uint32_t count;
    uint32_t before_first; /* into `before`: the blocks that lead here */
    uint32_t before_count;
};

struct graph {
    struct insn *insns; /* a copy: the decoder may forget */
    size_t insn_count;
    struct block *blocks; /* by address */
    size_t block_count;
    uint32_t *before;
    const struct where_list *variables;
};

/* 0 or -ENOMEM. */
int graph_init(struct graph *graph, const struct insn *insns, size_t count,
               const struct wheres *wheres);
void graph_fini(struct graph *graph);

/* Index of the instruction at an address, SIZE_MAX: none; of the block that holds one. */
size_t graph_insn(const struct graph *graph, uint64_t address);
size_t graph_block(const struct graph *graph, size_t insn);

/* Mask of the registers in which variables begin to stand at an address. */
uint32_t graph_begins(const struct graph *graph, uint64_t address);

#endif
