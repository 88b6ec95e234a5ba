/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/perfdata_header.h"

#include "sample/cursor.h"
#include "sample/foreign.h"

#include <errno.h>

enum {
    HEADER_PIPE_BYTES = 16,
    HEADER_ATTR_MIN = 64 + 16, /* PERF_ATTR_SIZE_VER0 and a section */
    HEADER_ATTR_MAX = 4096
};

static int refuse(const char *path, struct error *error, int code, const char *cause)
{
    return error_set(error, code, "%s %s", path, cause);
}

/* The magic is a number: on a machine of the other byte order its letters stand reversed. */
static int take_magic(struct perfdata_header *header, const unsigned char *bytes, const char *path,
                      struct error *error)
{
    if (!memcmp(bytes, "PERFFILE", 8))
        return refuse(path, error, -ENOTSUP,
                      "was recorded by a perf of before 2010, whose files cannot be read");
    header->swap = !memcmp(bytes, "2ELIFREP", 8);
    if (!header->swap && memcmp(bytes, "PERFILE2", 8))
        return refuse(path, error, -EBADMSG, foreign_file(bytes, 8));
    return 0;
}

static struct perfdata_section take_section(struct cursor *cursor)
{
    struct perfdata_section section;
    section.offset = cursor_u64(cursor);
    section.size = cursor_u64(cursor);
    return section;
}

static void take_file(struct perfdata_header *header, struct cursor *cursor)
{
    header->attr_size = cursor_u64(cursor);
    header->attrs = take_section(cursor);
    header->data = take_section(cursor);
    take_section(cursor); /* event types, unused since perf 3 */
    for (unsigned i = 0; i < PERFDATA_FEATURES / 64; i++)
        header->features[i] = cursor_u64(cursor);
}

/*
 * perf swaps the features as words of the recorder's size and says that it guesses. Those of a
 * 32-bit machine come out with their halves exchanged: the host name, which is always there,
 * tells.
 */
static void mend_features(struct perfdata_header *header)
{
    enum { HOSTNAME = 3 };
    if (!header->swap || header->features[0] >> HOSTNAME & 1 ||
        !(header->features[0] >> (32 + HOSTNAME) & 1))
        return;
    for (unsigned i = 0; i < PERFDATA_FEATURES / 64; i++)
        header->features[i] = header->features[i] << 32 | header->features[i] >> 32;
}

static bool inside(struct perfdata_section section, uint64_t size_bytes)
{
    return section.offset <= size_bytes && section.size <= size_bytes - section.offset;
}

static int check_file(struct perfdata_header *header, const struct input *input, const char *path,
                      struct error *error)
{
    if (header->attr_size < HEADER_ATTR_MIN || header->attr_size > HEADER_ATTR_MAX ||
        !inside(header->attrs, input->size_bytes) || header->data.offset > input->size_bytes)
        return refuse(path, error, -EBADMSG,
                      "is damaged: its header points outside the file; copy it again");
    header->killed = !header->data.size;
    header->cut = !inside(header->data, input->size_bytes);
    return 0;
}

int perfdata_header_read(struct perfdata_header *header, struct input *input, const char *path,
                         struct error *error)
{
    *header = (struct perfdata_header){0};
    const unsigned char *bytes = input_peek(input, 8);
    if (!bytes)
        return refuse(path, error, input->failed ? input->failed : -EBADMSG,
                      input->failed          ? "cannot be read"
                      : input_peek(input, 1) ? "is not a perf.data file: it is too short"
                                             : "is empty; was the recording stopped too early?");
    int code = take_magic(header, bytes, path, error);
    if (code)
        return code;
    bytes = input_peek(input, HEADER_PIPE_BYTES);
    struct cursor cursor = {bytes, HEADER_PIPE_BYTES, false, header->swap};
    cursor_skip(&cursor, bytes ? 8 : 0);
    if (bytes && cursor_u64(&cursor) == HEADER_PIPE_BYTES) {
        header->piped = true;
        return 0;
    }
    bytes = input_peek(input, PERFDATA_HEADER_BYTES);
    if (!bytes)
        return refuse(path, error, -EBADMSG,
                      "is too short for a perf.data file: it was cut off; copy it again");
    cursor = (struct cursor){bytes, PERFDATA_HEADER_BYTES, false, header->swap};
    cursor_skip(&cursor, HEADER_PIPE_BYTES);
    take_file(header, &cursor);
    mend_features(header);
    /* A file that comes through a pipe is spooled before its sections can be looked at. */
    return input->seekable ? check_file(header, input, path, error) : 0;
}

bool perfdata_header_feature(const struct perfdata_header *header, const struct input *input,
                             unsigned feature, struct perfdata_section *section)
{
    unsigned char bytes[sizeof *section];
    uint64_t skipped = 0;
    if (header->piped || header->killed || header->cut || feature >= PERFDATA_FEATURES ||
        !(header->features[feature / 64] >> feature % 64 & 1))
        return false;
    for (unsigned i = 0; i < feature; i++)
        skipped += header->features[i / 64] >> i % 64 & 1;
    uint64_t at = header->data.offset + header->data.size + skipped * sizeof bytes;
    if (input_read_at(input, at, bytes, sizeof bytes) != sizeof bytes)
        return false;
    struct cursor cursor = {bytes, sizeof bytes, false, header->swap};
    *section = take_section(&cursor);
    return inside(*section, input->size_bytes);
}
