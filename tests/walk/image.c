/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "image.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

const struct image_layout image_layouts[IMAGE_LAYOUTS] = {
    {"2.31", 96, true, false, 32, 64, false}, {"2.32", 96, true, true, 32, 64, false},
    {"2.35", 96, true, true, 48, 64, false},  {"2.41", 96, true, true, 48, 64, false},
    {"2.42", 96, true, true, 48, 76, false},  {"2.43, no fast bins", 8, false, true, 48, 76, true},
};

enum { BINS = 127, STATE_AT = 0xc60, CHUNKS = 800, CACHED = 5, KEY = 0x5bd1e995 };

/* An arena under construction. */
struct maker {
    struct image *image;
    uint64_t state; /* address of malloc_state */
    uint64_t at;    /* address of the next chunk */
    uint64_t end;
    uint64_t cache; /* address of the thread's cache */
    uint32_t arena;
    bool previous_in_use;
    struct prng random;
};

uint64_t *image_word(struct image *image, uint64_t address)
{
    for (size_t i = 0; i < IMAGE_PARTS; i++)
        if (address >= image->parts[i].start &&
            address - image->parts[i].start + 8 <= image->parts[i].bytes)
            return (uint64_t *)(void *)(image->parts[i].memory + address - image->parts[i].start);
    abort();
}

static void put(struct maker *maker, uint64_t address, uint64_t value)
{
    *image_word(maker->image, address) = value;
}

static uint64_t get(struct maker *maker, uint64_t address)
{
    return *image_word(maker->image, address);
}

static uint64_t link_word(const struct maker *maker, uint64_t position, uint64_t pointer)
{
    return maker->image->layout->mangled ? position >> 12 ^ pointer : pointer;
}

static void note(struct maker *maker, uint64_t chunk, uint64_t bytes, bool in_use)
{
    maker->image->blocks[maker->image->block_count++] =
        (struct image_block){chunk + 16, bytes - 8, in_use, maker->arena, false};
}

/* Appends a chunk, filled with values that no list would contain. */
static uint64_t cut(struct maker *maker, uint64_t bytes, bool looks_in_use)
{
    uint64_t chunk = maker->at;
    uint64_t flags = (maker->previous_in_use ? 1u : 0u) | (maker->arena && looks_in_use ? 4u : 0u);
    put(maker, chunk + 8, bytes | flags);
    for (uint64_t i = 16; i + 8 <= bytes; i += 8)
        put(maker, chunk + i, 0x4141414141414141u);
    maker->at += bytes;
    maker->previous_in_use = looks_in_use;
    if (!looks_in_use)
        put(maker, maker->at, bytes);
    return chunk;
}

static uint64_t bin_address(const struct maker *maker, unsigned bin)
{
    return maker->state + maker->image->layout->top_offset + bin * 16;
}

/* Puts a chunk into the first (unsorted) bin, like free(). */
static void put_in_bin(struct maker *maker, uint64_t chunk)
{
    uint64_t bin = bin_address(maker, 0);
    uint64_t first = get(maker, bin + 16);
    put(maker, chunk + 16, first);
    put(maker, chunk + 24, bin);
    put(maker, bin + 16, chunk);
    put(maker, first + 24, chunk);
}

static void put_in_cache(struct maker *maker, uint64_t chunk, uint64_t bytes)
{
    const struct image_layout *layout = maker->image->layout;
    uint64_t bin = (bytes - 32) / 16;
    uint64_t entry = maker->cache + layout->cache_bins * 2 + bin * 8;
    unsigned char *counts = (unsigned char *)image_word(maker->image, maker->cache);
    uint16_t count;
    memcpy(&count, counts + bin * 2, 2);
    count = (uint16_t)(layout->cache_bins == 76 ? count - 1 : count + 1);
    memcpy(counts + bin * 2, &count, 2);
    put(maker, chunk + 16, link_word(maker, chunk + 16, get(maker, entry)));
    put(maker, chunk + 24, layout->mangled ? KEY : maker->cache);
    put(maker, entry, chunk + 16);
}

static void put_in_fast_bin(struct maker *maker, uint64_t chunk, uint64_t bytes)
{
    uint64_t head = maker->state + 16 + (bytes - 32) / 16 * 8;
    put(maker, chunk + 16, link_word(maker, chunk + 16, get(maker, head)));
    put(maker, head, chunk);
}

static void make_state(struct maker *maker, uint64_t next)
{
    uint64_t top = maker->state + maker->image->layout->top_offset;
    for (unsigned bin = 0; bin < BINS; bin++) {
        put(maker, top + 16 + bin * 16, bin_address(maker, bin));
        put(maker, top + 24 + bin * 16, bin_address(maker, bin));
    }
    uint64_t behind = top + 16 + BINS * 16;
    put(maker, behind, 0x0000400000010002u); /* bin map */
    put(maker, behind + 16, next);
    put(maker, behind + 32, 1); /* attached threads */
    put(maker, behind + 40, maker->end - maker->at);
    put(maker, behind + 48, maker->end - maker->at);
}

static void make_cache(struct maker *maker)
{
    const struct image_layout *layout = maker->image->layout;
    uint64_t bytes = layout->cache_bins * 10 + 8;
    bytes = (bytes + 15) & ~(uint64_t)15;
    uint64_t chunk = cut(maker, bytes, true);
    note(maker, chunk, bytes, true);
    maker->cache = chunk + 16;
    memset(image_word(maker->image, maker->cache), 0, bytes - 16);
    for (size_t i = 0; i < layout->cache_bins && layout->cache_bins == 76; i++)
        memcpy((char *)image_word(maker->image, maker->cache) + i * 2, &(uint16_t){16}, 2);
}

