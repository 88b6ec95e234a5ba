/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/elf/debuginfo.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/files.h"
#include "resolve/elf/symbols.h"

/* Compilation units by address. libdw uses .debug_aranges, which clang does not write (elfutils
 * 0.188 has no alternative). If it has no entry, the ranges of all units are read once. */
struct unit_range {
    uint64_t start; /* run-time addresses */
    uint64_t end;
    Dwarf_Die die;
    Dwarf_Addr bias;
};

struct units {
    struct unit_range *ranges; /* by ascending start */
    size_t count;
    size_t room;
    bool read;
    Dwarf_Die split; /* the last split unit found */
};

enum { RANGES_MAX = 1 << 20 };

static void units_fini(struct units *units)
{
    free(units->ranges);
    *units = (struct units){0};
}

static bool units_add(struct units *units, const struct unit_range *range)
{
    if (!array_reserve_next(&units->ranges, &units->room, units->count, sizeof *units->ranges,
                            RANGES_MAX))
        return false;
    units->ranges[units->count++] = *range;
    return true;
}

static bool add_unit(struct units *units, Dwarf_Die *die, Dwarf_Addr bias)
{
    struct unit_range range = {.die = *die, .bias = bias};
    Dwarf_Addr base;
    Dwarf_Addr start;
    Dwarf_Addr end;
    ptrdiff_t at = 0;
    while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
        range.start = start + bias;
        range.end = end + bias;
        /* Ranges removed by the linker are at 0. */
        if (start && start < end && !units_add(units, &range))
            return false;
    }
    return true;
}

static void read_units(struct units *units, Dwfl_Module *module)
{
    Dwarf_Die *die = NULL;
    Dwarf_Addr bias;
    units->read = true;
    while ((die = dwfl_module_nextcu(module, die, &bias)) && add_unit(units, die, bias))
        continue;
    SORT_BY(units->ranges, units->count, start);
}

static struct unit_range *units_search(const struct units *units, uint64_t address)
{
    size_t low = SORTED_UP_TO(units->ranges, units->count, start, address);
    struct unit_range *last = low ? &units->ranges[low - 1] : NULL;
    return last && address < last->end ? last : NULL;
}

/* Returns the split unit of a skeleton (split DWARF: DWARF 5, 3.1.2), or the unit itself. */
static Dwarf_Die *split_or_own_unit(struct units *units, Dwarf_Die *die)
{
    uint8_t kind;
    bool is_split = !dwarf_cu_info(die->cu, NULL, &kind, NULL, &units->split, NULL, NULL, NULL) &&
                    kind == DW_UT_skeleton && units->split.addr;
    return is_split ? &units->split : die;
}

/* Finds the unit of an address; NULL: none. Valid until the next call. *bias: run-time address
 * minus address in the unit. */
static Dwarf_Die *units_find(struct units *units, Dwfl_Module *module, uint64_t address,
                             Dwarf_Addr *bias)
{
    Dwarf_Die *die = dwfl_module_addrdie(module, address, bias);
    if (die)
        return split_or_own_unit(units, die);
    if (!units->read)
        read_units(units, module);
    struct unit_range *range = units_search(units, address);
    if (!range)
        return NULL;
    *bias = range->bias;
    return split_or_own_unit(units, &range->die);
}

enum { PADDED_BYTES = 20 };

/* Copies a build-id. `size` is 0 or negative if there is none. */
static void buildid_copy(struct buildid *id, const void *bytes, ssize_t size)
{
    id->size = size > 0 && size <= BUILDID_MAX ? (size_t)size : 0;
    if (id->size)
        memcpy(id->bytes, bytes, id->size);
}

void buildid_read(struct buildid *id, int fd)
{
    const void *found = NULL;
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    ssize_t size = elf ? dwelf_elf_gnu_build_id(elf, &found) : -1;
    buildid_copy(id, found, size);
    if (elf)
        elf_end(elf);
}

static bool is_all_zeros(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i])
            return false;
    return true;
}

