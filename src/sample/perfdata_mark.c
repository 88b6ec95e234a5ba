/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The mark of a recording, without reading the recording; declared in perfdata.h. */
#include "sample/perfdata.h"

#include "sample/perfdata_header.h"

#include <string.h>

/* The first id of the first event: its place stands behind the attribute. */
static uint64_t first_id(const struct input *input, const struct perfdata_header *header)
{
    struct perfdata_section ids;
    uint64_t id;
    if (header->piped || header->swap || header->attrs.size < header->attr_size ||
        header->attr_size < sizeof ids)
        return 0;
    uint64_t at = header->attrs.offset + header->attr_size - sizeof ids;
    if (input_read_at(input, at, &ids, sizeof ids) != (long)sizeof ids || ids.size < sizeof id ||
        input_read_at(input, ids.offset, &id, sizeof id) != (long)sizeof id)
        return 0;
    return id;
}

uint64_t perfdata_file_mark(const char *path)
{
    struct input input;
    struct perfdata_header header;
    uint64_t mark = 0;
    if (!strcmp(path, "-") || input_open(&input, path, NULL))
        return 0;
    if (input.seekable && !perfdata_header_read(&header, &input, path, NULL))
        mark = first_id(&input, &header) >> PERFDATA_MARK_SHIFT;
    input_close(&input);
    return mark;
}
