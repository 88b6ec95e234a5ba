/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JIT maps: well-formed, growing, overlapping and hostile. Also sizes of Python's objects, PHP's
 * blocks and Haskell's values. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "resolve/runtime/runtime.h"
#include "unit.h"

static struct jitmap jitmap;
static int fd;
static char path[64];

static int begin(void **state)
{
    (void)state;
    jitmap_init(&jitmap);
    fd = memfd_create("map", 0);
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
    unlink(path);
    return fd < 0;
}

static int end(void **state)
{
    (void)state;
    jitmap_fini(&jitmap);
    close(fd);
    unlink(path);
    return 0;
}

static void append(const char *text)
{
    size_t size = strlen(text);
    assert_int_equal(write(fd, text, size), (ssize_t)size);
}

static const char *name_at(uint64_t address)
{
    const struct jit_symbol *symbol = jitmap_find(&jitmap, address);
    return symbol ? jitmap_name(&jitmap, symbol) : "(none)";
}

static void jit_names_may_have_blanks_and_0x_addresses(void **state)
{
    (void)state;
    append("1000 10 LazyCompile:~run /x.js:1\n0x2000 0x20 other\n");
    assert_true(jitmap_read(&jitmap, fd));
    assert_string_equal(name_at(0x100f), "LazyCompile:~run /x.js:1");
    assert_string_equal(name_at(0x201f), "other");
    assert_string_equal(name_at(0x1010), "(none)");
    assert_false(jitmap_read(&jitmap, fd)); /* nothing new */
}

static void partial_last_line_is_completed_later(void **state)
{
    (void)state;
    append("1000 10 one\n2000 10 tw");
    assert_true(jitmap_read(&jitmap, fd));
    assert_string_equal(name_at(0x2000), "(none)");
    append("o\n3000 10 three\n");
    assert_true(jitmap_read(&jitmap, fd));
    assert_string_equal(name_at(0x1000), "one");
    assert_string_equal(name_at(0x2000), "two");
    assert_string_equal(name_at(0x3000), "three");
    assert_int_equal(jitmap.count, 3);
}

static void rewritten_file_is_read_from_start(void **state)
{
    (void)state;
    append("1000 10 old\n");
    assert_true(jitmap_read(&jitmap, fd));
    assert_int_equal(ftruncate(fd, 0), 0);
    lseek(fd, 0, SEEK_SET);
    append("5000 10 a newer and longer file\n");
    assert_true(jitmap_read(&jitmap, fd));
    assert_string_equal(name_at(0x1000), "(none)");
    assert_string_equal(name_at(0x5000), "a newer and longer file");
}

static void later_jit_lines_override_earlier(void **state)
{
    (void)state;
    append("1000 100 first\n"
           "1040 20 inside\n"
           "10f0 100 across\n"
           "1050 8 innermost\n"
           "1000 10 again\n");
    assert_true(jitmap_read(&jitmap, fd));
    assert_string_equal(name_at(0x1000), "again");
    assert_string_equal(name_at(0x1010), "first");
    assert_string_equal(name_at(0x1040), "inside");
    assert_string_equal(name_at(0x1050), "innermost");
    assert_string_equal(name_at(0x1058), "inside");
    assert_string_equal(name_at(0x1060), "first");
    assert_string_equal(name_at(0x10f0), "across");
    assert_string_equal(name_at(0x11ef), "across");
    assert_string_equal(name_at(0x11f0), "(none)");
}

static void malformed_jit_lines_are_skipped(void **state)
{
    (void)state;
    append("\n\n   \nnonsense\n-1 5 negative\n1000\n1000 10\n1000 10 \n1000 0 empty\n"
           "ffffffffffffffff 10 wraps\n10000000000000000 1 toolong\n1000 zz x\n0x 5 none\n"
           "7000 10 good\n");
    assert_int_equal(write(fd, "8000 10 na\0me\n9000 10 after\n", 28), 28);
    assert_true(jitmap_read(&jitmap, fd));
    assert_int_equal(jitmap.count, 3);
    assert_string_equal(name_at(0x7000), "good");
    assert_string_equal(name_at(0x8000), "na");
    assert_string_equal(name_at(0x9000), "after");
}

