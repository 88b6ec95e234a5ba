/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files that a target refers to: none may block misstop, harm it, or lead out of the target's root.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/files.h"
#include "unit.h"
#include "unit/resolve/target.h"

static void write_file(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");
    fputs(text, out);
    fclose(out);
}

/* Returns the text of a file, "(none)" if it was not opened. */
static const char *text_of(int fd)
{
    static char text[64];
    ssize_t got = fd >= 0 ? pread(fd, text, sizeof text - 1, 0) : -1;
    if (fd >= 0)
        close(fd);
    text[got > 0 ? got : 0] = '\0';
    return got >= 0 ? text : "(none)";
}

static void files_open_opens_regular_files_only(void **state)
{
    (void)state;
    write_file(target_path("file"), "text");
    assert_int_equal(mkfifo(target_path("fifo"), 0600), 0);
    assert_string_equal(text_of(files_open(target_path("file"))), "text");
    assert_true(files_open(target_path("fifo")) < 0);
    assert_true(files_open(target_folder()) < 0);
    assert_true(files_open("/dev/null") < 0);
    assert_int_equal(files_open(target_path("absent")), -ENOENT);
}

enum { MOST = 1 << 20 };

static int in_root(pid_t pid, const char *path, enum files_links links)
{
    return files_open_in_root(pid, path, NULL, links, MOST);
}

static void opens_files_in_the_root_of_a_process(void **state)
{
    (void)state;
    write_file(target_path("plain"), "plain");
    assert_int_equal(symlink(target_path("plain"), target_path("link")), 0);
    assert_string_equal(text_of(in_root(getpid(), target_path("plain"), FILES_NOFOLLOW)), "plain");
    assert_int_equal(in_root(getpid(), target_path("link"), FILES_NOFOLLOW), -ELOOP);
    assert_string_equal(text_of(in_root(getpid(), target_path("link"), FILES_FOLLOW)), "plain");
    assert_true(in_root(1 << 30, target_path("plain"), FILES_NOFOLLOW) < 0);
}

static void devices_fifos_and_bad_paths_are_not_opened(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(target_path("pipe"), 0600), 0);
    write_file(target_path("large"), "");
    assert_int_equal(truncate(target_path("large"), (off_t)1 << 40), 0);
    assert_int_equal(symlink("loop", target_path("loop")), 0);
    const char *const none[] = {"/dev/ptmx",
                                "/dev/null",
                                "/dev/tty",
                                "/proc/self/mem",
                                "/proc/self/maps",
                                "/proc/kcore",
                                "/proc/self/exe",
                                "/proc/self/root/etc/passwd",
                                "/sys/kernel/notes",
                                "/etc",
                                "/",
                                target_path("pipe"),
                                target_path("large"),
                                target_path("loop"),
                                target_folder()};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_true(files_open_below(-1, none[i], NULL, FILES_FOLLOW, MOST) < 0);
}

static struct files_client client_of(uid_t uid)
{
    return (struct files_client){.users = {{.uid = uid}}, .user_count = 1};
}

static int as_user(const char *path, struct files_client *client)
{
    return files_open_below(-1, path, client, FILES_FOLLOW, MOST);
}

/* The rule by file modes alone: needs no second user on the machine. */
static void every_user_of_a_client_needs_read_permission(void **state)
{
    (void)state;
    uid_t other = geteuid() + 4711;
    struct files_client owner = client_of(geteuid());
    struct files_client stranger = client_of(other);
    struct files_client member = client_of(other);
    struct files_client both = client_of(geteuid());
    struct files_client anyone = {.needs_world_access = true};
    member.users[0].groups[member.users[0].group_count++] = getegid();
    both.users[both.user_count++] = stranger.users[0];
    assert_int_equal(chmod(target_folder(), 0755), 0);
    write_file(target_path("file"), "text");
    chmod(target_path("file"), 0640);
    assert_string_equal(text_of(as_user(target_path("file"), &owner)), "text");
    assert_string_equal(text_of(as_user(target_path("file"), &member)), "text");
    assert_int_equal(as_user(target_path("file"), &stranger), -EACCES);
    assert_int_equal(as_user(target_path("file"), &both), -EACCES);
    assert_int_equal(as_user(target_path("file"), &anyone), -EACCES);
    chmod(target_path("file"), 0604);
    assert_string_equal(text_of(as_user(target_path("file"), &stranger)), "text");
    assert_string_equal(text_of(as_user(target_path("file"), &both)), "text");
    /* a member of the group is refused even if others may read */
    assert_int_equal(as_user(target_path("file"), &member), -EACCES);
    assert_int_equal(as_user(target_path("file"), &anyone), -EACCES);
    chmod(target_path("file"), 0644);
    assert_string_equal(text_of(as_user(target_path("file"), &anyone)), "text");
    /* a file that everyone may read, in a folder that not everyone may enter */
    assert_int_equal(chmod(target_folder(), 0750), 0);
    assert_int_equal(as_user(target_path("file"), &stranger), -EACCES);
    assert_int_equal(as_user(target_path("file"), &anyone), -EACCES);
    assert_string_equal(text_of(as_user(target_path("file"), &owner)), "text");
    assert_int_equal(chmod(target_folder(), 0755), 0);
    /* refused files are recorded, each once */
    assert_int_equal(stranger.refused_count, 1);
    assert_string_equal(stranger.refused[0].path, target_path("file"));
    assert_non_null(strstr(stranger.refused[0].reason, "not readable by user"));
    assert_int_equal(owner.refused_count, 0);
}

