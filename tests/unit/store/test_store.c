/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Everything written can be read back: places, descriptions, facts; also from damaged files. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/form.h"
#include "store/store_read.h"
#include "store/store_write.h"
#include "unit.h"
#include "unit/store/store_planned.h"
#include "unit/names.h"

enum { PLACES = 3000, EVERY = 500 };

static char store_path[] = "/tmp/misstop-store-XXXXXX";

static int make_path(void **state)
{
    (void)state;
    int fd = mkstemp(store_path);
    return fd < 0 ? -1 : close(fd);
}

static int remove_path(void **state)
{
    (void)state;
    return unlink(store_path);
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
           left->evictor_tid == right->evictor_tid && left->is_spinning == right->is_spinning &&
           left->is_spill_slot == right->is_spill_slot &&
           left->is_stored_in_loop == right->is_stored_in_loop &&
           left->is_pointer_chase == right->is_pointer_chase &&
           left->line_was_accessed == right->line_was_accessed &&
           left->flushes_line == right->flushes_line &&
           left->per_line_log2 == right->per_line_log2 && a->object == b->object &&
           a->bin_object == b->bin_object && a->function == b->function && a->base == b->base &&
           a->size_bytes == b->size_bytes && a->type == b->type &&
           a->type_offset == b->type_offset && a->by_member == b->by_member && a->unit == b->unit &&
           a->typed == b->typed && a->untyped == b->untyped && a->caller == b->caller;
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
    int code = store_reader_open(&reader, store_path, &error);
    if (code)
        fail_msg("%s", error.text);
    return reader;
}

