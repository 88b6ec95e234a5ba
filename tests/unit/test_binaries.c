/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The binaries behind a recording: each place where one may lie on this machine, builds that are
 * not the one recorded, names that are no files.
 */
#include "unit.h"

#include "resolve/elf/binaries.h"
#include "target.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char source[] = "int shown = 1; int outer(void) { return shown; }\n";
static const uint8_t wanted_id[20] = {0xab, 0xcd, 0xef, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07,
                                      0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11};
#define WANTED_BELOW "ab/cdef0102030405060708090a0b0c0d0e0f1011"

static struct binaries binaries;

static bool build(const char *name, const char *id)
{
    char flags[160];
    snprintf(flags, sizeof flags, "-shared -fPIC -Wl,--build-id=%s", id);
    return target_build(target_path(name), flags, source);
}

static bool make(const char *command)
{
    return target_run("cd %s && %s", target_folder(), command);
}

/* "good.so", "bad.so" and "none.so": the build that was recorded, another, one without an id. */
static int prepare(void **state)
{
    (void)state;
    bool built = build("good.so", "0xabcdef0102030405060708090a0b0c0d0e0f1011") &&
                 build("bad.so", "0x1111111111111111111111111111111111111111") &&
                 build("none.so", "none");
    setenv("HOME", target_path("home"), 1);
    unsetenv("DEBUGINFOD_URLS");
    make("mkdir -p home");
    return built ? 0 : -1;
}

static int reset(void **state)
{
    (void)state;
    binaries_fini(&binaries);
    make("rm -rf sym home root gone bin; mkdir home");
    return 0;
}

static void begin(const char *symfs)
{
    struct lookup_from from = {.symfs = symfs, .debug_root = target_path("root")};
    binaries_init(&binaries, &from);
}

static uint32_t note(const char *path, const uint8_t *id, uint8_t size)
{
    struct sample_mapping mapping = {.path = path, .executable = true, .build_id_size = size};
    if (id)
        memcpy(mapping.build_id, id, size);
    return binaries_note(&binaries, &mapping);
}

/* The one there is, with a sample. */
static struct binary_desc open_it(const char *path, const uint8_t *id, uint8_t size)
{
    struct binary_desc desc = {0};
    uint32_t number = note(path, id, size);
    int fd = binaries_open(&binaries, number);
    binaries_sample(&binaries, number);
    assert_int_equal(binaries_list(&binaries, &desc, 1), 1);
    assert_int_equal(fd >= 0, desc.state == BINARY_FOUND || desc.state == BINARY_UNVERIFIED);
    if (fd >= 0)
        close(fd);
    return desc;
}

static void expect(const char *symfs, const char *recorded, const char *found)
{
    begin(symfs);
    struct binary_desc desc = open_it(recorded, wanted_id, sizeof wanted_id);
    assert_int_equal(desc.state, BINARY_FOUND);
    assert_string_equal(desc.found, target_path(found));
    binaries_fini(&binaries);
}

static void every_place(void **state)
{
    (void)state;
    static const char recorded[] = "/opt/no-such/lib.so";
    make("mkdir -p sym/opt/no-such sym/.build-id/ab && cp good.so sym/lib.so");
    expect(target_path("sym"), recorded, "sym/lib.so");
    make("cp good.so sym/.build-id/" WANTED_BELOW);
    expect(target_path("sym"), recorded, "sym/.build-id/" WANTED_BELOW);
    make("cp good.so sym/opt/no-such/lib.so");
    expect(target_path("sym"), recorded, "sym/opt/no-such/lib.so");

    make("mkdir -p root/.build-id/ab && cp good.so root/.build-id/" WANTED_BELOW);
    expect(NULL, recorded, "root/.build-id/" WANTED_BELOW);
    /* As perf lays its cache out: a link to a folder. */
    make("mkdir -p home/.debug/opt/lib.so/abcd home/.debug/.build-id/ab && "
         "cp good.so home/.debug/opt/lib.so/abcd/elf && "
         "ln -s ../../opt/lib.so/abcd home/.debug/.build-id/" WANTED_BELOW);
    expect(NULL, recorded, "home/.debug/.build-id/" WANTED_BELOW "/elf");
    make("rm home/.debug/.build-id/" WANTED_BELOW
         " && cp good.so home/.debug/.build-id/" WANTED_BELOW);
    expect(NULL, recorded, "home/.debug/.build-id/" WANTED_BELOW);
    make("rm -r home/.debug root");
    expect(NULL, target_path("good.so"), "good.so");
}