/* u::rw- u:UID:--- g::r-- m::r-- o::r--, in the kernel's format (linux/posix_acl_xattr.h). */
static bool deny(const char *path, uint32_t uid)
{
    struct {
        uint32_t version;
        struct {
            uint16_t tag;
            uint16_t may;
            uint32_t id;
        } entries[5];
    } list = {2,
              {{0x01, 6, UINT32_MAX},
               {0x02, 0, uid},
               {0x04, 4, UINT32_MAX},
               {0x10, 4, UINT32_MAX},
               {0x20, 4, UINT32_MAX}}};
    return !setxattr(path, "system.posix_acl_access", &list, sizeof list, 0);
}

static void file_with_access_control_list_is_refused(void **state)
{
    (void)state;
    struct files_client stranger = client_of(geteuid() + 4711);
    assert_int_equal(chmod(target_folder(), 0755), 0);
    write_file(target_path("listed"), "text");
    chmod(target_path("listed"), 0644);
    assert_string_equal(text_of(as_user(target_path("listed"), &stranger)), "text");
    if (!deny(target_path("listed"), stranger.users[0].uid)) {
        print_message("skipped: a file system with access control lists\n");
        skip();
    }
    assert_true(as_user(target_path("listed"), &stranger) < 0);
    assert_non_null(strstr(stranger.refused[0].reason, "access control list"));
}

