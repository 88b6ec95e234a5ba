/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the frame that contains a stack address, from the registers of the sample, by .eh_frame,
 * over a copy of the stack. The process runs meanwhile: outer frames rarely change, and an
 * inconsistent chain ends the walk. Source: DWARF 5, 6.4; System V ABI AMD64 1.0, 3.4.
 */
#ifndef MISSTOP_RESOLVE_ELF_UNWIND_H
#define MISSTOP_RESOLVE_ELF_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/hash.h"
#include "resolve/process/space.h"
#include "sample.h"

struct unwind_rule;

struct unwind {
    pid_t pid;
    struct hash of_pc; /* index into rules */
    struct unwind_rule *rules;
    uint32_t count;
    size_t room;
};

/* A frame: an address in its function, and its canonical frame address. */
struct unwind_frame {
    uint64_t pc; /* of the sample, or return address - 1: inside the call */
    uint64_t cfa;
};

/* Initialises the unwinder. `pid` 0: a recording, in which only the sample's frame is found because
 * stacks cannot be read. */
void unwind_init(struct unwind *unwind, pid_t pid);
void unwind_fini(struct unwind *unwind);

/* Drops cached rules: code has changed. */
void unwind_forget(struct unwind *unwind);

/* Finds the frame around a stack address from the registers of a sample; false: not found. */
bool unwind_find(struct unwind *unwind, struct space *space, const uint64_t regs[SREG_COUNT],
                 uint64_t address, struct unwind_frame *frame);

/* A copy of the stack at the sample, from the stack pointer up. */
struct unwind_copy {
    const unsigned char *bytes;
    uint32_t size_bytes;
};

/* Finds the callers of the sampled function, innermost first, each as an address inside its call.
 * Stops at a frame that cannot be followed or is gone. Returns their number, at most `most`. */
size_t unwind_callers(struct unwind *unwind, struct space *space, const uint64_t regs[SREG_COUNT],
                      const struct unwind_copy *copy, uint64_t *pcs, size_t most);

/* Returns true if a call ends with the byte at `pc`, as before each return address. */
bool unwind_is_call(struct unwind *unwind, struct space *space, uint64_t pc);

#endif
