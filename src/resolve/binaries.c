/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/binaries.h"

#include "base/array.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BINARIES_MAX = 1 << 16 };

void binaries_init(struct binaries *binaries, const struct lookup_from *from)
{
    const char *home = getenv("HOME");
    *binaries = (struct binaries){.from = *from};
    if (home && *home && asprintf(&binaries->cache, "%s/.debug", home) < 0)
        binaries->cache = NULL;
    binaries->from.cache = binaries->cache;
}

void binaries_fini(struct binaries *binaries)
{
    for (uint32_t i = 0; i < binaries->count; i++) {
        free(binaries->list[i].path);
        free(binaries->list[i].shown);
        free(binaries->list[i].found);
        free(binaries->list[i].found_shown);
    }
    free(binaries->list);
    free(binaries->cache);
    hash_fini(&binaries->index_of);
    *binaries = (struct binaries){0};
}

static char *printable(const char *raw)
{
    size_t length = strlen(raw);
    char *text = malloc(4 * length + 1);
    if (text)
        text_sanitise(text, 4 * length + 1, raw, length);
    return text;
}

/* All zeros: perf could not read it. */
static void take_id(struct buildid *id, const struct sample_mapping *mapping)
{
    id->size = mapping->build_id_size <= sizeof mapping->build_id ? mapping->build_id_size : 0;
    memcpy(id->bytes, mapping->build_id, id->size);
    size_t zeros = 0;
    while (zeros < id->size && !id->bytes[zeros])
        zeros++;
    if (zeros == id->size)
        id->size = 0;
}

static bool add(struct binaries *binaries, const struct sample_mapping *mapping,
                const struct buildid *id)
{
    const char *path = mapping->path;
    struct binary binary = {.wanted = *id, .inode = mapping->inode, .state = BINARY_MISSING};
    struct binary *more = array_more(binaries->list, &binaries->room, binaries->count,
                                     sizeof *binaries->list, BINARIES_MAX);
    if (!more)
        return false;
    binaries->list = more;
    binary.path = strdup(path);
    binary.shown = printable(path);
    if (!binary.path || !binary.shown) {
        free(binary.path);
        free(binary.shown);
        return false;
    }
    buildid_print(binary.wanted_text, id);
    binaries->list[binaries->count++] = binary;
    return true;
}

uint32_t binaries_note(struct binaries *binaries, const struct sample_mapping *mapping)
{
    struct buildid id;
    bool created;
    if (!lookup_is_file(mapping->path))
        return 0;
    take_id(&id, mapping);
    uint64_t key =
        hash_bytes(mapping->path, strlen(mapping->path)) ^ hash_mix(hash_bytes(id.bytes, id.size));
    uint32_t *number = hash_insert(&binaries->index_of, key, &created);
    if (number && created)
        *number = add(binaries, mapping, &id) ? binaries->count : 0;
    return number ? *number : 0;
}

static void note_found(struct binary *binary, const struct lookup_found *found, bool opened)
{
    binary->state = opened         ? (found->verified ? BINARY_FOUND : BINARY_UNVERIFIED)
                    : *found->path ? BINARY_OTHER
                                   : BINARY_MISSING;
    if (!*found->path)
        return;
    binary->found = strdup(found->path);
    binary->found_shown = printable(found->path);
    binary->found_id = found->id;
    buildid_print(binary->found_text, &found->id);
}

/* Asked again, where it is mapped in two places: opened the way it was found. */
int binaries_open(struct binaries *binaries, uint32_t number)
{
    struct lookup_found found;
    if (!number || number > binaries->count)
        return -1;
    struct binary *binary = &binaries->list[number - 1];
    struct lookup_wanted wanted = {binary->path, binary->wanted, binary->inode};
    if (binary->looked_for && binary->state >= BINARY_OTHER)
        return -1;
    int fd = lookup_binary(&binaries->from, &wanted, &found);
    if (fd >= 0 && binaries->from.files)
        files_client_add_owner(binaries->from.files, fd);
    if (!binary->looked_for)
        note_found(binary, &found, fd >= 0);
    binary->looked_for = true;
    return fd;
}

const char *binaries_found(const struct binaries *binaries, uint32_t number)
{
    const struct binary *binary =
        number && number <= binaries->count ? &binaries->list[number - 1] : NULL;
    return binary && binary->state < BINARY_OTHER ? binary->found : NULL;
}

void binaries_sample(struct binaries *binaries, uint32_t number)
{
    if (number && number <= binaries->count)
        binaries->list[number - 1].samples++;
}

static struct binary_desc describe(const struct binaries *binaries, const struct binary *binary)
{
    const struct lookup_from *from = &binaries->from;
    return (struct binary_desc){.path = binary->shown,
                                .elsewhere = from->elsewhere || from->host_unknown,
                                .build_id = *binary->wanted_text ? binary->wanted_text : NULL,
                                .found = binary->found_shown,
                                .found_id = binary->state == BINARY_OTHER && *binary->found_text
                                                ? binary->found_text
                                                : NULL,
                                .samples = binary->samples,
                                .state = binary->state};
}

size_t binaries_list(const struct binaries *binaries, struct binary_desc *out, size_t most)
{
    size_t count = 0;
    for (uint32_t i = 0; i < binaries->count; i++) {
        const struct binary *binary = &binaries->list[i];
        size_t at = count < most ? count : most;
        if (!binary->samples || !binary->looked_for)
            continue;
        while (at && out[at - 1].samples < binary->samples)
            at--;
        if (at == most)
            continue;
        count += count < most;
        memmove(&out[at + 1], &out[at], (count - at - 1) * sizeof *out);
        out[at] = describe(binaries, binary);
    }
    return count;
}
