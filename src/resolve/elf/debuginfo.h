/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libdwfl's view of one mapped ELF file: the symbols of the file and of its separate debug file,
 * and source lines. Hands libdwfl the file and finds debug files for it, because libdwfl itself
 * would map files that may be cut short, wait for FIFOs and use the net.
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

/*
 * Build-ids, which identify one build of a program. From the note that the linker leaves in an ELF
 * file (.note.gnu.build-id), which is hostile input.
 */
enum { BUILDID_MAX = 64, BUILDID_TEXT = 2 * BUILDID_MAX + 1 };

struct buildid {
    size_t size; /* bytes; 0: there is none */
    uint8_t bytes[BUILDID_MAX];
};

/* Of an open file; size 0 where it has none or is no ELF file. */
void buildid_read(struct buildid *id, int fd);

/*
 * Whether a file's is the one that is wanted. An id recorded by perf may be filled up with zeros to
 * 20 bytes, because old records have no length. Two missing ids are not the same.
 */
bool buildid_same(const struct buildid *of_file, const struct buildid *wanted);

/* In hexadecimal; "" for none. */
void buildid_print(char text[BUILDID_TEXT], const struct buildid *id);

/* Where the files of a process or of a recording are looked for. */
struct lookup_from {
    pid_t pid;
    bool live;                  /* through /proc/PID; false: a recording */
    int root;                   /* live: its root directory, for when it is gone; -1: not known */
    struct files_client *files; /* the users that files are opened for; NULL: ours */
    const char *symfs;          /* a recording: a folder with its files, or NULL */
    char *cache;                /* ... and perf's folder, or NULL */
    const char *debug_root;     /* of separate debug files; NULL: /usr/lib/debug */
    bool debuginfod;   /* the user lets us ask servers; misstop itself takes cached files */
    bool elsewhere;    /* recorded on another machine: paths alone say nothing */
    bool host_unknown; /* on which is not known: a path counts with the inode recorded */
};

/*
 * Separate debug files: by build-id below a debug root, by the name in .gnu_debuglink beside the
 * program, in .debug beside it and below the root. A file found counts only if its build-id agrees,
 * or where there is none its checksum (GDB manual, "Debugging Information in Separate Files"). The
 * target's own root is searched too, then debuginfod.
 */
struct debuginfo;

struct debuginfo_source {
    int fd; /* stays the caller's, as elf does; both outlive the debuginfo */
    Elf *elf;
    const char *path;
    uint64_t start; /* run-time address of the first segment, at its alignment */
    uint64_t end;
    uint64_t bias;
    struct lookup_from from;
};

/* NULL: libdwfl makes nothing of it, or not of this place. */
struct debuginfo *debuginfo_new(const struct debuginfo_source *source);
void debuginfo_free(struct debuginfo *debuginfo);

/* Whether the file or its debug file has DWARF: by their section headers, nothing is read. Where
 * servers may be asked, whether they could be. */
bool debuginfo_present(struct debuginfo *debuginfo);

/* This process reads hostile files and nothing else: it may die of one, and wait for servers.
 * Debug files are mapped where they are from here on, not copied before. */
void debuginfo_confined(struct debuginfo *debuginfo);

/* The users that its files are opened for; NULL: ours. */
const struct files_client *debuginfo_files(const struct debuginfo *debuginfo);

/* Whether debuginfod's servers may be asked. */
bool debuginfo_asks_servers(const struct debuginfo *debuginfo);

/* Bytes of the build-id; NULL: none. Its own. */
const unsigned char *debuginfo_build_id(struct debuginfo *debuginfo, size_t *size_bytes);

/* Calls for every symbol with a name that lives as long as the debuginfo; those of the separate
 * debug file where there are more, which is neither copied nor mapped for it. */
void debuginfo_symbols(struct debuginfo *debuginfo, symtab_take *take, void *context);

/* The file in libdwfl, its DWARF checked; NULL: there is none that can be trusted. */
Dwfl_Module *debuginfo_module(struct debuginfo *debuginfo);

/* The unit with the code at an address, and its bias; NULL: none. */
Dwarf_Die *debuginfo_unit(struct debuginfo *debuginfo, uint64_t address, Dwarf_Addr *bias);

/*
 * Debug files and programs from servers that the user named in DEBUGINFOD_URLS, by elfutils'
 * program debuginfod-find: it uses the net, caches files below the user's cache, and takes its
 * time. Only for users who asked for it, and only in a process that may wait.
 */
enum debuginfod_kind { DEBUGINFOD_DEBUGINFO, DEBUGINFOD_EXECUTABLE };

/* Descriptor of the debug file, or the program, of a build-id, or -1. Cached: only if it was
 * fetched before; at once. */
int debuginfod_cached(enum debuginfod_kind kind, const struct buildid *id);
int debuginfod_fetch(enum debuginfod_kind kind, const struct buildid *id);

#endif
