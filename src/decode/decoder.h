/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the address on which a sample missed (doc/design/decode.md; PMPT 2.3).
 *
 * Each function is disassembled once, and the candidates (culprit.h) are found once for each IP.
 * After that a sample costs one hash lookup and a few additions. The decoder has no access to
 * processes and files: its owner supplies the functions below. One thread only.
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

struct decode_target {
    void *context;
    /* Reads instruction bytes; returns how many could be read, 0..size. */
    size_t (*code)(void *context, uint64_t address, void *out, size_t size);
    /* Finds the bounds of the function around ip, by symbol or .eh_frame; false: not known. */
    bool (*function)(void *context, uint64_t ip, uint64_t *start, uint64_t *end);
    /* Reads all `size` bytes of the target's current data memory, or returns false. NULL:
     * unsupported. */
    bool (*memory)(void *context, uint64_t address, void *out, size_t size);
    bool constants_only; /* memory() of a recording: missing bytes may still exist */
    /* Finds the base of fs or gs of a thread; false: not known. */
    bool (*segment)(void *context, uint32_t tid, enum decode_segment segment, uint64_t *base);
    /* Returns true if the address is readable, to filter wrong results. NULL: accepts all. */
    bool (*mapped)(void *context, uint64_t address);
};

/* Returns NULL if out of memory or capstone fails. */
struct decoder *decoder_new(const struct decode_target *target);
void decoder_free(struct decoder *decoder);

/* Fills `access`: ip, tid, time and weight even if access->reason is not REASON_NONE. */
void decoder_decode(struct decoder *decoder, const struct sample *sample, struct access *access);

/* Returns a copy of the disassembled function around ip, ascending; the caller frees it. Returns
 * false if its bytes cannot be read, ip is inside an instruction, or memory runs out. */
struct insn;
bool decoder_function(struct decoder *decoder, uint64_t ip, struct insn **insns, size_t *count);

/* Forgets code that was unmapped, replaced or rewritten (JIT), in [start, end). */
void decoder_forget(struct decoder *decoder, uint64_t start, uint64_t end);

/* Formats one instruction: "mov rax, qword ptr [rdi + 8]". Returns false if it cannot. */
bool decoder_text(struct decoder *decoder, uint64_t ip, char *out, size_t out_size);

#endif
