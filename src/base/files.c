/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/text.h"

enum {
    FILES_FLAGS = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
    FILES_DEPTH_MAX = 64,
    FILES_LINKS_MAX = 40, /* same as the kernel */
    FILES_UID_NOBODY = 65534,
    MAY_READ = 4,
    MAY_SEARCH = 1,
    CAPABILITY_DAC_OVERRIDE = 1,
    CAPABILITY_DAC_READ_SEARCH = 2
};

/* Reasons for which the kernel has no errno; no system call used here returns these values. */
enum { WHY_NOT_REGULAR = EMEDIUMTYPE, WHY_OF_KERNEL = ENOMEDIUM, WHY_LIST = EUCLEAN };

/* Parses the numbers of a line of /proc/PID/status, for example "Groups:". Returns their count. */
static uint32_t parse_status_numbers(const char *text, const char *name, int base, uint64_t *out,
                                     uint32_t most)
{
    uint32_t count = 0;
    const char *line = strstr(text, name);
    for (char *end = NULL; line && count < most; line = end) {
        const char *at = end ? line : line + strlen(name);
        while (*at == ' ' || *at == '\t')
            at++;
        uint64_t value = strtoull(at, &end, base);
        if (end == at || *at == '\n')
            break;
        out[count++] = value;
    }
    return count;
}

static bool has_capability(const char *status)
{
    uint64_t bits = 0;
    parse_status_numbers(status, "\nCapEff:", 16, &bits, 1);
    return bits >> CAPABILITY_DAC_OVERRIDE & 1 || bits >> CAPABILITY_DAC_READ_SEARCH & 1;
}

/* Reads the ids that the kernel checks for files: the last of four numbers, and the groups. */
static bool read_user(struct files_user *user, pid_t pid)
{
    char path[64];
    char text[8192];
    uint64_t ids[4];
    uint64_t groups[FILES_GROUPS_MAX - 1];
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    if (text_read_file(path, text, sizeof text) <= 0 ||
        parse_status_numbers(text, "\nUid:", 10, ids, 4) != 4)
        return false;
    *user = (struct files_user){.uid = (uid_t)ids[3]};
    if (parse_status_numbers(text, "\nGid:", 10, ids, 4) == 4)
        user->groups[user->group_count++] = (gid_t)ids[3];
    uint32_t count = parse_status_numbers(text, "\nGroups:", 10, groups, FILES_GROUPS_MAX - 1);
    for (uint32_t i = 0; i < count; i++)
        user->groups[user->group_count++] = (gid_t)groups[i];
    user->reads_all = !user->uid && has_capability(text);
    return true;
}

static bool is_privileged(void)
{
    char text[8192];
    return !geteuid() ||
           (text_read_file("/proc/self/status", text, sizeof text) > 0 && has_capability(text));
}

static bool has_same_link(pid_t pid, const char *name)
{
    char path[64];
    char own[PATH_MAX];
    char other[PATH_MAX];
    snprintf(path, sizeof path, "/proc/self/%s", name);
    ssize_t own_bytes = readlink(path, own, sizeof own);
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    ssize_t other_bytes = readlink(path, other, sizeof other);
    return own_bytes > 0 && own_bytes == other_bytes && !memcmp(own, other, (size_t)own_bytes);
}

static bool has_different_root(pid_t pid)
{
    char path[64];
    struct stat own;
    struct stat other;
    snprintf(path, sizeof path, "/proc/%d/root", (int)files_proc_tid(pid));
    return stat("/", &own) || stat(path, &other) || own.st_dev != other.st_dev ||
           own.st_ino != other.st_ino || !has_same_link(pid, "ns/mnt");
}

/* Reads the user again, because a process may change it. A process that is gone keeps the last. */
static void refresh_client_user(struct files_client *client)
{
    struct files_user user;
    if (!client->pid || !read_user(&user, client->pid))
        return;
    user.reads_all |= user.uid == geteuid() && !client->privileged;
    client->users[0] = user;
    client->user_count = 1;
    client->needs_world_access = false;
    client->is_other_root = has_different_root(client->pid);
}