bool buildid_same(const struct buildid *of_file, const struct buildid *wanted)
{
    size_t size = of_file->size;
    if (!size || size > wanted->size || memcmp(of_file->bytes, wanted->bytes, size))
        return false;
    return size == wanted->size || (wanted->size == PADDED_BYTES &&
                                    is_all_zeros(wanted->bytes + size, wanted->size - size));
}

void buildid_print(char text[BUILDID_TEXT], const struct buildid *id)
{
    *text = '\0';
    for (size_t i = 0; i < id->size; i++)
        snprintf(text + 2 * i, 3, "%02x", id->bytes[i]);
}

/* Files in the target's root are copied: the target could truncate them under elfutils. */
enum { DEBUGFILE_COPY_MAX = 512 << 20, DEBUGFILE_PATH_MAX = 4096 };
#define DEBUGFILE_BYTES_MAX (UINT64_C(64) << 30)

struct debugfile_wanted {
    struct buildid id;
    const char *path; /* path of the file that refers to it */
    const char *link; /* name in .gnu_debuglink or .gnu_debugaltlink; NULL: none */
    uint32_t crc;     /* ignored if there is a build-id */
    bool cut_short;   /* truncation of a file in use is harmless, so files are not copied */
    bool may_wait;    /* query servers, not only their cache */
};

/* Computes the CRC-32 of gzip, four bits at a time (RFC 1952, section 8). */
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

/* Returns the descriptor if the file matches; otherwise closes it and returns -1. */
static int checked_debugfile(int fd, const struct debugfile_wanted *wanted)
{
    struct buildid found;
    if (fd < 0)
        return -1;
    buildid_read(&found, fd);
    if (wanted->id.size ? buildid_same(&found, &wanted->id) : crc_of(fd) == wanted->crc)
        return fd;
    close(fd);
    return -1;
}

/* Opens a file in our own root. If the target has another root, a file is accepted only by
 * build-id, because the path means another file there. */
static int open_in_own_root(const struct lookup_from *from, const char *path,
                            const struct debugfile_wanted *wanted)
{
    if (from->files && from->files->is_other_root && !wanted->id.size)
        return -1;
    return files_open_below(-1, path, from->files, FILES_FOLLOW, DEBUGFILE_BYTES_MAX);
}

/* Returns the part of a path below a folder, possibly ""; NULL: not below the folder. */
static const char *path_below_folder(const char *path, const char *folder)
{
    size_t length = folder ? strlen(folder) : 0;
    return length && !strncmp(path, folder, length) && path[length] == '/' ? path + length : NULL;
}

/* Tries a path, first in the target's root, from which the program was loaded. */
static int open_debug_path(const struct lookup_from *from, const char *path,
                           const struct debugfile_wanted *wanted)
{
    const char *below = path_below_folder(path, from->symfs);
    if (below)
        return checked_debugfile(files_open_in_folder(from->symfs, below, DEBUGFILE_BYTES_MAX),
                                 wanted);
    if (path_below_folder(path, from->cache))
        return checked_debugfile(files_open(path), wanted);
    int fd = from->live ? files_open_in_root(from->pid, path, from->files, FILES_FOLLOW,
                                             DEBUGFILE_BYTES_MAX)
                        : -1;
    fd = checked_debugfile(wanted->cut_short ? fd : files_copy(fd, DEBUGFILE_COPY_MAX), wanted);
    return fd >= 0 ? fd : checked_debugfile(open_in_own_root(from, path, wanted), wanted);
}

static int open_debug_by_id(const struct lookup_from *from, const struct debugfile_wanted *wanted,
                            const char *root, const char *suffix, char path[DEBUGFILE_PATH_MAX])
{
    char digits[BUILDID_TEXT];
    if (wanted->id.size < 2)
        return -1;
    buildid_print(digits, &wanted->id);
    snprintf(path, DEBUGFILE_PATH_MAX, "%s/.build-id/%.2s/%s%s", root, digits, digits + 2, suffix);
    return open_debug_path(from, path, wanted);
}