static void make_chunks(struct maker *maker)
{
    const struct image_layout *layout = maker->image->layout;
    for (unsigned i = 0; i < CHUNKS; i++) {
        uint64_t bytes = 32 + prng_below(&maker->random, 60) * 16;
        if (i % 97 == 0)
            bytes += 20000;
        bool binned = i % 5 == 3 && maker->previous_in_use && bytes > 176;
        uint64_t chunk = cut(maker, bytes, !binned);
        bool cached = !binned && bytes <= 1040 && i % 11 == 1;
        bool fast = !binned && !cached && layout->fast_bins && bytes <= 128 && i % 3 == 0;
        if (binned)
            put_in_bin(maker, chunk);
        if (cached)
            put_in_cache(maker, chunk, bytes);
        if (fast)
            put_in_fast_bin(maker, chunk, bytes);
        note(maker, chunk, bytes, !binned && !cached && !fast);
    }
    cut(maker, 64, true); /* no free chunk before top */
    note(maker, maker->at - 64, 64, true);
    put(maker, maker->at + 8, (maker->end - maker->at) | 1);
    put(maker, maker->state + layout->top_offset, maker->at);
}

static void make_arena(struct image *image, uint32_t arena, uint64_t state, uint64_t next,
                       uint64_t first, uint64_t end)
{
    struct maker maker = {.image = image,
                          .state = state,
                          .at = first,
                          .end = end,
                          .arena = arena,
                          .previous_in_use = true,
                          .random = {7 + arena}};
    make_state(&maker, next);
    make_cache(&maker);
    make_chunks(&maker);
}

/* Makes a block that is a separate mapping. */
static void make_mapped(struct image *image)
{
    uint64_t start = image->parts[IMAGE_BLOCK].start;
    uint64_t bytes = image->parts[IMAGE_BLOCK].bytes - (image->layout->mapped_header ? 16 : 0);
    *image_word(image, start + 8) = bytes | 2;
    image->blocks[image->block_count++] = (struct image_block){
        start + 16, bytes - (image->layout->mapped_header ? 8 : 16), true, 0, true};
}

static void make_part(struct image *image, enum image_part part, uint64_t start, uint64_t bytes,
                      enum map_kind kind, const char *path)
{
    image->parts[part].start = start;
    image->parts[part].bytes = bytes;
    image->parts[part].memory = calloc(1, bytes);
    strcpy(image->names[part], path);
    image->mappings[part] = (struct map){.start = start,
                                         .end = start + bytes,
                                         .name = part * 64,
                                         .kind = (uint8_t)kind,
                                         .writable = true};
}

void image_make(struct image *image, const struct image_layout *layout)
{
    *image = (struct image){.layout = layout};
    image->maps =
        (struct maps){.maps = image->mappings, .count = IMAGE_PARTS, .names = image->names[0]};
    make_part(image, IMAGE_BRK, 0x555555559000, 1 << 20, MAPPING_HEAP, "[heap]");
    make_part(image, IMAGE_HEAP, 0x7fe000000000, 1 << 20, MAPPING_ANON, "");
    make_part(image, IMAGE_BLOCK, 0x7fe1235f0000, 50 << 12, MAPPING_ANON, "");
    make_part(image, IMAGE_DATA, 0x7ff7e2fa5000, 8 << 12, MAPPING_FILE,
              "/usr/lib/x86_64-linux-gnu/libc.so.6");
    /* Sort the mappings by address, as in /proc/PID/maps: IMAGE_DATA is last. */
    struct map data = image->mappings[IMAGE_DATA];
    memmove(image->mappings, image->mappings + 1, sizeof data * (IMAGE_PARTS - 1));
    image->mappings[IMAGE_PARTS - 1] = data;
    uint64_t main_state = image->parts[IMAGE_DATA].start + STATE_AT;
    uint64_t heap = image->parts[IMAGE_HEAP].start;
    uint64_t state = heap + layout->heap_info_bytes;
    uint64_t state_bytes = layout->top_offset + 16 + BINS * 16 + 16 + 40;
    uint64_t brk = image->parts[IMAGE_BRK].start;
    make_arena(image, 0, main_state, state, brk, brk + image->parts[IMAGE_BRK].bytes);
    make_arena(image, 1, state, main_state, (state + state_bytes + 15) & ~(uint64_t)15,
               heap + image->parts[IMAGE_HEAP].bytes);
    *image_word(image, heap) = state;
    *image_word(image, heap + 16) = image->parts[IMAGE_HEAP].bytes;
    *image_word(image, heap + 24) = image->parts[IMAGE_HEAP].bytes;
    make_mapped(image);
}

void image_fini(struct image *image)
{
    for (size_t i = 0; i < IMAGE_PARTS; i++)
        free(image->parts[i].memory);
}

static size_t copy_some(struct image *image, uint64_t address, void *out, size_t size)
{
    for (size_t i = 0; i < IMAGE_PARTS; i++) {
        uint64_t offset = address - image->parts[i].start;
        if (address < image->parts[i].start || offset >= image->parts[i].bytes)
            continue;
        size_t part = image->parts[i].bytes - offset;
        part = part < size ? part : size;
        memcpy(out, image->parts[i].memory + offset, part);
        return part;
    }
    return 0;
}

static size_t read_some(void *context, uint64_t address, void *out, size_t size)
{
    struct image *image = context;
    size_t got = copy_some(image, address, out, size);
    if (++image->reads == image->change.reads)
        *image_word(image, image->change.address) = image->change.value;
    return got;
}

static bool read_all(void *context, uint64_t address, void *out, size_t size)
{
    return read_some(context, address, out, size) == size;
}

struct walk_target image_target(struct image *image)
{
    return (struct walk_target){image, read_all, read_some};
}
