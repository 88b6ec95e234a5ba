/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/debugfile.h"

#include "base/files.h"
#include "resolve/buildid.h"
#include "resolve/debuginfod.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Files of the target's root are copied, so that it cannot cut them short under elfutils. */
enum { DEBUGFILE_COPY_MAX = 512 << 20, DEBUGFILE_ID_MAX = 64 };
#define DEBUGFILE_BYTES_MAX (UINT64_C(64) << 30)

/* CRC-32 as in gzip, four bits at a time (RFC 1952, section 8). */
static uint32_t crc_of(int fd)
{
    uint32_t table[16];
    unsigned char bytes[65536];
    uint32_t crc = UINT32_MAX;
    ssize_t got;
    for (uint32_t i = 0; i < 16; i++) {
        table[i] = i;
        for (int bit = 0; bit < 4; bit++)
            table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0);
    }
    for (off_t at = 0; (got = pread(fd, bytes, sizeof bytes, at)) > 0; at += got)
        for (ssize_t i = 0; i < got; i++) {
            crc ^= bytes[i];
            crc = crc >> 4 ^ table[crc & 15];
            crc = crc >> 4 ^ table[crc & 15];
        }
    return ~crc;
}

static bool has_id(int fd, const unsigned char *id, size_t id_size)
{
    struct buildid found;
    buildid_read(&found, fd);
    return found.size && found.size == id_size && !memcmp(found.bytes, id, id_size);
}

/* The descriptor if it is the one that is wanted, else closed. */
static int checked(int fd, const struct debugfile_wanted *wanted)
{
    if (fd < 0)
        return -1;
    if (wanted->id_size ? has_id(fd, wanted->id, wanted->id_size) : crc_of(fd) == wanted->crc)
        return fd;
    close(fd);
    return -1;
}

/* Of a process with another root only by its build-id: there the name means another file. */
static int open_here(const struct debugfile_from *from, const char *path,
                     const struct debugfile_wanted *wanted)
{
    if (from->files && from->files->elsewhere && !wanted->id_size)
        return -1;
    return files_open_below(-1, path, from->files, FILES_FOLLOW, DEBUGFILE_BYTES_MAX);
}

/* What comes below a folder, "" too; NULL: the path is not in it. */
static const char *behind(const char *path, const char *folder)
{
    size_t length = folder ? strlen(folder) : 0;
    return length && !strncmp(path, folder, length) && path[length] == '/' ? path + length : NULL;
}

/* In the target's root first: that is where the program came from. */
static int try_path(const struct debugfile_from *from, const char *path,
                    const struct debugfile_wanted *wanted)
{
    const char *below = behind(path, from->symfs);
    if (below)
        return checked(files_open_in_folder(from->symfs, below, DEBUGFILE_BYTES_MAX), wanted);
    if (behind(path, from->cache))
        return checked(files_open(path), wanted);
    int fd = from->root_of ? files_open_in_root(from->root_of, path, from->files, FILES_FOLLOW,
                                                DEBUGFILE_BYTES_MAX)
                           : -1;
    fd = checked(from->cut_short ? fd : files_copy(fd, DEBUGFILE_COPY_MAX), wanted);
    return fd >= 0 ? fd : checked(open_here(from, path, wanted), wanted);
}

static int by_id(const struct debugfile_from *from, const struct debugfile_wanted *wanted,
                 const char *root, const char *suffix, char path[DEBUGFILE_PATH_MAX])
{
    char digits[2 * DEBUGFILE_ID_MAX + 1];
    if (wanted->id_size < 2 || wanted->id_size > DEBUGFILE_ID_MAX)
        return -1;
    for (size_t i = 0; i < wanted->id_size; i++)
        snprintf(digits + 2 * i, 3, "%02x", wanted->id[i]);
    snprintf(path, DEBUGFILE_PATH_MAX, "%s/.build-id/%.2s/%s%s", root, digits, digits + 2, suffix);
    return try_path(from, path, wanted);
}

static int by_link(const struct debugfile_from *from, const struct debugfile_wanted *wanted,
                   const char *root, char path[DEBUGFILE_PATH_MAX])
{
    const char *slash = strrchr(wanted->path, '/');
    int folder = slash ? (int)(slash - wanted->path) + 1 : 0;
    int fd = -1;
    if (!wanted->link || !*wanted->link || !folder)
        return -1;
    if (*wanted->link == '/') {
        snprintf(path, DEBUGFILE_PATH_MAX, "%s", wanted->link);
        return try_path(from, wanted->link, wanted);
    }
    const char *const places[][2] = {{"", ""}, {"", ".debug/"}, {root, ""}};
    for (size_t i = 0; i < sizeof places / sizeof *places && fd < 0; i++) {
        int length = snprintf(path, DEBUGFILE_PATH_MAX, "%s%.*s%s%s", places[i][0], folder,
                              wanted->path, places[i][1], wanted->link);
        if (length > 0 && length < DEBUGFILE_PATH_MAX && strcmp(path, wanted->path))
            fd = try_path(from, path, wanted);
    }
    return fd;
}

/* What is relative to such a file stands nowhere. */
static int by_net(const struct debugfile_from *from, const struct debugfile_wanted *wanted,
                  char path[DEBUGFILE_PATH_MAX])
{
    *path = 0;
    int fd = checked(debuginfod_cached(DEBUGINFOD_DEBUGINFO, wanted->id, wanted->id_size), wanted);
    if (fd < 0 && from->may_wait)
        fd = checked(debuginfod_fetch(DEBUGINFOD_DEBUGINFO, wanted->id, wanted->id_size), wanted);
    return fd;
}

/* For a recording: the folder that came with it, laid out as a root or flat, and perf's cache. */
static int by_folders(const struct debugfile_from *from, const struct debugfile_wanted *wanted,
                      char path[DEBUGFILE_PATH_MAX])
{
    char root[DEBUGFILE_PATH_MAX];
    int fd = -1;
    if (from->symfs &&
        snprintf(root, sizeof root, "%s/usr/lib/debug", from->symfs) < (int)sizeof root) {
        fd = by_id(from, wanted, root, ".debug", path);
        if (fd < 0)
            fd = by_link(from, wanted, root, path);
        if (fd < 0)
            fd = by_id(from, wanted, from->symfs, ".debug", path);
    }
    if (fd < 0 && from->cache)
        fd = by_id(from, wanted, from->cache, "/debug", path);
    return fd;
}

int debugfile_open(const struct debugfile_from *from, const struct debugfile_wanted *wanted,
                   char found[DEBUGFILE_PATH_MAX])
{
    char path[DEBUGFILE_PATH_MAX];
    const char *root = from->root ? from->root : "/usr/lib/debug";
    int fd = by_folders(from, wanted, path);
    if (fd < 0)
        fd = by_id(from, wanted, root, ".debug", path);
    if (fd < 0)
        fd = by_link(from, wanted, root, path);
    if (fd < 0 && from->debuginfod && wanted->id_size)
        fd = by_net(from, wanted, path);
    if (fd >= 0 && found)
        memcpy(found, path, sizeof path);
    return fd;
}
