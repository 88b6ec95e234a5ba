/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The walk on made-up memory of several glibc versions, valid and damaged. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../walk/image.h"
#include "base/hash.h"
#include "resolve/heap/walk.h"
#include "unit.h"

static struct image image;
static struct walk *walk;
static size_t visited;
static size_t wrong;

static void begin(const struct image_layout *layout)
{
    image_make(&image, layout);
    struct walk_target target = image_target(&image);
    assert_int_equal(walk_new(&walk, &target), 0);
    assert_non_null(walk_status(walk));
    visited = wrong = 0;
}

static void end(void)
{
    walk_free(walk);
    image_fini(&image);
}

static int update_walk(void)
{
    return walk_update(walk, &image.maps);
}

static const struct image_block *block_starting_at(uint64_t start)
{
    for (size_t i = 0; i < image.block_count; i++)
        if (image.blocks[i].start == start)
            return &image.blocks[i];
    return NULL;
}

static bool check_block(void *context, const struct walk_block *block)
{
    const struct image_block *expected = block_starting_at(block->start);
    (void)context;
    visited++;
    wrong += !expected || !expected->in_use || expected->usable_bytes != block->usable_bytes ||
             expected->arena != block->arena || expected->mmapped != block->mmapped;
    return true;
}

static size_t count_in_use(void)
{
    size_t count = 0;
    for (size_t i = 0; i < image.block_count; i++)
        count += image.blocks[i].in_use;
    return count;
}

static void heaps_of_all_glibc_versions_are_walked(void **state)
{
    (void)state;
    for (size_t i = 0; i < IMAGE_LAYOUTS; i++) {
        begin(&image_layouts[i]);
        assert_int_equal(update_walk(), 0);
        assert_null(walk_status(walk));
        assert_string_equal(walk_source(walk), "glibc malloc in libc.so.6");
        assert_int_equal(walk_all(walk, check_block, NULL), count_in_use());
        print_message("glibc %s: %zu of %zu blocks in use, %zu wrong, %u arenas, %u caches\n",
                      image.layout->name, visited, image.block_count, wrong,
                      walk_stats(walk)->arenas, walk_stats(walk)->thread_caches);
        assert_int_equal(visited, count_in_use());
        assert_int_equal(wrong, 0);
        assert_int_equal(walk_stats(walk)->arenas, 2);
        assert_int_equal(walk_stats(walk)->thread_caches, 2);
        end();
    }
}

static void expect_find(uint64_t address, const struct image_block *expected)
{
    struct walk_block block;
    assert_true(walk_find(walk, address, &block));
    assert_int_equal(block.start, expected->start);
    assert_int_equal(block.usable_bytes, expected->usable_bytes);
    assert_int_equal(block.state, expected->in_use ? WALK_IN_USE : WALK_FREE);
    assert_int_equal(block.arena, expected->arena);
    assert_int_equal(block.mmapped, expected->mmapped);
}

static void blocks_are_found_by_any_byte(void **state)
{
    (void)state;
    for (size_t i = 0; i < IMAGE_LAYOUTS; i++) {
        begin(&image_layouts[i]);
        update_walk();
        /* From the last block on: no earlier block is known. */
        for (size_t b = image.block_count; b-- > 0;) {
            expect_find(image.blocks[b].start, &image.blocks[b]);
            expect_find(image.blocks[b].start + image.blocks[b].usable_bytes - 1, &image.blocks[b]);
        }
        end();
    }
}

static void top_and_foreign_addresses_are_distinguished(void **state)
{
    (void)state;
    struct walk_block block;
    begin(&image_layouts[3]);
    update_walk();
    uint64_t brk_end = image.parts[IMAGE_BRK].start + image.parts[IMAGE_BRK].bytes;
    assert_true(walk_find(walk, brk_end - 4096, &block));
    assert_int_equal(block.state, WALK_TOP);
    assert_false(walk_find(walk, image.parts[IMAGE_DATA].start + 64, &block));
    assert_int_equal(walk_stats(walk)->failures[WALK_FAIL_FOREIGN], 1);
    assert_false(walk_find(walk, 0x1000000, &block));
    assert_int_equal(walk_stats(walk)->failures[WALK_FAIL_UNMAPPED], 1);
    end();
}

static const struct image_block *in_thread_arena(void)
{
    const struct image_block *block = image.blocks;
    while (!block->arena || block->mmapped)
        block++;
    return block;
}

