/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A range of code that is disassembled once: a function if its bounds are known and it is not huge,
 * otherwise the code around an address. */
#ifndef MISSTOP_DECODE_FUNCTION_H
#define MISSTOP_DECODE_FUNCTION_H

#include <stddef.h>
#include <stdint.h>

#include "decode/decoder.h"
#include "decode/insn.h"

enum { FUNCTION_BYTES_MAX = 256 * 1024 /* larger: in parts around the IP */ };

enum { FUNCTION_BLOCK = 8 }; /* instructions allocated together */

/* A loop of instructions [head, last]: the last one jumps back to the head. */
struct function_loop {
    uint32_t head : 24;
    bool known : 1; /* the next two members are valid */
    bool calls : 1;
    bool is_last_jump : 1; /* it is the last jump to its head */
    uint32_t last;
};

struct function {
    uint64_t start;
    uint64_t end;
    bool is_complete;              /* `start` is the entry point */
    bool flushes;                  /* contains a flush instruction */
    struct insn_outline *outlines; /* ascending; with gaps where bytes were no instructions */
    size_t count;
    struct function_loop *loops; /* sorted by last instruction; analysed loops only */
    size_t loop_count;
    struct insn **blocks; /* of FUNCTION_BLOCK each; NULL: not decoded yet */
    unsigned char *bytes;
    uint64_t bytes_start; /* address of the first byte, not after `start` */
    size_t *kept_bytes;   /* counter of used memory; NULL: none */
    /* For the decoder: memory of its IPs in the function, and time of the last use by its clock. */
    uint32_t ips;
    uint32_t last_used;
    size_t ips_bytes;
    bool was_evicted;
};

/*
 * Disassembles the function around ip. `part`: disassembles only the code around ip, because ip is
 * at no instruction of the whole function (it contains data). Returns NULL with *reason: NO_CODE if
 * the bytes cannot be read, BAD_CODE if ip is not at an instruction.
 */
struct function *function_new(const struct decode_target *target, uint64_t ip, bool part,
                              enum reason *reason);
void function_free(struct function *function);

size_t function_bytes(const struct function *function);

/* Returns a decoded instruction, not only the outline. Decodes it on first use, because most
 * instructions are never needed. Returns an unknown instruction if out of memory. */
const struct insn *function_insn(const struct function *function, size_t index);

/* Adds what the code around an instruction shows: loops, and loads before it. */
void function_describe(const struct function *function, const struct insn *insn);

/* Returns the index of the instruction that starts at the address, or SIZE_MAX. */
size_t function_index(const struct function *function, uint64_t address);

static inline uint64_t function_address(const struct function *function, size_t index)
{
    return function->start + function->outlines[index].at;
}

static inline bool function_adjacent(const struct function *function, size_t index)
{
    const struct insn_outline *before = &function->outlines[index - 1];
    return before->at + before->length == function->outlines[index].at;
}

#endif
