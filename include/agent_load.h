/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks whether a program's file can load the agent: misstop before it starts a program, the agent
 * before the process calls exec. Compiled into both. Allocates nothing and does not trust the file.
 */
#ifndef MISSTOP_AGENT_LOAD_H
#define MISSTOP_AGENT_LOAD_H

#include "agent_abi.h"

enum agent_load {
    AGENT_LOADABLE,
    AGENT_LOAD_UNREADABLE, /* not found, not readable, or not a regular file */
    AGENT_LOAD_NO_PROGRAM,
    AGENT_LOAD_SCRIPTS, /* too many levels of scripts that run scripts */
    AGENT_LOAD_RIGHTS,  /* setuid, setgid or file capabilities: LD_PRELOAD is ignored */
    AGENT_LOAD_MACHINE, /* not an x86-64 program */
    AGENT_LOAD_STATIC,  /* no dynamic linker to load the agent */
    AGENT_LOAD_LIBC,    /* a libc other than the agent's (musl) */
    AGENT_LOAD_LINKER,  /* a glibc other than the agent's: chroot, container, bundle */
    AGENT_LOAD_SANITIZER,
    AGENT_LOAD_NO_AGENT,  /* the agent's file cannot be opened there (chroot) */
    AGENT_LOAD_FILTERED,  /* system calls are filtered (seccomp) */
    AGENT_LOAD_NO_MEMORY, /* the memory shared with misstop cannot be opened */
    AGENT_LOAD_REASONS
};

enum { AGENT_LOAD_PATH = 4096, AGENT_LOAD_BUFFER = 1 << 16 };

struct agent_load_work {
    char path[AGENT_LOAD_PATH]; /* file that the result is about */
    char buffer[AGENT_LOAD_BUFFER];
};

/* Resolves `path` as execve(2) does, through #! lines. `linker`: inode 0: any glibc linker.
 * `preload`: LD_PRELOAD of the program, or NULL. errno has the cause of AGENT_LOAD_UNREADABLE. */
enum agent_load agent_load_check(struct agent_load_work *work, const char *path,
                                 const struct agent_file *linker, const char *preload);

/* Finds a file as execvp(3) does; its path is work->path. Returns 0 if there is none. */
int agent_load_find(struct agent_load_work *work, const char *name, const char *folders);

/* Returns the dynamic linker of a program; inode 0 if it has none. */
struct agent_file agent_load_linker(struct agent_load_work *work, const char *path);

/* Returns the number of seccomp filters of this process. If the kernel does not count them, returns
 * the seccomp mode: not 0 if there are any. */
uint32_t agent_load_filters(struct agent_load_work *work);

/* Returns the end of a sentence that begins with the program: "is linked statically". */
const char *agent_load_text(uint32_t why);

#endif