/* The start of a thread's heap is malloc's own, and nothing in it is the memory of others. */
static void thread_arena_heap_start_belongs_to_malloc(void **state)
{
    (void)state;
    struct walk_block block;
    begin(&image_layouts[3]);
    update_walk();
    const struct image_block *first = in_thread_arena();
    uint64_t heap = first->start & ~(uint64_t)((64 << 20) - 1);
    assert_true(walk_find(walk, heap + 64, &block));
    assert_int_equal(block.state, WALK_OWN_DATA);
    *image_word(&image, first->start - 8) = 1; /* like the second fence post */
    assert_false(walk_find(walk, first[1].start, &block));
    assert_int_equal(walk_stats(walk)->failures[WALK_FAIL_BROKEN], 1);
    assert_int_equal(walk_stats(walk)->failures[WALK_FAIL_FOREIGN], 0);
    end();
}

static size_t adjacent_blocks_in_use(size_t from)
{
    while (!image.blocks[from].in_use || !image.blocks[from + 1].in_use)
        from++;
    return from;
}

static void changed_chunk_is_read_again(void **state)
{
    (void)state;
    begin(&image_layouts[3]);
    update_walk();
    for (size_t b = 0; b < image.block_count; b++)
        expect_find(image.blocks[b].start, &image.blocks[b]);
    /* Two adjacent blocks in use become one; the old header stays inside. */
    size_t b = adjacent_blocks_in_use(400);
    uint64_t more = image.blocks[b + 1].usable_bytes + 8;
    *image_word(&image, image.blocks[b].start - 8) += more;
    image.blocks[b].usable_bytes += more;
    expect_find(image.blocks[b + 1].start + 8, &image.blocks[b]);
    end();
}

/* The process runs between the reads of one find: never returns the block's old state. */
static void chunk_changed_during_find_is_not_stale(void **state)
{
    (void)state;
    size_t answers = 0;
    for (uint64_t reads = 1; reads < 8; reads++) {
        struct walk_block block;
        begin(&image_layouts[3]);
        update_walk();
        for (size_t b = 0; b < 500; b++)
            expect_find(image.blocks[b].start, &image.blocks[b]);
        size_t b = adjacent_blocks_in_use(300);
        uint64_t head = image.blocks[b].start - 8;
        uint64_t more = image.blocks[b + 1].usable_bytes + 8;
        image.change.address = head;
        image.change.value = *image_word(&image, head) + more;
        image.change.reads = image.reads + reads;
        bool found = walk_find(walk, image.blocks[b + 1].start + 8, &block);
        if (found && image.reads > image.change.reads) {
            assert_int_equal(block.start, image.blocks[b].start);
            assert_int_equal(block.usable_bytes, image.blocks[b].usable_bytes + more);
            answers++;
        }
        end();
    }
    assert_true(answers > 0);
}

static void unlink_chunk(uint64_t chunk)
{
    uint64_t next = *image_word(&image, chunk + 16);
    uint64_t previous = *image_word(&image, chunk + 24);
    *image_word(&image, next + 24) = previous;
    *image_word(&image, previous + 16) = next;
}

/* Many known blocks are replaced by a large one that is not written to. Their headers stay, form a
 * chain, and agree with the marks; only the free lists show the change. */
static void stale_headers_inside_a_block_are_rejected(void **state)
{
    (void)state;
    begin(&image_layouts[3]);
    update_walk();
    for (size_t b = 0; b < 800; b++)
        expect_find(image.blocks[b].start, &image.blocks[b]);
    size_t first = adjacent_blocks_in_use(500);
    size_t last = adjacent_blocks_in_use(first + 60) + 1;
    for (size_t b = first; b < last; b++) {
        uint64_t behind = image.blocks[b].start + image.blocks[b].usable_bytes;
        if (!(*image_word(&image, behind) & 1))
            unlink_chunk(image.blocks[b].start - 16);
    }
    struct image_block *large = &image.blocks[first];
    uint64_t bytes = image.blocks[last].start - large->start;
    *image_word(&image, large->start - 8) = bytes | (*image_word(&image, large->start - 8) & 7);
    large->usable_bytes = bytes - 8;
    for (size_t b = last - 1; b > first; b -= 7)
        expect_find(image.blocks[b].start, large);
    end();
}