void files_client_process(struct files_client *client, pid_t pid)
{
    *client = (struct files_client){.pid = pid,
                                    .needs_world_access = true,
                                    .is_other_root = true,
                                    .privileged = is_privileged()};
    refresh_client_user(client);
}

static bool has_user(const struct files_client *client, uid_t uid)
{
    for (uint32_t i = 0; i < client->user_count; i++)
        if (client->users[i].uid == uid)
            return true;
    return false;
}

void files_client_add(struct files_client *client, uid_t uid)
{
    if (!uid || has_user(client, uid) || (uid == geteuid() && !client->privileged))
        return;
    if (client->user_count == FILES_USERS_MAX)
        client->needs_world_access = true;
    else
        client->users[client->user_count++] = (struct files_user){.uid = uid};
}

void files_client_recording(struct files_client *client, const char *path)
{
    struct stat status;
    *client = (struct files_client){.privileged = is_privileged()};
    /* Do not lend misstop's privileges to a recording, not even to a recording of the same user. */
    if (client->privileged && geteuid() && read_user(&client->users[0], getpid()))
        client->user_count = 1;
    if (strcmp(path, "-") && !stat(path, &status) && status.st_uid != geteuid())
        files_client_add(client, status.st_uid);
}

void files_client_add_owner(struct files_client *client, int fd)
{
    struct stat status;
    if (client->privileged && !client->pid && !fstat(fd, &status))
        files_client_add(client, status.st_uid);
}

static bool is_in_group(const struct files_user *user, gid_t group)
{
    for (uint32_t i = 0; i < user->group_count; i++)
        if (user->groups[i] == group)
            return true;
    return false;
}

/* Returns 0 or why not. Access control lists are detected but not evaluated. */
static int user_may(const struct files_user *user, const struct stat *status, unsigned what,
                    bool listed)
{
    unsigned mode = status->st_mode;
    if (user->reads_all)
        return 0;
    if (user->uid == status->st_uid)
        return mode >> 6 & what ? 0 : -EACCES;
    if (listed)
        return -WHY_LIST;
    return (is_in_group(user, status->st_gid) ? mode >> 3 : mode) & what ? 0 : -EACCES;
}

static bool has_access_list(int fd)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return getxattr(path, "system.posix_acl_access", NULL, 0) > 0;
}

/* Checks the permission of every user of the client. `here`: the path starts at our root directory.
 * A process with another root cannot name such a file. */
static int check_permission(const struct files_client *client, bool here, int fd,
                            const struct stat *status, unsigned what)
{
    int code = 0;
    if (!client)
        return 0;
    bool listed = has_access_list(fd);
    if ((client->needs_world_access ||
         (here && client->is_other_root && (client->pid || client->privileged))) &&
        (listed || (status->st_mode & what * 0111) != what * 0111))
        code = listed ? -WHY_LIST : -EACCES;
    for (uint32_t i = 0; !code && i < client->user_count; i++)
        code = user_may(&client->users[i], status, what, listed);
    return code;
}

static bool is_kernel_file(int fd)
{
    static const unsigned long magics[] = {
        PROC_SUPER_MAGIC, SYSFS_MAGIC,        DEBUGFS_MAGIC,
        TRACEFS_MAGIC,    SECURITYFS_MAGIC,   SELINUX_MAGIC,
        SMACK_MAGIC,      CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC,
        BPF_FS_MAGIC,     PSTOREFS_MAGIC,     EFIVARFS_MAGIC,
        BINFMTFS_MAGIC,   DEVPTS_SUPER_MAGIC, NSFS_MAGIC,
        PIPEFS_MAGIC,     SOCKFS_MAGIC,       0x19800202 /* mqueue */,
        0x62656570 /* configfs */};
    struct statfs file_system;
    if (fstatfs(fd, &file_system))
        return true;
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if ((unsigned long)file_system.f_type == magics[i])
            return true;
    return false;
}

/* A path being walked: the folders above the current one, and the unparsed rest of the path. */
struct walk {
    const struct files_client *client;
    bool starts_at_own_root;      /* starts at our root directory */
    int folders[FILES_DEPTH_MAX]; /* the first is the root; ".." drops the last */
    unsigned depth;
    unsigned links;
    char rest[PATH_MAX];
};

