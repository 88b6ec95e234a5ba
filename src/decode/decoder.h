/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From a sample to the address it missed on (doc/design/decode.md; PMPT 2.3).
 *
 * The decoder disassembles a function once, and finds for each sampled IP the candidates
 * (culprit.h): which instruction is the culprit, and how its address follows from the registers. A
 * sample then costs one hash probe and a few additions. It has no access to processes and files:
 * its owner supplies the functions below. One thread only.
 */
#ifndef MISSTOP_DECODE_DECODER_H
#define MISSTOP_DECODE_DECODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "access.h"
#include "sample.h"

struct decoder;

enum decode_segment { DECODE_FS, DECODE_GS };

/* Requests of the decoder to the target. All addresses are the target's own. */
struct decode_target {
    void *context;
    /* Instruction bytes at address; returns how many could be read, 0..size. */
    size_t (*code)(void *context, uint64_t address, void *out, size_t size);
    /* Bounds of the function around ip, by symbol or .eh_frame; false: not known. */
    bool (*function)(void *context, uint64_t ip, uint64_t *start, uint64_t *end);
    /* The target's data memory now; all of it or false. NULL: none can be read. */
    bool (*memory)(void *context, uint64_t address, void *out, size_t size);
    bool constants_only; /* memory() of a recording: bytes that it does not have may exist
                            nevertheless */
    /* Base of fs or gs of a thread; false: not known. */
    bool (*segment)(void *context, uint32_t tid, enum decode_segment segment, uint64_t *base);
    /* Whether the address is in a readable mapping: filters nonsense. NULL: accept all. */
    bool (*mapped)(void *context, uint64_t address);
};

/* NULL: out of memory, or capstone refused. */
struct decoder *decoder_new(const struct decode_target *target);
void decoder_free(struct decoder *decoder);

/*
 * Fills `access` from `sample`. access->reason says REASON_NONE (address valid) or why
 * not; ip, tid, time, weight are always valid. Never fails otherwise.
 */
void decoder_decode(struct decoder *decoder, const struct sample *sample, struct access *access);

/* The function around ip as it was disassembled: ascending, the caller's to free. False: its bytes
 * cannot be read, ip is inside an instruction, or out of memory. */
struct insn;
bool decoder_function(struct decoder *decoder, uint64_t ip, struct insn **insns, size_t *count);

/* Code in [start, end) was unmapped, replaced or rewritten (JIT): forget what it said. */
void decoder_forget(struct decoder *decoder, uint64_t start, uint64_t end);

/* One instruction as text ("mov rax, qword ptr [rdi + 8]"), for the screens. False: cannot. */
bool decoder_text(struct decoder *decoder, uint64_t ip, char *out, size_t out_size);

#endif
