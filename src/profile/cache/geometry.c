/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/cache/geometry.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

enum { PAGE_BYTES = 4096, SETS_MAX = 1 << 20, INDEXES_MAX = 16 };

static int geometry_finish(struct geometry *geometry, struct error *error)
{
    uint64_t line = geometry->line_bytes;
    if (line < 8 || line > 4096 || (line & (line - 1)))
        return error_set(error, -EINVAL,
                         "cache %s: line of %llu bytes: give a power of two from 8 to 4096, "
                         "as in L1=32K,8,64",
                         geometry->level, (unsigned long long)line);
    if (!geometry->ways || !geometry->size_bytes || geometry->size_bytes % (geometry->ways * line))
        return error_set(error, -EINVAL,
                         "cache %s: the size must be a multiple of ways * line, as in L1=32K,8,64",
                         geometry->level);
    uint64_t sets = geometry->size_bytes / (geometry->ways * line);
    if (sets > SETS_MAX)
        return error_set(
            error, -EINVAL,
            "cache %s: %llu sets exceed the limit of %d; give a smaller SIZE or more WAYS",
            geometry->level, (unsigned long long)sets, SETS_MAX);
    geometry->sets = (uint32_t)sets;
    geometry->virtual_exact = sets * line <= PAGE_BYTES;
    return 0;
}

/* Parses "32K" or "1M". Rejects "1.5M": sysfs and -C use whole numbers. */
static bool parse_bytes(const char **text, uint64_t *bytes)
{
    char *end;
    if (**text < '0' || **text > '9')
        return false;
    errno = 0;
    unsigned long long value = strtoull(*text, &end, 10);
    unsigned shift = 0;
    if (*end == 'K' || *end == 'k')
        shift = 10;
    else if (*end == 'M' || *end == 'm')
        shift = 20;
    else if (*end == 'G' || *end == 'g')
        shift = 30;
    if (errno || value > UINT64_MAX >> 31)
        return false;
    *bytes = (uint64_t)value << shift;
    *text = end + (shift != 0);
    return *bytes > 0;
}

static bool parse_field(const char **text, uint64_t *value, char end)
{
    if (!parse_bytes(text, value) || **text != end)
        return false;
    *text += end != '\0';
    return true;
}

static int geometry_given(struct geometry *geometry, const char *spec, const char *equals,
                          struct error *error)
{
    uint64_t size;
    uint64_t ways;
    uint64_t line;
    const char *text = equals + 1;
    size_t length = (size_t)(equals - spec);
    if (!length || length >= sizeof geometry->level || !parse_field(&text, &size, ',') ||
        !parse_field(&text, &ways, ',') || !parse_field(&text, &line, '\0') || ways > 65536 ||
        line > 65536)
        return error_set(error, -EINVAL,
                         "cache \"%.60s\" is not LEVEL=SIZE,WAYS,LINE, as in L2=1M,16,64", spec);
    text_sanitise(geometry->level, sizeof geometry->level, spec, length);
    if (!strcasecmp(geometry->level, "L1"))
        memcpy(geometry->level, "L1d", 4);
    geometry->size_bytes = size;
    geometry->ways = (uint32_t)ways;
    geometry->line_bytes = (uint32_t)line;
    return geometry_finish(geometry, error);
}

static bool read_attribute(const char *root, int index, const char *name, char *out, size_t size)
{
    char path[512];
    int length = snprintf(path, sizeof path, "%s/cpu0/cache/index%d/%s", root, index, name);
    if (length < 0 || (size_t)length >= sizeof path || text_read_file(path, out, size) < 0)
        return false;
    out[strcspn(out, "\n")] = '\0';
    return true;
}

static bool read_number(const char *root, int index, const char *name, uint64_t *value)
{
    char text[64];
    const char *at = text;
    return read_attribute(root, index, name, text, sizeof text) && parse_field(&at, value, '\0');
}

/* Returns true if index N in cache/ is a data or unified cache of this level. */
static bool index_is(const char *root, int index, uint64_t level)
{
    char type[32];
    uint64_t found;
    return read_number(root, index, "level", &found) && found == level &&
           read_attribute(root, index, "type", type, sizeof type) && strcmp(type, "Instruction");
}

