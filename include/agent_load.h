/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether a program can load the agent, from its file: asked by misstop before it starts a program,
 * and by the agent before the process becomes another program by exec. The functions are compiled
 * into both (src/agent/load.c); they allocate nothing, and believe nothing in the file.
 */
#ifndef MISSTOP_AGENT_LOAD_H
#define MISSTOP_AGENT_LOAD_H

#include "agent_abi.h"

enum agent_load {
    AGENT_LOADABLE,
    AGENT_LOAD_UNREADABLE, /* not found, not readable, or no regular file */
    AGENT_LOAD_NO_PROGRAM,
    AGENT_LOAD_SCRIPTS, /* scripts that run scripts that run scripts */
    AGENT_LOAD_RIGHTS,  /* setuid, setgid or file capabilities: LD_PRELOAD is ignored */
    AGENT_LOAD_MACHINE, /* not an x86-64 program */
    AGENT_LOAD_STATIC,  /* no dynamic linker to load the agent */
    AGENT_LOAD_LIBC,    /* another libc than the agent's (musl) */
    AGENT_LOAD_LINKER,  /* another glibc than the agent's: a chroot, a container, a bundle */
    AGENT_LOAD_SANITIZER,
    AGENT_LOAD_NO_AGENT,  /* its file cannot be opened there (chroot) */
    AGENT_LOAD_FILTERED,  /* system calls are filtered (seccomp) */
    AGENT_LOAD_NO_MEMORY, /* the memory shared with misstop cannot be opened */
    AGENT_LOAD_REASONS
};

enum { AGENT_LOAD_PATH = 4096, AGENT_LOAD_BUFFER = 1 << 16 };

struct agent_load_work {
    char path[AGENT_LOAD_PATH]; /* of the file that the answer is about */
    char buffer[AGENT_LOAD_BUFFER];
};

/*
 * As execve(2) would take it, through #! lines. `linker`: the dynamic linker that loads the agent;
 * inode 0: any of glibc. `preload`: LD_PRELOAD of the program, or NULL. errno says why it is
 * AGENT_LOAD_UNREADABLE.
 */
enum agent_load agent_load_look(struct agent_load_work *work, const char *path,
                                const struct agent_file *linker, const char *preload);

/* The file of a name as execvp(3) finds it, into work->path; 0: there is none. */
int agent_load_find(struct agent_load_work *work, const char *name, const char *folders);

/* The dynamic linker of a program; inode 0: it has none. */
struct agent_file agent_load_linker(struct agent_load_work *work, const char *path);

/* seccomp filters of this process; where the kernel does not count them, whether there are any. */
uint32_t agent_load_filters(struct agent_load_work *work);

/* The end of a sentence that begins with the program: "is linked statically". */
const char *agent_load_words(uint32_t why);

#endif