static void close_folders(struct walk *walk, unsigned depth)
{
    while (walk->depth > depth)
        close(walk->folders[--walk->depth]);
}

static int enter_folder(struct walk *walk, int fd, const struct stat *status)
{
    int code =
        walk->depth == FILES_DEPTH_MAX
            ? -ENAMETOOLONG
            : check_permission(walk->client, walk->starts_at_own_root, fd, status, MAY_SEARCH);
    if (!code && walk->depth && is_kernel_file(fd))
        code = -WHY_OF_KERNEL;
    if (code) {
        close(fd);
        return code;
    }
    walk->folders[walk->depth++] = fd;
    return 0;
}

static bool next_path_name(struct walk *walk, char name[NAME_MAX + 1], bool *last, int *code)
{
    const char *at = walk->rest + strspn(walk->rest, "/");
    size_t length = strcspn(at, "/");
    const char *next = at + length + strspn(at + length, "/");
    *code = length > NAME_MAX ? -ENAMETOOLONG : 0;
    *last = !*next;
    if (!length || *code)
        return false;
    memcpy(name, at, length);
    name[length] = '\0';
    memmove(walk->rest, next, strlen(next) + 1);
    return true;
}

static int files_walk_follow(struct walk *walk, int fd)
{
    char target[PATH_MAX];
    ssize_t length = is_kernel_file(fd) ? -1 : readlinkat(fd, "", target, sizeof target);
    size_t left = strlen(walk->rest);
    if (length < 0)
        return -WHY_OF_KERNEL;
    if (++walk->links > FILES_LINKS_MAX)
        return -ELOOP;
    if ((size_t)length + 1 + left >= sizeof walk->rest)
        return -ENAMETOOLONG;
    if (length && *target == '/')
        close_folders(walk, 1);
    memmove(walk->rest + length + 1, walk->rest, left + 1);
    memcpy(walk->rest, target, (size_t)length);
    walk->rest[length] = '/';
    return 0;
}

/* Takes one step. Returns 1 if *found is the file (O_PATH), 0 to continue, or a negative errno. */
static int files_walk_step(struct walk *walk, enum files_links links, int *found)
{
    char name[NAME_MAX + 1];
    struct stat status;
    bool last;
    int code;
    if (!next_path_name(walk, name, &last, &code))
        return code ? code : -EISDIR;
    if (!strcmp(name, ".") || !strcmp(name, "..")) {
        close_folders(walk, walk->depth > 1 && name[1] ? walk->depth - 1 : walk->depth);
        return 0;
    }
    int fd = openat(walk->folders[walk->depth - 1], name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    if (fstat(fd, &status)) {
        code = -errno;
    } else if (S_ISLNK(status.st_mode)) {
        code = last && links == FILES_NOFOLLOW ? -ELOOP : files_walk_follow(walk, fd);
    } else if (S_ISDIR(status.st_mode)) {
        return enter_folder(walk, fd, &status);
    } else if (!last) {
        code = -ENOTDIR;
    } else {
        *found = fd;
        return 1;
    }
    close(fd);
    return code;
}

/* Opens the file of an O_PATH descriptor for reading: exactly the file that was checked. */
static int reopen_for_reading(int fd)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int opened = open(path, FILES_FLAGS);
    return opened < 0 ? -errno : opened;
}

/* Opens the file if it has the expected kind and size; closes fd. */
static int files_walk_open(const struct walk *walk, int fd, uint64_t most_bytes)
{
    struct stat status;
    int code = fstat(fd, &status) ? -errno : 0;
    if (!code && !S_ISREG(status.st_mode))
        code = -WHY_NOT_REGULAR;
    if (!code && is_kernel_file(fd))
        code = -WHY_OF_KERNEL;
    if (!code && (uint64_t)status.st_size > most_bytes)
        code = -EFBIG;
    if (!code)
        code = check_permission(walk->client, walk->starts_at_own_root, fd, &status, MAY_READ);
    if (!code)
        code = reopen_for_reading(fd);
    close(fd);
    return code;
}