static void deleted_since(void **state)
{
    (void)state;
    char path[256];
    make("mkdir -p sym gone && cp good.so 'gone/x y.so'");
    snprintf(path, sizeof path, "%s (deleted)", target_path("gone/x y.so"));
    expect(NULL, path, "gone/x y.so");
    make("mv gone/* sym");
    expect(target_path("sym"), path, "sym/x y.so");
}

/* The file is there, and has been built anew since. */
static void other_builds_are_refused(void **state)
{
    (void)state;
    begin(NULL);
    struct binary_desc desc = open_it(target_path("bad.so"), wanted_id, sizeof wanted_id);
    assert_int_equal(desc.state, BINARY_OTHER);
    assert_string_equal(desc.found, target_path("bad.so"));
    assert_string_equal(desc.found_id, "1111111111111111111111111111111111111111");
    assert_string_equal(desc.build_id, "abcdef0102030405060708090a0b0c0d0e0f1011");
    binaries_fini(&binaries);

    begin(NULL);
    desc = open_it(target_path("none.so"), wanted_id, sizeof wanted_id);
    assert_int_equal(desc.state, BINARY_OTHER);
    assert_null(desc.found_id);
    binaries_fini(&binaries);

    /* A wrong one in one place does not hide the right one in the next. */
    make(
        "mkdir -p sym/.build-id/ab && cp bad.so sym/lib.so && cp bad.so sym/.build-id/" WANTED_BELOW
        " && mkdir -p home/.debug/.build-id/" WANTED_BELOW
        " && cp good.so home/.debug/.build-id/" WANTED_BELOW "/elf");
    expect(target_path("sym"), "/opt/lib.so", "home/.debug/.build-id/" WANTED_BELOW "/elf");
}

static void without_an_id(void **state)
{
    (void)state;
    static const uint8_t zeros[20];
    begin(NULL);
    assert_int_equal(open_it(target_path("bad.so"), NULL, 0).state, BINARY_UNVERIFIED);
    binaries_fini(&binaries);
    begin(NULL);
    assert_int_equal(open_it(target_path("bad.so"), zeros, 20).state, BINARY_UNVERIFIED);
    binaries_fini(&binaries);
    /* Who names a folder does not mean what lies here by chance. */
    make("mkdir -p sym");
    begin(target_path("sym"));
    assert_int_equal(open_it(target_path("bad.so"), NULL, 0).state, BINARY_MISSING);
    binaries_fini(&binaries);
    make("cp good.so sym/bad.so");
    begin(target_path("sym"));
    assert_string_equal(open_it(target_path("bad.so"), NULL, 0).found, target_path("sym/bad.so"));
    binaries_fini(&binaries);
    /* Nor does it say anything of another kind of machine. */
    begin(NULL);
    binaries.from.elsewhere = true;
    assert_int_equal(open_it(target_path("bad.so"), NULL, 0).state, BINARY_MISSING);
}

/* An id of 8 bytes that old perf filled up to 20. */
static void short_ids(void **state)
{
    (void)state;
    static const uint8_t padded[20] = {1, 2, 3, 4, 5, 6, 7, 8};
    assert_true(build("short.so", "0x0102030405060708"));
    begin(NULL);
    assert_int_equal(open_it(target_path("short.so"), padded, 20).state, BINARY_FOUND);
    binaries_fini(&binaries);
    begin(NULL);
    assert_int_equal(open_it(target_path("short.so"), padded, 8).state, BINARY_FOUND);
    binaries_fini(&binaries);
    begin(NULL);
    assert_int_equal(open_it(target_path("short.so"), padded, 7).state, BINARY_OTHER);
}