/* A free chunk's size is repeated at its end: if the two differ, the chunk is rejected. */
static void contradictory_chunk_sizes_are_rejected(void **state)
{
    (void)state;
    struct walk_block block;
    begin(&image_layouts[3]);
    update_walk();
    size_t b = 100;
    uint64_t behind;
    do {
        b++;
        behind = image.blocks[b].start + image.blocks[b].usable_bytes;
    } while (image.blocks[b].in_use || *image_word(&image, behind) & 1);
    expect_find(image.blocks[b].start, &image.blocks[b]);
    *image_word(&image, behind - 8) ^= 16;
    assert_false(walk_find(walk, image.blocks[b].start, &block));
    assert_int_equal(walk_stats(walk)->failures[WALK_FAIL_BROKEN], 1);
    walk_all(walk, check_block, NULL);
    assert_int_equal(walk_stats(walk)->broken_spans, 1);
    assert_int_equal(wrong, 0);
    end();
}

/* A lookup stays within its cost limit on hostile memory. */
static void walk_of_randomly_damaged_heap_is_bounded(void **state)
{
    (void)state;
    static const uint64_t values[] = {0,    1,    0x10,         0x11,
                                      0x21, 0x22, ~(uint64_t)0, 0x8000000000000001u};
    struct prng random = {11};
    uint64_t most = 0;
    for (unsigned round = 0; round < 300; round++) {
        begin(&image_layouts[round % IMAGE_LAYOUTS]);
        for (unsigned i = 0; i < 1u + round % 8; i++) {
            enum image_part part = (enum image_part)prng_below(&random, IMAGE_PARTS);
            uint32_t room = part == IMAGE_BLOCK ? 64 : 32768;
            uint64_t at = image.parts[part].start + prng_below(&random, room / 8) * 8;
            uint64_t other = image.parts[IMAGE_BRK].start + prng_below(&random, 4096) * 16;
            uint32_t pick = (uint32_t)prng_below(&random, 12);
            *image_word(&image, at) = pick < 8 ? values[pick] : pick < 10 ? other : other | 1;
        }
        update_walk();
        uint64_t before = image.reads;
        walk_all(walk, check_block, NULL);
        for (unsigned i = 0; i < 50; i++) {
            struct walk_block block;
            uint64_t at = image.blocks[prng_below(&random, (uint32_t)image.block_count)].start;
            if (walk_find(walk, at, &block))
                assert_true(block.usable_bytes < (uint64_t)1 << 20);
        }
        most = image.reads - before > most ? image.reads - before : most;
        end();
    }
    print_message("at most %llu reads per round\n", (unsigned long long)most);
    assert_true(most < 200000);
}

/* Returns the last block of the main arena. */
static const struct image_block *last_in_brk(void)
{
    size_t last = image.block_count - 1;
    while (image.blocks[last].arena || image.blocks[last].mmapped || !image.blocks[last].in_use)
        last--;
    return &image.blocks[last];
}

static void find_stays_within_its_budget(void **state)
{
    enum { REACH = 4096 };
    (void)state;
    struct walk_block block;
    begin(&image_layouts[3]);
    update_walk();
    const struct image_block *last = last_in_brk();
    walk_limit_chain(walk, REACH);
    assert_true(last->start - image.parts[IMAGE_BRK].start > 2 * REACH);
    assert_false(walk_find(walk, last->start, &block));
    assert_int_equal(walk_stats(walk)->failures[WALK_FAIL_BUDGET], 1);
    assert_int_equal(walk_all(walk, check_block, NULL), count_in_use());
    expect_find(last->start, last);
    end();
}

static void successor_walk_keeps_find_count(void **state)
{
    (void)state;
    struct walk *next;
    struct walk_target target = image_target(&image);
    begin(&image_layouts[3]);
    update_walk();
    expect_find(last_in_brk()->start, last_in_brk());
    assert_int_equal(walk_new(&next, &target), 0);
    assert_int_equal(walk_update(next, &image.maps), 0);
    assert_int_equal(walk_all(next, check_block, NULL), count_in_use());
    walk_continue_from(next, walk);
    assert_int_equal(walk_stats(next)->find_count, walk_stats(walk)->find_count);
    walk_free(walk);
    walk = next;
    expect_find(last_in_brk()->start, last_in_brk());
    end();
}

