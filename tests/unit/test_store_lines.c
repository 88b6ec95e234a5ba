/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a simulation tells of lines, kept: lines among the places, pairs and the functions of their
 * code as of a refresh, and how uses are thinned out that would be too many. */
#include "unit.h"

#include "store/form.h"
#include "store/store_read.h"
#include "store/store_write.h"
#include "store_planned.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINES = 500 };

static char path[] = "/tmp/misstop-lines-XXXXXX";

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

static struct store_writer *start(struct planned *planned)
{
    struct store_writer *writer;
    struct store_facts facts;
    int fd = open(path, O_RDWR | O_TRUNC | O_CLOEXEC);
    struct store_writer_options options = {
        .fd = fd, .path = path, .names = planned_names(planned), .start_ns = 1000};
    planned_facts(&facts, 1);
    assert_int_equal(store_writer_open(&writer, &options, &facts, NULL), 0);
    return writer;
}

static struct store_reader *finish(struct store_writer *writer, uint64_t now_ns)
{
    struct store_reader *reader;
    struct store_facts facts;
    planned_facts(&facts, 1);
    assert_int_equal(store_writer_sync(writer, &facts, now_ns, 1, NULL), 0);
    assert_int_equal(store_writer_close(writer, NULL), 0);
    assert_int_equal(store_reader_open(&reader, path, NULL), 0);
    return reader;
}

/* ---- lines ---- */

/* Each in its order, by its own time, though some come late. */
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
           left->event == right->event && left->what == right->what &&
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

static void compare(void *context, const struct store_item *item)
{
    struct seen *seen = context;
    seen->wrong += item->time_ns < seen->last_ns;
    seen->last_ns = item->time_ns;
    if (item->kind != STORE_ITEM_LINE)
        return;
    struct line_place line = planned_line(time_of(seen->lines++ / 2));
    seen->wrong += !same_line(&line, &item->line);
}

/* One like the last one counts, too. */
static void lines_come_back(void **state)
{
    struct planned planned = {.generation = 1};
    struct store_writer *writer = start(&planned);
    struct seen seen = {0};
    (void)state;
    for (unsigned i = 0; i < 2 * LINES; i++) {
        struct line_place line = planned_line(time_of(i / 2));
        store_writer_line(writer, &line);
    }
    struct store_reader *reader = finish(writer, time_of(LINES));
    while (store_reader_read(reader, UINT64_MAX, compare, &seen) >= 0)
        continue;
    assert_int_equal(seen.lines, 2 * LINES);
    assert_int_equal(seen.wrong, 0);
    assert_string_equal(store_reader_damage(reader), "");
    struct store_facts facts;
    store_reader_facts(reader, &facts);
    assert_true(facts.lines);
    store_reader_close(reader);
}

/* What they name can be asked for, type and members of it as well. */
static void lines_are_named(void **state)
{
    struct planned planned = {.generation = 1};
    struct store_writer *writer = start(&planned);
    struct line_place line = planned_line(7003);
    struct object_desc object;
    struct function_desc function;
    struct instruction_desc instruction;
    struct type_desc type;
    struct seen seen = {0};
    (void)state;
    store_writer_line(writer, &line);
    struct store_reader *reader = finish(writer, 8000);
    struct place_names names = store_reader_names(reader);
    while (store_reader_read(reader, UINT64_MAX, compare, &seen) >= 0)
        continue;
    assert_true(names.object(names.context, line.place.object, &object));
    assert_true(names.function(names.context, line.place.function, &function));
    assert_true(names.instruction(names.context, line.line.ip, &instruction));
    assert_true(names.type(names.context, line.place.type, &type));
    assert_int_equal(type.member_count, 4);
    store_reader_close(reader);
}

/* ---- pairs ---- */

static void same_pairs(const struct store_writer *writer, const struct store_reader *reader,
                       enum line_pairs kind, uint8_t level, unsigned count)
{
    uint32_t written = 0, read = 0;
    struct line_pair a, b;
    unsigned found = 0;
    while (store_reader_pair(reader, kind, level, &read, &b)) {
        if (writer) {
            assert_true(store_writer_next_pair(writer, kind, level, &written, &a));
            assert_true(a.first == b.first && a.second == b.second && a.count == b.count);
        }
        found++;
    }
    assert_int_equal(found, count);
}

static void ignore(void *context, const struct store_item *item)
{
    (void)context;
    (void)item;
}

