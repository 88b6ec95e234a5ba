/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/hash.h"

/* Decodes one character; returns its length in bytes, 0 if invalid (RFC 3629). */
static size_t utf8_decode(const unsigned char *in, size_t size, uint32_t *code)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = in[0] < 0x80             ? 1
                    : (in[0] & 0xe0) == 0xc0 ? 2
                    : (in[0] & 0xf0) == 0xe0 ? 3
                    : (in[0] & 0xf8) == 0xf0 ? 4
                                             : 0;
    if (!length || length > size)
        return 0;
    *code = length == 1 ? in[0] : in[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((in[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (in[i] & 0x3f);
    }
    bool surrogate = *code >= 0xd800 && *code <= 0xdfff;
    return *code < smallest[length] || *code > 0x10ffff || surrogate ? 0 : length;
}

static bool is_printable(uint32_t code)
{
    bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
    bool separator = code == 0x2028 || code == 0x2029;
    /* Unicode TR9: marks, embeddings, overrides and isolates reorder the following text. */
    bool bidi = code == 0x200e || code == 0x200f || code == 0x61c ||
                (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
    return !control && !separator && !bidi && code != 0xfeff;
}

size_t text_sanitise(char *out, size_t out_size, const char *in, size_t in_size)
{
    size_t used = 0;
    if (!out_size)
        return 0;
    for (size_t i = 0; i < in_size && in[i];) {
        uint32_t code = 0;
        size_t length = utf8_decode((const unsigned char *)in + i, in_size - i, &code);
        bool keep = length && is_printable(code);
        size_t width = keep ? length : 1;
        if (used + width >= out_size)
            break;
        if (keep)
            memmove(out + used, in + i, length);
        else
            out[used] = '?';
        used += width;
        i += length ? length : 1;
    }
    out[used] = '\0';
    return used;
}

static const char *format_scaled(char out[16], double value, double step, const char *units)
{
    while (value >= step * 0.9995 && units[1]) {
        value /= step;
        units++;
    }
    if (*units == ' ')
        snprintf(out, 16, "%.0f", value);
    else
        snprintf(out, 16, "%.*f%c", value < 99.95 ? 1 : 0, value, *units);
    return out;
}

void text_append(char *out, size_t size, const char *format, ...)
{
    size_t used = strlen(out);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(out + used, size - used, format, arguments);
    va_end(arguments);
}

const char *text_bytes(char out[16], uint64_t bytes)
{
    return format_scaled(out, (double)bytes, 1024, " KMGTPE");
}

const char *text_count(char out[16], double count)
{
    return format_scaled(out, count, 1000, " kMGTPE");
}

const char *text_time(char out[TEXT_TIME_BYTES], double seconds)
{
    double within = seconds > 0 ? seconds < 1e12 ? seconds : 1e12 : 0; /* NAN: 0 */
    uint64_t tenths = (uint64_t)(within * 10 + 0.5);
    uint64_t whole = tenths / 10;
    if (isnan(seconds))
        snprintf(out, TEXT_TIME_BYTES, "?");
    else if (seconds >= 0.0005 && seconds < 0.95)
        snprintf(out, TEXT_TIME_BYTES, "%.0fms", seconds * 1e3);
    else if (whole < 60)
        snprintf(out, TEXT_TIME_BYTES, "%" PRIu64 ".%" PRIu64 "s", whole, tenths % 10);
    else if (whole < 3600)
        snprintf(out, TEXT_TIME_BYTES, "%" PRIu64 "m%02" PRIu64 ".%" PRIu64 "s", whole / 60,
                 whole % 60, tenths % 10);
    else
        snprintf(out, TEXT_TIME_BYTES, "%" PRIu64 "h%02" PRIu64 "m%02" PRIu64 "s", whole / 3600,
                 whole / 60 % 60, whole % 60);
    return out;
}

const char *text_numbered(struct hash *given, uint64_t kind, const char *name, struct arena *arena)
{
    uint32_t *count = hash_insert(given, hash_bytes(name, strlen(name)) ^ hash_mix(kind), NULL);
    if (!count)
        return NULL;
    return ++*count == 1 ? name : arena_printf(arena, "%s #%u", name, *count);
}

const char *text_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

unsigned text_distance(const char *a, const char *b)
{
    enum { LONGEST = 127 };
    unsigned row[LONGEST + 1];
    size_t length = strnlen(b, LONGEST);
    for (size_t j = 0; j <= length; j++)
        row[j] = (unsigned)j;
    for (size_t i = 0; a[i] && i < LONGEST; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i + 1;
        for (size_t j = 0; j < length; j++) {
            bool same = tolower((unsigned char)a[i]) == tolower((unsigned char)b[j]);
            unsigned best = diagonal + !same;
            diagonal = row[j + 1];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (diagonal + 1 < best)
                best = diagonal + 1;
            row[j + 1] = best;
        }
    }
    return row[length];
}

int text_open_file(const char *path)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return -errno;
    if (!fstat(fd, &status) && S_ISREG(status.st_mode))
        return fd;
    close(fd);
    return -EINVAL;
}

long text_read_file(const char *path, char *out, size_t out_size)
{
    int fd = text_open_file(path);
    if (fd < 0)
        return fd;
    size_t used = 0;
    ssize_t got = 0;
    while (used + 1 < out_size && (got = read(fd, out + used, out_size - 1 - used)) > 0)
        used += (size_t)got;
    int code = got < 0 ? -errno : 0;
    close(fd);
    out[used] = '\0';
    return code ? code : (long)used;
}