static int open_debug_by_link(const struct lookup_from *from, const struct debugfile_wanted *wanted,
                              const char *root, char path[DEBUGFILE_PATH_MAX])
{
    const char *slash = strrchr(wanted->path, '/');
    int folder = slash ? (int)(slash - wanted->path) + 1 : 0;
    int fd = -1;
    if (!wanted->link || !*wanted->link || !folder)
        return -1;
    if (*wanted->link == '/') {
        snprintf(path, DEBUGFILE_PATH_MAX, "%s", wanted->link);
        return open_debug_path(from, wanted->link, wanted);
    }
    const char *const places[][2] = {{"", ""}, {"", ".debug/"}, {root, ""}};
    for (size_t i = 0; i < sizeof places / sizeof *places && fd < 0; i++) {
        int length = snprintf(path, DEBUGFILE_PATH_MAX, "%s%.*s%s%s", places[i][0], folder,
                              wanted->path, places[i][1], wanted->link);
        if (length > 0 && length < DEBUGFILE_PATH_MAX && strcmp(path, wanted->path))
            fd = open_debug_path(from, path, wanted);
    }
    return fd;
}

/* Tries debuginfod. Relative paths cannot be resolved for its files, so `path` becomes "". */
static int open_debug_by_debuginfod(const struct debugfile_wanted *wanted,
                                    char path[DEBUGFILE_PATH_MAX])
{
    *path = 0;
    int fd = checked_debugfile(debuginfod_cached(DEBUGINFOD_DEBUGINFO, &wanted->id), wanted);
    if (fd < 0 && wanted->may_wait)
        fd = checked_debugfile(debuginfod_fetch(DEBUGINFOD_DEBUGINFO, &wanted->id), wanted);
    return fd;
}

/* Searches for a recording's file: in the user's folder (a root, or flat), or perf's cache. */
static int open_debug_by_folders(const struct lookup_from *from,
                                 const struct debugfile_wanted *wanted,
                                 char path[DEBUGFILE_PATH_MAX])
{
    char root[DEBUGFILE_PATH_MAX];
    int fd = -1;
    if (from->symfs &&
        snprintf(root, sizeof root, "%s/usr/lib/debug", from->symfs) < (int)sizeof root) {
        fd = open_debug_by_id(from, wanted, root, ".debug", path);
        if (fd < 0)
            fd = open_debug_by_link(from, wanted, root, path);
        if (fd < 0)
            fd = open_debug_by_id(from, wanted, from->symfs, ".debug", path);
    }
    if (fd < 0 && from->cache)
        fd = open_debug_by_id(from, wanted, from->cache, "/debug", path);
    return fd;
}

/* Returns a descriptor, or -1. Stores the path in `found` unless that is NULL. */
static int debugfile_open(const struct lookup_from *from, const struct debugfile_wanted *wanted,
                          char found[DEBUGFILE_PATH_MAX])
{
    char path[DEBUGFILE_PATH_MAX];
    const char *root = from->debug_root ? from->debug_root : "/usr/lib/debug";
    int fd = open_debug_by_folders(from, wanted, path);
    if (fd < 0)
        fd = open_debug_by_id(from, wanted, root, ".debug", path);
    if (fd < 0)
        fd = open_debug_by_link(from, wanted, root, path);
    if (fd < 0 && from->debuginfod && wanted->id.size)
        fd = open_debug_by_debuginfod(wanted, path);
    if (fd >= 0 && found)
        memcpy(found, path, sizeof path);
    return fd;
}

static const char *const kind_names[] = {"debuginfo", "executable"};

static bool debuginfod_available(void)
{
    const char *urls = getenv("DEBUGINFOD_URLS");
    return urls && *urls;
}

/* Opens a file where debuginfod-find caches it (debuginfod_find_debuginfo(3), "CACHE"). */
static int open_cached(const char *folder, const char *below, const char *digits, const char *kind)
{
    char path[PATH_MAX];
    if (!folder || !*folder)
        return -1;
    int length = snprintf(path, sizeof path, "%s%s/%s/%s", folder, below, digits, kind);
    return length > 0 && (size_t)length < sizeof path ? files_open(path) : -1;
}