static void places_are_read_back(void **state)
{
    struct planned planned = {0};
    struct reading reading = start_reading();
    (void)state;
    close(planned_write(&planned, store_path, PLACES, EVERY));
    assert_true(store_has_magic(store_path));
    struct store_reader *reader = open_store();
    assert_int_equal(store_reader_perfdata_mark(reader), 99);
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

/* For any end time, each item comes once and in order. */
static void items_are_read_in_time_steps(void **state)
{
    struct planned planned = {0};
    struct reading reading = start_reading();
    (void)state;
    close(planned_write(&planned, store_path, PLACES, EVERY));
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

static void compare_objects(const struct place_names *expected, const struct place_names *read)
{
    for (uint32_t id = 0; id < PLANNED_OBJECTS; id++) {
        struct object_desc a;
        struct object_desc b;
        assert_true(ask_object(expected, id, &a));
        assert_true(ask_object(read, id, &b));
        assert_string_equal(a.name, b.name);
        assert_string_equal(a.module, b.module);
        assert_true(same_text(a.type, b.type));
        assert_true(a.type_id == b.type_id && a.type_votes == b.type_votes &&
                    a.type_votes_against == b.type_votes_against && a.kind == b.kind &&
                    a.address == b.address && a.size_bytes == b.size_bytes && a.blocks == b.blocks);
    }
}

static void compare_functions(const struct place_names *expected, const struct place_names *read)
{
    for (uint32_t id = 0; id < PLANNED_FUNCTIONS; id++) {
        struct function_desc a;
        struct function_desc b;
        assert_true(ask_function(expected, id, &a));
        assert_true(ask_function(read, id, &b));
        assert_string_equal(a.name, b.name);
        assert_string_equal(a.module, b.module);
        assert_string_equal(a.file, b.file);
        assert_true(a.line == b.line && a.start == b.start && a.end == b.end);
    }
}

static void compare_callers(const struct place_names *expected, const struct place_names *read)
{
    struct caller_desc a;
    struct caller_desc b;
    for (uint32_t node = 1; node <= PLANNED_CALLERS; node++) {
        assert_true(ask_caller(expected, node, &a));
        assert_true(ask_caller(read, node, &b));
        assert_true(a.parent == b.parent && a.function == b.function);
    }
    assert_false(ask_caller(read, 0, &b));
    assert_false(ask_caller(read, PLANNED_CALLERS + 1, &b));
}

static void compare_types(const struct place_names *expected, const struct place_names *read)
{
    for (uint32_t id = 1; id < PLANNED_TYPES; id++) {
        struct type_desc a;
        struct type_desc b;
        assert_true(ask_type(expected, id, &a));
        assert_true(ask_type(read, id, &b));
        assert_string_equal(a.name, b.name);
        assert_true(a.kind == b.kind && a.size == b.size && a.is_truncated == b.is_truncated);
        assert_int_equal(a.managed, b.managed);
        assert_true(a.raw && b.raw ? !strcmp(a.raw, b.raw) : a.raw == b.raw);
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

static void compare_heap(const struct place_names *expected, const struct place_names *read)
{
    union place_answer whole;
    union place_answer answer;
    const struct heap_summary *summary = &answer.heap;
    assert_true(place_ask(expected, PLACE_HEAP, 0, &whole) &&
                place_ask(read, PLACE_HEAP, 0, &answer));
    assert_true(summary->feed == whole.heap.feed && summary->bins == PLANNED_BINS &&
                summary->live_blocks == whole.heap.live_blocks &&
                summary->failed == whole.heap.failed);
    assert_string_equal(summary->note, whole.heap.note);
    assert_true(isnan(summary->mark_age_s));
    for (uint32_t i = 0; i < PLANNED_BINS; i++) {
        struct heap_bin a;
        struct heap_bin b;
        assert_true(ask_bin(expected, i, &a));
        assert_true(ask_bin(read, i, &b));
        assert_string_equal(a.name, b.name);
        assert_int_equal(a.site_count, b.site_count);
        for (uint32_t j = 0; j < a.site_count; j++)
            assert_string_equal(a.site[j], b.site[j]);
        assert_true(a.id == b.id && a.object == b.object && a.is_size_class == b.is_size_class &&
                    a.live_blocks == b.live_blocks && same_text(a.path, b.path));
        assert_true(same_double(a.age_s, b.age_s) && same_double(a.quiet_s, b.quiet_s) &&
                    same_double(a.allocations_per_s, b.allocations_per_s) &&
                    same_double(a.growth_blocks, b.growth_blocks) &&
                    same_double(a.growth_bytes, b.growth_bytes));
        assert_memory_equal(a.sizes, b.sizes, sizeof a.sizes);
    }
    struct heap_bin none;
    assert_false(ask_bin(read, PLANNED_BINS, &none));
}

static void descriptions_are_read_back(void **state)
{
    struct planned planned = {0};
    (void)state;
    close(planned_write(&planned, store_path, PLACES, EVERY));
    struct store_reader *reader = open_store();
    while (store_reader_read(reader, UINT64_MAX, ignore, NULL) >= 0)
        continue;
    struct place_names expected = planned_names(&planned);
    struct place_names read = store_reader_names(reader);
    compare_objects(&expected, &read);
    compare_functions(&expected, &read);
    compare_callers(&expected, &read);
    compare_types(&expected, &read);
    compare_heap(&expected, &read);
    struct object_desc absent;
    assert_false(ask_object(&read, PLANNED_OBJECTS, &absent));
    char text[64];
    struct instruction_desc line;
    assert_true(store_reader_instruction_text(reader, 0x400010, text, sizeof text));
    assert_string_equal(text, "mov 0x10(%rax),%rdx");
    assert_true(ask_instruction(&read, 0x400010, &line));
    assert_int_equal(line.line, 0x400010 % 1000);
    store_reader_close(reader);
}

static void facts_are_read_back(void **state)
{
    struct planned planned = {0};
    struct store_facts facts;
    struct store_facts expected;
    (void)state;
    close(planned_write(&planned, store_path, PLACES, EVERY));
    struct store_reader *reader = open_store();
    store_reader_facts(reader, &facts);
    assert_int_equal(facts.info.events[0].period, 1);
    while (store_reader_read(reader, UINT64_MAX, ignore, NULL) >= 0)
        continue;
    store_reader_facts(reader, &facts);
    planned_facts(&expected, PLACES);
    assert_string_equal(facts.info.source, expected.info.source);
    assert_string_equal(facts.target.exe, expected.target.exe);
    assert_string_equal(facts.cache_level, expected.cache_level);
    assert_int_equal(facts.info.event_count, expected.info.event_count);
    assert_string_equal(facts.info.events[0].name, expected.info.events[0].name);
    assert_int_equal(facts.info.events[0].period, PLACES);
    assert_string_equal(facts.info.events[0].weight_unit, "time");
    assert_int_equal(facts.info.events[0].role, EVENT_TIME);
    assert_string_equal(facts.info.events[1].weight_unit, "");
    assert_true(facts.info.exact_ip && !facts.info.exact_address && facts.target.alive);
    store_reader_close(reader);
}

static int node(const struct place_names *names, enum place_question question, uint64_t number)
{
    union place_answer answer;
    assert_true(place_ask(names, question, number, &answer));
    return answer.node;
}

/* Asks a question through the writer and gives this answer. */
static void answer_through_writer(struct planned *planned, struct store_writer *writer,
                                  enum place_question question, uint64_t number,
                                  union place_answer own)
{
    union place_answer answer;
    planned->of_memory = &own;
    assert_true(store_writer_answer(writer, question, number, &answer));
    planned->of_memory = NULL;
}

/* Recorded extents, the gaps between them, and objects by name. */
static void extents_and_names_are_found(void **state)
{
    struct planned planned = {0};
    struct store_writer *writer;
    struct store_facts facts;
    struct object_extent extent;
    union place_answer answer;
    int fd = open(store_path, O_RDWR | O_TRUNC);
    struct store_writer_options options = {
        .fd = fd, .path = store_path, .names = planned_names(&planned)};
    (void)state;
    planned_facts(&facts, 1);
    assert_int_equal(store_writer_open(&writer, &options, &facts, NULL), 0);
    answer_through_writer(&planned, writer, PLACE_EXTENT, 0x1000,
                          (union place_answer){.extent = {0x1000, 0x3000, 3}});
    answer_through_writer(&planned, writer, PLACE_EXTENT, 0x1100,
                          (union place_answer){.extent = {0x1100, 0x1200, 0}});
    answer_through_writer(&planned, writer, PLACE_CPU_NODE, 3, (union place_answer){.node = 1});
    answer_through_writer(&planned, writer, PLACE_PAGE_NODE, 0x1000,
                          (union place_answer){.node = 0});
    answer_through_writer(&planned, writer, PLACE_PAGE_NODE, 0x2000,
                          (union place_answer){.node = -1});
    answer_through_writer(&planned, writer, PLACE_WORD, 0x1008,
                          (union place_answer){.word = 0x1000});
    /* The word has changed since; then the process has ended. */
    answer_through_writer(&planned, writer, PLACE_WORD, 0x1008,
                          (union place_answer){.word = 0x2000});
    assert_true(store_writer_answer(writer, PLACE_WORD, 0x1008, &answer) && answer.word == 0x2000);
    assert_false(store_writer_answer(writer, PLACE_WORD, 0x1010, &answer));
    store_writer_lost(writer, 5);
    store_writer_throttled(writer);
    assert_int_equal(store_writer_close(writer, NULL), 0);
    struct store_reader *reader = open_store();
    struct reading reading = start_reading();
    store_reader_read(reader, UINT64_MAX, compare, &reading);
    assert_int_equal(reading.others, 2);
    struct place_names names = store_reader_names(reader);
    assert_int_equal(node(&names, PLACE_PAGE_NODE, 0x1000), 0);
    assert_int_equal(node(&names, PLACE_PAGE_NODE, 0x2000), -1);
    assert_int_equal(node(&names, PLACE_PAGE_NODE, 0x3000), -1);
    assert_int_equal(node(&names, PLACE_CPU_NODE, 3), 1);
    assert_int_equal(node(&names, PLACE_CPU_NODE, 4), -1);
    assert_true(place_ask(&names, PLACE_WORD, 0x1008, &answer) && answer.word == 0x2000);
    assert_false(place_ask(&names, PLACE_WORD, 0x1000, &answer));
    assert_true(ask_extent(&names, 0x1180, &extent));
    assert_true(extent.base == 0x1100 && extent.bound == 0x1200 && !extent.object);
    assert_true(ask_extent(&names, 0x1300, &extent));
    assert_true(extent.base == 0x1000 && extent.bound == 0x3000 && extent.object == 3);
    assert_true(ask_extent(&names, 0x3000, &extent));
    assert_true(extent.base == 0x3000 && !extent.object);
    assert_true(store_reader_find(reader, "object_3", &extent));
    assert_int_equal(extent.object, 3);
    assert_false(store_reader_find(reader, "object_4", &extent));
    store_reader_close(reader);
}

/* A thread is named with its first place, and again at a sync while it is young. */
static void threads_are_named(void **state)
{
    struct store_writer *writer;
    struct store_facts facts;
    struct planned planned = {.generation = 1};
    struct prng prng = {7};
    union place_answer name;
    int fd = open(store_path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    struct store_writer_options options = {
        .fd = fd, .path = store_path, .names = planned_names(&planned)};
    (void)state;
    planned_facts(&facts, 1);
    assert_int_equal(store_writer_open(&writer, &options, &facts, NULL), 0);
    for (uint32_t tid = 1; tid < 200; tid++) {
        struct place place = planned_place(&prng, tid * 1000, false);
        place.access.tid = tid;
        store_writer_place(writer, &place);
    }
    planned.generation = 2;
    /* Until the sync the tables get the name in the file. */
    assert_true(store_writer_answer(writer, PLACE_THREAD, 199, &name));
    assert_string_equal(name.thread, "thread-199-1");
    store_writer_begin_refresh(writer);
    assert_true(store_writer_answer(writer, PLACE_THREAD, 199, &name));
    assert_string_equal(name.thread, "thread-199-2");
    assert_int_equal(store_writer_sync(writer, &facts, 300000, 1, NULL), 0);
    assert_int_equal(store_writer_close(writer, NULL), 0);
    struct store_reader *reader = open_store();
    while (store_reader_read(reader, UINT64_MAX, ignore, NULL) >= 0)
        continue;
    struct place_names names = store_reader_names(reader);
    assert_true(place_ask(&names, PLACE_THREAD, 11, &name));
    assert_string_equal(name.thread, "thread-11-1");
    assert_true(place_ask(&names, PLACE_THREAD, 199, &name));
    assert_string_equal(name.thread, "thread-199-2");
    assert_false(place_ask(&names, PLACE_THREAD, 12, &name));
    assert_false(place_ask(&names, PLACE_THREAD, 201, &name));
    store_reader_close(reader);
}

static unsigned char *read_whole_file(size_t *size)
{
    struct stat status;
    FILE *file = fopen(store_path, "rb");
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
    FILE *file = fopen(store_path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Reads the readable part of a damaged file, which must be correct; the damage must be reported. */
static unsigned read_damaged(bool *damage_reported)
{
    struct reading reading = start_reading();
    struct store_reader *reader;
    struct error error = {0};
    if (store_reader_open(&reader, store_path, &error)) {
        assert_string_not_equal(error.text, "");
        *damage_reported = true;
        return 0;
    }
    while (store_reader_read(reader, UINT64_MAX, compare, &reading) >= 0)
        continue;
    assert_int_equal(reading.wrong, 0);
    *damage_reported = store_reader_damage(reader)[0];
    store_reader_close(reader);
    return reading.places;
}

static void truncated_store_is_read_to_whole_block(void **state)
{
    enum { SMALL = 12, SMALL_EVERY = 4 };
    struct planned planned = {0};
    size_t size;
    (void)state;
    close(planned_write(&planned, store_path, SMALL, SMALL_EVERY));
    unsigned char *bytes = read_whole_file(&size);
    unsigned before = 0;
    bool damage_reported;
    unsigned whole = 0; /* cuts between two blocks: nothing is missing */
    for (size_t cut = 0; cut < size; cut++) {
        write_file(bytes, cut);
        unsigned places = read_damaged(&damage_reported);
        assert_true(places >= before && places % SMALL_EVERY == 0);
        whole += !damage_reported;
        before = places;
    }
    assert_int_equal(before, SMALL - SMALL_EVERY);
    assert_int_equal(whole, SMALL / SMALL_EVERY);
    free(bytes);
}

static void damaged_store_is_detected(void **state)
{
    struct planned planned = {0};
    struct prng prng = {3};
    size_t size;
    bool damage_reported;
    (void)state;
    close(planned_write(&planned, store_path, 200, 20));
    unsigned char *bytes = read_whole_file(&size);
    for (unsigned i = 0; i < 500; i++) {
        size_t where = prng_below(&prng, (uint32_t)size);
        unsigned char change = (unsigned char)(1u << prng_below(&prng, 8));
        bytes[where] ^= change;
        write_file(bytes, size);
        assert_true(read_damaged(&damage_reported) < 200);
        assert_true(damage_reported);
        bytes[where] ^= change;
    }
    free(bytes);
}

static void full_disk_is_reported(void **state)
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

static int run_store(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_are_read_back),
        cmocka_unit_test(items_are_read_in_time_steps),
        cmocka_unit_test(descriptions_are_read_back),
        cmocka_unit_test(facts_are_read_back),
        cmocka_unit_test(extents_and_names_are_found),
        cmocka_unit_test(threads_are_named),
        cmocka_unit_test(truncated_store_is_read_to_whole_block),
        cmocka_unit_test(damaged_store_is_detected),
        cmocka_unit_test(full_disk_is_reported),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}

/* Items besides places and names: totals of a simulated run, and watchpoints. */

static char items_path[] = "/tmp/misstop-store-XXXXXX";

static int items_make_path(void **state)
{
    (void)state;
    int fd = mkstemp(items_path);
    return fd < 0 ? -1 : close(fd);
}

static int items_remove_path(void **state)
{
    (void)state;
    return unlink(items_path);
}

static struct store_writer *items_start(struct planned *planned, const struct store_facts *facts)
{
    struct store_writer *writer;
    int fd = open(items_path, O_RDWR | O_TRUNC | O_CLOEXEC);
    struct store_writer_options options = {
        .fd = fd, .path = items_path, .names = planned_names(planned), .start_ns = 1000};
    assert_int_equal(store_writer_open(&writer, &options, facts, NULL), 0);
    return writer;
}

static struct store_reader *items_finish(struct store_writer *writer)
{
    struct store_reader *reader;
    assert_int_equal(store_writer_close(writer, NULL), 0);
    assert_int_equal(store_reader_open(&reader, items_path, NULL), 0);
    return reader;
}

enum { ITEMS = 16 };

struct items {
    struct store_item list[ITEMS];
    unsigned count;
};

static void keep(void *context, const struct store_item *item)
{
    struct items *items = context;
    assert_true(items->count < ITEMS);
    items->list[items->count++] = *item;
}

static struct items read_all(struct store_reader *reader)
{
    struct items items = {.count = 0};
    while (store_reader_read(reader, UINT64_MAX, keep, &items) >= 0)
        continue;
    return items;
}

static void same_watch(const struct store_watch *a, const struct store_watch *b)
{
    const struct watch_result *left = &a->result;
    const struct watch_result *right = &b->result;
    assert_true(left->kind == right->kind && left->end == right->end &&
                left->object == right->object && left->origin_tid == right->origin_tid &&
                left->toucher_tid == right->toucher_tid && left->address == right->address &&
                left->base == right->base && left->origin_ns == right->origin_ns &&
                left->armed_ns == right->armed_ns && left->end_ns == right->end_ns &&
                left->off_cpu_ns == right->off_cpu_ns && a->function == b->function &&
                a->ip == b->ip);
}

/* Also with two equal results, and with a result that ended before the last place. */
static void watch_results_are_read_back_in_order(void **state)
{
    struct planned planned = {.generation = 1};
    struct store_facts facts;
    struct prng prng = {7};
    struct store_watch watches[2] = {planned_watch(5001), planned_watch(20002)};
    (void)state;
    planned_facts(&facts, 1);
    struct store_writer *writer = items_start(&planned, &facts);
    struct place place = planned_place(&prng, 30000, false);
    store_writer_watch(writer, &watches[0]);
    store_writer_place(writer, &place);
    store_writer_watch(writer, &watches[1]);
    store_writer_watch(writer, &watches[1]);
    assert_int_equal(store_writer_sync(writer, &facts, place.access.time_ns + 1, 1, NULL), 0);
    struct store_reader *reader = items_finish(writer);
    struct items items = read_all(reader);
    assert_int_equal(items.count, 5);
    assert_int_equal(items.list[0].kind, STORE_ITEM_WATCH);
    assert_int_equal(items.list[1].kind, STORE_ITEM_PLACE);
    assert_int_equal(items.list[4].kind, STORE_ITEM_REFRESH);
    same_watch(&items.list[0].watch, &watches[0]);
    same_watch(&items.list[2].watch, &watches[1]);
    same_watch(&items.list[3].watch, &watches[1]);
    assert_int_equal(items.list[2].time_ns, items.list[1].time_ns);
    /* The names of its members are available. */
    struct place_names names = store_reader_names(reader);
    struct object_desc object;
    struct function_desc function;
    struct instruction_desc line;
    assert_true(ask_object(&names, watches[1].result.object, &object));
    assert_true(ask_function(&names, watches[1].function, &function));
    assert_true(ask_instruction(&names, watches[1].ip, &line));
    store_reader_close(reader);
}

/* In order among the places; their names are available. */
static void renames_are_read_back_in_order(void **state)
{
    struct planned planned = {.generation = 1};
    struct store_facts facts;
    struct prng prng = {7};
    static const struct object_rename renames[2] = {
        {.from = 7, .to = 3, .type = 2, .offset = 16},
        {.from = 8, .to = 3, .has_fixed_offset = true, .offset = -5}};
    (void)state;
    planned_facts(&facts, 1);
    struct store_writer *writer = items_start(&planned, &facts);
    struct place place = planned_place(&prng, 30000, false);
    store_writer_place(writer, &place);
    store_writer_rename(writer, &renames[0]);
    store_writer_rename(writer, &renames[1]);
    store_writer_rename(writer, &renames[1]);
    assert_int_equal(store_writer_sync(writer, &facts, place.access.time_ns + 1, 1, NULL), 0);
    struct store_reader *reader = items_finish(writer);
    struct items items = read_all(reader);
    assert_int_equal(items.count, 5);
    for (int i = 0; i < 3; i++) {
        const struct object_rename *read = &items.list[i + 1].rename;
        const struct object_rename *written = &renames[i > 0];
        assert_int_equal(items.list[i + 1].kind, STORE_ITEM_RENAME);
        assert_true(
            read->from == written->from && read->to == written->to && read->type == written->type &&
            read->has_fixed_offset == written->has_fixed_offset && read->offset == written->offset);
    }
    struct place_names names = store_reader_names(reader);
    struct object_desc object;
    struct type_desc type;
    assert_true(ask_object(&names, 3, &object));
    assert_true(ask_type(&names, 2, &type));
    store_reader_close(reader);
}

static void ranking_changes_are_read_back_in_order(void **state)
{
    struct prng prng = {4};
    struct planned planned = {0};
    struct store_facts facts;
    (void)state;
    planned_facts(&facts, 1);
    struct store_writer *writer = items_start(&planned, &facts);
    struct place place = planned_place(&prng, 30000, false);
    store_writer_place(writer, &place);
    store_writer_ranking(writer, 2);
    store_writer_ranking(writer, 2);
    store_writer_place(writer, &place);
    store_writer_ranking(writer, 0);
    struct store_reader *reader = items_finish(writer);
    struct items items = read_all(reader);
    assert_int_equal(items.count, 4);
    assert_int_equal(items.list[1].kind, STORE_ITEM_RANKING);
    assert_int_equal(items.list[1].ranking, 2);
    assert_int_equal(items.list[3].kind, STORE_ITEM_RANKING);
    assert_int_equal(items.list[3].ranking, 0);
    store_reader_close(reader);
}

/* As of each refresh; before the first refresh the initial values. */
static void totals_are_read_back_per_refresh(void **state)
{
    struct planned planned = {.generation = 1};
    struct store_facts expected;
    struct store_facts facts;
    (void)state;
    planned_facts(&expected, 3);
    struct store_writer *writer = items_start(&planned, &expected);
    planned_facts(&expected, 1000003);
    expected.watch.failure = NULL;
    assert_int_equal(store_writer_sync(writer, &expected, 5000, 1, NULL), 0);
    struct store_reader *reader = items_finish(writer);
    read_all(reader);
    store_reader_facts(reader, &facts);
    assert_memory_equal(&facts.simulation, &expected.simulation, sizeof expected.simulation);
    assert_memory_equal(facts.cache_lines, expected.cache_lines, sizeof expected.cache_lines);
    const struct snapshot_watch *a = &facts.watch;
    const struct snapshot_watch *b = &expected.watch;
    assert_true(a->is_on && a->registers == b->registers && a->threads == b->threads &&
                a->threads_left_out == b->threads_left_out && a->offered == b->offered &&
                a->armed == b->armed && a->over_budget == b->over_budget &&
                a->touches == b->touches && a->trap_ns == b->trap_ns && a->arm_ns == b->arm_ns &&
                a->budget == b->budget);
    assert_true(isnan(a->overhead));
    assert_null(a->failure);
    store_reader_close(reader);
}

struct refreshes {
    struct store_reader *reader;
    bool more[8];
    char name[8][64];
    unsigned count;
};

static void at_refresh(void *context, const struct store_item *item)
{
    struct refreshes *refreshes = context;
    struct place_names names = store_reader_names(refreshes->reader);
    struct object_desc object = {0};
    if (item->kind != STORE_ITEM_REFRESH)
        return;
    refreshes->more[refreshes->count] = store_reader_more(refreshes->reader);
    ask_object(&names, 1, &object);
    snprintf(refreshes->name[refreshes->count++], 64, "%s", object.name);
}

/* Also if there are only names between two refreshes, in the same or another block. */
static void names_are_those_at_their_refresh(void **state)
{
    struct planned planned = {.generation = 1};
    struct store_facts facts;
    struct prng prng = {7};
    char first[64];
    (void)state;
    planned_facts(&facts, 1);
    struct store_writer *writer = items_start(&planned, &facts);
    struct place place = planned_place(&prng, 2000, false);
    struct place_names names = planned_names(&planned);
    struct object_desc object;
    place.object = 1;
    store_writer_place(writer, &place);
    ask_object(&names, 1, &object);
    snprintf(first, sizeof first, "%s", object.name);
    assert_int_equal(store_writer_sync(writer, &facts, 300000, 1, NULL), 0);
    planned.generation = 2;
    assert_int_equal(store_writer_sync(writer, &facts, 400000, 1, NULL), 0);
    /* Continues reading after the last refresh: more names, but no item. */
    answer_through_writer(&planned, writer, PLACE_CPU_NODE, 3, (union place_answer){.node = 1});
    struct refreshes refreshes = {.reader = items_finish(writer)};
    while (store_reader_read(refreshes.reader, UINT64_MAX, at_refresh, &refreshes) >= 0)
        continue;
    assert_int_equal(refreshes.count, 2);
    assert_true(refreshes.more[0] && !refreshes.more[1]);
    assert_string_equal(refreshes.name[0], first);
    assert_string_not_equal(refreshes.name[1], first);
    store_reader_close(refreshes.reader);
}

/* The tables count a place that comes after a later refresh at its own time. */
static void late_place_keeps_its_own_time(void **state)
{
    struct planned planned = {.generation = 1};
    struct store_facts facts;
    struct prng prng = {7};
    (void)state;
    planned_facts(&facts, 1);
    struct store_writer *writer = items_start(&planned, &facts);
    struct place place = planned_place(&prng, 2000, false);
    uint64_t refresh_ns = place.access.time_ns + 1000000;
    assert_int_equal(store_writer_sync(writer, &facts, refresh_ns, 1, NULL), 0);
    store_writer_place(writer, &place);
    struct store_reader *reader = items_finish(writer);
    struct items items = read_all(reader);
    assert_int_equal(items.count, 2);
    assert_int_equal(items.list[1].kind, STORE_ITEM_PLACE);
    assert_int_equal(items.list[1].place.access.time_ns, place.access.time_ns);
    assert_int_equal(items.list[1].time_ns, refresh_ns);
    store_reader_close(reader);
}

static void absent_simulation_and_watch_stay_absent(void **state)
{
    struct planned planned = {.generation = 1};
    struct store_facts facts;
    (void)state;
    planned_facts(&facts, 1);
    facts.simulation = (struct snapshot_simulation){0};
    facts.watch = (struct snapshot_watch){0};
    struct store_reader *reader = items_finish(items_start(&planned, &facts));
    store_reader_facts(reader, &facts);
    assert_int_equal(facts.simulation.level_count, 0);
    assert_false(facts.watch.is_on);
    store_reader_close(reader);
}

/* Returns true if a watch of this kind and end is reported as damage. */
static bool is_watch_damage(uint8_t kind, uint8_t end)
{
    struct planned planned = {.generation = 1};
    struct store_facts facts;
    struct store_watch watch = planned_watch(5001);
    planned_facts(&facts, 1);
    struct store_writer *writer = items_start(&planned, &facts);
    watch.result.kind = kind;
    watch.result.end = end;
    store_writer_watch(writer, &watch);
    assert_int_equal(store_writer_sync(writer, &facts, 6000, 1, NULL), 0);
    struct store_reader *reader = items_finish(writer);
    read_all(reader);
    bool damaged = *store_reader_damage(reader);
    store_reader_close(reader);
    return damaged;
}

static void invalid_watch_results_are_damage(void **state)
{
    (void)state;
    assert_false(is_watch_damage(WATCH_VISIT, WATCH_DROPPED));
    assert_true(is_watch_damage(WATCH_VISIT + 1, WATCH_DROPPED));
    assert_true(is_watch_damage(WATCH_VISIT, WATCH_DROPPED + 1));
}

static int run_store_items(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(watch_results_are_read_back_in_order),
        cmocka_unit_test(renames_are_read_back_in_order),
        cmocka_unit_test(ranking_changes_are_read_back_in_order),
        cmocka_unit_test(totals_are_read_back_per_refresh),
        cmocka_unit_test(names_are_those_at_their_refresh),
        cmocka_unit_test(late_place_keeps_its_own_time),
        cmocka_unit_test(absent_simulation_and_watch_stay_absent),
        cmocka_unit_test(invalid_watch_results_are_damage),
    };
    return cmocka_run_group_tests(tests, items_make_path, items_remove_path);
}

/* Line data of a simulation in a store: lines among the places, pairs and the functions of their
 * code as of a refresh, and the thinning of too many uses. */

enum { LINES = 500 };

static char lines_path[] = "/tmp/misstop-lines-XXXXXX";

static int lines_make_path(void **state)
{
    (void)state;
    int fd = mkstemp(lines_path);
    return fd < 0 ? -1 : close(fd);
}

static int lines_remove_path(void **state)
{
    (void)state;
    return unlink(lines_path);
}

static struct store_writer *lines_start(struct planned *planned)
{
    struct store_writer *writer;
    struct store_facts facts;
    int fd = open(lines_path, O_RDWR | O_TRUNC | O_CLOEXEC);
    struct store_writer_options options = {
        .fd = fd, .path = lines_path, .names = planned_names(planned), .start_ns = 1000};
    planned_facts(&facts, 1);
    assert_int_equal(store_writer_open(&writer, &options, &facts, NULL), 0);
    return writer;
}

static struct store_reader *lines_finish(struct store_writer *writer, uint64_t now_ns)
{
    struct store_reader *reader;
    struct store_facts facts;
    planned_facts(&facts, 1);
    assert_int_equal(store_writer_sync(writer, &facts, now_ns, 1, NULL), 0);
    assert_int_equal(store_writer_close(writer, NULL), 0);
    assert_int_equal(store_reader_open(&reader, lines_path, NULL), 0);
    return reader;
}

/* ---- lines ---- */

/* Times of lines: each has its own, and some come late. */
static uint64_t time_of(unsigned i)
{
    return 2000 + i * 1000 - (i % 10 == 9 ? 4321 : 0) + i * i % 97;
}

static bool same_line(const struct line_place *a, const struct line_place *b)
{
    const struct line_event *left = &a->line;
    const struct line_event *right = &b->line;
    return left->ip == right->ip && left->address == right->address &&
           left->weight == right->weight && left->distance == right->distance &&
           left->event == right->event && left->kind == right->kind &&
           left->level == right->level && left->line_bytes == right->line_bytes &&
           left->used_bytes == right->used_bytes && left->touched_bytes == right->touched_bytes &&
           !memcmp(left->uses, right->uses, sizeof left->uses) &&
           a->place.object == b->place.object && a->place.function == b->place.function &&
           a->place.base == b->place.base && a->place.type == b->place.type &&
           a->place.type_offset == b->place.type_offset &&
           a->place.by_member == b->place.by_member && a->place.unit == b->place.unit &&
           a->place.access.time_ns == b->place.access.time_ns &&
           a->place.access.address == b->place.access.address &&
           a->place.access.ip == b->place.access.ip;
}

struct seen {
    unsigned lines;
    unsigned wrong;
    uint64_t last_ns;
};

static void lines_compare(void *context, const struct store_item *item)
{
    struct seen *seen = context;
    seen->wrong += item->time_ns < seen->last_ns;
    seen->last_ns = item->time_ns;
    if (item->kind != STORE_ITEM_LINE)
        return;
    struct line_place line = planned_line(time_of(seen->lines++ / 2));
    seen->wrong += !same_line(&line, &item->line);
}

/* A line equal to the previous one counts, too. */
static void cache_lines_are_read_back(void **state)
{
    struct planned planned = {.generation = 1};
    struct store_writer *writer = lines_start(&planned);
    struct seen seen = {0};
    (void)state;
    for (unsigned i = 0; i < 2 * LINES; i++) {
        struct line_place line = planned_line(time_of(i / 2));
        store_writer_line(writer, &line);
    }
    struct store_reader *reader = lines_finish(writer, time_of(LINES));
    while (store_reader_read(reader, UINT64_MAX, lines_compare, &seen) >= 0)
        continue;
    assert_int_equal(seen.lines, 2 * LINES);
    assert_int_equal(seen.wrong, 0);
    assert_string_equal(store_reader_damage(reader), "");
    struct store_facts facts;
    store_reader_facts(reader, &facts);
    assert_true(facts.info.has_lines);
    store_reader_close(reader);
}

/* Their names are available, including type and members. */
static void cache_lines_have_names(void **state)
{
    struct planned planned = {.generation = 1};
    struct store_writer *writer = lines_start(&planned);
    struct line_place line = planned_line(7003);
    struct object_desc object;
    struct function_desc function;
    struct instruction_desc instruction;
    struct type_desc type;
    struct seen seen = {0};
    (void)state;
    store_writer_line(writer, &line);
    struct store_reader *reader = lines_finish(writer, 8000);
    struct place_names names = store_reader_names(reader);
    while (store_reader_read(reader, UINT64_MAX, lines_compare, &seen) >= 0)
        continue;
    assert_true(ask_object(&names, line.place.object, &object));
    assert_true(ask_function(&names, line.place.function, &function));
    assert_true(ask_instruction(&names, line.line.ip, &instruction));
    assert_true(ask_type(&names, line.place.type, &type));
    assert_int_equal(type.member_count, 4);
    store_reader_close(reader);
}

/* ---- pairs ---- */

static void same_pairs(struct store_writer *writer, struct store_reader *reader,
                       enum line_pairs kind, uint8_t level, unsigned count)
{
    struct place_names names = store_reader_names(reader);
    union place_answer written, read = {.pair.slot = UINT32_MAX};
    unsigned found = 0;
    for (;; found++) {
        uint64_t number = line_pair_number(kind, level, read.pair.slot + 1);
        bool more = place_ask(&names, PLACE_PAIR, number, &read);
        assert_int_equal(store_writer_answer(writer, PLACE_PAIR, number, &written), more);
        if (!more)
            break;
        assert_true(read.pair.first == written.pair.first &&
                    read.pair.second == written.pair.second &&
                    read.pair.count == written.pair.count);
        assert_int_equal(read.pair.count, 1 + 2 * (read.pair.second - 0x500000));
    }
    assert_int_equal(found, count);
}

static void lines_ignore(void *context, const struct store_item *item)
{
    (void)context;
    (void)item;
}

/* As of the last refresh, in one order, each table separately; and the functions of their code. */
static void instruction_pairs_are_read_back(void **state)
{
    struct planned planned = {.generation = 1, .pairs = 200, .pairs_ns = 1};
    struct store_writer *writer = lines_start(&planned);
    struct store_facts facts;
    struct store_reader *reader;
    struct function_desc function;
    union place_answer answer;
    (void)state;
    planned_facts(&facts, 1);
    store_writer_begin_refresh(writer);
    planned.pairs = 300;
    planned.pairs_ns = 2;
    store_writer_begin_refresh(writer);
    planned.pairs_ns = 3; /* counting goes on */
    assert_true(store_writer_answer(writer, PLACE_CODE, 0x500010, &answer));
    assert_int_equal(answer.code, 0x500010 % PLANNED_FUNCTIONS);
    assert_int_equal(store_writer_sync(writer, &facts, 3000, 1, NULL), 0);
    assert_int_equal(store_reader_open(&reader, lines_path, NULL), 0);
    while (store_reader_read(reader, UINT64_MAX, lines_ignore, NULL) >= 0)
        continue;
    same_pairs(writer, reader, LINE_EVICTED_BY, 0, 300);
    same_pairs(writer, reader, LINE_USED_BY, 1, 300);
    same_pairs(writer, reader, LINE_USED_BY, 2, 0);
    struct place_names names = store_reader_names(reader);
    assert_true(place_ask(&names, PLACE_CODE, 0x500010, &answer));
    assert_int_equal(answer.code, 0x500010 % PLANNED_FUNCTIONS);
    assert_false(place_ask(&names, PLACE_CODE, 0x500011, &answer));
    assert_true(ask_function(&names, answer.code, &function));
    store_reader_close(reader);
    assert_int_equal(store_writer_close(writer, NULL), 0);
}

/* Answers */

static bool lines_same_double(double a, double b)
{
    return isnan(a) ? isnan(b) : a == b;
}

static void same_answer(const struct snapshot_whatif *a, const struct snapshot_whatif *b)
{
    assert_int_equal(a->state, b->state);
    assert_string_equal(a->question, b->question);
    assert_true(a->object_id == b->object_id && a->settled == b->settled &&
                a->number == b->number && a->level_count == b->level_count);
    assert_true(a->blocks == b->blocks && a->blocks_left_out == b->blocks_left_out &&
                a->blocks_small == b->blocks_small && a->accesses == b->accesses &&
                a->object_accesses == b->object_accesses &&
                a->split_accesses == b->split_accesses && a->stall_before == b->stall_before &&
                a->stall_after == b->stall_after);
    for (uint32_t i = 0; i < a->level_count; i++)
        assert_true(a->level[i].before == b->level[i].before &&
                    a->level[i].after == b->level[i].after &&
                    a->level[i].object_before == b->level[i].object_before &&
                    a->level[i].object_after == b->level[i].object_after &&
                    lines_same_double(a->level[i].cold_share, b->level[i].cold_share));
}

/* Answers of the last sync, best first as displayed. */
static void whatif_answers_are_read_back(void **state)
{
    struct planned planned = {0};
    struct store_reader *reader;
    struct store_facts wrote;
    struct store_facts read;
    (void)state;
    close(planned_write(&planned, lines_path, 40, 10));
    assert_int_equal(store_reader_open(&reader, lines_path, NULL), 0);
    while (store_reader_read(reader, UINT64_MAX, lines_ignore, NULL) >= 0)
        continue;
    planned_facts(&wrote, 40);
    store_reader_facts(reader, &read);
    assert_int_equal(read.whatif.count, 2);
    for (uint32_t i = 0; i < 2; i++)
        same_answer(&wrote.whatif.list[i], &read.whatif.list[i]);
    assert_string_equal(read.whatif.list[0].object, "particles");
    assert_string_equal(read.whatif.list[0].layout, "Of 40 bytes, 8 apart.");
    assert_string_equal(read.whatif.list[0].reason, "");
    assert_string_equal(read.whatif.list[1].reason, "no room");
    assert_int_equal(read.whatif.past_count, 1);
    assert_string_equal(read.whatif.past[0].question, "never");
    assert_true(read.whatif.past[0].stall_change == -0.25);
    store_reader_close(reader);
}

/* ---- thinning ---- */

/* Thins `per_s` uses per second for some seconds. Returns how many stay, and their weights. */
static double thin(struct thinning *thinning, uint64_t *now_ns, unsigned per_s, unsigned seconds,
                   double *weights)
{
    double remaining = 0;
    *weights = 0;
    for (uint64_t i = 0; i < (uint64_t)per_s * seconds; i++) {
        uint64_t weight = 3;
        *now_ns += UINT64_C(1000000000) / per_s;
        if (!thinning_keeps_event(thinning, *now_ns, &weight))
            continue;
        remaining++;
        *weights += (double)weight;
    }
    return remaining;
}

static void few_line_uses_are_not_thinned(void **state)
{
    struct thinning thinning = {.prng = {1}};
    uint64_t now_ns = 5;
    double weights;
    (void)state;
    assert_true(thin(&thinning, &now_ns, 15000, 4, &weights) == 60000);
    assert_true(weights == 3 * 60000.0);
}

/* Bounded, right on average, and nothing is dropped once there are few again. */
static void many_line_uses_are_thinned_without_bias(void **state)
{
    struct thinning thinning = {.prng = {1}};
    uint64_t now_ns = 5;
    double weights;
    (void)state;
    double remaining = thin(&thinning, &now_ns, 4000000, 3, &weights);
    printf("of 4,000,000 uses per second %.0f are kept, with %.4f of the total weight\n",
           remaining / 3, weights / (3 * 3 * 4000000.0));
    assert_true(remaining <= 4 * THINNING_PER_S * 3);
    assert_true(remaining >= THINNING_PER_S);
    assert_true(fabs(weights / (3 * 3 * 4000000.0) - 1) < 0.05);
    thin(&thinning, &now_ns, 1000, 5, &weights);
    remaining = thin(&thinning, &now_ns, 1000, 2, &weights);
    assert_true(remaining == 2000);
}

static int run_store_lines(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cache_lines_are_read_back),
        cmocka_unit_test(cache_lines_have_names),
        cmocka_unit_test(instruction_pairs_are_read_back),
        cmocka_unit_test(whatif_answers_are_read_back),
        cmocka_unit_test(few_line_uses_are_not_thinned),
        cmocka_unit_test(many_line_uses_are_thinned_without_bias),
    };
    return cmocka_run_group_tests(tests, lines_make_path, lines_remove_path);
}

int main(void)
{
    int failed = 0;
    failed += run_store();
    failed += run_store_items();
    failed += run_store_lines();
    return failed;
}
