/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file "config": keys and lines that must stay, and files that are refused. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/settings.h"
#include "unit.h"

static char folder[] = "/tmp/misstop-settings-XXXXXX";
static char path[256];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/misstop-settings-XXXXXX");
    assert_non_null(mkdtemp(folder));
    setenv("XDG_CONFIG_HOME", folder, 1);
    snprintf(path, sizeof path, "%s/misstop/config", folder);
    return 0;
}

static int remove_folder(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static void write_settings(const char *text, size_t size)
{
    char command[128];
    snprintf(command, sizeof command, "mkdir -p %s/misstop", folder);
    assert_int_equal(system(command), 0);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    fclose(file);
}

static void expect_settings(const char *text)
{
    char *found;
    assert_int_equal(settings_read(path, 1 << 20, &found), strlen(text));
    assert_string_equal(found, text);
    free(found);
}

static void saved_values_are_loaded_again(void **state)
{
    struct settings settings;
    struct error error = {0};
    char value[32];
    (void)state;
    settings_load(&settings);
    assert_false(settings_get(&settings, "interval", value, sizeof value));
    assert_int_equal(settings_set(&settings, "interval", "2"), 0);
    assert_int_equal(settings_set(&settings, "colors", "high contrast"), 0);
    assert_int_equal(settings_set(&settings, "interval", "5"), 0);
    assert_int_equal(settings_save(&settings, &error), 0);
    settings_free(&settings);
    settings_load(&settings);
    assert_true(settings_get(&settings, "interval", value, sizeof value));
    assert_string_equal(value, "5");
    assert_true(settings_get(&settings, "colors", value, sizeof value));
    assert_string_equal(value, "high contrast");
    assert_false(settings_get(&settings, "color", value, sizeof value));
    settings_free(&settings);
}

/* Lines of a newer version or of the user: comments, other keys, no newline at the end. */
static void saving_preserves_other_lines(void **state)
{
    static const char before[] = "# mine\nnewer=x=y\n\ninterval=1\r\nnot understood\ninterval=3";
    struct settings settings;
    struct error error = {0};
    char value[32];
    (void)state;
    write_settings(before, sizeof before - 1);
    settings_load(&settings);
    assert_true(settings_get(&settings, "interval", value, sizeof value));
    assert_string_equal(value, "3"); /* the last line of the key counts */
    assert_int_equal(settings_set(&settings, "interval", "9"), 0);
    assert_int_equal(settings_set(&settings, "source", "clock"), 0);
    assert_int_equal(settings_save(&settings, &error), 0);
    expect_settings(
        "# mine\nnewer=x=y\n\ninterval=1\r\nnot understood\ninterval=9\nsource=clock\n");
    settings_free(&settings);
}

static void setting_null_removes_the_line(void **state)
{
    struct settings settings;
    struct error error = {0};
    (void)state;
    write_settings("a=1\nb=2\nc=3\n", 12);
    settings_load(&settings);
    assert_int_equal(settings_set(&settings, "b", NULL), 0);
    assert_int_equal(settings_set(&settings, "d", NULL), 0);
    assert_int_equal(settings_save(&settings, &error), 0);
    expect_settings("a=1\nc=3\n");
    settings_free(&settings);
}

static void value_longer_than_the_buffer_is_ignored(void **state)
{
    struct settings settings;
    char value[8];
    (void)state;
    write_settings("interval=12345678\n", 18);
    settings_load(&settings);
    assert_false(settings_get(&settings, "interval", value, sizeof value));
    settings_free(&settings);
}

/* A directory, a FIFO, a file that is too large or unreadable: not read, and not overwritten. */
static void unsuitable_settings_file_is_not_overwritten(void **state)
{
    static char large[1 << 17];
    struct settings settings;
    struct error error;
    struct stat status;
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        write_settings("", 0);
        unlink(path);
        if (kind == 0)
            assert_int_equal(mkdir(path, 0700), 0);
        else if (kind == 1)
            assert_int_equal(mkfifo(path, 0600), 0);
        else
            write_settings(large, sizeof large);
        settings_load(&settings);
        assert_int_equal(settings_set(&settings, "a", "1"), 0);
        assert_int_equal(settings_save(&settings, &error), -EACCES);
        assert_true(strlen(error.text) > 0);
        assert_int_equal(stat(path, &status), 0);
        assert_true(kind == 0   ? S_ISDIR(status.st_mode)
                    : kind == 1 ? S_ISFIFO(status.st_mode)
                                : status.st_size == sizeof large);
        settings_free(&settings);
        assert_int_equal(kind == 0 ? rmdir(path) : unlink(path), 0);
    }
}

/* A file with a NUL, which would hide the text after it, is not overwritten. */
static void file_with_nul_bytes_is_ignored(void **state)
{
    static const char bytes[] = "\xff\xfe=\n=\n==\nkey\n\0interval=4\n";
    struct settings settings;
    char value[32];
    (void)state;
    write_settings(bytes, sizeof bytes - 1);
    settings_load(&settings);
    assert_false(settings_get(&settings, "interval", value, sizeof value));
    assert_false(settings_get(&settings, "key", value, sizeof value));
    assert_string_equal(settings.path, "");
    settings_free(&settings);
}

/* Running as root with the home of another user. */
static void home_of_another_user_is_ignored(void **state)
{
    struct settings settings;
    struct error error;
    char value[32];
    (void)state;
    if (geteuid())
        skip();
    write_settings("interval=4\n", 11);
    assert_int_equal(chown(folder, 12345, 12345), 0);
    settings_load(&settings);
    assert_false(settings_get(&settings, "interval", value, sizeof value));
    assert_int_equal(settings_set(&settings, "interval", "9"), 0);
    assert_int_equal(settings_save(&settings, &error), -EACCES);
    expect_settings("interval=4\n");
    settings_free(&settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(saved_values_are_loaded_again, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(saving_preserves_other_lines, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(setting_null_removes_the_line, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(value_longer_than_the_buffer_is_ignored, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(unsuitable_settings_file_is_not_overwritten, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(file_with_nul_bytes_is_ignored, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(home_of_another_user_is_ignored, make_folder,
                                        remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
