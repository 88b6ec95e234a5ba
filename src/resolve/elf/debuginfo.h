/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Symbols of a mapped file and of its separate debug file, and source lines. Passes the files to
 * libdwfl, which would itself map files that may be truncated, block on FIFOs, and use the network.
 */
#ifndef MISSTOP_RESOLVE_ELF_DEBUGINFO_H
#define MISSTOP_RESOLVE_ELF_DEBUGINFO_H

#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/files.h"
#include "resolve/elf/symbols.h"

/* Build-ids, which identify one build of a program. Read from the note that the linker adds to an
 * ELF file (.note.gnu.build-id), which is hostile input. */
enum { BUILDID_MAX = 64, BUILDID_TEXT = 2 * BUILDID_MAX + 1 };

struct buildid {
    size_t size; /* bytes; 0: none */
    uint8_t bytes[BUILDID_MAX];
};

/* Reads the build-id of an open file; size 0 if it has none or is not an ELF file. */
void buildid_read(struct buildid *id, int fd);

/* Returns true if a file has the wanted build-id. perf may pad an id with zeros to 20 bytes,
 * because old records have no length. Two missing ids are not equal. */
bool buildid_same(const struct buildid *of_file, const struct buildid *wanted);

/* Formats an id in hexadecimal; "" for none. */
void buildid_print(char text[BUILDID_TEXT], const struct buildid *id);

/* Where the files of a process or of a recording are looked for. */
struct lookup_from {
    pid_t pid;
    bool live;                  /* through /proc/PID; false: a recording */
    int root;                   /* live: its root directory, for after its exit; -1: not known */
    struct files_client *files; /* users that files are opened for; NULL: our own */
    const char *symfs;          /* a recording: a folder with its files, or NULL */
    char *cache;                /* ... and perf's folder, or NULL */
    const char *debug_root;     /* of separate debug files; NULL: /usr/lib/debug */
    bool debuginfod;            /* servers may be queried; misstop itself only reads their cache */
    bool is_from_other_host;    /* recorded on another machine: a path alone is no evidence */
    bool host_unknown;          /* machine not known: a path counts only with the recorded inode */
};

/*
 * Finds separate debug files: by build-id below a debug root, or by the name in .gnu_debuglink,
 * beside the program, in .debug beside it, and below the root. A file is accepted only if its
 * build-id matches, or if there is none its checksum (GDB manual, "Debugging Information in
 * Separate Files"). The target's own root is searched too, then debuginfod.
 */
struct debuginfo;

struct debuginfo_source {
    int fd; /* not owned, like elf; both outlive the debuginfo */
    Elf *elf;
    const char *path;
    uint64_t start; /* run-time address of the first segment, rounded down to its alignment */
    uint64_t end;
    uint64_t bias;
    struct lookup_from from;
};

/* Returns NULL if libdwfl rejects the file or its address. */
struct debuginfo *debuginfo_new(const struct debuginfo_source *source);
void debuginfo_free(struct debuginfo *debuginfo);

/* Returns true if the file or its debug file has DWARF, from section headers only. If servers may
 * be queried, returns true if they might have it. */
bool debuginfo_present(struct debuginfo *debuginfo);

/* Declares that this process only reads hostile files: it may crash on one, and wait for servers.
 * From now on debug files are mapped directly instead of copied first. */
void debuginfo_confined(struct debuginfo *debuginfo);

/* Returns the users that its files are opened for; NULL: our own. */
const struct files_client *debuginfo_files(const struct debuginfo *debuginfo);

/* Returns true if debuginfod's servers may be queried. */
bool debuginfo_asks_servers(const struct debuginfo *debuginfo);

/* Returns the bytes of the build-id, owned by the debuginfo; NULL: none. */
const unsigned char *debuginfo_build_id(struct debuginfo *debuginfo, size_t *size_bytes);

/* Calls back for every symbol with a name that lives as long as the debuginfo. Uses the symbols of
 * the separate debug file if it has more; that file is neither copied nor mapped. */
void debuginfo_symbols(struct debuginfo *debuginfo, symtab_take *take, void *context);

/* Returns the file in libdwfl, with its DWARF checked; NULL: none that can be trusted. */
Dwfl_Module *debuginfo_module(struct debuginfo *debuginfo);

/* Returns the unit with the code at an address, and its bias; NULL: none. */
Dwarf_Die *debuginfo_unit(struct debuginfo *debuginfo, uint64_t address, Dwarf_Addr *bias);

/*
 * Gets debug files and programs from servers in DEBUGINFOD_URLS with elfutils' debuginfod-find. It
 * uses the network, caches files in the user's cache, and may take long. Only for users who enabled
 * it, and only in a process that may wait.
 */
enum debuginfod_kind { DEBUGINFOD_DEBUGINFO, DEBUGINFOD_EXECUTABLE };

/* Both functions return a descriptor of the debug file or program with a build-id, or -1.
 * debuginfod_cached() finds only files that were fetched before, and does not wait. */
int debuginfod_cached(enum debuginfod_kind kind, const struct buildid *id);
int debuginfod_fetch(enum debuginfod_kind kind, const struct buildid *id);

#endif
