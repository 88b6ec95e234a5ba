/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/elf/binaries.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/files.h"
#include "base/text.h"
#include "resolve/elf/debuginfo.h"
#include "resolve/elf/module.h"

static const char vdso_name[] = "[vdso]";
static const char deleted_suffix[] = " (deleted)";

#define LOOKUP_BYTES_MAX (UINT64_C(64) << 30)

struct search {
    const struct lookup_from *from;
    const struct lookup_wanted *wanted;
    struct lookup_found *found;
    char digits[BUILDID_TEXT];
    int path_length; /* length of the recorded path without " (deleted)" */
    int fd;
};

/* Returns true if a recorded path can name a file, unlike "//anon", "[heap]" or "/dev/zero". */
static bool lookup_is_file(const char *path)
{
    static const char *const none[] = {"//",    "/dev/", "/SYSV", "/memfd:", "/anon_hugepage",
                                       "/i915", "/[aio]"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (!strncmp(path, none[i], strlen(none[i])))
            return false;
    return *path == '/' || !strcmp(path, vdso_name);
}

/* Records a file of another build; only the first such file is reported. */
static void lookup_note_wrong_build(struct search *search, const char *path,
                                    const struct buildid *id)
{
    if (*search->found->path)
        return;
    snprintf(search->found->path, sizeof search->found->path, "%s", path);
    search->found->id = *id;
}

/* Returns true if a file without a build-id may be the mapped file. */
static bool is_same_inode(const struct search *search, int fd)
{
    struct stat status;
    return !search->from->host_unknown ||
           (search->wanted->inode && !fstat(fd, &status) && status.st_ino == search->wanted->inode);
}

static bool lookup_take_file(struct search *search, int fd, const char *path)
{
    struct buildid id = {0};
    if (fd < 0)
        return false;
    buildid_read(&id, fd);
    bool wants = search->wanted->id.size;
    if (wants && !buildid_same(&id, &search->wanted->id)) {
        lookup_note_wrong_build(search, path, &id);
        close(fd);
        return false;
    }
    snprintf(search->found->path, sizeof search->found->path, "%s", path);
    search->found->id = id;
    search->found->verified = wants;
    search->fd = fd;
    return true;
}

/* Tries a path below a folder named by the user. */
__attribute__((format(printf, 3, 4))) static bool
lookup_in_folder(struct search *search, const char *folder, const char *format, ...)
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
    return lookup_take_file(search, files_open_in_folder(folder, below, LOOKUP_BYTES_MAX), path);
}

/* Tries ROOT/.build-id. perf has a folder per build there, other tools the file itself. */
static bool lookup_by_build_id(struct search *search, const char *root)
{
    const char *digits = search->digits;
    const char *kind = strcmp(search->wanted->path, vdso_name) ? "elf" : "vdso";
    if (strlen(digits) < 4 || !root)
        return false;
    return lookup_in_folder(search, root, "/.build-id/%.2s/%s/%s", digits, digits + 2, kind) ||
           lookup_in_folder(search, root, "/.build-id/%.2s/%s", digits, digits + 2);
}

/* Tries this machine's debug root; symbolic links may lead out of it. */
static bool lookup_by_debug_root(struct search *search)
{
    char path[LOOKUP_PATH_MAX];
    const char *root = search->from->debug_root ? search->from->debug_root : "/usr/lib/debug";
    const char *digits = search->digits;
    int length = snprintf(path, sizeof path, "%s/.build-id/%.2s/%s", root, digits,
                          digits[0] && digits[1] ? digits + 2 : "");
    return strlen(digits) >= 4 && length < (int)sizeof path &&
           lookup_take_file(
               search,
               files_open_below(-1, path, search->from->files, FILES_FOLLOW, LOOKUP_BYTES_MAX),
               path);
}