/* Compares every address with the simple rule: the last line that covers it. */
static void overlapping_jit_lines_match_plain_model(void **state)
{
    (void)state;
    enum { LINES = 300, SPACE = 512 };
    unsigned owner[SPACE] = {0};
    unsigned random = 1;
    for (unsigned i = 1; i <= LINES; i++) {
        char line[64];
        random = random * 1103515245 + 12345;
        unsigned start = (random >> 8) % SPACE;
        unsigned size = 1 + (random >> 20) % 40;
        snprintf(line, sizeof line, "%x %x f%u\n", start, size, i);
        append(line);
        for (unsigned at = start; at < start + size && at < SPACE; at++)
            owner[at] = i;
    }
    assert_true(jitmap_read(&jitmap, fd));
    for (unsigned at = 0; at < SPACE; at++) {
        char name[16] = "(none)";
        if (owner[at])
            snprintf(name, sizeof name, "f%u", owner[at]);
        assert_string_equal(name_at(at), name);
    }
}

static void write_map(const char *text)
{
    FILE *out = fopen(path, "w");
    fputs(text, out);
    fclose(out);
}

static void jit_map_of_a_process_is_found(void **state)
{
    (void)state;
    write_map("4000 10 mine\n");
    assert_true(jitmap_refresh(&jitmap, getpid(), NULL));
    assert_string_equal(name_at(0x4000), "mine");
}

static void fifo_as_jit_map_does_not_block(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_false(jitmap_refresh(&jitmap, getpid(), NULL));
}

static void symbolic_link_as_jit_map_is_refused(void **state)
{
    (void)state;
    char other[96];
    snprintf(other, sizeof other, "%s.other", path);
    write_map("4000 10 elsewhere\n");
    assert_int_equal(rename(path, other), 0);
    assert_int_equal(symlink(other, path), 0);
    assert_false(jitmap_refresh(&jitmap, getpid(), NULL));
    assert_string_equal(name_at(0x4000), "(none)");
    unlink(other);
}

static void jit_map_of_another_user_is_refused(void **state)
{
    (void)state;
    if (geteuid()) {
        print_message("skipped: chown needs root\n");
        skip();
    }
    write_map("4000 10 tale\n");
    assert_int_equal(chown(path, 12345, 12345), 0);
    assert_false(jitmap_refresh(&jitmap, getpid(), NULL));
    assert_int_equal(chown(path, 0, 0), 0);
    assert_true(jitmap_refresh(&jitmap, getpid(), NULL));
}

static void oversized_jit_map_is_refused(void **state)
{
    (void)state;
    assert_int_equal(ftruncate(fd, INT64_C(1) << 40), 0);
    assert_false(jitmap_read(&jitmap, fd));
    assert_null(jitmap.text);
    /* The largest size that is read, with only holes. */
    assert_int_equal(ftruncate(fd, 64 << 20), 0);
    assert_true(jitmap_read(&jitmap, fd));
    assert_int_equal(jitmap.count, 0);
}

/* Start of a PyTypeObject. */
struct python_type {
    uint64_t references;
    const void *type;
    int64_t items;
    const char *name;
    int64_t bytes;
    int64_t item_bytes;
};

static uint64_t bytes_of_int(bool tagged, int64_t items)
{
    static const struct python_type types = {1, &types, 0, "type", 0, 0};
    static const struct python_type ints = {1, &types, 0, "int", 24, 4};
    static struct runtimes runtimes;
    runtimes = (struct runtimes){.python = {.pid = getpid(),
                                            .type_of_types = (uint64_t)(uintptr_t)&types,
                                            .tagged = tagged}};
    struct {
        uint64_t references;
        const void *type;
        int64_t items;
        uint32_t digits[4];
    } object = {1, &ints, items, {0}};
    struct runtime_object found = {0};
    uint64_t at = (uint64_t)(uintptr_t)&object;
    assert_true(python_object(&runtimes, at, at + 8, &found));
    runtimes_fini(&runtimes);
    return found.bytes;
}

/* As sys.getsizeof() of 3.11 and 3.12: 1, -1, 1 << 30, 0. */
static void python_int_size_follows_its_digits(void **state)
{
    (void)state;
    assert_int_equal(bytes_of_int(false, 1), 28);
    assert_int_equal(bytes_of_int(false, -1), 28);
    assert_int_equal(bytes_of_int(false, 2), 32);
    assert_int_equal(bytes_of_int(false, 0), 28);
    assert_int_equal(bytes_of_int(true, 1 << 3), 28);
    assert_int_equal(bytes_of_int(true, 1 << 3 | 2), 28);
    assert_int_equal(bytes_of_int(true, 2 << 3), 32);
    assert_int_equal(bytes_of_int(true, 1), 28);
}

