/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ELF files a process has mapped, opened when first asked for and kept: through its own
 * root (containers), the mapping itself when the path is gone, or a folder of binaries for
 * recordings.
 */
#ifndef MISSTOP_RESOLVE_ELF_MODULES_H
#define MISSTOP_RESOLVE_ELF_MODULES_H

#include <stddef.h>
#include <sys/types.h>

#include "base/files.h"
#include "resolve/elf/module.h"
#include "resolve/process/maps.h"

/* Where files are looked for. */
struct modules_from {
    pid_t pid;
    bool live;                  /* through /proc/PID; false: a recording */
    int root;                   /* live: its root directory, for when it is gone; -1: not known */
    struct files_client *files; /* the users that files are opened for; NULL: ours */
    const char *symfs;          /* folder with the binaries of a recording, or NULL */
    bool elsewhere;             /* the recording is of another machine */
    bool host_unknown;          /* the host file is not known */
    bool debuginfod;            /* servers may be asked for separate debug files */
    const char *debug_root;     /* of separate debug files; NULL: /usr/lib/debug */
    struct binaries *binaries;  /* of a recording: what may be opened; outlives the modules */
};

struct binaries;

struct modules_entry {
    struct module *module; /* NULL: could not be opened; not tried again */
    char *name;            /* of the mapping that led to it */
    uint64_t inode;
    uint32_t major;
    uint32_t minor;
    uint32_t binary; /* as in struct map */
    uint64_t start;  /* of the file in memory, bias distinguished */
    uint64_t end;
    bool vdso;
    bool completed; /* see space_complete() */
};

struct modules {
    struct modules_entry *entries;
    size_t count;
    size_t room;
    uint32_t serials; /* given to modules so far */
};

void modules_fini(struct modules *modules);

/* Closes all; serials go on. */
void modules_forget(struct modules *modules);

/* The module behind a mapping of a file or of the vdso; NULL: none. Sets map->module. */
struct module *modules_of(struct modules *modules, const struct maps *maps, struct map *map,
                          const struct modules_from *from);

/* The vdso, which has no file: its bytes copied into one in memory. For the files of the resolver.
 */
/* misstop's own: every process under this kernel has the same. */
int vdso_open_own(void);

#endif
