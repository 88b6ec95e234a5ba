/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is written is read again: places, descriptions, facts; and whatever is done to the file. */
#include "unit.h"

#include "store/store_read.h"
#include "store_planned.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PLACES = 3000, EVERY = 500 };

static char path[] = "/tmp/misstop-store-XXXXXX";

static int make_path(void **state)
{
    (void)state;
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int remove_path(void **state)
{
    (void)state;
    return unlink(path);
}

struct reading {
    struct prng prng; /* of the writer */
    uint64_t time_ns;
    unsigned places;
    unsigned refreshes;
    unsigned others;
    unsigned wrong;
};

static struct reading start_reading(void)
{
    return (struct reading){.prng = {7}, .time_ns = 1000};
}

static bool same_place(const struct place *a, const struct place *b)
{
    const struct access *left = &a->access;
    const struct access *right = &b->access;
    return left->time_ns == right->time_ns && left->address == right->address &&
           left->ip == right->ip && left->weight == right->weight &&
           left->latency == right->latency && left->data_src == right->data_src &&
           left->physical == right->physical && left->pid == right->pid &&
           left->tid == right->tid && left->cpu == right->cpu && left->event == right->event &&
           left->size == right->size && left->kind == right->kind && left->how == right->how &&
           left->reason == right->reason && left->base == right->base &&
           left->index == right->index && left->locked == right->locked &&
           left->displacement == right->displacement && left->cause == right->cause &&
           left->evictor_tid == right->evictor_tid && left->waits == right->waits &&
           left->kept == right->kept && a->object == b->object && a->holder == b->holder &&
           a->function == b->function && a->base == b->base && a->size_bytes == b->size_bytes &&
           a->type == b->type && a->type_offset == b->type_offset && a->by_member == b->by_member &&
           a->unit == b->unit && a->typed == b->typed && a->untyped == b->untyped;
}

static void compare(void *context, const struct store_item *item)
{
    struct reading *reading = context;
    if (item->kind == STORE_ITEM_PLACE) {
        struct place place =
            planned_place(&reading->prng, reading->time_ns, reading->places++ % 4 == 3);
        reading->wrong += !same_place(&place, &item->place);
        reading->time_ns = place.access.time_ns;
    } else if (item->kind == STORE_ITEM_REFRESH) {
        reading->refreshes++;
        reading->wrong += item->time_ns != reading->time_ns + 1 || item->interval_s != 0.5;
    } else {
        reading->others++;
    }
}

static struct store_reader *open_store(void)
{
    struct store_reader *reader;
    struct error error = {0};
    int code = store_reader_open(&reader, path, &error);
    if (code)
        fail_msg("%s", error.text);
    return reader;
}

static void test_places_come_back(void **state)
{
    struct planned planned = {0};
    struct reading reading = start_reading();
    (void)state;
    close(planned_write(&planned, path, PLACES, EVERY));
    assert_true(store_is_one(path));
    struct store_reader *reader = open_store();
    assert_int_equal(store_reader_belongs(reader), 99);
    assert_int_equal(store_reader_start_ns(reader), 1000);
    assert_int_equal(store_reader_read(reader, UINT64_MAX, compare, &reading),
                     PLACES + 3 * (PLACES / EVERY));
    assert_int_equal(reading.places, PLACES);
    assert_int_equal(reading.refreshes, PLACES / EVERY);
    assert_int_equal(reading.others, 2 * (PLACES / EVERY));
    assert_int_equal(reading.wrong, 0);
    assert_int_equal(store_reader_end_ns(reader), reading.time_ns + 1);
    assert_int_equal(store_reader_read(reader, UINT64_MAX, compare, &reading), -ENODATA);
    assert_string_equal(store_reader_damage(reader), "");
    store_reader_close(reader);
}

/* Whatever time is asked for, each item comes once and in its order. */
static void test_read_in_steps(void **state)
{
    struct planned planned = {0};
    struct reading reading = start_reading();
    (void)state;
    close(planned_write(&planned, path, PLACES, EVERY));
    struct store_reader *reader = open_store();
    long count = 0;
    for (uint64_t until = 0; count >= 0; until += 7000000) {
        count = store_reader_read(reader, until, compare, &reading);
        assert_true(reading.time_ns <= until || !reading.places);
    }
    assert_int_equal(reading.places, PLACES);
    assert_int_equal(reading.wrong, 0);
    store_reader_close(reader);
}

static void ignore(void *context, const struct store_item *item)
{
    (void)context;
    (void)item;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static bool same_double(double a, double b)
{
    return isnan(a) ? isnan(b) : a == b;
}

static void compare_objects(const struct place_names *made, const struct place_names *read)
{
    for (uint32_t id = 0; id < PLANNED_OBJECTS; id++) {
        struct object_desc a;
        struct object_desc b;
        assert_true(made->object(made->context, id, &a));
        assert_true(read->object(read->context, id, &b));
        assert_string_equal(a.name, b.name);
        assert_string_equal(a.module, b.module);
        assert_true(same_text(a.type, b.type));
        assert_true(a.type_id == b.type_id && a.type_votes == b.type_votes &&
                    a.type_against == b.type_against && a.kind == b.kind &&
                    a.address == b.address && a.size_bytes == b.size_bytes && a.blocks == b.blocks);
    }
}

static void compare_functions(const struct place_names *made, const struct place_names *read)
{
    for (uint32_t id = 0; id < PLANNED_FUNCTIONS; id++) {
        struct function_desc a;
        struct function_desc b;
        assert_true(made->function(made->context, id, &a));
        assert_true(read->function(read->context, id, &b));
        assert_string_equal(a.name, b.name);
        assert_string_equal(a.module, b.module);
        assert_string_equal(a.file, b.file);
        assert_true(a.line == b.line && a.start == b.start && a.end == b.end);
    }
}

static void compare_types(const struct place_names *made, const struct place_names *read)
{
    for (uint32_t id = 1; id < PLANNED_TYPES; id++) {
        struct type_desc a;
        struct type_desc b;
        assert_true(made->type(made->context, id, &a));
        assert_true(read->type(read->context, id, &b));
        assert_string_equal(a.name, b.name);
        assert_true(a.kind == b.kind && a.size == b.size && a.cut == b.cut);
        assert_int_equal(a.member_count, b.member_count);
        for (uint32_t i = 0; i < a.member_count; i++) {
            const struct type_member *x = &a.members[i];
            const struct type_member *y = &b.members[i];
            assert_string_equal(x->name, y->name);
            assert_string_equal(x->type, y->type);
            assert_true(x->offset == y->offset && x->size == y->size && x->count == y->count &&
                        x->stride == y->stride && x->parent == y->parent && x->depth == y->depth &&
                        x->kind == y->kind && x->bit_size == y->bit_size &&
                        x->bit_offset == y->bit_offset);
        }
    }
}

static void compare_heap(const struct place_names *made, const struct place_names *read)
{
    struct heap_summary whole;
    struct heap_summary summary;
    made->heap(made->context, &whole);
    read->heap(read->context, &summary);
    assert_true(summary.feed == whole.feed && summary.bins == PLANNED_BINS &&
                summary.live_blocks == whole.live_blocks && summary.failed == whole.failed);
    assert_string_equal(summary.note, whole.note);
    assert_true(isnan(summary.mark_age_s));
    for (uint32_t i = 0; i < PLANNED_BINS; i++) {
        struct heap_bin a;
        struct heap_bin b;
        assert_true(made->heap_bin(made->context, i, &a));
        assert_true(read->heap_bin(read->context, i, &b));
        assert_string_equal(a.name, b.name);
        assert_int_equal(a.site_count, b.site_count);
        for (uint32_t j = 0; j < a.site_count; j++)
            assert_string_equal(a.site[j], b.site[j]);
        assert_true(a.id == b.id && a.object == b.object && a.walked == b.walked &&
                    a.live_blocks == b.live_blocks && same_text(a.path, b.path));
        assert_true(same_double(a.age_s, b.age_s) && same_double(a.quiet_s, b.quiet_s) &&
                    same_double(a.allocations_per_s, b.allocations_per_s) &&
                    same_double(a.growth_blocks, b.growth_blocks) &&
                    same_double(a.growth_bytes, b.growth_bytes));
        assert_memory_equal(a.sizes, b.sizes, sizeof a.sizes);
    }
    struct heap_bin none;
    assert_false(read->heap_bin(read->context, PLANNED_BINS, &none));
}

static void test_descriptions_come_back(void **state)
{
    struct planned planned = {0};
    (void)state;
    close(planned_write(&planned, path, PLACES, EVERY));
    struct store_reader *reader = open_store();
    while (store_reader_read(reader, UINT64_MAX, ignore, NULL) >= 0)
        continue;
    struct place_names made = planned_names(&planned);
    struct place_names read = store_reader_names(reader);
    compare_objects(&made, &read);
    compare_functions(&made, &read);
    compare_types(&made, &read);
    compare_heap(&made, &read);
    struct object_desc absent;
    assert_false(read.object(read.context, PLANNED_OBJECTS, &absent));
    char text[64];
    struct instruction_desc line;
    assert_true(store_reader_instruction_text(reader, 0x400010, text, sizeof text));
    assert_string_equal(text, "mov 0x10(%rax),%rdx");
    assert_true(read.instruction(read.context, 0x400010, &line));
    assert_int_equal(line.line, 0x400010 % 1000);
    store_reader_close(reader);
}

static void test_facts_come_back(void **state)
{
    struct planned planned = {0};
    struct store_facts facts;
    struct store_facts made;
    (void)state;
    close(planned_write(&planned, path, PLACES, EVERY));
    struct store_reader *reader = open_store();
    store_reader_facts(reader, &facts);
    assert_int_equal(facts.events[0].period, 1);
    while (store_reader_read(reader, UINT64_MAX, ignore, NULL) >= 0)
        continue;
    store_reader_facts(reader, &facts);
    planned_facts(&made, PLACES);
    assert_string_equal(facts.source, made.source);
    assert_string_equal(facts.exe, made.exe);
    assert_string_equal(facts.cache_level, made.cache_level);
    assert_int_equal(facts.event_count, made.event_count);
    assert_string_equal(facts.events[0].name, made.events[0].name);
    assert_int_equal(facts.events[0].period, PLACES);
    assert_null(facts.events[1].weighs);
    assert_true(facts.exact_ip && !facts.exact_address && facts.alive);
    store_reader_close(reader);
}

/* Recorded extents, the gaps between them, and objects by name. */
static void test_extents(void **state)
{
    struct planned planned = {0};
    struct store_writer *writer;
    struct store_facts facts;
    struct object_extent extent;
    int fd = open(path, O_RDWR | O_TRUNC);
    struct store_writer_options options = {
        .fd = fd, .path = path, .names = planned_names(&planned)};
    (void)state;
    planned_facts(&facts, 1);
    assert_int_equal(store_writer_open(&writer, &options, &facts, NULL), 0);
    store_writer_extent(writer, &(struct object_extent){0x1000, 0x3000, 3});
    store_writer_extent(writer, &(struct object_extent){0x1100, 0x1200, 0});
    store_writer_cpu_node(writer, 3, 1);
    store_writer_page_node(writer, 0x1000, 0);
    store_writer_page_node(writer, 0x2000, -1);
    store_writer_word(writer, 0x1008, 0x1000);
    store_writer_word(writer, 0x1008, 0x2000); /* it changed since */
    store_writer_lost(writer, 5);
    store_writer_throttled(writer);
    assert_int_equal(store_writer_close(writer, NULL), 0);
    struct store_reader *reader = open_store();
    struct reading reading = start_reading();
    store_reader_read(reader, UINT64_MAX, compare, &reading);
    assert_int_equal(reading.others, 2);
    struct place_names names = store_reader_names(reader);
    uint64_t pages[3] = {0x1000, 0x2000, 0x3000};
    int nodes[3];
    names.page_nodes(names.context, pages, 3, nodes);
    assert_true(nodes[0] == 0 && nodes[1] == -1 && nodes[2] == -1);
    uint64_t word;
    assert_true(names.word(names.context, 0x1008, &word) && word == 0x2000);
    assert_false(names.word(names.context, 0x1000, &word));
    assert_true(names.cpu_node(names.context, 3) == 1 && names.cpu_node(names.context, 4) == -1);
    assert_true(names.extent(names.context, 0x1180, &extent));
    assert_true(extent.base == 0x1100 && extent.bound == 0x1200 && !extent.object);
    assert_true(names.extent(names.context, 0x1300, &extent));
    assert_true(extent.base == 0x1000 && extent.bound == 0x3000 && extent.object == 3);
    assert_true(names.extent(names.context, 0x3000, &extent));
    assert_true(extent.base == 0x3000 && !extent.object);
    assert_true(store_reader_find(reader, "object_3", &extent));
    assert_int_equal(extent.object, 3);
    assert_false(store_reader_find(reader, "object_4", &extent));
    store_reader_close(reader);
}

/* A thread is named with its first place, and again at a sync while it is young. */
static void test_threads_are_named(void **state)
{
    struct store_writer *writer;
    struct store_facts facts;
    struct planned planned = {.generation = 1};
    struct prng prng = {7};
    char name[64];
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    struct store_writer_options options = {
        .fd = fd, .path = path, .names = planned_names(&planned)};
    (void)state;
    planned_facts(&facts, 1);
    assert_int_equal(store_writer_open(&writer, &options, &facts, NULL), 0);
    for (uint32_t tid = 1; tid < 200; tid++) {
        struct place place = planned_place(&prng, tid * 1000, false);
        place.access.tid = tid;
        store_writer_place(writer, &place);
    }
    planned.generation = 2;
    /* Until then the tables get the name in the file. */
    assert_true(store_writer_thread(writer, 199, name, sizeof name));
    assert_string_equal(name, "thread-199-1");
    store_writer_name_threads(writer);
    assert_true(store_writer_thread(writer, 199, name, sizeof name));
    assert_string_equal(name, "thread-199-2");
    assert_int_equal(store_writer_sync(writer, &facts, 300000, 1, NULL), 0);
    assert_int_equal(store_writer_close(writer, NULL), 0);
    struct store_reader *reader = open_store();
    while (store_reader_read(reader, UINT64_MAX, ignore, NULL) >= 0)
        continue;
    struct place_names names = store_reader_names(reader);
    assert_true(names.thread(names.context, 11, name, sizeof name));
    assert_string_equal(name, "thread-11-1");
    assert_true(names.thread(names.context, 199, name, sizeof name));
    assert_string_equal(name, "thread-199-2");
    assert_false(names.thread(names.context, 12, name, sizeof name));
    assert_false(names.thread(names.context, 201, name, sizeof name));
    store_reader_close(reader);
}

static unsigned char *whole_file(size_t *size)
{
    struct stat status;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &status), 0);
    *size = (size_t)status.st_size;
    unsigned char *bytes = malloc(*size);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static void write_file(const unsigned char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* The part of it that is read, which must be right; the rest must be reported. */
static unsigned read_hurt(bool *planned)
{
    struct reading reading = start_reading();
    struct store_reader *reader;
    struct error error = {0};
    if (store_reader_open(&reader, path, &error)) {
        assert_string_not_equal(error.text, "");
        *planned = true;
        return 0;
    }
    while (store_reader_read(reader, UINT64_MAX, compare, &reading) >= 0)
        continue;
    assert_int_equal(reading.wrong, 0);
    *planned = store_reader_damage(reader)[0];
    store_reader_close(reader);
    return reading.places;
}

static void test_cut_anywhere(void **state)
{
    enum { SMALL = 12, SMALL_EVERY = 4 };
    struct planned planned = {0};
    size_t size;
    (void)state;
    close(planned_write(&planned, path, SMALL, SMALL_EVERY));
    unsigned char *bytes = whole_file(&size);
    unsigned before = 0;
    bool says;
    unsigned whole = 0; /* cuts between two blocks: nothing is missing that was there */
    for (size_t cut = 0; cut < size; cut++) {
        write_file(bytes, cut);
        unsigned places = read_hurt(&says);
        assert_true(places >= before && places % SMALL_EVERY == 0);
        whole += !says;
        before = places;
    }
    assert_int_equal(before, SMALL - SMALL_EVERY);
    assert_int_equal(whole, SMALL / SMALL_EVERY);
    free(bytes);
}

static void test_damaged_anywhere(void **state)
{
    struct planned planned = {0};
    struct prng prng = {3};
    size_t size;
    bool says;
    (void)state;
    close(planned_write(&planned, path, 200, 20));
    unsigned char *bytes = whole_file(&size);
    for (unsigned i = 0; i < 500; i++) {
        size_t where = prng_below(&prng, (uint32_t)size);
        unsigned char change = (unsigned char)(1u << prng_below(&prng, 8));
        bytes[where] ^= change;
        write_file(bytes, size);
        assert_true(read_hurt(&says) < 200);
        assert_true(says);
        bytes[where] ^= change;
    }
    free(bytes);
}

static void test_a_full_disk_is_told(void **state)
{
    struct planned planned = {0};
    struct store_writer *writer;
    struct store_facts facts;
    struct error error = {0};
    int fd = open("/dev/full", O_WRONLY);
    (void)state;
    if (fd < 0)
        skip();
    struct store_writer_options options = {
        .fd = fd, .path = "full", .names = planned_names(&planned)};
    planned_facts(&facts, 1);
    assert_int_equal(store_writer_open(&writer, &options, &facts, &error), -ENOSPC);
    assert_non_null(strstr(error.text, "full"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places_come_back),
        cmocka_unit_test(test_read_in_steps),
        cmocka_unit_test(test_descriptions_come_back),
        cmocka_unit_test(test_facts_come_back),
        cmocka_unit_test(test_extents),
        cmocka_unit_test(test_threads_are_named),
        cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_damaged_anywhere),
        cmocka_unit_test(test_a_full_disk_is_told),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