int debuginfod_cached(enum debuginfod_kind kind, const struct buildid *id)
{
    char digits[BUILDID_TEXT];
    if (id->size < 2)
        return -1;
    buildid_print(digits, id);
    int fd = open_cached(getenv("DEBUGINFOD_CACHE_PATH"), "", digits, kind_names[kind]);
    if (fd < 0)
        fd = open_cached(getenv("XDG_CACHE_HOME"), "/debuginfod_client", digits, kind_names[kind]);
    return fd >= 0
               ? fd
               : open_cached(getenv("HOME"), "/.cache/debuginfod_client", digits, kind_names[kind]);
}

static void run_debuginfod_find(int out, pid_t parent, const char *kind, const char *digits)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || dup2(out, STDOUT_FILENO) < 0)
        _exit(127);
    execlp("debuginfod-find", "debuginfod-find", kind, digits, (char *)NULL);
    _exit(127);
}

/* Reads the one-line output, the path of the file. */
static bool read_path(int in, char path[PATH_MAX])
{
    size_t length = 0;
    ssize_t got;
    while (length < PATH_MAX - 1 && (got = read(in, path + length, PATH_MAX - 1 - length)) > 0)
        length += (size_t)got;
    path[length] = 0;
    path[strcspn(path, "\n")] = 0;
    return *path == '/';
}

int debuginfod_fetch(enum debuginfod_kind kind, const struct buildid *id)
{
    char digits[BUILDID_TEXT];
    char path[PATH_MAX];
    int ends[2];
    int status = -1;
    pid_t parent = getpid();
    if (!debuginfod_available() || id->size < 2 || pipe2(ends, O_CLOEXEC))
        return -1;
    buildid_print(digits, id);
    pid_t pid = fork();
    if (!pid)
        run_debuginfod_find(ends[1], parent, kind_names[kind], digits);
    close(ends[1]);
    bool found = pid > 0 && read_path(ends[0], path);
    close(ends[0]);
    if (pid > 0)
        waitpid(pid, &status, 0);
    return found && !status ? files_open(path) : -1;
}

struct debuginfo {
    Dwfl *dwfl;
    Dwfl_Module *module;
    struct debuginfo_source source;
    struct units units;
    struct symtab symtab;                /* symbol table of the separate debug file */
    char debug_path[DEBUGFILE_PATH_MAX]; /* path where that file was found; "": none */
    bool without_debug_file;             /* libdwfl must do without the separate file */
    bool confined;                       /* see debuginfo_confined() */
    bool alternate_given;                /* the alternate debug file (dwz) was found */
    bool dwarf_checked;
    bool dwarf_trusted;
};

static int debuginfo_find_elf(Dwfl_Module *module, void **context, const char *name,
                              Dwarf_Addr base, char **path, Elf **elf)
{
    struct debuginfo *debuginfo = *context;
    (void)module, (void)name, (void)base;
    *path = strdup(debuginfo->source.path);
    *elf = elf_begin(debuginfo->source.fd, ELF_C_READ, debuginfo->source.elf); /* a reference */
    return -1;
}

/* Opens the debug file by the file's build-id and link. `cut_short`: it is read, not mapped. */
static int open_debug(struct debuginfo *debuginfo, bool cut_short)
{
    struct debugfile_wanted wanted = {.path = debuginfo->source.path,
                                      .cut_short = cut_short || debuginfo->confined,
                                      .may_wait = debuginfo->confined};
    GElf_Word crc = 0;
    GElf_Addr where;
    const unsigned char *id = NULL;
    int size = dwfl_module_build_id(debuginfo->module, &id, &where);
    buildid_copy(&wanted.id, id, size);
    wanted.link = dwelf_elf_gnu_debuglink(debuginfo->source.elf, &crc);
    wanted.crc = crc;
    return debugfile_open(&debuginfo->source.from, &wanted, debuginfo->debug_path);
}