static void names_that_are_no_files(void **state)
{
    (void)state;
    begin(NULL);
    static const char *const names[] = {"//anon",
                                        "[heap]",
                                        "[stack]",
                                        "/dev/zero (deleted)",
                                        "",
                                        "/SYSV00000000",
                                        "[anon:x]",
                                        "/memfd:x (deleted)",
                                        "anon_inode:[perf_event]"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(note(names[i], wanted_id, 20), 0);
    assert_int_equal(mkfifo(target_path("home/fifo"), 0600), 0);
    assert_int_equal(open_it(target_path("home/fifo"), NULL, 0).state, BINARY_MISSING);
    assert_int_equal(binaries_open(&binaries, 0), -1);
    assert_int_equal(binaries_open(&binaries, 99), -1);
}

static void the_vdso_of_this_kernel(void **state)
{
    (void)state;
    struct lookup_found found;
    struct lookup_from from = {0};
    struct lookup_wanted wanted = {.path = "[vdso]", .id = {20, {1}}};
    int fd = lookup_binary(&from, &wanted, &found);
    assert_int_equal(fd, -1);
    if (!found.id.size) {
        print_message("skipped: no vdso with a build-id here\n");
        skip();
    }
    wanted.id = found.id;
    fd = lookup_binary(&from, &wanted, &found);
    assert_true(fd >= 0 && found.verified);
    close(fd);
}

static void debuginfod_where_it_was_asked_for(void **state)
{
    (void)state;
    struct lookup_from from = {.debug_root = target_path("root")};
    struct lookup_wanted wanted = {.path = "/opt/lib.so", .id = {20, {0}}};
    struct lookup_found found;
    char path[4096];
    memcpy(wanted.id.bytes, wanted_id, 20);
    assert_true(make("mkdir -p bin && printf '#!/bin/sh\\n"
                     "[ $1 = executable ] && echo %s/good.so\\n' \"$PWD\" >bin/debuginfod-find && "
                     "chmod +x bin/debuginfod-find"));
    snprintf(path, sizeof path, "%s:%s", target_path("bin"), getenv("PATH"));
    setenv("PATH", path, 1);
    setenv("DEBUGINFOD_URLS", "http://127.0.0.1:1", 1);
    assert_int_equal(lookup_binary(&from, &wanted, &found), -1);
    from.debuginfod = true;
    int fd = lookup_binary(&from, &wanted, &found);
    assert_true(fd >= 0 && found.verified);
    close(fd);
    unsetenv("DEBUGINFOD_URLS");
}

static void those_that_cost_most_first(void **state)
{
    (void)state;
    struct binary_desc list[2];
    begin(NULL);
    static const char *const paths[] = {"/no/a", "/no/b\x1b[31m", "/no/c", "/no/d"};
    for (unsigned i = 0; i < 4; i++) {
        uint32_t number = note(paths[i], NULL, 0);
        assert_int_equal(number, i + 1);
        assert_int_equal(note(paths[i], NULL, 0), number);
        assert_int_equal(binaries_open(&binaries, number), -1);
        for (unsigned k = 0; k < i * (4 - i); k++)
            binaries_sample(&binaries, number);
    }
    assert_int_equal(binaries_list(&binaries, list, 2), 2);
    assert_string_equal(list[0].path, "/no/c");
    assert_int_equal(list[0].samples, 4);
    assert_string_equal(list[1].path, "/no/b?[31m");
    assert_int_equal(list[1].samples, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_place, reset),
        cmocka_unit_test_teardown(deleted_since, reset),
        cmocka_unit_test_teardown(other_builds_are_refused, reset),
        cmocka_unit_test_teardown(without_an_id, reset),
        cmocka_unit_test_teardown(short_ids, reset),
        cmocka_unit_test_teardown(names_that_are_no_files, reset),
        cmocka_unit_test_teardown(the_vdso_of_this_kernel, reset),
        cmocka_unit_test_teardown(debuginfod_where_it_was_asked_for, reset),
        cmocka_unit_test_teardown(those_that_cost_most_first, reset),
    };
    return cmocka_run_group_tests(tests, prepare, NULL);
}
