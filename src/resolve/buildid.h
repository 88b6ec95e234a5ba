/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Build-ids: what tells one build of a program from every other. Of the note that the linker
 * leaves in an ELF file (.note.gnu.build-id), which is hostile input. For the files of the
 * resolver that look for files.
 */
#ifndef MISSTOP_RESOLVE_BUILDID_H
#define MISSTOP_RESOLVE_BUILDID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BUILDID_MAX = 64, BUILDID_TEXT = 2 * BUILDID_MAX + 1 };

struct buildid {
    size_t size; /* bytes; 0: there is none */
    uint8_t bytes[BUILDID_MAX];
};

/* Of an open file; size 0 where it has none or is no ELF file. */
void buildid_read(struct buildid *id, int fd);

/*
 * Whether a file's is the one that is wanted. What perf recorded may be filled up with zeros to
 * 20 bytes, for old ones do not tell the length. Two that are not there are not the same.
 */
bool buildid_same(const struct buildid *of_file, const struct buildid *wanted);

/* In hexadecimal; "" for none. */
void buildid_print(char text[BUILDID_TEXT], const struct buildid *id);

#endif
