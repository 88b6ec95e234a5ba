/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A range of code disassembled once: a function where its bounds are known and it is not huge, else
 * the code around an address.
 */
#ifndef MISSTOP_DECODE_FUNCTION_H
#define MISSTOP_DECODE_FUNCTION_H

#include <stddef.h>
#include <stdint.h>

#include "decode/decoder.h"
#include "decode/insn.h"

enum { FUNCTION_BYTES_MAX = 256 * 1024 /* longer ones are taken in parts around the IP */ };

enum { FUNCTION_BLOCK = 8 }; /* instructions that have their memory together */

/* Instructions [head, last]: the last one jumps back to the head. */
struct function_loop {
    uint32_t head : 24;
    bool known : 1; /* the next two are */
    bool calls : 1;
    bool ends : 1; /* the last of those that jump back to one place */
    uint32_t last;
};

struct function {
    uint64_t start;
    uint64_t end;
    bool whole;                    /* start is where calls arrive */
    bool flushes;                  /* one of its instructions does */
    struct insn_outline *outlines; /* ascending; holes where bytes were no instructions */
    size_t count;
    struct function_loop *loops; /* by their last instruction; those that are looked at */
    size_t loop_count;
    struct insn **blocks; /* of FUNCTION_BLOCK each; NULL: none of it was asked for */
    unsigned char *bytes;
    uint64_t bytes_start; /* address of the first, not after `start` */
    size_t *kept_bytes;   /* where memory is counted; NULL: nowhere */
    /* The decoder's: what it keeps of IPs in it, and when it was asked about last, by its clock. */
    uint32_t ips;
    uint32_t used;
    size_t ips_bytes;
    bool forgotten;
};

/*
 * Disassembles around ip; `part`: only what surrounds it, for its function was disassembled and it
 * is at none of the instructions, as where data is among them. NULL with *reason: NO_CODE when the
 * bytes cannot be read, BAD_CODE when ip is not at an instruction.
 */
struct function *function_new(const struct decode_target *target, uint64_t ip, bool part,
                              enum reason *reason);
void function_free(struct function *function);

/* Memory that it takes by now. */
size_t function_bytes(const struct function *function);

/* One of its instructions, not the outline only: decoded when it is asked for, because most of a
 * function never is. Without memory it is an unknown one. */
const struct insn *function_insn(const struct function *function, size_t index);

/* Adds to one of its instructions what it has by the code around it: the loops, and loads before
 * it. For those that are the access of a sample. */
void function_describe(const struct function *function, const struct insn *insn);

/* Index of the instruction that starts at the address; SIZE_MAX: none does. */
size_t function_index(const struct function *function, uint64_t address);

static inline uint64_t function_address(const struct function *function, size_t index)
{
    return function->start + function->outlines[index].at;
}

/* Whether the instruction before this one ends where it begins. */
static inline bool function_adjacent(const struct function *function, size_t index)
{
    const struct insn_outline *before = &function->outlines[index - 1];
    return before->at + before->length == function->outlines[index].at;
}

#endif
