/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/lookup.h"

#include "base/files.h"
#include "resolve/debuginfod.h"
#include "resolve/vdso.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char vdso_name[] = "[vdso]";
static const char deleted_suffix[] = " (deleted)";

#define LOOKUP_BYTES_MAX (UINT64_C(64) << 30)

struct search {
    const struct lookup_from *from;
    const struct lookup_wanted *wanted;
    struct lookup_found *found;
    char digits[BUILDID_TEXT];
    int path_length; /* of the recorded path without " (deleted)" */
    int fd;
};

bool lookup_is_file(const char *path)
{
    static const char *const none[] = {"//",    "/dev/", "/SYSV", "/memfd:", "/anon_hugepage",
                                       "/i915", "/[aio]"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (!strncmp(path, none[i], strlen(none[i])))
            return false;
    return *path == '/' || !strcmp(path, vdso_name);
}

/* Of several files of its name that are other builds, the first is told. */
static void refuse(struct search *search, const char *path, const struct buildid *id)
{
    if (*search->found->path)
        return;
    snprintf(search->found->path, sizeof search->found->path, "%s", path);
    search->found->id = *id;
}

/* Whether a file without a build-id can be the one that was mapped. */
static bool same_inode(const struct search *search, int fd)
{
    struct stat status;
    return !search->from->host_unknown ||
           (search->wanted->inode && !fstat(fd, &status) && status.st_ino == search->wanted->inode);
}

static bool take(struct search *search, int fd, const char *path)
{
    struct buildid id = {0};
    if (fd < 0)
        return false;
    buildid_read(&id, fd);
    bool wants = search->wanted->id.size;
    if (wants && !buildid_same(&id, &search->wanted->id)) {
        refuse(search, path, &id);
        close(fd);
        return false;
    }
    snprintf(search->found->path, sizeof search->found->path, "%s", path);
    search->found->id = id;
    search->found->verified = wants;
    search->fd = fd;
    return true;
}

/* Below a folder that the user names. */
__attribute__((format(printf, 3, 4))) static bool try_in(struct search *search, const char *folder,
                                                         const char *format, ...)
{
    char below[LOOKUP_PATH_MAX];
    char path[2 * LOOKUP_PATH_MAX];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(below, sizeof below, format, arguments);
    va_end(arguments);
    if (length <= 0 || length >= (int)sizeof below)
        return false;
    snprintf(path, sizeof path, "%s%s", folder, below);
    return take(search, files_open_in_folder(folder, below, LOOKUP_BYTES_MAX), path);
}

/* Below ROOT/.build-id: perf keeps a folder there with what it has of a build, others the file. */
static bool by_id(struct search *search, const char *root)
{
    const char *digits = search->digits;
    const char *kind = strcmp(search->wanted->path, vdso_name) ? "elf" : "vdso";
    if (strlen(digits) < 4 || !root)
        return false;
    return try_in(search, root, "/.build-id/%.2s/%s/%s", digits, digits + 2, kind) ||
           try_in(search, root, "/.build-id/%.2s/%s", digits, digits + 2);
}

/* Below this machine's debug root, where symbolic links lead out of it. */
static bool by_debug_root(struct search *search)
{
    char path[LOOKUP_PATH_MAX];
    const char *root = search->from->debug_root ? search->from->debug_root : "/usr/lib/debug";
    const char *digits = search->digits;
    int length = snprintf(path, sizeof path, "%s/.build-id/%.2s/%s", root, digits,
                          digits[0] && digits[1] ? digits + 2 : "");
    return strlen(digits) >= 4 && length < (int)sizeof path &&
           take(search,
                files_open_below(-1, path, search->from->files, FILES_FOLLOW, LOOKUP_BYTES_MAX),
                path);
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool by_symfs(struct search *search)
{
    const char *symfs = search->from->symfs;
    const char *path = search->wanted->path;
    const char *base = base_of(path);
    int length = search->path_length;
    if (!symfs)
        return false;
    return (*path == '/' && try_in(search, symfs, "%.*s", length, path)) || by_id(search, symfs) ||
           (*base && try_in(search, symfs, "/%.*s", length - (int)(base - path), base));
}

/* The file itself, if this is the machine, or has the same. Whoever names a folder means that. */
static bool by_path(struct search *search)
{
    char path[LOOKUP_PATH_MAX];
    bool guess = !search->wanted->id.size;
    if (guess && (search->from->symfs || search->from->elsewhere))
        return false;
    int length = snprintf(path, sizeof path, "%.*s", search->path_length, search->wanted->path);
    if (*path != '/' || length >= (int)sizeof path)
        return false;
    int fd = files_open_below(-1, path, search->from->files, FILES_FOLLOW, LOOKUP_BYTES_MAX);
    if (fd >= 0 && guess && !same_inode(search, fd)) {
        close(fd);
        return false;
    }
    return take(search, fd, path);
}

static bool by_own_vdso(struct search *search)
{
    return !strcmp(search->wanted->path, vdso_name) && search->wanted->id.size &&
           take(search, vdso_open_own(), vdso_name);
}

static bool by_net(struct search *search)
{
    const struct buildid *id = &search->wanted->id;
    if (!search->from->debuginfod || !id->size)
        return false;
    return take(search, debuginfod_cached(DEBUGINFOD_EXECUTABLE, id->bytes, id->size),
                "debuginfod") ||
           take(search, debuginfod_fetch(DEBUGINFOD_EXECUTABLE, id->bytes, id->size), "debuginfod");
}

int lookup_binary(const struct lookup_from *from, const struct lookup_wanted *wanted,
                  struct lookup_found *found)
{
    struct search search = {.from = from, .wanted = wanted, .found = found, .fd = -1};
    size_t length = strlen(wanted->path);
    size_t suffix = sizeof deleted_suffix - 1;
    if (length > suffix && !strcmp(wanted->path + length - suffix, deleted_suffix))
        length -= suffix;
    search.path_length = (int)length;
    buildid_print(search.digits, &wanted->id);
    found->verified = false;
    found->path[0] = '\0';
    found->id.size = 0;
    bool any = by_symfs(&search) || by_id(&search, from->cache) || by_debug_root(&search) ||
               by_path(&search) || by_own_vdso(&search) || by_net(&search);
    return any ? search.fd : -1;
}