/* A chunk of PHP's allocator with an object, its class, and the strings of their names. */
enum { CHUNK = 2 << 20, PAGE = 4096, MAP_AT = 528, BITS_AT = MAP_AT - 64, ORDER = PAGE + 3 * 80 };

static struct php_class {
    uint64_t type, name, parent;
    uint32_t references, flags;
    int32_t properties, statics;
    uint64_t others[10];
    uint32_t table_references, table_type;
    uint64_t table[6];
    uint64_t rows[4][4];
    uint32_t places[4][2];
} order;
static unsigned char *chunk;

static void put32(size_t at, uint32_t value)
{
    memcpy(chunk + at, &value, sizeof value);
}

static void put64(size_t at, uint64_t value)
{
    memcpy(chunk + at, &value, sizeof value);
}

static uint64_t place_of(size_t at)
{
    return (uint64_t)(uintptr_t)(chunk + at);
}

static uint64_t put_text(size_t at, const char *text)
{
    put64(at, (uint64_t)6 << 32 | 1);
    put64(at + 16, strlen(text));
    strcpy((char *)chunk + at + 24, text);
    return place_of(at);
}

static void fill_chunk(void)
{
    static const struct {
        const char *name;
        uint32_t offset, flags;
    } properties[] = {
        {"price", 40, 1}, {"next", 56, 1}, {"made", 0, 1 | 16}, {"wild", UINT32_MAX - 7, 1}};
    memset(chunk, 0, (size_t)8 * PAGE);
    put32(24, 512 - 7);
    put32(BITS_AT, 0x7f);
    put32(MAP_AT, 0x40000001);
    put32(MAP_AT + 4, 0x80000008);  /* of 80 bytes */
    put32(MAP_AT + 8, 0x80000004);  /* of 40 bytes */
    put32(MAP_AT + 12, 0x40000004); /* four pages, with a word that is out of date */
    put32(MAP_AT + 16, 0x80000006);
    order = (struct php_class){.type = 2,
                               .name = put_text(2 * PAGE, "shop.Order"),
                               .properties = 2,
                               .table_type = 7,
                               .table = {0, (uint64_t)(uintptr_t)order.rows, 4}};
    for (size_t i = 0; i < 4; i++) {
        order.places[i][0] = properties[i].offset;
        order.places[i][1] = properties[i].flags;
        order.rows[i][0] = (uint64_t)(uintptr_t)order.places[i];
        order.rows[i][3] = put_text(2 * PAGE + 40 * (i + 1), properties[i].name);
    }
    put64(ORDER, (uint64_t)8 << 32 | 1);
    put64(ORDER + 16, (uint64_t)(uintptr_t)&order);
}

static void expect_block(struct runtimes *runtimes, size_t at, size_t start, uint64_t bytes,
                         const char *name)
{
    struct runtime_object found;
    runtimes->classes.tick++;
    assert_true(php_object(runtimes, 0, place_of(at), &found));
    assert_int_equal(found.start, place_of(start));
    assert_int_equal(found.bytes, bytes);
    assert_string_equal(found.class->name, name);
}

static void php_blocks_are_found_by_address(void **state)
{
    struct runtimes runtimes = {.php = {.pid = getpid(), .known = true}};
    struct runtime_object found;
    struct arena arena = {0};
    struct type_desc desc;
    struct prng prng = {3};
    unsigned known = 0;
    (void)state;
    chunk = aligned_alloc(CHUNK, CHUNK);
    fill_chunk();
    expect_block(&runtimes, ORDER + 50, ORDER, 80, "shop.Order");
    assert_true(php_object(&runtimes, 0, place_of(ORDER), &found));
    assert_true(php_describe(&runtimes, &found, &arena, &desc));
    assert_int_equal(desc.member_count, 4);
    assert_string_equal(desc.members[2].name, "price");
    assert_int_equal(desc.members[3].offset, 56);
    expect_block(&runtimes, 2 * PAGE + 39, 2 * PAGE, 40, "string");
    expect_block(&runtimes, 4 * PAGE + 8, 3 * PAGE, 4 * PAGE, "emalloc(16.0K)");
    expect_block(&runtimes, PAGE + 80, PAGE + 80, 80, "emalloc(80)");
    put32(ORDER, 0); /* garbage is looked for */
    expect_block(&runtimes, ORDER, ORDER, 80, "shop.Order");
    put64(ORDER, 0x7f8871400050); /* freed: the next free one */
    expect_block(&runtimes, ORDER, ORDER, 80, "emalloc(80)");
    assert_false(php_object(&runtimes, 0, place_of(7 * PAGE), &found));
    assert_false(php_object(&runtimes, 0, place_of(64), &found));
    for (int i = 0; i < 20000; i++) {
        fill_chunk();
        for (int k = 0; k < 3; k++) {
            bool class = prng_below(&prng, 2);
            size_t at = prng_below(&prng, class ? sizeof order : MAP_AT + 64);
            *(class ? (unsigned char *)&order + at : chunk + at) = (unsigned char)prng_next(&prng);
        }
        uint64_t address = place_of(PAGE + prng_below(&prng, 6 * PAGE));
        runtimes.classes.tick++;
        if (!php_object(&runtimes, 0, address, &found))
            continue;
        known++;
        assert_true(address - found.start < found.bytes);
        arena_fini(&arena);
        php_describe(&runtimes, &found, &arena, &desc);
    }
    assert_true(known > 1000);
    arena_fini(&arena);
    runtimes_fini(&runtimes);
    free(chunk);
}

