/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Preloaded into any program: compares the agent's unwinder with libgcc's at every 7th malloc. When
 * the program ends, writes a line with the counts to the file named by CHECK_UNWIND. */
#include "agent/unwind.h"

#include <execinfo.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EVERY = 7, MORE = 1 };

void *__libc_malloc(size_t size);

struct gate gate = {.is_recording = 1};

void *session_pages(size_t size_bytes)
{
    return calloc(1, size_bytes);
}

static __thread bool is_inside __attribute__((tls_model("initial-exec")));
static __thread unsigned calls __attribute__((tls_model("initial-exec")));
static __thread struct unwind *own __attribute__((tls_model("initial-exec")));
static bool is_started;
static char file[4096];
static unsigned long compared;
static unsigned long shorter; /* ours ended early: a signal, or an unsupported rule */
static unsigned long different;
static unsigned long frames;

static void compare(void *const *frame)
{
    void *theirs[AGENT_DEPTH_MAX + MORE + 8];
    int count = backtrace(theirs, AGENT_DEPTH_MAX + MORE + 8);
    int skip = 0;
    while (skip < count && theirs[skip] != frame[1])
        skip++;
    const struct unwound *ours = unwind(own, frame);
    count = count - skip > AGENT_DEPTH_MAX ? AGENT_DEPTH_MAX : count - skip;
    unsigned common = 0;
    while (common < ours->count && (int)common < count &&
           ours->frames[common].address == (uint64_t)(uintptr_t)theirs[skip + (int)common])
        common++;
    __atomic_fetch_add(&compared, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&frames, (unsigned long)count, __ATOMIC_RELAXED);
    if (common < ours->count)
        __atomic_fetch_add(&different, 1, __ATOMIC_RELAXED);
    else if ((int)common < count)
        __atomic_fetch_add(&shorter, 1, __ATOMIC_RELAXED);
}

__attribute__((visibility("default"))) void *malloc(size_t size)
{
    if (is_started && !is_inside && ++calls % EVERY == 0) {
        is_inside = true;
        if (!own)
            own = calloc(1, sizeof *own);
        compare((void *const *)__builtin_frame_address(0));
        is_inside = false;
    }
    return __libc_malloc(size);
}

__attribute__((constructor)) static void start(void)
{
    void *first[2];
    const char *name = getenv("CHECK_UNWIND");
    if (!name)
        return;
    snprintf(file, sizeof file, "%s", name);
    unsetenv("LD_PRELOAD");
    backtrace(first, 2); /* loads libgcc_s */
    rule_start();
    unwind_start();
    is_started = true;
}

__attribute__((destructor)) static void report(void)
{
    char line[256];
    is_started = false;
    if (!compared)
        return;
    int length = snprintf(line, sizeof line, "%lu %lu %lu %lu\n", compared, different, shorter,
                          frames / compared);
    int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd >= 0 && write(fd, line, (size_t)length) == length)
        close(fd);
}
