/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/lookup.h"

#include "resolve/debuginfod.h"
#include "resolve/files.h"
#include "resolve/vdso.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char vdso_name[] = "[vdso]";
static const char deleted_suffix[] = " (deleted)";

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

__attribute__((format(printf, 2, 3))) static bool try(struct search *search, const char *format,
                                                      ...)
{
    char path[LOOKUP_PATH_MAX];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(path, sizeof path, format, arguments);
    va_end(arguments);
    return length > 0 && length < (int)sizeof path && take(search, files_open(path), path);
}

/* Below ROOT/.build-id: perf keeps a folder there with what it has of a build, others the file. */
static bool by_id(struct search *search, const char *root)
{
    const char *digits = search->digits;
    const char *kind = strcmp(search->wanted->path, vdso_name) ? "elf" : "vdso";
    if (strlen(digits) < 4 || !root)
        return false;
    return try(search, "%s/.build-id/%.2s/%s/%s", root, digits, digits + 2, kind) ||
           try(search, "%s/.build-id/%.2s/%s", root, digits, digits + 2);
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
    return (*path == '/' && try(search, "%s%.*s", symfs, length, path)) || by_id(search, symfs) ||
           (*base && try(search, "%s/%.*s", symfs, length - (int)(base - path), base));
}

/* The file itself, if this is the machine, or has the same. Whoever names a folder means that. */
static bool by_path(struct search *search)
{
    bool guess = !search->wanted->id.size;
    if (guess && (search->from->symfs || search->from->elsewhere))
        return false;
    return *search->wanted->path == '/' &&
           try(search, "%.*s", search->path_length, search->wanted->path);
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
    bool any = by_symfs(&search) || by_id(&search, from->cache) ||
               by_id(&search, from->debug_root ? from->debug_root : "/usr/lib/debug") ||
               by_path(&search) || by_own_vdso(&search) || by_net(&search);
    return any ? search.fd : -1;
}
