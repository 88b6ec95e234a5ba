/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a target is started with the agent, and which programs cannot be. */
#include "unit.h"

#include "base/prng.h"
#include "resolve/feed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void the_environment_keeps_what_was_there(void **state)
{
    (void)state;
    char preload[128];
    char variable[32];
    char wanted[32];
    struct error error;
    struct feed *feed;
    assert_int_equal(feed_new(&feed, &error), 0);
    unsetenv("LD_PRELOAD");
    assert_int_equal(
        feed_environment(feed, "/a.so", preload, sizeof preload, variable, sizeof variable, &error),
        0);
    assert_string_equal(preload, "LD_PRELOAD=/a.so");
    snprintf(wanted, sizeof wanted, "MISSTOP_AGENT=%d", feed_fd(feed));
    assert_string_equal(variable, wanted);
    setenv("LD_PRELOAD", "/b.so /c.so", 1);
    feed_environment(feed, "/a.so", preload, sizeof preload, variable, sizeof variable, &error);
    unsetenv("LD_PRELOAD");
    assert_string_equal(preload, "LD_PRELOAD=/a.so:/b.so /c.so");
    assert_int_equal(feed_environment(feed, "/with space.so", preload, sizeof preload, variable,
                                      sizeof variable, &error),
                     -EINVAL);
    assert_int_equal(
        feed_environment(feed, "/a.so", preload, 12, variable, sizeof variable, &error),
        -ENAMETOOLONG);
    feed_free(feed);
}

static enum feed_refusal refusal_of(const void *bytes, size_t size, mode_t mode, uid_t owner)
{
    char path[] = "/tmp/misstop-feed-XXXXXX";
    struct error error = {0};
    int fd = mkstemp(path);
    assert_int_equal(write(fd, bytes, size), size);
    if (owner)
        assert_int_equal(fchown(fd, owner, (gid_t)-1), 0);
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
    enum feed_refusal refusal = feed_refusal(path, &error);
    assert_true(refusal == FEED_PRELOADABLE || error.text[0]);
    unlink(path);
    return refusal;
}

static size_t read_whole(const char *path, char *out, size_t size)
{
    int fd = open(path, O_RDONLY);
    ssize_t got = read(fd, out, size);
    close(fd);
    return got > 0 ? (size_t)got : 0;
}

static void programs_that_cannot_be_preloaded_are_named(void **state)
{
    (void)state;
    static char self[1 << 20];
    struct error error;
    size_t size = read_whole("/bin/true", self, sizeof self);
    assert_int_equal(feed_refusal("true", &error), FEED_PRELOADABLE);
    assert_int_equal(refusal_of(self, size, 0700, 0), FEED_PRELOADABLE);
    if (!getuid())
        assert_int_equal(refusal_of(self, size, 04755, 1), FEED_SETUID);
    assert_int_equal(refusal_of("#!/bin/sh\n", 10, 0700, 0), FEED_PRELOADABLE);
    assert_int_equal(refusal_of("#! /no/such\n", 12, 0700, 0), FEED_UNREADABLE);
    assert_int_equal(refusal_of("text", 4, 0700, 0), FEED_UNREADABLE);
    assert_int_equal(refusal_of("", 0, 0700, 0), FEED_UNREADABLE);
    assert_int_equal(feed_refusal("no-such-command-here", &error), FEED_UNREADABLE);
    assert_int_equal(error.code, -ENOENT);
    self[4] = 1; /* ELFCLASS32 */
    assert_int_equal(refusal_of(self, size, 0700, 0), FEED_32BIT);
    self[4] = 2;
    char *interpreter = memmem(self, size, "/ld-linux-x86-64.so.2", 21);
    assert_non_null(interpreter);
    memcpy(interpreter, "/ld-musl-x86_64.so.1", 21);
    assert_int_equal(refusal_of(self, size, 0700, 0), FEED_OTHER_LIBC);
}

static void a_static_program_is_named(void **state)
{
    (void)state;
    const char *build = getenv("BUILD");
    char path[4096];
    struct error error;
    snprintf(path, sizeof path, "%s/tests/agent/fixed", build ? build : ".");
    if (access(path, X_OK)) {
        printf("tests/agent/fixed was not built (no static libc?)\n");
        skip();
    }
    assert_int_equal(feed_refusal(path, &error), FEED_STATIC);
    assert_non_null(strstr(error.text, "statically"));
}

/* Damaged ELF files must do no harm either. */
static void scribbled_programs_do_no_harm(void **state)
{
    (void)state;
    static char whole[1 << 20];
    struct prng prng = {7};
    size_t size = read_whole("/bin/true", whole, sizeof whole);
    for (int round = 0; round < 300; round++) {
        char damaged[1024];
        memcpy(damaged, whole, sizeof damaged);
        for (int i = 0; i < 8; i++)
            damaged[prng_below(&prng, sizeof damaged)] = (char)prng_next(&prng);
        refusal_of(damaged, 64 + prng_below(&prng, sizeof damaged - 64), 0700, 0);
    }
    assert_true(size > 1024);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_environment_keeps_what_was_there),
        cmocka_unit_test(programs_that_cannot_be_preloaded_are_named),
        cmocka_unit_test(a_static_program_is_named),
        cmocka_unit_test(scribbled_programs_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
