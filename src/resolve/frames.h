/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Function bounds from .eh_frame: what even stripped programs carry.
 * Source: Linux Standard Base Core, "Exception Frames"; entries are found by libdw.
 */
#ifndef MISSTOP_RESOLVE_FRAMES_H
#define MISSTOP_RESOLVE_FRAMES_H

#include <libelf.h>
#include <stddef.h>
#include <stdint.h>

struct frame {
    uint64_t start; /* file addresses */
    uint64_t end;
};

struct frames {
    struct frame *frames; /* ascending */
    size_t count;
    size_t room;
};

/* Reads the .eh_frame of a file; without one, or a damaged one, there are no frames. */
void frames_read(struct frames *frames, Elf *elf);
void frames_fini(struct frames *frames);

/* The function around a file address; NULL: none. */
const struct frame *frames_find(const struct frames *frames, uint64_t address);

#endif