static void name_level(struct geometry *geometry, uint64_t level)
{
    snprintf(geometry->level, sizeof geometry->level, level == 1 ? "L1d" : "L%d", (int)level);
}

static int geometry_read(struct geometry *geometry, const char *root, int index, uint64_t level,
                         struct error *error)
{
    uint64_t line;
    uint64_t ways;
    uint64_t sets;
    name_level(geometry, level);
    if (!read_number(root, index, "size", &geometry->size_bytes) ||
        !read_number(root, index, "coherency_line_size", &line))
        return error_set(
            error, -ENOENT,
            "%s/cpu0/cache/index%d has no size or line size; specify -C %s=SIZE,WAYS,LINE", root,
            index, geometry->level);
    /* Some hypervisors omit ways, or report 0 for a fully associative cache. */
    if (!read_number(root, index, "ways_of_associativity", &ways) &&
        (!read_number(root, index, "number_of_sets", &sets) ||
         !(ways = geometry->size_bytes / sets / line)))
        return error_set(
            error, -ENOENT,
            "%s/cpu0/cache/index%d has no number of ways; specify -C %s=SIZE,WAYS,LINE", root,
            index, geometry->level);
    geometry->ways = (uint32_t)ways;
    geometry->line_bytes = (uint32_t)line;
    return geometry_finish(geometry, error) ? -ENOENT : 0;
}

/* Parses the level of `spec`; NULL means "L1". */
static int parse_level(const char *spec, uint64_t *level, struct error *error)
{
    *level = 1;
    if (!spec)
        return 0;
    if ((spec[0] != 'L' && spec[0] != 'l') || spec[1] < '1' || spec[1] > '4' ||
        (spec[2] && strcasecmp(spec, "L1d")))
        return error_set(error, -EINVAL,
                         "cache \"%.60s\": give L1, L2, L3 or LEVEL=SIZE,WAYS,LINE, "
                         "as in L2=1M,16,64",
                         spec);
    *level = (uint64_t)(spec[1] - '0');
    return 0;
}

/* Parses `spec`: either a complete shape (*level is then 0) or a level to look up. */
static int geometry_begin(struct geometry *geometry, const char *spec, uint64_t *level,
                          struct error *error)
{
    const char *equals = spec ? strchr(spec, '=') : NULL;
    *geometry = (struct geometry){0};
    *level = 0;
    return equals ? geometry_given(geometry, spec, equals, error) : parse_level(spec, level, error);
}

bool geometry_among(struct geometry *geometry, const char *spec,
                    const struct perfdata_machine *machine)
{
    uint64_t level;
    if (geometry_begin(geometry, spec, &level, NULL))
        return false;
    if (!level)
        return true;
    name_level(geometry, level);
    for (size_t i = 0; i < machine->cache_count; i++) {
        const struct perfdata_cache *cache = &machine->caches[i];
        if (cache->level != level || !strcmp(cache->type, "Instruction") || cache->ways > 65536 ||
            cache->sets > SETS_MAX || cache->line_bytes > 4096)
            continue;
        geometry->ways = cache->ways;
        geometry->line_bytes = cache->line_bytes;
        geometry->size_bytes = (uint64_t)cache->sets * cache->ways * cache->line_bytes;
        if (!geometry_finish(geometry, NULL))
            return true;
    }
    return false;
}

int geometry_parse(struct geometry *geometry, const char *spec, const char *sysfs_root,
                   struct error *error)
{
    uint64_t level;
    int code = geometry_begin(geometry, spec, &level, error);
    if (code || !level)
        return code;
    for (int i = 0; i < INDEXES_MAX; i++)
        if (index_is(sysfs_root, i, level))
            return geometry_read(geometry, sysfs_root, i, level, error);
    return error_set(error, -ENOENT, "%s has no level %d data cache; specify -C L%d=SIZE,WAYS,LINE",
                     sysfs_root, (int)level, (int)level);
}

uint32_t geometry_set(const struct geometry *geometry, uint64_t address)
{
    uint64_t line = address / geometry->line_bytes;
    return (uint32_t)(line % geometry->sets);
}