/* Opens the alternate file, with data that dwz moved out. Its build-id follows its name. */
static int open_alternate(struct debuginfo *debuginfo)
{
    struct debugfile_wanted wanted = {.path = *debuginfo->debug_path ? debuginfo->debug_path
                                                                     : debuginfo->source.path,
                                      .cut_short = debuginfo->confined,
                                      .may_wait = debuginfo->confined};
    Dwarf_Addr bias;
    Dwarf *dwarf = dwfl_module_getdwarf(debuginfo->module, &bias);
    const void *id = NULL;
    ssize_t size = dwarf ? dwelf_dwarf_gnu_debugaltlink(dwarf, &wanted.link, &id) : 0;
    if (size <= 0)
        return -1;
    buildid_copy(&wanted.id, id, size);
    int fd = debugfile_open(&debuginfo->source.from, &wanted, NULL);
    debuginfo->alternate_given = fd >= 0;
    return fd;
}

static int debuginfo_find_debug(Dwfl_Module *module, void **context, const char *name,
                                Dwarf_Addr base, const char *path, const char *link, GElf_Word crc,
                                char **debug_path)
{
    struct debuginfo *debuginfo = *context;
    (void)module, (void)name, (void)base, (void)path;
    if (debuginfo->without_debug_file)
        return -1;
    /* libdwfl requests the alternate file in the same way, but without a checksum. */
    int fd = link && !crc ? open_alternate(debuginfo) : open_debug(debuginfo, false);
    if (fd >= 0)
        *debug_path = strdup(debuginfo->source.path);
    return fd;
}

static const Dwfl_Callbacks callbacks = {
    .find_elf = debuginfo_find_elf,
    .find_debuginfo = debuginfo_find_debug,
    .section_address = dwfl_offline_section_address,
};

/* Adds the file to libdwfl, which computes the bias itself: it must equal our own. */
static bool debuginfo_report(struct debuginfo *debuginfo)
{
    const struct debuginfo_source *source = &debuginfo->source;
    GElf_Addr bias;
    void **context;
    dwfl_report_begin(debuginfo->dwfl);
    debuginfo->module =
        dwfl_report_module(debuginfo->dwfl, source->path, source->start, source->end);
    dwfl_report_end(debuginfo->dwfl, NULL, NULL);
    if (!debuginfo->module)
        return false;
    dwfl_module_info(debuginfo->module, &context, NULL, NULL, NULL, NULL, NULL, NULL);
    *context = debuginfo;
    return dwfl_module_getelf(debuginfo->module, &bias) && bias == source->bias;
}

struct debuginfo *debuginfo_new(const struct debuginfo_source *source)
{
    struct debuginfo *debuginfo = calloc(1, sizeof *debuginfo);
    if (!debuginfo)
        return NULL;
    debuginfo->source = *source;
    debuginfo->symtab.fd = -1;
    debuginfo->dwfl = dwfl_begin(&callbacks);
    if (!debuginfo->dwfl || !debuginfo_report(debuginfo)) {
        debuginfo_free(debuginfo);
        return NULL;
    }
    return debuginfo;
}

void debuginfo_free(struct debuginfo *debuginfo)
{
    if (!debuginfo)
        return;
    units_fini(&debuginfo->units);
    symtab_fini(&debuginfo->symtab);
    if (debuginfo->dwfl)
        dwfl_end(debuginfo->dwfl);
    free(debuginfo);
}

void debuginfo_confined(struct debuginfo *debuginfo)
{
    debuginfo->confined = true;
}

const struct files_client *debuginfo_files(const struct debuginfo *debuginfo)
{
    return debuginfo->source.from.files;
}

bool debuginfo_asks_servers(const struct debuginfo *debuginfo)
{
    return debuginfo->source.from.debuginfod && debuginfod_available();
}

static bool has_dwarf(Elf *elf)
{
    return sections_find(elf, ".debug_info") || sections_find(elf, ".zdebug_info");
}

bool debuginfo_present(struct debuginfo *debuginfo)
{
    const unsigned char *id;
    GElf_Addr where;
    if (has_dwarf(debuginfo->source.elf))
        return true;
    if (debuginfo->symtab.elf)
        return has_dwarf(debuginfo->symtab.elf);
    int fd = open_debug(debuginfo, true);
    Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
    bool present = elf && has_dwarf(elf);
    if (elf)
        elf_end(elf);
    if (fd >= 0)
        close(fd);
    return present || (fd < 0 && debuginfo_asks_servers(debuginfo) &&
                       dwfl_module_build_id(debuginfo->module, &id, &where) > 0);
}

