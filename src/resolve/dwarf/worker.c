/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/worker.h"

#include "base/clock.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* What may wait here, read but not looked at: a type or two. */
enum { WORKER_READS_MAX = 64 };

int worker_start(struct worker *worker, struct module *module, const struct serve_source *source,
                 const struct readers_limits *limits)
{
    int ends[2];
    pid_t parent = getpid();
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return -errno;
    pid_t pid = fork();
    if (!pid)
        serve(ends[1], parent, module, source, limits);
    int code = pid < 0 ? -errno : 0;
    close(ends[1]);
    if (code) {
        close(ends[0]);
        return code;
    }
    fcntl(ends[0], F_SETFL, O_NONBLOCK); /* of this end only */
    *worker = (struct worker){.pid = pid, .channel = {.fd = ends[0]}};
    return 0;
}

pid_t worker_end(struct worker *worker)
{
    pid_t pid = worker->pid;
    if (!pid)
        return 0;
    kill(pid, SIGKILL);
    channel_fini(&worker->channel);
    worker->pid = 0;
    return pid;
}

bool worker_ask(struct worker *worker, uint32_t number, const struct dwarf_question *question)
{
    struct wire_message message = {.number = number, .question = *question};
    return wire_put(&worker->channel.out, WIRE_QUESTION, &message);
}

int worker_exchange(struct worker *worker)
{
    int code = channel_write(&worker->channel);
    long got = 1;
    /* What was said before it died is heard all the same. */
    for (int i = 0; i < WORKER_READS_MAX && got > 0; i++)
        got = channel_read(&worker->channel);
    if (got > 0 || got == -EAGAIN)
        return code;
    return got ? (int)got : -EPIPE;
}

enum wire_kind worker_hear(struct worker *worker, struct wire_message *message,
                           struct arena *strings)
{
    enum wire_kind kind = wire_take(&worker->channel.in, message, strings);
    return kind == WIRE_QUESTION ? WIRE_BROKEN : kind;
}

uint64_t worker_cpu_ns(const struct worker *worker)
{
    clockid_t clock;
    struct timespec used;
    if (!worker->pid || clock_getcpuclockid(worker->pid, &clock) || clock_gettime(clock, &used))
        return 0;
    return (uint64_t)used.tv_sec * CLOCK_NS_PER_S + (uint64_t)used.tv_nsec;
}

bool worker_sleeps(const struct worker *worker)
{
    char path[64];
    char text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)worker->pid);
    if (!worker->pid || text_read_file(path, text, sizeof text) <= 0)
        return false;
    const char *state = strrchr(text, ')'); /* its name may hold anything */
    return state && state[1] && strchr("SITt", state[2]);
}

uint64_t worker_resident_bytes(const struct worker *worker)
{
    char path[64];
    char text[128];
    char *end = text;
    if (!worker->pid)
        return 0;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)worker->pid);
    if (text_read_file(path, text, sizeof text) <= 0)
        return 0;
    strtoull(text, &end, 10); /* address space comes first */
    return strtoull(end, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}