/* Only the new part of a mapping that grew is searched for blocks. */
static uint64_t reads_for_foreign(uint64_t address)
{
    struct walk_block block;
    uint64_t before = image.reads;
    update_walk();
    assert_false(walk_find(walk, address, &block));
    return image.reads - before;
}

static void only_new_part_of_grown_mapping_is_searched(void **state)
{
    (void)state;
    begin(&image_layouts[3]);
    memset(image.parts[IMAGE_BLOCK].memory, 0, image.parts[IMAGE_BLOCK].bytes);
    struct map *mapping = &image.mappings[IMAGE_BLOCK];
    while (mapping->start != image.parts[IMAGE_BLOCK].start)
        mapping--;
    uint64_t end_of_all = mapping->end;
    mapping->end -= 4096;
    uint64_t first = reads_for_foreign(mapping->start);
    uint64_t again = reads_for_foreign(mapping->start);
    mapping->end = end_of_all;
    uint64_t grown = reads_for_foreign(mapping->start);
    print_message("reads: %llu first, %llu again, %llu after growing by a page\n",
                  (unsigned long long)first, (unsigned long long)again, (unsigned long long)grown);
    assert_true(grown > again);
    assert_true(grown - again < (first - again) / 2);
    end();
}

/* madvise(MADV_HUGEPAGE) of a part of a block: its header is in the mapping before. */
static void block_continues_across_huge_page_mapping(void **state)
{
    enum { BEFORE = 16 << 12 };
    struct map cut[IMAGE_PARTS + 1];
    const struct maps maps = {.maps = cut, .count = IMAGE_PARTS + 1, .names = image.names[0]};
    size_t at = 0;
    (void)state;
    begin(&image_layouts[3]);
    while (image.mappings[at].start != image.parts[IMAGE_BLOCK].start)
        at++;
    memcpy(cut, image.mappings, (at + 1) * sizeof *cut);
    memcpy(cut + at + 1, image.mappings + at, (IMAGE_PARTS - at) * sizeof *cut);
    cut[at].end = cut[at + 1].start = image.parts[IMAGE_BLOCK].start + BEFORE;
    assert_int_equal(walk_update(walk, &maps), 0);
    expect_find(cut[at + 1].start + 4096, block_starting_at(image.parts[IMAGE_BLOCK].start + 16));
    assert_int_equal(walk_all(walk, check_block, NULL), count_in_use());
    assert_int_equal(wrong, 0);
    end();
}

static void rename_mapping(size_t index, const char *path)
{
    strcpy(image.maps.names + image.mappings[index].name, path);
}

static void missing_heap_has_a_reason(void **state)
{
    (void)state;
    begin(&image_layouts[0]);
    memset(image.parts[IMAGE_DATA].memory, 0, image.parts[IMAGE_DATA].bytes);
    update_walk();
    assert_string_equal(walk_status(walk), "no glibc heap: the malloc of libc.so.6 was not used "
                                           "(another allocator?)");
    rename_mapping(IMAGE_PARTS - 1, "/opt/\x1b[2J/pro\x1b[31mgram");
    update_walk();
    assert_string_equal(walk_status(walk),
                        "static program: no glibc allocator found in pro?[31mgram");
    rename_mapping(0, "/lib/ld-uClibc.so.0");
    update_walk();
    assert_non_null(strstr(walk_status(walk), "another C library (ld-uClibc.so.0)"));
    rename_mapping(0, "/usr/bin/qemu-aarch64-static");
    update_walk();
    assert_non_null(strstr(walk_status(walk), "another architecture"));
    rename_mapping(0, "/lib/ld-musl-x86_64.so.1");
    update_walk();
    assert_non_null(strstr(walk_status(walk), "musl"));
    rename_mapping(0, "/usr/lib/libjemalloc.so.2");
    rename_mapping(IMAGE_PARTS - 1, "/lib/libc.so.6");
    update_walk();
    assert_non_null(strstr(walk_status(walk), "libjemalloc.so.2 is loaded"));
    assert_int_equal(walk_all(walk, check_block, NULL), -ENODATA);
    end();
}

/* A program without jemalloc, with memory full of one pointer into itself. */
enum { BSS = 0x10001000, BSS_BYTES = (2 << 20) + 4096, POOL = 0x20000000, POOL_BYTES = 4 << 20 };

