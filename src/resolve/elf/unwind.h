/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which function's frame an address of a thread's stack is in: the frames are walked from the
 * registers of the sample, by the call frame information of the files (.eh_frame), over a copy of
 * the stack. The process runs on meanwhile: frames further out rarely change, and a chain that
 * makes no sense ends there. For the resolver. Source: DWARF 5, 6.4; System V ABI AMD64 1.0, 3.4.
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

/* A frame: its function's address, and its canonical frame address. */
struct unwind_frame {
    uint64_t pc; /* of the sample, or return address - 1: inside the call */
    uint64_t cfa;
};

/* `pid` 0: a recording, with stacks that cannot be read: only the sample's frame is found. */
void unwind_init(struct unwind *unwind, pid_t pid);
void unwind_fini(struct unwind *unwind);

/* Code has changed somewhere. */
void unwind_forget(struct unwind *unwind);

/* The frame around a stack address, from the registers of a sample; false: not found. */
bool unwind_find(struct unwind *unwind, struct space *space, const uint64_t regs[SREG_COUNT],
                 uint64_t address, struct unwind_frame *frame);

/* A copy of the stack from the stack pointer up, as it was at the sample. */
struct unwind_copy {
    const unsigned char *bytes;
    uint32_t size_bytes;
};

/* The callers of the sampled function, innermost first, each by an address inside its call. Ends
 * where a frame cannot be followed, or is no longer there. Returns how many, `most` at most. */
size_t unwind_callers(struct unwind *unwind, struct space *space, const uint64_t regs[SREG_COUNT],
                      const struct unwind_copy *copy, uint64_t *pcs, size_t most);

/* Whether a call ends with the byte at `pc`, as one does before each return address. */
bool unwind_is_call(struct unwind *unwind, struct space *space, uint64_t pc);

#endif