static const char *path_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool lookup_by_symfs(struct search *search)
{
    const char *symfs = search->from->symfs;
    const char *path = search->wanted->path;
    const char *base = path_base(path);
    int length = search->path_length;
    if (!symfs)
        return false;
    return (*path == '/' && lookup_in_folder(search, symfs, "%.*s", length, path)) ||
           lookup_by_build_id(search, symfs) ||
           (*base && lookup_in_folder(search, symfs, "/%.*s", length - (int)(base - path), base));
}

/* Tries the recorded path on this machine. Without a build-id it is not tried if the user named a
 * folder or the recording is from another machine. */
static bool lookup_by_path(struct search *search)
{
    char path[LOOKUP_PATH_MAX];
    bool guess = !search->wanted->id.size;
    if (guess && (search->from->symfs || search->from->is_from_other_host))
        return false;
    int length = snprintf(path, sizeof path, "%.*s", search->path_length, search->wanted->path);
    if (*path != '/' || length >= (int)sizeof path)
        return false;
    int fd = files_open_below(-1, path, search->from->files, FILES_FOLLOW, LOOKUP_BYTES_MAX);
    if (fd >= 0 && guess && !is_same_inode(search, fd)) {
        close(fd);
        return false;
    }
    return lookup_take_file(search, fd, path);
}

static bool lookup_by_vdso(struct search *search)
{
    return !strcmp(search->wanted->path, vdso_name) && search->wanted->id.size &&
           lookup_take_file(search, vdso_open_own(), vdso_name);
}

static bool lookup_by_debuginfod(struct search *search)
{
    const struct buildid *id = &search->wanted->id;
    if (!search->from->debuginfod || !id->size)
        return false;
    return lookup_take_file(search, debuginfod_cached(DEBUGINFOD_EXECUTABLE, id), "debuginfod") ||
           lookup_take_file(search, debuginfod_fetch(DEBUGINFOD_EXECUTABLE, id), "debuginfod");
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
    bool any = lookup_by_symfs(&search) || lookup_by_build_id(&search, from->cache) ||
               lookup_by_debug_root(&search) || lookup_by_path(&search) ||
               lookup_by_vdso(&search) || lookup_by_debuginfod(&search);
    return any ? search.fd : -1;
}

enum { BINARIES_MAX = 1 << 16 };

void binaries_init(struct binaries *binaries, struct lookup_from *from)
{
    const char *home = getenv("HOME");
    *binaries = (struct binaries){.from = from};
    if (home && *home && asprintf(&from->cache, "%s/.debug", home) < 0)
        from->cache = NULL;
}

void binaries_fini(struct binaries *binaries)
{
    for (uint32_t i = 0; i < binaries->count; i++) {
        free(binaries->list[i].path);
        free(binaries->list[i].shown);
        free(binaries->list[i].found);
        free(binaries->list[i].found_shown);
    }
    free(binaries->list);
    if (binaries->from)
        free(binaries->from->cache);
    hash_fini(&binaries->index_of);
    *binaries = (struct binaries){0};
}

static char *printable_copy(const char *raw)
{
    size_t length = strlen(raw);
    char *text = malloc(4 * length + 1);
    if (text)
        text_sanitise(text, 4 * length + 1, raw, length);
    return text;
}

/* Copies a build-id. An id of zeros means that perf could not read it. */
static void take_id(struct buildid *id, const struct sample_mapping *mapping)
{
    id->size = mapping->build_id_size <= sizeof mapping->build_id ? mapping->build_id_size : 0;
    memcpy(id->bytes, mapping->build_id, id->size);
    size_t zeros = 0;
    while (zeros < id->size && !id->bytes[zeros])
        zeros++;
    if (zeros == id->size)
        id->size = 0;
}

