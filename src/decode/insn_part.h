/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What insn.c puts together: registers, memory operands, and what an instruction does, each out of
 * capstone's description. Private to src/decode/insn*.c.
 */
#ifndef MISSTOP_DECODE_INSN_PART_H
#define MISSTOP_DECODE_INSN_PART_H

#include "decode/insn.h"

#include <capstone/capstone.h>

/* A general register as an operand names it. */
struct insn_part {
    uint8_t reg;   /* enum sample_register, SREG_NONE */
    uint8_t width; /* bytes; 0: the high byte of AX..DX, which is not followed */
};

struct insn_part insn_part(unsigned reg);
bool insn_is_vector(unsigned reg);

struct insn_memory insn_memory_of(const cs_insn *in, const cs_x86_op *op);

/* Memory operands, named or not (push, call, ...), the likeliest to miss first. */
void insn_add_memory(struct insn *out, const struct cs_insn *in);

/* Operation, destination, source, and which registers are written; after the operands. */
void insn_add_operation(struct insn *out, const struct cs_insn *in);

#endif
