/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a target is started with the agent, and which programs cannot be. */
#include "unit.h"

#include "base/hash.h"
#include "resolve/heap/feed.h"

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

static enum agent_load refusal_of(const void *bytes, size_t size, mode_t mode, uid_t owner)
{
    char path[] = "/tmp/misstop-feed-XXXXXX";
    struct error error = {0};
    int fd = mkstemp(path);
    assert_int_equal(write(fd, bytes, size), size);
    if (owner)
        assert_int_equal(fchown(fd, owner, (gid_t)-1), 0);
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
    enum agent_load refusal = feed_refusal(path, &error);
    assert_true(refusal == AGENT_LOADABLE || error.text[0]);
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
    assert_int_equal(feed_refusal("true", &error), AGENT_LOADABLE);
    assert_int_equal(refusal_of(self, size, 0700, 0), AGENT_LOADABLE);
    if (!getuid())
        assert_int_equal(refusal_of(self, size, 04755, 1), AGENT_LOAD_RIGHTS);
    assert_int_equal(refusal_of("#!/bin/sh\n", 10, 0700, 0), AGENT_LOADABLE);
    assert_int_equal(refusal_of("#! /no/such\n", 12, 0700, 0), AGENT_LOAD_UNREADABLE);
    assert_int_equal(refusal_of("text", 4, 0700, 0), AGENT_LOAD_NO_PROGRAM);
    assert_int_equal(refusal_of("", 0, 0700, 0), AGENT_LOAD_NO_PROGRAM);
    assert_int_equal(feed_refusal("no-such-command-here", &error), AGENT_LOAD_UNREADABLE);
    assert_int_equal(error.code, -ENOENT);
    self[4] = 1; /* ELFCLASS32 */
    assert_int_equal(refusal_of(self, size, 0700, 0), AGENT_LOAD_MACHINE);
    self[4] = 2;
    char *interpreter = memmem(self, size, "/ld-linux-x86-64.so.2", 21);
    assert_non_null(interpreter);
    memcpy(interpreter, "/ld-musl-x86_64.so.1", 21);
    assert_int_equal(refusal_of(self, size, 0700, 0), AGENT_LOAD_LIBC);
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
    assert_int_equal(feed_refusal(path, &error), AGENT_LOAD_STATIC);
    assert_non_null(strstr(error.text, "statically"));
}

/* Built here by whatever compiler there is: the runtime linked to, linked in, and without symbols.
 */
static void programs_with_sanitizers_are_named(void **state)
{
    (void)state;
    static const char *const builds[] = {"gcc -fsanitize=address",
                                         "gcc -fsanitize=address -static-libasan",
                                         "gcc -fsanitize=address -static-libasan -s",
                                         "gcc -fsanitize=thread",
                                         "gcc -fsanitize=leak -static-liblsan -s",
                                         "clang -fsanitize=address",
                                         "clang -fsanitize=thread",
                                         "clang -fsanitize=memory -s"};
    struct error error;
    char folder[] = "/tmp/misstop-load-XXXXXX";
    char command[512];
    char path[64];
    int built = 0;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/program", folder);
    for (size_t i = 0; i < sizeof builds / sizeof *builds; i++) {
        snprintf(command, sizeof command,
                 "echo 'int main(void) { return 0; }' | %s -x c - -o %s 2>/dev/null", builds[i],
                 path);
        if (system(command)) {
            printf("not built here: %s\n", builds[i]);
            continue;
        }
        built++;
        assert_int_equal(feed_refusal(path, &error), AGENT_LOAD_SANITIZER);
        assert_non_null(strstr(error.text, "sanitizer"));
        unlink(path);
    }
    rmdir(folder);
    if (!built)
        skip();
    setenv("LD_PRELOAD", "/lib/libasan.so.8", 1);
    assert_int_equal(feed_refusal("true", &error), AGENT_LOAD_SANITIZER);
    unsetenv("LD_PRELOAD");
}

/* Another glibc: an interpreter of the same name elsewhere. */
static void another_glibc_is_named(void **state)
{
    (void)state;
    static char self[1 << 20];
    size_t size = read_whole("/bin/true", self, sizeof self);
    char *interpreter = memmem(self, size, "/lib64/ld-linux-x86-64.so.2", 27);
    assert_non_null(interpreter);
    memcpy(interpreter, "/lib65", 6);
    assert_int_equal(refusal_of(self, size, 0700, 0), AGENT_LOAD_LINKER);
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
        cmocka_unit_test(programs_with_sanitizers_are_named),
        cmocka_unit_test(another_glibc_is_named),
        cmocka_unit_test(scribbled_programs_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
