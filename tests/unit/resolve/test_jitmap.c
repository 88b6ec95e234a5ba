/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JIT maps: well-formed, growing, overlapping and hostile. Also sizes of Python's objects. */
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

static void names_may_have_blanks_and_numbers_0x(void **state)
{
    (void)state;
    append("1000 10 LazyCompile:~run /x.js:1\n0x2000 0x20 other\n");
    assert_true(jitmap_read(&jitmap, fd));
    assert_string_equal(name_at(0x100f), "LazyCompile:~run /x.js:1");
    assert_string_equal(name_at(0x201f), "other");
    assert_string_equal(name_at(0x1010), "(none)");
    assert_false(jitmap_read(&jitmap, fd)); /* nothing new */
}

static void a_file_grows_in_the_middle_of_a_line(void **state)
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

static void a_file_written_anew_is_read_anew(void **state)
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

static void later_lines_win(void **state)
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

static void garbage_is_passed_over(void **state)
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
static void many_overlaps_are_as_by_the_plain_rule(void **state)
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

static void make(const char *text)
{
    FILE *out = fopen(path, "w");
    fputs(text, out);
    fclose(out);
}

static void the_file_of_a_process_is_found(void **state)
{
    (void)state;
    make("4000 10 mine\n");
    assert_true(jitmap_refresh(&jitmap, getpid(), NULL));
    assert_string_equal(name_at(0x4000), "mine");
}

static void a_fifo_does_not_hold_us(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_false(jitmap_refresh(&jitmap, getpid(), NULL));
}

static void a_link_is_not_followed(void **state)
{
    (void)state;
    char other[96];
    snprintf(other, sizeof other, "%s.other", path);
    make("4000 10 elsewhere\n");
    assert_int_equal(rename(path, other), 0);
    assert_int_equal(symlink(other, path), 0);
    assert_false(jitmap_refresh(&jitmap, getpid(), NULL));
    assert_string_equal(name_at(0x4000), "(none)");
    unlink(other);
}

static void another_users_file_is_not_believed(void **state)
{
    (void)state;
    if (geteuid()) {
        print_message("skipped: chown needs root\n");
        skip();
    }
    make("4000 10 tale\n");
    assert_int_equal(chown(path, 12345, 12345), 0);
    assert_false(jitmap_refresh(&jitmap, getpid(), NULL));
    assert_int_equal(chown(path, 0, 0), 0);
    assert_true(jitmap_refresh(&jitmap, getpid(), NULL));
}

static void a_file_too_large_is_not_read(void **state)
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
static void an_int_is_as_large_as_its_digits(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(names_may_have_blanks_and_numbers_0x, begin, end),
        cmocka_unit_test_setup_teardown(a_file_grows_in_the_middle_of_a_line, begin, end),
        cmocka_unit_test_setup_teardown(a_file_written_anew_is_read_anew, begin, end),
        cmocka_unit_test_setup_teardown(later_lines_win, begin, end),
        cmocka_unit_test_setup_teardown(garbage_is_passed_over, begin, end),
        cmocka_unit_test_setup_teardown(many_overlaps_are_as_by_the_plain_rule, begin, end),
        cmocka_unit_test_setup_teardown(the_file_of_a_process_is_found, begin, end),
        cmocka_unit_test_setup_teardown(a_fifo_does_not_hold_us, begin, end),
        cmocka_unit_test_setup_teardown(a_link_is_not_followed, begin, end),
        cmocka_unit_test_setup_teardown(another_users_file_is_not_believed, begin, end),
        cmocka_unit_test_setup_teardown(a_file_too_large_is_not_read, begin, end),
        cmocka_unit_test(an_int_is_as_large_as_its_digits),
    };
    return cmocka_run_group_tests_name("jitmap", tests, NULL, NULL);
}