static bool binaries_add(struct binaries *binaries, const struct sample_mapping *mapping,
                         const struct buildid *id)
{
    const char *path = mapping->path;
    struct binary binary = {.wanted = *id, .inode = mapping->inode, .state = BINARY_MISSING};
    if (!array_reserve_next(&binaries->list, &binaries->room, binaries->count,
                            sizeof *binaries->list, BINARIES_MAX))
        return false;
    binary.path = strdup(path);
    binary.shown = printable_copy(path);
    if (!binary.path || !binary.shown) {
        free(binary.path);
        free(binary.shown);
        return false;
    }
    buildid_print(binary.wanted_text, id);
    binaries->list[binaries->count++] = binary;
    return true;
}

uint32_t binaries_note(struct binaries *binaries, const struct sample_mapping *mapping)
{
    struct buildid id;
    bool created;
    if (!lookup_is_file(mapping->path))
        return 0;
    take_id(&id, mapping);
    uint64_t key =
        hash_bytes(mapping->path, strlen(mapping->path)) ^ hash_mix(hash_bytes(id.bytes, id.size));
    uint32_t *number = hash_insert(&binaries->index_of, key, &created);
    if (number && created)
        *number = binaries_add(binaries, mapping, &id) ? binaries->count : 0;
    return number ? *number : 0;
}

static void set_found(struct binary *binary, const struct lookup_found *found, bool opened)
{
    binary->state = opened         ? (found->verified ? BINARY_FOUND : BINARY_UNVERIFIED)
                    : *found->path ? BINARY_OTHER
                                   : BINARY_MISSING;
    if (!*found->path)
        return;
    binary->found = strdup(found->path);
    binary->found_shown = printable_copy(found->path);
    binary->found_id = found->id;
    buildid_print(binary->found_text, &found->id);
}

/* Opens a file that is mapped in two places again in the same way. */
int binaries_open(struct binaries *binaries, uint32_t number)
{
    struct lookup_found found;
    if (!number || number > binaries->count)
        return -1;
    struct binary *binary = &binaries->list[number - 1];
    struct lookup_wanted wanted = {binary->path, binary->wanted, binary->inode};
    if (binary->looked_for && binary->state >= BINARY_OTHER)
        return -1;
    int fd = lookup_binary(binaries->from, &wanted, &found);
    if (fd >= 0 && binaries->from->files)
        files_client_add_owner(binaries->from->files, fd);
    if (!binary->looked_for)
        set_found(binary, &found, fd >= 0);
    binary->looked_for = true;
    return fd;
}

const char *binaries_found(const struct binaries *binaries, uint32_t number)
{
    const struct binary *binary =
        number && number <= binaries->count ? &binaries->list[number - 1] : NULL;
    return binary && binary->state < BINARY_OTHER ? binary->found : NULL;
}

void binaries_sample(struct binaries *binaries, uint32_t number)
{
    if (number && number <= binaries->count)
        binaries->list[number - 1].samples++;
}

static struct binary_desc binary_describe(const struct binaries *binaries,
                                          const struct binary *binary)
{
    const struct lookup_from *from = binaries->from;
    return (struct binary_desc){
        .path = binary->shown,
        .is_from_other_host = from->is_from_other_host || from->host_unknown,
        .build_id = *binary->wanted_text ? binary->wanted_text : NULL,
        .found = binary->found_shown,
        .found_id =
            binary->state == BINARY_OTHER && *binary->found_text ? binary->found_text : NULL,
        .samples = binary->samples,
        .state = binary->state};
}

size_t binaries_list(const struct binaries *binaries, struct binary_desc *out, size_t most)
{
    size_t count = 0;
    for (uint32_t i = 0; i < binaries->count; i++) {
        const struct binary *binary = &binaries->list[i];
        size_t at = count < most ? count : most;
        if (!binary->samples || !binary->looked_for)
            continue;
        while (at && out[at - 1].samples < binary->samples)
            at--;
        if (at == most)
            continue;
        count += count < most;
        memmove(&out[at + 1], &out[at], (count - at - 1) * sizeof *out);
        out[at] = binary_describe(binaries, binary);
    }
    return count;
}
