/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file of renamed and combined bins, as hostile input and over failures; the wrappers. */
#include "unit.h"

#include "base/hash.h"
#include "resolve/heap/bin_rules.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[PATH_MAX];

static int setup(void **state)
{
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/misstop-bins-XXXXXX", base ? base : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    char command[PATH_MAX + 16];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static const char *path_of(const char *name)
{
    static char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *path, const char *text, size_t size)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static int entries(void)
{
    DIR *directory = opendir(folder);
    int count = 0;
    assert_non_null(directory);
    while (readdir(directory))
        count++;
    closedir(directory);
    return count - 2;
}

static void assert_rule(const struct bin_rules *rules, uint32_t at, bool combines, const char *name,
                        const char *value)
{
    assert_true(at < rules->count);
    assert_int_equal(rules->rules[at].combines, combines);
    assert_string_equal(rules->rules[at].name, name);
    assert_string_equal(rules->rules[at].value, value);
}

static void round_trip(void **state)
{
    (void)state;
    struct bin_rules rules;
    struct bin_rules again;
    struct error error = {0};
    const char *path = path_of("made/on/the/way/bins");
    bin_rules_init(&rules);
    bin_rules_init(&again);
    assert_int_equal(bin_rules_load(&rules, path, &error), 0); /* not there: no rules */
    assert_int_equal(rules.count, 0);
    assert_int_equal(bin_rules_rename(&rules, "a < main", "first\nrename\tx\ty"), 0);
    assert_int_equal(bin_rules_combine(&rules, "a < main", "caf\xc3\xa9 < main"), 0);
    assert_int_equal(bin_rules_rename(&rules, "caf\xc3\xa9 < main", "second"), 0);
    assert_int_equal(bin_rules_save(&rules, path, &error), 0);
    assert_int_equal(bin_rules_save(&rules, path, &error), 0); /* over itself */
    assert_int_equal(bin_rules_load(&again, path, &error), 0);
    assert_int_equal(again.skipped, 0);
    assert_int_equal(again.count, 3);
    assert_rule(&again, 0, false, "a < main", "first?rename?x?y");
    assert_rule(&again, 1, true, "caf\xc3\xa9 < main", "a < main");
    assert_rule(&again, 2, false, "a < main", "second"); /* renames the group it is in */
    bin_rules_fini(&rules);
    bin_rules_fini(&again);
}

static void malformed_lines(void **state)
{
    (void)state;
    static const char text[] = "# comment\n"
                               "\n"
                               "rename\ta\tb\n"
                               "rename\ta\n"
                               "rename\n"
                               "rename\t\tb\n"
                               "rename\ta\t\n"
                               "rename\ta\tb\tc\n"
                               "delete\ta\tb\n"
                               "combine\ta\ta\n"
                               "combine\tx\ty\n"
                               "combine\ty\tx\n" /* would go round in circles */
                               "rename\ta\tb\0c\n"
                               "rename\te\tesc \x1b[2J\n"
                               "rename\tlast\tno newline";
    struct bin_rules rules;
    bin_rules_init(&rules);
    write_file(path_of("bins"), text, sizeof text - 1);
    assert_int_equal(bin_rules_load(&rules, path_of("bins"), NULL), 0);
    assert_int_equal(rules.count, 4);
    assert_int_equal(rules.skipped, 9);
    assert_rule(&rules, 0, false, "a", "b");
    assert_rule(&rules, 1, true, "x", "y");
    assert_rule(&rules, 2, false, "e", "esc ?[2J");
    assert_rule(&rules, 3, false, "last", "no newline");
    bin_rules_fini(&rules);
}

/* Whatever stands in the file: no crash, bounded, groups end, and what is kept can be saved. */
static void noise(void **state)
{
    (void)state;
    static const char *const words[] = {"rename", "combine", "\t",    "\t", "\n",  "\n",
                                        "a",      "b",       "c < d", "#",  " < ", "\r"};
    struct prng prng = {11};
    for (int round = 0; round < 300; round++) {
        char text[4096];
        size_t size = 0;
        while (size + 16 < sizeof text) {
            uint64_t pick = prng_below(&prng, 13);
            if (pick == 12)
                text[size++] = (char)prng_next(&prng);
            else
                size += (size_t)sprintf(text + size, "%s", words[pick]);
        }
        struct bin_rules rules;
        struct bin_rules again;
        uint32_t first;
        bin_rules_init(&rules);
        bin_rules_init(&again);
        write_file(path_of("bins"), text, size);
        assert_int_equal(bin_rules_load(&rules, path_of("bins"), NULL), 0);
        for (uint32_t i = 0; i < rules.count; i++)
            bin_rules_group(&rules, rules.rules[i].name, rules.rules[i].name_hash, &first);
        assert_int_equal(bin_rules_save(&rules, path_of("bins"), NULL), 0);
        assert_int_equal(bin_rules_load(&again, path_of("bins"), NULL), 0);
        assert_int_equal(again.count, rules.count);
        assert_int_equal(again.skipped, 0);
        bin_rules_fini(&rules);
        bin_rules_fini(&again);
    }
}

static void limits(void **state)
{
    (void)state;
    struct bin_rules rules;
    char name[32];
    char *lengthy = malloc(BIN_RULES_NAME_BYTES + 1);
    bin_rules_init(&rules);
    memset(lengthy, 'x', BIN_RULES_NAME_BYTES);
    lengthy[BIN_RULES_NAME_BYTES] = '\0';
    assert_int_equal(bin_rules_rename(&rules, "a", lengthy), -EINVAL);
    lengthy[BIN_RULES_NAME_BYTES - 1] = '\0';
    assert_int_equal(bin_rules_rename(&rules, "a", lengthy), 0);
    assert_int_equal(bin_rules_rename(&rules, "a", ""), -EINVAL);
    for (int i = 1; i < BIN_RULES_MAX; i++) { /* one chain, as long as can be */
        char before[32];
        snprintf(before, sizeof before, "n%d", i - 1);
        snprintf(name, sizeof name, "n%d", i);
        assert_int_equal(bin_rules_combine(&rules, name, before), 0);
    }
    assert_int_equal(bin_rules_combine(&rules, "more", "n0"), -ENOSPC);
    assert_non_null(bin_rules_name(&rules, "a", rules.rules[0].name_hash));
    uint32_t first;
    const char *head = bin_rules_group(&rules, "n0", rules.rules[1].name_hash, &first);
    assert_string_equal(head, "n1023");
    assert_int_equal(first, BIN_RULES_MAX - 1);
    bin_rules_fini(&rules);
    free(lengthy);
}

static void files_that_are_none(void **state)
{
    (void)state;
    struct bin_rules rules;
    struct error error = {0};
    bin_rules_init(&rules);
    assert_int_equal(bin_rules_load(&rules, folder, &error), -EINVAL);
    assert_non_null(strstr(error.text, folder));
    assert_int_equal(mkfifo(path_of("fifo"), 0600), 0); /* must not wait for a writer */
    assert_int_equal(bin_rules_load(&rules, path_of("fifo"), &error), -EINVAL);
    write_file(path_of("huge"), "", 0);
    assert_int_equal(truncate(path_of("huge"), BIN_RULES_FILE_BYTES + 1), 0);
    assert_int_equal(bin_rules_load(&rules, path_of("huge"), &error), -EINVAL);
    assert_int_equal(bin_rules_load(&rules, "/dev/null", &error), -EINVAL);
    assert_int_equal(rules.count, 0);
    bin_rules_fini(&rules);
}

/* A save that fails leaves the old file and nothing beside it; a link stays a link. */
static void saving_is_atomic(void **state)
{
    (void)state;
    struct bin_rules rules;
    struct error error = {0};
    struct stat status;
    char target[PATH_MAX + 64];
    bin_rules_init(&rules);
    assert_int_equal(bin_rules_rename(&rules, "a", "b"), 0);
    assert_int_equal(mkdir(path_of("bins"), 0700), 0); /* cannot be replaced by a file */
    assert_int_equal(mkdir(path_of("bins/full"), 0700), 0);
    assert_true(bin_rules_save(&rules, path_of("bins"), &error) < 0);
    assert_non_null(strstr(error.text, "cannot write"));
    assert_int_equal(entries(), 1);
    assert_true(bin_rules_save(&rules, "/proc/nowhere/bins", &error) < 0);
    snprintf(target, sizeof target, "%s", path_of("real"));
    write_file(target, "old", 3);
    assert_int_equal(symlink(target, path_of("link")), 0);
    assert_int_equal(bin_rules_save(&rules, path_of("link"), &error), 0);
    assert_int_equal(lstat(path_of("link"), &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat(target, &status), 0);
    assert_true(status.st_size > 3 && (status.st_mode & 077) == 0);
    assert_int_equal(entries(), 3);
    bin_rules_fini(&rules);
}

static void where_it_is(void **state)
{
    (void)state;
    char path[64];
    char tiny[8];
    setenv("HOME", "/home/u", 1);
    setenv("XDG_CONFIG_HOME", "/c", 1);
    assert_int_equal(rc_path(path, sizeof path, "bins"), 0);
    assert_string_equal(path, "/c/misstop/bins");
    assert_int_equal(rc_path(tiny, sizeof tiny, "bins"), -ENAMETOOLONG);
    setenv("XDG_CONFIG_HOME", "relative", 1);
    assert_int_equal(rc_path(path, sizeof path, "bins"), 0);
    assert_string_equal(path, "/home/u/.config/misstop/bins");
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("HOME");
    assert_int_equal(rc_path(path, sizeof path, "bins"), -ENOENT);
}

static void wrappers_by_default(void **state)
{
    (void)state;
    static const char *const are[] = {"malloc",
                                      "calloc",
                                      "xmalloc",
                                      "g_malloc0_n",
                                      "g_slice_alloc",
                                      "operator new[](unsigned long)",
                                      "_Znwm",
                                      "_Znam",
                                      "PyObject_Malloc",
                                      "PyMem_Malloc",
                                      "_PyObject_Malloc",
                                      "zmalloc_usable",
                                      "zcalloc",
                                      "je_malloc_default",
                                      "sqlite3Malloc",
                                      "sqlite3MemMalloc",
                                      "my_alloc",
                                      "my_malloc",
                                      "strdup",
                                      "std::allocator_traits<A>::allocate(A&, unsigned long)",
                                      "mystuff_realloc"};
    static const char *const are_not[] = {
        "main",   "parse", "", "mallocator_main", "make_node", "std::vector<int>::push_back(int&&)",
        "dictAdd"};
    struct wrappers wrappers;
    wrappers_init(&wrappers);
    for (size_t i = 0; i < sizeof are / sizeof are[0]; i++)
        if (!wrappers_match(&wrappers, are[i]))
            fail_msg("%s is no wrapper", are[i]);
    for (size_t i = 0; i < sizeof are_not / sizeof are_not[0]; i++)
        if (wrappers_match(&wrappers, are_not[i]))
            fail_msg("%s is a wrapper", are_not[i]);
    wrappers_fini(&wrappers);
}

static void wrappers_of_the_user(void **state)
{
    (void)state;
    struct wrappers wrappers;
    char lengthy[2 * WRAPPERS_GLOB_BYTES];
    wrappers_init(&wrappers);
    assert_int_equal(wrappers_add(&wrappers, "node_new\n# main\n\n  arena_* ; \t; !zmalloc\r\n"),
                     0);
    assert_int_equal(wrappers.count, 3);
    assert_true(wrappers_match(&wrappers, "node_new"));
    assert_true(wrappers_match(&wrappers, "arena_push"));
    assert_false(wrappers_match(&wrappers, "zmalloc"));
    assert_true(wrappers_match(&wrappers, "zmalloc_usable"));
    assert_false(wrappers_match(&wrappers, "main"));
    assert_int_equal(wrappers_add(&wrappers, "zmalloc;a*b*c*d*e*f"), 0);
    assert_true(wrappers_match(&wrappers, "zmalloc")); /* the last word */
    assert_int_equal(wrappers.skipped, 1);
    memset(lengthy, 'y', sizeof lengthy);
    lengthy[sizeof lengthy - 1] = '\0';
    assert_int_equal(wrappers_add(&wrappers, lengthy), 0);
    assert_int_equal(wrappers.skipped, 2);
    for (int i = 0; i < 2 * WRAPPERS_USER_MAX; i++)
        assert_int_equal(wrappers_add(&wrappers, "more"), 0);
    assert_int_equal(wrappers.count, WRAPPERS_USER_MAX);
    wrappers_fini(&wrappers);
}

static void wrappers_of_settings(void **state)
{
    (void)state;
    struct wrappers wrappers;
    wrappers_init(&wrappers);
    setenv("XDG_CONFIG_HOME", folder, 1);
    setenv("MISSTOP_WRAPPERS", "!from_file;from_variable", 1);
    assert_int_equal(mkdir(path_of("misstop"), 0700), 0);
    write_file(path_of("misstop/wrappers"), "from_file\nfile_too\n", 19);
    assert_int_equal(wrappers_add_settings(&wrappers), 0);
    assert_true(wrappers_match(&wrappers, "from_variable"));
    assert_true(wrappers_match(&wrappers, "file_too"));
    assert_false(wrappers_match(&wrappers, "from_file"));
    wrappers_fini(&wrappers);
    unsetenv("MISSTOP_WRAPPERS");
}

static void a_request_is_taken_back_as_a_whole(void **state)
{
    (void)state;
    struct bin_rules rules;
    bin_rules_init(&rules);
    assert_int_equal(bin_rules_rename(&rules, "a < b", "mine"), 0);
    bin_rules_begin_step(&rules);
    assert_int_equal(bin_rules_combine(&rules, "a < b", "c < d"), 0);
    assert_int_equal(bin_rules_combine(&rules, "a < b", "e < f"), 0);
    bin_rules_end_step(&rules);
    assert_int_equal(rules.count, 3);
    assert_true(bin_rules_undo(&rules));
    assert_int_equal(rules.count, 1);
    assert_true(bin_rules_undo(&rules));
    assert_false(bin_rules_undo(&rules));
    bin_rules_fini(&rules);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_request_is_taken_back_as_a_whole),
        TEST(round_trip),
        TEST(malformed_lines),
        TEST(noise),
        TEST(limits),
        TEST(files_that_are_none),
        TEST(saving_is_atomic),
        TEST(where_it_is),
        TEST(wrappers_by_default),
        TEST(wrappers_of_the_user),
        TEST(wrappers_of_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
