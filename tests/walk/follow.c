/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "follow.h"

#include "resolve/process/threads.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void follow_path(char out[4096], const char *name)
{
    char own[2048];
    ssize_t size = readlink("/proc/self/exe", own, sizeof own - 1);
    own[size > 0 ? size : 0] = '\0';
    char *tests = NULL;
    for (char *at = own; (at = strstr(at, "/tests/")); at++)
        tests = at;
    snprintf(out, 4096, "%.*s/tests/walk/%s", tests ? (int)(tests - own) : 0, own, name);
}

static size_t read_some(void *context, uint64_t address, void *out, size_t size)
{
    struct follow *follow = context;
    struct iovec local = {out, size};
    struct iovec remote = {(void *)(uintptr_t)address, size};
    ssize_t got = process_vm_readv(follow->pid, &local, 1, &remote, 1, 0);
    return got < 0 ? 0 : (size_t)got;
}

static bool read_all(void *context, uint64_t address, void *out, size_t size)
{
    return read_some(context, address, out, size) == size;
}

static void exec_program(const char *program, int fd, const char *mode, unsigned threads,
                         uint64_t operations, const char *preload)
{
    char fd_text[16], threads_text[16], operations_text[32];
    snprintf(fd_text, sizeof fd_text, "%d", fd);
    snprintf(threads_text, sizeof threads_text, "%u", threads);
    snprintf(operations_text, sizeof operations_text, "%llu", (unsigned long long)operations);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (preload)
        setenv("LD_PRELOAD", preload, 1);
    execl(program, program, fd_text, mode, threads_text, operations_text, (char *)NULL);
    _exit(127);
}

static bool wait_for(struct follow *follow, unsigned ready)
{
    /* At most one minute, far more than needed under a sanitizer and load. */
    for (unsigned i = 0; i < 60000; i++) {
        int status;
        if (ready ? atomic_load(&follow->shared->ready) >= ready
                  : atomic_load(&follow->shared->operations) > 0)
            return true;
        if (waitpid(follow->pid, &status, WNOHANG) == follow->pid) {
            follow->pid = 0;
            return false;
        }
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return false;
}

bool follow_start(struct follow *follow, const char *program, const char *mode, unsigned threads,
                  uint64_t operations, unsigned ready, const char *preload)
{
    *follow = (struct follow){0};
    int fd = memfd_create("walked", 0);
    if (fd < 0 || ftruncate(fd, sizeof *follow->shared))
        return false;
    follow->shared = mmap(NULL, sizeof *follow->shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    follow->pid = fork();
    if (!follow->pid)
        exec_program(program, fd, mode, threads, operations, preload);
    close(fd);
    return follow->pid > 0 && wait_for(follow, ready);
}

static bool show_threads(struct follow *follow)
{
    struct tcbs tcbs = {0};
    uint64_t bases[64];
    size_t count = 0;
    tcbs_refresh(&tcbs, follow->pid);
    for (; count < tcbs.count && count < 64; count++)
        bases[count] = tcbs.tcbs[count].base;
    tcbs_fini(&tcbs);
    return !walk_threads(follow->walk, bases, count);
}

bool follow_update(struct follow *follow)
{
    return !maps_read(&follow->maps, follow->pid) && !walk_update(follow->walk, &follow->maps) &&
           show_threads(follow);
}

bool follow_attach(struct follow *follow)
{
    struct walk_target target = {follow, read_all, read_some};
    return !walk_new(&follow->walk, &target) && follow_update(follow);
}

void follow_end(struct follow *follow)
{
    if (follow->pid > 0) {
        kill(follow->pid, SIGKILL);
        waitpid(follow->pid, NULL, 0);
    }
    walk_free(follow->walk);
    maps_fini(&follow->maps);
    if (follow->shared)
        munmap(follow->shared, sizeof *follow->shared);
    *follow = (struct follow){0};
}
