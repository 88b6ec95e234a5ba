/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Source files by their recorded names: where they are searched for, and which lines are shown. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "resolve/source.h"
#include "unit.h"

static char work[] = "/tmp/misstop-source-XXXXXX";

static void write_bytes(const char *path, const char *text, size_t size)
{
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_int_equal(fwrite(text, 1, size, out), size);
    fclose(out);
}

static void write_text(const char *path, const char *text)
{
    write_bytes(path, text, strlen(text));
}

static struct source_texts *open_texts(pid_t pid, const char *symfs)
{
    struct source_options options = {.pid = pid, .symfs = symfs};
    struct source_texts *texts = source_texts_new(&options);
    assert_non_null(texts);
    return texts;
}

static const char *line(struct source_texts *texts, const char *file, uint32_t number)
{
    static char out[256];
    return source_texts_line(texts, file, number, out, sizeof out) ? out : NULL;
}

static int setup(void **state)
{
    (void)state;
    return !mkdtemp(work) || chdir(work) || mkdir("src", 0700) || mkdir("sym", 0700) ||
           mkdir("sym/build", 0700);
}

static int teardown(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", work);
    return chdir("/") || system(command);
}

static void source_lines_are_returned_unchanged(void **state)
{
    char path[64];
    (void)state;
    snprintf(path, sizeof path, "%s/a.c", work);
    write_text(path, "one\n\ttab\tx\r\n\nlast, no newline");
    struct source_texts *texts = open_texts(0, NULL);
    assert_string_equal(line(texts, path, 1), "one");
    assert_string_equal(line(texts, path, 2), "        tab     x");
    assert_string_equal(line(texts, path, 3), "");
    assert_string_equal(line(texts, path, 4), "last, no newline");
    assert_null(line(texts, path, 5));
    assert_null(line(texts, path, 0));
    assert_null(line(texts, path, UINT32_MAX));
    assert_non_null(strstr(source_texts_note(texts, path), "read from /tmp/misstop-source-"));
    source_texts_free(texts);
}

static void final_newline_is_not_a_line(void **state)
{
    char path[64];
    (void)state;
    snprintf(path, sizeof path, "%s/b.c", work);
    write_text(path, "a\n");
    struct source_texts *texts = open_texts(0, NULL);
    assert_string_equal(line(texts, path, 1), "a");
    assert_null(line(texts, path, 2));
    source_texts_free(texts);
}

static void source_lines_are_sanitised(void **state)
{
    char path[64];
    (void)state;
    snprintf(path, sizeof path, "%s/c.c", work);
    write_bytes(path, "x \033[31m \xff \0 y\n", 14);
    struct source_texts *texts = open_texts(0, NULL);
    assert_string_equal(line(texts, path, 1), "x ?[31m ? ? y");
    source_texts_free(texts);
}

static void longest_existing_path_suffix_is_used(void **state)
{
    (void)state;
    write_text("src/d.c", "nearer\n");
    write_text("d.c", "shorter\n");
    struct source_texts *texts = open_texts(0, NULL);
    assert_string_equal(line(texts, "/build/package-1.0/src/d.c", 1), "nearer");
    assert_non_null(strstr(source_texts_note(texts, "/build/package-1.0/src/d.c"), "src/d.c in"));
    assert_string_equal(line(texts, "/elsewhere/d.c", 1), "shorter");
    assert_string_equal(line(texts, "src/d.c", 1), "nearer");
    /* never leaves the current directory */
    assert_null(line(texts, "../../../../../../../../../etc/passwd", 1));
    source_texts_free(texts);
}

static void symfs_and_process_root_take_precedence(void **state)
{
    char symfs[64];
    char path[64];
    (void)state;
    snprintf(symfs, sizeof symfs, "%s/sym", work);
    snprintf(path, sizeof path, "%s/e.c", work);
    write_text("sym/build/e.c", "below symfs\n");
    write_text("e.c", "by its tail\n");
    struct source_texts *texts = open_texts(getpid(), symfs);
    assert_string_equal(line(texts, "/build/e.c", 1), "below symfs");
    assert_string_equal(line(texts, path, 1), "by its tail");
    assert_non_null(strstr(source_texts_note(texts, path), "of the process"));
    source_texts_free(texts);
}

static void missing_source_note_lists_searched_places(void **state)
{
    (void)state;
    struct source_texts *texts = open_texts(getpid(), "/no/such");
    assert_null(line(texts, "/build/deep/none.c", 1));
    const char *note = source_texts_note(texts, "/build/deep/none.c");
    assert_non_null(strstr(note, "/build/deep/none.c of the process"));
    assert_non_null(strstr(note, "/build/deep/none.c in misstop's root"));
    assert_non_null(strstr(note, "/no/such/build/deep/none.c"));
    assert_non_null(strstr(note, "build/deep/none.c and every shorter tail of it in /"));
    source_texts_free(texts);
}

static void only_regular_files_of_limited_size_are_read(void **state)
{
    char path[64];
    (void)state;
    assert_int_equal(mkfifo("fifo.c", 0600), 0);
    snprintf(path, sizeof path, "%s/fifo.c", work);
    struct source_texts *texts = open_texts(0, NULL);
    assert_null(line(texts, path, 1)); /* and does not wait for a writer */
    assert_null(line(texts, work, 1));
    assert_null(line(texts, "/proc/self/mem", 1));
    write_text("large.c", "x\n");
    assert_int_equal(truncate("large.c", 17 << 20), 0);
    snprintf(path, sizeof path, "%s/large.c", work);
    assert_null(line(texts, path, 1));
    assert_non_null(strstr(source_texts_note(texts, path), "not opened: too large"));
    source_texts_free(texts);
}

static void evicted_source_files_are_read_again(void **state)
{
    char path[64];
    char text[32];
    (void)state;
    struct source_texts *texts = open_texts(0, NULL);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 40; i++) {
            snprintf(path, sizeof path, "%s/many%d.c", work, i);
            snprintf(text, sizeof text, "file %d\n", i);
            if (!round)
                write_text(path, text);
            text[strlen(text) - 1] = '\0';
            assert_string_equal(line(texts, path, 1), text);
        }
    /* more bytes than are cached */
    for (int i = 0; i < 8; i++) {
        snprintf(path, sizeof path, "%s/big%d.c", work, i);
        write_text(path, "start\n");
        assert_int_equal(truncate(path, 15 << 20), 0);
        assert_string_equal(line(texts, path, 1), "start");
    }
    source_texts_free(texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(source_lines_are_returned_unchanged),
        cmocka_unit_test(final_newline_is_not_a_line),
        cmocka_unit_test(source_lines_are_sanitised),
        cmocka_unit_test(longest_existing_path_suffix_is_used),
        cmocka_unit_test(symfs_and_process_root_take_precedence),
        cmocka_unit_test(missing_source_note_lists_searched_places),
        cmocka_unit_test(only_regular_files_of_limited_size_are_read),
        cmocka_unit_test(evicted_source_files_are_read_again),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