static int walk_path(struct walk *walk, int root, enum files_links links)
{
    struct stat status;
    int found = -1;
    int code;
    int fd =
        root < 0 ? open("/", O_PATH | O_DIRECTORY | O_CLOEXEC) : fcntl(root, F_DUPFD_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    if (fstat(fd, &status)) {
        code = -errno;
        close(fd);
        return code;
    }
    code = enter_folder(walk, fd, &status);
    while (!code)
        code = files_walk_step(walk, links, &found);
    close_folders(walk, 0);
    return code < 0 ? code : found;
}

static void add_refused(struct files_client *client, const char *path, int code)
{
    char shown[FILES_PATH_SHOWN];
    text_sanitise(shown, sizeof shown, path, strlen(path));
    for (uint32_t i = 0; i < client->refused_count; i++)
        if (!strcmp(client->refused[i].path, shown))
            return;
    if (client->refused_count == FILES_REFUSED_MAX)
        return;
    struct files_refused *refused = &client->refused[client->refused_count++];
    memcpy(refused->path, shown, sizeof shown);
    files_why(client, code, refused->reason);
}

int files_open_below(int root, const char *path, struct files_client *client,
                     enum files_links links, uint64_t most_bytes)
{
    struct walk walk = {.client = client, .starts_at_own_root = root < 0};
    size_t length = strlen(path);
    if (client)
        refresh_client_user(client);
    if (!length || length >= sizeof walk.rest)
        return length ? -ENAMETOOLONG : -ENOENT;
    memcpy(walk.rest, path, length + 1);
    int code = walk_path(&walk, root, links);
    if (code >= 0)
        code = files_walk_open(&walk, code, most_bytes);
    if (code < 0 && code != -ENOENT && code != -ENOTDIR && client)
        add_refused(client, path, code);
    return code;
}

/* Returns false for a thread that has ended: it has no memory. */
static bool has_memory(pid_t tid)
{
    char path[64];
    char text[64];
    snprintf(path, sizeof path, "/proc/%d/statm", (int)tid);
    return text_read_file(path, text, sizeof text) > 0 && strtoul(text, NULL, 10) > 0;
}

pid_t files_proc_tid(pid_t pid)
{
    char path[64];
    struct dirent *entry;
    pid_t shown_by = pid;
    if (has_memory(pid))
        return pid;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *folder = opendir(path);
    while (folder && shown_by == pid && (entry = readdir(folder)))
        if (atoi(entry->d_name) > 0 && has_memory((pid_t)atoi(entry->d_name)))
            shown_by = (pid_t)atoi(entry->d_name);
    if (folder)
        closedir(folder);
    return shown_by;
}

int files_root(pid_t pid)
{
    char text[64];
    snprintf(text, sizeof text, "/proc/%d/root", (int)files_proc_tid(pid));
    return open(text, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int files_open_in_root(pid_t pid, const char *path, struct files_client *client,
                       enum files_links links, uint64_t most_bytes)
{
    int root = files_root(pid);
    if (root < 0)
        return -errno;
    int code = files_open_below(root, path, client, links, most_bytes);
    close(root);
    return code;
}

int files_open_in_folder(const char *folder, const char *path, uint64_t most_bytes)
{
    int root = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root < 0)
        return -errno;
    int code = files_open_below(root, path, NULL, FILES_FOLLOW, most_bytes);
    close(root);
    return code;
}

int files_open(const char *path)
{
    struct stat status;
    int code = -WHY_NOT_REGULAR;
    int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    if (!fstat(fd, &status) && S_ISREG(status.st_mode))
        code = reopen_for_reading(fd);
    close(fd);
    return code;
}

/* Names only the first user without access: one name is enough for the reader. */
static void write_denied_user(const struct files_client *client, char out[FILES_WHY],
                              const char *what)
{
    for (uint32_t i = 0; client && i < client->user_count; i++)
        if (!client->users[i].reads_all) {
            snprintf(out, FILES_WHY, "%s user %u", what, (unsigned)client->users[i].uid);
            return;
        }
    snprintf(out, FILES_WHY, "%s %s", what,
             client && client->needs_world_access ? "everyone" : "us");
}

const char *files_why(const struct files_client *client, int code, char out[FILES_WHY])
{
    switch (-code) {
    case EACCES:
        write_denied_user(client, out, "not readable by");
        break;
    case WHY_LIST:
        write_denied_user(client, out, "it has an access control list, perhaps not readable by");
        break;
    case WHY_NOT_REGULAR:
    case EISDIR:
        snprintf(out, FILES_WHY, "not a regular file");
        break;
    case WHY_OF_KERNEL:
        snprintf(out, FILES_WHY, "in a file system of the kernel, as /proc");
        break;
    case ELOOP:
        snprintf(out, FILES_WHY, "a symbolic link that is not followed");
        break;
    case EFBIG:
        snprintf(out, FILES_WHY, "too large");
        break;
    default:
        snprintf(out, FILES_WHY, "%s", strerror(-code));
    }
    return out;
}

void files_change_root(int root)
{
    if (root >= 0 && !fchdir(root) && chroot("."))
        errno = 0; /* best effort */
    close(root);
}

void files_change_user(const struct files_client *client)
{
    int with_parent = 0;
    const struct files_user *user = NULL;
    for (uint32_t i = 0; !user && i < client->user_count; i++)
        if (!client->users[i].reads_all)
            user = &client->users[i];
    if (geteuid() || (!user && !client->needs_world_access))
        return;
    uid_t uid = user ? user->uid : FILES_UID_NOBODY;
    gid_t gid = user && user->group_count ? user->groups[0] : FILES_UID_NOBODY;
    prctl(PR_GET_PDEATHSIG, &with_parent);
    if (setgroups(user ? user->group_count : 0, user ? user->groups : NULL) ||
        setresgid(gid, gid, gid) || setresuid(uid, uid, uid))
        _exit(EXIT_FAILURE);
    prctl(PR_SET_PDEATHSIG, with_parent); /* a change of user clears it */
}

int files_copy(int fd, uint64_t most_bytes)
{
    struct stat status;
    int copy = -1;
    if (fd < 0)
        return -1;
    if (!fstat(fd, &status) && status.st_size >= 0 && (uint64_t)status.st_size <= most_bytes)
        copy = memfd_create("misstop-copy", MFD_CLOEXEC);
    for (off_t at = 0; copy >= 0 && at < status.st_size;)
        if (sendfile(copy, fd, &at, (size_t)(status.st_size - at)) <= 0)
            break; /* the file shrank: use the bytes read so far */
    close(fd);
    return copy;
}

static int whole_file_fail(const struct atomic_file *file, int code, struct error *error)
{
    char cause[ERROR_CAUSE];
    return error_set(error, code, "cannot write %s%s%s: %s", file->path, file->option ? " of " : "",
                     file->option ? file->option : "", error_cause(code, cause));
}

int whole_file_open(struct atomic_file *file, const char *option, const char *path,
                    struct error *error)
{
    struct stat status;
    file->option = option;
    file->path = path;
    if (!stat(path, &status) && !S_ISREG(status.st_mode))
        return option
                   ? error_set(
                         error, -EEXIST,
                         "%s %s is not a regular file and cannot be replaced; choose another name",
                         option, path)
                   : whole_file_fail(file, -EEXIST, error);
    if ((size_t)snprintf(file->temporary_path, sizeof file->temporary_path, "%s.XXXXXX", path) >=
        sizeof file->temporary_path)
        return whole_file_fail(file, -ENAMETOOLONG, error);
    file->fd = mkostemp(file->temporary_path, O_CLOEXEC);
    return file->fd < 0 ? whole_file_fail(file, -errno, error) : 0;
}

int whole_file_check(const char *option, const char *path, struct error *error)
{
    struct atomic_file file;
    int code = whole_file_open(&file, option, path, error);
    if (code)
        return code;
    close(file.fd);
    unlink(file.temporary_path);
    return 0;
}

int whole_file_close(struct atomic_file *file, int code, struct error *error)
{
    if (!code && fsync(file->fd))
        code = -errno;
    close(file->fd);
    if (!code && rename(file->temporary_path, file->path))
        code = -errno;
    if (!code)
        return 0;
    unlink(file->temporary_path);
    return whole_file_fail(file, code, error);
}
