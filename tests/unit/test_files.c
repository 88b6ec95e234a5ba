/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that a target points at: none may hold us, harm us or lead out of its root. */
#include "unit.h"

#include "resolve/files.h"
#include "target.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

static void make(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");
    fputs(text, out);
    fclose(out);
}

/* Text of a file, "(none)" if it was not opened. */
static const char *text_of(int fd)
{
    static char text[64];
    ssize_t got = fd >= 0 ? pread(fd, text, sizeof text - 1, 0) : -1;
    if (fd >= 0)
        close(fd);
    text[got > 0 ? got : 0] = '\0';
    return got >= 0 ? text : "(none)";
}

static void regular_files_only(void **state)
{
    (void)state;
    make(target_path("file"), "text");
    assert_int_equal(mkfifo(target_path("fifo"), 0600), 0);
    assert_string_equal(text_of(files_open(target_path("file"))), "text");
    assert_int_equal(files_open(target_path("fifo")), -1);
    assert_int_equal(files_open(target_folder()), -1);
    assert_int_equal(files_open("/dev/null"), -1);
    assert_int_equal(files_open(target_path("absent")), -1);
}

static void the_root_of_a_process_is_ours(void **state)
{
    (void)state;
    make(target_path("plain"), "plain");
    assert_int_equal(symlink(target_path("plain"), target_path("link")), 0);
    assert_string_equal(text_of(files_open_in_root(getpid(), target_path("plain"), false)),
                        "plain");
    assert_int_equal(files_open_in_root(getpid(), target_path("link"), false), -1);
    assert_string_equal(text_of(files_open_in_root(getpid(), target_path("link"), true)), "plain");
    assert_int_equal(files_open_in_root(1 << 30, target_path("plain"), false), -1);
}

static void links_stay_in_the_root(void **state)
{
    (void)state;
    char inside[512];
    if (geteuid()) {
        print_message("skipped: chroot needs root\n");
        skip();
    }
    assert_true(target_run("mkdir -p %s/etc", target_path("root")));
    make(target_path("secret"), "of the host");
    snprintf(inside, sizeof inside, "%s/etc/absolute", target_path("root"));
    assert_int_equal(symlink(target_path("secret"), inside), 0);
    snprintf(inside, sizeof inside, "%s/etc/climbing", target_path("root"));
    assert_int_equal(symlink("../../../../../etc/passwd", inside), 0);
    snprintf(inside, sizeof inside, "%s/etc/magic", target_path("root"));
    assert_int_equal(symlink("/proc/self/root/etc/passwd", inside), 0);
    snprintf(inside, sizeof inside, "%s/etc/file", target_path("root"));
    make(inside, "of the guest");
    const char *root = target_path("root");
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    if (!child) {
        if (chroot(root) || write(pipes[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    assert_int_equal(read(pipes[0], inside, 1), 1);
    assert_string_equal(text_of(files_open_in_root(child, "/etc/file", false)), "of the guest");
    assert_string_equal(text_of(files_open_in_root(child, "/../etc/file", false)), "of the guest");
    assert_int_equal(files_open_in_root(child, "/etc/absolute", true), -1);
    assert_int_equal(files_open_in_root(child, "/etc/climbing", true), -1);
    assert_int_equal(files_open_in_root(child, "/etc/magic", true), -1);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(pipes[0]);
    close(pipes[1]);
}

static void a_copy_is_bounded_and_whole(void **state)
{
    (void)state;
    char bytes[8] = {0};
    make(target_path("source"), "contents");
    int copy = files_copy(files_open(target_path("source")), 8);
    make(target_path("source"), ""); /* cut short afterwards: the copy does not mind */
    assert_int_equal(pread(copy, bytes, 8, 0), 8);
    assert_memory_equal(bytes, "contents", 8);
    close(copy);
    make(target_path("source"), "contents");
    assert_int_equal(files_copy(files_open(target_path("source")), 7), -1);
    assert_int_equal(files_copy(-1, 100), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regular_files_only),
        cmocka_unit_test(the_root_of_a_process_is_ours),
        cmocka_unit_test(links_stay_in_the_root),
        cmocka_unit_test(a_copy_is_bounded_and_whole),
    };
    return cmocka_run_group_tests_name("files", tests, NULL, NULL);
}
