/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which word of a loaded file tells where its thread-local image is. The dynamic linker leaves
 * the answer in the slots of the file's relocations: the number of the module in a thread's
 * table (DTPMOD64), or the distance from the thread pointer (TPOFF64), or either (TLSDESC).
 * Source: ELF Handling for Thread-Local Storage (Drepper), 4.4.6; System V ABI x86-64, 4.4.
 */
#ifndef MISSTOP_RESOLVE_TLSSLOT_H
#define MISSTOP_RESOLVE_TLSSLOT_H

#include <libelf.h>
#include <stdint.h>
#include <sys/types.h>

enum tlsslot_kind { TLSSLOT_NONE, TLSSLOT_MODULE, TLSSLOT_OFFSET, TLSSLOT_DESCRIPTOR };

struct tlsslot {
    enum tlsslot_kind kind;
    uint64_t address; /* of the word; as in the file */
    uint64_t within;  /* of OFFSET, DESCRIPTOR: offset in the image that it speaks of */
};

/* Where an image lies: static, below every thread's block; or by the thread's table. */
struct tlsslot_answer {
    uint64_t module; /* number in the table; 0: static */
    uint64_t offset; /* of a static one: what to add to the thread pointer */
};

/* Finds the best slot of a file; NONE: it has no relocation that tells. */
struct tlsslot tlsslot_of(Elf *elf);

/* Reads it from a process where the file lies at `bias`. 0, or -ENOENT: not told. */
int tlsslot_read(const struct tlsslot *slot, pid_t pid, uint64_t bias,
                 struct tlsslot_answer *answer);

#endif
