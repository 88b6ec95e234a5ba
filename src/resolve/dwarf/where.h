/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where a function's variables are at each of its addresses, inlined functions' among them, and
 * what its calls call: read from DWARF once, as ranges of addresses. For the files of this folder.
 */
#ifndef MISSTOP_RESOLVE_DWARF_WHERE_H
#define MISSTOP_RESOLVE_DWARF_WHERE_H

#include "resolve/dwarf/routine.h"
#include "resolve/dwarf/shape.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum where_kind {
    WHERE_HELD,     /* `reg` holds the variable, or the part of it from `part` on */
    WHERE_COMPUTED, /* the variable's value is `reg` + `offset` */
    WHERE_MEMORY,   /* the variable stands in memory at `reg` + `offset` */
    WHERE_POINTED   /* the address of the variable is in memory at `reg` + `offset` */
};

enum { WHERE_CFA = 0x40 }; /* for a register: the canonical frame address */

struct where {
    uint64_t start; /* run-time addresses of the code for which it holds */
    uint64_t end;
    uint64_t reach; /* the farthest end of this and all before it in its list */
    int64_t offset;
    uint64_t part; /* bytes of the variable before what stands here */
    uint64_t size; /* bytes that stand here; 0: not known */
    uint32_t shape;
    uint8_t kind;  /* enum where_kind */
    uint8_t reg;   /* enum sample_register or WHERE_CFA */
    bool anywhere; /* told of its whole scope: where it stands when it stands anywhere */
};

/* A call whose callee DWARF names: what its result is of. */
struct where_call {
    uint64_t back; /* run-time return address */
    Dwarf_Die callee;
};

struct where_list {
    struct where *at; /* by start */
    size_t count;
    size_t room;
};

struct wheres {
    struct where_list in_register; /* HELD, COMPUTED */
    struct where_list in_memory;
    struct where_call *calls; /* by address */
    size_t call_count;
    size_t call_room;
};

void wheres_read(struct wheres *wheres, struct shapes *shapes, const struct routine *routine);
void wheres_fini(struct wheres *wheres);

/* Goes through those of a list that hold at an address: *at is 0 at first. NULL: no more. */
const struct where *where_next(const struct where_list *list, uint64_t address, size_t *at);

/* The callee of the call that returns to an address; NULL: not told. */
const Dwarf_Die *wheres_callee(const struct wheres *wheres, uint64_t back);

#endif
