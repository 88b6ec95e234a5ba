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

struct function {
    uint64_t start;
    uint64_t end;
    bool whole;         /* start is where calls arrive */
    struct insn *insns; /* outlines, ascending; holes where bytes were no instructions */
    size_t count;
    unsigned char *bytes;
    uint64_t bytes_start; /* address of the first, not after `start` */
};

/*
 * Disassembles around ip. NULL with *reason: NO_CODE when the bytes cannot be read, BAD_CODE
 * when ip is not at an instruction.
 */
struct function *function_new(const struct decode_target *target, uint64_t ip, enum reason *reason);
/* Only what surrounds ip, whatever is known of its function: that was disassembled, and ip is at
 * none of its instructions, for data is among them. */
struct function *function_part(const struct decode_target *target, uint64_t ip,
                               enum reason *reason);
void function_free(struct function *function);

/* One of its instructions with all that is known of it: worked out when it is asked for, for most
 * of a function never is. */
const struct insn *function_insn(const struct function *function, size_t index);

/* Index of the instruction that starts at the address; SIZE_MAX: none does. */
size_t function_index(const struct function *function, uint64_t address);

#endif