static size_t read_pool(void *context, uint64_t address, void *out, size_t size)
{
    uint64_t *words = out;
    (void)context;
    if ((address < BSS || address + size > BSS + BSS_BYTES) &&
        (address < POOL || address + size > POOL + POOL_BYTES))
        return 0;
    for (size_t i = 0; i < size / 8; i++)
        words[i] = POOL + 64;
    return size;
}

static bool read_all_of_pool(void *context, uint64_t address, void *out, size_t size)
{
    return read_pool(context, address, out, size) == size;
}

static void memory_without_extent_is_not_jemalloc_metadata(void **state)
{
    (void)state;
    const struct walk_target target = {.read = read_all_of_pool, .read_some = read_pool};
    static char names[] = "\0/bin/program";
    struct map mappings[] = {
        {.start = BSS - 4096, .end = BSS, .name = 1, .kind = MAPPING_FILE},
        {.start = BSS, .end = BSS + BSS_BYTES, .kind = MAPPING_ANON, .writable = true},
        {.start = POOL, .end = POOL + POOL_BYTES, .kind = MAPPING_ANON, .writable = true}};
    const struct maps maps = {.maps = mappings, .count = 3, .names = names};
    struct walk_block block;
    assert_int_equal(walk_new(&walk, &target), 0);
    walk_update(walk, &maps);
    assert_false(walk_find(walk, POOL + 4096, &block));
    walk_free(walk);
}

static void late_initialised_arena_is_walked(void **state)
{
    (void)state;
    begin(&image_layouts[2]);
    unsigned char *data = malloc(image.parts[IMAGE_DATA].bytes);
    memcpy(data, image.parts[IMAGE_DATA].memory, image.parts[IMAGE_DATA].bytes);
    memset(image.parts[IMAGE_DATA].memory, 0, image.parts[IMAGE_DATA].bytes);
    update_walk();
    assert_non_null(walk_status(walk));
    memcpy(image.parts[IMAGE_DATA].memory, data, image.parts[IMAGE_DATA].bytes);
    free(data);
    update_walk();
    assert_null(walk_status(walk));
    assert_int_equal(walk_all(walk, check_block, NULL), count_in_use());
    assert_int_equal(wrong, 0);
    end();
}

/* A program with glibc's heap and Go's: a table leads to the arena, that to spans of one page. */
enum { GO_PAGE = 8192, GO_SPANS = 8, GO_SPAN_WORDS = 32 };
static const uint64_t go_data = 0x500000000000, go_table = 0x600000000000;
static const uint64_t go_arena = 0x610000000000, go_spans = 0x620000000000;
static const uint64_t go_heap = 0xc000000000;

static uint64_t go_word(uint64_t address)
{
    uint64_t page = (address - go_arena) / 8;
    uint64_t span = (address - go_spans) / 8 / GO_SPAN_WORDS;
    uint64_t start = go_heap + span * GO_PAGE;
    if (address == go_data)
        return go_table;
    if (address == go_table + ((go_heap - UINT64_C(0xffff800000000000)) >> 26) * 8)
        return go_arena;
    if (page < GO_SPANS)
        return go_spans + page * GO_SPAN_WORDS * 8;
    if (span >= GO_SPANS)
        return 0;
    switch ((address - go_spans) / 8 % GO_SPAN_WORDS) {
    case 3:
        return start;
    case 4:
        return 1;
    case 12:
        return 1 << 24; /* in use */
    case 13:
        return 64;
    case 14:
        return start + GO_PAGE;
    }
    return 0;
}

static size_t read_with_go(void *context, uint64_t address, void *out, size_t bytes)
{
    const struct walk_target *of_image = context;
    if (maps_find(&image.maps, address))
        return of_image->read_some(of_image->context, address, out, bytes);
    for (size_t i = 0; i < bytes; i += 8) {
        uint64_t word = go_word(address + i);
        memcpy((char *)out + i, &word, bytes - i < 8 ? bytes - i : 8);
    }
    return bytes;
}

static bool read_all_with_go(void *context, uint64_t address, void *out, size_t bytes)
{
    return read_with_go(context, address, out, bytes) == bytes;
}