const unsigned char *debuginfo_build_id(struct debuginfo *debuginfo, size_t *size_bytes)
{
    const unsigned char *id = NULL;
    GElf_Addr where;
    int size = dwfl_module_build_id(debuginfo->module, &id, &where);
    *size_bytes = size > 0 ? (size_t)size : 0;
    return size > 0 ? id : NULL;
}

/* Returns true if all string tables end with a NUL: libdwfl returns names from them unchecked. */
static bool string_tables_end(Elf *elf)
{
    Elf_Scn *section = NULL;
    bool any = false;
    while ((section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) ||
            (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
            continue;
        any = true;
        if (!sections_end_strings(elf_getscn(elf, header.sh_link)))
            return false;
    }
    return any;
}

/* Reads the symbols of the main file only: libdwfl would map a separate debug file. */
static void symbols_of_file(struct debuginfo *debuginfo, symtab_take *take, void *context)
{
    debuginfo->without_debug_file = true;
    int count = dwfl_module_getsymtab(debuginfo->module);
    Elf *elf = NULL;
    Elf *known = NULL;
    bool good = false;
    for (int i = 1; i < count && i < SYMTAB_SYMBOLS_MAX; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        const char *name =
            dwfl_module_getsym_info(debuginfo->module, i, &symbol, &address, NULL, &elf, NULL);
        /* Symbols of one file are consecutive; there are at most three files. */
        if (elf != known)
            good = elf && string_tables_end(elf);
        known = elf;
        if (name && good)
            take(context, &symbol, address, name);
    }
    debuginfo->without_debug_file = false;
}

void debuginfo_symbols(struct debuginfo *debuginfo, symtab_take *take, void *context)
{
    if (!sections_find(debuginfo->source.elf, ".symtab") &&
        symtab_open(&debuginfo->symtab, open_debug(debuginfo, true)))
        symtab_read(&debuginfo->symtab, debuginfo->source.elf, debuginfo->source.bias, take,
                    context);
    else
        symbols_of_file(debuginfo, take, context);
}

/* Returns true if an alternate file is named but not found: libdw would search for it itself. */
static bool alternate_missing(const struct debuginfo *debuginfo, Dwarf *dwarf)
{
    const char *name;
    const void *id;
    return dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &id) > 0 && !debuginfo->alternate_given;
}

/* libdw 0.188 measures strings unchecked: all string sections must end with a NUL. */
static bool debug_strings_end(Dwarf *dwarf)
{
    Elf *elf = dwarf_getelf(dwarf);
    Elf_Scn *section = NULL;
    size_t names;
    if (!elf || elf_getshdrstrndx(elf, &names))
        return false;
    while ((section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        const char *name =
            gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        /* Skip .debug_str_offsets of clang, which contains numbers. */
        if (!name || !strstr(name, "debug") || !strstr(name, "_str") || strstr(name, "offsets"))
            continue;
        if (header.sh_size && !sections_end_strings(section))
            return false;
    }
    return true;
}

static bool dwarf_trusted(struct debuginfo *debuginfo)
{
    Dwarf_Addr bias;
    if (!debuginfo->dwarf_checked) {
        Dwarf *dwarf = dwfl_module_getdwarf(debuginfo->module, &bias);
        debuginfo->dwarf_checked = true;
        debuginfo->dwarf_trusted =
            dwarf && !alternate_missing(debuginfo, dwarf) && debug_strings_end(dwarf) &&
            (!debuginfo->alternate_given || debug_strings_end(dwarf_getalt(dwarf)));
    }
    return debuginfo->dwarf_trusted;
}

Dwfl_Module *debuginfo_module(struct debuginfo *debuginfo)
{
    return dwarf_trusted(debuginfo) ? debuginfo->module : NULL;
}

Dwarf_Die *debuginfo_unit(struct debuginfo *debuginfo, uint64_t address, Dwarf_Addr *bias)
{
    return dwarf_trusted(debuginfo)
               ? units_find(&debuginfo->units, debuginfo->module, address, bias)
               : NULL;
}
