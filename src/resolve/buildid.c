/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/buildid.h"

#include <elfutils/libdwelf.h>
#include <stdio.h>
#include <string.h>

enum { PADDED_BYTES = 20 };

void buildid_read(struct buildid *id, int fd)
{
    const void *found = NULL;
    id->size = 0;
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    ssize_t size = elf ? dwelf_elf_gnu_build_id(elf, &found) : -1;
    if (size > 0 && size <= BUILDID_MAX) {
        id->size = (size_t)size;
        memcpy(id->bytes, found, id->size);
    }
    if (elf)
        elf_end(elf);
}

static bool only_zeros(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i])
            return false;
    return true;
}

bool buildid_same(const struct buildid *of_file, const struct buildid *wanted)
{
    size_t size = of_file->size;
    if (!size || size > wanted->size || memcmp(of_file->bytes, wanted->bytes, size))
        return false;
    return size == wanted->size ||
           (wanted->size == PADDED_BYTES && only_zeros(wanted->bytes + size, wanted->size - size));
}

void buildid_print(char text[BUILDID_TEXT], const struct buildid *id)
{
    *text = '\0';
    for (size_t i = 0; i < id->size; i++)
        snprintf(text + 2 * i, 3, "%02x", id->bytes[i]);
}