/* Starts a process of another user, optionally in another root. Returns its pid. */
static pid_t start_process_in_root(const char *root, uid_t uid)
{
    int pipes[2];
    char byte;
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    if (!child) {
        if ((root && (chroot(root) || chdir("/"))) || setgid(uid) || setuid(uid) ||
            write(pipes[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    assert_int_equal(read(pipes[0], &byte, 1), 1);
    close(pipes[0]);
    close(pipes[1]);
    return child;
}

static void stop(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

static void client_has_the_rights_of_its_process(void **state)
{
    (void)state;
    struct files_client client;
    if (geteuid()) {
        print_message("skipped: another user needs root\n");
        skip();
    }
    assert_int_equal(chmod(target_folder(), 0755), 0);
    write_file(target_path("private"), "of root");
    chmod(target_path("private"), 0600);
    write_file(target_path("own"), "its own");
    chmod(target_path("own"), 0400);
    assert_int_equal(chown(target_path("own"), 65534, 65534), 0);
    pid_t child = start_process_in_root(NULL, 65534);
    files_client_process(&client, child);
    assert_int_equal(files_open_in_root(child, target_path("private"), &client, FILES_FOLLOW, MOST),
                     -EACCES);
    assert_int_equal(as_user(target_path("private"), &client), -EACCES);
    assert_string_equal(
        text_of(files_open_in_root(child, target_path("own"), &client, FILES_FOLLOW, MOST)),
        "its own");
    stop(child);
    /* the last known user still applies after the process has ended */
    assert_int_equal(as_user(target_path("private"), &client), -EACCES);
    files_client_process(&client, getpid());
    assert_string_equal(text_of(as_user(target_path("private"), &client)), "of root");
}

static void client_has_the_rights_of_the_recordings_owner(void **state)
{
    (void)state;
    struct files_client client;
    if (geteuid()) {
        print_message("skipped: another user needs root\n");
        skip();
    }
    assert_int_equal(chmod(target_folder(), 0755), 0);
    write_file(target_path("private"), "of root");
    chmod(target_path("private"), 0600);
    write_file(target_path("recording"), "");
    files_client_recording(&client, target_path("recording"));
    assert_string_equal(text_of(as_user(target_path("private"), &client)), "of root");
    /* a program that belongs to another user names the file */
    assert_int_equal(chown(target_path("recording"), 65534, 65534), 0);
    int fd = open(target_path("recording"), O_RDONLY | O_CLOEXEC);
    files_client_add_owner(&client, fd);
    close(fd);
    assert_int_equal(as_user(target_path("private"), &client), -EACCES);
    files_client_recording(&client, target_path("recording"));
    assert_int_equal(as_user(target_path("private"), &client), -EACCES);
}

static void symbolic_links_cannot_leave_the_root(void **state)
{
    (void)state;
    char inside[512];
    struct files_client client;
    if (geteuid()) {
        print_message("skipped: chroot needs root\n");
        skip();
    }
    assert_int_equal(chmod(target_folder(), 0755), 0);
    assert_true(target_run("mkdir -p %s/etc", target_path("root")));
    write_file(target_path("secret"), "of the host");
    snprintf(inside, sizeof inside, "%s/etc/absolute", target_path("root"));
    assert_int_equal(symlink(target_path("secret"), inside), 0);
    snprintf(inside, sizeof inside, "%s/etc/climbing", target_path("root"));
    assert_int_equal(symlink("../../../../../etc/passwd", inside), 0);
    snprintf(inside, sizeof inside, "%s/etc/magic", target_path("root"));
    assert_int_equal(symlink("/proc/self/root/etc/passwd", inside), 0);
    snprintf(inside, sizeof inside, "%s/etc/through", target_path("root"));
    assert_int_equal(symlink("/etc/../../etc/file", inside), 0);
    snprintf(inside, sizeof inside, "%s/etc/file", target_path("root"));
    write_file(inside, "of the guest");
    pid_t child = start_process_in_root(target_path("root"), 0);
    assert_string_equal(text_of(in_root(child, "/etc/file", FILES_NOFOLLOW)), "of the guest");
    assert_string_equal(text_of(in_root(child, "/../etc/file", FILES_NOFOLLOW)), "of the guest");
    assert_string_equal(text_of(in_root(child, "//etc/./file", FILES_NOFOLLOW)), "of the guest");
    assert_string_equal(text_of(in_root(child, "/etc/through", FILES_FOLLOW)), "of the guest");
    assert_true(in_root(child, "/etc/absolute", FILES_FOLLOW) < 0);
    assert_true(in_root(child, "/etc/climbing", FILES_FOLLOW) < 0);
    assert_true(in_root(child, "/etc/magic", FILES_FOLLOW) < 0);
    /* root in the child's root directory is not root here */
    files_client_process(&client, child);
    assert_true(client.is_other_root);
    chmod(target_path("secret"), 0600);
    assert_int_equal(as_user(target_path("secret"), &client), -EACCES);
    stop(child);
}

static void file_copy_is_complete_or_refused(void **state)
{
    (void)state;
    char bytes[8] = {0};
    write_file(target_path("source"), "contents");
    int copy = files_copy(files_open(target_path("source")), 8);
    write_file(target_path("source"), ""); /* truncated later: the copy is unaffected */
    assert_int_equal(pread(copy, bytes, 8, 0), 8);
    assert_memory_equal(bytes, "contents", 8);
    close(copy);
    write_file(target_path("source"), "contents");
    assert_int_equal(files_copy(files_open(target_path("source")), 7), -1);
    assert_int_equal(files_copy(-1, 100), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_open_opens_regular_files_only),
        cmocka_unit_test(opens_files_in_the_root_of_a_process),
        cmocka_unit_test(devices_fifos_and_bad_paths_are_not_opened),
        cmocka_unit_test(every_user_of_a_client_needs_read_permission),
        cmocka_unit_test(file_with_access_control_list_is_refused),
        cmocka_unit_test(client_has_the_rights_of_its_process),
        cmocka_unit_test(client_has_the_rights_of_the_recordings_owner),
        cmocka_unit_test(symbolic_links_cannot_leave_the_root),
        cmocka_unit_test(file_copy_is_complete_or_refused),
    };
    return cmocka_run_group_tests_name("files", tests, NULL, NULL);
}