static void go_heap_is_not_searched_for_malloc_blocks(void **state)
{
    (void)state;
    enum { READS_MAX = 100 };
    struct walk_block block;
    begin(&image_layouts[3]);
    struct walk_target of_image = image_target(&image);
    const struct walk_target target = {
        .context = &of_image, .read = read_all_with_go, .read_some = read_with_go};
    const struct map go[] = {
        {.start = go_heap, .end = go_heap + (256 << 20), .kind = MAPPING_ANON, .writable = true},
        {.start = go_data - 4096, .end = go_data, .kind = MAPPING_FILE},
        {.start = go_data, .end = go_data + 4096, .kind = MAPPING_ANON, .writable = true},
        {.start = go_table, .end = go_table + (32 << 20), .kind = MAPPING_ANON, .writable = true},
        {.start = go_arena, .end = go_arena + (4 << 20), .kind = MAPPING_ANON, .writable = true},
        {.start = go_spans, .end = go_spans + 65536, .kind = MAPPING_ANON, .writable = true}};
    struct maps maps = image.maps;
    maps.maps = calloc(maps.count + 6, sizeof *maps.maps);
    size_t low = 0, count = 0;
    for (size_t i = 0; i < 6; i++) {
        while (low < image.maps.count && image.maps.maps[low].start < go[i].start)
            maps.maps[count++] = image.maps.maps[low++];
        maps.maps[count++] = go[i];
    }
    while (low < image.maps.count)
        maps.maps[count++] = image.maps.maps[low++];
    maps.count = count;
    walk_free(walk);
    assert_int_equal(walk_new(&walk, &target), 0);
    assert_int_equal(walk_update(walk, &maps), 0);
    assert_true(walk_find(walk, go_heap + 100, &block));
    assert_true(block.go && block.start == go_heap + 64 && block.usable_bytes == 64);
    uint64_t before = walk_stats(walk)->reads;
    assert_false(walk_find(walk, go_heap + GO_SPANS * GO_PAGE, &block));
    assert_true(walk_stats(walk)->reads - before <= READS_MAX);
    free(maps.maps);
    end();
}

static void expect_class(uint64_t usable, uint64_t size_class, const char *name)
{
    char text[32];
    assert_int_equal(walk_size_class(usable, false), size_class);
    assert_string_equal(walk_class_name(text, size_class), name);
}

static void size_classes_have_names_and_bounds(void **state)
{
    (void)state;
    expect_class(0, 24, "malloc(1..24)");
    expect_class(24, 24, "malloc(1..24)");
    expect_class(25, 40, "malloc(25..40)");
    expect_class(72, 72, "malloc(57..72)");
    expect_class(1032, 1032, "malloc(1017..1032)");
    expect_class(1048, 1280, "malloc(1.0K..1.2K)");
    expect_class(8200, 10240, "malloc(8.0K..10.0K)");
    expect_class((3 << 20) + 1, 3670016, "malloc(3.0M..3.5M)");
    for (uint64_t usable = 1; usable < 1 << 20; usable += 7) {
        uint64_t size_class = walk_size_class(usable, false);
        assert_true(size_class >= usable && size_class <= usable + usable / 4 + 24);
        assert_int_equal(walk_size_class(size_class, false), size_class);
    }
    assert_int_equal(walk_size_class(UINT64_MAX, false), UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heaps_of_all_glibc_versions_are_walked),
        cmocka_unit_test(blocks_are_found_by_any_byte),
        cmocka_unit_test(top_and_foreign_addresses_are_distinguished),
        cmocka_unit_test(thread_arena_heap_start_belongs_to_malloc),
        cmocka_unit_test(changed_chunk_is_read_again),
        cmocka_unit_test(chunk_changed_during_find_is_not_stale),
        cmocka_unit_test(stale_headers_inside_a_block_are_rejected),
        cmocka_unit_test(contradictory_chunk_sizes_are_rejected),
        cmocka_unit_test(walk_of_randomly_damaged_heap_is_bounded),
        cmocka_unit_test(find_stays_within_its_budget),
        cmocka_unit_test(successor_walk_keeps_find_count),
        cmocka_unit_test(only_new_part_of_grown_mapping_is_searched),
        cmocka_unit_test(block_continues_across_huge_page_mapping),
        cmocka_unit_test(missing_heap_has_a_reason),
        cmocka_unit_test(memory_without_extent_is_not_jemalloc_metadata),
        cmocka_unit_test(late_initialised_arena_is_walked),
        cmocka_unit_test(go_heap_is_not_searched_for_malloc_blocks),
        cmocka_unit_test(size_classes_have_names_and_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