/* A value of Haskell: its first word leads to code behind a table. */
static void haskell_values_are_named_by_constructor(void **state)
{
    enum { TABLE = 24 };
    static struct {
        int32_t name;
        uint32_t unused, pointers, others, type, references;
        uint64_t code;
        char text[64];
    } table, whole = {TABLE, 0, 4, 1, 1, 0, 0, "containers-0.6.4.1:Data.Map.Internal.Bin"};
    struct runtimes runtimes = {.haskell = {.pid = getpid(), .known = true}};
    struct runtime_object found;
    struct prng prng = {5};
    uint64_t value[6] = {(uint64_t)(uintptr_t)&table.code};
    uint64_t at = (uint64_t)(uintptr_t)value;
    (void)state;
    whole.name = (int32_t)(offsetof(__typeof__(table), text) - offsetof(__typeof__(table), code));
    table = whole;
    assert_true(haskell_object(&runtimes, at + 1, at + 40, &found)); /* tagged */
    assert_int_equal(found.start, at);
    assert_int_equal(found.bytes, sizeof value);
    assert_string_equal(found.class->name, "Data.Map.Internal.Bin");
    assert_false(haskell_object(&runtimes, at + 1, at + sizeof value, &found));
    assert_false(haskell_object(&runtimes, at + 8, at + 8, &found)); /* in the middle of it */
    table.type = 15;                                                 /* a thunk */
    runtimes.classes.tick++;
    assert_false(haskell_object(&runtimes, at, at, &found));
    table.type = 2;
    strcpy(table.text, " no constructor: a text");
    table.name++;
    runtimes.classes.tick++;
    assert_false(haskell_object(&runtimes, at, at, &found));
    for (int i = 0; i < 20000; i++) {
        table = whole;
        ((unsigned char *)&table)[prng_below(&prng, sizeof table)] =
            (unsigned char)prng_next(&prng);
        runtimes.classes.tick++;
        if (haskell_object(&runtimes, at, at + prng_below(&prng, sizeof value), &found))
            assert_true(found.start == at && found.bytes);
    }
    runtimes_fini(&runtimes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(jit_names_may_have_blanks_and_0x_addresses, begin, end),
        cmocka_unit_test_setup_teardown(partial_last_line_is_completed_later, begin, end),
        cmocka_unit_test_setup_teardown(rewritten_file_is_read_from_start, begin, end),
        cmocka_unit_test_setup_teardown(later_jit_lines_override_earlier, begin, end),
        cmocka_unit_test_setup_teardown(malformed_jit_lines_are_skipped, begin, end),
        cmocka_unit_test_setup_teardown(overlapping_jit_lines_match_plain_model, begin, end),
        cmocka_unit_test_setup_teardown(jit_map_of_a_process_is_found, begin, end),
        cmocka_unit_test_setup_teardown(fifo_as_jit_map_does_not_block, begin, end),
        cmocka_unit_test_setup_teardown(symbolic_link_as_jit_map_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(jit_map_of_another_user_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(oversized_jit_map_is_refused, begin, end),
        cmocka_unit_test(python_int_size_follows_its_digits),
        cmocka_unit_test(php_blocks_are_found_by_address),
        cmocka_unit_test(haskell_values_are_named_by_constructor),
    };
    return cmocka_run_group_tests_name("jitmap", tests, NULL, NULL);
}