/* As of the last refresh, in one order, each table by itself; and whose code they are. */
static void pairs_come_back(void **state)
{
    struct planned planned = {.generation = 1};
    struct store_writer *writer = start(&planned);
    struct store_facts facts;
    struct store_reader *reader;
    struct function_desc function;
    (void)state;
    planned_facts(&facts, 1);
    for (uint32_t i = 0; i < 300; i++) {
        struct line_pair pair = planned_pair(i, 1);
        store_writer_pair(writer, LINE_EVICTED_BY, 0, i * 7 % 300, &pair);
        store_writer_pair(writer, LINE_USED_BY, 2, i, &pair);
    }
    struct line_pair grown = {0x500003, 0x500010, 123456789};
    store_writer_pair(writer, LINE_USED_BY, 2, 10, &grown);
    store_writer_code(writer, 0x500010, 5);
    assert_int_equal(store_writer_sync(writer, &facts, 3000, 1, NULL), 0);
    assert_int_equal(store_reader_open(&reader, path, NULL), 0);
    while (store_reader_read(reader, UINT64_MAX, ignore, NULL) >= 0)
        continue;
    same_pairs(writer, reader, LINE_EVICTED_BY, 0, 300);
    same_pairs(writer, reader, LINE_USED_BY, 2, 300);
    same_pairs(NULL, reader, LINE_USED_BY, 1, 0);
    struct line_pair pair = {0};
    for (uint32_t at = 0; pair.count != grown.count;)
        assert_true(store_reader_pair(reader, LINE_USED_BY, 2, &at, &pair));
    assert_int_equal(store_reader_function(reader, 0x500010), 5);
    assert_int_equal(store_reader_function(reader, 0x500011), 0);
    struct place_names names = store_reader_names(reader);
    assert_true(names.function(names.context, 5, &function));
    store_reader_close(reader);
    assert_int_equal(store_writer_close(writer, NULL), 0);
}

/* ---- answers ---- */

static bool same_double(double a, double b)
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
                a->object_accesses == b->object_accesses && a->cut == b->cut &&
                a->stall_before == b->stall_before && a->stall_after == b->stall_after);
    for (uint32_t i = 0; i < a->level_count; i++)
        assert_true(a->level[i].before == b->level[i].before &&
                    a->level[i].after == b->level[i].after &&
                    a->level[i].object_before == b->level[i].object_before &&
                    a->level[i].object_after == b->level[i].object_after &&
                    same_double(a->level[i].fresh, b->level[i].fresh));
}

/* Of the last sync, best first as they were shown. */
static void answers_come_back(void **state)
{
    struct planned planned = {0};
    struct store_reader *reader;
    struct store_facts wrote;
    struct store_facts read;
    (void)state;
    close(planned_write(&planned, path, 40, 10));
    assert_int_equal(store_reader_open(&reader, path, NULL), 0);
    while (store_reader_read(reader, UINT64_MAX, ignore, NULL) >= 0)
        continue;
    planned_facts(&wrote, 40);
    store_reader_facts(reader, &read);
    assert_int_equal(read.whatif.count, 2);
    for (uint32_t i = 0; i < 2; i++)
        same_answer(&wrote.whatif.list[i], &read.whatif.list[i]);
    assert_string_equal(read.whatif.list[0].object, "particles");
    assert_string_equal(read.whatif.list[0].layout, "Of 40 bytes, 8 apart.");
    assert_null(read.whatif.list[0].why);
    assert_string_equal(read.whatif.list[1].why, "no room");
    assert_int_equal(read.whatif.past_count, 1);
    assert_string_equal(read.whatif.past[0].question, "never");
    assert_true(read.whatif.past[0].stall_change == -0.25);
    store_reader_close(reader);
}

/* ---- thinning ---- */

/* So many a second for some seconds: how many stay, and what they stand for. */
static double thin(struct thinning *thinning, uint64_t *now_ns, unsigned per_s, unsigned seconds,
                   double *weights)
{
    double kept = 0;
    *weights = 0;
    for (uint64_t i = 0; i < (uint64_t)per_s * seconds; i++) {
        uint64_t weight = 3;
        *now_ns += UINT64_C(1000000000) / per_s;
        if (!thinning_keeps(thinning, *now_ns, &weight))
            continue;
        kept++;
        *weights += (double)weight;
    }
    return kept;
}

static void few_all_stay(void **state)
{
    struct thinning thinning = {.prng = {1}};
    uint64_t now_ns = 5;
    double weights;
    (void)state;
    assert_true(thin(&thinning, &now_ns, 15000, 4, &weights) == 60000);
    assert_true(weights == 3 * 60000.0);
}

/* Bounded, right on average, and all stay again when there are few. */
static void many_are_thinned(void **state)
{
    struct thinning thinning = {.prng = {1}};
    uint64_t now_ns = 5;
    double weights;
    (void)state;
    double kept = thin(&thinning, &now_ns, 4000000, 3, &weights);
    printf("of 4,000,000 uses a second %.0f a second stay, weights add up to %.4f of all\n",
           kept / 3, weights / (3 * 3 * 4000000.0));
    assert_true(kept <= 4 * THINNING_PER_S * 3);
    assert_true(kept >= THINNING_PER_S);
    assert_true(fabs(weights / (3 * 3 * 4000000.0) - 1) < 0.05);
    thin(&thinning, &now_ns, 1000, 5, &weights);
    kept = thin(&thinning, &now_ns, 1000, 2, &weights);
    assert_true(kept == 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_come_back), cmocka_unit_test(lines_are_named),
        cmocka_unit_test(pairs_come_back), cmocka_unit_test(answers_come_back),
        cmocka_unit_test(few_all_stay),    cmocka_unit_test(many_are_thinned),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
