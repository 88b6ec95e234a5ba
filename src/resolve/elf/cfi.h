/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Call frame rules in the forms that compilers generate, decoded from the operations of libdw. For
 * unwind.c and dwarf/.
 *
 * Source: DWARF 5, section 6.4; dwarf_frame_cfa(3), dwarf_frame_register(3); register numbers:
 * System V ABI AMD64, figure 3.36.
 */
#ifndef MISSTOP_RESOLVE_ELF_CFI_H
#define MISSTOP_RESOLVE_ELF_CFI_H

#include <elfutils/libdw.h>
#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CFI_FRAME_POINTER = 6, CFI_STACK_POINTER = 7, CFI_RETURN_ADDRESS = 16 };

/* Returns the enum sample_register of a DWARF number; SREG_NONE: another kind of register. */
uint8_t cfi_register(unsigned number);

/* Decodes "register + offset" in either encoding. Returns false for another operation. */
bool cfi_register_offset(const Dwarf_Op *op, unsigned *number, int64_t *offset);

enum cfi_saved_in {
    CFI_KEPT,            /* no rule: the register still holds the value */
    CFI_AT_CFA,          /* at the canonical frame address + offset */
    CFI_AT_FRAME_POINTER /* at rbp + offset: functions that align their stack */
};

struct cfi_saved {
    enum cfi_saved_in in;
    int64_t offset;
};

/* Finds where the frame saves a register of its caller; returns false if in another way. */
bool cfi_saved(Dwarf_Frame *frame, unsigned number, struct cfi_saved *saved);

/* Function bounds from .eh_frame, which even stripped programs contain. Source: Linux Standard Base
 * Core, "Exception Frames"; libdw finds the entries. */
struct frame {
    uint64_t start; /* file addresses */
    uint64_t end;
};

struct frames {
    struct frame *frames; /* ascending */
    size_t count;
    size_t room;
};

/* Reads the .eh_frame of a file. If it is missing or damaged, there are no frames. */
void frames_read(struct frames *frames, Elf *elf);
void frames_fini(struct frames *frames);

/* Returns the function around a file address; NULL: none. */
const struct frame *frames_find(const struct frames *frames, uint64_t address);

#endif
