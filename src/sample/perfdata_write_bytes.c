/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/perfdata_write_bytes.h"

#include <stdlib.h>
#include <string.h>

enum { STRING_ALIGN = 64 /* as perf does: tools/perf/util/header.h, NAME_ALIGN */ };

void perfdata_bytes_fini(struct perfdata_bytes *bytes)
{
    free(bytes->at);
    *bytes = (struct perfdata_bytes){0};
}

void perfdata_bytes_clear(struct perfdata_bytes *bytes)
{
    bytes->used = 0;
    bytes->failed = false;
}

bool perfdata_bytes_reserve(struct perfdata_bytes *bytes, size_t size)
{
    if (bytes->room - bytes->used >= size)
        return true;
    size_t room = bytes->room ? bytes->room : 4096;
    while (room - bytes->used < size)
        room *= 2;
    unsigned char *more = realloc(bytes->at, room);
    if (!more) {
        bytes->failed = true;
        return false;
    }
    bytes->at = more;
    bytes->room = room;
    return true;
}

void perfdata_bytes_put(struct perfdata_bytes *bytes, const void *data, size_t size)
{
    if (!size || !perfdata_bytes_reserve(bytes, size))
        return;
    memcpy(bytes->at + bytes->used, data, size);
    bytes->used += size;
}

void perfdata_bytes_zero(struct perfdata_bytes *bytes, size_t size)
{
    if (!size || !perfdata_bytes_reserve(bytes, size))
        return;
    memset(bytes->at + bytes->used, 0, size);
    bytes->used += size;
}

void perfdata_bytes_u32(struct perfdata_bytes *bytes, uint32_t value)
{
    perfdata_bytes_put(bytes, &value, sizeof value);
}

void perfdata_bytes_u64(struct perfdata_bytes *bytes, uint64_t value)
{
    perfdata_bytes_put(bytes, &value, sizeof value);
}

void perfdata_bytes_string(struct perfdata_bytes *bytes, const char *text)
{
    size_t length = strlen(text);
    size_t filled = (length + STRING_ALIGN) & ~(size_t)(STRING_ALIGN - 1);
    perfdata_bytes_u32(bytes, (uint32_t)filled);
    perfdata_bytes_put(bytes, text, length);
    perfdata_bytes_zero(bytes, filled - length);
}
